/* What the rungs for weighted samples share: finding the largest weight before they add, and
 * converting from fixed point after. */
#include "common/block/warp.cuh"
#include "histogram/weighted/weighted.cuh"

namespace
{
namespace weighted
{

__global__ void __launch_bounds__(THREADS) find_largest(weight_list w, unsigned long long *words)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS;
    unsigned long long largest = 0;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < w.count;
         i += threads) {
        const unsigned long long bits = magnitude_bits(weight_at(w, i));
        largest = bits > largest ? bits : largest;
    }
    for (unsigned stride = WARP / 2; stride > 0; stride /= 2) {
        const unsigned long long other = shuffle_down(largest, stride);
        largest = other > largest ? other : largest;
    }
    if (threadIdx.x % WARP == 0 && largest > 0)
        atomicMax(&words[LARGEST_WORD], largest);
}

/* The call's sums, and after them those of samples outside. */
struct call_sums {
    void *bins, *outside;
    size_t bin_count, count; /* count: with outside's, if they are wanted */
    bool adds;
};

template <typename Sum>
__device__ void finish(const weigher &w, int64_t fixed, void *to, size_t at, bool adds)
{
    Sum *const sum = static_cast<Sum *>(to) + at;
    *sum = finished_sum<Sum>(w, fixed, adds, adds ? *sum : Sum(0));
}

__global__ void __launch_bounds__(THREADS)
    finish_sums(weight_list list, const uint64_t *words, call_sums to)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS;
    weigher w = make_weigher(list, words[LARGEST_WORD]);
    w.is_unfit = w.is_unfit || words[UNFIT_WORD] != 0;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < to.count;
         i += threads) {
        const bool is_bin = i < to.bin_count;
        void *const sums = is_bin ? to.bins : to.outside;
        const size_t at = is_bin ? i : i - to.bin_count;
        const int64_t fixed = static_cast<int64_t>(words[FIRST_SUM_WORD + i]);
        if (list.is_double)
            finish<double>(w, fixed, sums, at, to.adds);
        else
            finish<float>(w, fixed, sums, at, to.adds);
    }
}

} // namespace weighted
} // namespace

size_t prim_histogram_weighted_bytes(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    return (args->bins + PRIM_HISTOGRAM_WEIGHTED_WORDS) * sizeof(uint64_t);
}

cudaError_t prim_histogram_weighted_begin(const prim_histogram_args *args, bool *is_done)
{
    *is_done = args->count == 0;
    if (*is_done)
        return clear_results(args, prim_element_bytes(args->weight_type));
    const cudaError_t error = cudaMemsetAsync(
        args->call.workspace, 0, prim_histogram_weighted_bytes(args), args->call.stream);
    if (error != cudaSuccess || args->largest != nullptr)
        return error;
    return prim_launch({args->call.stream, choose_blocks(args->count, 4 * THREADS, 8), THREADS},
                       weighted::find_largest, make_weights(args),
                       static_cast<unsigned long long *>(args->call.workspace));
}

cudaError_t prim_histogram_weighted_end(const prim_histogram_args *args)
{
    const size_t outside =
        args->outside == PRIM_OUTSIDE_COUNT ? PRIM_HISTOGRAM_OUTSIDE_COUNTERS : 0;
    const weighted::call_sums to = {args->counters, args->outside_counters, args->bins,
                                    args->bins + outside, (args->flags & PRIM_HISTOGRAM_ADD) != 0};
    return prim_launch({args->call.stream, choose_blocks(to.count, THREADS, 8), THREADS},
                       weighted::finish_sums, make_weights(args),
                       static_cast<const uint64_t *>(args->call.workspace), to);
}
