/* Tiles on the GPU, in the order of order.cuh, and the passes over a line's tiles. */
#ifndef PRIM_REDUCE_TILES_CUH
#define PRIM_REDUCE_TILES_CUH

#include "common/launch.cuh"
#include "common/shared.cuh"
#include "common/unroll.cuh"
#include "reduce/dispatch.cuh"
#include "reduce/sources.cuh"

namespace
{

constexpr unsigned WARP = 32, ALL_LANES = 0xffffffffu, EIGHTH = LANES / WARP;

/* A line of a source: its first element, and how many there are. */
struct line {
    size_t at, count;
};

/* ---- lanes ---- */

/* A lane of a tile that is whole, without a transform: all loads come first, so that they are under
 * way at once. */
template <class Operator, class Source>
__device__ typename Source::value lane_of_whole_tile(const Source &source, const line &l,
                                                     size_t first)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    typename Source::loaded x[TILE_DEPTH];
    typename Source::value so_far = Source::template start<Operator>();
    PRIM_UNROLL(TILE_DEPTH)
    for (unsigned k = 0; k < TILE_DEPTH; k++)
        x[k] = source.load(l.at + (first + k * LANES) * WIDTH);
    PRIM_UNROLL(TILE_DEPTH)
    for (unsigned k = 0; k < TILE_DEPTH; k++)
        so_far = source.template take<Operator, true>(so_far, x[k], (first + k * LANES) * WIDTH);
    return so_far;
}

/* The same for any tile. Many narrow elements are not unrolled: the registers that would take cost
 * more threads than the loads under way gain. */
template <class Operator, class Source>
__device__ typename Source::value lane_of_any_tile(const Source &source, const line &l,
                                                   size_t first)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    typename Source::value so_far = Source::template start<Operator>();
    PRIM_UNROLL(WIDTH <= 4 ? TILE_DEPTH : 1)
    for (unsigned k = 0; k < TILE_DEPTH; k++) {
        const size_t index = (first + k * LANES) * WIDTH;
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
__device__ typename Source::value lane_value(const Source &source, const line &l, unsigned tile,
                                             unsigned lane)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const size_t tile_begin = static_cast<size_t>(tile) * TILE_VECTORS, first = tile_begin + lane;
    if (source.aligned && source.plain() && (tile_begin + TILE_VECTORS) * WIDTH <= l.count)
        return lane_of_whole_tile<Operator>(source, l, first);
    return lane_of_any_tile<Operator>(source, l, first);
}

/* ---- halves first ---- */

/* Lanes t, t + 32, …, t + 224 into the first of them. */
template <class Operator, typename Value>
__device__ Value combine_eighths(Value (&eighth)[EIGHTH])
{
    PRIM_UNROLL(EIGHTH)
    for (unsigned half = EIGHTH / 2; half > 0; half /= 2)
        PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < half; j++)
        eighth[j] = Operator::combine(eighth[j], eighth[j + half]);
    return eighth[0];
}

template <typename T>
__device__ T from_lane_below(T value, unsigned stride)
{
    return __shfl_down_sync(ALL_LANES, value, stride);
}

template <typename Key>
__device__ candidate<Key> from_lane_below(candidate<Key> value, unsigned stride)
{
    return {__shfl_down_sync(ALL_LANES, value.key, stride),
            __shfl_down_sync(ALL_LANES, value.index, stride)};
}

/* Lanes 0 … width - 1 of a warp, and every next so many, into the first of them. */
template <class Operator, typename Value>
__device__ Value combine_warp(Value value, unsigned width)
{
    for (unsigned stride = width / 2; stride > 0; stride /= 2)
        value = Operator::combine(value, from_lane_below(value, stride));
    return value;
}

/* What 256 threads hold, through `shared`; thread 0 … 31 call with the result in thread 0. */
template <class Operator, typename Value>
__device__ Value combine_lanes(const Value *shared, unsigned t)
{
    Value eighth[EIGHTH];
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        eighth[j] = shared[t + j * WARP];
    return combine_warp<Operator>(combine_eighths<Operator>(eighth), WARP);
}

/* ---- a tile for each block ---- */

/* Where a pass leaves its values: for another pass, or as results. */
template <typename Value, typename Result>
struct destination {
    Value *values; /* NULL in the last pass */
    size_t values_ld;
    Result result;

    __device__ void store(size_t row, unsigned tile, Value value) const
    {
        if (values != nullptr)
            values[row * values_ld + tile] = value;
        else
            result.store(row, value);
    }
};

/* Six blocks on a multiprocessor keep 96 KiB under way, which is more than memory needs. */
template <class Operator, class Source, class Destination>
__global__ void __launch_bounds__(LANES, blocks_at_once(LANES, 6))
    reduce_tiles(Source source, size_t ld, size_t count, unsigned tiles, Destination to)
{
    using value = typename Source::value;
    PRIM_SHARED(value, lanes, [LANES]);
    const unsigned t = threadIdx.x;
    /* A vector's blocks are spared the division. */
    const unsigned row = tiles == gridDim.x ? 0 : blockIdx.x / tiles;
    const unsigned tile = blockIdx.x - row * tiles;

    let_next_launch_in();
    wait_for_earlier_launches();
    lanes[t] = lane_value<Operator>(source, line{row * ld, count}, tile, t);
    __syncthreads();
    if (t >= WARP)
        return;
    const value result = combine_lanes<Operator>(lanes, t);
    if (t == 0)
        to.store(row, tile, result);
}

/* ---- rows of up to 256 vectors: a warp for each, or some lanes of one ---- */

/* Each thread takes eight vectors: those of eight lanes of one row, or of one lane of eight rows.
 * The first begins at `at`, with the row's element `index`, and so does the next so much further.
 */
struct eight_vectors {
    size_t at, step;
    size_t index, index_step;
    unsigned whole;  /* so many are there in full; */
    unsigned broken; /* of vector j with bit j set, only the first elements are: */
    unsigned rest;   /* so many */
};

/* Lane `lane` of a row of more than 32 vectors. */
template <unsigned WIDTH>
__device__ eight_vectors of_one_row(const line &l, unsigned lane)
{
    const unsigned vectors = static_cast<unsigned>(l.count / WIDTH);
    const unsigned whole = vectors <= lane ? 0 : (vectors - lane - 1) / WARP + 1;
    const bool ends_here = vectors >= lane && (vectors - lane) % WARP == 0;
    const size_t index = lane * WIDTH, step = WARP * WIDTH;
    return {l.at + index,
            step,
            index,
            step,
            whole,
            ends_here ? 1u << whole : 0,
            static_cast<unsigned>(l.count % WIDTH)};
}

/* Lane v of `rows` rows that are `step` apart. */
template <unsigned WIDTH>
__device__ eight_vectors of_eight_rows(const line &first, size_t step, unsigned rows, unsigned v)
{
    const unsigned vectors = static_cast<unsigned>(first.count / WIDTH);
    return {first.at + v * WIDTH,
            step,
            v * WIDTH,
            0,
            v < vectors ? rows : 0,
            v == vectors ? (1u << rows) - 1 : 0,
            static_cast<unsigned>(first.count % WIDTH)};
}

/* Eight vectors of narrow elements, transformed, are more code than they are worth. */
template <class Source>
constexpr bool TRANSFORMED_BY_VECTORS = VECTOR_ELEMENTS<typename Source::element> <= 4;

template <class Source>
__host__ __device__ bool rows_by_vectors(const Source &source)
{
    return source.aligned && (source.plain() || TRANSFORMED_BY_VECTORS<Source>);
}

template <class Operator, bool PLAIN, class Source>
__device__ void take_whole(const Source &source, const eight_vectors &e,
                           typename Source::value (&so_far)[EIGHTH])
{
    typename Source::loaded x[EIGHTH];
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        if (j < e.whole)
            x[j] = source.load(e.at + j * e.step);
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        if (j < e.whole)
            so_far[j] =
                source.template take<Operator, PLAIN>(so_far[j], x[j], e.index + j * e.index_step);
}

template <class Operator, class Source>
__device__ void take_eight(const Source &source, const eight_vectors &e,
                           typename Source::value (&so_far)[EIGHTH])
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        so_far[j] = Source::template start<Operator>();
    if (source.aligned && source.plain())
        take_whole<Operator, true>(source, e, so_far);
    else if constexpr (TRANSFORMED_BY_VECTORS<Source>)
        if (source.aligned)
            take_whole<Operator, false>(source, e, so_far);
    const bool by_vectors = rows_by_vectors(source);
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++) {
        const unsigned one_by_one = !by_vectors && j < e.whole ? WIDTH : 0;
        const unsigned count = e.broken >> j & 1 ? e.rest : one_by_one;
        so_far[j] = source.template take_some<Operator, 1>(so_far[j], e.at + j * e.step,
                                                           e.index + j * e.index_step, count);
    }
}

/* A warp for each row. */
template <class Operator, class Source, class Result>
__device__ void store_row(typename Source::value (&so_far)[EIGHTH], size_t row, unsigned lane,
                          const Result &result)
{
    const typename Source::value value =
        combine_warp<Operator>(combine_eighths<Operator>(so_far), WARP);
    if (lane == 0)
        result.store(row, value);
}

/* `group` lanes for each row, and `rows` of them for each group. */
template <class Operator, class Source, class Result>
__device__ void store_rows(typename Source::value (&so_far)[EIGHTH], size_t row, unsigned rows,
                           unsigned group, unsigned lane, const Result &result)
{
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++) {
        const typename Source::value value = combine_warp<Operator>(so_far[j], group);
        if (lane % group == 0 && j < rows)
            result.store(row + j * (WARP / group), value);
    }
}

/* group: the lanes for a row, a power of two; above 32: a whole warp has one row. For three blocks
 * at a time: of itself, nvcc makes room for four on 8.0, and spills registers. Sixteen elements of
 * a byte to a vector need more of them. */
template <class Operator, class Source, class Result>
__global__ void __launch_bounds__(LANES, sizeof(typename Source::element) == 1 ? 1 : 3)
    reduce_short_rows(Source source, size_t ld, size_t count, size_t rows, unsigned group,
                      Result result)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const bool whole_warp = group > WARP;
    const unsigned lane = threadIdx.x % WARP, apart = whole_warp ? 1 : WARP / group;
    const size_t warp = static_cast<size_t>(blockIdx.x) * (LANES / WARP) + threadIdx.x / WARP;
    const size_t row = whole_warp ? warp : warp * apart * EIGHTH + lane / group;
    const size_t left = row < rows ? (rows - row - 1) / apart + 1 : 0;
    const unsigned mine = static_cast<unsigned>(left < EIGHTH ? left : EIGHTH);
    const line first = {row * ld, count};

    let_next_launch_in();
    wait_for_earlier_launches();
    if (whole_warp && mine == 0)
        return;
    typename Source::value so_far[EIGHTH];
    take_eight<Operator>(source,
                         whole_warp ? of_one_row<WIDTH>(first, lane)
                                    : of_eight_rows<WIDTH>(first, apart * ld, mine, lane % group),
                         so_far);
    if (whole_warp)
        store_row<Operator, Source>(so_far, row, lane, result);
    else
        store_rows<Operator, Source>(so_far, row, mine, group, lane, result);
}

/* ---- passes ---- */

/* Does every line begin at a multiple of 16 bytes? */
template <typename In>
bool is_aligned(const prim_reduce_args *args)
{
    const auto misses = [](size_t bytes) { return bytes % VECTOR_BYTES != 0; };
    return !misses(reinterpret_cast<uintptr_t>(args->in)) &&
           !misses(reinterpret_cast<uintptr_t>(args->in_y)) &&
           (args->rows <= 1 || !misses(args->ld * sizeof(In)));
}

template <class Operator, class Source, class Result>
cudaError_t reduce_rows_at_once(const Source &source, const prim_reduce_args *args,
                                const Result &result)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    unsigned group = 1; /* 64: a whole warp and more */
    while (group <= WARP && group * WIDTH < args->columns)
        group *= 2;
    const size_t rows_a_warp = group > WARP ? 1 : WARP / group * EIGHTH;
    const size_t rows_a_block = rows_a_warp * (LANES / WARP);
    return prim_launch_early(args->call.stream,
                             static_cast<unsigned>((args->rows - 1) / rows_a_block + 1), LANES,
                             reduce_short_rows<Operator, Source, Result>, source, args->ld,
                             args->columns, args->rows, group, result);
}

/* ---- the last pass: up to 256 vectors of values, a warp for each row ---- */

/* Eight loads a lane, no shared memory and no barrier: half of what a sum of 2^20 floats takes is
 * waiting for this. */
template <class Operator, typename Value, class Result>
__global__ void __launch_bounds__(LANES)
    reduce_few_values(values<Value> source, size_t ld, unsigned count, unsigned rows, Result result)
{
    const unsigned lane = threadIdx.x % WARP;
    const unsigned row = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
    const line l = {row * ld, count};
    let_next_launch_in();
    if (row < rows && lane < count)
        prefetch(&source.in[l.at + lane]);
    wait_for_earlier_launches();
    if (row >= rows)
        return;
    Value so_far[EIGHTH];
    take_eight<Operator>(source, of_one_row<VECTOR_ELEMENTS<Value>>(l, lane), so_far);
    store_row<Operator, values<Value>>(so_far, row, lane, result);
}

template <class Operator, typename Value, class Result>
cudaError_t reduce_last_values(const prim_reduce_args *args, const Value *from, size_t count,
                               const Result &result)
{
    const unsigned rows = static_cast<unsigned>(args->rows);
    const unsigned warps = rows < LANES / WARP ? rows : LANES / WARP;
    return prim_launch_early(args->call.stream, (rows - 1) / warps + 1, warps * WARP,
                             reduce_few_values<Operator, Value, Result>, values<Value>{from},
                             values_ld<Value>(count), static_cast<unsigned>(count), rows, result);
}

/* The values that the first pass left, until there is one for each row. */
template <class Operator, typename Value, class Result>
cudaError_t reduce_values(const prim_reduce_args *args, Value *from, size_t count,
                          const Result &result)
{
    const unsigned rows = static_cast<unsigned>(args->rows);
    while (count > LANES * VECTOR_ELEMENTS<Value>) {
        const size_t ld = values_ld<Value>(count), tiles = tiles_of<Value>(count);
        Value *const next = from + rows * ld;
        const destination<Value, Result> to = {tiles == 1 ? nullptr : next, values_ld<Value>(tiles),
                                               result};
        const cudaError_t error =
            prim_launch_early(args->call.stream, static_cast<unsigned>(rows * tiles), LANES,
                              reduce_tiles<Operator, values<Value>, destination<Value, Result>>,
                              values<Value>{from}, ld, count, static_cast<unsigned>(tiles), to);
        if (error != cudaSuccess || tiles == 1)
            return error;
        from = next;
        count = tiles;
    }
    return reduce_last_values<Operator>(args, from, count, result);
}

template <class Operator, class Source, class Result>
cudaError_t reduce_in_tiles(const Source &source, const prim_reduce_args *args,
                            const Result &result)
{
    using value = typename Source::value;
    using element = typename Source::element;
    if (args->rows == 0)
        return cudaSuccess;
    if constexpr (Source::has_rows) {
        /* Element by element, a warp does well with short rows only. */
        const unsigned most_vectors = rows_by_vectors(source) ? LANES : WARP;
        if (args->rows > 1 && args->columns <= most_vectors * VECTOR_ELEMENTS<element>)
            return reduce_rows_at_once<Operator>(source, args, result);
    }
    const size_t tiles = tiles_of<element>(args->columns);
    value *const left = tiles == 1 ? nullptr : static_cast<value *>(args->call.workspace);
    const destination<value, Result> to = {left, values_ld<value>(tiles), result};
    const cudaError_t error =
        prim_launch_early(args->call.stream, static_cast<unsigned>(args->rows * tiles), LANES,
                          reduce_tiles<Operator, Source, destination<value, Result>>, source,
                          args->ld, args->columns, static_cast<unsigned>(tiles), to);
    return error != cudaSuccess || tiles == 1 ? error
                                              : reduce_values<Operator>(args, left, tiles, result);
}

/* Results of one value each. */
template <typename Out>
struct results {
    Out *out;

    template <typename Value>
    __device__ void store(size_t row, Value value) const
    {
        out[row] = finished<Out>(value);
    }
};

} // namespace

#endif
