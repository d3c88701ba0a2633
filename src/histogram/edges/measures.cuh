/* How far samples are between the first edge and the last one, in that many equal slots:
 *
 *     slots        │    0    │    1    │    2    │ …       2^slots_log2 of them
 *     places       0 … 65535   0 … 65535                   in each slot
 *     from_edge()        ┊ e1            ┊ e2             the least measure that is after an edge
 *
 * of() ascends with the samples. All samples with the edge's from_edge() or more lie after the
 * edge. Those with one less may lie on both sides, where measures are coarser than samples. */
#ifndef PRIM_HISTOGRAM_MEASURES_CUH
#define PRIM_HISTOGRAM_MEASURES_CUH

#include "histogram/binning/floats.cuh"
#include "histogram/edges/edges.cuh"

namespace
{

constexpr unsigned PLACE_BITS = 16;
constexpr uint32_t LAST_PLACE = (1u << PLACE_BITS) - 1;

template <typename Key>
__device__ unsigned bits_of(Key x)
{
    unsigned bits = 0;
    for (; x != 0; x >>= 1)
        bits++;
    return bits;
}

/* Of keys: how far they are above the first edge's. */
template <typename Edge>
struct key_measure {
    using Key = key_of_t<Edge>;
    const edge_binning &b;
    Key first, most;      /* inside: no more than `most` above `first` */
    bool is_empty;        /* nothing is inside */
    unsigned left, right; /* shifts; one of them by 0 */
    uint32_t half;        /* of the distance of two keys, where measures are finer than those */

    __device__ key_measure(const edge_binning &binned, const Edge *edges, unsigned slots_log2)
        : b(binned), first(key_of_edge(b, edges[0]))
    {
        const Key last = key_of_edge(b, edges[b.bins]), span = first < last ? last - first : 0;
        const unsigned bits = bits_of(span), all = slots_log2 + PLACE_BITS;
        is_empty = last < first || (b.last_open && span == 0);
        most = b.last_open ? span - 1 : span;
        left = bits < all ? all - bits : 0;
        right = bits < all ? 0 : bits - all;
        half = left > 0 ? 1u << (left - 1) : 0;
    }

    template <typename T>
    __device__ Key point(T sample) const
    {
        return key_of_sample(b, sample) - first;
    }

    __device__ bool is_inside(Key point) const
    {
        return point <= most && !is_empty;
    }

    __device__ uint32_t of(Key point) const
    {
        return static_cast<uint32_t>((point << left) >> right);
    }

    __device__ Key point_of_edge(Edge edge) const
    {
        return key_of_edge(b, edge) - first;
    }

    /* Of a number outside. */
    __device__ bool is_below(Key point) const
    {
        return static_cast<Key>(point + first) < first;
    }

    /* Halfway between two keys, where no sample is, if measures are that fine. */
    __device__ uint32_t from_edge(Edge edge) const
    {
        const Key point = point_of_edge(edge);
        return point == 0 ? 0 : of(point - 1) + half + 1;
    }
};

/* Of floats: how far they are above the first edge, times a power of two. All is rounded downwards,
 * so that an edge of few digits parts the floats that are below from itself. */
template <typename Float>
struct value_measure {
    Float first, last, end; /* inside: from `first` on and less than `end` */
    Float scale;            /* 0: floats do not hold it, or there is no way between the two */

    __device__ value_measure(const edge_binning &b, const Float *edges, unsigned slots_log2)
        : first(edges[0]), last(edges[b.bins]), end(b.last_open ? last : next_float(last, true)),
          scale(0)
    {
        const Float width = difference_downwards(last, first);
        if (!(width > 0) || !is_finite(width))
            return;
        int exponent;
        const bool is_power = frexp(width, &exponent) == Float(0.5);
        scale = ldexp(Float(1), static_cast<int>(slots_log2 + PLACE_BITS) + is_power - exponent);
        if (!is_finite(scale))
            scale = 0;
    }

    template <typename T>
    __device__ Float point(T sample) const
    {
        return static_cast<Float>(real_value(sample));
    }

    __device__ bool is_inside(Float point) const
    {
        return point >= first && point < end;
    }

    __device__ uint32_t of(Float point) const
    {
        return static_cast<uint32_t>(difference_downwards(point, first) * scale);
    }

    __device__ Float point_of_edge(Float edge) const
    {
        return edge;
    }

    __device__ bool is_below(Float point) const
    {
        return point < first;
    }

    __device__ uint32_t from_edge(Float edge) const
    {
        return edge > first && edge <= last ? of(next_float(edge, false)) + 1 : 0;
    }
};

} // namespace

#endif
