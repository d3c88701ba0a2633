/* One kernel for minima and maxima, for signed and unsigned integers, for AND and OR.
 *
 * Turning is flipping bits. A minimum is the maximum of elements with all bits flipped, or for
 * floats with the sign flipped; signed integers with their highest bit flipped have the order of
 * unsigned ones; and AND is OR with all bits flipped. So elements are flipped as they are loaded,
 * and results flipped back as they are stored: one instruction for each, or for each word of narrow
 * elements, and fewer than two thirds of the kernels. */
#ifndef PRIM_COMMON_TURNED_CUH
#define PRIM_COMMON_TURNED_CUH

#include "common/block/vectors.cuh"

namespace
{

/* ---- which bits ---- */

/* A mask for a word of elements, since narrow ones are turned four or two at a time. */
template <typename Out>
using turned_bits = typename std::conditional<sizeof(Out) == 8, uint64_t, uint32_t>::type;

/* The highest bit of each element in a word. */
template <typename Out>
constexpr turned_bits<Out> SIGN_BITS = sizeof(Out) == 1 ? 0x80808080u
                                       : sizeof(Out) == 2
                                           ? 0x80008000u
                                           : turned_bits<Out>(1) << (8 * sizeof(Out) - 1);

/* The mask of bits to flip in a call's elements. Out is the kernel's type: unsigned for all
 * integers, also where the call's `type` is signed. */
template <typename Out>
turned_bits<Out> bits_to_turn(prim_op op, cudaDataType_t type)
{
    constexpr bool has_bits = std::is_integral<Out>::value;
    const bool is_signed =
        type == CUDA_R_8I || type == CUDA_R_16I || type == CUDA_R_32I || type == CUDA_R_64I;
    const turned_bits<Out> all = has_bits ? static_cast<turned_bits<Out>>(~0ull) : SIGN_BITS<Out>;
    const turned_bits<Out> sign = is_signed ? SIGN_BITS<Out> : 0;
    return op == PRIM_OP_MIN ? all ^ sign : op == PRIM_OP_MAX ? sign : op == PRIM_OP_AND ? all : 0;
}

/* Whether the kernel of this operator may have to turn elements. */
template <class Operator>
constexpr bool MAY_TURN =
    std::is_same<Operator, max_operator>::value || std::is_same<Operator, or_operator>::value;

/* ---- turning ---- */

/* One value; of the mask, the bits of one element. */
template <typename Out>
__host__ __device__ accumulator_t<Out> turned_value(accumulator_t<Out> value,
                                                    turned_bits<Out> turned)
{
    using value_type = accumulator_t<Out>;
    if constexpr (is_float<value_type>()) {
        constexpr turned_bits<Out> sign = turned_bits<Out>(1) << (8 * sizeof(value_type) - 1);
        return same_bits<value_type>(same_bits<turned_bits<Out>>(value) ^ (turned & sign));
    } else {
        return static_cast<value_type>(value ^ static_cast<Out>(turned));
    }
}

/* The result of a combined value, turned back. */
template <typename Out>
__host__ __device__ Out finished_turned(accumulator_t<Out> value, turned_bits<Out> turned)
{
    return finished<Out>(turned_value<Out>(value, turned));
}

template <typename T, unsigned N>
__device__ packed<T, N> turned_elements(packed<T, N> x, turned_bits<T> turned)
{
    using word = typename packed<T, N>::word;
    PRIM_UNROLL(N)
    for (unsigned w = 0; w < N / packed<T, N>::IN_WORD; w++)
        x.words[w] = same_bits<word>(same_bits<turned_bits<T>>(x.words[w]) ^ turned);
    return x;
}

/* The mask for elements that are narrower than values: floats have their sign in the highest bit of
 * either. */
template <typename In, typename Out>
__host__ __device__ turned_bits<In> turned_signs(turned_bits<Out> turned)
{
    if constexpr (sizeof(In) == 2)
        return turned | turned >> 16;
    else
        return static_cast<turned_bits<In>>(turned >> 32);
}

/* ---- from the call's types and operator to the kernel's ---- */

template <bool SIGN, typename T>
struct signless {
    using type = T;
};
template <typename T>
struct signless<false, T> {
    using type = typename std::make_unsigned<T>::type;
};

template <class Operator>
struct kernel_operator {
    using type = Operator;
};
template <>
struct kernel_operator<min_operator> {
    using type = max_operator;
};
template <>
struct kernel_operator<and_operator> {
    using type = or_operator;
};

/* A dispatch's Run, called with the kernel's types and operator. Elements that are widened keep
 * their signed type. */
template <class Run>
struct kernel_run : Run {
    template <typename In, typename Out, class Operator, typename Args, typename... More>
    static auto run(const Args *args, More... more)
    {
        constexpr bool widened = sizeof(In) != sizeof(Out);
        using operation = typename kernel_operator<Operator>::type;
        if constexpr (std::is_integral<In>::value)
            return Run::template run<typename signless<widened, In>::type,
                                     typename signless<false, Out>::type, operation>(args, more...);
        else
            return Run::template run<In, Out, operation>(args, more...);
    }
};

} // namespace

#endif
