/* The types of a pixel: of elements, weights and sums; how products are added and sums stored. */
#ifndef PRIM_CONVOLUTION_PIXEL_CUH
#define PRIM_CONVOLUTION_PIXEL_CUH

#include "common/math/scaled.cuh"
#include "convolution/rounded.cuh"

namespace
{

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

/* Signed sums are those of masks of i8 and i16. */
template <typename Sum>
constexpr bool IS_OF_INTEGERS = std::conjunction<std::is_integral<Sum>, std::is_signed<Sum>>::value;

/* Elements of the input, of the output, and the type of sums, and of weights in a kernel. */
template <typename Source, typename Element, typename Sum>
struct pixel {
    using source = Source;
    using element = Element;
    using sum = Sum;
    /* A row's sum of a separable mask; of integers, 32 bits hold it. */
    using row_sum = typename std::conditional<IS_OF_INTEGERS<Sum>, int32_t, Sum>::type;
    static constexpr bool IS_DIVIDED = IS_OF_INTEGERS<Sum> && std::is_same<Element, uint8_t>::value;
    using ending = typename std::conditional<IS_DIVIDED, divisor, no_divisor>::type;

    __host__ __device__ static sum loaded(source value)
    {
        if constexpr (std::is_same<source, f16>::value)
            return to_float(value);
        else
            return static_cast<sum>(value);
    }
    __host__ __device__ static element stored(sum value, const ending &end = {})
    {
        if constexpr (IS_DIVIDED) {
            return end.as_byte(value);
        } else {
            element result;
            store_sum(value, &result);
            return result;
        }
    }
};

using f32_pixel = pixel<float, float, float>;
using f64_pixel = pixel<double, double, double>;
using f16_pixel = pixel<f16, f16, float>;
using u8_pixel = pixel<uint8_t, uint8_t, float>;
using u8_to_f32_pixel = pixel<uint8_t, float, float>;
using u8_i32_pixel = pixel<uint8_t, uint8_t, int32_t>; /* under integers */
using u8_i64_pixel = pixel<uint8_t, uint8_t, int64_t>; /* whose sums may be long */
using u16_pixel = pixel<uint16_t, uint16_t, float>;
using word_pixel = pixel<uint32_t, uint32_t, uint32_t>; /* wrapping, with a sign or without */

} // namespace

#endif
