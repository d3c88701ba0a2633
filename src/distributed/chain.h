/* The aggregates of tiles, one after the other: chain.cu. */
#ifndef PRIM_DISTRIBUTED_CHAIN_H
#define PRIM_DISTRIBUTED_CHAIN_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Of `count` aggregates, those from `first` on become what lies before each, and one behind them
 * what lies before the next: so there is room for one more. The identity lies before the first.
 *
 *   op     SUM or PRODUCT
 *   type   of the aggregates: CUDA_R_32F or CUDA_R_64F */
cudaError_t prim_distributed_chain(prim_op op, cudaDataType_t type, void *aggregates, size_t first,
                                   size_t count, cudaStream_t stream);

#if defined(__cplusplus)
}
#endif

#endif
