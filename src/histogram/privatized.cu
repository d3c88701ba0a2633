/* PRIVATIZED: each block counts in shared memory of its own, and adds its counters to the global
 * ones at the end.
 *
 *     block 0   samples ──→ counters in shared memory ──┐
 *     block 1   samples ──→ counters in shared memory ──┼──→ counters in global memory
 *     block 2   samples ──→ counters in shared memory ──┘
 *
 * Additions to one counter still queue up, but in the block's own shared memory, which is faster,
 * and in shorter queues; global memory gets one addition for each block and counter. Samples that
 * are all equal are still the worst case: the lanes of a warp add to one word.
 *
 * Work: count atomics in shared memory, and blocks · bins in global memory, zeros left out.
 * Bytes: each sample once. Up to 12,288 counters: 48 KB, what every GPU gives a block.
 * Source: V. Podlozhnyuk, Histogram calculation in CUDA, NVIDIA 2007. */
#include "common/kernel/shared.cuh"
#include "histogram/counters/counting.cuh"

namespace
{
namespace privatized
{

constexpr size_t MOST_BINS = 12288; /* 48 KB, what every GPU gives a block */

template <typename T>
__global__ void __launch_bounds__(THREADS)
    count_samples(const T *samples, size_t count, binning b, uint32_t *counters, uint32_t *outside)
{
    PRIM_SHARED_DYNAMIC(uint32_t, own);
    const unsigned bins = static_cast<unsigned>(b.bins);
    for (unsigned c = threadIdx.x; c < bins; c += THREADS)
        own[c] = 0;
    __syncthreads();

    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < count;
         i += threads) {
        const size_t counter = counter_of(b, samples[i]);
        if (counter < b.bins)
            atomicAdd(&own[counter], 1u);
        else
            count_outside(outside, counter, b.bins);
    }
    __syncthreads();

    for (unsigned c = threadIdx.x; c < bins; c += THREADS)
        if (own[c] != 0)
            atomicAdd(&counters[c], own[c]);
}

struct lesson {
    static constexpr size_t OF_BIN = sizeof(uint32_t); /* bytes */
    template <typename T>
    static constexpr count_kernel<T> kernel = count_samples<T>;
};

const char *why_not(const void *args)
{
    return static_cast<const prim_histogram_args *>(args)->bins > MOST_BINS
               ? "it takes at most 12,288 bins"
               : textbook_why_not(args);
}

} // namespace privatized
} // namespace

PRIM_DEFINE_RUNG(histogram, privatized) =
    rung_of_counting<PRIM_HISTOGRAM_PRIVATIZED, privatized::lesson>(
        "privatized",
        "each block counts in its own shared memory, and adds its counters up at the end",
        privatized::why_not);
