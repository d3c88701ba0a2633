/* Events: work has run by the time that its event is recorded, so an event is a time. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "internal.h"

struct CUevent_st {
    unsigned flags;
    bool recorded, captured;
    struct timespec time;
};

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        return simt_result(cudaErrorMemoryAllocation);
    (*event)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (event == NULL)
        return simt_result(cudaErrorInvalidResourceHandle);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    bool capturing;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error != cudaSuccess)
        return simt_result(error);
    event->recorded = true;
    event->captured = capturing;
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    const cudaError_t error = simt_sticky();
    if (error != cudaSuccess)
        return simt_result(error);
    return simt_result(event->captured ? cudaErrorCapturedEvent : cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!start->recorded || !end->recorded || start->captured || end->captured ||
        ((start->flags | end->flags) & cudaEventDisableTiming) != 0)
        return simt_result(cudaErrorInvalidResourceHandle);
    const double seconds = (double)(end->time.tv_sec - start->time.tv_sec) +
                           1e-9 * (double)(end->time.tv_nsec - start->time.tv_nsec);
    *milliseconds = (float)(1e3 * seconds);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    bool capturing;
    cudaError_t error = simt_stream_state(stream, &capturing);
    /* Work has run by the time its event is recorded; only a capture could have to wait. */
    if (error == cudaSuccess && event->captured != capturing)
        error = cudaErrorNotSupported;
    return simt_result(error);
}
