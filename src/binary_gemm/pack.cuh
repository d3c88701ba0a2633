/* Packing ±1 into words and unpacking them: the bit of an element, the element of a bit, and the
 * types that are packed. */
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

/* +1 where the lowest bit is 1, and -1 where it is 0. */
template <typename T>
__host__ __device__ T sign_of(uint32_t bits)
{
    if constexpr (std::is_same<T, f16>::value)
        return {static_cast<uint16_t>((bits & 1) != 0 ? 0x3c00 : 0xbc00)};
    else
        return static_cast<T>((bits & 1) != 0 ? 1 : -1);
}

/* Run::run<T>(args, more…) for the type of the elements. */
PRIM_DISPATCH_TYPE(dispatch_packed, PRIM_BINARY_PACK_TYPES, type)

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
