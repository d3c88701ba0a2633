/* Packing ±1 into words: the bit of an element, and the types that are packed. */
#ifndef PRIM_BINARY_GEMM_PACK_CUH
#define PRIM_BINARY_GEMM_PACK_CUH

#include "binary_gemm/binary_gemm_args.h"
#include "binary_gemm/instances.h"
#include "common/kernel/dispatch.cuh"
#include "common/math/half.cuh"

namespace
{

/* NaN is not ≥ 0. */
template <typename T>
__host__ __device__ bool is_plus_one(T value)
{
    return value >= 0;
}

__host__ __device__ inline bool is_plus_one(f16 value)
{
    return to_float(value) >= 0;
}

/* Run::run<T>(args, more…) for the type that is packed. */
PRIM_DISPATCH_TYPE(dispatch_packed, PRIM_BINARY_PACK_TYPES, in_type)

/* The word of `count` elements, `stride` apart; its unused bits are 0. */
template <typename T>
__host__ __device__ uint32_t pack_word(const T *in, size_t stride, size_t count)
{
    uint32_t word = 0;
    for (unsigned bit = 0; bit < PRIM_BINARY_WORD_BITS && bit < count; bit++)
        word |= static_cast<uint32_t>(is_plus_one(in[bit * stride])) << bit;
    return word;
}

} // namespace

#endif
