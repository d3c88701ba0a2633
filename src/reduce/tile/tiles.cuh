/* VECTORIZED's kernels, for elements from any source: a tile for each block, and passes over the
 * tiles' values until one is left for each line. */
#ifndef PRIM_REDUCE_TILES_CUH
#define PRIM_REDUCE_TILES_CUH

#include "common/host/element.h"
#include "common/kernel/async_copy.cuh"
#include "reduce/tile/results.cuh"
#include "reduce/tile/tile.cuh"

namespace
{

/* ---- a tile for each block ---- */

/* Where a pass writes: values for another pass, or results. */
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

template <class Operator, class Source, class Destination>
__global__ void __launch_bounds__(PARTIALS, blocks_at_once(PARTIALS, Source::tile_blocks))
    reduce_tiles(Source source, size_t ld, size_t count, unsigned tiles, Destination to)
{
    using value = typename Source::value;
    PRIM_SHARED(value, partials, [PARTIALS]);
    const unsigned t = threadIdx.x;
    /* No division for a vector. */
    const unsigned row = tiles == gridDim.x ? 0 : blockIdx.x / tiles;
    const unsigned tile = blockIdx.x - row * tiles;

    trigger_launch_completion();
    grid_dependency_synchronize();
    partials[t] = partial_of_tile<Operator>(source, line{row * ld, count}, tile, t);
    __syncthreads();
    if (t >= WARP)
        return;
    const value result = combine_partials<Operator>(partials, t);
    if (t == 0)
        to.store(row, tile, result);
}

template <class Operator, class Source, class Destination>
cudaError_t launch_tiles(const Source &source, const prim_reduce_args *args, size_t tiles,
                         const Destination &to)
{
    return prim_launch_dependent(
        {args->call.stream, static_cast<unsigned>(args->rows * tiles), PARTIALS},
        reduce_tiles<Operator, Source, Destination>, source, args->ld, args->columns,
        static_cast<unsigned>(tiles), to);
}

/* ---- the last pass: up to 256 vectors of values, a warp for each row ---- */

/* A lane has eight partials of one vector each; all loads come first. */
template <class Operator, typename Value>
__device__ void take_eight(const values<Value> &source, const line &l, unsigned lane,
                           Value (&so_far)[EIGHTH])
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<Value>;
    vector<Value> x[EIGHTH];
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++) {
        const size_t index = (lane + j * WARP) * WIDTH;
        if (index + WIDTH <= l.count)
            x[j] = source.template load<true>(l.at + index);
    }
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++) {
        const size_t index = (lane + j * WARP) * WIDTH;
        so_far[j] = Operator::template identity<Value>();
        if (index + WIDTH <= l.count)
            so_far[j] = source.template take<Operator, true>(so_far[j], x[j], index);
        else if (index < l.count)
            so_far[j] = source.template take_some<Operator>(so_far[j], l.at + index, index,
                                                            static_cast<unsigned>(l.count - index));
    }
}

/* No shared memory and no barrier: a sum of 2^20 floats waits for this half of its time. */
template <class Operator, typename Value, class Result>
__global__ void __launch_bounds__(PARTIALS)
    reduce_few_values(values<Value> source, size_t ld, unsigned count, unsigned rows, Result result)
{
    const unsigned lane = threadIdx.x % WARP;
    const unsigned row = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
    const line l = {row * ld, count};
    trigger_launch_completion();
    if (row < rows && lane < count)
        prefetch(&source.in[l.at + lane]);
    grid_dependency_synchronize();
    if (row >= rows)
        return;
    Value so_far[EIGHTH];
    take_eight<Operator>(source, l, lane, so_far);
    const Value all = reduce_warp<Operator>(combine_eighths<Operator>(so_far));
    if (lane == 0)
        result.store(row, all);
}

template <class Operator, typename Value, class Result>
cudaError_t reduce_last_values(const prim_reduce_args *args, const Value *from, size_t count,
                               const Result &result)
{
    const unsigned rows = static_cast<unsigned>(args->rows);
    const unsigned warps = rows < PARTIALS / WARP ? rows : PARTIALS / WARP;
    return prim_launch_dependent({args->call.stream, (rows - 1) / warps + 1, warps * WARP},
                                 reduce_few_values<Operator, Value, Result>, values<Value>{from},
                                 prim_reduce_values_ld(count, sizeof(Value)),
                                 static_cast<unsigned>(count), rows, result);
}

/* The results of further passes: of any type, also where the first one's kernel has but one. */
template <typename Out>
results_of_values<accumulator_t<Out>> further_results(const prim_reduce_args *args,
                                                      const results<Out> &)
{
    return results_of_any<accumulator_t<Out>>(args);
}

/* Others are the same in all passes. */
template <class Result>
Result further_results(const prim_reduce_args *, const Result &result)
{
    return result;
}

/* Reduces the first pass's values until there is one for each row. */
template <class Operator, typename Value, class Result>
cudaError_t reduce_values(const prim_reduce_args *args, Value *from, size_t count,
                          const Result &result)
{
    const unsigned rows = static_cast<unsigned>(args->rows);
    while (count > PARTIALS * VECTOR_ELEMENTS<Value>) {
        const size_t ld = prim_reduce_values_ld(count, sizeof(Value)),
                     tiles = prim_reduce_tiles_of(count, sizeof(Value));
        Value *const next = from + rows * ld;
        const destination<Value, Result> to = {tiles == 1 ? nullptr : next,
                                               prim_reduce_values_ld(tiles, sizeof(Value)), result};
        const cudaError_t error = prim_launch_dependent(
            {args->call.stream, static_cast<unsigned>(rows * tiles), PARTIALS},
            reduce_tiles<Operator, values<Value>, destination<Value, Result>>, values<Value>{from},
            ld, count, static_cast<unsigned>(tiles), to);
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
    const size_t tiles = prim_reduce_tiles_of(args->columns, sizeof(element));
    value *const left = tiles == 1 ? nullptr : static_cast<value *>(args->call.workspace);
    const destination<value, Result> to = {left, prim_reduce_values_ld(tiles, sizeof(value)),
                                           result};
    const cudaError_t error = launch_tiles<Operator>(source, args, tiles, to);
    return error != cudaSuccess || tiles == 1
               ? error
               : reduce_values<Operator>(args, left, tiles, further_results(args, result));
}

/* Only the first pass, of a vector: its tiles' values go to args->out. */
template <class Operator, typename Out, class Source>
cudaError_t launch_tile_values(const Source &source, const prim_reduce_args *args)
{
    using value = typename Source::value;
    using element = typename Source::element;
    const size_t tiles = prim_reduce_tiles_of(args->columns, sizeof(element));
    const destination<value, results_t<element, Out>> to = {static_cast<value *>(args->out), 0,
                                                            results_of<element, Out>(args)};
    return launch_tiles<Operator>(source, args, tiles, to);
}

/* ---- which calls are supported, and their workspace ---- */

/* Bytes of a value. */
inline size_t value_bytes(const prim_reduce_args *args)
{
    return prim_element_bytes(prim_reduce_value_type(args));
}

/* Tiles of the first pass over a line, as many as it takes where up to `front` elements of its
 * first vector are none of it. */
inline size_t first_tiles(const prim_reduce_args *args, size_t front = 0)
{
    const size_t bytes = prim_element_bytes(args->in_type),
                 whole = prim_reduce_tile_elements(bytes);
    const bool one_more = args->columns > 0 && (args->columns - 1) % whole + front >= whole;
    return prim_reduce_tiles_of(args->columns, bytes) + one_more;
}

inline const char *tiles_why_not(const prim_reduce_args *args, size_t first)
{
    return prim_fits_a_grid(args->rows, first) ? nullptr : PRIM_GRID_TOO_SMALL;
}

/* For `first` tiles of each line, whose values have that many bytes. */
inline size_t tiles_workspace(const prim_reduce_args *args, size_t first, size_t bytes)
{
    size_t values = 0;
    for (size_t tiles = first; tiles > 1; tiles = prim_reduce_tiles_of(tiles, bytes))
        values += prim_reduce_values_ld(tiles, bytes);
    return args->rows * values * bytes;
}

} // namespace

#endif
