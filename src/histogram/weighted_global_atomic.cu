/* WEIGHTED_GLOBAL_ATOMIC: every sample is an atomic addition of its weight, in fixed point, to a
 * sum of 64 bits in global memory.
 *
 *     samples    a    c    a    b    …
 *     weights    0.5  2    0.1  1    …      to multiples of u, as integers
 *                │    │    │    │
 *     sums       a: +… c: +…   b: +…        integers: any order gives the same sum
 *
 * Additions to one sum queue up, as in GLOBAL_ATOMIC. Any number of bins.
 *
 * Work: count atomics. Steps: as many as meet in one sum. Bytes: each sample once, and each weight
 * once, or twice where the largest has to be found. */
#include "histogram/weighted.cuh"

namespace
{
namespace weighted_global_atomic
{

template <typename T>
__global__ void __launch_bounds__(THREADS)
    add_weights(const T *samples, weight_list list, binning b, unsigned long long *words)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS;
    weigher w = make_weigher(list, words[LARGEST_WORD]);
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < list.count;
         i += threads) {
        const int64_t fixed = w.fixed(weight_at(list, i));
        const size_t counter = counter_of(b, samples[i]);
        if (counter != NOWHERE)
            atomicAdd(&words[FIRST_SUM_WORD + counter], static_cast<unsigned long long>(fixed));
    }
    if (w.is_unfit)
        atomicMax(&words[UNFIT_WORD], 1ull);
}

struct run_add : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        bool is_done;
        cudaError_t error = prim_histogram_weighted_begin(args, &is_done);
        if (error != cudaSuccess || is_done)
            return error;
        error = prim_launch({args->call.stream, choose_blocks(args->count, THREADS, 8), THREADS},
                            add_weights<T>, static_cast<const T *>(args->samples),
                            make_weights(args), make_binning(args),
                            static_cast<unsigned long long *>(args->call.workspace));
        return error == cudaSuccess ? prim_histogram_weighted_end(args) : error;
    }
};

const char *why_not(const void *args)
{
    return dispatch<is_built>(static_cast<const prim_histogram_args *>(args))
               ? nullptr
               : PRIM_TYPES_NOT_BUILT;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_add>(static_cast<const prim_histogram_args *>(args));
}

} // namespace weighted_global_atomic
} // namespace

PRIM_DEFINE_RUNG(histogram, weighted_global_atomic) = {
    {PRIM_HISTOGRAM_WEIGHTED_GLOBAL_ATOMIC, "weighted_global_atomic",
     "every sample is an atomic addition of its weight in global memory, in fixed point"},
    weighted_global_atomic::why_not,
    prim_histogram_weighted_bytes,
    weighted_global_atomic::launch};
