/* Neighbours of floats, and multiplications and additions that round once. */
#ifndef PRIM_HISTOGRAM_FLOATS_CUH
#define PRIM_HISTOGRAM_FLOATS_CUH

#include <cmath>
#include <cstdint>

#include <cuda_runtime.h>

#include "common/ordered.cuh"

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

__device__ inline double previous_double(double x) /* of x > 0 */
{
    return same_bits<double>(same_bits<uint64_t>(x) - 1);
}

__device__ inline float next_float(float x, bool upwards)
{
    if (x == 0)
        return upwards ? 1e-45f : -1e-45f;
    const uint32_t bits = same_bits<uint32_t>(x);
    return same_bits<float>((x > 0) == upwards ? bits + 1 : bits - 1);
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
