#include "common/host/workspace.h"

#include "common/host/fail.h"
#include "common/host/pool.h"

prim_status prim_workspace_check(const prim_request *call, size_t needed_bytes, prim_span *span)
{
    const void *const d_workspace = call->workspace;
    const size_t workspace_bytes = call->workspace_bytes;
    *span = (prim_span){"workspace", d_workspace, workspace_bytes};
    if (d_workspace == NULL && workspace_bytes == 0)
        return PRIM_OK; /* the pool's turn */
    if (d_workspace == NULL)
        return prim_fail(PRIM_ERROR_NULL,
                         "%s: d_workspace is NULL, but workspace_bytes is %zu, not 0", call->name,
                         workspace_bytes);
    if ((uintptr_t)d_workspace % PRIM_WORKSPACE_ALIGNMENT != 0)
        return prim_fail(PRIM_ERROR_MISALIGNED,
                         "%s: d_workspace is %p, which is not aligned to %d bytes", call->name,
                         d_workspace, PRIM_WORKSPACE_ALIGNMENT);
    if (workspace_bytes < needed_bytes)
        return prim_fail(PRIM_ERROR_WORKSPACE, "%s: workspace_bytes is %zu, but %zu are needed",
                         call->name, workspace_bytes, needed_bytes);
    if (workspace_bytes > UINTPTR_MAX - (uintptr_t)d_workspace)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: d_workspace and its %zu bytes end beyond the address space",
                         call->name, workspace_bytes);
    return PRIM_OK;
}

static prim_status no_pool(const prim_request *call, size_t bytes, cudaError_t error)
{
    return prim_fail_cuda(PRIM_ERROR_WORKSPACE, error,
                          "%s: the library's pool could not allocate %zu bytes of workspace",
                          call->name, bytes);
}

prim_status prim_workspace_open(const prim_request *call, size_t needed_bytes,
                                prim_workspace *workspace)
{
    *workspace = (prim_workspace){call->workspace, false};
    if (call->workspace != NULL || needed_bytes == 0)
        return PRIM_OK;
    cudaMemPool_t pool;
    cudaError_t error = prim_pool(&pool);
    if (error == cudaSuccess)
        error = cudaMallocFromPoolAsync(&workspace->data, needed_bytes, pool, call->stream);
    if (error != cudaSuccess)
        return no_pool(call, needed_bytes, error);
    workspace->from_pool = true;
    return PRIM_OK;
}

prim_status prim_workspace_close(const prim_request *call, prim_workspace workspace)
{
    if (!workspace.from_pool)
        return PRIM_OK;
    const cudaError_t error = cudaFreeAsync(workspace.data, call->stream);
    if (error == cudaSuccess)
        return PRIM_OK;
    return prim_fail_cuda(PRIM_ERROR_CUDA, error, "%s: the workspace could not be freed",
                          call->name);
}
