/* A warp's share of a line: a chunk of 4 KiB or less, held in registers from its one load to its
 * one store.
 *
 *     lane          0      1      2   …   31
 *     vector 0    ████   ████   ████    ████      each lane has 16 bytes of the wider of the two
 *     vector 1    ████   ████   ████    ████      types in each of eight vectors, so that a warp
 *     …                                           loads and stores 512 bytes without a gap
 *     vector 7    ████   ████   ████    ████
 *
 * A lane combines the elements of each of its vectors; the lanes scan those sums by shuffles, all
 * eight vectors side by side; then the vectors' totals are combined from the first to the last. A
 * lane then knows what lies before each of its vectors, and goes through its elements once more.
 * Narrow elements stay packed all the while.
 *
 * A chunk that is not whole, or not at a multiple of 16 bytes, goes through shared memory, element
 * by element. What lies behind its end is 0 there, and changes only what lies behind it. */
#ifndef PRIM_SCAN_CHUNK_CUH
#define PRIM_SCAN_CHUNK_CUH

#include "common/unroll.cuh"
#include "common/values.cuh"
#include "scan/scan_variants.h"

namespace
{

constexpr unsigned WARP = 32, ALL_LANES = 0xffffffffu;
constexpr unsigned VECTOR_BYTES = PRIM_SCAN_VECTOR_BYTES;

/* Vectors of a chunk: values of 8 bytes leave registers for fewer. */
template <typename Out>
constexpr unsigned VECTORS = sizeof(Out) == 8 ? PRIM_SCAN_CHUNK_VECTORS_OF_8
                                              : PRIM_SCAN_CHUNK_VECTORS;

/* Elements of a vector, of a chunk. */
template <typename In, typename Out>
constexpr unsigned WIDTH = VECTOR_BYTES / (sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));
template <typename In, typename Out>
constexpr unsigned CHUNK = WARP *VECTORS<Out> *WIDTH<In, Out>;

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

/* Shared memory for one chunk. */
struct alignas(VECTOR_BYTES) staging_vector {
    unsigned char byte[VECTOR_BYTES];
};

/* ---- elements ---- */

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

/* ---- load and store ---- */

template <typename In, unsigned N, unsigned V>
__device__ void load_chunk(packed<In, N> (&x)[V], const In *from, unsigned count, bool aligned,
                           staging_vector *staging, unsigned lane)
{
    using vector = pack<In, N>;
    constexpr unsigned ALL = WARP * V * N;
    if (aligned && count == ALL) {
        const vector *const vectors = reinterpret_cast<const vector *>(from);
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++)
            x[v] = same_bits<packed<In, N>>(vectors[v * WARP + lane]);
        return;
    }
    In *const elements = reinterpret_cast<In *>(staging);
    PRIM_UNROLL(1)
    for (unsigned i = lane; i < ALL; i += WARP)
        elements[i] = i < count ? from[i] : In{};
    __syncwarp();
    const vector *const vectors = reinterpret_cast<const vector *>(staging);
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++)
        x[v] = same_bits<packed<In, N>>(vectors[v * WARP + lane]);
    __syncwarp();
}

/* The end of storing where vectors went to the staging memory instead. */
template <typename Out>
__device__ void store_staged(Out *to, unsigned count, const staging_vector *staging, unsigned lane)
{
    const Out *const elements = reinterpret_cast<const Out *>(staging);
    __syncwarp();
    PRIM_UNROLL(1)
    for (unsigned i = lane; i < count; i += WARP)
        to[i] = elements[i];
}

/* ---- scan ---- */

template <typename In, typename Out, unsigned N, unsigned V>
__device__ void transform_chunk(packed<In, N> (&x)[V], prim_transform transform)
{
    if constexpr (TRANSFORMED_AT_ONCE<In, Out>) {
        if (transform == PRIM_TRANSFORM_NONE)
            return;
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++) {
            pack<In, N> elements;
            PRIM_UNROLL(N)
            for (unsigned e = 0; e < N; e++)
                elements.element[e] = transformed(x[v].element(e), transform);
            x[v] = same_bits<packed<In, N>>(elements);
        }
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

/* before[v] becomes what the chunk has before this lane's vector v; returns the chunk's total. */
template <class Operator, typename In, typename Out, unsigned N, unsigned V>
__device__ accumulator_t<Out> scan_chunk(const packed<In, N> (&x)[V], prim_transform transform,
                                         accumulator_t<Out> (&before)[V], unsigned lane)
{
    using value = accumulator_t<Out>;
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++)
        before[v] = vector_sum<Operator, In, Out>(x[v], transform);
    scan_lanes<Operator>(before, lane);
    value so_far = start_value<Operator, Out>();
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++) {
        const value below = __shfl_up_sync(ALL_LANES, before[v], 1);
        const value all = __shfl_sync(ALL_LANES, before[v], WARP - 1);
        before[v] = lane == 0 ? so_far : Operator::combine(so_far, below);
        so_far = Operator::combine(so_far, all);
    }
    return so_far;
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
