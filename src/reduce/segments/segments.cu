/* VECTORIZED, for segments: a block takes the tiles that begin in its window (segment_plan.cuh),
 * copies them into shared memory as they lie, and combines each with a number of lanes that suits
 * its length.
 *
 *     global     ··a bb ccccccc d eeeeeeeeeeee·····     one range, as aligned vectors
 *     shared     ··a bb ccccccc d eeeeeeeeeeee··        the same, as far past 16 bytes
 *     up to   4 vectors   a bb . d      a lane
 *            32           ccccccc       4 lanes         a list of them
 *           256           …             a warp          another
 *          1024           eeeee…        the block, 256 partials through shared memory
 *
 * So a window of short segments, of long ones, or of both is one round of loads, all in flight at
 * once, and one barrier; they differ only in how many lanes combine. Warps take all these kinds of
 * work from one queue, so that none waits for another's kind. A window that is one whole tile, as
 * in a long segment, goes from memory right into registers, as in prim_reduce().
 *
 * Five or six blocks share a multiprocessor: some load while others combine. The order within a
 * tile is that of order.h, so a segment has the bits of prim_reduce(), whatever other segments
 * there are. A tile of a longer segment leaves its value for segment_values.cu.
 *
 * Work: elements and segments. Bytes: each element and each offset once, each result, and 24 or 32
 * for each window, written and read. Steps: a search (segment_windows.cu), a window, and what the
 * longest segment's tiles take.
 * Source: the balance of D. Merrill and M. Garland, Merge-Based Parallel Sparse Matrix-Vector
 * Multiplication, SC16 (2016); cut at tiles, for the sake of the order. */
#include <type_traits>

#include "reduce/segments/segment_plan.cuh"
#include "reduce/segments/segments.h"
#include "reduce/tile/results.cuh"
#include "reduce/tile/row_partials.cuh"
#include "reduce/tile/staged_range.cuh"

namespace
{
namespace segments
{

/* Up to how many vectors of a tile one lane, four lanes or a warp combine; the block combines
 * longer ones. */
#ifndef PRIM_SEGMENT_LANE_VECTORS
#define PRIM_SEGMENT_LANE_VECTORS 4
#endif
#ifndef PRIM_SEGMENT_FEW_LANES
#define PRIM_SEGMENT_FEW_LANES 4
#endif
constexpr unsigned LANE_VECTORS = PRIM_SEGMENT_LANE_VECTORS, FEW_LANES = PRIM_SEGMENT_FEW_LANES,
                   FEW_LANES_VECTORS = FEW_LANES * MOST_PARTS, WARP_VECTORS = WARP * MOST_PARTS;
static_assert(LANE_VECTORS <= MOST_PARTS && (LANE_VECTORS & (LANE_VECTORS - 1)) == 0,
              "a lane has a partial for each vector, and combines halves");

/* ---- what a block has in shared memory ---- */

/* A block has room for less than a window of elements, for a last tile, and for where each item
 * begins, which takes two of the four bytes that the window leaves for each item. Besides there is
 * room for the vectors before the first element and after the last, and for one that splicing
 * reads. */
constexpr unsigned WINDOW_BYTES = TILE_VECTORS * VECTOR_BYTES;
constexpr unsigned ROOM_BYTES = 2 * WINDOW_BYTES + 4 * VECTOR_BYTES;

/* An upper bound of the tiles longer than that many vectors in one window, including its last one
 * and the one that goes on from the window before. */
constexpr unsigned most_items(unsigned vectors)
{
    return TILE_VECTORS / vectors + 2;
}

/* Items that more than a lane combines, in any order. */
template <unsigned MOST>
struct item_list {
    unsigned count;
    uint16_t items[MOST];

    /* Items beyond MOST, which are dropped, exist only where offsets do not ascend. */
    __device__ void push(unsigned item)
    {
        const unsigned at = atomicAdd(&count, 1u);
        if (at < MOST)
            items[at] = static_cast<uint16_t>(item);
    }
    __device__ unsigned size() const
    {
        return count < MOST ? count : MOST;
    }
};

template <typename Value>
struct room {
    alignas(VECTOR_BYTES) unsigned char bytes[ROOM_BYTES];
    Value partials[PARTIALS];
    item_list<most_items(LANE_VECTORS)> for_few_lanes;
    item_list<most_items(FEW_LANES_VECTORS)> for_warps;
    item_list<most_items(WARP_VECTORS)> for_block;
};

/* ---- a window ---- */

/* Item 0 is a tile of a segment that began before the window, empty if there is none; item i is
 * segment first + i - 1, or its first tile. */
struct window {
    size_t number, first; /* segment */
    size_t element;
    unsigned segments, elements;
    unsigned rest;     /* elements of item 0 */
    bool last_is_long; /* the last segment goes on after the window */
};

/* The window between two beginnings, limited to the room, whatever the offsets are. */
template <typename T>
__device__ window window_between(const window_begin &from, const window_begin &to)
{
    constexpr unsigned MOST = 2 * TILE_VECTORS * VECTOR_ELEMENTS<T>;
    const size_t segments = to.segment() > from.segment() ? to.segment() - from.segment() : 0;
    const size_t elements = to.element > from.element ? to.element - from.element : 0;
    window w = {blockIdx.x, from.segment(), from.element, 0, MOST, from.rest(), to.rest() > 0};
    if (elements < MOST)
        w.elements = static_cast<unsigned>(elements);
    const unsigned fit = (2 * WINDOW_BYTES - w.elements * sizeof(T)) / sizeof(uint16_t);
    w.segments = segments < fit ? static_cast<unsigned>(segments) : fit;
    return w;
}

/* A window in shared memory: its elements, and where items begin and the last one ends. */
template <typename T>
struct staged_window {
    T *elements;
    uint16_t *begins; /* of segments + 2 */
};

/* Elements come first, with room for one vector before them and for two after. */
template <typename T>
__device__ staged_window<T> stage_window(const T *in, const segment_plan &p, const window &w,
                                         unsigned char *bytes)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const T *const from = in + w.element;
    const unsigned past = bytes_past_vector(from) / sizeof(T);
    T *const elements = reinterpret_cast<T *>(bytes) + past;
    stage_range(elements, from, w.elements, within_a_vector<T>(w.element),
                within_a_vector<T>(p.count - w.element - w.elements), threadIdx.x, PARTIALS);
    const unsigned vectors = (past + w.elements + WIDTH - 1) / WIDTH + 1;
    return {elements, reinterpret_cast<uint16_t *>(bytes + vectors * VECTOR_BYTES)};
}

template <unsigned WIDTH, typename Value>
__device__ void note_item(room<Value> &r, unsigned item, unsigned count)
{
    const unsigned vectors = (count + WIDTH - 1) / WIDTH;
    if (vectors > WARP_VECTORS)
        r.for_block.push(item);
    else if (vectors > FEW_LANES_VECTORS)
        r.for_warps.push(item);
    else if (vectors > LANE_VECTORS)
        r.for_few_lanes.push(item);
}

/* An offset relative to the window's first element, clamped to the window. */
[[maybe_unused]] __device__ inline unsigned place_in(const window &w, size_t offset)
{
    const size_t place = offset > w.element ? offset - w.element : 0;
    return place < w.elements ? static_cast<unsigned>(place) : w.elements;
}

/* While elements are being copied: where items begin, and on which list they are. */
template <unsigned WIDTH, typename Value>
__device__ void note_items(const segment_plan &p, const window &w, room<Value> &r, uint16_t *begins)
{
    PRIM_UNROLL(1)
    for (unsigned i = threadIdx.x; i < w.segments; i += PARTIALS) {
        const size_t begin = p.offset(w.first + i), end = p.offset(w.first + i + 1);
        const unsigned at = place_in(w, begin), behind = place_in(w, end);
        begins[i + 1] = static_cast<uint16_t>(at);
        note_item<WIDTH>(r, i + 1, behind > at ? behind - at : 0);
    }
    if (threadIdx.x > 0)
        return;
    begins[0] = 0;
    begins[w.segments + 1] = static_cast<uint16_t>(w.elements);
    note_item<WIDTH>(r, 0, w.rest);
}

/* ---- combining items ---- */

/* Stores an item's value, or its result. */
template <typename Value, class Result>
__device__ void store_item(const segment_plan &p, const window &w, unsigned item, Value value,
                           const Result &result)
{
    if (item == 0)
        static_cast<Value *>(p.others)[w.number] = value;
    else if (item == w.segments && w.last_is_long)
        static_cast<Value *>(p.firsts)[w.number] = value;
    else
        result.store(w.first + item - 1, value);
}

/* What a block's threads share once all of it is there. */
template <class Source, class Result>
struct staged_items {
    using element = typename Source::element;
    using value = typename Source::value;

    const Source &source;
    const segment_plan &p;
    const window &w;
    staged_window<element> staged;
    const Result &result;

    __device__ unsigned length(unsigned item) const
    {
        const unsigned begin = staged.begins[item], end = staged.begins[item + 1];
        return end > begin ? end - begin : 0;
    }
    __device__ const element *elements(unsigned item) const
    {
        return staged.elements + staged.begins[item];
    }
    __device__ void store(unsigned item, value combined) const
    {
        store_item(p, w, item, combined, result);
    }
};

/* An item's value, by LANES neighbouring lanes, up to eight partials each; in the first lane. */
template <class Operator, unsigned LANES, class Items>
__device__ typename Items::value value_of_item(const Items &all, const typename Items::element *row,
                                               unsigned count, unsigned lane)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Items::element>;
    const unsigned parts = parts_of_lanes((count + WIDTH - 1) / WIDTH, LANES);
    return value_of_row<Operator>(all.source, row, count, lane, LANES, parts);
}

template <class Operator, class Items>
__device__ void combine_by_block(const Items &all, room<typename Items::value> &r)
{
    const unsigned items = r.for_block.size();
    PRIM_UNROLL(1)
    for (unsigned i = 0; i < items; i++) {
        const unsigned item = r.for_block.items[i];
        if (i > 0)
            __syncthreads(); /* the partials before have been combined */
        r.partials[threadIdx.x] =
            partial_of_row<Operator>(all.source, all.elements(item), all.length(item), threadIdx.x);
        __syncthreads();
        if (threadIdx.x >= WARP)
            continue;
        const typename Items::value result = combine_partials<Operator>(r.partials, threadIdx.x);
        if (threadIdx.x == 0)
            all.store(item, result);
    }
}

/* Whether the condition holds for no lane; all lanes of the warp call it. */
[[maybe_unused]] __device__ inline bool none_of_warp(bool condition)
{
    return __ballot_sync(ALL_LANES, condition) == 0;
}

/* With as many partials as the warp's longest item has: all others would hold the identity. */
template <class Operator, unsigned LANES, class Items>
__device__ typename Items::value
value_of_plain(const Items &all, const typename Items::element *row, unsigned count, unsigned lane)
{
    constexpr unsigned OF_ONE = LANES * VECTOR_ELEMENTS<typename Items::element>;
    if (none_of_warp(count > 2 * OF_ONE))
        return value_of_few_vectors<Operator, 2, true>(all.source, row, count, lane, LANES);
    if (none_of_warp(count > 4 * OF_ONE))
        return value_of_few_vectors<Operator, 4, true>(all.source, row, count, lane, LANES);
    return value_of_few_vectors<Operator, MOST_PARTS, true>(all.source, row, count, lane, LANES);
}

/* The unit-th group of items of a list: as many as a warp has lanes for. */
template <class Operator, unsigned LANES, class Items, unsigned MOST>
__device__ void combine_listed(const Items &all, const item_list<MOST> &list, unsigned unit)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Items::element>;
    const unsigned lane = threadIdx.x % LANES, items = list.size();
    const unsigned i = (unit * WARP + threadIdx.x % WARP) / LANES;
    const unsigned item = list.items[i < items ? i : 0], count = i < items ? all.length(item) : 0;
    typename Items::value result;
    if (WIDTH <= 4 && all.source.plain())
        result = value_of_plain<Operator, LANES>(all, all.elements(item), count, lane);
    else
        result = value_of_item<Operator, LANES>(all, all.elements(item), count, lane);
    if (i < items && lane == 0)
        all.store(item, result);
}

/* For many elements in a vector, unrolled loops would be as much code as all the rest. */
template <class Operator, class Items>
__device__ typename Items::value value_by_lane(const Items &all, const typename Items::element *row,
                                               unsigned count)
{
    if constexpr (VECTOR_ELEMENTS<typename Items::element> <= 4)
        if (all.source.plain())
            return value_of_few_vectors<Operator, LANE_VECTORS, true>(all.source, row, count, 0, 1);
    return value_of_item<Operator, 1>(all, row, count, 0);
}

/* Without a list: where there are many items, most of them are so short. */
template <class Operator, class Items>
__device__ void combine_by_lane(const Items &all, unsigned item)
{
    constexpr unsigned MOST = LANE_VECTORS * VECTOR_ELEMENTS<typename Items::element>;
    const unsigned count = item <= all.w.segments ? all.length(item) : MOST + 1;
    if (count <= MOST && (item > 0 || count > 0))
        all.store(item, value_by_lane<Operator>(all, all.elements(item), count));
}

/* All items that are not the block's: a queue of units of a warp's work, the longest items first.
 * The first warp, which has the block's partials to combine, takes from it last. */
template <class Operator, class Items>
__device__ void combine_by_warps(const Items &all, const room<typename Items::value> &r)
{
    const unsigned for_warps = r.for_warps.size(),
                   listed = for_warps + (r.for_few_lanes.size() * FEW_LANES + WARP - 1) / WARP,
                   units = listed + all.w.segments / WARP + 1;
    PRIM_UNROLL(1)
    for (unsigned unit = PARTIALS / WARP - 1 - threadIdx.x / WARP; unit < units;
         unit += PARTIALS / WARP) {
        if (unit < for_warps)
            combine_listed<Operator, WARP>(all, r.for_warps, unit);
        else if (unit < listed)
            combine_listed<Operator, FEW_LANES>(all, r.for_few_lanes, unit - for_warps);
        else
            combine_by_lane<Operator>(all, (unit - listed) * WARP + threadIdx.x % WARP);
    }
}

/* ---- a window that is a tile ---- */

/* Whether the window is one whole tile. Its vectors may be spliced from aligned ones, which must
 * lie in the array. */
template <class Source>
__device__ bool is_whole_tile(const Source &source, const segment_plan &p, const window &w)
{
    using element = typename Source::element;
    const unsigned past = bytes_past_vector(source.in + w.element) / sizeof(element);
    return source.plain() && w.elements == p.tile() &&
           (w.segments == 0 || (w.segments == 1 && w.rest == 0)) &&
           (past == 0 ||
            (w.element >= past && p.count - w.element - w.elements >= VECTOR_ELEMENTS<element>));
}

template <class Operator, class Source, class Result>
__device__ void combine_whole_tile(const Source &source, const segment_plan &p, const window &w,
                                   typename Source::value *partials, const Result &result)
{
    const line l = {w.element, w.elements};
    partials[threadIdx.x] = bytes_past_vector(source.in + w.element) == 0
                                ? partial_of_whole_tile<Operator, true>(source, l, threadIdx.x)
                                : partial_of_whole_tile<Operator, false>(source, l, threadIdx.x);
    __syncthreads();
    if (threadIdx.x >= WARP)
        return;
    const typename Source::value all = combine_partials<Operator>(partials, threadIdx.x);
    if (threadIdx.x == 0)
        store_item(p, w, w.segments, all, result);
}

/* ---- the kernel ---- */

/* Blocks for each multiprocessor: six fill its shared memory; five where six would leave too few
 * registers for a thread. May be set with -D for measurements. */
#ifndef PRIM_SEGMENT_BLOCKS
#define PRIM_SEGMENT_BLOCKS \
    (6 - has_few_registers<Source>() - Source::template turns_wider<Operator>)
#endif

/* The types for which a sixth block would spill: bytes, whose vectors have the most elements;
 * integers of 32 bits; and f32 combined as f64. */
template <class Source>
constexpr bool has_few_registers()
{
    constexpr size_t bytes = sizeof(typename Source::element);
    return bytes == 1 || (bytes == 4 && !std::is_same<typename Source::value, float>::value);
}

template <class Operator, class Source>
[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = PRIM_SEGMENT_BLOCKS;

template <class Operator, class Source, class Result>
__global__ void __launch_bounds__(PARTIALS,
                                  blocks_at_once(PARTIALS, BLOCKS_AT_ONCE<Operator, Source>))
    reduce_segments(Source source, segment_plan p, Result result)
{
    using element = typename Source::element;
    PRIM_SHARED(room<typename Source::value>, r, );
    if (threadIdx.x == 0)
        r.for_few_lanes.count = r.for_warps.count = r.for_block.count = 0;
    trigger_launch_completion();
    grid_dependency_synchronize();
    const window w = window_between<element>(p.begins[blockIdx.x], p.begins[blockIdx.x + 1]);
    if (is_whole_tile(source, p, w)) {
        combine_whole_tile<Operator>(source, p, w, r.partials, result);
        return;
    }
    __syncthreads(); /* the lists are empty */
    const staged_window<element> staged = stage_window(source.in, p, w, r.bytes);
    note_items<VECTOR_ELEMENTS<element>>(p, w, r, staged.begins);
    wait_for_copies();
    __syncthreads();
    const staged_items<Source, Result> all = {source, p, w, staged, result};
    combine_by_block<Operator>(all, r);
    combine_by_warps<Operator>(all, r);
}

struct run_segments : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        using source_type = elements<In, Out>;
        const source_type source = elements_of<In, Out>(args, false);
        const segment_plan plan = make_segment_plan(args);
        const results_t<In, Out> result = results_of<In, Out>(args);
        return prim_launch_dependent(
            {args->call.stream, static_cast<unsigned>(plan.windows), PARTIALS},
            reduce_segments<Operator, source_type, results_t<In, Out>>, source, plan, result);
    }
};

} // namespace segments
} // namespace

const char *prim_reduce_segments_why_not(const prim_reduce_args *args)
{
    return windows_of(args) < 0x7fffffff ? nullptr : PRIM_GRID_TOO_SMALL;
}

size_t prim_reduce_segments_workspace(const prim_reduce_args *args)
{
    return args->rows == 0 || goes_by_lanes(args) ? 0 : segment_plan_bytes(args);
}

prim_reduce_route prim_reduce_segments_route(const prim_reduce_args *args)
{
    return goes_by_lanes(args) ? PRIM_REDUCE_LANES : PRIM_REDUCE_WINDOWS;
}

cudaError_t prim_reduce_launch_segments(const prim_reduce_args *args, prim_reduce_route route)
{
    if (route == PRIM_REDUCE_LANES)
        return prim_reduce_segments_by_lanes(args);
    cudaError_t error = prim_reduce_find_windows(args);
    if (error == cudaSuccess)
        error = dispatch<is_built_in(PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_SEGMENTS),
                         segments::run_segments>(args);
    return error == cudaSuccess ? prim_reduce_segment_values(args) : error;
}
