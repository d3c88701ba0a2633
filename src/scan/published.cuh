/* What blocks tell each other of their tiles while they run: of each its total.
 *
 *     tiles      … 64 65 66 67 │ 68        68 needs: all before it, one after the other;
 *     known            64 ─────┘           what its block's last tile, 64, had before itself is
 * known
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

constexpr unsigned GROUP = WARP; /* tiles whose words stand together, since a warp reads them so */

/* Word w of a tile's total. */
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
__device__ void read_words_of(uint64_t *words, size_t tile, uint64_t (&word)[WORDS<Value>])
{
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++)
        word[w] = atomic_load(word_of<Value>(words, tile, w));
}

/* false: it has not been published yet. */
template <typename Value>
__device__ bool total_of(const uint64_t (&word)[WORDS<Value>], Value *total)
{
    uint32_t parts[WORDS<Value>];
    bool there = true;
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++) {
        parts[w] = static_cast<uint32_t>(word[w]);
        there = there && word[w] >> 32 == PUBLISHED;
    }
    if (there)
        std::memcpy(total, parts, sizeof *total);
    return there;
}

/* The totals that a warp waits for at a time: as many as its part of shared memory holds. */
template <typename Value>
constexpr unsigned FRONT = 512 / sizeof(Value);

/* By a whole warp: so_far, and then `count` tiles from `first` on, one after the other. */
template <class Operator, typename Value>
__device__ Value take_tiles(uint64_t *words, size_t first, unsigned count, Value so_far,
                            Value *front, unsigned lane)
{
    constexpr unsigned OF_LANE = FRONT<Value> / WARP;
    for (unsigned done = 0; done < count; done += FRONT<Value>) {
        const unsigned left = count - done, now = left < FRONT<Value> ? left : FRONT<Value>;
        uint64_t word[OF_LANE][WORDS<Value>];
        PRIM_UNROLL(OF_LANE)
        for (unsigned i = 0; i < OF_LANE; i++)
            if (i * WARP + lane < now)
                read_words_of<Value>(words, first + done + i * WARP + lane, word[i]);
        PRIM_UNROLL(OF_LANE)
        for (unsigned i = 0; i < OF_LANE; i++) {
            if (i * WARP + lane < now)
                while (!total_of<Value>(word[i], &front[i * WARP + lane])) {
                    relax(WAIT_NANOSECONDS);
                    read_words_of<Value>(words, first + done + i * WARP + lane, word[i]);
                }
        }
        __syncwarp();
        PRIM_UNROLL(8)
        for (unsigned i = 0; i < now; i++)
            so_far = Operator::combine(so_far, front[i]);
        __syncwarp();
    }
    return so_far;
}

} // namespace

#endif
