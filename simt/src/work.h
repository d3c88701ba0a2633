/* One piece of work, and graphs as lists of it. */
#ifndef SIMT_WORK_H
#define SIMT_WORK_H

#include <stdatomic.h>
#include <time.h>

#include "internal.h"

/* Rows that lie `…_pitch` bytes apart. */
typedef struct simt_copy {
    char *to;
    const char *from;
    size_t bytes, rows, to_pitch, from_pitch;
    char *staged; /* a copy of what it copies from, which the work owns; or NULL */
} simt_copy;

typedef struct simt_set {
    void *to;
    int byte;
    size_t bytes;
} simt_set;

typedef struct simt_allocation {
    void *pointer;
    size_t bytes;
    bool for_good; /* a free gives the memory back; a graph keeps it for its next launch */
} simt_allocation;

/* A place in a stream, which an event stands for once it is recorded. */
typedef struct simt_mark {
    atomic_int owners; /* the event, the work that passes it, and the work that waits for it */
    atomic_bool passed;
    struct timespec time;     /* when it was passed */
    struct simt_queue *queue; /* where it has yet to be passed */
} simt_mark;

/* What a stream does together with others, and holds it up until they have come. */
typedef struct simt_meeting {
    void (*arrive)(void *with);
    bool (*is_over)(void *with);
    void (*give_up)(void *with); /* nobody comes: says so, and leaves a sticky error */
    void (*discard)(void *with); /* over or not */
    void *with;
} simt_meeting;

/* One piece of work in a stream, and one node of a captured graph. */
typedef struct simt_work {
    enum cudaGraphNodeType type;
    union {
        simt_call call;
        simt_copy copy;
        simt_set set;
        simt_allocation allocation;
        simt_mark *mark;          /* of a record, and of a wait for it */
        struct CUgraph_st *graph; /* of a launch */
        simt_meeting meeting;     /* …TypeHost */
    } as;
} simt_work;

/* Runs or frees one piece of work. A wait does nothing: who runs work knows what has to be over. */
cudaError_t simt_perform(const simt_work *work);
void simt_discard(simt_work *work);
/* Is it done all the same after a sticky error? So is what gives back. */
bool simt_outlives_failure(const simt_work *work);
/* Reads what it copies from, so that the source may change before the copy runs. */
cudaError_t simt_stage(simt_work *copy);

/* NULL: no memory. It has one owner. */
simt_mark *simt_mark_new(void);
simt_mark *simt_mark_share(simt_mark *mark);
void simt_mark_drop(simt_mark *mark); /* may be NULL */

struct CUgraphNode_st {
    struct CUgraphNode_st *next;
    simt_work work;
};

struct CUgraph_st {
    struct CUgraphNode_st *first, *last;
    atomic_int owners; /* the graph's own handle and every executable made of it */
};

struct CUgraph_st *simt_graph_new(void); /* the same */
struct CUgraph_st *simt_graph_share(struct CUgraph_st *graph);
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
/* Where its work waits; for NULL in the current device's default stream. */
struct simt_queue *simt_stream_queue(cudaStream_t stream);
/* Runs the work now or later, or appends it to the graph that the stream captures. Takes the work
 * over. */
cudaError_t simt_submit(cudaStream_t stream, simt_work *work);
/* Waits until the stream's work has run, and says what is left broken. */
cudaError_t simt_stream_finish(cudaStream_t stream);
/* Is the stream capturing? Fails for a handle that is none, or a capture that broke. */
cudaError_t simt_stream_state(cudaStream_t stream, bool *capturing);
/* The node of the stream's capture that allocated the pointer; NULL: none did. */
const simt_work *simt_captured_allocation(cudaStream_t stream, const void *pointer);
/* An error where a running capture forbids what the caller is about to do (allocate, wait). */
cudaError_t simt_forbidden_while_capturing(void);

#endif
