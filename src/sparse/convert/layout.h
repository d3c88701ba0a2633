/* Where the arrays of a converted matrix lie in one piece of memory: the same on host and device.
 */
#ifndef PRIM_SPARSE_LAYOUT_H
#define PRIM_SPARSE_LAYOUT_H

#include <primitives/sparse.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum { PRIM_SPARSE_ALIGNMENT = 16 };

/* Sets the array pointers of m, whose other fields are set, one after the other from `memory` on;
 * where that is NULL, to NULL. *bytes = the bytes of all. false: they do not fit size_t. sorted:
 * SELL has a permutation. */
bool prim_sparse_lay_out(prim_sparse *m, void *memory, bool sorted, size_t *bytes);

#if defined(__cplusplus)
}
#endif

#endif
