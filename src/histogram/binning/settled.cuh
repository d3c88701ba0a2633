/* SETTLED is quick.cuh's way for halves that need no table. Each block looks at the two halves
 * around every edge of a bin, and finds out whether the mantissa alone tells them apart. v ascends
 * with x, so all others are right then too. */
#ifndef PRIM_HISTOGRAM_SETTLED_CUH
#define PRIM_HISTOGRAM_SETTLED_CUH

#include "common/host/element.h"
#include "histogram/binning/quick.cuh"

namespace
{

constexpr uint32_t UNSETTLED = 0;

/* The next half in the order of numbers; after infinity, infinity again. */
template <typename Half>
__device__ Half next_half(Half x, bool upwards)
{
    const float number = to_float(x);
    if (number == 0)
        return {static_cast<uint16_t>(upwards ? 1 : 0x8001)};
    if (number - number != 0 && (number > 0) == upwards)
        return x;
    return {static_cast<uint16_t>((number > 0) == upwards ? x.bits + 1 : x.bits - 1)};
}

template <typename Half>
__device__ Half half_near(double x)
{
    Half half;
    from_float(static_cast<float>(x), &half);
    return half;
}

/* Is x in bin k or above it? */
template <typename Half>
__device__ bool is_from(const quick_binning &q, Half x, unsigned k)
{
    return k == 0 ? to_float(x) >= q.f32.least : reaches(q.exact, to_float(x), k);
}

/* Whether the fixed points tell the last half below bin k from the first one in it or above it. */
template <typename Half>
__device__ bool is_settled(const quick_binning &q, unsigned k)
{
    const binning &b = q.exact;
    const double width = (b.real_upper - b.real_lower) / static_cast<double>(b.bins);
    Half from = half_near<Half>(b.real_lower + k * width);
    if (!is_from(q, from, k))
        from = next_half(from, true);
    else if (is_from(q, next_half(from, false), k))
        from = next_half(from, false);
    const Half below = next_half(from, false);
    const uint32_t edge = k << q.f32.fraction_bits, at = fixed_of(q.f32, from),
                   before = fixed_of(q.f32, below);
    return is_from(q, from, k) && !is_from(q, below, k) && at >= edge && at <= INT32_MAX &&
           (before < edge || before > INT32_MAX);
}

/* Past the fixed point of the last half in range, or UNSETTLED: the next one has the same, or there
 * is none in range. The last half may be the upper bound, and so at the end of the last bin. */
template <typename Half>
__device__ uint32_t settled_end(const quick_binning &q)
{
    Half above = half_near<Half>(q.f32.most);
    if (to_float(above) <= q.f32.most)
        above = next_half(above, true);
    const Half last = next_half(above, false);
    const uint32_t end = fixed_of(q.f32, last) + 1;
    return fixed_of(q.f32, above) >= end && end <= INT32_MAX ? end : UNSETTLED;
}

/* Sets *end to where the fixed points in range end, or to UNSETTLED. All threads of a block must
 * call it; has barriers. */
template <typename Half>
__device__ void settle(const quick_binning &q, uint32_t *end)
{
    if (threadIdx.x == 0)
        *end = settled_end<Half>(q);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < q.bins; k += blockDim.x)
        if (!is_settled<Half>(q, k))
            atomicMin(end, UNSETTLED);
    __syncthreads();
}

} // namespace

#endif
