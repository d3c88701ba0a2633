/* The rungs of merge, of merge sort and of co-ranks, upwards, and which of them AUTO takes. */
#include "common/element.h"
#include "merge/merge_args.h"

#define MERGE_RUNGS(X)   \
    X(merge, co_rank)    \
    X(merge, tiled)      \
    X(merge, circular)   \
    X(merge, merge_path) \
    X(merge, streamed)
#define SORT_RUNGS(X)       \
    X(merge_sort, co_rank)  \
    X(merge_sort, tiled)    \
    X(merge_sort, streamed) \
    X(merge_sort, wide)     \
    X(merge_sort, radix)    \
    X(merge_sort, bitonic)
#define CO_RANK_RUNGS(X) X(co_rank, search)
#define GATHER_RUNGS(X) X(gather, words)
#define IS_SORTED_RUNGS(X) X(is_sorted, neighbours)

MERGE_RUNGS(PRIM_DECLARE_RUNG)
SORT_RUNGS(PRIM_DECLARE_RUNG)
CO_RANK_RUNGS(PRIM_DECLARE_RUNG)
GATHER_RUNGS(PRIM_DECLARE_RUNG)
IS_SORTED_RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_merge_rungs[] = {MERGE_RUNGS(PRIM_RUNG_ROW) NULL};
const prim_rung *const prim_merge_sort_rungs[] = {SORT_RUNGS(PRIM_RUNG_ROW) NULL};
const prim_rung *const prim_co_rank_rungs[] = {CO_RANK_RUNGS(PRIM_RUNG_ROW) NULL};
const prim_rung *const prim_gather_rungs[] = {GATHER_RUNGS(PRIM_RUNG_ROW) NULL};
const prim_rung *const prim_is_sorted_rungs[] = {IS_SORTED_RUNGS(PRIM_RUNG_ROW) NULL};

/* Below so many keys a search in global memory by each thread is faster; measured on an H200. */
enum { KEYS_FOR_STREAMS = 1 << 18 };

int prim_merge_choose_rung(const void *any)
{
    const prim_merge_args *args = any;
    return !args->has_values && args->a_count + args->b_count < KEYS_FOR_STREAMS
               ? PRIM_MERGE_CO_RANK
               : PRIM_MERGE_STREAMED;
}

/* Below so many keys merges are faster than a pass for each byte of a key, and one launch sorts
 * 8704 of them; and fewer still a network sorts faster. Measured on an H200. */
enum { KEYS_FOR_NETWORK = 4096, KEYS_FOR_RADIX = 12000, WIDE_KEYS_FOR_RADIX = 1 << 19 };

int prim_merge_sort_choose_rung(const void *any)
{
    const prim_merge_sort_args *args = any;
    const size_t least =
        prim_element_bytes(args->key_type) == 8 ? WIDE_KEYS_FOR_RADIX : KEYS_FOR_RADIX;
    return args->count <= KEYS_FOR_NETWORK ? PRIM_MERGE_SORT_BITONIC
           : args->count < least           ? PRIM_MERGE_SORT_STREAMED
                                           : PRIM_MERGE_SORT_RADIX;
}

int prim_co_rank_choose_rung(const void *args)
{
    (void)args;
    return prim_co_rank_search_rung.variant.value;
}
