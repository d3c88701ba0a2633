/* The order of keys, written once for kernels and host code. Keys are moved as they are, and
 * compared as unsigned integers of their width: these have the order that the header promises, and
 * each integer stands for one key only. So four widths serve all types, floats and integers apart.
 *
 *     i32    sign bit flipped: what was below zero comes first
 *     f32    negative: all bits flipped; else: sign bit set; then a constant is subtracted, so that
 *            -inf is 0 and the NaN with a sign, which would come before it, wrap around to the end
 *
 *            -inf      -1        -0        +0        +1        +inf      NaN … -NaN
 *            00000000  40000000  7f800000  7f800001  bf000001  ff000001  ff000002 … ffffffff
 *
 * Descending is the same with every bit flipped. */
#ifndef PRIM_MERGE_KEYS_CUH
#define PRIM_MERGE_KEYS_CUH

#include <cstdint>
#include <type_traits>

#include <primitives/merge.h>

namespace
{

/* A key as it lies in memory. Signed and unsigned ones are of one type, as are f16 and bf16:
 * key_order has the difference. */
template <typename Bits, bool FLOAT>
struct key {
    using bits_type = Bits;
    static constexpr bool is_float = FLOAT;

    Bits bits;
};

template <typename Key>
struct key_order {
    using bits = typename Key::bits_type;
    using signed_bits = typename std::make_signed<bits>::type;
    static constexpr bits SIGN = static_cast<bits>(bits(1) << (8 * sizeof(bits) - 1));

    bits flip; /* all bits where the order is descending; for signed integers also the sign */
    bits less; /* for floats: how many NaN have a sign; negated where the order is descending */

    __host__ __device__ bits ordered(Key k) const
    {
        if constexpr (Key::is_float) {
            const bits negative = static_cast<bits>(static_cast<signed_bits>(k.bits) < 0 ? -1 : 0);
            return static_cast<bits>(
                static_cast<bits>(k.bits ^ static_cast<bits>(negative | SIGN) ^ flip) - less);
        } else {
            return static_cast<bits>(k.bits ^ flip);
        }
    }

    /* The key of an ordered integer. */
    __host__ __device__ Key from_ordered(bits x) const
    {
        if constexpr (Key::is_float) {
            const bits y = static_cast<bits>(static_cast<bits>(x + less) ^ flip);
            const bits positive = static_cast<bits>(static_cast<signed_bits>(y) < 0 ? 0 : -1);
            return {static_cast<bits>(y ^ static_cast<bits>(positive | SIGN))};
        } else {
            return {static_cast<bits>(x ^ flip)};
        }
    }

    __host__ __device__ bool before(Key x, Key y) const
    {
        return ordered(x) < ordered(y);
    }
};

inline bool is_signed_type(cudaDataType_t type)
{
    return type == CUDA_R_8I || type == CUDA_R_16I || type == CUDA_R_32I || type == CUDA_R_64I;
}

inline bool is_float_type(cudaDataType_t type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F;
}

/* The number of fraction bits of a float. */
inline unsigned fraction_bits(cudaDataType_t type)
{
    return type == CUDA_R_16F ? 10 : type == CUDA_R_16BF ? 7 : type == CUDA_R_32F ? 23 : 52;
}

template <typename Key>
key_order<Key> order_of(prim_order order, cudaDataType_t type)
{
    using bits = typename Key::bits_type;
    const bits all = order == PRIM_DESCENDING ? static_cast<bits>(-1) : bits(0);
    if (!Key::is_float)
        return {static_cast<bits>(all ^ (is_signed_type(type) ? key_order<Key>::SIGN : bits(0))),
                bits(0)};
    const bits nans = static_cast<bits>((uint64_t(1) << fraction_bits(type)) - 1);
    return {all, static_cast<bits>(order == PRIM_DESCENDING ? -nans : nans)};
}

/* The order that the arguments of a call name. */
template <typename Key, typename Args>
key_order<Key> order_of(const Args *args)
{
    return order_of<Key>(args->order, args->key_type);
}

} // namespace

#endif
