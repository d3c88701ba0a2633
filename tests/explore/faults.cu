/* Faults that others have published of their scans, in small kernels of our own, each beside the
 * same without the fault. A block has one thread and one tile, waits for the sum of the tile
 * before, and publishes its own. */
#include "explorations.h"

#include "common/kernel/atomic.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"

namespace
{

enum fault {
    NONE,
    /* The sum is read by an ordinary load, the flag by an atomic one. JuliaGPU,
     * AcceleratedKernels.jl, pull request 98 (2026). */
    PLAIN_SUM,
    /* Nothing orders the sum and its flag. Kokkos, issue 2681 (2020), found in an application. */
    NO_FENCE,
    /* The flag is published before its sum. */
    FLAG_FIRST
};

constexpr unsigned TILES = 3;

struct tiles {
    unsigned ticket, flag[TILES], sum[TILES], result[TILES];
};

template <fault FAULT>
__device__ unsigned sum_before(tiles *all, unsigned tile)
{
    while (atomic_load(&all->flag[tile - 1]) == 0)
        relax(0);
    if (FAULT == PLAIN_SUM)
        return all->sum[tile - 1];
    if (FAULT != NO_FENCE)
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return atomic_load(&all->sum[tile - 1]);
}

template <fault FAULT>
__device__ void publish_sum(tiles *all, unsigned tile, unsigned sum)
{
    if (FAULT == FLAG_FIRST)
        atomic_store(&all->flag[tile], 1);
    if (FAULT == PLAIN_SUM)
        all->sum[tile] = sum;
    else
        atomic_store(&all->sum[tile], sum);
    if (FAULT == NONE)
        __atomic_thread_fence(__ATOMIC_RELEASE);
    if (FAULT != FLAG_FIRST)
        atomic_store(&all->flag[tile], 1);
}

template <fault FAULT>
__global__ void chain_tiles(tiles *all)
{
    const unsigned tile = take_ticket(&all->ticket);
    const unsigned sum = (tile == 0 ? 0 : sum_before<FAULT>(all, tile)) + tile + 1;
    publish_sum<FAULT>(all, tile, sum);
    all->result[tile] = sum;
}

/* A thread overwrites what the block's others have not read: NVIDIA, CCCL, pull request 4556
 * (2025), in a test of its look-back. */
template <bool HAS_BARRIER>
__global__ void overwrite(unsigned *result)
{
    PRIM_SHARED(unsigned, sum, [1]);
    if (threadIdx.x == 0)
        sum[0] = 5;
    __syncthreads();
    const unsigned mine = sum[0];
    if (HAS_BARRIER)
        __syncthreads();
    if (threadIdx.x == 0)
        sum[0] = 7;
    result[threadIdx.x] = mine;
}

template <fault FAULT>
const char *run_chain(void *)
{
    tiles h, *d = nullptr;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    const cudaError_t error = prim_launch({nullptr, TILES, 1}, chain_tiles<FAULT>, d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    if (error != cudaSuccess)
        return "the launch fails";
    for (unsigned t = 0; t < TILES; t++)
        if (h.result[t] != (t + 1) * (t + 2) / 2)
            return "a sum is wrong";
    return nullptr;
}

template <bool HAS_BARRIER>
const char *run_overwrite(void *)
{
    constexpr unsigned THREADS = 2;
    unsigned h[THREADS], *d = nullptr;
    cudaMalloc(&d, sizeof h);
    const cudaError_t error = prim_launch({nullptr, 1, THREADS}, overwrite<HAS_BARRIER>, d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    if (error != cudaSuccess)
        return "the launch fails";
    for (unsigned i = 0; i < THREADS; i++)
        if (h[i] != 5)
            return "a thread has another sum";
    return nullptr;
}

} // namespace

const protocol faults[] = {
    {"chain, without a fault", run_chain<NONE>, nullptr, TILES, TILES, nullptr, 3},
    {"chain, a plain sum", run_chain<PLAIN_SUM>, nullptr, TILES, TILES, "are not ordered", 0},
    {"chain, no fence", run_chain<NO_FENCE>, nullptr, TILES, TILES, "a sum is wrong", 0},
    {"chain, the flag first", run_chain<FLAG_FIRST>, nullptr, TILES, TILES, "a sum is wrong", 0},
    {"overwritten, behind a barrier", run_overwrite<true>, nullptr, 1, 1, nullptr, 1},
    {"overwritten, no barrier", run_overwrite<false>, nullptr, 1, 1, "are not ordered", 0},
};
const size_t fault_count = sizeof faults / sizeof *faults;
