/* A lane's 16 bytes: elements that are held together, and what becomes of them. */
#ifndef PRIM_SCAN_VECTORS_CUH
#define PRIM_SCAN_VECTORS_CUH

#include "common/unroll.cuh"
#include "common/values.cuh"
#include "scan/scan_variants.h"

namespace
{

constexpr unsigned WARP = 32, ALL_LANES = 0xffffffffu;
constexpr unsigned VECTOR_BYTES = PRIM_SCAN_VECTOR_BYTES;

/* Elements that lie together in memory, by words where they are narrow: nvcc would give each a
 * register of its own. */
template <typename T, unsigned N>
struct alignas(sizeof(T) * N) packed {
    static constexpr bool NARROW = sizeof(T) < sizeof(uint32_t);
    using narrow_word = typename std::conditional <
                        sizeof(T) * N<sizeof(uint32_t), uint16_t, uint32_t>::type;
    using word = typename std::conditional<NARROW, narrow_word, T>::type;
    static constexpr unsigned IN_WORD = sizeof(word) / sizeof(T);

    word words[N / IN_WORD];
};

/* Shared memory for one. */
struct alignas(VECTOR_BYTES) vector_slot {
    unsigned char byte[VECTOR_BYTES];
};

/* ---- from elements to values, and back ---- */

/* Four of the eight bytes of b and a: byte i of the result is number (selector >> 4i) & 7. */
__device__ inline uint32_t chosen_bytes(uint32_t a, uint32_t b, unsigned selector)
{
#ifdef __CUDA_ARCH__
    return __byte_perm(a, b, selector);
#else
    const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++)
        result |= (both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
#endif
}

/* Element e, narrow integers widened, halves as floats. */
template <typename T, unsigned N>
__device__ auto element_of(const packed<T, N> &x, unsigned e)
{
    constexpr unsigned IN_WORD = packed<T, N>::IN_WORD, BITS = 8 * sizeof(T);
    const auto word = x.words[e / IN_WORD];
    const unsigned place = e % IN_WORD;
    if constexpr (!packed<T, N>::NARROW)
        return word;
    else if constexpr (IS_HALF<T>)
        return to_float(same_bits<T>(static_cast<uint16_t>(word >> place * BITS)));
    else if constexpr (std::is_signed<T>::value)
        return static_cast<int32_t>(static_cast<uint32_t>(word) << (32 - BITS - place * BITS)) >>
               (32 - BITS);
    else if constexpr (sizeof(T) == 1)
        return chosen_bytes(word, 0, 0x4440 + place);
    else
        return chosen_bytes(word, 0, place == 0 ? 0x4410 : 0x4432);
}

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

/* In: what each lane has of each vector. Out: what the lanes up to this one have. */
template <class Operator, typename Value, unsigned V>
__device__ void scan_lanes(Value (&sum)[V], unsigned lane)
{
    PRIM_UNROLL(5)
    for (unsigned stride = 1; stride < WARP; stride *= 2)
        PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++) {
        const Value below = __shfl_up_sync(ALL_LANES, sum[v], stride);
        sum[v] = lane >= stride ? Operator::combine(below, sum[v]) : sum[v];
    }
}

/* By a whole warp, in the order of scan_lanes(): what the first `count` lanes have. */
template <class Operator, typename Value>
__device__ Value sum_of_first(Value mine, unsigned count, Value nothing, unsigned lane)
{
    Value sums[1] = {mine};
    scan_lanes<Operator>(sums, lane);
    const Value sum = __shfl_sync(ALL_LANES, sums[0], (count - 1) % WARP);
    return count == 0 ? nothing : sum;
}

} // namespace

#endif
