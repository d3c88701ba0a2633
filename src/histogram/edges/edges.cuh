/* The counter of a sample for bins between edges. Samples and edges are converted to unsigned keys
 * of the same order, so that integers and floats take one comparison:
 *
 *     edges    e0    e1   e2      e3          a sample that has passed p edges, which are not above
 *               │  0  │ 1 │   2   │           it, is in bin p − 1; 0: below; all: above, unless it
 *               └─────┴───┴───────┘           is the last edge itself
 *
 * A search stays among the edges whatever they are. Kernels and host code share this. */
#ifndef PRIM_HISTOGRAM_EDGES_CUH
#define PRIM_HISTOGRAM_EDGES_CUH

#include "histogram/binning/bins.cuh"

namespace
{

/* The type in which samples are compared: integers by their bits, narrow ones as i32. */
template <typename T>
struct edge_of {
    using type = typename std::conditional<
        std::is_integral<T>::value,
        typename std::conditional<sizeof(T) == 8, uint64_t, uint32_t>::type,
        typename std::conditional<sizeof(T) == 8, double, float>::type>::type;
};
template <typename T>
using edge_of_t = typename edge_of<T>::type;

template <typename T>
using key_of_t = typename std::conditional<sizeof(T) == 8, uint64_t, uint32_t>::type;

/* A kernel's argument. */
struct edge_binning {
    const void *edges;
    size_t bins;
    bool samples_are_signed, edges_are_signed;
    prim_outside outside;
    bool last_open;
};

inline edge_binning make_edge_binning(const prim_histogram_args *args)
{
    return {args->edges,
            args->bins,
            is_signed_integer(args->sample_type),
            is_signed_integer(args->edge_type),
            args->outside,
            (args->flags & PRIM_HISTOGRAM_LAST_BIN_OPEN) != 0};
}

template <typename Edge>
__host__ __device__ key_of_t<Edge> key_of_edge(const edge_binning &b, Edge edge)
{
    using Key = key_of_t<Edge>;
    if constexpr (std::is_integral<Edge>::value) {
        constexpr Key SIGN = static_cast<Key>(1) << (8 * sizeof(Key) - 1);
        return b.edges_are_signed ? edge ^ SIGN : edge;
    } else {
        using Bits = typename std::make_signed<Key>::type;
        const Bits bits = same_bits<Bits>(edge + 0); /* of −0 too, those of +0 */
        return unsigned_ordered_bits(bits);
    }
}

template <typename T>
__host__ __device__ key_of_t<edge_of_t<T>> key_of_sample(const edge_binning &b, T sample)
{
    if constexpr (!std::is_integral<T>::value)
        return key_of_edge(b, static_cast<edge_of_t<T>>(real_value(sample)));
    else if constexpr (sizeof(T) >= 4)
        return key_of_edge(b, sample);
    else if (b.samples_are_signed)
        return key_of_edge(b, static_cast<uint32_t>(static_cast<int32_t>(
                                  static_cast<typename std::make_signed<T>::type>(sample))));
    else
        return key_of_edge(b, static_cast<uint32_t>(sample));
}

template <typename T>
__host__ __device__ bool is_nan_sample(T sample)
{
    if constexpr (std::is_integral<T>::value)
        return false;
    else
        return is_nan(real_value(sample));
}

/* How many edges are not above the key, if no fewer than `low` and no more than `high` are.
 * key_at(i) is edge i's. */
template <typename Index, typename Key, class KeyAt>
__host__ __device__ Index edges_passed(const KeyAt &key_at, Index low, Index high, Key key)
{
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (key_at(middle) <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The place of a sample that has passed that many edges. */
__host__ __device__ inline size_t place_behind(const edge_binning &b, size_t passed,
                                               bool is_last_edge)
{
    if (passed == 0)
        return b.bins + BELOW;
    if (passed <= b.bins)
        return passed - 1;
    return is_last_edge && !b.last_open ? b.bins - 1 : b.bins + ABOVE;
}

/* Edges as they lie in memory. */
template <typename Edge>
struct edges_in_memory {
    const edge_binning &b;

    __host__ __device__ key_of_t<Edge> operator()(size_t i) const
    {
        return key_of_edge(b, static_cast<const Edge *>(b.edges)[i]);
    }
};

/* The counter for the sample, by a search among all edges. */
template <typename T>
__host__ __device__ size_t counter_between_edges(const edge_binning &b, T sample)
{
    const edges_in_memory<edge_of_t<T>> keys = {b};
    if (is_nan_sample(sample))
        return counter_at(b.bins + NOT_A_NUMBER, b.bins, b.outside);
    const auto key = key_of_sample(b, sample);
    const size_t passed = edges_passed(keys, size_t(0), b.bins + 1, key);
    return counter_at(place_behind(b, passed, keys(b.bins) == key), b.bins, b.outside);
}

} // namespace

#endif
