/* Events: work has run by the time that its event is recorded, so an event is a time. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "work.h"

struct CUevent_st {
    int device;
    unsigned flags;
    bool recorded, captured;
    struct timespec time;
};

static cudaError_t create(cudaEvent_t *event, unsigned flags)
{
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        return cudaErrorMemoryAllocation;
    (*event)->device = simt_current_device();
    (*event)->flags = flags;
    return cudaSuccess;
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream)
{
    bool capturing;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error == cudaSuccess && event->device != simt_stream_device(stream))
        error = cudaErrorInvalidResourceHandle;
    if (error != cudaSuccess)
        return error;
    simt_count_submission(stream);
    event->recorded = true;
    event->captured = capturing;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return cudaSuccess;
}

static cudaError_t synchronize(const struct CUevent_st *event)
{
    const cudaError_t error = simt_sticky();
    if (error != cudaSuccess)
        return error;
    return event->captured ? cudaErrorCapturedEvent : cudaSuccess;
}

static cudaError_t elapsed(float *milliseconds, const struct CUevent_st *start,
                           const struct CUevent_st *end)
{
    if (!start->recorded || !end->recorded || start->device != end->device || start->captured ||
        end->captured || ((start->flags | end->flags) & cudaEventDisableTiming) != 0)
        return cudaErrorInvalidResourceHandle;
    const double seconds = (double)(end->time.tv_sec - start->time.tv_sec) +
                           1e-9 * (double)(end->time.tv_nsec - start->time.tv_nsec);
    *milliseconds = (float)(1e3 * seconds);
    return cudaSuccess;
}

static cudaError_t wait_in_stream(cudaStream_t stream, const struct CUevent_st *event)
{
    bool capturing;
    const cudaError_t error = simt_stream_state(stream, &capturing);
    if (error != cudaSuccess)
        return error;
    simt_count_submission(stream);
    /* Work has run by the time its event is recorded; only a capture could have to wait. */
    return event->captured != capturing ? cudaErrorNotSupported : cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, create(event, flags));
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, create(event, 0));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const cudaError_t error = event != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle;
    free(event);
    return SIMT_CALL(cudaErrorInvalidResourceHandle, error);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorInvalidResourceHandle, record(event, stream));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return SIMT_CALL(cudaErrorInvalidResourceHandle, synchronize(event));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return SIMT_CALL(cudaErrorInvalidResourceHandle, elapsed(milliseconds, start, end));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    return SIMT_CALL(cudaErrorInvalidResourceHandle, wait_in_stream(stream, event));
}
