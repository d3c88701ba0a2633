/* The partials of a row in shared memory, which may begin at any element, and how lanes that share
 * the row combine them. */
#ifndef PRIM_REDUCE_ROW_PARTIALS_CUH
#define PRIM_REDUCE_ROW_PARTIALS_CUH

#include "reduce/tile/tile.cuh"

namespace
{

/* Combines the first `count` elements of a vector, in which bytes to add have zeros after them. */
template <class Operator, class Source>
__device__ typename Source::value take_first(const Source &source, typename Source::value so_far,
                                             const typename Source::loaded &x, unsigned count)
{
    if constexpr (ADDS_BYTES<Operator, typename Source::element>)
        if (source.plain())
            return source.template take<Operator, true>(so_far, x, 0);
    PRIM_UNROLL(VECTOR_ELEMENTS<typename Source::element>)
    for (unsigned e = 0; e < VECTOR_ELEMENTS<typename Source::element>; e++)
        if (e < count)
            so_far = source.template take_one<Operator, false>(so_far, element_of(x, e));
    return so_far;
}

/* Combines the first `left` elements of a vector, or all of one if there are more. */
template <class Operator, class Source>
__device__ typename Source::value take_vector(const Source &source, typename Source::value so_far,
                                              vector<typename Source::element> x, unsigned left)
{
    using element = typename Source::element;
    if (left >= VECTOR_ELEMENTS<element> && source.plain())
        return source.template take<Operator, true>(so_far, x, 0);
    if constexpr (ADDS_BYTES<Operator, element>)
        x = first_bytes(x, left);
    return take_first<Operator>(source, so_far, x, left);
}

/* Vector v of a row, which begins `past` bytes after the first of these vectors does. */
template <typename T>
__device__ vector<T> vector_of_row(const vector<T> *vectors, unsigned past, unsigned v)
{
    vector<T> x = vectors[v];
    if (past > 0)
        x = spliced<T>(x, vectors[v + 1], past);
    return x;
}

/* Combines vectors v, v + 256, … of a row in shared memory. */
template <class Operator, class Source>
__device__ typename Source::value partial_of_row(const Source &source,
                                                 const typename Source::element *row,
                                                 unsigned count, unsigned v)
{
    using element = typename Source::element;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
    const unsigned past = bytes_past_vector(row);
    const vector<element> *const vectors =
        reinterpret_cast<const vector<element> *>(row - past / sizeof(element));
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (; v * WIDTH < count; v += PARTIALS)
        so_far = take_vector<Operator>(source, so_far, vector_of_row(vectors, past, v),
                                       count - v * WIDTH);
    return so_far;
}

/* A lane takes its partials in bit-reversed order, 0 4 2 6 1 5 3 7 for eight, so that partials
 * which combine follow each other, and keeps up to three values that wait for their partner. */
template <typename Value>
struct waiting_values {
    Value one, two, four;

    /* true once `value` is the aggregate of all `parts`, up to eight. */
    template <class Operator>
    __device__ bool meet(unsigned step, unsigned parts, Value &value)
    {
        if (parts > 1) {
            if ((step & 1) == 0) {
                one = value;
                return false;
            }
            value = Operator::combine(one, value);
        }
        if (parts > 2) {
            if ((step & 2) == 0) {
                two = value;
                return false;
            }
            value = Operator::combine(two, value);
        }
        if (parts > 4) {
            if ((step & 4) == 0) {
                four = value;
                return false;
            }
            value = Operator::combine(four, value);
        }
        return true;
    }
};

constexpr unsigned MOST_PARTS = 8;

/* The last three bits of step reversed; with fewer parts, the upper ones of these. */
__device__ inline unsigned part_at(unsigned step, unsigned parts)
{
    return ((step & 1) << 2 | (step & 2) | (step >> 2 & 1)) * parts / MOST_PARTS;
}

/* The value of up to 256 partials by `lanes` lanes, a power of two, of which each has `parts`;
 * partial_at(v) is the v-th. The first lane's is right. */
template <class Operator, typename Value, class PartialAt>
__device__ Value value_by_lanes(const PartialAt &partial_at, unsigned lane, unsigned lanes,
                                unsigned parts)
{
    waiting_values<Value> waiting = {};
    Value so_far;
    PRIM_UNROLL(1)
    for (unsigned step = 0;; step++) {
        so_far = partial_at(lane + part_at(step, parts) * lanes);
        if (waiting.template meet<Operator>(step, parts, so_far))
            break;
    }
    return reduce_warp<Operator>(so_far, lanes);
}

/* So many of a lane's parts, a power of two, hold all of these vectors. */
__device__ inline unsigned parts_of_lanes(unsigned vectors, unsigned lanes)
{
    unsigned parts = 1;
    while (parts < MOST_PARTS && parts * lanes < vectors)
        parts *= 2;
    return parts;
}

/* The value of a row of up to a tile. */
template <class Operator, class Source>
__device__ typename Source::value value_of_row(const Source &source,
                                               const typename Source::element *row, unsigned count,
                                               unsigned lane, unsigned lanes, unsigned parts)
{
    return value_by_lanes<Operator, typename Source::value>(
        [&](unsigned v) { return partial_of_row<Operator>(source, row, count, v); }, lane, lanes,
        parts);
}

/* A row in which a partial is one vector, of a type with few elements in it, which are not
 * transformed: loops are unrolled. BY_VECTORS: vectors are loaded as such; otherwise element by
 * element, which has fewer bank conflicts where rows differ in how far past 16 bytes they begin. */
template <class Operator, unsigned PARTS, bool BY_VECTORS, class Source>
struct row_of_few_vectors {
    using element = typename Source::element;
    using value = typename Source::value;
    const Source &source;
    const element *row;
    unsigned count, lane, lanes, parts; /* up to PARTS partials of a lane */

    __device__ value partial(unsigned v) const
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
        value so_far = Source::template identity<Operator>();
        if (v * WIDTH >= count)
            return so_far;
        vector<element> x = {};
        if constexpr (BY_VECTORS)
            x = vector_of_row(reinterpret_cast<const vector<element> *>(vector_around(row)),
                              bytes_past_vector(row), v);
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            if (v * WIDTH + e < count) {
                if constexpr (BY_VECTORS)
                    so_far = source.template take_one<Operator, true>(so_far, element_of(x, e));
                else
                    so_far = source.template take_one<Operator, true>(so_far, row[v * WIDTH + e]);
            }
        return so_far;
    }

    /* Of this lane's parts `part`, part + STRIDE, …: halves first. */
    template <unsigned STRIDE>
    __device__ value aggregate(unsigned part) const
    {
        if constexpr (STRIDE == PARTS) {
            return partial(lane + part * lanes);
        } else {
            const value first = aggregate<2 * STRIDE>(part);
            return STRIDE < parts ? Operator::combine(first, aggregate<2 * STRIDE>(part + STRIDE))
                                  : first;
        }
    }

    /* What value_of_row() gives. */
    __device__ value combined() const
    {
        return reduce_warp<Operator>(aggregate<1>(0), lanes);
    }
};

template <class Operator, unsigned PARTS, bool BY_VECTORS, class Source>
__device__ typename Source::value
value_of_few_vectors(const Source &source, const typename Source::element *row, unsigned count,
                     unsigned lane, unsigned lanes, unsigned parts = PARTS)
{
    return row_of_few_vectors<Operator, PARTS, BY_VECTORS, Source>{source, row,   count,
                                                                   lane,   lanes, parts}
        .combined();
}

} // namespace

#endif
