/* The aggregates of tiles, one after the other: chain.cu. */
#ifndef PRIM_DISTRIBUTED_CHAIN_H
#define PRIM_DISTRIBUTED_CHAIN_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Replaces the aggregates from `first` to `count` by their exclusive prefixes, and writes one more
 * prefix after them, for which there must be room. The first prefix is the identity.
 *
 *   op     SUM or PRODUCT
 *   type   of the aggregates: CUDA_R_32F or CUDA_R_64F */
cudaError_t prim_distributed_chain(prim_op op, cudaDataType_t type, void *aggregates, size_t first,
                                   size_t count, cudaStream_t stream);

#if defined(__cplusplus)
}
#endif

#endif
