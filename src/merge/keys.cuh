/* The order of keys, written once for kernels and host code. Keys are moved as they are and only
 * compared: an unsigned integer stands for each, and those compare as the header promises.
 *
 *     i32    sign bit flipped: what was below zero comes first
 *     f32    negative: all bits flipped; else: sign bit set; any NaN: all ones
 *
 *            -inf      -1        -0        +0        +1        +inf      NaN
 *            007fffff  407fffff  7fffffff  80000000  bf800000  ff800000  ffffffff
 *
 * Descending is the same with every bit flipped. */
#ifndef PRIM_MERGE_KEYS_CUH
#define PRIM_MERGE_KEYS_CUH

#include "common/ordered.cuh"

namespace
{

__host__ __device__ inline uint32_t ordered(uint32_t key)
{
    return key;
}

__host__ __device__ inline uint32_t ordered(int32_t key)
{
    return static_cast<uint32_t>(key) ^ 0x80000000u;
}

template <typename Bits, typename Float>
__host__ __device__ Bits ordered_float(Float key)
{
    using signed_bits = typename std::make_signed<Bits>::type;
    constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
    if (is_nan(key))
        return ~Bits(0);
    return static_cast<Bits>(ordered_bits(same_bits<signed_bits>(key))) ^ sign;
}

__host__ __device__ inline uint32_t ordered(float key)
{
    return ordered_float<uint32_t>(key);
}

__host__ __device__ inline uint64_t ordered(double key)
{
    return ordered_float<uint64_t>(key);
}

template <typename Key>
struct key_order {
    using bits = decltype(ordered(Key()));
    bits mask; /* 0: ascending; all ones: descending */

    __host__ __device__ bool before(Key x, Key y) const
    {
        return (ordered(x) ^ mask) < (ordered(y) ^ mask);
    }
};

template <typename Key>
key_order<Key> order_of(prim_order order)
{
    using bits = typename key_order<Key>::bits;
    return {order == PRIM_DESCENDING ? ~bits(0) : bits(0)};
}

} // namespace

#endif
