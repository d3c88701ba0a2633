/* Arithmetic whose meaning the kit promises, for kernels and host code alike: integers wrap, a
 * float product is rounded before anything is added to it, NaN propagates, and -0 < +0. */
#ifndef PRIM_COMMON_NUMERIC_CUH
#define PRIM_COMMON_NUMERIC_CUH

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <cuda_runtime.h>

#include <primitives/types.h>

#include "common/math/half.cuh"

namespace
{

template <typename T>
__host__ __device__ constexpr bool is_float()
{
    return std::is_floating_point<T>::value;
}

/* A type's highest and lowest value; constants, since device code may not call numeric_limits. */
template <typename T>
struct extreme {
    using limits = std::numeric_limits<T>;
    static constexpr T highest = is_float<T>() ? limits::infinity() : limits::max();
    static constexpr T lowest = is_float<T>() ? -limits::infinity() : limits::lowest();
};

template <typename T>
__host__ __device__ T add(T a, T b)
{
    if constexpr (is_float<T>()) {
        return a + b;
    } else {
        using U = typename std::make_unsigned<T>::type;
        return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    }
}

__host__ __device__ inline float multiply(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b); /* never contracted with a later addition */
#else
    return a * b; /* host code of the kit is compiled with -ffp-contract=off */
#endif
}

__host__ __device__ inline double multiply(double a, double b)
{
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

template <typename T>
__host__ __device__ T multiply(T a, T b)
{
    /* At least unsigned: a narrow type would be promoted to int, which must not overflow. */
    using U = decltype(typename std::make_unsigned<T>::type() + 0u);
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}

template <typename T>
__host__ __device__ T magnitude(T a)
{
    if constexpr (is_float<T>()) {
        return std::fabs(a);
    } else if constexpr (std::is_signed<T>::value) {
        /* At least unsigned, as in multiply(): in 16 bits, nvcc uses an instruction that makes
         * 32767 of -32768. */
        using U = decltype(typename std::make_unsigned<T>::type() + 0u);
        return static_cast<T>(a < 0 ? U(0) - static_cast<U>(a) : static_cast<U>(a));
    } else {
        return a;
    }
}

/* Is a before b in the order of values? For two floats of which neither is NaN. */
template <typename T>
__host__ __device__ bool before(T a, T b)
{
    if constexpr (is_float<T>())
        return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    else
        return a < b;
}

/* NaN fails a comparison with itself; integers never do. */
template <typename T>
__host__ __device__ bool is_nan(T a)
{
    return a != a;
}

/* The GPU's minima and maxima of doubles have the same order, but pass over NaN, which the sum does
 * not. */
#define PRIM_EXTREME_OF_DOUBLES(instruction, result, a, b)                  \
    asm("{\n\t.reg .pred nan;\n\t.reg .f64 extreme, sum;\n\t"               \
        "setp.nan.f64 nan, %1, %2;\n\tadd.f64 sum, %1, %2;\n\t" instruction \
        " extreme, %1, %2;\n\tselp.f64 %0, sum, extreme, nan;\n\t}"         \
        : "=d"(result)                                                      \
        : "d"(a), "d"(b))

template <typename T>
__host__ __device__ T minimum(T a, T b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same<T, float>::value) { /* one instruction, with the same order */
        float result;
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
        return result;
    }
#endif
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same<T, double>::value) {
        double result;
        PRIM_EXTREME_OF_DOUBLES("min.f64", result, a, b);
        return result;
    }
#endif
    return is_nan(a) || before(a, b) ? a : is_nan(b) || before(b, a) ? b : a;
}

template <typename T>
__host__ __device__ T maximum(T a, T b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same<T, float>::value) { /* one instruction, with the same order */
        float result;
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
        return result;
    }
#endif
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same<T, double>::value) {
        double result;
        PRIM_EXTREME_OF_DOUBLES("max.f64", result, a, b);
        return result;
    }
#endif
    return is_nan(a) || before(b, a) ? a : is_nan(b) || before(a, b) ? b : a;
}

#undef PRIM_EXTREME_OF_DOUBLES

/* Replaces any NaN by one quiet NaN: which of two NaNs an operation passes on differs between
 * processors. */
template <typename T>
__host__ __device__ T one_nan(T a)
{
    if constexpr (std::is_same<T, float>::value)
        return is_nan(a) ? same_bits<float>(0x7fc00000u) : a;
    else if constexpr (std::is_same<T, double>::value)
        return is_nan(a) ? same_bits<double>(uint64_t(0x7ff8) << 48) : a;
    else
        return a;
}

/* The operators, as types that a kernel is instantiated with. */
struct sum_operator {
    template <typename T>
    __host__ __device__ static T identity()
    {
        return T(0);
    }
    template <typename T>
    __host__ __device__ static T combine(T a, T b)
    {
        return add(a, b);
    }
};

struct min_operator {
    template <typename T>
    __host__ __device__ static T identity()
    {
        return extreme<T>::highest;
    }
    template <typename T>
    __host__ __device__ static T combine(T a, T b)
    {
        return minimum(a, b);
    }
};

struct max_operator {
    template <typename T>
    __host__ __device__ static T identity()
    {
        return extreme<T>::lowest;
    }
    template <typename T>
    __host__ __device__ static T combine(T a, T b)
    {
        return maximum(a, b);
    }
};

struct product_operator {
    template <typename T>
    __host__ __device__ static T identity()
    {
        return T(1);
    }
    template <typename T>
    __host__ __device__ static T combine(T a, T b)
    {
        return multiply(a, b);
    }
};

struct and_operator {
    template <typename T>
    __host__ __device__ static T identity()
    {
        return static_cast<T>(~T(0));
    }
    template <typename T>
    __host__ __device__ static T combine(T a, T b)
    {
        return static_cast<T>(a & b);
    }
};

struct or_operator {
    template <typename T>
    __host__ __device__ static T identity()
    {
        return T(0);
    }
    template <typename T>
    __host__ __device__ static T combine(T a, T b)
    {
        return static_cast<T>(a | b);
    }
};

struct xor_operator {
    template <typename T>
    __host__ __device__ static T identity()
    {
        return T(0);
    }
    template <typename T>
    __host__ __device__ static T combine(T a, T b)
    {
        return static_cast<T>(a ^ b);
    }
};

} // namespace

#endif
