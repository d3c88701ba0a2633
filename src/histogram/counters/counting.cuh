/* What the rungs do around their kernels: start the counters at 0, and choose the grid. */
#ifndef PRIM_HISTOGRAM_COUNTING_CUH
#define PRIM_HISTOGRAM_COUNTING_CUH

#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "histogram/binning/bins.cuh"

namespace
{

constexpr unsigned THREADS = 256;

/* Counters or sums, of that many bytes for each bin. */
inline cudaError_t clear_results(const prim_histogram_args *args, size_t bytes)
{
    if ((args->flags & PRIM_HISTOGRAM_ADD) != 0)
        return cudaSuccess;
    cudaError_t error = cudaMemsetAsync(args->counters, 0, args->bins * bytes, args->call.stream);
    if (error == cudaSuccess && args->outside == PRIM_OUTSIDE_COUNT)
        error = cudaMemsetAsync(args->outside_counters, 0, PRIM_HISTOGRAM_OUTSIDE_COUNTERS * bytes,
                                args->call.stream);
    return error;
}

inline cudaError_t clear_counters(const prim_histogram_args *args)
{
    return clear_results(args, prim_element_bytes(args->counter_type) * prim_histogram_sets(args));
}

/* As many blocks as run at once, or fewer for few samples: the threads stride over the rest. */
inline unsigned choose_blocks(size_t count, unsigned block_samples,
                              unsigned blocks_a_multiprocessor)
{
    const size_t most =
        static_cast<size_t>(prim_device_multiprocessors()) * blocks_a_multiprocessor;
    const size_t needed = prim_divide_up(count, block_samples);
    return static_cast<unsigned>(needed < most ? needed : most);
}

/* ---- counters ---- */

/* The call's counters, and after the bins those for samples outside. */
struct counters {
    void *bins, *outside;
    uint32_t bin_count;
    bool wide; /* u64 */

    __device__ void add_to(void *where, size_t at, uint32_t n) const
    {
        if (wide)
            atomicAdd(static_cast<unsigned long long *>(where) + at,
                      static_cast<unsigned long long>(n));
        else
            atomicAdd(static_cast<uint32_t *>(where) + at, n);
    }

    __device__ void add_to_bin(uint32_t bin, uint32_t n) const
    {
        add_to(bins, bin, n);
    }

    __device__ void add(uint32_t counter, uint32_t n) const
    {
        if (counter < bin_count)
            add_to_bin(counter, n);
        else
            add_to(outside, counter - bin_count, n);
    }
};

inline counters make_counters(const prim_histogram_args *args)
{
    return {args->counters, args->outside_counters, static_cast<uint32_t>(args->bins),
            args->counter_type == CUDA_R_64U};
}

/* ---- the rungs up to PRIVATIZED ---- */

#define PRIM_HISTOGRAM_COUNTERS_NOT_BUILT "it has counters of u32 only"

/* Increments the counter of a sample outside the bins, if the policy has one. */
__device__ inline void count_outside(uint32_t *outside, size_t counter, size_t bins)
{
    if (counter != NOWHERE)
        atomicAdd(&outside[counter - bins], 1u);
}

inline const char *textbook_why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (args->counter_type != CUDA_R_32U)
        return PRIM_HISTOGRAM_COUNTERS_NOT_BUILT;
    return dispatch_textbook<is_built>(args) ? nullptr : PRIM_TYPES_NOT_BUILT;
}

/* As many blocks as share 64 KB of a multiprocessor's memory: 8 at most. */
inline unsigned blocks_a_multiprocessor(size_t shared_bytes)
{
    const size_t most = 8, memory = 64 * 1024;
    return static_cast<unsigned>(shared_bytes > memory / most ? memory / shared_bytes : most);
}

template <typename T>
using count_kernel = void (*)(const T *samples, size_t count, binning b, uint32_t *counters,
                              uint32_t *outside);

/* What a lesson has: OF_BIN, the bytes of shared memory that a block needs for a bin; and its
 * kernel<T>. */
template <class Lesson>
struct textbook : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const cudaError_t error = clear_counters(args);
        if (error != cudaSuccess || args->count == 0)
            return error;
        const size_t shared_bytes = args->bins * Lesson::OF_BIN;
        const unsigned blocks =
            choose_blocks(args->count, THREADS, blocks_a_multiprocessor(shared_bytes));
        return prim_launch({args->call.stream, blocks, THREADS, shared_bytes},
                           Lesson::template kernel<T>, static_cast<const T *>(args->samples),
                           args->count, make_binning(args), static_cast<uint32_t *>(args->counters),
                           static_cast<uint32_t *>(args->outside_counters));
    }
    static cudaError_t launch(const void *args)
    {
        return dispatch_textbook<textbook>(static_cast<const prim_histogram_args *>(args));
    }
};

template <prim_histogram_variant RUNG, class Lesson>
constexpr prim_rung rung_of_counting(const char *name, const char *idea,
                                     const char *(*why_not)(const void *) = textbook_why_not)
{
    return {{RUNG, name, idea}, why_not, nullptr, textbook<Lesson>::launch};
}

} // namespace

#endif
