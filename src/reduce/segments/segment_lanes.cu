/* Small calls of segments, in one launch: some lanes, a warp or a block for each segment. They read
 * where it begins and ends, and then its elements, right into registers.
 *
 *     lanes    aaaaaa bb . ccc      as many for each as there are threads to spare
 *     warp     ddddddddddddddd      one of up to 256 vectors for which these lanes are too few
 *     block    eeeeeeeeeeeeee…      a longer one, tile by tile
 *
 * There is no window to search, and no value of a tile to combine in a further launch: a small call
 * waits for two reads that depend on each other, and for one launch. What it gives up is balance: a
 * block has its segments, whatever their lengths. So these calls are small (segment_plan.cuh).
 *
 * Each segment is combined in the order of order.h. The kernel branches on the operator, so that
 * there is one for each pair of types. Values are turned, as common/math/turned.cuh says.
 *
 * Work: elements and segments. Bytes: each element once, each offset twice, each result. Steps: an
 * offset, and what the longest segment's tiles take. */
#include "common/kernel/async_copy.cuh"
#include "reduce/segments/segment_plan.cuh"
#include "reduce/segments/segments.h"
#include "reduce/tile/results.cuh"
#include "reduce/tile/row_partials.cuh"

namespace
{
namespace segment_lanes
{

/* Vectors of a segment that a warp combines, in eight partials a lane. */
[[maybe_unused]] constexpr unsigned WARP_VECTORS = WARP * MOST_PARTS;

template <typename Value>
struct room {
    Value partials[2][PARTIALS];
    Value values[MOST_OWN_TILES];
    unsigned long_ones;       /* so many segments are left for the block */
    uint16_t items[PARTIALS]; /* which of the block's */
};

/* The segments of a call, as the kernel's parameter. */
struct small_call {
    segment_plan plan;
    prim_op op;
    unsigned lanes; /* have a segment: a power of two */
};

/* A segment's elements. */
[[maybe_unused]] __device__ inline line elements_of_segment(const segment_plan &p, unsigned segment)
{
    return {p.offset(segment), p.length(segment)};
}

/* ---- up to a warp for a segment ---- */

/* A segment of up to 256 vectors, by some lanes; its value is in the first one. What they load
 * later is prefetched. */
template <class Operator, class Source>
__device__ typename Source::value value_of_line(const Source &source, const line &l, unsigned lane,
                                                unsigned lanes)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const unsigned count = static_cast<unsigned>(l.count);
    PRIM_UNROLL(1)
    for (unsigned v = lane + lanes; v * WIDTH < count; v += lanes)
        prefetch(&source.in[l.at + v * WIDTH]);
    return value_by_lanes<Operator, typename Source::value>(
        [&](unsigned v) {
            return take_any<Operator>(source, Source::template identity<Operator>(), l, v * WIDTH);
        },
        lane, lanes, parts_of_lanes((count + WIDTH - 1) / WIDTH, lanes));
}

/* Each of a warp's segments by its lanes, and then by the warp those that have more vectors. Even
 * longer ones are noted. */
template <class Operator, class Source, class Result>
__device__ void reduce_short_ones(const Source &source, const small_call &call, unsigned first,
                                  room<typename Source::value> &r, const Result &result)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const segment_plan &p = call.plan;
    unsigned lanes = call.lanes, item = threadIdx.x / lanes;
    bool stores = first + item < p.segments;
    line l = {0, 0};
    if (stores)
        l = elements_of_segment(p, first + item);
    const bool leads = (threadIdx.x & (lanes - 1)) == 0, is_long = l.count > WARP_VECTORS * WIDTH,
               is_longer = l.count > lanes * MOST_PARTS * WIDTH;
    if (leads && is_long)
        r.items[atomicAdd(&r.long_ones, 1u)] = static_cast<uint16_t>(item);
    unsigned left = __ballot_sync(ALL_LANES, leads && is_longer && !is_long);
    if (is_longer)
        l.count = 0;
    stores = stores && !is_longer;
    PRIM_UNROLL(1)
    while (true) {
        const unsigned lane = threadIdx.x & (lanes - 1);
        const typename Source::value all = value_of_line<Operator>(source, l, lane, lanes);
        if (lane == 0 && stores)
            result.store(first + item, all);
        if (left == 0)
            return;
        const unsigned from = count_bits((left & (0 - left)) - 1); /* the lowest */
        left &= left - 1;
        lanes = WARP;
        item = (threadIdx.x / WARP * WARP + from) / call.lanes;
        l = elements_of_segment(p, first + item);
        stores = true;
    }
}

/* ---- a block for a segment ---- */

/* The values of tiles, by a warp; the result is in the first lane. */
template <class Operator, typename Value>
__device__ Value value_of_tiles(const Value *values, unsigned tiles)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<Value>, PARTS = MOST_OWN_TILES / (WARP * WIDTH);
    return value_by_lanes<Operator, Value>(
        [&](unsigned v) {
            Value so_far = Operator::template identity<Value>();
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                if (v * WIDTH + e < tiles)
                    so_far = Operator::combine(so_far, values[v * WIDTH + e]);
            return so_far;
        },
        threadIdx.x, WARP, PARTS);
}

/* A tile's partials are combined by one warp, while the others load the next tile, for whose
 * partials there is other room. A further segment may follow: its first value is written behind a
 * barrier that the first warp comes to when it has read these values. */
template <class Operator, class Source, class Result>
__device__ void reduce_long_one(const Source &source, const segment_plan &p, unsigned segment,
                                room<typename Source::value> &r, const Result &result)
{
    constexpr unsigned LINE = 128;
    using value = typename Source::value;
    const line l = elements_of_segment(p, segment);
    const unsigned tiles = static_cast<unsigned>(p.tiles_of(l.count));
    const size_t apart = LINE / sizeof(typename Source::element);
    PRIM_UNROLL(1)
    for (size_t at = p.tile() + threadIdx.x * apart; at < l.count; at += PARTIALS * apart)
        prefetch(&source.in[l.at + at]);
    PRIM_UNROLL(1)
    for (unsigned t = 0; t < tiles; t++) {
        value *const partials = r.partials[t % 2];
        partials[threadIdx.x] = partial_of_tile<Operator>(source, l, t, threadIdx.x);
        __syncthreads();
        if (threadIdx.x / WARP != t % (PARTIALS / WARP))
            continue;
        const value all = combine_partials<Operator>(partials, threadIdx.x % WARP);
        if (threadIdx.x % WARP == 0)
            r.values[t] = all;
    }
    __syncthreads();
    if (threadIdx.x >= WARP)
        return;
    const value all = value_of_tiles<Operator>(r.values, tiles);
    if (threadIdx.x == 0)
        result.store(segment, all);
}

/* ---- the kernel ---- */

template <class Operator, class Source, class Result>
__device__ void reduce_segments_of_block(const Source &source, const small_call &call,
                                         room<typename Source::value> &r, const Result &result)
{
    if (call.lanes == PARTIALS) {
        reduce_long_one<Operator>(source, call.plan, blockIdx.x, r, result);
        return;
    }
    const unsigned first = blockIdx.x * (PARTIALS / call.lanes);
    __syncthreads(); /* none is noted yet */
    reduce_short_ones<Operator>(source, call, first, r, result);
    __syncthreads(); /* all are noted */
    const unsigned long_ones = r.long_ones;
    PRIM_UNROLL(1)
    for (unsigned i = 0; i < long_ones; i++)
        reduce_long_one<Operator>(source, call.plan, first + r.items[i], r, result);
}

/* Blocks on a multiprocessor: narrow elements are the most in a vector. */
template <typename T>
[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = sizeof(T) < 4 ? 3 : 4;

template <class Source, class Result>
__global__ void
__launch_bounds__(PARTIALS, blocks_at_once(PARTIALS, BLOCKS_AT_ONCE<typename Source::element>))
    reduce_by_lanes(Source source, small_call call, Result result)
{
    PRIM_SHARED(room<typename Source::value>, r, );
    if (threadIdx.x == 0)
        r.long_ones = 0;
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (call.op == PRIM_OP_SUM)
        reduce_segments_of_block<sum_operator>(source, call, r, result);
    else if (call.op == PRIM_OP_PRODUCT)
        reduce_segments_of_block<product_operator>(source, call, r, result);
    else if (call.op == PRIM_OP_MIN || call.op == PRIM_OP_MAX)
        reduce_segments_of_block<max_operator>(source, call, r, result);
    else if constexpr (std::is_integral<typename Source::value>::value) {
        if (call.op == PRIM_OP_XOR)
            reduce_segments_of_block<xor_operator>(source, call, r, result);
        else
            reduce_segments_of_block<or_operator>(source, call, r, result);
    }
}

/* ---- the launch ---- */

/* How many threads are enough for a GPU, and from how many vectors on, on average, a segment is a
 * block's: more of them where there are blocks for all. */
constexpr size_t ENOUGH_THREADS = 1 << 17, BLOCK_VECTORS = 64, SPARE_BLOCK_VECTORS = 16;

/* As many as there are threads for. */
[[maybe_unused]] unsigned lanes_of_segment(const prim_reduce_args *args)
{
    const size_t vectors = args->columns * prim_element_bytes(args->in_type) / VECTOR_BYTES;
    const bool has_blocks = args->rows <= ENOUGH_THREADS / PARTIALS;
    if (vectors / args->rows >= (has_blocks ? SPARE_BLOCK_VECTORS : BLOCK_VECTORS))
        return PARTIALS;
    unsigned lanes = WARP;
    while (lanes > 1 && args->rows > ENOUGH_THREADS / lanes)
        lanes /= 2;
    return lanes;
}

struct run_by_lanes : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        using source_type = elements<In, Out>;
        const small_call call = {make_plan_of_lanes(args), args->op, lanes_of_segment(args)};
        const size_t blocks = prim_divide_up(args->rows, PARTIALS / call.lanes);
        return prim_launch_dependent({args->call.stream, static_cast<unsigned>(blocks), PARTIALS},
                                     reduce_by_lanes<source_type, results_t<In, Out>>,
                                     elements_of<In, Out>(args, false), call,
                                     results_of<In, Out>(args));
    }
};

} // namespace segment_lanes
} // namespace

/* Of types alone: the operator is chosen on the device. */
cudaError_t prim_reduce_segments_by_lanes(const prim_reduce_args *args)
{
    return dispatch_sum<is_built_in(PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_SEGMENTS),
                        segment_lanes::run_by_lanes>(args);
}
