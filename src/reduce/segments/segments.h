/* The launches of a reduction of segments, each in a file of its own, and their workspace: one for
 * small calls, otherwise three. */
#ifndef PRIM_REDUCE_SEGMENTS_H
#define PRIM_REDUCE_SEGMENTS_H

#include "reduce/vectorized.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Types and operator have been checked before. */
const char *prim_reduce_segments_why_not(const prim_reduce_args *args);
size_t prim_reduce_segments_workspace(const prim_reduce_args *args);

/* The part of route_of() that is about segments. There are some, here and in the launch. */
prim_reduce_route prim_reduce_segments_route(const prim_reduce_args *args);
cudaError_t prim_reduce_launch_segments(const prim_reduce_args *args, prim_reduce_route route);

/* segment_lanes.cu: all of a small call. */
cudaError_t prim_reduce_segments_by_lanes(const prim_reduce_args *args);

/* segment_windows.cu: where each block begins. */
cudaError_t prim_reduce_find_windows(const prim_reduce_args *args);
/* segment_values.cu: the values of tiles become results. */
cudaError_t prim_reduce_segment_values(const prim_reduce_args *args);

#if defined(__cplusplus)
}
#endif

#endif
