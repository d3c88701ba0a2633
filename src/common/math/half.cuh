/* f16 and bf16: their 16 bits, the exact conversion to f32, and the rounded one back. Written out
 * here, so that host, GPU and CPU backend agree in every bit, and none needs CUDA's C++ headers. */
#ifndef PRIM_COMMON_HALF_CUH
#define PRIM_COMMON_HALF_CUH

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cuda_runtime.h>

namespace
{

struct f16 {
    uint16_t bits;
};

struct bf16 {
    uint16_t bits;
};

template <typename To, typename From>
__host__ __device__ To same_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the bits of one are the bits of the other");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

__host__ __device__ inline float to_float(f16 value)
{
#ifdef __CUDA_ARCH__
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
    return result;
#else
    const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
    const uint32_t exponent = value.bits >> 10 & 31, fraction = value.bits & 0x3ff;
    if (exponent == 31) /* infinity, NaN */
        return same_bits<float>(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0) { /* zero, or a subnormal number: a multiple of 2^-24 */
        const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    return same_bits<float>(sign | (exponent + 112) << 23 | fraction << 13);
#endif
}

__host__ __device__ inline float to_float(bf16 value)
{
    return same_bits<float>(static_cast<uint32_t>(value.bits) << 16);
}

/* All round to nearest, ties to even. A NaN becomes 0x7fff, as the GPU has it. */
__host__ __device__ inline void from_float(float value, f16 *result)
{
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result->bits) : "f"(value));
#else
    const uint32_t bits = same_bits<uint32_t>(value), magnitude = bits & 0x7fffffff;
    const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
    uint32_t rounded;
    if (magnitude > 0x7f800000) {
        *result = {0x7fff};
        return;
    }
    if (magnitude >= 0x477ff000) /* 65520, halfway to 65536 */
        rounded = 0x7c00;
    else if (magnitude < 0x38800000) /* below 2^-14: the sum's last bit is worth 2^-24 */
        rounded = same_bits<uint32_t>(same_bits<float>(magnitude) + 0.5f) - 0x3f000000;
    else
        rounded = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    *result = {static_cast<uint16_t>(sign | rounded)};
#endif
}

__host__ __device__ inline void from_float(float value, bf16 *result)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result->bits) : "f"(value));
#else
    const uint32_t bits = same_bits<uint32_t>(value);
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    *result = {nan ? uint16_t(0x7fff)
                   : static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
#endif
}

/* Two of them in a word, the first in the lower half: one instruction from 8.0 on. */
template <typename Half>
__host__ __device__ uint32_t two_halves(float first, float second)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32_t bits;
    if constexpr (std::is_same<Half, f16>::value)
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    else
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    return bits;
#else
    Half low, high;
    from_float(first, &low);
    from_float(second, &high);
    return low.bits | static_cast<uint32_t>(high.bits) << 16;
#endif
}

} // namespace

#endif
