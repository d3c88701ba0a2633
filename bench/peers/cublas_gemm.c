/* cuBLAS: C = A · B, all B after all A. It is column-major: a row-major matrix is its own
 * transpose there, so that Cᵀ = Bᵀ · Aᵀ is asked for. */
#include "peers/cublas.h"

/* Of bytes it wants rows of whole words, which begin at words. */
static bool does(const bench_case *c)
{
    const size_t a = operand_a(c).ld, b = operand_b(c).ld;
    return cublas_types_of(c) != NULL && !is_of_shapes(c) &&
           (c->element != CUDA_R_8I ||
            (a % 4 == 0 && b % 4 == 0 && c->n % 4 == 0 && operand_a(c).first % 4 == 0 &&
             operand_b(c).first % 4 == 0));
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const cublas_types *const t = cublas_types_of(c);
    const void *const one = cublas_factor(t, true), *const zero = cublas_factor(t, false);
    const size_t batches = batches_of(c), of_c = c->m * c->n;
    const product_operand a = operand_a(c), b = operand_b(c);
    const char *const d_a = (const char *)o->d_in + a.first * t->bytes, *const d_b =
                                                                            (const char *)o->d_in +
                                                                            b.first * t->bytes;
    const int m = (int)c->m, n = (int)c->n, k = (int)c->k;
    const cublasStatus_t status = cublasGemmStridedBatchedEx(
        cublas_handle_on(stream, o), cublas_op_of(b), cublas_op_of(a), n, m, k, one, d_b,
        c->element, (int)b.ld, (long long)b.elements, d_a, c->element, (int)a.ld,
        (long long)a.elements, zero, o->d_out, c->result, n, (long long)of_c, (int)batches, t->sums,
        CUBLAS_GEMM_DEFAULT);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) /* some products of bytes */
        return PRIM_ERROR_UNSUPPORTED;
    must_cublas(status, "gemm");
    return PRIM_OK;
}

const bench_peer cublas_gemm = {"cublas", "gemm", does, cublas_workspace_bytes, run};
