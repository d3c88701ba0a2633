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

/* Vectors that a lane has: values of 8 bytes leave registers for fewer. */
template <typename Out>
constexpr unsigned VECTORS = sizeof(Out) == 8 ? PRIM_SCAN_CHUNK_VECTORS_OF_8
                                              : PRIM_SCAN_CHUNK_VECTORS;

/* Elements as they lie in memory. */
template <typename T, unsigned N>
struct alignas(sizeof(T) * N) pack {
    T element[N];
};

/* The same in registers: narrow elements by words, since nvcc would give each a register of its
 * own. */
template <typename T, unsigned N>
struct packed {
    static constexpr bool NARROW = sizeof(T) < sizeof(uint32_t);
    using narrow_word = typename std::conditional <
                        sizeof(T) * N<sizeof(uint32_t), uint16_t, uint32_t>::type;
    using narrow_bits = typename std::conditional<sizeof(T) == 1, uint8_t, uint16_t>::type;
    using word = typename std::conditional<NARROW, narrow_word, T>::type;
    static constexpr unsigned IN_WORD = sizeof(word) / sizeof(T);

    word words[N / IN_WORD];

    __device__ T element(unsigned e) const
    {
        if constexpr (NARROW)
            return same_bits<T>(
                static_cast<narrow_bits>(words[e / IN_WORD] >> e % IN_WORD * 8 * sizeof(T)));
        else
            return words[e];
    }
};

/* Shared memory for one. */
struct alignas(VECTOR_BYTES) vector_slot {
    unsigned char byte[VECTOR_BYTES];
};

/* Elements that are transformed into their own type are so once, as soon as they are there. */
template <typename In, typename Out>
constexpr bool TRANSFORMED_AT_ONCE = std::is_same<In, Out>::value && !IS_HALF<In>;

template <typename In, typename Out>
__device__ accumulator_t<Out> value_of(In element, prim_transform transform)
{
    const working_t<Out> x = converted<Out>(element);
    return static_cast<accumulator_t<Out>>(
        TRANSFORMED_AT_ONCE<In, Out> ? x : transformed(x, transform));
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

template <class Operator, typename In, typename Out, unsigned N>
__device__ accumulator_t<Out> vector_sum(const packed<In, N> &x, prim_transform transform)
{
    accumulator_t<Out> sum = value_of<In, Out>(x.element(0), transform);
    PRIM_UNROLL(N)
    for (unsigned e = 1; e < N; e++)
        sum = Operator::combine(sum, value_of<In, Out>(x.element(e), transform));
    return sum;
}

template <typename T, unsigned N>
__device__ pack<T, N> transformed_vector(const packed<T, N> &x, prim_transform transform)
{
    pack<T, N> elements;
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        elements.element[e] = transformed(x.element(e), transform);
    return elements;
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

/* Goes through a vector from so_far on. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ pack<Out, N> scanned_vector(const packed<In, N> &x, prim_scan_kind kind,
                                       prim_transform transform, accumulator_t<Out> so_far)
{
    pack<Out, N> results;
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++) {
        const accumulator_t<Out> before = so_far;
        so_far = Operator::combine(so_far, value_of<In, Out>(x.element(e), transform));
        results.element[e] = result_of<Out>(kind == PRIM_SCAN_EXCLUSIVE ? before : so_far);
    }
    return results;
}

} // namespace

#endif
