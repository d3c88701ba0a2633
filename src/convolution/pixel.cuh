/* The types of pixels: what an element, a weight and a sum are, and how a sum grows and is stored.
 */
#ifndef PRIM_CONVOLUTION_PIXEL_CUH
#define PRIM_CONVOLUTION_PIXEL_CUH

#include "common/numeric.cuh"

namespace
{

/* One rounding on the GPU, two on a CPU; said outright, so that all rungs do the same. */
__host__ __device__ inline float add_product(float sum, float weight, float value)
{
#ifdef __CUDA_ARCH__
    return __fmaf_rn(weight, value, sum);
#else
    return sum + weight * value;
#endif
}

__host__ __device__ inline int32_t add_product(int32_t sum, int32_t weight, int32_t value)
{
    return add(sum, multiply(weight, value));
}

/* Weights are of the sums' type. */
struct f32_pixel {
    using element = float;
    using sum = float;
    __host__ __device__ static float stored(float sum)
    {
        return sum;
    }
};

struct i32_pixel {
    using element = int32_t;
    using sum = int32_t;
    __host__ __device__ static int32_t stored(int32_t sum)
    {
        return sum;
    }
};

/* The nearest of 0 … 255, the even one of two; comparisons with NaN fail, so that it gives 0. */
struct u8_pixel {
    using element = uint8_t;
    using sum = float;
    __host__ __device__ static uint8_t stored(float sum)
    {
        const float not_below = sum > 0.0f ? sum : 0.0f;
        const float within = not_below < 255.0f ? not_below : 255.0f;
        return static_cast<uint8_t>(rintf(within));
    }
};

} // namespace

#endif
