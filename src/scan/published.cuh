/* What blocks tell each other of their tiles while they run: of each its total.
 *
 *     tiles      64 65 66 … 95 │ 96 97 98 99         98 needs: all before it
 *     groups     0…31  32…63   │ 64…95               and asks by groups of 32, a lane for each tile
 *
 * The totals of a group are combined as scan_warp() does it, and the groups' one by one from the
 * first to the last: however the waiting goes, that is one sum, to the last bit.
 *
 * A total travels in words of 8 bytes, half of it state and half value: one for 4 bytes, two for 8.
 * A word is read whole, and is written once. So no order between words is needed, nor any fence. */
#ifndef PRIM_SCAN_PUBLISHED_CUH
#define PRIM_SCAN_PUBLISHED_CUH

#include <cstring>

#include "common/atomic.cuh"
#include "scan/tile.cuh"

namespace
{

enum word_state : uint32_t { EMPTY = 0, PUBLISHED = 1 };

constexpr unsigned WAIT_NANOSECONDS = 32;

template <typename Value>
constexpr unsigned WORDS = sizeof(Value) / sizeof(uint32_t);

/* Word w of a tile's total: those of 32 tiles stand together, since a warp reads them together. */
template <typename Value>
__device__ uint64_t *word_of(uint64_t *words, size_t tile, unsigned w)
{
    return &words[(tile / GROUP * WORDS<Value> + w) * GROUP + tile % GROUP];
}

template <typename Value>
__device__ void publish(uint64_t *words, size_t tile, Value total)
{
    uint32_t parts[WORDS<Value>];
    std::memcpy(parts, &total, sizeof total);
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++)
        atomic_store(word_of<Value>(words, tile, w),
                     static_cast<uint64_t>(PUBLISHED) << 32 | parts[w]);
}

template <typename Value>
struct published {
    bool there;
    Value total;
};

template <typename Value>
__device__ published<Value> read_published(uint64_t *words, size_t tile)
{
    uint64_t word[WORDS<Value>];
    uint32_t parts[WORDS<Value>];
    published<Value> p = {true, Value{}};
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++)
        word[w] = atomic_load(word_of<Value>(words, tile, w));
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++) {
        parts[w] = static_cast<uint32_t>(word[w]);
        p.there = p.there && word[w] >> 32 == PUBLISHED;
    }
    std::memcpy(&p.total, parts, sizeof p.total);
    return p;
}

/* By a whole warp: waits for the totals of `count` tiles, at most a group, and combines them. */
template <class Operator, typename Value>
__device__ Value total_of_tiles(uint64_t *words, size_t first, unsigned count, Value identity,
                                unsigned lane)
{
    published<Value> p = {};
    for (;;) {
        if (lane < count)
            p = read_published<Value>(words, first + lane);
        if (__ballot_sync(ALL_LANES, lane < count && !p.there) == 0)
            return reduce_first_lanes<Operator>(p.total, count, identity, lane);
        relax(WAIT_NANOSECONDS);
    }
}

} // namespace

#endif
