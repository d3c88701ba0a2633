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
