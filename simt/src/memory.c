/* What programs allocate and free: at once, or in the order of a stream. */
#include "queue.h"
#include "sanitizers.h"

/* ---- at once, which a capture forbids ---- */

static cudaError_t allocate_now(void **pointer, size_t bytes, simt_space space)
{
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_forbidden_while_capturing();
    if (error != cudaSuccess || bytes == 0)
        return error;
    *pointer = simt_allocate(bytes, space, simt_current_device());
    return *pointer != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Whatever may use the memory is over before it goes. */
static cudaError_t release_now(void *pointer, cudaError_t (*release)(void *pointer))
{
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_forbidden_while_capturing();
    if (error != cudaSuccess || pointer == NULL)
        return error;
    simt_queue_finish_device(simt_find(pointer).device);
    return release(pointer);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, allocate_now(pointer, bytes, SIMT_DEVICE_MEMORY));
}

/* Any memory is the host's as well here: this differs from cudaMalloc() in its flags only. */
static cudaError_t allocate_managed(void **pointer, size_t bytes, unsigned flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cudaErrorInvalidValue;
    return allocate_now(pointer, bytes, SIMT_MANAGED_MEMORY);
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, allocate_managed(pointer, bytes, flags));
}

/* Rows begin at multiples of what an allocation does, twice. */
static cudaError_t allocate_pitched(void **pointer, size_t *pitch, size_t width, size_t height)
{
    enum { ROW_ALIGNMENT = 2 * SIMT_ALLOCATION_ALIGNMENT };
    if (pitch == NULL)
        return cudaErrorInvalidValue;
    if (width > SIZE_MAX - ROW_ALIGNMENT)
        return cudaErrorMemoryAllocation;
    const size_t bytes = (width + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
    if (bytes > 0 && height > SIZE_MAX / bytes)
        return cudaErrorMemoryAllocation;
    *pitch = bytes;
    return allocate_now(pointer, bytes * height, SIMT_DEVICE_MEMORY);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, allocate_pitched(pointer, pitch, width, height));
}

cudaError_t cudaFree(void *pointer)
{
    const cudaError_t error = release_now(pointer, simt_release_device);
    return SIMT_CALL(cudaErrorInvalidValue, error);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, allocate_now(pointer, bytes, SIMT_PINNED_MEMORY));
}

/* The flags are about speed, and about what is so here in any case. */
static cudaError_t allocate_pinned(void **pointer, size_t bytes, unsigned flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~known) != 0)
        return cudaErrorInvalidValue;
    return allocate_now(pointer, bytes, SIMT_PINNED_MEMORY);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, allocate_pinned(pointer, bytes, flags));
}

cudaError_t cudaFreeHost(void *pointer)
{
    const cudaError_t error = release_now(pointer, simt_release_pinned);
    return SIMT_CALL(cudaErrorInvalidValue, error);
}

/* ---- which memory is whose ---- */

static cudaError_t get_attributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    static const enum cudaMemoryType types[] = {
        [SIMT_DEVICE_MEMORY] = cudaMemoryTypeDevice,
        [SIMT_POOL_MEMORY] = cudaMemoryTypeDevice,
        [SIMT_MANAGED_MEMORY] = cudaMemoryTypeManaged,
        [SIMT_PINNED_MEMORY] = cudaMemoryTypeHost,
        [SIMT_PAGEABLE_MEMORY] = cudaMemoryTypeUnregistered,
    };
    if (attributes == NULL || pointer == NULL)
        return cudaErrorInvalidValue;
    const simt_place place = simt_find(pointer);
    const enum cudaMemoryType type = types[place.space];
    void *const same = (void *)(uintptr_t)pointer;
    *attributes = (struct cudaPointerAttributes){
        .type = type,
        .device = place.device,
        .devicePointer = type == cudaMemoryTypeUnregistered ? NULL : same,
        .hostPointer = type == cudaMemoryTypeDevice ? NULL : same,
    };
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    return SIMT_CALL(cudaErrorInvalidValue, get_attributes(attributes, pointer));
}

/* ---- in the order of a stream; a capture makes nodes of it ---- */

static cudaError_t allocate_in_stream(void **pointer, size_t bytes, cudaStream_t stream)
{
    bool capturing;
    *pointer = NULL;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error != cudaSuccess || bytes == 0)
        return error;
    void *memory = simt_allocate(bytes, SIMT_POOL_MEMORY, simt_stream_device(stream));
    if (memory == NULL)
        return cudaErrorMemoryAllocation;
    simt_asan_hide(memory, bytes); /* until the stream comes to it */
    simt_work work = {.type = cudaGraphNodeTypeMemAlloc, .as.allocation = {memory, bytes, false}};
    error = simt_submit(stream, &work);
    if (error == cudaSuccess)
        *pointer = memory;
    else
        simt_release_device(memory);
    return error;
}

static cudaError_t find_captured(cudaStream_t stream, const void *pointer, size_t *bytes)
{
    const simt_work *const allocation = simt_captured_allocation(stream, pointer);
    if (allocation == NULL)
        return cudaErrorInvalidValue;
    *bytes = allocation->as.allocation.bytes;
    return cudaSuccess;
}

static cudaError_t free_in_stream(void *pointer, cudaStream_t stream)
{
    bool capturing;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error != cudaSuccess || pointer == NULL)
        return error;
    simt_allocation freed = {.pointer = pointer, .for_good = !capturing};
    error = capturing ? find_captured(stream, pointer, &freed.bytes)
                      : simt_forget_device(pointer, &freed.bytes);
    if (error != cudaSuccess)
        return error;
    simt_work work = {.type = cudaGraphNodeTypeMemFree, .as.allocation = freed};
    return simt_submit(stream, &work);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, allocate_in_stream(pointer, bytes, stream));
}

static cudaError_t allocate_from_pool(void **pointer, size_t bytes, cudaMemPool_t pool,
                                      cudaStream_t stream)
{
    int device;
    const cudaError_t error = simt_pool_state(pool, &device);
    if (error == cudaSuccess && device != simt_stream_device(stream))
        return cudaErrorInvalidValue;
    return error == cudaSuccess ? allocate_in_stream(pointer, bytes, stream) : error;
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, allocate_from_pool(pointer, bytes, pool, stream));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    const cudaError_t error = free_in_stream(pointer, stream);
    return SIMT_CALL(cudaErrorInvalidValue, error);
}
