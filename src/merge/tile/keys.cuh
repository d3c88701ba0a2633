/* The order of keys, written once for kernels and host code. Keys are moved as they are, and
 * compared as unsigned integers of their width: these have the order that the header promises, and
 * each integer stands for one key only. So four widths serve all types, floats and integers apart.
 *
 *     i32    sign bit flipped: what was below zero comes first
 *     f32    a number that counts up from +0 and down from -0; then a constant is added, so that
 *            -inf is 0 and the NaN with a sign, which would come before it, wrap around to the end
 *
 *            -inf      -1        -0        +0        +1        +inf      NaN … -NaN
 *            00000000  40000000  7f800000  7f800001  bf000001  ff000001  ff000002 … ffffffff
 *
 * Descending is the same with every bit flipped: ~x is -x - 1, so that another factor and another
 * constant do it for floats. */
#ifndef PRIM_MERGE_KEYS_CUH
#define PRIM_MERGE_KEYS_CUH

#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>
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
    using wide = typename std::conditional<sizeof(bits) == 8, uint64_t, uint32_t>::type;
    static constexpr bits SIGN = static_cast<bits>(bits(1) << (8 * sizeof(bits) - 1));

    bits flip;       /* for integers: the bits that change */
    bits scale;      /* for floats: 1, or -1 where the order is descending */
    bits zero, back; /* for floats: the integer of +0, and what +0 is when that is scaled back */

    __host__ __device__ bits ordered(Key k) const
    {
        if constexpr (Key::is_float)
            return static_cast<bits>(wide(counted(k.bits)) * scale + zero);
        else
            return static_cast<bits>(k.bits ^ flip);
    }

    /* The key of an ordered integer. */
    __host__ __device__ Key from_ordered(bits x) const
    {
        if constexpr (Key::is_float)
            return {counted(static_cast<bits>(wide(x) * scale + back))};
        else
            return {static_cast<bits>(x ^ flip)};
    }

    /* A float's bits as a number below or above zero, and back: below, it counts downwards. */
    __host__ __device__ static bits counted(bits x)
    {
        const bits below = static_cast<bits>(static_cast<signed_bits>(x) < 0 ? -1 : 0);
        return static_cast<bits>(x ^ (below & static_cast<bits>(~SIGN)));
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
    const bool down = order == PRIM_DESCENDING;
    const bits all = static_cast<bits>(down ? -1 : 0);
    if (!Key::is_float)
        return {static_cast<bits>(all ^ (is_signed_type(type) ? key_order<Key>::SIGN : bits(0))), 0,
                0, 0};
    const bits nans = static_cast<bits>((uint64_t(1) << fraction_bits(type)) - 1);
    const bits zero = static_cast<bits>(static_cast<bits>(key_order<Key>::SIGN - nans) ^ all);
    return {0, static_cast<bits>(down ? -1 : 1), zero, static_cast<bits>(down ? zero : -zero)};
}

/* The order that the arguments of a call name. */
template <typename Key, typename Args>
key_order<Key> order_of(const Args *args)
{
    return order_of<Key>(args->order, args->key_type);
}

} // namespace

#endif
