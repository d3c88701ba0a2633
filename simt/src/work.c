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

/* ---- a graph ---- */

struct CUgraph_st *simt_graph_new(void)
{
    struct CUgraph_st *graph = calloc(1, sizeof *graph);
    if (graph != NULL)
        atomic_init(&graph->owners, 1);
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
