/* Neighbours of floats, and multiplications and additions that round once. */
#ifndef PRIM_HISTOGRAM_FLOATS_CUH
#define PRIM_HISTOGRAM_FLOATS_CUH

#include <cmath>
#include <cstdint>

#include <cuda_runtime.h>

#include "common/math/ordered.cuh"

namespace
{

__device__ inline float fused(float a, float b, float c)
{
    return fmaf(a, b, c);
}

__device__ inline double fused(double a, double b, double c)
{
    return fma(a, b, c);
}

template <typename Float>
__host__ __device__ bool is_finite(Float x)
{
    return x - x == 0;
}

__device__ inline double previous_double(double x) /* of x > 0 */
{
    return same_bits<double>(same_bits<uint64_t>(x) - 1);
}

/* Of a number that is not infinite, or the way back from infinity. */
template <typename Float>
__device__ Float next_float(Float x, bool upwards)
{
    using Bits = typename std::conditional<sizeof(Float) == 8, int64_t, int32_t>::type;
    const Bits bits = x == 0 ? (upwards ? 0 : extreme<Bits>::lowest) : same_bits<Bits>(x);
    return same_bits<Float>(static_cast<Bits>((bits < 0) == upwards ? bits - 1 : bits + 1));
}

/* a − b, rounded downwards. */
template <typename Float>
__device__ Float difference_downwards(Float a, Float b)
{
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Float) == 8)
        return __dsub_rd(a, b);
    else
        return __fsub_rd(a, b);
#else
    const Float near = a - b, part = near - a, error = (a - (near - part)) - (b + part);
    return error < 0 ? next_float(near, false) : near;
#endif
}

/* a · b + c, rounded downwards; in range, doubles have a · b and its distance from c. */
__device__ inline float fused_downwards(float a, float b, float c)
{
#ifdef __CUDA_ARCH__
    return __fmaf_rd(a, b, c);
#else
    const float near = fmaf(a, b, c);
    const bool above = static_cast<double>(near) - c > static_cast<double>(a) * b;
    return above ? next_float(near, false) : near;
#endif
}

} // namespace

#endif
