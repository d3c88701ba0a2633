/* Floats as integers of the same order, so that one integer comparison is enough:
 *
 *     -inf       -1        -0        +0        +1        +inf
 *     807fffff   c07fffff  ffffffff  00000000  3f800000  7f800000      as signed integers
 *
 * NaN lie outside: with a sign before -inf, without one after +inf. */
#ifndef PRIM_COMMON_ORDERED_CUH
#define PRIM_COMMON_ORDERED_CUH

#include "common/math/numeric.cuh"

namespace
{

/* From the bits of a float, as a signed integer, and back. */
template <typename Bits>
__host__ __device__ Bits ordered_bits(Bits bits)
{
    return bits < 0 ? bits ^ extreme<Bits>::highest : bits;
}

/* The same as unsigned integers: negative numbers' bits are all turned, others' sign alone. */
template <typename Bits>
__host__ __device__ typename std::make_unsigned<Bits>::type unsigned_ordered_bits(Bits bits)
{
    const Bits negative = bits >> (8 * sizeof(Bits) - 1); /* all bits, or none */
    return static_cast<typename std::make_unsigned<Bits>::type>(bits ^
                                                                (negative | extreme<Bits>::lowest));
}

} // namespace

#endif
