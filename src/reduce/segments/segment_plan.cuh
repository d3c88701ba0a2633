/* How segments of any lengths are divided among blocks.
 *
 *     segments   a  bb  ccccccccccccccccccccc  .  ddd         "." is empty
 *     keys       a. bb. ccccccccccccccccccccc. .  ddd.        elements, and some more a segment
 *     windows    |       |       |       |       |            a block's: as many keys as a tile has
 *     tiles      a  bb  cccccccc cccccccc ccccc .  ddd        elements
 *
 * A segment is cut into the tiles of order.h, counted from its own beginning, and a block takes the
 * tiles that begin in its window. So a block has less than a window of elements, and a last tile,
 * and as many segments as have room in a window. Windows are as long as tiles are: in each begins
 * at most one tile that is not its segment's first, and at most one segment of more than a tile,
 * the window's last.
 *
 * The values of such tiles are kept by window until they are combined: tile i of a long segment
 * belongs to the i-th window from the one that the segment begins in.
 *
 *     firsts     c       -       -       -       -
 *     others     -       c       c       -       -
 *
 * Offsets may be wrong: what is read of them is clamped to the array. */
#ifndef PRIM_REDUCE_SEGMENT_PLAN_CUH
#define PRIM_REDUCE_SEGMENT_PLAN_CUH

#include <cstdint>

#include <cuda_runtime.h>

#include "common/host/element.h"
#include "common/host/sizes.h"
#include "reduce/order.h"
#include "reduce/reduce_args.h"

namespace
{

/* The first segment that begins in a window or after it; the first element of the window's block;
 * and the number of elements of the segment before in a tile that begins in the window too. A grid
 * has less than 2^31 windows, and a window no more than 2^14 segments or elements, so 48 bits are
 * enough. */
struct alignas(16) window_begin {
    uint64_t segment_and_rest, element;

    __device__ size_t segment() const
    {
        return segment_and_rest >> 16;
    }
    __device__ unsigned rest() const
    {
        return static_cast<unsigned>(segment_and_rest & 0xffff);
    }
};

struct segment_plan {
    const void *offsets;
    bool wide; /* offsets of 64 bits */
    size_t segments, count;
    unsigned tile_bits;   /* 2^tile_bits elements are a tile, and keys a window */
    unsigned weight_bits; /* a segment counts as 2^weight_bits elements besides its own */
    size_t windows;
    window_begin *begins; /* windows + 1 */
    void *firsts, *others;

    __host__ __device__ size_t tile() const
    {
        return static_cast<size_t>(1) << tile_bits;
    }
    /* A negative offset is greater than any count. */
    __device__ size_t offset(size_t i) const
    {
        const uint64_t at = wide ? static_cast<const uint64_t *>(offsets)[i]
                                 : static_cast<uint64_t>(static_cast<const int32_t *>(offsets)[i]);
        return at < count ? at : count;
    }
    __device__ size_t length(size_t segment) const
    {
        const size_t begin = offset(segment), end = offset(segment + 1);
        return end > begin ? end - begin : 0;
    }
    __host__ __device__ size_t key_at(size_t segment, size_t element) const
    {
        return element + (segment << weight_bits);
    }
    __device__ size_t key(size_t segment) const
    {
        return key_at(segment, offset(segment));
    }
    __host__ __device__ size_t tiles_of(size_t elements) const
    {
        return (elements + tile() - 1) >> tile_bits;
    }
    /* The beginning of a window with this first key, in or after which this segment is the first to
     * begin; the segment before may have a tile there. */
    __device__ window_begin begin_at(size_t segment, size_t window_key) const
    {
        const size_t behind = offset(segment);
        size_t element = behind;
        if (segment > 0) {
            const size_t begin = offset(segment - 1), begin_key = key_at(segment - 1, begin);
            const size_t tiles = window_key > begin_key ? tiles_of(window_key - begin_key) : 0;
            const size_t tile_begin = begin + (tiles << tile_bits);
            element = tile_begin < behind ? tile_begin : behind;
        }
        const size_t left = behind - element, rest = left < tile() ? left : tile();
        return {static_cast<uint64_t>(segment) << 16 | rest, element};
    }
};

/* A segment costs about as much as four bytes of elements, the size of its offset. */
inline unsigned weight_bits_of(size_t element_bytes)
{
    return element_bytes == 1 ? 2 : element_bytes == 2 ? 1 : 0;
}

/* The sum of the two might overflow, so they are not added. */
inline size_t windows_of(const prim_reduce_args *args)
{
    const size_t bytes = prim_element_bytes(args->in_type), tile = prim_reduce_tile_elements(bytes);
    const size_t weights = args->rows << weight_bits_of(bytes);
    return args->columns / tile + weights / tile +
           prim_divide_up(args->columns % tile + weights % tile, tile);
}

/* ---- small calls, without windows: segment_lanes.cu ---- */

/* The most tiles that a block may have to itself. */
constexpr size_t MOST_OWN_TILES = 128;

/* Without windows a block has all elements of its segments, a tile after the other. That takes
 * longer than windows do where one segment has more than six or seven tiles; where lengths are as
 * in a graph, the longest segment has a part of all elements that falls with the logarithm of how
 * many there are. */
inline bool goes_by_lanes(const prim_reduce_args *args)
{
    size_t most = 0;
    for (size_t left = args->rows; left > 0; left /= 2)
        most += 6;
    return windows_of(args) <= (most < MOST_OWN_TILES ? most : MOST_OWN_TILES);
}

inline size_t segment_value_bytes(const prim_reduce_args *args)
{
    return prim_element_bytes(prim_reduce_value_type(args));
}

inline size_t segment_plan_bytes(const prim_reduce_args *args)
{
    const size_t windows = windows_of(args);
    return (windows + 1) * sizeof(window_begin) + 2 * windows * segment_value_bytes(args);
}

/* All but what windows need. */
inline segment_plan make_plan_of_lanes(const prim_reduce_args *args)
{
    const size_t bytes = prim_element_bytes(args->in_type);
    segment_plan plan = {};
    plan.offsets = args->offsets;
    plan.wide = args->offsets_type == CUDA_R_64I;
    plan.segments = args->rows;
    plan.count = args->columns;
    while (plan.tile() < prim_reduce_tile_elements(bytes))
        plan.tile_bits++;
    plan.weight_bits = weight_bits_of(bytes);
    return plan;
}

inline segment_plan make_segment_plan(const prim_reduce_args *args)
{
    segment_plan plan = make_plan_of_lanes(args);
    plan.windows = windows_of(args);
    plan.begins = static_cast<window_begin *>(args->call.workspace);
    char *const values = reinterpret_cast<char *>(plan.begins + plan.windows + 1);
    plan.firsts = values;
    plan.others = values + plan.windows * segment_value_bytes(args);
    return plan;
}

} // namespace

#endif
