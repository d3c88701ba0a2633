/* A tile on the GPU, in the order of order.h: elements are combined to 256 partials, and these to
 * one value. */
#ifndef PRIM_REDUCE_TILE_CUH
#define PRIM_REDUCE_TILE_CUH

#include "common/block/warp.cuh"
#include "common/kernel/shared.cuh"
#include "reduce/order.h"
#include "reduce/tile/sources.cuh"

namespace
{

constexpr unsigned PARTIALS = PRIM_REDUCE_PARTIALS, EIGHTH = PARTIALS / WARP;
constexpr unsigned TILE_DEPTH = PRIM_REDUCE_TILE_DEPTH, TILE_VECTORS = PRIM_REDUCE_TILE_VECTORS;

/* A line of a source: its first element, and how many there are. */
struct line {
    size_t at, count;
};

/* Whether every line begins at a multiple of 16 bytes. */
template <typename In>
bool is_aligned(const prim_reduce_args *args)
{
    const size_t ld_bytes = args->ld * sizeof(In);
    return lines_are_aligned(args->in, args->rows, ld_bytes) &&
           lines_are_aligned(args->in_y, args->rows, ld_bytes);
}

/* ---- elements to partials ---- */

/* Whether a line's vector from element `index` on can be loaded as such. Where it does not begin at
 * 16 bytes, the two aligned vectors that hold it are loaded, and neither may reach out of the
 * line. */
template <class Source>
__device__ bool is_loadable(const Source &source, const line &l, size_t index)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    return source.aligned ? index + WIDTH <= l.count && (index > 0 || source.front == 0)
                          : index >= WIDTH && index + 2 * WIDTH <= l.count;
}

/* How many elements of a vector are in the line. */
template <unsigned WIDTH>
__device__ unsigned elements_at(const line &l, size_t index)
{
    const size_t left = index < l.count ? l.count - index : 0;
    return static_cast<unsigned>(left < WIDTH ? left : WIDTH);
}

/* Combines the elements of a vector that cannot be loaded as such. */
template <class Operator, class Source>
__device__ typename Source::value take_end(const Source &source, typename Source::value so_far,
                                           const line &l, size_t index)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const unsigned front = index == 0 ? source.front : 0;
    return source.template take_some<Operator>(so_far, l.at + index + front, index + front,
                                               elements_at<WIDTH>(l, index) - front);
}

/* A partial of a tile whose vectors can all be loaded, without a transform: all loads come first,
 * so that they are in flight at once. */
template <class Operator, bool ALIGNED, class Source>
__device__ typename Source::value partial_of_whole_tile(const Source &source, const line &l,
                                                        size_t first)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    typename Source::loaded x[TILE_DEPTH];
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(TILE_DEPTH)
    for (unsigned k = 0; k < TILE_DEPTH; k++)
        x[k] = source.template load<ALIGNED>(l.at + first * WIDTH, k * PARTIALS * WIDTH);
    PRIM_UNROLL(TILE_DEPTH)
    for (unsigned k = 0; !ALIGNED && k < TILE_DEPTH; k++)
        x[k] = source.complete(x[k], l.at + first * WIDTH, k * PARTIALS * WIDTH);
    PRIM_UNROLL(TILE_DEPTH)
    for (unsigned k = 0; k < TILE_DEPTH; k++)
        so_far = source.template take<Operator, true>(so_far, x[k], (first + k * PARTIALS) * WIDTH);
    return so_far;
}

/* A partial of any tile, for types with few elements in a vector. A partial's vectors lie apart, so
 * at most its first one reaches over the line's beginning, and at most its last over the end: the
 * elements of these are taken one by one, before and after the others, whose loads come first. */
template <class Operator, class Source>
__device__ typename Source::value partial_of_any_tile(const Source &source, const line &l,
                                                      size_t first)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    typename Source::loaded x[TILE_DEPTH];
    typename Source::value so_far = Source::template identity<Operator>();
    const bool at_begin = first == 0 && (!source.aligned || source.front > 0);
    if (at_begin)
        so_far = take_end<Operator>(source, so_far, l, 0);
    PRIM_UNROLL(TILE_DEPTH)
    for (unsigned k = 0; k < TILE_DEPTH; k++) {
        const size_t index = (first + k * PARTIALS) * WIDTH;
        if (is_loadable(source, l, index))
            x[k] = source.template load<false>(l.at + first * WIDTH, k * PARTIALS * WIDTH);
    }
    unsigned done = at_begin ? 1 : 0;
    PRIM_UNROLL(TILE_DEPTH)
    for (unsigned k = 0; k < TILE_DEPTH; k++) {
        const size_t index = (first + k * PARTIALS) * WIDTH;
        if (is_loadable(source, l, index)) {
            so_far = source.template take<Operator, false>(
                so_far, source.complete(x[k], l.at + first * WIDTH, k * PARTIALS * WIDTH), index);
            done = k + 1;
        }
    }
    const size_t rest = (first + done * PARTIALS) * WIDTH;
    if (done < TILE_DEPTH && rest < l.count)
        so_far = take_end<Operator>(source, so_far, l, rest);
    return so_far;
}

/* Combines the vector from element `index` on, or what of it is in the line, without a transform or
 * with one. */
template <class Operator, class Source>
__device__ typename Source::value take_any(const Source &source, typename Source::value so_far,
                                           const line &l, size_t index)
{
    const size_t at = l.at + index;
    if (is_loadable(source, l, index))
        return source.template take<Operator, false>(
            so_far, source.complete(source.template load<false>(at), at), index);
    return take_end<Operator>(source, so_far, l, index);
}

/* A partial of any tile, for narrow types, with many elements in a vector: not unrolled, since that
 * would take so many registers that fewer threads cost more than loads in flight gain. */
template <class Operator, class Source>
__device__ typename Source::value partial_of_any_narrow_tile(const Source &source, const line &l,
                                                             size_t first)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (unsigned k = 0; k < TILE_DEPTH; k++)
        so_far = take_any<Operator>(source, so_far, l, (first + k * PARTIALS) * WIDTH);
    return so_far;
}

/* Each thread decides for itself: only warps at a line's ends diverge. */
template <class Operator, class Source>
__device__ typename Source::value partial_of_tile(const Source &source, const line &l,
                                                  unsigned tile, unsigned partial)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const size_t first = static_cast<size_t>(tile) * TILE_VECTORS + partial;
    const size_t last = (first + (TILE_DEPTH - 1) * PARTIALS) * WIDTH;
    const bool begins = first == 0 && source.front > 0;
    if (source.plain() && source.aligned && !begins && last + WIDTH <= l.count)
        return partial_of_whole_tile<Operator, true>(source, l, first);
    if (source.plain() && !source.aligned && first > 0 && last + 2 * WIDTH <= l.count)
        return partial_of_whole_tile<Operator, false>(source, l, first);
    if constexpr (WIDTH <= 4)
        return partial_of_any_tile<Operator>(source, l, first);
    else
        return partial_of_any_narrow_tile<Operator>(source, l, first);
}

/* ---- halves first ---- */

/* Combines partials t, t + 32, …, t + 224, which a lane holds, into the first of them. */
template <class Operator, typename Value>
__device__ Value combine_eighths(Value (&eighth)[EIGHTH])
{
    PRIM_UNROLL(EIGHTH)
    for (unsigned half = EIGHTH / 2; half > 0; half /= 2) {
        PRIM_UNROLL(EIGHTH)
        for (unsigned j = 0; j < half; j++)
            eighth[j] = Operator::combine(eighth[j], eighth[j + half]);
    }
    return eighth[0];
}

/* Combines all partials of a tile, in shared memory, by one warp; the result is in lane 0. */
template <class Operator, typename Value>
__device__ Value combine_partials(const Value *shared, unsigned lane)
{
    Value eighth[EIGHTH];
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        eighth[j] = shared[lane + j * WARP];
    return reduce_warp<Operator>(combine_eighths<Operator>(eighth));
}

} // namespace

#endif
