/* Reductions of segments, the last launches: the values of a long segment's tiles
 * (segment_plan.cuh) form a line, which is combined in the order of order.h.
 *
 *     values      c c c c c c c c c …        one for each tile
 *     next level  c       c       c …        one for each tile of values, where its first one was
 *
 * A thread for each window checks whether values begin there. It combines a few of them alone, and
 * its warp more: up to 4096 of 4 bytes, the values of 64 MiB of elements. For longer segments a
 * second launch has a warp each.
 *
 * There is so little to do that the kernel branches on operator and result type, and only the type
 * of values is a template argument. Values are turned, as common/math/turned.cuh says.
 *
 * Bytes: 32 for each window, and the values. Steps: a few loads that wait for each other. */
#include "common/block/warp.cuh"
#include "common/math/values.cuh"
#include "reduce/segments/segment_plan.cuh"
#include "reduce/segments/segments.h"
#include "reduce/tile/results.cuh"
#include "reduce/tile/tile.cuh"

namespace
{
namespace segment_values
{

constexpr unsigned BLOCK = 128;

template <typename Value>
constexpr unsigned VALUES_OF_TILE = TILE_VECTORS *VECTOR_ELEMENTS<Value>;

/* ---- lines of values ---- */

/* A segment of more than a tile. */
struct long_segment {
    size_t segment, window, tiles; /* the window that it begins in; tiles 0: there is none */
};

/* A long segment's values of one level, which lie some windows apart. */
template <typename Value>
struct value_line {
    Value *first, *others;
    size_t apart, count;

    __device__ Value *at(size_t i) const
    {
        return i == 0 ? first : &others[i * apart];
    }
};

template <typename Value>
__device__ value_line<Value> line_of(const segment_plan &p, const long_segment &s, size_t apart,
                                     size_t count)
{
    return {static_cast<Value *>(p.firsts) + s.window, static_cast<Value *>(p.others) + s.window,
            apart, count};
}

/* Combines one vector of a partial. */
template <class Operator, typename Value>
__device__ Value take_values(Value so_far, const value_line<Value> &line, size_t i)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<Value>;
    Value x[WIDTH] = {};
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (i + e < line.count)
            x[e] = *line.at(i + e);
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (i + e < line.count)
            so_far = Operator::combine(so_far, x[e]);
    return so_far;
}

/* Up to this many values are at most four partials. */
template <typename Value>
constexpr unsigned FEW_VALUES = 4 * VECTOR_ELEMENTS<Value>;

template <class Operator, typename Value>
__device__ Value few_values(const value_line<Value> &line)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<Value>;
    Value partial[4];
    PRIM_UNROLL(4)
    for (unsigned v = 0; v < 4; v++)
        partial[v] = take_values<Operator>(Operator::template identity<Value>(), line, v * WIDTH);
    return Operator::combine(Operator::combine(partial[0], partial[2]),
                             Operator::combine(partial[1], partial[3]));
}

/* A tile of values, from value `first` on, by a warp; the result is in lane 0. */
template <class Operator, typename Value>
__device__ Value tile_of_values(const value_line<Value> &line, size_t first, unsigned lane)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<Value>;
    Value so_far[EIGHTH];
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        so_far[j] = Operator::template identity<Value>();
    PRIM_UNROLL(1)
    for (unsigned v = lane; v < TILE_VECTORS && first + (v - lane) * WIDTH < line.count;
         v += PARTIALS) {
        PRIM_UNROLL(EIGHTH)
        for (unsigned j = 0; j < EIGHTH; j++)
            so_far[j] = take_values<Operator>(so_far[j], line, first + (v + j * WARP) * WIDTH);
    }
    return reduce_warp<Operator>(combine_eighths<Operator>(so_far));
}

/* ---- which values a thread has ---- */

__device__ inline long_segment long_segment_at(const segment_plan &p, size_t segment)
{
    const size_t length = p.length(segment);
    return {segment, p.key(segment) >> p.tile_bits, length > p.tile() ? p.tiles_of(length) : 0};
}

/* The long segment that begins in the window. */
[[maybe_unused]] __device__ inline long_segment segment_beginning_in(const segment_plan &p,
                                                                     size_t window)
{
    const size_t first = p.begins[window].segment(), behind = p.begins[window + 1].segment();
    long_segment s = {0, 0, 0};
    if (behind > first)
        s = long_segment_at(p, behind - 1);
    if (s.window != window) /* only where offsets do not ascend */
        s.tiles = 0;
    return s;
}

/* The long segment that began before the window and goes on in it. */
[[maybe_unused]] __device__ inline long_segment segment_continuing_in(const segment_plan &p,
                                                                      size_t window)
{
    const size_t behind = p.begins[window].segment();
    long_segment s = {0, 0, 0};
    if (behind > 0)
        s = long_segment_at(p, behind - 1);
    if (window <= s.window || window - s.window >= s.tiles)
        s.tiles = 0;
    return s;
}

/* Broadcasts that of one lane to all. */
[[maybe_unused]] __device__ inline long_segment broadcast_from(const long_segment &mine,
                                                               unsigned lane)
{
    const int from = static_cast<int>(lane);
    return {__shfl_sync(ALL_LANES, mine.segment, from), __shfl_sync(ALL_LANES, mine.window, from),
            __shfl_sync(ALL_LANES, mine.tiles, from)};
}

/* ---- a warp's work ---- */

/* One level of a segment's values, or one tile of it. */
struct level {
    size_t apart, count, first;
};

/* The level that an earlier launch left of a segment with more than a tile of values; this warp
 * does all further levels, which are small. */
template <typename Value>
__device__ level level_of(const long_segment &s, size_t window, bool longest)
{
    constexpr size_t TILE = VALUES_OF_TILE<Value>;
    return longest ? level{TILE, (s.tiles + TILE - 1) / TILE, 0}
                   : level{1, s.tiles, window - s.window};
}

/* A tile's value takes the place of its first one, or is the result. */
template <class Operator, typename Value>
__device__ void combine_segment(const segment_plan &p, const results_of_values<Value> &to,
                                const long_segment &s, level l, bool longest)
{
    constexpr size_t TILE = VALUES_OF_TILE<Value>;
    const unsigned lane = threadIdx.x % WARP;
    PRIM_UNROLL(1)
    while (true) {
        const value_line<Value> line = line_of<Value>(p, s, l.apart, l.count);
        const Value value = tile_of_values<Operator>(line, l.first, lane);
        const bool is_result = l.count <= TILE;
        __syncwarp(); /* the first value has been read */
        if (lane == 0 && is_result)
            to.store(s.segment, value);
        else if (lane == 0)
            *line.at(l.first) = value;
        __syncwarp();
        if (is_result || !longest)
            return;
        l.first += TILE;
        if (l.first >= l.count)
            l = {l.apart * TILE, (l.count + TILE - 1) / TILE, 0};
    }
}

/* ---- who has what ---- */

/* A segment of more than a tile of values covers a window whose number is a multiple of that many;
 * the first lane of a warp checks such a window. */
template <typename Value>
__device__ long_segment find_longest(const segment_plan &p)
{
    constexpr size_t TILE = VALUES_OF_TILE<Value>;
    const size_t thread = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t window = (thread / WARP + 1) * TILE;
    long_segment s = {0, 0, 0};
    if (thread % WARP == 0 && window < p.windows)
        s = segment_continuing_in(p, window);
    if (s.tiles <= TILE || window - s.window > TILE)
        s.tiles = 0;
    return s;
}

/* The long segment that begins in the window, or goes on there with a tile of its values. */
template <typename Value>
__device__ long_segment find_in(const segment_plan &p, size_t window, bool goes_on)
{
    long_segment s = {0, 0, 0};
    if (window < p.windows)
        s = goes_on ? segment_continuing_in(p, window) : segment_beginning_in(p, window);
    if ((window - s.window) % VALUES_OF_TILE<Value> != 0)
        s.tiles = 0;
    return s;
}

template <class Operator, typename Value>
__device__ void combine_values(const segment_plan &p, const results_of_values<Value> &to,
                               bool longest)
{
    const size_t window = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
    PRIM_UNROLL(1)
    for (unsigned pass = 0; pass < (longest ? 1 : 2); pass++) {
        long_segment mine = longest ? find_longest<Value>(p) : find_in<Value>(p, window, pass == 1);
        if (mine.tiles > 0 && mine.tiles <= FEW_VALUES<Value>) {
            to.store(mine.segment, few_values<Operator>(line_of<Value>(p, mine, 1, mine.tiles)));
            mine.tiles = 0;
        }
        const unsigned have = __ballot_sync(ALL_LANES, mine.tiles > 0);
        PRIM_UNROLL(1)
        for (unsigned from = 0; from < WARP; from++) {
            if ((have >> from & 1) == 0)
                continue;
            const long_segment s = broadcast_from(mine, from);
            const size_t there = window - threadIdx.x % WARP + from;
            combine_segment<Operator, Value>(p, to, s, level_of<Value>(s, there, longest), longest);
        }
    }
}

/* ---- the kernel ---- */

template <typename Value>
__global__ void __launch_bounds__(BLOCK, 4)
    combine_segments(segment_plan p, prim_op op, results_of_values<Value> to, bool longest)
{
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (op == PRIM_OP_SUM)
        combine_values<sum_operator>(p, to, longest);
    else if (op == PRIM_OP_PRODUCT)
        combine_values<product_operator>(p, to, longest);
    else if (op == PRIM_OP_MIN || op == PRIM_OP_MAX)
        combine_values<max_operator>(p, to, longest);
    else if constexpr (std::is_integral<Value>::value) {
        if (op == PRIM_OP_XOR)
            combine_values<xor_operator>(p, to, longest);
        else
            combine_values<or_operator>(p, to, longest);
    }
}

/* ---- the launches ---- */

template <typename Value>
cudaError_t launch(const prim_reduce_args *args, const segment_plan &p, size_t threads,
                   bool longest)
{
    return prim_launch_dependent(
        {args->call.stream, static_cast<unsigned>(prim_divide_up(threads, BLOCK)), BLOCK},
        combine_segments<Value>, p, args->op, results_of_any<Value>(args), longest);
}

/* As many launches as the longest possible segment needs. */
template <typename Value>
cudaError_t combine_all(const prim_reduce_args *args)
{
    const segment_plan p = make_segment_plan(args);
    const size_t most = p.tiles_of(args->columns);
    if (most <= 1)
        return cudaSuccess;
    const cudaError_t error = launch<Value>(args, p, p.windows, false);
    if (error != cudaSuccess || most <= VALUES_OF_TILE<Value>)
        return error;
    return launch<Value>(args, p, p.windows / VALUES_OF_TILE<Value> * WARP, true);
}

template <bool IS_BUILT>
cudaError_t combine_for(const prim_reduce_args *args)
{
    if constexpr (IS_BUILT) {
        const cudaDataType_t type = prim_reduce_value_type(args);
        return type == CUDA_R_32F                         ? combine_all<float>(args)
               : type == CUDA_R_64F                       ? combine_all<double>(args)
               : type == CUDA_R_32I || type == CUDA_R_32U ? combine_all<uint32_t>(args)
                                                          : combine_all<uint64_t>(args);
    } else {
        return cudaErrorInvalidDeviceFunction;
    }
}

} // namespace segment_values
} // namespace

cudaError_t prim_reduce_segment_values(const prim_reduce_args *args)
{
    return segment_values::combine_for<is_built_in(PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_SEGMENTS)>(
        args);
}
