/* cuBLAS: C = A · B in f32, all B behind all A. It is column-major: a row-major matrix is its own
 * transpose there, so that Cᵀ = Bᵀ · Aᵀ is asked for. */
#include "peers/cublas.h"

static bool does(const bench_case *c)
{
    return c->element == CUDA_R_32F && !is_of_shapes(c);
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    const size_t batches = c->batches > 0 ? c->batches : 1;
    const float *const d_a = o->d_in, *const d_b = d_a + batches * c->m * c->k;
    const int m = (int)c->m, n = (int)c->n, k = (int)c->k;
    const cublasHandle_t handle = cublas_handle_on(stream, o);
    if (c->batches == 0)
        must_cublas(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, d_b, n, d_a, k,
                                &zero, o->d_out, n),
                    "sgemm");
    else
        must_cublas(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, d_b,
                                              n, (long long)n * k, d_a, k, (long long)m * k, &zero,
                                              o->d_out, n, (long long)m * n, (int)batches),
                    "sgemm in batches");
    return PRIM_OK;
}

const bench_peer cublas_gemm = {"cublas", "gemm", does, cublas_workspace_bytes, run};
