/* The element that replaces one outside of the image: one of those inside, or the fill.
 *
 * Outside, a line of n elements is periodic, with reflections of period 2n or 2n - 2, so that an
 * image may have any size:
 *
 *     REFLECT       c b a│a b c│c b a│a b c
 *     REFLECT_101   c b│a b c b│a b c b│a b
 *     WRAP          a b c│a b c│a b c│a b c */
#ifndef PRIM_CONVOLUTION_BOUNDARY_CUH
#define PRIM_CONVOLUTION_BOUNDARY_CUH

#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

#include <primitives/convolution.h>

namespace
{

constexpr int64_t FILL = -1; /* in place of an index */

/* i modulo n, 0 … n - 1 also for negative i. Short lines use 32 bits, which divide faster. */
template <typename Int>
__host__ __device__ Int repeat(Int i, Int n)
{
    const Int rest = i % n;
    return rest < 0 ? rest + n : rest;
}

template <typename Int>
__host__ __device__ bool is_inside(Int i, Int n)
{
    return i >= 0 && i < n;
}

/* The index of the element that element i of a line of n > 0 is, or FILL: with one division for all
 * boundaries, since code that is not there need not be fetched. */
template <typename Int>
__host__ __device__ Int stand_in(prim_boundary boundary, Int i, Int n)
{
    if (is_inside(i, n))
        return i;
    if (boundary == PRIM_BOUNDARY_CLAMP)
        return i < 0 ? 0 : n - 1;
    if (boundary != PRIM_BOUNDARY_REFLECT && boundary != PRIM_BOUNDARY_REFLECT_101 &&
        boundary != PRIM_BOUNDARY_WRAP)
        return static_cast<Int>(FILL);
    const Int mirrored = boundary == PRIM_BOUNDARY_REFLECT ? 2 * n - 1 : 2 * n - 2;
    const Int period = boundary == PRIM_BOUNDARY_WRAP || n == 1 ? n
                       : boundary == PRIM_BOUNDARY_REFLECT      ? 2 * n
                                                                : 2 * n - 2;
    const Int place = repeat(i, period);
    return place < n ? place : mirrored - place;
}

/* The same where i is less than n outside of the line: without a division. */
template <typename Int>
__host__ __device__ Int near_stand_in(prim_boundary boundary, Int i, Int n)
{
    if (is_inside(i, n))
        return i;
    using word = typename std::make_unsigned<Int>::type; /* 2 · end may be larger than n */
    const Int end = i < 0 ? 0 : n - 1;
    const Int mirrored = static_cast<Int>(2 * static_cast<word>(end) - static_cast<word>(i));
    return boundary == PRIM_BOUNDARY_CLAMP         ? end
           : boundary == PRIM_BOUNDARY_REFLECT     ? mirrored + (i < 0 ? -1 : 1)
           : boundary == PRIM_BOUNDARY_REFLECT_101 ? mirrored
           : boundary == PRIM_BOUNDARY_WRAP        ? (i < 0 ? i + n : i - n)
                                                   : static_cast<Int>(FILL);
}

} // namespace

#endif
