/* Ranks of a warp's keys by digit: how many keys of the same digit come before each.
 *
 *     lane       0  1  2  3          a step: a key for each lane
 *     digit      7  2  7  7
 *     lanes of   0  1  0  0          which lanes have the same digit: a ballot for each of its bits
 *     it               2  2
 *                      3  3
 *     rank       0  0  1  2          the lanes before it, and what earlier steps have counted
 *
 * It takes as long for all keys, whatever their digits are. */
#ifndef PRIM_COMMON_DIGIT_RANKS_CUH
#define PRIM_COMMON_DIGIT_RANKS_CUH

#include <cstdint>

#include <cuda_runtime.h>

#include "common/block/warp.cuh"
#include "common/kernel/unroll.cuh"

namespace
{
namespace radix
{

constexpr unsigned DIGIT_BITS = 8, DIGITS = 1u << DIGIT_BITS;

/* The lanes that have this lane's digit: of those that have its first bits, the ones that also have
 * the next. By instructions of its own, four a bit, where nvcc makes seven. */
__device__ inline unsigned lanes_of_digit(unsigned digit)
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

/* To each key's digit: how many keys of its digit are before it in its warp. Adds them to the
 * warp's counts of each digit, in shared memory. */
template <unsigned ITEMS>
__device__ void rank_keys(unsigned items, uint16_t *counts, unsigned (&places)[ITEMS])
{
    const unsigned below = (1u << threadIdx.x % WARP) - 1;
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i++)
        if (i < items) {
            const unsigned digit = places[i], lanes = lanes_of_digit(digit), before = counts[digit];
            places[i] = (before + count_bits(lanes & below)) << DIGIT_BITS | digit;
            __syncwarp();
            if ((lanes & below) == 0)
                counts[digit] = static_cast<uint16_t>(before + count_bits(lanes));
            __syncwarp();
        }
}

} // namespace radix
} // namespace

#endif
