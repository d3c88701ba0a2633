/* A ring of stages in shared memory, between a thread that has tensor copies bring them and warps
 * that multiply them. The blocks of a cluster may load into each other's stages.
 *
 *     producer     copies of stage 0, 1, 2, 3, 0, …       waits until the next one is empty
 *                    full ↓          ↑ empty
 *     consumers    products of stage 0, 1, 2, 3, 0, …     wait until the next one is full */
#ifndef PRIM_COMMON_STAGE_RING_CUH
#define PRIM_COMMON_STAGE_RING_CUH

#include "common/kernel/cluster.cuh"
#include "common/tensor/mbarrier.cuh"

namespace
{

/* Which of the stages comes next, and the parity of its barriers' phase. */
template <unsigned STAGES>
struct place_in_ring {
    unsigned stage = 0, parity = 0;

    __device__ void go_on()
    {
        stage++;
        if (stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* By all threads of the cluster. `releases`: of a stage, by the warps of all blocks. */
template <unsigned STAGES>
__device__ void begin_ring(mbarrier (&full)[STAGES], mbarrier (&empty)[STAGES], unsigned releases)
{
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], releases);
        }
        fence_mbarrier_init();
    }
    arrive_at_cluster();
    wait_for_cluster();
}

/* By each warp that has multiplied a stage: it says so to the producers of all blocks, which load
 * into this one. */
__device__ inline void release_stage(mbarrier *empty, unsigned blocks)
{
    const unsigned lane = threadIdx.x % 32;
    if (lane < blocks)
        mbarrier_arrive_at_block(empty, lane);
}

/* No block may be gone while others arrive at its barriers. */
__device__ inline void end_ring()
{
    __syncwarp();
    arrive_at_cluster();
    wait_for_cluster();
}

} // namespace

#endif
