/* Copies of a block's counters: what the rungs that have several share. Copy c of counter k
 * is word k · copies + c, so that 32 copies lie in a bank each. */
#ifndef PRIM_HISTOGRAM_COPIES_CUH
#define PRIM_HISTOGRAM_COPIES_CUH

#include "histogram/counters/shared_add.cuh"
#include "histogram/counters/vectors.cuh"
#include "histogram/tuning.h"

namespace
{

constexpr unsigned VALUES = 256, /* of 8-bit samples */
    MOST_COPIES_LOG2 = 5, MOST_COPIES = 1 << MOST_COPIES_LOG2;

/* Whether samples are counted by their values, whose bins are found at the end, and not by their
 * bins. The only place that chooses. */
constexpr bool are_values_counted(size_t sample_bytes)
{
    return sample_bytes == 1;
}

/* As many copies as fit into a block's shared memory beside `beside` bytes, or fewer where the
 * block has few samples. */
inline unsigned choose_copies_log2(size_t one_copy, size_t beside, size_t samples)
{
    const size_t most = prim_device_shared_bytes(), worth_a_word = PRIM_HISTOGRAM_SAMPLES_OF_A_WORD;
    unsigned copies_log2 = 0;
    while (copies_log2 < MOST_COPIES_LOG2 && (one_copy << (copies_log2 + 1)) + beside <= most &&
           (one_copy << copies_log2) / sizeof(uint32_t) * worth_a_word < samples)
        copies_log2++;
    return copies_log2;
}

__device__ inline uint32_t sum_of_copies(const uint32_t *own, unsigned counter, unsigned copies)
{
    uint32_t sum = 0;
    for (unsigned c = 0; c < copies; c++) /* every lane begins in its own bank */
        sum += own[counter * copies + ((c + threadIdx.x) & (copies - 1))];
    return sum;
}

/* Whether many of the 8-bit values may have one counter. */
__device__ inline bool values_meet(const binning &b)
{
    return b.bins < VALUES / 8 || b.outside != PRIM_OUTSIDE_DROP;
}

/* After the bins comes one counter for samples in no bin, so that no addition has a condition; then
 * those for samples outside. */
struct copied_counters {
    static constexpr bool BY_WARPS = false;
    shared_words own; /* the lane's copy */
    uint32_t stride;  /* bytes from a counter to the next */
    uint32_t bins;

    __device__ void one(uint32_t counter)
    {
        add_one(own, (counter < bins ? counter : counter + 1) * stride);
    }

    template <typename T>
    __device__ void vector(const placed<T> &where, bool)
    {
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            add_one(own, where.bin[e] * stride);
    }
};

} // namespace

#endif
