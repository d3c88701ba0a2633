#include "common/workspace.h"

#include "common/fail.h"

prim_status prim_workspace_check(const char *call, const void *d_workspace, size_t workspace_bytes,
                                 size_t needed_bytes, prim_span *span)
{
    *span = (prim_span){"d_workspace", d_workspace, workspace_bytes};
    if (d_workspace == NULL && workspace_bytes == 0)
        return PRIM_OK; /* the pool's turn */
    if (d_workspace == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: d_workspace is NULL and workspace_bytes is not 0",
                         call);
    if ((uintptr_t)d_workspace % PRIM_WORKSPACE_ALIGNMENT != 0)
        return prim_fail(PRIM_ERROR_MISALIGNED, "%s: d_workspace is not aligned to %d bytes", call,
                         PRIM_WORKSPACE_ALIGNMENT);
    if (workspace_bytes < needed_bytes)
        return prim_fail(PRIM_ERROR_WORKSPACE, "%s: workspace_bytes is %zu, and %zu are needed",
                         call, workspace_bytes, needed_bytes);
    if (workspace_bytes > UINTPTR_MAX - (uintptr_t)d_workspace)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: d_workspace and its %zu bytes end beyond the address space", call,
                         workspace_bytes);
    return PRIM_OK;
}

static prim_status no_pool(const char *call, size_t bytes, cudaError_t error)
{
    return prim_fail_cuda(PRIM_ERROR_WORKSPACE, error,
                          "%s: the device's pool gave no %zu bytes of workspace", call, bytes);
}

prim_status prim_workspace_open(const char *call, void *d_workspace, size_t needed_bytes,
                                cudaStream_t stream, prim_workspace *workspace)
{
    *workspace = (prim_workspace){d_workspace, false};
    if (d_workspace != NULL || needed_bytes == 0)
        return PRIM_OK;
    int device = 0, pools = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device);
    if (error != cudaSuccess || !pools)
        return no_pool(call, needed_bytes, error != cudaSuccess ? error : cudaErrorNotSupported);
    error = cudaMallocAsync(&workspace->data, needed_bytes, stream);
    if (error != cudaSuccess)
        return no_pool(call, needed_bytes, error);
    workspace->from_pool = true;
    return PRIM_OK;
}

prim_status prim_workspace_close(const char *call, prim_workspace workspace, cudaStream_t stream)
{
    if (!workspace.from_pool)
        return PRIM_OK;
    const cudaError_t error = cudaFreeAsync(workspace.data, stream);
    if (error == cudaSuccess)
        return PRIM_OK;
    return prim_fail_cuda(PRIM_ERROR_CUDA, error, "%s: the workspace was not freed", call);
}
