/* Copies and memsets: judged when they are submitted, whatever runs them later. */
#include "work.h"

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                        cudaStream_t stream)
{
    const cudaError_t error = simt_check_copy(to, from, bytes, kind);
    if (error != cudaSuccess || bytes == 0)
        return error;
    simt_work work = {.type = cudaGraphNodeTypeMemcpy, .as.copy = {to, from, bytes}};
    return simt_submit(stream, &work);
}

static cudaError_t set(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    const cudaError_t error = simt_check_set(to, bytes);
    if (error != cudaSuccess || bytes == 0)
        return error;
    simt_work work = {.type = cudaGraphNodeTypeMemset, .as.set = {to, byte, bytes}};
    return simt_submit(stream, &work);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return SIMT_CALL(cudaErrorInvalidValue, copy(to, from, bytes, kind, NULL));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorInvalidValue, copy(to, from, bytes, kind, stream));
}

cudaError_t cudaMemset(void *to, int byte, size_t bytes)
{
    return SIMT_CALL(cudaErrorInvalidValue, set(to, byte, bytes, NULL));
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorInvalidValue, set(to, byte, bytes, stream));
}
