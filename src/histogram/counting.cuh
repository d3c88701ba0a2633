/* What both rungs do around their kernels: start the counters at 0, and choose the grid. */
#ifndef PRIM_HISTOGRAM_COUNTING_CUH
#define PRIM_HISTOGRAM_COUNTING_CUH

#include "common/launch.cuh"
#include "common/sizes.h"
#include "histogram/bins.cuh"

namespace
{

constexpr unsigned THREADS = 256;

inline cudaError_t clear_counters(const prim_histogram_args *args)
{
    if ((args->flags & PRIM_HISTOGRAM_ADD) != 0)
        return cudaSuccess;
    cudaError_t error =
        cudaMemsetAsync(args->counters, 0, args->bins * sizeof(uint32_t), args->call.stream);
    if (error == cudaSuccess && args->outside == PRIM_OUTSIDE_COUNT)
        error =
            cudaMemsetAsync(args->outside_counters, 0,
                            PRIM_HISTOGRAM_OUTSIDE_COUNTERS * sizeof(uint32_t), args->call.stream);
    return error;
}

/* As many blocks as run at once, or fewer for few samples: the threads stride over the rest. */
inline cudaError_t choose_blocks(size_t count, unsigned blocks_a_multiprocessor, unsigned *blocks)
{
    int device, multiprocessors;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess)
        return error;
    const size_t most = static_cast<size_t>(multiprocessors) * blocks_a_multiprocessor;
    const size_t needed = prim_divide_up(count, THREADS);
    *blocks = static_cast<unsigned>(needed < most ? needed : most);
    return cudaSuccess;
}

/* One more in the counter for a sample that lies outside the bins, if the policy has one. */
__device__ inline void count_outside(uint32_t *outside, size_t counter, size_t bins)
{
    if (counter != NOWHERE)
        atomicAdd(&outside[counter - bins], 1u);
}

} // namespace

#endif
