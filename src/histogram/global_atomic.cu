/* GLOBAL_ATOMIC: every sample is an atomic addition in global memory.
 *
 *     samples    a c a b a …        thread i takes samples i, i + threads, i + 2 · threads, …
 *                │ │ │ │ │
 *     counters   a: +1 +1 +1  b: +1  c: +1       in L2, one after the other where they meet
 *
 * The additions to one counter queue up in L2, so the time depends on the data: samples that are
 * all equal are the worst case. Where they spread over many counters, this rung is as good as any,
 * and it takes any number of bins.
 *
 * Work: count atomics. Steps: as many as meet in the fullest counter. Bytes: each sample once.
 * Source: V. Podlozhnyuk, Histogram calculation in CUDA, NVIDIA 2007. */
#include "histogram/counters/counting.cuh"

namespace
{
namespace global_atomic
{

template <typename T>
__global__ void __launch_bounds__(THREADS)
    count_samples(const T *samples, size_t count, binning b, uint32_t *counters, uint32_t *outside)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < count;
         i += threads) {
        const size_t counter = counter_of(b, samples[i]);
        if (counter < b.bins)
            atomicAdd(&counters[counter], 1u);
        else
            count_outside(outside, counter, b.bins);
    }
}

struct lesson {
    static constexpr size_t OF_BIN = 0; /* bytes */
    template <typename T>
    static constexpr count_kernel<T> kernel = count_samples<T>;
};

} // namespace global_atomic
} // namespace

PRIM_DEFINE_RUNG(histogram, global_atomic) =
    rung_of_counting<PRIM_HISTOGRAM_GLOBAL_ATOMIC, global_atomic::lesson>(
        "global_atomic", "every sample is an atomic addition in global memory");
