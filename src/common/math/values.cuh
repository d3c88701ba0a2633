/* The type that an element is transformed in, the accumulator type that values are combined in, and
 * the conversion to the result. Shared by reduce and scan. */
#ifndef PRIM_COMMON_VALUES_CUH
#define PRIM_COMMON_VALUES_CUH

#include "common/math/numeric.cuh"

namespace
{

/* The type that values of a result type are combined in. */
template <typename Out>
struct accumulator {
    using narrow = typename std::conditional<std::is_signed<Out>::value, int32_t, uint32_t>::type;
    using type = typename std::conditional<sizeof(Out) < 4, narrow, Out>::type;
};
template <>
struct accumulator<f16> {
    using type = float;
};
template <>
struct accumulator<bf16> {
    using type = float;
};
template <typename Out>
using accumulator_t = typename accumulator<Out>::type;

template <typename T>
constexpr bool IS_HALF = std::is_same<T, f16>::value || std::is_same<T, bf16>::value;

/* The type that an element is transformed in. */
template <typename Out>
using working_t = typename std::conditional<IS_HALF<Out>, float, Out>::type;

template <typename Out, typename In>
__host__ __device__ working_t<Out> converted(In element)
{
    if constexpr (IS_HALF<In>)
        return to_float(element);
    else
        return static_cast<working_t<Out>>(element);
}

/* Kernels for unsigned integers serve signed ones too, and are asked for absolute values only of
 * elements that were signed: see transform_without_sign(). */
template <typename T>
__host__ __device__ T absolute(T element)
{
    if constexpr (std::is_unsigned<T>::value)
        return static_cast<T>(magnitude(static_cast<typename std::make_signed<T>::type>(element)));
    else
        return magnitude(element);
}

template <typename T>
__host__ __device__ T transformed(T element, prim_transform transform)
{
    return transform == PRIM_TRANSFORM_SQUARE ? multiply(element, element)
           : transform == PRIM_TRANSFORM_ABS  ? absolute(element)
                                              : element;
}

/* Loads an element: converts it, then transforms it. */
template <typename Out, typename In>
__host__ __device__ accumulator_t<Out> load(const In *from, prim_transform transform)
{
    return static_cast<accumulator_t<Out>>(transformed(converted<Out>(*from), transform));
}

/* The operator's identity, in the type that values are combined in. */
template <class Operator, typename Out>
__host__ __device__ accumulator_t<Out> identity_of()
{
    if constexpr (IS_HALF<Out>)
        return Operator::template identity<float>();
    else
        return static_cast<accumulator_t<Out>>(Operator::template identity<Out>());
}

/* Converts a combined value to the result. */
template <typename Out, typename Value>
__host__ __device__ Out finished(Value value)
{
    if constexpr (IS_HALF<Out>) {
        Out result;
        from_float(value, &result);
        return result;
    } else {
        return static_cast<Out>(one_nan(value));
    }
}

/* `sum` plus four bytes, each a number of type T. */
template <typename T>
__device__ uint32_t sum_of_bytes(uint32_t bytes, uint32_t sum)
{
#ifdef __CUDA_ARCH__
    if constexpr (std::is_signed<T>::value)
        return __dp4a(static_cast<int>(bytes), 0x01010101, static_cast<int>(sum));
    else
        return __dp4a(bytes, 0x01010101u, sum);
#else
    for (unsigned i = 0; i < 4; i++)
        sum += static_cast<uint32_t>(static_cast<T>(bytes >> 8 * i & 0xff));
    return sum;
#endif
}

/* The transform for a kernel of unsigned integers: none for the absolute value of an unsigned
 * element, since the kernel takes ABS as that of a signed element. */
inline prim_transform transform_without_sign(prim_transform transform, cudaDataType_t in_type)
{
    const bool is_unsigned = in_type == CUDA_R_8U || in_type == CUDA_R_16U ||
                             in_type == CUDA_R_32U || in_type == CUDA_R_64U;
    return transform == PRIM_TRANSFORM_ABS && is_unsigned ? PRIM_TRANSFORM_NONE : transform;
}

} // namespace

#endif
