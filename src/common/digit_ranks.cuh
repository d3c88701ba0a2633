/* Ranks of a warp's keys by digit: how many keys of the same digit come before each.
 *
 *     lane       0  1  2  3          a step: a key for each lane
 *     digit      7  2  7  7
 *     lanes[2]   .  1  .  .          each lane sets its bit in the word of its digit, and reads there
 *     lanes[7]   1  .  1  1          which others have it, too
 *     rank       0  0  1  2          the lanes before it, and what earlier steps have counted
 *
 * The word costs one atomic operation and one load, where comparing 8 bits of a digit by ballots costs
 * 32 instructions. But lanes of one digit take turns at its word; so a warp in which many met in a
 * step does the next one by ballots.
 *
 * Source: the words are those of CUB's BlockRadixRankMatchEarlyCounts, with atomic OR. */
#ifndef PRIM_COMMON_DIGIT_RANKS_CUH
#define PRIM_COMMON_DIGIT_RANKS_CUH

#include <cstdint>

#include <cuda_runtime.h>

#include "common/unroll.cuh"
#include "common/warp.cuh"

namespace
{
namespace radix
{

/* May be set with -D for measurements. */
#ifndef PRIM_DIGIT_RANKS_CROWD
#define PRIM_DIGIT_RANKS_CROWD 8
#endif

constexpr unsigned DIGIT_BITS = 8, DIGITS = 1u << DIGIT_BITS;

/* Of a warp, in shared memory: the keys counted so far, and words of lanes, 0 between steps. */
struct warp_digits {
    unsigned lanes[DIGITS], counts[DIGITS];
};

/* The lanes that have this lane's digit: of those that have its first bits, the ones that also have
 * the next. By instructions of its own, four a bit, where nvcc makes seven. */
__device__ inline unsigned lanes_by_ballots(unsigned digit)
{
    unsigned lanes = ALL_LANES;
    PRIM_UNROLL(8)
    for (unsigned bit = 0; bit < DIGIT_BITS; bit++) {
#ifdef __CUDA_ARCH__
        asm volatile("{ .reg .pred set; .reg .b32 with;\n"
                     "and.b32 with, %1, %2;\n"
                     "setp.ne.b32 set, with, 0;\n"
                     "vote.sync.ballot.b32 with, set, 0xffffffff;\n"
                     "@!set not.b32 with, with;\n"
                     "and.b32 %0, %0, with; }"
                     : "+r"(lanes)
                     : "r"(digit), "r"(1u << bit));
#else
        const bool set = (digit >> bit & 1) != 0;
        const unsigned with = __ballot_sync(ALL_LANES, set);
        lanes &= set ? with : ~with;
#endif
    }
    return lanes;
}

/* The same, by the digit's word: a third of the instructions, but lanes of one digit take turns. */
__device__ inline unsigned lanes_by_word(unsigned &word, unsigned own)
{
    atomicOr(&word, own);
    __syncwarp();
    return word;
}

/* To each key's digit: how many keys of its digit are before it in its warp. Counts them, too. After
 * a step in which more than CROWD lanes had the same digit, the next one is done by ballots, which
 * take as long for all keys. */
template <unsigned ITEMS>
__device__ void rank_keys(unsigned items, warp_digits &of_warp, unsigned (&places)[ITEMS])
{
    constexpr unsigned CROWD = PRIM_DIGIT_RANKS_CROWD;
    const unsigned own = 1u << threadIdx.x % WARP, below = own - 1;
    unsigned crowded = 0; /* lanes */
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i++)
        if (i < items) {
            const unsigned digit = places[i],
                           lanes = crowded == 0 ? lanes_by_word(of_warp.lanes[digit], own)
                                                : lanes_by_ballots(digit),
                           before = of_warp.counts[digit], all = count_bits(lanes);
            places[i] = (before + count_bits(lanes & below)) << DIGIT_BITS | digit;
            crowded = __ballot_sync(ALL_LANES, all > CROWD);
            __syncwarp();
            if ((lanes & below) == 0) {
                of_warp.counts[digit] = before + all;
                of_warp.lanes[digit] = 0;
            }
            __syncwarp();
        }
}

} // namespace radix
} // namespace

#endif
