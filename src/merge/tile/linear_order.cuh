/* The order of keys with numbers in place of types: one kernel for floats and integers of a width.
 *
 * ordered(x) is scale * counted(x) + zero for integers, too, since to flip the sign is to add it,
 * and to flip all bits is to subtract from -1. */
#ifndef PRIM_MERGE_LINEAR_ORDER_CUH
#define PRIM_MERGE_LINEAR_ORDER_CUH

#include "merge/merge_args.h"
#include "merge/tile/keys.cuh"

namespace
{

template <typename Bits>
struct linear_order {
    using bits = Bits;
    using signed_bits = typename std::make_signed<Bits>::type;
    using wide = typename key_order<key<Bits, false>>::wide;

    Bits flip; /* of floats: the bits that count downwards below zero */
    Bits scale, zero;

    __host__ __device__ Bits counted(Bits x) const
    {
        const Bits below = static_cast<Bits>(static_cast<signed_bits>(x) < 0 ? -1 : 0);
        return static_cast<Bits>(x ^ (below & flip));
    }
    __host__ __device__ Bits ordered(Bits x) const
    {
        return static_cast<Bits>(wide(counted(x)) * scale + zero);
    }
    __host__ __device__ Bits restored(Bits x) const
    {
        return counted(static_cast<Bits>((wide(x) - zero) * scale));
    }
};

template <typename Key>
linear_order<typename Key::bits_type> linear_order_of(const prim_merge_sort_args *args)
{
    using bits = typename Key::bits_type;
    const key_order<Key> order = order_of<Key>(args);
    const bits zero = order.ordered({bits(0)}), one = order.ordered({bits(1)});
    return {static_cast<bits>(Key::is_float ? ~key_order<Key>::SIGN : 0),
            static_cast<bits>(one - zero), zero};
}

} // namespace

#endif
