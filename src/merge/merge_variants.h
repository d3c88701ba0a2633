/* Inside merge: the arguments that travel together, and the tables of its rungs. */
#ifndef PRIM_MERGE_VARIANTS_H
#define PRIM_MERGE_VARIANTS_H

#include <primitives/merge.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_merge_args {
    prim_call call;
    prim_order order;
    cudaDataType_t key_type;
    const void *a, *b;
    size_t a_count, b_count;
    void *out;
} prim_merge_args;

typedef struct prim_merge_sort_args {
    prim_call call;
    prim_order order;
    cudaDataType_t key_type;
    const void *in;
    size_t count;
    void *out;
} prim_merge_sort_args;

typedef struct prim_co_rank_args {
    prim_call call;
    prim_order order;
    cudaDataType_t key_type;
    const void *a, *b;
    size_t a_count, b_count;
    const uint64_t *diagonals;
    size_t count;
    uint64_t *ranks;
} prim_co_rank_args;

/* Up the ladders. prim_co_rank() has no variants: its ladder is one rung, which AUTO finds. */
extern const prim_rung prim_merge_rungs[], prim_merge_sort_rungs[], prim_co_rank_rungs[];

/* A thread merges so many keys one after the other, in every rung. The number is odd: where
 * neighbouring threads write to shared memory so many keys apart, no two lanes meet in a bank. */
enum {
    PRIM_MERGE_THREADS = 256, /* a power of two: pairs of runs are found with masks */
    PRIM_MERGE_THREAD_KEYS = 7,
    PRIM_MERGE_TILE_KEYS = PRIM_MERGE_THREADS * PRIM_MERGE_THREAD_KEYS,
    PRIM_CO_RANK_THREADS = 256
};

cudaError_t prim_merge_co_rank(const void *args);
cudaError_t prim_merge_tiled(const void *args);
cudaError_t prim_merge_sort_co_rank(const void *args);
cudaError_t prim_merge_sort_tiled(const void *args);
cudaError_t prim_co_rank_search(const void *args);

/* Sorts each tile of args->in into out; both may be the same. */
cudaError_t prim_merge_block_sort(const prim_merge_sort_args *args, void *out);

/* The CPU's versions, args pointing to host memory. */
prim_status prim_merge_on_host(const prim_merge_args *args, int threads);
prim_status prim_merge_sort_on_host(const prim_merge_sort_args *args, int threads);
prim_status prim_co_rank_on_host(const prim_co_rank_args *args);

#if defined(__cplusplus)
}
#endif

#endif
