/* GLOBAL_ATOMIC: every sample is an atomic addition in global memory.
 *
 *     samples    a c a b a …        thread i takes samples i, i + threads, i + 2 · threads, …
 *                │ │ │ │ │
 *     counters   a: +1 +1 +1  b: +1  c: +1       in L2, one after the other where they meet
 *
 * The additions to one counter queue up in L2, so the time depends on the data: a text whose
 * letters are all the same is the worst case. Where they spread over many counters, this rung is
 * as good as any, and it takes any number of bins.
 *
 * Work: count atomics. Steps: as many as meet in the fullest counter. Bytes: each sample once.
 * Source: V. Podlozhnyuk, Histogram calculation in CUDA, NVIDIA 2007. */
#include "histogram/counting.cuh"

namespace
{

template <typename T>
__global__ void __launch_bounds__(THREADS)
    global_atomic(const T *samples, size_t count, binning b, uint32_t *counters, uint32_t *outside)
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

struct global_atomic_rung : device_rung {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        unsigned blocks;
        cudaError_t error = clear_counters(args);
        if (error == cudaSuccess)
            error = choose_blocks(args->count, 8, &blocks);
        if (error != cudaSuccess || args->count == 0)
            return error;
        return prim_launch(args->call.stream, blocks, THREADS, global_atomic<T>,
                           static_cast<const T *>(args->samples), args->count, make_binning(args),
                           static_cast<uint32_t *>(args->counters),
                           static_cast<uint32_t *>(args->outside_counters));
    }
};

} // namespace

cudaError_t prim_histogram_global_atomic(const void *args)
{
    return for_samples<global_atomic_rung>(static_cast<const prim_histogram_args *>(args));
}
