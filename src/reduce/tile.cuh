/* A tile on the GPU, in the order of order.h: from elements to 256 partials, and from those to one
 * value. */
#ifndef PRIM_REDUCE_TILE_CUH
#define PRIM_REDUCE_TILE_CUH

#include "common/shared.cuh"
#include "common/warp.cuh"
#include "reduce/order.h"
#include "reduce/sources.cuh"

namespace
{

constexpr unsigned PARTIALS = PRIM_REDUCE_PARTIALS, EIGHTH = PARTIALS / WARP;
constexpr unsigned TILE_DEPTH = PRIM_REDUCE_TILE_DEPTH, TILE_VECTORS = PRIM_REDUCE_TILE_VECTORS;

/* A line of a source: its first element, and how many there are. */
struct line {
    size_t at, count;
};

/* Does every line begin at a multiple of 16 bytes? */
template <typename In>
bool is_aligned(const prim_reduce_args *args)
{
    const size_t ld_bytes = args->ld * sizeof(In);
    return lines_are_aligned(args->in, args->rows, ld_bytes) &&
           lines_are_aligned(args->in_y, args->rows, ld_bytes);
}

/* ---- elements to partials ---- */

/* A partial of a tile that is whole, without a transform: all loads come first, so that they are
 * under way at once. */
template <class Operator, class Source>
__device__ typename Source::value partial_of_whole_tile(const Source &source, const line &l,
                                                        size_t first)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    typename Source::loaded x[TILE_DEPTH];
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(TILE_DEPTH)
    for (unsigned k = 0; k < TILE_DEPTH; k++)
        x[k] = source.load(l.at + (first + k * PARTIALS) * WIDTH);
    PRIM_UNROLL(TILE_DEPTH)
    for (unsigned k = 0; k < TILE_DEPTH; k++)
        so_far = source.template take<Operator, true>(so_far, x[k], (first + k * PARTIALS) * WIDTH);
    return so_far;
}

/* The same for any tile. Many narrow elements are not unrolled: the registers that would take cost
 * more threads than the loads under way gain. */
template <class Operator, class Source>
__device__ typename Source::value partial_of_any_tile(const Source &source, const line &l,
                                                      size_t first)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(WIDTH <= 4 ? TILE_DEPTH : 1)
    for (unsigned k = 0; k < TILE_DEPTH; k++) {
        const size_t index = (first + k * PARTIALS) * WIDTH;
        const size_t left = index < l.count ? l.count - index : 0;
        if (source.aligned && left >= WIDTH)
            so_far =
                source.template take<Operator, false>(so_far, source.load(l.at + index), index);
        else
            so_far = source.template take_some<Operator>(
                so_far, l.at + index, index, static_cast<unsigned>(left < WIDTH ? left : WIDTH));
    }
    return so_far;
}

template <class Operator, class Source>
__device__ typename Source::value partial_of_tile(const Source &source, const line &l,
                                                  unsigned tile, unsigned partial)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const size_t tile_begin = static_cast<size_t>(tile) * TILE_VECTORS,
                 first = tile_begin + partial;
    if (source.aligned && source.plain() && (tile_begin + TILE_VECTORS) * WIDTH <= l.count)
        return partial_of_whole_tile<Operator>(source, l, first);
    return partial_of_any_tile<Operator>(source, l, first);
}

/* ---- halves first ---- */

/* Partials t, t + 32, …, t + 224, which a lane holds, into the first of them. */
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

template <typename Key>
__device__ candidate<Key> shuffle_down(candidate<Key> value, unsigned stride)
{
    return {shuffle_down(value.key, stride), shuffle_down(value.index, stride)};
}

/* All partials of a tile, which lie in shared memory, by one warp; the result is in lane 0. */
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
