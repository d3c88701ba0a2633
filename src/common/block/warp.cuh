/* What the lanes of a warp do together, in registers. */
#ifndef PRIM_COMMON_WARP_CUH
#define PRIM_COMMON_WARP_CUH

#include <cuda_runtime.h>

#include "common/kernel/unroll.cuh"

namespace
{

constexpr unsigned WARP = 32, ALL_LANES = 0xffffffffu;

/* The number of lanes in a ballot. */
__device__ inline unsigned count_bits(unsigned lanes)
{
#ifdef SIMT_BACKEND
    return static_cast<unsigned>(__builtin_popcount(lanes));
#else
    return static_cast<unsigned>(__popc(lanes));
#endif
}

/* Structs have overloads of their own. */
template <typename T>
__device__ T shuffle_down(T value, unsigned stride)
{
    return __shfl_down_sync(ALL_LANES, value, stride);
}

/* Reduces each group of `width` lanes into its first lane, halves first:
 *     16    0←16  1←17  2←18 …
 *      8    0←8   1←9   …
 *      …    0←1                 */
template <class Operator, typename T>
__device__ T reduce_warp(T value, unsigned width = WARP)
{
    for (unsigned stride = width / 2; stride > 0; stride /= 2)
        value = Operator::combine(value, shuffle_down(value, stride));
    return value;
}

/* Inclusive scans over the lanes, by doubling strides, of V values in each lane at once:
 *     1     ·   0→1  1→2  2→3 …
 *     2     ·    ·   0→2  1→3 …
 *     …                            */
template <class Operator, typename T, unsigned V>
__device__ void scan_warp(T (&value)[V], unsigned lane)
{
    PRIM_UNROLL(5)
    for (unsigned stride = 1; stride < WARP; stride *= 2) {
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++) {
            const T below = __shfl_up_sync(ALL_LANES, value[v], stride);
            value[v] = lane >= stride ? Operator::combine(below, value[v]) : value[v];
        }
    }
}

template <class Operator, typename T>
__device__ T scan_warp(T value, unsigned lane)
{
    T one[1] = {value};
    scan_warp<Operator>(one, lane);
    return one[0];
}

/* The aggregate of the first `count` lanes, in the order of scan_warp(); in all lanes. */
template <class Operator, typename T>
__device__ T reduce_first_lanes(T mine, unsigned count, T identity, unsigned lane)
{
    const T sum = __shfl_sync(ALL_LANES, scan_warp<Operator>(mine, lane), (count - 1) % WARP);
    return count == 0 ? identity : sum;
}

} // namespace

#endif
