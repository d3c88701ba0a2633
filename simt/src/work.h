/* One piece of work, and graphs as lists of it. */
#ifndef SIMT_WORK_H
#define SIMT_WORK_H

#include <stdatomic.h>

#include "internal.h"

/* Rows that lie `…_pitch` bytes apart. */
typedef struct simt_copy {
    char *to;
    const char *from;
    size_t bytes, rows, to_pitch, from_pitch;
} simt_copy;

typedef struct simt_set {
    void *to;
    int byte;
    size_t bytes;
} simt_set;

typedef struct simt_allocation {
    void *pointer;
    size_t bytes;
} simt_allocation;

/* One piece of work in a stream, and one node of a captured graph. */
typedef struct simt_work {
    enum cudaGraphNodeType type;
    union {
        simt_call call;
        simt_copy copy;
        simt_set set;
        simt_allocation allocation;
    } as;
} simt_work;

/* Runs or frees one piece of work. */
cudaError_t simt_perform(const simt_work *work);
void simt_discard(simt_work *work);

struct CUgraphNode_st {
    struct CUgraphNode_st *next;
    simt_work work;
};

struct CUgraph_st {
    struct CUgraphNode_st *first, *last;
    atomic_int owners; /* the graph's own handle and every executable made of it */
};

/* NULL: no memory. It has one owner. */
struct CUgraph_st *simt_graph_new(void);
/* One owner less; without any, the graph and its allocations are gone. */
void simt_graph_drop(struct CUgraph_st *graph);
/* Takes the work over, unless it fails. */
cudaError_t simt_graph_append(struct CUgraph_st *graph, const simt_work *work);
/* The work that allocated the pointer; NULL: none of this graph did. */
const simt_work *simt_graph_find_allocation(const struct CUgraph_st *graph, const void *pointer);

/* ---- stream.c ---- */

/* The device that the stream belongs to; the current one for NULL. */
int simt_stream_device(cudaStream_t stream);
/* What uses a stream without simt_submit(). */
void simt_count_submission(cudaStream_t stream);
/* Runs the work now, or appends it to the graph that the stream captures. Takes the work over. */
cudaError_t simt_submit(cudaStream_t stream, simt_work *work);
/* Is the stream capturing? Fails for a handle that is none, or a capture that broke. */
cudaError_t simt_stream_state(cudaStream_t stream, bool *capturing);
/* The node of the stream's capture that allocated the pointer; NULL: none did. */
const simt_work *simt_captured_allocation(cudaStream_t stream, const void *pointer);
/* An error where a running capture forbids what the caller is about to do (allocate, wait). */
cudaError_t simt_forbidden_while_capturing(void);

#endif
