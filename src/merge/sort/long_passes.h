/* How STREAMED and WIDE sort: sorted tiles, and then passes that merge neighbouring runs. Keys and
 * values alternate between d_out and the workspace, such that the last pass ends in d_out. */
#ifndef PRIM_MERGE_LONG_PASSES_H
#define PRIM_MERGE_LONG_PASSES_H

#include "merge/merge_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_sort_buffer {
    void *keys, *values;
} prim_sort_buffer;

/* tile_sort.cu: how many keys a block sorts, and the fewest that it would sort of another number of
 * keys; and the sort of each such tile of args->in, and its values, into out, which may be the same
 * memory. */
size_t prim_merge_tile_sort_keys(const prim_merge_sort_args *args);
size_t prim_merge_tile_sort_fewest_keys(const prim_merge_sort_args *args);
cudaError_t prim_merge_tile_sort(const prim_merge_sort_args *args, prim_sort_buffer out);

/* A pass, over runs of run_keys. */
typedef cudaError_t prim_sort_pass(const prim_merge_sort_args *args, prim_sort_buffer in,
                                   size_t run_keys, prim_sort_buffer out);

/* streamed.cu: merges all pairs of runs. */
prim_sort_pass prim_merge_streamed_pass;

/* long_passes.c: by passes that merge two runs into one, or, unless `four` is NULL, four where more
 * than two are left. */
cudaError_t prim_merge_sort_by_passes(const prim_merge_sort_args *args, prim_sort_pass *two,
                                      prim_sort_pass *four);
size_t prim_merge_long_passes_workspace_bytes(const void *args);

#if defined(__cplusplus)
}
#endif

#endif
