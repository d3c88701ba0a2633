/* Inside merge: the arguments that travel together. */
#ifndef PRIM_MERGE_ARGS_H
#define PRIM_MERGE_ARGS_H

#include <primitives/merge.h>

#include "common/host/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_merge_args {
    prim_request call;
    prim_order order;
    cudaDataType_t key_type;
    const void *a, *b;
    size_t a_count, b_count;
    void *out;
    bool has_values; /* prim_merge_pairs() */
    size_t value_bytes;
    const void *a_values, *b_values;
    void *out_values;
} prim_merge_args;

typedef struct prim_merge_sort_args {
    prim_request call;
    prim_order order;
    cudaDataType_t key_type;
    const void *in;
    size_t count;
    void *out;        /* NULL for a permutation, which keeps its keys in the workspace */
    bool has_values;  /* prim_merge_sort_pairs() and _permutation() */
    bool permutation; /* the values are the places 0, 1, 2 … */
    cudaDataType_t index_type;
    size_t value_bytes;
    const void *values;
    void *out_values;
} prim_merge_sort_args;

typedef struct prim_co_rank_args {
    prim_request call;
    prim_order order;
    cudaDataType_t key_type;
    const void *a, *b;
    size_t a_count, b_count;
    const uint64_t *diagonals;
    size_t count;
    uint64_t *ranks;
} prim_co_rank_args;

typedef struct prim_co_ranks_args {
    prim_request call;
    prim_order order;
    cudaDataType_t key_type;
    size_t run_count;
    const void *runs[PRIM_CO_RANKS_MOST_RUNS]; /* NULL and 0 after the last one */
    size_t counts[PRIM_CO_RANKS_MOST_RUNS];
    const uint64_t *diagonals;
    size_t count;
    uint64_t *ranks;
} prim_co_ranks_args;

typedef struct prim_gather_args {
    prim_request call;
    size_t value_bytes;
    const void *values;
    size_t value_count;
    cudaDataType_t index_type;
    const void *indices;
    size_t count;
    void *out;
} prim_gather_args;

typedef struct prim_is_sorted_args {
    prim_request call;
    prim_order order;
    cudaDataType_t key_type;
    const void *in;
    size_t count;
    uint32_t *answer;
} prim_is_sorted_args;

/* rungs.c: the tables of rungs, and the ones that AUTO takes. prim_co_rank(), prim_gather() and
 * prim_is_sorted() have no variants: their tables have one rung. */
extern const prim_rung *const prim_merge_rungs[], *const prim_merge_sort_rungs[],
                                                      *const prim_co_rank_rungs[];
extern const prim_rung *const prim_gather_rungs[], *const prim_is_sorted_rungs[];
int prim_merge_choose_rung(const void *args);
int prim_merge_sort_choose_rung(const void *args);

prim_status prim_merge_check_order_and_type(const prim_request *call, prim_order order,
                                            cudaDataType_t key_type);

/* The CPU's versions, args pointing to host memory. */
prim_status prim_merge_on_host(const prim_merge_args *args, int threads);
prim_status prim_merge_sort_on_host(const prim_merge_sort_args *args, int threads);
prim_status prim_co_rank_on_host(const prim_co_rank_args *args);
prim_status prim_co_ranks_on_host(const prim_co_ranks_args *args);
prim_status prim_is_sorted_on_host(const prim_is_sorted_args *args);

#if defined(__cplusplus)
}
#endif

#endif
