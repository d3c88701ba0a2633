/* Events: each stands for the mark that it was recorded as last. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "queue.h"

struct CUevent_st {
    int device;
    unsigned flags;
    bool captured;
    simt_mark *mark; /* NULL: not recorded yet */
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

static cudaError_t submit_mark(cudaEvent_t event, cudaStream_t stream)
{
    simt_mark *const mark = simt_mark_new();
    if (mark == NULL)
        return cudaErrorMemoryAllocation;
    simt_work work = {.type = cudaGraphNodeTypeEventRecord, .as.mark = simt_mark_share(mark)};
    const cudaError_t error = simt_submit(stream, &work);
    simt_mark_drop(error == cudaSuccess ? event->mark : mark);
    if (error == cudaSuccess)
        event->mark = mark;
    return error;
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
    if (capturing)
        simt_count_submission(stream);
    else
        error = submit_mark(event, stream);
    if (error == cudaSuccess)
        event->captured = capturing;
    return error;
}

static cudaError_t check_wait(const struct CUevent_st *event)
{
    const cudaError_t error = simt_sticky();
    return error == cudaSuccess && event->captured ? cudaErrorCapturedEvent : error;
}

static cudaError_t synchronize(const struct CUevent_st *event)
{
    const cudaError_t error = check_wait(event);
    if (error != cudaSuccess || event->mark == NULL)
        return error;
    simt_queue_finish_mark(event->mark);
    return simt_sticky();
}

static cudaError_t query(const struct CUevent_st *event)
{
    const cudaError_t error = check_wait(event);
    if (error != cudaSuccess || event->mark == NULL)
        return error;
    return simt_queue_has_passed(event->mark) ? simt_sticky() : cudaErrorNotReady;
}

static cudaError_t elapsed(float *milliseconds, const struct CUevent_st *start,
                           const struct CUevent_st *end)
{
    const simt_mark *const from = start->mark, *const to = end->mark;
    if (from == NULL || to == NULL || start->device != end->device || start->captured ||
        end->captured || ((start->flags | end->flags) & cudaEventDisableTiming) != 0)
        return cudaErrorInvalidResourceHandle;
    if (!atomic_load(&from->passed) || !atomic_load(&to->passed))
        return cudaErrorNotReady;
    const double seconds = (double)(to->time.tv_sec - from->time.tv_sec) +
                           1e-9 * (double)(to->time.tv_nsec - from->time.tv_nsec);
    *milliseconds = (float)(1e3 * seconds);
    return cudaSuccess;
}

static cudaError_t wait_in_stream(cudaStream_t stream, const struct CUevent_st *event)
{
    bool capturing;
    const cudaError_t error = simt_stream_state(stream, &capturing);
    if (error != cudaSuccess)
        return error;
    if (event->captured != capturing || capturing || event->mark == NULL) {
        simt_count_submission(stream);
        return event->captured != capturing ? cudaErrorNotSupported : cudaSuccess;
    }
    simt_work work = {.type = cudaGraphNodeTypeWaitEvent, .as.mark = simt_mark_share(event->mark)};
    return simt_submit(stream, &work);
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
    if (event != NULL)
        simt_mark_drop(event->mark);
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

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return SIMT_CALL(cudaErrorInvalidResourceHandle, query(event));
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
