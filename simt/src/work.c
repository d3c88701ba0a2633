/* One piece of work, and graphs as lists of it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "sanitizers.h"
#include "work.h"

/* ---- one piece ---- */

static void copy(const simt_copy *c)
{
    for (size_t row = 0; row < c->rows; row++)
        memmove(c->to + row * c->to_pitch, c->from + row * c->from_pitch, c->bytes);
}

/* The rows one after the other. */
cudaError_t simt_stage(simt_work *work)
{
    simt_copy *const c = &work->as.copy;
    simt_copy to_stage = *c;
    to_stage.to = c->staged = malloc(c->rows * c->bytes);
    if (c->staged == NULL)
        return cudaErrorMemoryAllocation;
    to_stage.to_pitch = c->bytes;
    copy(&to_stage);
    c->from = c->staged;
    c->from_pitch = c->bytes;
    return cudaSuccess;
}

static void pass(simt_mark *mark)
{
    clock_gettime(CLOCK_MONOTONIC, &mark->time);
    atomic_store(&mark->passed, true);
}

static void release(const simt_allocation *a)
{
    simt_poison(a->pointer, a->bytes);
    if (a->for_good)
        free(a->pointer);
    else
        simt_asan_hide(a->pointer, a->bytes);
}

static cudaError_t perform_all(const struct CUgraph_st *graph)
{
    cudaError_t error = cudaSuccess;
    const struct CUgraphNode_st *node = graph->first;
    for (; error == cudaSuccess && node != NULL; node = node->next)
        error = simt_perform(&node->work);
    return error;
}

cudaError_t simt_perform(const simt_work *work)
{
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        return simt_run(&work->as.call);
    case cudaGraphNodeTypeMemcpy:
        copy(&work->as.copy);
        return cudaSuccess;
    case cudaGraphNodeTypeMemset:
        memset(work->as.set.to, work->as.set.byte, work->as.set.bytes);
        return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc: /* each replay finds the memory dirty */
        simt_asan_show(work->as.allocation.pointer, work->as.allocation.bytes);
        simt_poison(work->as.allocation.pointer, work->as.allocation.bytes);
        return cudaSuccess;
    case cudaGraphNodeTypeMemFree:
        release(&work->as.allocation);
        return cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
        pass(work->as.mark);
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return cudaSuccess;
    case cudaGraphNodeTypeGraph:
        return perform_all(work->as.graph);
    case cudaGraphNodeTypeHost:
        work->as.meeting.arrive(work->as.meeting.with);
        return cudaSuccess;
    }
    return cudaErrorUnknown;
}

bool simt_outlives_failure(const simt_work *work)
{
    return work->type == cudaGraphNodeTypeEventRecord || work->type == cudaGraphNodeTypeMemAlloc ||
           work->type == cudaGraphNodeTypeMemFree;
}

void simt_discard(simt_work *work)
{
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        free(work->as.call.arguments);
        free(work->as.call.storage);
        return;
    case cudaGraphNodeTypeMemcpy:
        free(work->as.copy.staged);
        return;
    case cudaGraphNodeTypeEventRecord:
    case cudaGraphNodeTypeWaitEvent:
        simt_mark_drop(work->as.mark);
        return;
    case cudaGraphNodeTypeGraph:
        simt_graph_drop(work->as.graph);
        return;
    case cudaGraphNodeTypeHost:
        work->as.meeting.discard(work->as.meeting.with);
        return;
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
        return;
    }
}

/* ---- a mark ---- */

simt_mark *simt_mark_new(void)
{
    simt_mark *mark = calloc(1, sizeof *mark);
    if (mark != NULL)
        atomic_init(&mark->owners, 1);
    return mark;
}

simt_mark *simt_mark_share(simt_mark *mark)
{
    atomic_fetch_add(&mark->owners, 1);
    return mark;
}

void simt_mark_drop(simt_mark *mark)
{
    if (mark != NULL && atomic_fetch_sub(&mark->owners, 1) == 1)
        free(mark);
}

/* ---- a graph ---- */

struct CUgraph_st *simt_graph_new(void)
{
    struct CUgraph_st *graph = calloc(1, sizeof *graph);
    if (graph != NULL)
        atomic_init(&graph->owners, 1);
    return graph;
}

struct CUgraph_st *simt_graph_share(struct CUgraph_st *graph)
{
    atomic_fetch_add(&graph->owners, 1);
    return graph;
}

cudaError_t simt_graph_append(struct CUgraph_st *graph, const simt_work *work)
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

const simt_work *simt_graph_find_allocation(const struct CUgraph_st *graph, const void *pointer)
{
    for (const struct CUgraphNode_st *node = graph->first; node != NULL; node = node->next)
        if (node->work.type == cudaGraphNodeTypeMemAlloc &&
            node->work.as.allocation.pointer == pointer)
            return &node->work;
    return NULL;
}

void simt_graph_drop(struct CUgraph_st *graph)
{
    if (atomic_fetch_sub(&graph->owners, 1) > 1)
        return;
    for (struct CUgraphNode_st *node = graph->first, *next; node != NULL; node = next) {
        next = node->next;
        if (node->work.type == cudaGraphNodeTypeMemAlloc)
            simt_release_device(node->work.as.allocation.pointer);
        simt_discard(&node->work);
        free(node);
    }
    free(graph);
}
