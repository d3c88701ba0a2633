/* The row of each entry of a CSR matrix, as COO has it. */
#ifndef PRIM_SPARSE_ENTRY_ROWS_H
#define PRIM_SPARSE_ENTRY_ROWS_H

#include <primitives/sparse.h>

#if defined(__cplusplus)
extern "C" {
#endif

cudaError_t prim_sparse_find_rows(cudaStream_t stream, const prim_sparse *csr,
                                  int32_t *row_indices);

#if defined(__cplusplus)
}
#endif

#endif
