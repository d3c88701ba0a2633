/* The three launches of a reduction of segments, each in a file of its own, and their workspace. */
#ifndef PRIM_REDUCE_SEGMENTS_H
#define PRIM_REDUCE_SEGMENTS_H

#include "reduce/reduce_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Types and operator have been checked before. */
const char *prim_reduce_segments_why_not(const prim_reduce_args *args);
size_t prim_reduce_segments_workspace(const prim_reduce_args *args);

/* All three launches, of some segments. */
cudaError_t prim_reduce_launch_segments(const prim_reduce_args *args);

/* segment_windows.cu: where each block begins. */
cudaError_t prim_reduce_find_windows(const prim_reduce_args *args);
/* segment_values.cu: the values of tiles become results. */
cudaError_t prim_reduce_segment_values(const prim_reduce_args *args);

#if defined(__cplusplus)
}
#endif

#endif
