/* Products of rows that lie in strips: those of ELL, also HYB's, and of JDS. */
#ifndef PRIM_SPARSE_STRIPS_H
#define PRIM_SPARSE_STRIPS_H

#include "sparse/sparse_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* As rungs have it: for the sums of rows that are cut into parts; a multiple of 16. */
size_t prim_strips_workspace_bytes(const void *args);

/* How: a launch for each of a few groups of whole rows, or all of them at once, long rows cut into
 * parts. NULL where there are no rows. */
const char *prim_strips_route(const prim_spmv_args *args);

/* Likewise: y = alpha · A · x + beta · y, with that workspace; of HYB, only the entries in ELL. */
cudaError_t prim_strips_multiply(const void *args);

#if defined(__cplusplus)
}
#endif

#endif
