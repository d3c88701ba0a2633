/* What ballots are asked. */
#ifndef PRIM_SPARSE_BITS_CUH
#define PRIM_SPARSE_BITS_CUH

#include <cuda_runtime.h>

namespace
{

/* How many bits are set. */
__device__ inline unsigned count_bits(unsigned word)
{
#ifdef SIMT_BACKEND
    return static_cast<unsigned>(__builtin_popcount(word));
#else
    return static_cast<unsigned>(__popc(word));
#endif
}

} // namespace

#endif
