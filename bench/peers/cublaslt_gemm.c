/* cuBLASLt: C = A · B in f32, by the algorithm that its heuristic names first. Operands and their
 * order as in cublas_gemm.c. */
#include <stdint.h>

#include <cublasLt.h>

#include "peers/cublas.h"

enum { WORKSPACE_BYTES = 32 << 20 }; /* what cuBLAS takes on Hopper */

/* What describes a case: made anew when another one comes. */
static struct {
    bench_case of;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulHeuristicResult_t best;
} made;

static bool does(const bench_case *c)
{
    return c->element == CUDA_R_32F && !is_of_shapes(c);
}

static cublasLtMatrixLayout_t layout(size_t rows, size_t columns, size_t ld, size_t stored,
                                     size_t batches)
{
    cublasLtMatrixLayout_t made_layout;
    const int32_t count = (int32_t)batches;
    const int64_t stride = (int64_t)stored;
    must_cublas(cublasLtMatrixLayoutCreate(&made_layout, CUDA_R_32F, rows, columns, (int64_t)ld),
                "a layout");
    must_cublas(cublasLtMatrixLayoutSetAttribute(made_layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                 &count, sizeof count),
                "a number of matrices");
    must_cublas(cublasLtMatrixLayoutSetAttribute(made_layout,
                                                 CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                 &stride, sizeof stride),
                "a stride");
    return made_layout;
}

/* A row-major matrix is its own transpose. */
static cublasLtMatrixLayout_t layout_of(product_operand x, size_t batches)
{
    return layout(x.columns, x.lines, x.ld, x.elements, batches);
}

static void set_op(cublasLtMatmulDescAttributes_t which, product_operand x)
{
    const cublasOperation_t op = cublas_op_of(x);
    must_cublas(cublasLtMatmulDescSetAttribute(made.product, which, &op, sizeof op), "an op");
}

static void forget(void)
{
    cublasLtMatrixLayoutDestroy(made.a);
    cublasLtMatrixLayoutDestroy(made.b);
    cublasLtMatrixLayoutDestroy(made.c);
    cublasLtMatmulDescDestroy(made.product);
}

static void describe(const bench_case *c, size_t batches)
{
    const size_t most = WORKSPACE_BYTES;
    cublasLtMatmulPreference_t preference;
    int found;
    if (made.handle == NULL)
        must_cublas(cublasLtCreate(&made.handle), "a handle");
    else
        forget();
    made.of = *c;
    made.a = layout_of(operand_b(c), batches);
    made.b = layout_of(operand_a(c), batches);
    made.c = layout(c->n, c->m, c->n, c->n * c->m, batches);
    must_cublas(cublasLtMatmulDescCreate(&made.product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
                "a product");
    set_op(CUBLASLT_MATMUL_DESC_TRANSA, operand_b(c));
    set_op(CUBLASLT_MATMUL_DESC_TRANSB, operand_a(c));
    must_cublas(cublasLtMatmulPreferenceCreate(&preference), "a preference");
    must_cublas(cublasLtMatmulPreferenceSetAttribute(
                    preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most),
                "a workspace's size");
    must_cublas(cublasLtMatmulAlgoGetHeuristic(made.handle, made.product, made.a, made.b, made.c,
                                               made.c, preference, 1, &made.best, &found),
                "an algorithm");
    cublasLtMatmulPreferenceDestroy(preference);
}

static bool are_alike(const bench_case *x, const bench_case *y)
{
    return x->m == y->m && x->n == y->n && x->k == y->k && x->batches == y->batches &&
           x->ld == y->ld && x->offset == y->offset && x->transposed_a == y->transposed_a &&
           x->transposed_b == y->transposed_b;
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    const float *const d_in = o->d_in;
    const float *const d_a = d_in + operand_a(c).first;
    const float *const d_b = d_in + operand_b(c).first;
    if (made.handle == NULL || !are_alike(&made.of, c))
        describe(c, batches_of(c));
    must_cublas(cublasLtMatmul(made.handle, made.product, &one, d_b, made.a, d_a, made.b, &zero,
                               o->d_out, made.c, o->d_out, made.c, &made.best.algo, o->d_workspace,
                               o->workspace_bytes, stream),
                "matmul");
    return PRIM_OK;
}

const bench_peer cublaslt_gemm = {"cublaslt", "gemm", does, cublas_workspace_bytes, run};
