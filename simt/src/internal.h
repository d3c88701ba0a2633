/* What the backend's own files share. */
#ifndef SIMT_INTERNAL_H
#define SIMT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_runtime_api.h"

enum {
    SIMT_WARP_SIZE = 32,
    SIMT_MAX_BLOCK_THREADS = 1024,
    SIMT_MAX_SHARED_BYTES = 48 * 1024,
    SIMT_ALLOCATION_ALIGNMENT = 256
};

/* Fresh memory holds this word: a NaN as float, as double and in both halves as half or bfloat16,
 * and -532819 as int. */
#define SIMT_POISON_WORD 0xFFF7DEADu

/* ---- kernels.c: a kernel with a private copy of its arguments ---- */

typedef struct simt_call {
    void (*function)(void);
    void (*invoke)(void (*function)(void), void *const *arguments);
    void **arguments; /* points into storage */
    unsigned char *storage;
    dim3 grid, block;
    size_t dynamic_shared_bytes;
} simt_call;

/* ---- scheduler.c ---- */

/* Runs every thread of the call; cudaErrorLaunchFailure when threads wait for each other for ever.
 */
cudaError_t simt_run(const simt_call *call);

/* ---- settings.c ---- */

typedef enum simt_order { SIMT_FORWARD, SIMT_REVERSE, SIMT_SHUFFLE } simt_order;

typedef struct simt_settings {
    simt_order order;
    uint64_t seed;
    unsigned workers;  /* operating-system threads that run blocks */
    unsigned resident; /* blocks that interleave on each of them; 0: by the block's size */
} simt_settings;

const simt_settings *simt_get_settings(void);

/* A visiting order of 0 … count-1: element i is position (start + i * step) mod count. */
typedef struct simt_sequence {
    uint64_t start, step, count;
} simt_sequence;

simt_sequence simt_make_sequence(uint64_t count, uint64_t round);

__extension__ typedef unsigned __int128 simt_wide;

static inline uint64_t simt_sequence_at(const simt_sequence *s, uint64_t i)
{
    return (uint64_t)(((simt_wide)i * s->step + s->start) % s->count);
}

/* ---- errors.c ---- */

/* Every entry point returns through this: it keeps the thread's last error. */
cudaError_t simt_result(cudaError_t error);
/* What an earlier launch left broken, or cudaSuccess. */
cudaError_t simt_sticky(void);
void simt_set_sticky(cudaError_t error);

/* ---- regions.c ---- */

typedef enum simt_space { SIMT_DEVICE_MEMORY, SIMT_PINNED_MEMORY } simt_space;

void simt_poison(void *memory, size_t bytes);
/* NULL: no memory. A graph's allocations live as long as the graph. */
void *simt_allocate(size_t bytes, simt_space space);
cudaError_t simt_release(void *pointer, simt_space space);
/* Validity of a copy or a memset, checked when it is submitted. */
cudaError_t simt_check_copy(const void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind);
cudaError_t simt_check_set(const void *to, size_t bytes);

/* ---- stream.c ---- */

typedef struct simt_copy {
    void *to;
    const void *from;
    size_t bytes;
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

/* Runs the work now, or appends it to the graph that the stream captures. Takes the work over. */
cudaError_t simt_submit(cudaStream_t stream, simt_work *work);
/* Is the stream capturing? Fails for a handle that is none, or a capture that broke. */
cudaError_t simt_stream_state(cudaStream_t stream, bool *capturing);
/* The node of the stream's capture that allocated the pointer; NULL: none did. */
const simt_work *simt_captured_allocation(cudaStream_t stream, const void *pointer);
/* An error where a running capture forbids what the caller is about to do (allocate, wait). */
cudaError_t simt_forbidden_while_capturing(void);
/* Runs or frees one piece of work. */
cudaError_t simt_perform(const simt_work *work);
void simt_discard(simt_work *work);

#endif
