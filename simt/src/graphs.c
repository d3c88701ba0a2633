/* What a program does with a graph that it has captured. */
#include <stdlib.h>

#include "work.h"

struct CUgraphExec_st {
    struct CUgraph_st *graph;
};

static cudaError_t get_nodes(const struct CUgraph_st *graph, cudaGraphNode_t *nodes, size_t *count)
{
    size_t found = 0;
    for (struct CUgraphNode_st *node = graph->first; node != NULL; node = node->next, found++)
        if (nodes != NULL && found < *count)
            nodes[found] = node;
    *count = nodes != NULL && *count < found ? *count : found;
    return cudaSuccess;
}

static cudaError_t instantiate(cudaGraphExec_t *exec, struct CUgraph_st *graph)
{
    *exec = malloc(sizeof **exec);
    if (*exec == NULL)
        return cudaErrorMemoryAllocation;
    (*exec)->graph = simt_graph_share(graph);
    return cudaSuccess;
}

static cudaError_t launch(const struct CUgraphExec_st *exec, cudaStream_t stream)
{
    bool capturing;
    cudaError_t error = simt_sticky();
    if (error == cudaSuccess)
        error = simt_stream_state(stream, &capturing);
    if (error == cudaSuccess && capturing)
        error = cudaErrorNotSupported; /* child graphs are not modelled */
    if (error != cudaSuccess)
        return error;
    simt_work work = {.type = cudaGraphNodeTypeGraph, .as.graph = simt_graph_share(exec->graph)};
    return simt_submit(stream, &work);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    return SIMT_CALL(cudaErrorInvalidValue, get_nodes(graph, nodes, count));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    return SIMT_CALL(cudaErrorInvalidValue, (*type = node->work.type, cudaSuccess));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    return SIMT_CALL(cudaErrorMemoryAllocation, instantiate(exec, graph));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    return SIMT_CALL(cudaErrorLaunchOutOfResources, launch(exec, stream));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    simt_graph_drop(exec->graph);
    free(exec);
    return SIMT_CALL(cudaErrorInvalidValue, cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    simt_graph_drop(graph);
    return SIMT_CALL(cudaErrorInvalidValue, cudaSuccess);
}
