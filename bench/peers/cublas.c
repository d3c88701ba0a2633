#include "peers/cublas.h"

#include <stdio.h>
#include <stdlib.h>

void must_cublas(cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    fprintf(stderr, "primbench: cuBLAS: %s: %s\n", what, cublasGetStatusString(status));
    exit(1);
}

const cublas_types *cublas_types_of(const bench_case *c)
{
    static const cublas_types all[] = {
        {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4},
        {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8},
        {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2},
        {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2},
        {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 1}};
    for (size_t t = 0; t < sizeof all / sizeof *all; t++)
        if (all[t].element == c->element && all[t].result == c->result)
            return &all[t];
    return NULL;
}

const void *cublas_factor(const cublas_types *types, bool is_one)
{
    static const float floats[] = {0, 1};
    static const double doubles[] = {0, 1};
    static const int32_t integers[] = {0, 1};
    return types->factor == CUDA_R_64F   ? (const void *)&doubles[is_one]
           : types->factor == CUDA_R_32I ? (const void *)&integers[is_one]
                                         : &floats[is_one];
}

cublasHandle_t cublas_handle_on(cudaStream_t stream, const bench_operands *o)
{
    static cublasHandle_t handle; /* the process gives it back */
    if (handle == NULL)
        must_cublas(cublasCreate(&handle), "a handle");
    must_cublas(cublasSetStream(handle, stream), "a stream");
    if (o->workspace_bytes > 0)
        must_cublas(cublasSetWorkspace(handle, o->d_workspace, o->workspace_bytes), "a workspace");
    return handle;
}

size_t cublas_workspace_bytes(const bench_case *c, const bench_operands *o)
{
    (void)c, (void)o;
    return (size_t)32 << 20;
}
