/* The partials of a row in shared memory, which may begin at any element, and how a lane combines
 * its own. */
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
    for (; v * WIDTH < count; v += PARTIALS) {
        vector<element> x = vectors[v];
        if (past > 0)
            x = spliced<element>(x, vectors[v + 1], past);
        so_far = take_vector<Operator>(source, so_far, x, count - v * WIDTH);
    }
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

} // namespace

#endif
