/* cuBLAS: C = A · B, all B behind all A. It is column-major: a row-major matrix is its own
 * transpose there, so that Cᵀ = Bᵀ · Aᵀ is asked for. */
#include "peers/cublas.h"

/* A pair of types that cuBLAS adds up in another one. */
typedef struct types {
    cudaDataType_t element, result;
    cublasComputeType_t sums;
    size_t bytes; /* of an element */
} types;

static const types all_types[] = {{CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4},
                                  {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8},
                                  {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2},
                                  {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2},
                                  {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 1}};

static const types *find_types(const bench_case *c)
{
    for (size_t t = 0; t < sizeof all_types / sizeof *all_types; t++)
        if (all_types[t].element == c->element && all_types[t].result == c->result)
            return &all_types[t];
    return NULL;
}

/* Of bytes it wants rows of whole words, which begin at words. */
static bool does(const bench_case *c)
{
    const size_t a = operand_a(c).ld, b = operand_b(c).ld;
    return find_types(c) != NULL && !is_of_shapes(c) &&
           (c->element != CUDA_R_8I ||
            (a % 4 == 0 && b % 4 == 0 && c->n % 4 == 0 && operand_a(c).first % 4 == 0 &&
             operand_b(c).first % 4 == 0));
}

/* 1 and 0 in the type that scales sums of these. */
static const void *scalar(cublasComputeType_t sums, bool is_one)
{
    static const float floats[] = {0, 1};
    static const double doubles[] = {0, 1};
    static const int32_t integers[] = {0, 1};
    if (sums == CUBLAS_COMPUTE_64F)
        return &doubles[is_one];
    return sums == CUBLAS_COMPUTE_32I ? (const void *)&integers[is_one] : &floats[is_one];
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const types *const t = find_types(c);
    const void *const one = scalar(t->sums, true), *const zero = scalar(t->sums, false);
    const size_t batches = batches_of(c), of_c = c->m * c->n;
    const product_operand a = operand_a(c), b = operand_b(c);
    const char *const d_a = (const char *)o->d_in + a.first * t->bytes, *const d_b =
                                                                            (const char *)o->d_in +
                                                                            b.first * t->bytes;
    const int m = (int)c->m, n = (int)c->n, k = (int)c->k;
    must_cublas(cublasGemmStridedBatchedEx(
                    cublas_handle_on(stream, o), cublas_op_of(b), cublas_op_of(a), n, m, k, one,
                    d_b, c->element, (int)b.ld, (long long)b.elements, d_a, c->element, (int)a.ld,
                    (long long)a.elements, zero, o->d_out, c->result, n, (long long)of_c,
                    (int)batches, t->sums, CUBLAS_GEMM_DEFAULT),
                "gemm");
    return PRIM_OK;
}

const bench_peer cublas_gemm = {"cublas", "gemm", does, cublas_workspace_bytes, run};
