/* What becomes of the elements that a lane holds together: values, results, a sum. */
#ifndef PRIM_SCAN_VECTORS_CUH
#define PRIM_SCAN_VECTORS_CUH

#include "common/vectors.cuh"

namespace
{

/* Shared memory for one. */
struct alignas(VECTOR_BYTES) vector_slot {
    unsigned char byte[VECTOR_BYTES];
};

/* ---- from elements to values, and back ---- */

template <typename In, typename Out, unsigned N>
__device__ void values_of(const packed<In, N> &x, prim_transform transform,
                          accumulator_t<Out> (&values)[N])
{
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        values[e] = static_cast<accumulator_t<Out>>(element_of(x, e));
    if (transform != PRIM_TRANSFORM_NONE) {
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            values[e] = static_cast<accumulator_t<Out>>(
                transformed(static_cast<working_t<Out>>(values[e]), transform));
    }
}

template <typename Out>
__device__ Out result_of(accumulator_t<Out> value)
{
    if constexpr (IS_HALF<Out>) {
        Out result;
        from_float(value, &result);
        return result;
    } else {
        return static_cast<Out>(value);
    }
}

template <typename Out, unsigned N>
__device__ packed<Out, N> results_of(const accumulator_t<Out> (&values)[N])
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
    return results;
}

/* ---- sums ---- */

template <class Operator, typename In, typename Out, unsigned N>
__device__ accumulator_t<Out> vector_sum(const packed<In, N> &x, prim_transform transform)
{
    if constexpr (std::is_same<Operator, sum_operator>::value && sizeof(In) == 1 && N >= 4) {
        if (transform == PRIM_TRANSFORM_NONE) {
            uint32_t sum = 0;
            PRIM_UNROLL(N / 4)
            for (unsigned w = 0; w < N / 4; w++)
                sum = sum_of_bytes<In>(x.words[w], sum);
            return static_cast<accumulator_t<Out>>(sum);
        }
    }
    accumulator_t<Out> values[N];
    values_of<In, Out>(x, transform, values);
    PRIM_UNROLL(N)
    for (unsigned e = 1; e < N; e++)
        values[0] = Operator::combine(values[0], values[e]);
    return values[0];
}

} // namespace

#endif
