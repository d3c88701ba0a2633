/* Sums as narrow integers: rounded to nearest, ties to even, and saturated. */
#ifndef PRIM_CONVOLUTION_ROUNDED_CUH
#define PRIM_CONVOLUTION_ROUNDED_CUH

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <cuda_runtime.h>

#include "common/kernel/unroll.cuh"
#include "common/math/half.cuh"

namespace
{

/* The nearest of 0 … most, ties to even; comparisons with NaN fail, so that it gives 0. */
__host__ __device__ inline float nearest_of(float sum, float most)
{
    const float not_below = sum > 0.0f ? sum : 0.0f;
    return rintf(not_below < most ? not_below : most);
}

/* Divides sums of integers. */
struct divisor {
    int32_t value; /* not 0 */
    float reciprocal;

    /* sum / value as a byte. The quotient is first estimated as a float: up to 256 the error is
     * less than 2^-14. So its nearest integer is right, or off by one where the quotient is close
     * to a tie, and then the remainder tells, exactly, by twice the remainder against the divisor.
     * Where the quotient is out of range, near is 0 or 255, and a correction is cut off. */
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

/* For other sums. */
struct no_divisor {
};

/* ---- tiny floats ----
 *
 * A float below 2^-125, subnormal or of the lowest exponent, is an integer times 2^-149, and its
 * bits are that integer (its "steps"): no instruction is needed to convert one into the other.
 *
 *     bits    0  1  2  3 … 255 … 2^24 - 1         times 2^-149
 *
 * So a byte is a float as it is, and a multiplication with such a small result rounds it to an
 * integer, to nearest, ties to even. The instructions here do not flush subnormals to zero,
 * whatever the compiler's options are. */

constexpr int STEPS_BELOW_1 = 149;

__host__ __device__ inline float tiny_float(uint32_t steps)
{
    return same_bits<float>(steps);
}

/* The steps of a tiny float that is not negative; some large number for larger floats. */
__host__ __device__ inline int32_t steps_of(float x)
{
    return same_bits<int32_t>(x);
}

/* a · b + c, rounded once. */
__device__ inline float tiny_multiply_add(float a, float b, float c)
{
#ifdef __CUDA_ARCH__
    float sum;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(a), "f"(b), "f"(c));
    return sum;
#else
    return std::fma(a, b, c);
#endif
}

/* a · b, no less than 0 and no more than 1; 0 for NaN. */
__device__ inline float tiny_product(float a, float b)
{
#ifdef __CUDA_ARCH__
    float product;
    asm("mul.rn.sat.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
    return product;
#else
    const float product = a * b;
    return product > 0.0f ? product < 1.0f ? product : 1.0f : 0.0f;
#endif
}

/* The steps of four floats that are not negative as bytes of a word, 255 at most. */
__device__ inline uint32_t bytes_of_steps(float a, float b, float c, float d)
{
#ifdef __CUDA_ARCH__
    uint32_t high, all;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(high) : "r"(steps_of(d)), "r"(steps_of(c)));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
        : "=r"(all)
        : "r"(steps_of(b)), "r"(steps_of(a)), "r"(high));
    return all;
#else
    const float four[] = {a, b, c, d};
    uint32_t all = 0;
    for (int i = 0; i < 4; i++)
        all |= static_cast<uint32_t>(steps_of(four[i]) < 255 ? steps_of(four[i]) : 255) << 8 * i;
    return all;
#endif
}

/* Divides an integer, given as steps: times factor, and rounded; then times unit, and rounded. */
struct quotient {
    float factor, unit;
    int bits; /* additional fraction bits of the first result */
};

constexpr int64_t MOST_STEPS = 1 << 22; /* fewer: of the integers, and the divisor */

/* So an n · factor is off by less than a quarter of 1 / |divisor|, as make_quotient() needs it. */
static_assert(4 * MOST_STEPS <= int64_t{1} << std::numeric_limits<float>::digits,
              "errors of 2^-24 of a quotient");

inline bool has_quotient(int64_t divisor, int64_t most)
{
    return most < MOST_STEPS && divisor < MOST_STEPS && -divisor < MOST_STEPS;
}

/* n · factor is n / divisor with `bits` fraction bits, so many that quotients other than ties are
 * more than half of the last bit away from a tie: with an even divisor they are 1 / divisor away,
 * with an odd one half of that. The factor is off by 2^-24 of itself at most, and n < 2^22
 * quotients by less than a quarter of 1 / divisor: too little to turn another quotient into a tie,
 * or a tie, which those bits represent exactly, into another quotient. */
inline quotient make_quotient(int64_t divisor)
{
    const int64_t magnitude = divisor < 0 ? -divisor : divisor;
    int bits = magnitude % 2 != 0 ? 2 : 1;
    for (int64_t rest = magnitude; rest > 1; rest /= 2)
        bits++;
    return {static_cast<float>(std::ldexp(1.0 / static_cast<double>(divisor), bits)),
            static_cast<float>(std::ldexp(1.0, -bits)), bits};
}

/* ---- sums that begin with a bias ----
 *
 * Tiny floats are not negative, and sums may be. A bias, with which sums begin, makes all of them
 * positive. It is a multiple of the divisor, so the multiply-add that divides also subtracts it. */

struct biased_ending {
    divisor by;
    int32_t bias;
    float factor, minus,
        unit;      /* (sum + bias) · factor + minus is the quotient in steps, times unit */
    bool is_quick; /* otherwise by alone, and no bias */
};

/* Of sums from `least` to `most`. */
inline biased_ending make_biased_ending(int64_t by, int64_t least, int64_t most)
{
    const int64_t magnitude = by < 0 ? -by : by;
    const int64_t times = (magnitude - 1 - least) / magnitude, bias = times * magnitude;
    biased_ending end = {};
    end.by = {static_cast<int32_t>(by), static_cast<float>(1.0 / static_cast<double>(by))};
    end.is_quick = has_quotient(by, bias + most);
    if (!end.is_quick)
        return end;
    const quotient q = make_quotient(by);
    end.bias = static_cast<int32_t>(bias);
    end.factor = q.factor;
    end.unit = q.unit;
    end.minus = static_cast<float>(
        std::ldexp(static_cast<double>(by < 0 ? times : -times), q.bits - STEPS_BELOW_1));
    return end;
}

/* Four sums as bytes of a word. */
template <bool IS_QUICK>
__device__ uint32_t bytes_of_sums(const biased_ending &end, int32_t a, int32_t b, int32_t c,
                                  int32_t d)
{
    if (IS_QUICK || end.is_quick) {
        const int32_t sums[] = {a, b, c, d};
        float steps[4];
        PRIM_UNROLL(4)
        for (int i = 0; i < 4; i++) {
            const float sum = tiny_float(static_cast<uint32_t>(sums[i]));
            steps[i] = tiny_product(tiny_multiply_add(sum, end.factor, end.minus), end.unit);
        }
        return bytes_of_steps(steps[0], steps[1], steps[2], steps[3]);
    }
    uint32_t all = 0;
    PRIM_UNROLL(1) /* slow anyway, so the code is kept small */
    for (int i = 0; i < 4; i++) {
        const int32_t sum = i == 0 ? a : i == 1 ? b : i == 2 ? c : d;
        all |= static_cast<uint32_t>(end.by.as_byte(sum)) << 8 * i;
    }
    return all;
}

} // namespace

#endif
