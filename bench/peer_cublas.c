/* cuBLAS. It is column-major: a row-major matrix is its own transpose there, so C = A · B is asked
 * for as Cᵀ = Bᵀ · Aᵀ. */
#include <stdio.h>
#include <stdlib.h>

#include "peers.h"

#ifdef BENCH_CUBLAS
#include <cublas_v2.h>

static void must_cublas(cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    fprintf(stderr, "primbench: cuBLAS: %s: %s\n", what, cublasGetStatusString(status));
    exit(1);
}

/* One for the whole run; the process gives it back. */
static cublasHandle_t handle_on(cudaStream_t stream)
{
    static cublasHandle_t handle;
    if (handle == NULL)
        must_cublas(cublasCreate(&handle), "a handle");
    must_cublas(cublasSetStream(handle, stream), "a stream");
    return handle;
}

const char *cublas_name(void)
{
    return "cublas";
}

prim_status cublas_sgemm(size_t m, size_t n, size_t k, const float *d_a, const float *d_b,
                         float *d_c, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    must_cublas(cublasSgemm(handle_on(stream), CUBLAS_OP_N, CUBLAS_OP_N, (int)n, (int)m, (int)k,
                            &one, d_b, (int)n, d_a, (int)k, &zero, d_c, (int)n),
                "sgemm");
    return PRIM_OK;
}

prim_status cublas_sgemv(prim_transpose op, size_t rows, size_t columns, const float *d_a,
                         const float *d_x, float *d_y, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    must_cublas(cublasSgemv(handle_on(stream), op == PRIM_TRANSPOSED ? CUBLAS_OP_N : CUBLAS_OP_T,
                            (int)columns, (int)rows, &one, d_a, (int)columns, d_x, 1, &zero, d_y,
                            1),
                "sgemv");
    return PRIM_OK;
}

#else

const char *cublas_name(void)
{
    return NULL;
}

static prim_status not_there(void)
{
    fprintf(stderr, "primbench: built without cuBLAS\n");
    exit(1);
}

prim_status cublas_sgemm(size_t m, size_t n, size_t k, const float *d_a, const float *d_b,
                         float *d_c, cudaStream_t stream)
{
    (void)m, (void)n, (void)k, (void)d_a, (void)d_b, (void)d_c, (void)stream;
    return not_there();
}

prim_status cublas_sgemv(prim_transpose op, size_t rows, size_t columns, const float *d_a,
                         const float *d_x, float *d_y, cudaStream_t stream)
{
    (void)op, (void)rows, (void)columns, (void)d_a, (void)d_x, (void)d_y, (void)stream;
    return not_there();
}

#endif
