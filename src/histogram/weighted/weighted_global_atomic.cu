/* WEIGHTED_GLOBAL_ATOMIC: every sample is an atomic addition of its weight, in fixed point, to a
 * sum of 64 bits in global memory.
 *
 *     samples    a    c    a    b    …
 *     weights    0.5  2    0.1  1    …      to multiples of u, as integers
 *                │    │    │    │
 *     sums       a: +… c: +…   b: +…        integers: any order gives the same sum
 *
 * Additions to one sum queue up, as in GLOBAL_ATOMIC; so warps hold back what they add to the sums
 * that they meet often: held.cuh. A thread has two samples under way. Any number of bins.
 *
 * Work: count atomics. Steps: as many as meet in one sum. Bytes: each sample once, and each weight
 * once, or twice where the largest has to be found. */
#include "histogram/counters/held.cuh"
#include "histogram/weighted/weighted.cuh"

namespace
{
namespace weighted_global_atomic
{

constexpr unsigned AT_A_TIME = 2, BLOCKS = 4; /* a multiprocessor */

typedef unsigned long long word;

struct call_words {
    word *sums;

    __device__ void add(size_t counter, word fixed) const
    {
        atomicAdd(&sums[counter], fixed);
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    add_weights(const T *samples, weight_list list, binning b, word *words)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS;
    size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    const call_words to = {&words[FIRST_SUM_WORD]};
    held_counters<call_words, size_t, word> held = {to, {}, {}};
    weigher w = make_weigher(list, words[LARGEST_WORD]);
    held.begin();
    PRIM_UNROLL(1)
    for (size_t first = i - threadIdx.x % WARP; first < list.count; /* the same for a warp */
         first += AT_A_TIME * threads, i += AT_A_TIME * threads) {
        T sample[AT_A_TIME];
        double weight[AT_A_TIME];
        size_t at[AT_A_TIME];
        word fixed[AT_A_TIME];
        PRIM_UNROLL(4)
        for (unsigned n = 0; n < AT_A_TIME; n++) {
            const size_t from = i + n * threads < list.count ? i + n * threads : list.count - 1;
            sample[n] = samples[from];
            weight[n] = weight_at(list, from);
        }
        PRIM_UNROLL(4)
        for (unsigned n = 0; n < AT_A_TIME; n++) {
            fixed[n] = static_cast<word>(w.fixed(weight[n]));
            at[n] = i + n * threads < list.count ? counter_of(b, sample[n]) : NOWHERE;
        }
        held.add(at, fixed);
    }
    held.end();
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
        error =
            prim_launch({args->call.stream, choose_blocks(args->count, THREADS, BLOCKS), THREADS},
                        add_weights<T>, static_cast<const T *>(args->samples), make_weights(args),
                        make_binning(args), static_cast<word *>(args->call.workspace));
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
