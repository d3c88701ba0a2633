/* VECTORIZED, for segments: a block takes what begins in its window (segment_plan.cuh), brings it
 * into shared memory as it lies there, and combines it with as many lanes as each tile is long.
 *
 *     global     ··a bb ccccccc d eeeeeeeeeeee·····     one range, as aligned vectors
 *     shared     ··a bb ccccccc d eeeeeeeeeeee··        the same, as far past 16 bytes
 *     up to   4 vectors   a bb . d      a lane
 *            32           ccccccc       4 lanes         a list of them
 *           256           …             a warp          another
 *          1024           eeeee…        the block, 256 partials through shared memory
 *
 * So a window of short segments, of long ones, or of both is one round of loads, all of them under
 * way at once, and one barrier; what differs is only who combines. Six blocks share a
 * multiprocessor: some load while others combine. The order within a tile is that of order.h, so a
 * segment has the bits of prim_reduce(), whatever lies around it. A tile of a longer segment leaves
 * its value to segment_values.cu.
 *
 * Work: elements and segments. Bytes: each element and each offset once, each result, and 24 or 32
 * for each window, written and read. Steps: a search (segment_windows.cu, or a block's own where
 * segments are few), a window, and what the longest segment's tiles take.
 * Source: the balance of D. Merrill and M. Garland, Merge-Based Parallel Sparse Matrix-Vector
 * Multiplication, SC16 (2016); cut at tiles, for the sake of the order. */
#include "common/async_copy.cuh"
#include "reduce/segment_plan.cuh"
#include "reduce/segments.h"
#include "reduce/warp_rows.cuh"

namespace
{
namespace segments
{

/* Up to so many vectors a tile is a lane's, four lanes', a warp's. More are the block's. */
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

/* Less than a window of elements and a last tile, and where each item begins: two bytes an item,
 * for which the window leaves four. Vectors more: before the first element, behind the last, and
 * one that splicing looks at. */
constexpr unsigned WINDOW_BYTES = TILE_VECTORS * VECTOR_BYTES;
constexpr unsigned ROOM_BYTES = 2 * WINDOW_BYTES + 4 * VECTOR_BYTES;

/* Tiles of more than so many vectors that begin in one window, its last and the one that goes on
 * from the window before among them. */
constexpr unsigned most_items(unsigned vectors)
{
    return TILE_VECTORS / vectors + 2;
}

/* Items that more than a lane combines, in whatever order. */
template <unsigned MOST>
struct item_list {
    unsigned count;
    uint16_t items[MOST];

    /* There are no more, if offsets ascend. */
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
    window_begin ends[2];  /* of this block's window and the next one's */
    unsigned last_is_long; /* the last segment goes on behind the window */
};

/* ---- where the window begins and ends ---- */

/* The first segment whose key is not less, by a warp: each round leaves a 32nd. */
__device__ inline size_t first_segment(const segment_plan &p, size_t key, unsigned lane)
{
    size_t first = 0, left = p.segments;
    PRIM_UNROLL(1)
    while (left > 0) {
        const size_t step = left / WARP + 1, end = first + left;
        const size_t probe = first + (lane + 1) * step - 1;
        const bool is_less = probe < end && p.key(probe) < key;
        const unsigned less = count_bits(__ballot_sync(ALL_LANES, is_less));
        first += less * step < left ? less * step : left;
        left = end - first < step - 1 ? end - first : step - 1;
    }
    return first;
}

/* By the first two warps. What they find for themselves they leave for segment_values.cu. */
__device__ inline void find_ends(const segment_plan &p, window_begin *ends)
{
    const unsigned which = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (which > 1)
        return;
    const size_t window = blockIdx.x + which;
    if (p.segments > FEW_SEGMENTS) {
        if (lane == 0)
            ends[which] = p.begins[window];
        return;
    }
    const size_t key = window << p.tile_bits, segment = first_segment(p, key, lane);
    const window_begin found = {segment, p.first_element(segment, key)};
    if (lane > 0)
        return;
    ends[which] = found;
    if (which == 0 || window == p.windows)
        p.begins[window] = found;
}

/* ---- a window ---- */

/* Item 0 is a tile that goes on from the window before, of no elements if there is none; item i is
 * segment first + i - 1, or its first tile. */
struct window {
    size_t number, first; /* segment */
    size_t element;
    unsigned segments, elements;
};

/* No more than there is room for, whatever the offsets. */
template <typename T>
__device__ window window_between(const window_begin &from, const window_begin &to)
{
    constexpr unsigned MOST = 2 * TILE_VECTORS * VECTOR_ELEMENTS<T>;
    const size_t segments = to.segment > from.segment ? to.segment - from.segment : 0;
    const size_t elements = to.element > from.element ? to.element - from.element : 0;
    window w = {blockIdx.x, from.segment, from.element, 0, MOST};
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

/* Elements first, with a vector's room before them and two behind. */
template <typename T>
__device__ staged_window<T> stage_window(const T *in, const segment_plan &p, const window &w,
                                         unsigned char *bytes)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const T *const from = in + w.element;
    const unsigned past = bytes_past_vector(from) / sizeof(T);
    const size_t behind = p.count - w.element - w.elements;
    T *const elements = reinterpret_cast<T *>(bytes) + past;
    stage_span(elements, from, w.elements, w.element < past, behind < WIDTH);
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

/* From the window's first element on, and inside it. */
__device__ inline unsigned place_in(const window &w, size_t offset)
{
    const size_t place = offset > w.element ? offset - w.element : 0;
    return place < w.elements ? static_cast<unsigned>(place) : w.elements;
}

/* While elements are on their way: where items begin, and who is to combine them. */
template <unsigned WIDTH, typename Value>
__device__ void note_items(const segment_plan &p, const window &w, room<Value> &r, uint16_t *begins)
{
    PRIM_UNROLL(1)
    for (unsigned i = threadIdx.x; i < w.segments; i += PARTIALS) {
        const size_t begin = p.offset(w.first + i), end = p.offset(w.first + i + 1);
        const unsigned at = place_in(w, begin), behind = place_in(w, end);
        begins[i + 1] = static_cast<uint16_t>(at);
        note_item<WIDTH>(r, i + 1, behind > at ? behind - at : 0);
        if (i + 1 == w.segments)
            r.last_is_long = end > begin && end - begin > p.tile();
        if (i == 0)
            note_item<WIDTH>(r, 0, at);
    }
    if (threadIdx.x > 0)
        return;
    begins[0] = 0;
    begins[w.segments + 1] = static_cast<uint16_t>(w.elements);
    if (w.segments == 0)
        note_item<WIDTH>(r, 0, w.elements);
}

/* ---- who combines ---- */

/* What a block's threads share once all of it is there. */
template <class Source, typename Out>
struct staged_items {
    using element = typename Source::element;
    using value = typename Source::value;

    const Source &source;
    const segment_plan &p;
    const window &w;
    staged_window<element> staged;
    bool last_is_long;
    Out *out;

    __device__ unsigned length(unsigned item) const
    {
        const unsigned begin = staged.begins[item], end = staged.begins[item + 1];
        return end > begin ? end - begin : 0;
    }
    __device__ const element *elements(unsigned item) const
    {
        return staged.elements + staged.begins[item];
    }
    __device__ void store(unsigned item, value result) const
    {
        if (item == 0)
            static_cast<value *>(p.others)[w.number] = result;
        else if (item == w.segments && last_is_long)
            static_cast<value *>(p.firsts)[w.number] = result;
        else
            out[w.first + item - 1] = finished<Out>(result);
    }
};

/* By LANES neighbouring lanes, up to eight partials each; the result is in the first one. */
template <class Operator, unsigned LANES, class Items>
__device__ typename Items::value value_of_item(const Items &all, const typename Items::element *row,
                                               unsigned count, unsigned lane)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Items::element>;
    const unsigned vectors = (count + WIDTH - 1) / WIDTH;
    unsigned parts = 1;
    while (parts < MOST_PARTS && parts * LANES < vectors)
        parts *= 2;
    waiting_values<typename Items::value> waiting = {};
    typename Items::value so_far;
    PRIM_UNROLL(1)
    for (unsigned step = 0;; step++) {
        const unsigned v = lane + part_at(step, parts) * LANES;
        so_far = partial_of_row<Operator>(all.source, row, count, v);
        if (waiting.template meet<Operator>(step, parts, so_far))
            break;
    }
    return reduce_warp<Operator>(so_far, LANES);
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

template <class Operator, unsigned LANES, class Items, unsigned MOST>
__device__ void combine_listed(const Items &all, const item_list<MOST> &list)
{
    const unsigned lane = threadIdx.x % LANES, items = list.size();
    PRIM_UNROLL(1)
    for (unsigned first = 0; first < items; first += PARTIALS / LANES) {
        const unsigned i = first + threadIdx.x / LANES;
        const unsigned item = list.items[i < items ? i : 0];
        const typename Items::value result = value_of_item<Operator, LANES>(
            all, all.elements(item), i < items ? all.length(item) : 0, lane);
        if (i < items && lane == 0)
            all.store(item, result);
    }
}

/* The same by one lane, of few elements to a vector: a partial for each of the vectors that there
 * can be, so that no loop has to be counted. The next vector is asked for in any case. */
template <class Operator, bool PLAIN, class Items>
__device__ typename Items::value value_of_short(const Items &all,
                                                const typename Items::element *row, unsigned count)
{
    using element = typename Items::element;
    using value = typename Items::value;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
    const unsigned past = bytes_past_vector(row);
    const vector<element> *const vectors =
        reinterpret_cast<const vector<element> *>(row - past / sizeof(element));
    vector<element> x = vectors[0];
    value partial[LANE_VECTORS];
    PRIM_UNROLL(LANE_VECTORS)
    for (unsigned v = 0; v < LANE_VECTORS; v++) {
        partial[v] = all.source.template identity<Operator>();
        if (v * WIDTH < count) {
            const vector<element> next = vectors[v + 1];
            const vector<element> whole = past > 0 ? spliced<element>(x, next, past) : x;
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                if (v * WIDTH + e < count)
                    partial[v] = all.source.template take_one<Operator, PLAIN>(
                        partial[v], element_of(whole, e));
            x = next;
        }
    }
    PRIM_UNROLL(LANE_VECTORS)
    for (unsigned half = LANE_VECTORS / 2; half > 0; half /= 2) {
        PRIM_UNROLL(LANE_VECTORS)
        for (unsigned j = 0; j < half; j++)
            partial[j] = Operator::combine(partial[j], partial[j + half]);
    }
    return partial[0];
}

/* Of many elements to a vector, unrolled loops would be as much code as all the rest. */
template <class Operator, class Items>
__device__ typename Items::value value_by_lane(const Items &all, const typename Items::element *row,
                                               unsigned count)
{
    if constexpr (VECTOR_ELEMENTS < typename Items::element >> 4)
        return value_of_item<Operator, 1>(all, row, count, 0);
    else
        return all.source.plain() ? value_of_short<Operator, true>(all, row, count)
                                  : value_of_short<Operator, false>(all, row, count);
}

/* No list: most items are among these, if there are many. */
template <class Operator, class Items>
__device__ void combine_by_lanes(const Items &all)
{
    constexpr unsigned MOST = LANE_VECTORS * VECTOR_ELEMENTS<typename Items::element>;
    PRIM_UNROLL(1)
    for (unsigned item = threadIdx.x; item <= all.w.segments; item += PARTIALS) {
        const unsigned count = all.length(item);
        if (count <= MOST && (item > 0 || count > 0))
            all.store(item, value_by_lane<Operator>(all, all.elements(item), count));
    }
}

/* ---- the kernel ---- */

/* Six fill a multiprocessor's shared memory. */
#ifndef PRIM_SEGMENT_BLOCKS
#define PRIM_SEGMENT_BLOCKS (sizeof(typename Source::element) == 1 ? 5 : 6)
#endif
template <class Source>
[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = PRIM_SEGMENT_BLOCKS;

template <class Operator, class Source, typename Out>
__global__ void __launch_bounds__(PARTIALS, blocks_at_once(PARTIALS, BLOCKS_AT_ONCE<Source>))
    reduce_segments(Source source, segment_plan p, Out *out)
{
    using element = typename Source::element;
    PRIM_SHARED(room<typename Source::value>, r, );
    if (threadIdx.x == 0) {
        r.for_few_lanes.count = r.for_warps.count = r.for_block.count = 0;
        r.last_is_long = 0;
    }
    trigger_launch_completion();
    grid_dependency_synchronize();
    find_ends(p, r.ends);
    __syncthreads();
    const window w = window_between<element>(r.ends[0], r.ends[1]);
    const staged_window<element> staged = stage_window(source.in, p, w, r.bytes);
    note_items<VECTOR_ELEMENTS<element>>(p, w, r, staged.begins);
    wait_for_copies();
    __syncthreads();
    const staged_items<Source, Out> all = {source, p, w, staged, r.last_is_long != 0, out};
    combine_by_block<Operator>(all, r);
    combine_listed<Operator, WARP>(all, r.for_warps);
    combine_listed<Operator, FEW_LANES>(all, r.for_few_lanes);
    combine_by_lanes<Operator>(all);
}

struct run_segments : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        using source_type = elements<In, Out>;
        const source_type source = {static_cast<const In *>(args->in), false, transform_of(args)};
        const segment_plan plan = make_segment_plan(args);
        return prim_launch_dependent(
            {args->call.stream, static_cast<unsigned>(plan.windows), PARTIALS},
            reduce_segments<Operator, source_type, Out>, source, plan,
            static_cast<Out *>(args->out));
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
    return args->rows == 0 ? 0 : segment_plan_bytes(args);
}

cudaError_t prim_reduce_launch_segments(const prim_reduce_args *args)
{
    if (args->rows == 0)
        return cudaSuccess;
    cudaError_t error = cudaSuccess;
    if (args->rows > FEW_SEGMENTS)
        error = prim_reduce_find_windows(args);
    if (error == cudaSuccess)
        error = dispatch<kind_is_built(PRIM_REDUCE_SEGMENTS), segments::run_segments>(args);
    return error == cudaSuccess ? prim_reduce_segment_values(args) : error;
}
