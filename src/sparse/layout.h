/* Where the arrays of a converted matrix lie in one piece of memory: the same on host and device.
 */
#ifndef PRIM_SPARSE_LAYOUT_H
#define PRIM_SPARSE_LAYOUT_H

#include <primitives/sparse.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum { PRIM_SPARSE_ALIGNMENT = 16 };

/* Sets the pointers of m, whose other fields are set, to places one behind the other from `memory`
 * on; NULL: to NULL. *bytes = what they take. false: more than size_t holds. sorted: SELL has a
 * permutation. */
bool prim_sparse_lay_out(prim_sparse *m, void *memory, bool sorted, size_t *bytes);

#if defined(__cplusplus)
}
#endif

#endif
