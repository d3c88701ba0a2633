/* What WIDE takes from STREAMED: streamed.cu. */
#ifndef PRIM_MERGE_STREAMED_H
#define PRIM_MERGE_STREAMED_H

#include "merge/merge_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Merges all pairs of runs of run_keys. */
cudaError_t prim_merge_streamed_pass(const prim_merge_sort_args *args, const void *in,
                                     size_t run_keys, void *out);

/* Of a sort: none for one tile, and otherwise as much as the keys. */
size_t prim_merge_streamed_workspace_bytes(const void *args);

#if defined(__cplusplus)
}
#endif

#endif
