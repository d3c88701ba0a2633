/* Streams, capture and graphs. Work runs when it is submitted, so a stream is only what
 * captures; a graph is the list of the work that was submitted while it did. */
#define _GNU_SOURCE
#include "internal.h"
#include "sanitizers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct CUgraphNode_st {
    struct CUgraphNode_st *next;
    simt_work work;
};

struct CUgraph_st {
    struct CUgraphNode_st *first, *last;
    atomic_int owners; /* the graph's own handle and every executable made of it */
};

struct CUgraphExec_st {
    struct CUgraph_st *graph;
};

struct CUstream_st {
    unsigned flags;
    struct CUgraph_st *capture; /* NULL: not capturing */
    enum cudaStreamCaptureMode mode;
    bool broken; /* the capture met something that it forbids */
};

static atomic_int global_captures; /* in any thread */
static atomic_int blocking_captures;
static _Thread_local int local_captures;

/* ---- capture ---- */

cudaError_t simt_forbidden_while_capturing(void)
{
    const bool forbidden = atomic_load(&global_captures) > 0 || local_captures > 0;
    return forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t simt_stream_state(cudaStream_t stream, bool *capturing)
{
    *capturing = false;
    if (stream == NULL)
        return atomic_load(&blocking_captures) > 0 ? cudaErrorStreamCaptureImplicit : cudaSuccess;
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
        atomic_fetch_add(&blocking_captures, by);
}

static void drop_graph(struct CUgraph_st *graph)
{
    if (atomic_fetch_sub(&graph->owners, 1) > 1)
        return;
    for (struct CUgraphNode_st *node = graph->first, *next; node != NULL; node = next) {
        next = node->next;
        if (node->work.type == cudaGraphNodeTypeMemAlloc)
            simt_release(node->work.as.allocation.pointer, SIMT_DEVICE_MEMORY);
        simt_discard(&node->work);
        free(node);
    }
    free(graph);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    if (stream == NULL || stream->capture != NULL)
        return simt_result(stream == NULL ? cudaErrorStreamCaptureUnsupported
                                          : cudaErrorInvalidValue);
    stream->capture = calloc(1, sizeof *stream->capture);
    if (stream->capture == NULL)
        return simt_result(cudaErrorMemoryAllocation);
    atomic_init(&stream->capture->owners, 1);
    stream->mode = mode;
    stream->broken = false;
    count_capture(stream, 1);
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = NULL;
    if (stream == NULL || stream->capture == NULL)
        return simt_result(cudaErrorStreamCaptureUnmatched);
    count_capture(stream, -1);
    struct CUgraph_st *captured = stream->capture;
    stream->capture = NULL;
    if (stream->broken) {
        drop_graph(captured);
        return simt_result(cudaErrorStreamCaptureInvalidated);
    }
    *graph = captured;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    *status = cudaStreamCaptureStatusNone;
    if (stream != NULL && stream->capture != NULL)
        *status =
            stream->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

/* ---- work ---- */

cudaError_t simt_perform(const simt_work *work)
{
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        return simt_run(&work->as.call);
    case cudaGraphNodeTypeMemcpy:
        memmove(work->as.copy.to, work->as.copy.from, work->as.copy.bytes);
        return cudaSuccess;
    case cudaGraphNodeTypeMemset:
        memset(work->as.set.to, work->as.set.byte, work->as.set.bytes);
        return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc: /* each replay finds the memory dirty */
        simt_asan_show(work->as.allocation.pointer, work->as.allocation.bytes);
        simt_poison(work->as.allocation.pointer, work->as.allocation.bytes);
        return cudaSuccess;
    case cudaGraphNodeTypeMemFree:
        simt_poison(work->as.allocation.pointer, work->as.allocation.bytes);
        simt_asan_hide(work->as.allocation.pointer, work->as.allocation.bytes);
        return cudaSuccess;
    }
    return cudaErrorUnknown;
}

void simt_discard(simt_work *work)
{
    if (work->type != cudaGraphNodeTypeKernel)
        return;
    free(work->as.call.arguments);
    free(work->as.call.storage);
}

static cudaError_t append(struct CUgraph_st *graph, const simt_work *work)
{
    struct CUgraphNode_st *node = calloc(1, sizeof *node);
    if (node == NULL)
        return cudaErrorMemoryAllocation;
    node->work = *work;
    if (graph->last != NULL)
        graph->last->next = node;
    else
        graph->first = node;
    graph->last = node;
    return cudaSuccess;
}

cudaError_t simt_submit(cudaStream_t stream, simt_work *work)
{
    bool capturing;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error == cudaSuccess && capturing) {
        error = append(stream->capture, work);
        if (error == cudaSuccess)
            return cudaSuccess; /* the graph owns it now */
    } else if (error == cudaSuccess) {
        error = simt_perform(work);
    }
    simt_discard(work);
    return error;
}

const simt_work *simt_captured_allocation(cudaStream_t stream, const void *pointer)
{
    for (const struct CUgraphNode_st *node = stream->capture->first; node != NULL;
         node = node->next)
        if (node->work.type == cudaGraphNodeTypeMemAlloc &&
            node->work.as.allocation.pointer == pointer)
            return &node->work;
    return NULL;
}

/* ---- graphs ---- */

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    size_t found = 0;
    for (struct CUgraphNode_st *node = graph->first; node != NULL; node = node->next, found++)
        if (nodes != NULL && found < *count)
            nodes[found] = node;
    *count = nodes != NULL && *count < found ? *count : found;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    *type = node->work.type;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    *exec = malloc(sizeof **exec);
    if (*exec == NULL)
        return simt_result(cudaErrorMemoryAllocation);
    atomic_fetch_add(&graph->owners, 1);
    (*exec)->graph = graph;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    bool capturing;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error == cudaSuccess && capturing)
        error = cudaErrorNotSupported; /* child graphs are not modelled */
    const struct CUgraphNode_st *node = exec->graph->first;
    for (; error == cudaSuccess && node != NULL; node = node->next)
        error = simt_perform(&node->work);
    return simt_result(error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    drop_graph(exec->graph);
    free(exec);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    drop_graph(graph);
    return cudaSuccess;
}

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return simt_result(cudaErrorMemoryAllocation);
    (*stream)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (stream == NULL)
        return simt_result(cudaErrorInvalidResourceHandle);
    if (stream->capture != NULL) {
        count_capture(stream, -1);
        drop_graph(stream->capture);
    }
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    bool capturing;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error == cudaSuccess && capturing) {
        stream->broken = true;
        error = cudaErrorStreamCaptureUnsupported;
    }
    return simt_result(error);
}

cudaError_t cudaDeviceSynchronize(void)
{
    const cudaError_t error = simt_sticky();
    return simt_result(error != cudaSuccess ? error : simt_forbidden_while_capturing());
}
