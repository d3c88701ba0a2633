/* Two blocks of a cluster, which pass a word through the shared memory of one of them. */
#include "cluster_launch.cuh"
#include "explorations.h"

#include "common/kernel/cluster.cuh"
#include "common/kernel/shared.cuh"

namespace
{

enum fault { NONE, NO_BEGIN, NO_BARRIER, NO_ARRIVAL_BEHIND, NO_END, BLOCK_BARRIER };

/* Block 0 writes into block 1's memory, and block 1 reads it. */
template <fault FAULT>
__global__ void push(unsigned *, unsigned *result)
{
    PRIM_SHARED(unsigned, sum, [1]);
    if (FAULT != NO_BEGIN) {
        arrive_at_cluster();
        wait_for_cluster();
    }
    if (FAULT == NO_ARRIVAL_BEHIND)
        arrive_at_cluster();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *shared_of_block(&sum[0], 1) = 1;
    if (FAULT == BLOCK_BARRIER)
        __syncthreads();
    if (FAULT == NONE || FAULT == NO_BEGIN)
        arrive_at_cluster();
    if (FAULT == NONE || FAULT == NO_BEGIN || FAULT == NO_ARRIVAL_BEHIND)
        wait_for_cluster();
    if (blockIdx.x == 1 && threadIdx.x == 1)
        *result = sum[0];
}

/* Block 1 reads from block 0's memory, which must not be gone. */
template <fault FAULT>
__global__ void pull(unsigned *, unsigned *result)
{
    PRIM_SHARED(unsigned, sum, [1]);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        sum[0] = 1;
    arrive_at_cluster();
    wait_for_cluster();
    const unsigned *const there = shared_of_block(&sum[0], 0);
    if (blockIdx.x == 1 && threadIdx.x == 1)
        *result = *there;
    if (FAULT != NO_END) {
        arrive_at_cluster();
        wait_for_cluster();
    }
}

} // namespace

const litmus cluster_litmus_tests[] = {
    {"cluster: push", launch_cluster<push<NONE>>, 1, false, "1", nullptr, 1},
    {"cluster: push, no barrier before", launch_cluster<push<NO_BEGIN>>, 1, false, nullptr, nullptr,
     0},
    {"cluster: push, no barrier behind", launch_cluster<push<NO_BARRIER>>, 1, false, nullptr,
     nullptr, 0},
    {"cluster: push, arrived before", launch_cluster<push<NO_ARRIVAL_BEHIND>>, 1, false, nullptr,
     nullptr, 0},
    {"cluster: push, a block's barrier", launch_cluster<push<BLOCK_BARRIER>>, 1, false, nullptr,
     nullptr, 0},
    {"cluster: pull", launch_cluster<pull<NONE>>, 1, false, "1", nullptr, 1},
    {"cluster: pull, no barrier at the end", launch_cluster<pull<NO_END>>, 1, false, nullptr,
     nullptr, 0},
};
const size_t cluster_litmus_count = sizeof cluster_litmus_tests / sizeof *cluster_litmus_tests;
