/* The types of pixels: what an element, a weight and a sum are, and how a sum grows and is stored.
 */
#ifndef PRIM_CONVOLUTION_PIXEL_CUH
#define PRIM_CONVOLUTION_PIXEL_CUH

#include "common/scaled.cuh"

namespace
{

/* The nearest of 0 … most, the even one of two; comparisons with NaN fail, so that it gives 0. */
__host__ __device__ inline float nearest_of(float sum, float most)
{
    const float not_below = sum > 0.0f ? sum : 0.0f;
    return rintf(not_below < most ? not_below : most);
}

__host__ __device__ inline void store_sum(float sum, uint8_t *to)
{
    *to = static_cast<uint8_t>(nearest_of(sum, 255.0f));
}
__host__ __device__ inline void store_sum(float sum, uint16_t *to)
{
    *to = static_cast<uint16_t>(nearest_of(sum, 65535.0f));
}
__host__ __device__ inline void store_sum(float sum, f16 *to)
{
    from_float(sum, to);
}
template <typename T>
__host__ __device__ void store_sum(T sum, T *to)
{
    *to = sum;
}

/* Elements of the input, of the output, and the type of weights and sums. */
template <typename Source, typename Element, typename Sum>
struct pixel {
    using source = Source;
    using element = Element;
    using sum = Sum;

    __host__ __device__ static sum loaded(source value)
    {
        if constexpr (std::is_same<source, f16>::value)
            return to_float(value);
        else
            return static_cast<sum>(value);
    }
    __host__ __device__ static element stored(sum value)
    {
        element result;
        store_sum(value, &result);
        return result;
    }
};

using f32_pixel = pixel<float, float, float>;
using f64_pixel = pixel<double, double, double>;
using f16_pixel = pixel<f16, f16, float>;
using u8_pixel = pixel<uint8_t, uint8_t, float>;
using u8_to_f32_pixel = pixel<uint8_t, float, float>;
using u16_pixel = pixel<uint16_t, uint16_t, float>;
using word_pixel = pixel<uint32_t, uint32_t, uint32_t>; /* wrapping, with a sign or without */

} // namespace

#endif
