/* What becomes of the elements that a lane holds together: values, results, a sum. */
#ifndef PRIM_SCAN_VECTORS_CUH
#define PRIM_SCAN_VECTORS_CUH

#include "common/math/turned.cuh"
#include "scan/scan_args.h"

namespace
{

/* Shared memory for one. */
struct alignas(VECTOR_BYTES) vector_slot {
    unsigned char byte[VECTOR_BYTES];
};

/* What becomes of an element before it is combined, and of a result in the end. */
template <typename Out>
struct element_rule {
    prim_transform transform;
    turned_bits<Out> turned; /* 0 but for minima and maxima */
};

template <typename Out>
element_rule<Out> element_rule_of(const prim_scan_args *args)
{
    return {transform_without_sign(args->transform, args->in_type),
            args->of_aggregates ? turned_bits<Out>(0)
                                : bits_to_turn<Out>(args->op, args->out_type)};
}

/* ---- from elements to values, and back ---- */

/* Transforms values, and turns them unless their elements were. */
template <class Operator, typename Out, unsigned N>
__device__ void apply_rule(const element_rule<Out> &rule, bool turned,
                           accumulator_t<Out> (&values)[N])
{
    if (rule.transform != PRIM_TRANSFORM_NONE) {
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            values[e] = static_cast<accumulator_t<Out>>(
                transformed(static_cast<working_t<Out>>(values[e]), rule.transform));
    }
    if (MAY_TURN<Operator> && !turned) {
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            values[e] = turned_value<Out>(values[e], rule.turned);
    }
}

template <class Operator, typename In, typename Out, unsigned N>
__device__ void values_of(packed<In, N> x, const element_rule<Out> &rule,
                          accumulator_t<Out> (&values)[N])
{
    constexpr bool TURN_ELEMENTS = MAY_TURN<Operator> && std::is_same<In, Out>::value;
    const bool plain = rule.transform == PRIM_TRANSFORM_NONE;
    if constexpr (TURN_ELEMENTS)
        x = turned_elements(x, plain ? rule.turned : 0);
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        values[e] = static_cast<accumulator_t<Out>>(element_of(x, e));
    apply_rule<Operator>(rule, TURN_ELEMENTS && plain, values);
}

/* One element alone. */
template <class Operator, typename In, typename Out>
__host__ __device__ accumulator_t<Out> value_of(In element, const element_rule<Out> &rule)
{
    auto value =
        static_cast<accumulator_t<Out>>(transformed(converted<Out>(element), rule.transform));
    return MAY_TURN<Operator> ? turned_value<Out>(value, rule.turned) : value;
}

template <class Operator, typename Out>
__device__ Out result_of(accumulator_t<Out> value, const element_rule<Out> &rule)
{
    if (MAY_TURN<Operator>)
        value = turned_value<Out>(value, rule.turned);
    if constexpr (IS_HALF<Out>) {
        Out result;
        from_float(value, &result);
        return result;
    } else {
        return static_cast<Out>(value);
    }
}

template <class Operator, typename Out, unsigned N>
__device__ packed<Out, N> results_of(const accumulator_t<Out> (&values)[N],
                                     const element_rule<Out> &rule)
{
    using result = packed<Out, N>;
    result results;
    PRIM_UNROLL(N)
    for (unsigned w = 0; w < N / result::IN_WORD; w++) {
        const accumulator_t<Out> *const of_word = &values[w * result::IN_WORD];
        if constexpr (IS_HALF<Out>)
            results.words[w] = two_halves<Out>(of_word[0], of_word[1]);
        else if constexpr (sizeof(Out) == 2)
            results.words[w] = chosen_bytes(of_word[0], of_word[1], 0x5410);
        else if constexpr (sizeof(Out) == 1)
            results.words[w] = chosen_bytes(chosen_bytes(of_word[0], of_word[1], 0x40),
                                            chosen_bytes(of_word[2], of_word[3], 0x40), 0x5410);
        else
            results.words[w] = of_word[0];
    }
    return MAY_TURN<Operator> ? turned_elements(results, rule.turned) : results;
}

/* ---- sums ---- */

template <class Operator, typename In, typename Out, unsigned N>
__device__ accumulator_t<Out> vector_sum(const packed<In, N> &x, const element_rule<Out> &rule)
{
    if constexpr (std::is_same<Operator, sum_operator>::value && sizeof(In) == 1 && N >= 4) {
        if (rule.transform == PRIM_TRANSFORM_NONE) {
            uint32_t sum = 0;
            PRIM_UNROLL(N / 4)
            for (unsigned w = 0; w < N / 4; w++)
                sum = sum_of_bytes<In>(x.words[w], sum);
            return static_cast<accumulator_t<Out>>(sum);
        }
    }
    accumulator_t<Out> values[N];
    values_of<Operator, In, Out>(x, rule, values);
    PRIM_UNROLL(N)
    for (unsigned e = 1; e < N; e++)
        values[0] = Operator::combine(values[0], values[e]);
    return values[0];
}

} // namespace

#endif
