/* JDS to and from CSR. */
#ifndef PRIM_SPARSE_CONVERT_JDS_H
#define PRIM_SPARSE_CONVERT_JDS_H

#include "sparse/sparse_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Where args->wants_size, writes *d_size alone; `to` is not looked at then. The workspace serves
 * both. */
size_t prim_sparse_to_jds_bytes(const prim_sparse *csr);
cudaError_t prim_sparse_csr_to_jds(cudaStream_t stream, const prim_sparse_convert_args *args,
                                   const prim_sparse *to);

size_t prim_sparse_from_jds_bytes(const prim_sparse *jds);
cudaError_t prim_sparse_jds_to_csr(cudaStream_t stream, const prim_sparse_convert_args *args,
                                   const prim_sparse *to);

#if defined(__cplusplus)
}
#endif

#endif
