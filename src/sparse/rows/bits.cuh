/* Bits of a word. */
#ifndef PRIM_SPARSE_BITS_CUH
#define PRIM_SPARSE_BITS_CUH

#include <cuda_runtime.h>

namespace
{

/* The highest bit that is set in a word other than 0. */
__device__ inline unsigned highest_bit(unsigned word)
{
#ifdef __CUDA_ARCH__
    return 31 - static_cast<unsigned>(__clz(static_cast<int>(word)));
#else
    return 31 - static_cast<unsigned>(__builtin_clz(word));
#endif
}

} // namespace

#endif
