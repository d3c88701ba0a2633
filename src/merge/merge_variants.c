/* The tables of merge's rungs, and what their columns need. */
#include "merge/merge_variants.h"

#include "common/element.h"
#include "common/sizes.h"
#include "merge/instances.h"

static bool type_is_built(cudaDataType_t key_type)
{
#define BUILT(type_enum, type_c) \
    if (key_type == type_enum)   \
        return true;
    PRIM_MERGE_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool fits_a_grid(size_t count, size_t block_elements)
{
    return prim_fits_a_grid(1, prim_divide_up(count, block_elements));
}

/* In every rung, a block merges or sorts as many keys as a tile has. */
static bool merge_supports(const void *any)
{
    const prim_merge_args *args = any;
    return type_is_built(args->key_type) &&
           fits_a_grid(args->a_count + args->b_count, PRIM_MERGE_TILE_KEYS);
}

static bool sort_supports(const void *any)
{
    const prim_merge_sort_args *args = any;
    return type_is_built(args->key_type) && fits_a_grid(args->count, PRIM_MERGE_TILE_KEYS);
}

static bool co_rank_supports(const void *any)
{
    const prim_co_rank_args *args = any;
    return type_is_built(args->key_type) && fits_a_grid(args->count, PRIM_CO_RANK_THREADS);
}

/* Passes go to and fro between d_out and the workspace; a single tile needs none. */
static size_t sort_workspace(const void *any)
{
    const prim_merge_sort_args *args = any;
    return args->count <= PRIM_MERGE_TILE_KEYS ? 0
                                               : args->count * prim_element_bytes(args->key_type);
}

const prim_rung prim_merge_rungs[] = {
    {PRIM_MERGE_CO_RANK, "co_rank",
     "each thread finds by binary search where its keys begin, and merges from there",
     merge_supports, prim_no_workspace, prim_merge_co_rank},
    {PRIM_MERGE_TILED, "tiled",
     "a block brings its part of both arrays into shared memory, and searches and merges there",
     merge_supports, prim_no_workspace, prim_merge_tiled},
    {0},
};

const prim_rung prim_merge_sort_rungs[] = {
    {PRIM_MERGE_SORT_CO_RANK, "co_rank",
     "sorted tiles, then passes that merge pairs of runs, each thread from global memory",
     sort_supports, sort_workspace, prim_merge_sort_co_rank},
    {PRIM_MERGE_SORT_TILED, "tiled",
     "sorted tiles, then passes that merge pairs of runs, each block through shared memory",
     sort_supports, sort_workspace, prim_merge_sort_tiled},
    {0},
};

const prim_rung prim_co_rank_rungs[] = {
    {1, "search", "one binary search a thread", co_rank_supports, prim_no_workspace,
     prim_co_rank_search},
    {0},
};
