/* HYB to and from CSR: its part in COO, and both parts together. begins[rows + 1]: where each row's
 * entries begin in the part in COO. */
#ifndef PRIM_SPARSE_CONVERT_HYB_H
#define PRIM_SPARSE_CONVERT_HYB_H

#include <primitives/sparse.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The entries of CSR's rows beyond ELL's columns. Places after the last one get the row -1. */
cudaError_t prim_sparse_fill_coo_part(cudaStream_t stream, const prim_sparse *csr,
                                      const prim_sparse *hyb, const uint64_t *begins);

/* lengths[rows]: the entries of each row in both parts. */
cudaError_t prim_sparse_measure_hyb(cudaStream_t stream, const prim_sparse *hyb,
                                    const uint64_t *begins, uint64_t *lengths);

/* The entries of both parts, to a CSR matrix whose offsets are there. */
cudaError_t prim_sparse_take_hyb(cudaStream_t stream, const prim_sparse *hyb,
                                 const uint64_t *begins, const uint64_t *lengths,
                                 const prim_sparse *csr);

#if defined(__cplusplus)
}
#endif

#endif
