/* Streams and captures. Work runs when it is submitted, or waits in the stream's queue. */
#include <stdlib.h>

#include "queue.h"
#include "simt.h"
#include "work.h"

struct CUstream_st {
    int device;
    unsigned flags;
    simt_queue *queue;
    struct CUgraph_st *capture; /* NULL: not capturing */
    enum cudaStreamCaptureMode mode;
    bool broken; /* the capture met something that it forbids */
    _Atomic uint64_t submissions;
};

static _Atomic uint64_t all_submissions, default_submissions[SIMT_MAX_DEVICES];

static atomic_int global_captures; /* in any thread */
static atomic_int blocking_captures[SIMT_MAX_DEVICES];
static _Thread_local int local_captures;
static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

static _Atomic uint64_t resets;

uint64_t simt_context(void)
{
    return atomic_load(&resets) * SIMT_MAX_DEVICES + (uint64_t)simt_current_device() + 1;
}

int simt_stream_device(cudaStream_t stream)
{
    return stream != NULL ? stream->device : simt_current_device();
}

simt_queue *simt_stream_queue(cudaStream_t stream)
{
    return stream != NULL ? stream->queue : simt_queue_default(simt_current_device());
}

/* ---- capture ---- */

cudaError_t simt_forbidden_while_capturing(void)
{
    const bool by_others =
        thread_mode == cudaStreamCaptureModeGlobal && atomic_load(&global_captures) > 0;
    const bool by_own = thread_mode != cudaStreamCaptureModeRelaxed && local_captures > 0;
    return by_others || by_own ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t simt_stream_state(cudaStream_t stream, bool *capturing)
{
    *capturing = false;
    if (stream == NULL)
        return atomic_load(&blocking_captures[simt_current_device()]) > 0
                   ? cudaErrorStreamCaptureImplicit
                   : cudaSuccess;
    *capturing = stream->capture != NULL;
    return stream->capture != NULL && stream->broken ? cudaErrorStreamCaptureInvalidated
                                                     : cudaSuccess;
}

static void count_capture(const struct CUstream_st *stream, int by)
{
    if (stream->mode == cudaStreamCaptureModeGlobal)
        atomic_fetch_add(&global_captures, by);
    if (stream->mode == cudaStreamCaptureModeThreadLocal)
        local_captures += by;
    if ((stream->flags & cudaStreamNonBlocking) == 0)
        atomic_fetch_add(&blocking_captures[stream->device], by);
}

static cudaError_t begin_capture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    if (stream == NULL || stream->capture != NULL)
        return stream == NULL ? cudaErrorStreamCaptureUnsupported : cudaErrorInvalidValue;
    stream->capture = simt_graph_new();
    if (stream->capture == NULL)
        return cudaErrorMemoryAllocation;
    stream->mode = mode;
    stream->broken = false;
    count_capture(stream, 1);
    return cudaSuccess;
}

static cudaError_t end_capture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = NULL;
    if (stream == NULL || stream->capture == NULL)
        return cudaErrorStreamCaptureUnmatched;
    count_capture(stream, -1);
    *graph = stream->capture;
    stream->capture = NULL;
    if (!stream->broken)
        return cudaSuccess;
    simt_graph_drop(*graph);
    *graph = NULL;
    return cudaErrorStreamCaptureInvalidated;
}

static cudaError_t capture_status(const struct CUstream_st *stream,
                                  enum cudaStreamCaptureStatus *status)
{
    *status = cudaStreamCaptureStatusNone;
    if (stream != NULL && stream->capture != NULL)
        *status =
            stream->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

static cudaError_t exchange_mode(enum cudaStreamCaptureMode *mode)
{
    const enum cudaStreamCaptureMode before = thread_mode;
    if (mode == NULL || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    return SIMT_CALL(cudaErrorInvalidValue, exchange_mode(mode));
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return SIMT_CALL(cudaErrorStreamCaptureUnsupported, begin_capture(stream, mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    if (simt_is_to_fail(__func__) && stream != NULL)
        stream->broken = true;
    return simt_result(end_capture(stream, graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return SIMT_CALL(cudaErrorStreamCaptureImplicit, capture_status(stream, status));
}

/* ---- work ---- */

static _Atomic uint64_t *submissions_of(cudaStream_t stream)
{
    return stream != NULL ? &stream->submissions : &default_submissions[simt_current_device()];
}

void simt_count_submission(cudaStream_t stream)
{
    atomic_fetch_add(&all_submissions, 1);
    atomic_fetch_add(submissions_of(stream), 1);
}

uint64_t simt_submissions(void)
{
    return atomic_load(&all_submissions);
}

uint64_t simt_submissions_to(cudaStream_t stream)
{
    return atomic_load(submissions_of(stream));
}

static cudaError_t run_or_queue(cudaStream_t stream, const simt_work *work)
{
    return simt_get_settings()->streams_deferred ? simt_queue_add(simt_stream_queue(stream), work)
                                                 : simt_perform(work);
}

cudaError_t simt_submit(cudaStream_t stream, simt_work *work)
{
    bool capturing;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error == cudaSuccess)
        simt_count_submission(stream);
    if (error == cudaSuccess)
        error = capturing ? simt_graph_append(stream->capture, work) : run_or_queue(stream, work);
    const bool kept = error == cudaSuccess && (capturing || simt_get_settings()->streams_deferred);
    if (!kept)
        simt_discard(work);
    return error;
}

const simt_work *simt_captured_allocation(cudaStream_t stream, const void *pointer)
{
    return simt_graph_find_allocation(stream->capture, pointer);
}

/* ---- streams ---- */

static cudaError_t create(cudaStream_t *stream, unsigned flags)
{
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return cudaErrorMemoryAllocation;
    (*stream)->device = simt_current_device();
    (*stream)->flags = flags;
    (*stream)->queue = simt_queue_new(simt_current_device(), (flags & cudaStreamNonBlocking) == 0);
    if ((*stream)->queue != NULL)
        return cudaSuccess;
    free(*stream);
    *stream = NULL;
    return cudaErrorMemoryAllocation;
}

/* Does not wait for its work. */
static cudaError_t destroy(cudaStream_t stream)
{
    if (stream == NULL)
        return cudaErrorInvalidResourceHandle;
    if (stream->capture != NULL) {
        count_capture(stream, -1);
        simt_graph_drop(stream->capture);
    }
    simt_queue_abandon(stream->queue);
    free(stream);
    return cudaSuccess;
}

cudaError_t simt_stream_finish(cudaStream_t stream)
{
    simt_queue_finish(simt_stream_queue(stream));
    return simt_sticky();
}

/* What a capture forbids breaks it. */
static cudaError_t check_wait(cudaStream_t stream)
{
    bool capturing;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error == cudaSuccess && capturing) {
        stream->broken = true;
        error = cudaErrorStreamCaptureUnsupported;
    }
    return error;
}

static cudaError_t synchronize(cudaStream_t stream)
{
    const cudaError_t error = check_wait(stream);
    return error != cudaSuccess ? error : simt_stream_finish(stream);
}

static cudaError_t query(cudaStream_t stream)
{
    const cudaError_t error = check_wait(stream);
    if (error != cudaSuccess)
        return error;
    const bool done = simt_queue_is_done(simt_stream_queue(stream));
    return done ? simt_sticky() : cudaErrorNotReady;
}

static cudaError_t synchronize_all(void)
{
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_forbidden_while_capturing();
    if (error != cudaSuccess)
        return error;
    simt_queue_finish_device(simt_current_device());
    return simt_sticky();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, create(stream, flags));
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, create(stream, 0));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const cudaError_t error = destroy(stream);
    return SIMT_CALL(cudaErrorInvalidResourceHandle, error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorInvalidResourceHandle, synchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorInvalidResourceHandle, query(stream));
}

cudaError_t cudaDeviceSynchronize(void)
{
    return SIMT_CALL(cudaErrorInitializationError, synchronize_all());
}

/* What has not run never will: work is dropped after a sticky error. Attributes of kernels are
 * those of the beginning. */
cudaError_t cudaDeviceReset(void)
{
    simt_set_sticky(cudaErrorUnknown);
    simt_queue_finish_all();
    simt_set_sticky(cudaSuccess);
    simt_forget_allowances(simt_current_device());
    atomic_fetch_add(&resets, 1);
    return cudaSuccess;
}
