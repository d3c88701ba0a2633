/* What blocks tell each other of their tiles while they run.
 *
 * Each tile of a line has a place where its block publishes first the tile's own total, then, as
 * soon as it knows it, the total of the line up to there. Whoever needs what lies before its tile
 * looks at the 32 tiles before it, a lane at each, and further back until it meets a line's total:
 *
 *     tiles        …   k-6    k-5    k-4    k-3    k-2    k-1     k
 *     published        up to  up to   own    own   up to   own          from k-2 on:
 *                       k-6    k-5                  k-2                 (up to k-2) + (k-1's own)
 *
 * However it comes by them, it combines the tiles' totals one by one from the first to the last:
 * what was found is always a front part of that same sum. So the result does not depend on timing,
 * not even in the last bit.
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

/* Nobody looks further back than this; there it waits for the line's total. */
constexpr unsigned FURTHEST = PRIM_SCAN_FURTHEST_TILES;
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

/* Shared memory of the warp that looks back: what it has seen, in the order of tiles. */
template <typename Value>
struct look_back_notes {
    Value seen[FURTHEST];
    unsigned first; /* from here on */
};

/* The lanes look at the tiles from `reach` + 32 to `reach` + 1 before this one until all that is
 * needed of them is there. true: among them is a line's total. Before the line's first tile is
 * nothing, which is as good as one. */
template <typename Value>
__device__ bool see_window(uint64_t *words, unsigned tile, unsigned reach, Value nothing,
                           look_back_notes<Value> *notes, unsigned lane)
{
    const unsigned distance = reach + WARP - lane;
    const bool last_window = reach + WARP == FURTHEST;
    for (;;) {
        published<Value> p = {LINE_TOTAL, nothing};
        if (distance <= tile)
            p = read_published<Value>(&words[(tile - distance) * WORDS<Value>]);
        const unsigned line_totals = __ballot_sync(ALL_LANES, p.state == LINE_TOTAL);
        const bool needed = line_totals >> lane <= 1; /* no later lane has a line's total */
        const unsigned missing = __ballot_sync(ALL_LANES, needed && p.state == NOTHING);
        if (missing == 0 && (line_totals != 0 || !last_window)) {
            notes->seen[FURTHEST - distance] = p.value;
            if (line_totals >> lane == 1)
                notes->first = FURTHEST - distance;
            return line_totals != 0;
        }
        relax(WAIT_NS);
    }
}

/* What the line has before this tile, for the lanes of one warp. words: those of the line. */
template <class Operator, typename Value>
__device__ Value look_back(uint64_t *words, unsigned tile, Value nothing,
                           look_back_notes<Value> *notes, unsigned lane)
{
    unsigned reach = 0;
    while (!see_window(words, tile, reach, nothing, notes, lane))
        reach += WARP;
    __syncwarp();
    Value so_far = notes->seen[notes->first];
    PRIM_UNROLL(8)
    for (unsigned i = notes->first + 1; i < FURTHEST; i++)
        so_far = Operator::combine(so_far, notes->seen[i]);
    return so_far;
}

} // namespace

#endif
