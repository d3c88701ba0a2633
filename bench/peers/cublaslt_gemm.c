/* cuBLASLt: C = A · B in f32, by the algorithm that its heuristic names first. Operands and their
 * order as in cublas_gemm.c. */
#include <stdint.h>

#include <cublasLt.h>

#include "peers/cublas.h"

enum { WORKSPACE_BYTES = 32 << 20 }; /* what cuBLAS takes on Hopper */

/* What describes a case: made anew when another one comes. */
static struct {
    size_t m, n, k, batches;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulHeuristicResult_t best;
} made;

static bool does(const bench_case *c)
{
    return c->element == CUDA_R_32F && !is_of_shapes(c);
}

static cublasLtMatrixLayout_t layout(size_t rows, size_t columns, size_t batches)
{
    cublasLtMatrixLayout_t made_layout;
    const int32_t count = (int32_t)batches;
    const int64_t stride = (int64_t)(rows * columns);
    must_cublas(cublasLtMatrixLayoutCreate(&made_layout, CUDA_R_32F, rows, columns, (int64_t)rows),
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
    made.m = c->m;
    made.n = c->n;
    made.k = c->k;
    made.batches = batches;
    made.a = layout(c->n, c->k, batches); /* Bᵀ, and so on */
    made.b = layout(c->k, c->m, batches);
    made.c = layout(c->n, c->m, batches);
    must_cublas(cublasLtMatmulDescCreate(&made.product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
                "a product");
    must_cublas(cublasLtMatmulPreferenceCreate(&preference), "a preference");
    must_cublas(cublasLtMatmulPreferenceSetAttribute(
                    preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most),
                "a workspace's size");
    must_cublas(cublasLtMatmulAlgoGetHeuristic(made.handle, made.product, made.a, made.b, made.c,
                                               made.c, preference, 1, &made.best, &found),
                "an algorithm");
    cublasLtMatmulPreferenceDestroy(preference);
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    const size_t batches = c->batches > 0 ? c->batches : 1;
    const float *const d_a = o->d_in, *const d_b = d_a + batches * c->m * c->k;
    if (made.handle == NULL || made.m != c->m || made.n != c->n || made.k != c->k ||
        made.batches != batches)
        describe(c, batches);
    must_cublas(cublasLtMatmul(made.handle, made.product, &one, d_b, made.a, d_a, made.b, &zero,
                               o->d_out, made.c, o->d_out, made.c, &made.best.algo, o->d_workspace,
                               o->workspace_bytes, stream),
                "matmul");
    return PRIM_OK;
}

const bench_peer cublaslt_gemm = {"cublaslt", "gemm", does, cublas_workspace_bytes, run};
