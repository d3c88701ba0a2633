/* What blocks tell each other of their tiles while they run.
 *
 * The tiles of a line stand in groups of 32. Each tile has a place where its block publishes the
 * tile's own total; and each group has one where the block of its last tile publishes first the
 * group's own total and then, as soon as it is known, the total of the line up to there:
 *
 *     tiles      … 62 63 │ 64 65 … 94 95 │ 96 97 98
 *                     own│own own own own│own own  ?         98 needs: 96, 97
 *     groups     up to 63│   own: 64…95  │                             64…95, and up to 63
 *
 * So a warp sees with one look, a lane at each, the tiles before its own in the group, and with
 * another the 32 groups before that, back to one that has the line's total: 1024 tiles, which is
 * more than the blocks that run at a time. With single tiles instead of groups, what a line's total
 * takes on its way from block to block was what the whole scan took.
 *
 * However a block comes by them, it combines the tiles' totals in a group one by one from the first
 * to the last, and the groups' totals likewise: what was found is always a front part of that same
 * sum. So the result does not depend on timing, not even in the last bit.
 *
 * A total travels in words of 8 bytes, half of it state and half value: one for 4 bytes, two for 8.
 * A word is read whole, and words of unlike states do not belong together and are read again. So
 * no order between words is needed, nor any fence. */
#ifndef PRIM_SCAN_LOOK_BACK_CUH
#define PRIM_SCAN_LOOK_BACK_CUH

#include <cstring>

#include "common/atomic.cuh"
#include "scan/chunk.cuh"

namespace
{

enum total_state : uint32_t { NOTHING = 0, OWN_TOTAL = 1, LINE_TOTAL = 2 };

constexpr unsigned GROUP = PRIM_SCAN_GROUP_TILES;
constexpr unsigned WAIT_NS = PRIM_SCAN_WAIT_NANOSECONDS;

template <typename Value>
constexpr unsigned WORDS = sizeof(Value) / sizeof(uint32_t);

template <typename Value>
struct published {
    uint32_t state;
    Value value;
};

template <typename Value>
__device__ void publish(uint64_t *words, total_state state, Value value)
{
    uint32_t parts[WORDS<Value>];
    std::memcpy(parts, &value, sizeof value);
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++)
        atomic_store(&words[w], static_cast<uint64_t>(state) << 32 | parts[w]);
}

template <typename Value>
__device__ published<Value> read_published(uint64_t *words)
{
    uint64_t word[WORDS<Value>];
    uint32_t parts[WORDS<Value>];
    published<Value> p;
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++)
        word[w] = atomic_load(&words[w]);
    p.state = static_cast<uint32_t>(word[0] >> 32);
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++) {
        parts[w] = static_cast<uint32_t>(word[w]);
        p.state = word[w] >> 32 == p.state ? p.state : NOTHING;
    }
    std::memcpy(&p.value, parts, sizeof p.value);
    return p;
}

/* Places that a line needs: one for each tile, then one for each whole group. */
__host__ __device__ constexpr size_t totals_of_line(unsigned tiles)
{
    return static_cast<size_t>(tiles) + tiles / GROUP;
}

/* Shared memory of the warp that looks back: what it has seen, from the first to the last. */
template <typename Value>
struct look_back_notes {
    Value tiles[GROUP], groups[WARP];
    unsigned first_group; /* the notes of groups begin there */
};

/* The totals of the `count` tiles before this one in its group. */
template <typename Value>
__device__ void see_tiles(uint64_t *words, unsigned count, Value *notes, unsigned lane)
{
    published<Value> p = {};
    for (;;) {
        if (lane < count)
            p = read_published<Value>(&words[lane * WORDS<Value>]);
        if (__ballot_sync(ALL_LANES, lane < count && p.state == NOTHING) == 0)
            break;
        relax(WAIT_NS);
    }
    notes[lane] = p.value;
}

/* The totals of the 32 groups before this one, or of those from the last one on that has the line's
 * total. Before the line's first group is nothing, which is as good as a line's total. */
template <typename Value>
__device__ void see_groups(uint64_t *words, unsigned group, Value nothing,
                           look_back_notes<Value> &notes, unsigned lane)
{
    for (;;) {
        published<Value> p = {LINE_TOTAL, nothing};
        if (lane < group)
            p = read_published<Value>(&words[(group - 1 - lane) * WORDS<Value>]);
        const unsigned line_totals = __ballot_sync(ALL_LANES, p.state == LINE_TOTAL);
        const bool needed = (line_totals & ((1u << lane) - 1)) == 0; /* no lane before has one */
        const unsigned missing = __ballot_sync(ALL_LANES, needed && p.state == NOTHING);
        if (line_totals != 0 && missing == 0) {
            notes.groups[WARP - 1 - lane] = p.value;
            if (needed && p.state == LINE_TOTAL)
                notes.first_group = WARP - 1 - lane;
            return;
        }
        relax(WAIT_NS);
    }
}

/* From the first on: what stands in totals[first … last - 1]. */
template <class Operator, typename Value>
__device__ Value fold(const Value *totals, unsigned first, unsigned last, Value nothing)
{
    Value so_far = nothing;
    PRIM_UNROLL(4)
    for (unsigned i = first; i < last; i++)
        so_far = Operator::combine(so_far, totals[i]);
    return so_far;
}

/* By one warp of each block: says what this tile's own total is, and returns what the line has
 * before the tile. words: those of the line. */
template <class Operator, typename Value>
__device__ Value look_back(uint64_t *words, unsigned tiles, unsigned tile, Value total,
                           Value nothing, look_back_notes<Value> &notes)
{
    uint64_t *const of_groups = &words[static_cast<size_t>(tiles) * WORDS<Value>];
    const unsigned lane = threadIdx.x % WARP, group = tile / GROUP, place = tile % GROUP;
    const bool first_lane_of_last = lane == 0 && place == GROUP - 1;

    if (lane == 0)
        publish(&words[tile * WORDS<Value>], OWN_TOTAL, total);
    see_tiles(&words[(tile - place) * WORDS<Value>], place, notes.tiles, lane);
    __syncwarp();
    const Value in_group = fold<Operator>(notes.tiles, 0, place, nothing);
    const Value of_group = Operator::combine(in_group, total);
    if (first_lane_of_last && group > 0)
        publish(&of_groups[group * WORDS<Value>], OWN_TOTAL, of_group);

    see_groups(of_groups, group, nothing, notes, lane);
    __syncwarp();
    const Value before_group = fold<Operator>(notes.groups, notes.first_group, WARP, nothing);
    if (first_lane_of_last)
        publish(&of_groups[group * WORDS<Value>], LINE_TOTAL,
                Operator::combine(before_group, of_group));
    return Operator::combine(before_group, in_group);
}

} // namespace

#endif
