/* Sums as narrow integers: the nearest, the even one of two, and saturated. */
#ifndef PRIM_CONVOLUTION_ROUNDED_CUH
#define PRIM_CONVOLUTION_ROUNDED_CUH

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

namespace
{

/* The nearest of 0 … most, the even one of two; comparisons with NaN fail, so that it gives 0. */
__host__ __device__ inline float nearest_of(float sum, float most)
{
    const float not_below = sum > 0.0f ? sum : 0.0f;
    return rintf(not_below < most ? not_below : most);
}

/* Divides sums of integers. */
struct divisor {
    int32_t value; /* not 0 */
    float reciprocal;

    /* sum / value as a byte. A float says nearly what it is: of a quotient up to 256, less than
     * 2^-14 beside it. So its nearest integer is right, or one beside where the quotient lies at a
     * tie, and then the rest tells, exactly: it is twice as large as the divisor or more. Where the
     * quotient is far away, near is 0 or 255, and one step further is cut off. */
    template <typename Sum>
    __host__ __device__ uint8_t as_byte(Sum sum) const
    {
        using word = typename std::make_unsigned<Sum>::type;
        const int near = static_cast<int>(nearest_of(static_cast<float>(sum) * reciprocal, 255.0f));
        const word left =
            static_cast<word>(sum) - static_cast<word>(near) * static_cast<word>(Sum{value});
        const bool is_below = static_cast<Sum>(left) < 0;
        const word twice = 2 * (is_below ? 0 - left : left);
        const word whole = value < 0 ? 0 - static_cast<word>(Sum{value}) : static_cast<word>(value);
        if (twice < whole || (twice == whole && near % 2 == 0))
            return static_cast<uint8_t>(near);
        const int beside = is_below == (value < 0) ? near + 1 : near - 1;
        return static_cast<uint8_t>(beside < 0 ? 0 : beside > 255 ? 255 : beside);
    }
};

/* Of other sums. */
struct no_divisor {
};

} // namespace

#endif
