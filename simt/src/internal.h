/* What the backend's own files share. */
#ifndef SIMT_INTERNAL_H
#define SIMT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_runtime_api.h"

enum {
    SIMT_WARP_SIZE = 32,
    SIMT_MAX_BLOCK_THREADS = 1024,
    SIMT_MAX_CLUSTER_BLOCKS = 8,
    SIMT_MAX_DEVICES = 8,
    SIMT_MAX_SHARED_BYTES = 48 * 1024, /* of a kernel that is not allowed more */
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
    dim3 grid, block, cluster;
    size_t dynamic_shared_bytes, shared_limit;
} simt_call;

/* ---- scheduler.c ---- */

/* Runs every thread of the call; cudaErrorLaunchFailure when threads wait for each other for ever.
 */
cudaError_t simt_run(const simt_call *call);

/* ---- settings.c ---- */

/* When asynchronous work is done. */
typedef enum simt_async_time { SIMT_AT_ISSUE, SIMT_LATE, SIMT_DRAWN } simt_async_time;

typedef enum simt_order { SIMT_FORWARD, SIMT_REVERSE, SIMT_SHUFFLE } simt_order;

/* What differs between the devices that this backend plays. */
typedef struct simt_device {
    int major, minor;
    int multiprocessors;
    int l2_bytes;
    size_t shared_bytes; /* of a block whose kernel is allowed to have so much */
    bool has_clusters;   /* and takes launches before the one ahead has ended */
} simt_device;

typedef struct simt_settings {
    const simt_device *device;
    int devices; /* that many of them, alike but for their multiprocessors where these are set */
    unsigned multiprocessors; /* of the first device, of the second one twice as many, and so on; 0:
                               * those of all are `device`'s */
    simt_order order;
    uint64_t seed;
    bool streams_deferred; /* work runs when something waits for it, in an order by this seed */
    uint64_t streams_seed;
    simt_async_time async;
    uint64_t async_seed;
    bool strict_barriers; /* threads that meet must meet on one line */
    unsigned workers;     /* operating-system threads that run blocks */
    unsigned resident;    /* blocks that interleave on each of them; 0: by the block's size */
    unsigned patience;    /* seconds that a rank waits for others */
    bool has_pools;       /* of memory */
    unsigned fail;        /* the call of the runtime that is to fail, counted from 1; 0: none */
} simt_settings;

const simt_settings *simt_get_settings(void);

/* A visiting order of 0 … count-1: element i is position (start + i * step) mod count. */
typedef struct simt_sequence {
    uint64_t start, step, count;
} simt_sequence;

simt_sequence simt_make_sequence(uint64_t count, uint64_t round);

/* What a thread's coin starts with: the seed, the launch, the block and the thread say. 0: not a
 * shuffled order, nobody tosses. */
uint64_t simt_first_toss(uint64_t launch, uint64_t block, uint64_t thread);
/* One time in eight. */
bool simt_toss(uint64_t *coin);
/* The next of random numbers. */
uint64_t simt_draw(uint64_t *state);

__extension__ typedef unsigned __int128 simt_wide;

static inline uint64_t simt_sequence_at(const simt_sequence *s, uint64_t i)
{
    return (uint64_t)(((simt_wide)i * s->step + s->start) % s->count);
}

/* ---- barriers.c ---- */

/* Reads SIMT_SITES and SIMT_WITHOUT. */
void simt_read_sites(void);

/* ---- errors.c ---- */

/* Keeps the thread's last error. */
cudaError_t simt_result(cudaError_t error);
/* What an earlier launch left broken, or cudaSuccess. */
cudaError_t simt_sticky(void);
void simt_set_sticky(cudaError_t error);

/* ---- calls.c ---- */

/* Counts a call of the runtime. true: a test wants this one to fail. */
bool simt_is_to_fail(const char *name);

/* Every call that can fail returns through this, once: the error that it is to fail with, or what
 * the second expression comes to, which is evaluated only then. */
#define SIMT_CALL(planted, result) \
    simt_result(simt_is_to_fail(__func__) ? (planted) : (cudaError_t)(result))

/* ---- device.c ---- */

/* This host thread's, which cudaSetDevice() chose. */
int simt_current_device(void);

/* ---- pools.c ---- */

/* The pool's device; cudaErrorInvalidValue: it is none any more. */
cudaError_t simt_pool_state(cudaMemPool_t pool, int *device);

static inline bool simt_has_pools(void)
{
    return simt_get_settings()->has_pools;
}

/* ---- functions.c ---- */

/* How much dynamic shared memory a block of the kernel may have on the current device. */
size_t simt_allowed_shared(const void *kernel);
/* As if nothing had been allowed on the device. */
void simt_forget_allowances(int device);

/* ---- explore/: memory at the same addresses in each execution, which is never given back ---- */

#ifdef SIMT_EXPLORE
void *simt_explore_allocate(size_t bytes); /* NULL: there is no more */
void *simt_explore_allocate_shared(size_t bytes, size_t alignment);
#endif

/* ---- regions.c ---- */

typedef enum simt_space {
    SIMT_DEVICE_MEMORY,
    SIMT_MANAGED_MEMORY,
    SIMT_POOL_MEMORY,
    SIMT_PINNED_MEMORY,
    SIMT_PAGEABLE_MEMORY
} simt_space;

void simt_poison(void *memory, size_t bytes);
/* NULL: no memory. A graph's allocations live as long as the graph. */
void *simt_allocate(size_t bytes, simt_space space, int device);
cudaError_t simt_release_device(void *pointer);
cudaError_t simt_release_pinned(void *pointer);
/* No longer a program's: it is released later, by free(). */
cudaError_t simt_forget_device(const void *pointer, size_t *bytes);
/* Where the address lies; of pageable memory, which is not the backend's, nothing more is known. */
typedef struct simt_place {
    simt_space space;
    int device;        /* whose memory it is; of pinned memory, the one that was current */
    size_t bytes_left; /* to the end of its allocation */
} simt_place;

simt_place simt_find(const void *pointer);

#endif
