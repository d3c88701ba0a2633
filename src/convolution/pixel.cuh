/* The types of pixels: what an element, a weight and a sum are, and how a sum grows and is stored.
 */
#ifndef PRIM_CONVOLUTION_PIXEL_CUH
#define PRIM_CONVOLUTION_PIXEL_CUH

#include "common/scaled.cuh"

namespace
{

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
