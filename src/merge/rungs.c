/* The rungs of merge, of merge sort, and of prim_co_rank(), prim_gather() and prim_is_sorted(),
 * upwards, and which of them AUTO takes. */
#include "common/host/element.h"
#include "merge/merge_args.h"
#include "merge/tuning.h"

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

int prim_merge_choose_rung(const void *any)
{
    const prim_merge_args *args = any;
    return !args->has_values && args->a_count + args->b_count < PRIM_MERGE_FEWEST_FOR_STREAMED
               ? PRIM_MERGE_CO_RANK
               : PRIM_MERGE_STREAMED;
}

int prim_merge_sort_choose_rung(const void *any)
{
    static const size_t most_for_bitonic[2][2] = PRIM_MERGE_MOST_FOR_BITONIC;
    static const size_t fewest_for_radix[2][2] = PRIM_MERGE_FEWEST_FOR_RADIX;
    const prim_merge_sort_args *args = any;
    const bool is_wide = prim_element_bytes(args->key_type) == 8;
    return args->count <= most_for_bitonic[is_wide][args->has_values]  ? PRIM_MERGE_SORT_BITONIC
           : args->count < fewest_for_radix[is_wide][args->has_values] ? PRIM_MERGE_SORT_STREAMED
                                                                       : PRIM_MERGE_SORT_RADIX;
}
