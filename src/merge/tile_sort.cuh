/* The first step of the upper rungs' sorts: tile_sort.cu. */
#ifndef PRIM_MERGE_TILE_SORT_CUH
#define PRIM_MERGE_TILE_SORT_CUH

#include "merge/merge_args.h"

/* How many keys a block sorts. */
extern "C" size_t prim_merge_tile_sort_keys(const prim_merge_sort_args *args);

/* Sorts each such tile of args->in into out; both may be the same. */
extern "C" cudaError_t prim_merge_tile_sort(const prim_merge_sort_args *args, void *out);

#endif
