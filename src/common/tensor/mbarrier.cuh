/* mbarrier: barriers in shared memory that also count the bytes of asynchronous copies. Compute
 * capability 9.0 and up.
 *
 *     phase 0            phase 1
 *     ├─ arrivals ─┤     ├─ …             a phase ends when all have arrived that were announced to
 *     ├─ bytes ────┤                      init(), and all bytes that were expected have come
 *
 * A thread waits for the end of a phase by its parity, 0 or 1, so that it may be one phase late. In
 * a new barrier phase 0 has not ended, and the phase "before" it has: a wait for parity 1 does not
 * block. */
#ifndef PRIM_COMMON_MBARRIER_CUH
#define PRIM_COMMON_MBARRIER_CUH

#include <cstdint>

#include <cuda_runtime.h>

#include "common/tensor/shared_address.cuh"

namespace
{

struct mbarrier {
    uint64_t state;
};

/* ---- by one thread, before all others ---- */

__device__ inline void mbarrier_init(mbarrier *barrier, unsigned arrivals)
{
#ifdef SIMT_BACKEND
    simt_mbarrier_init(barrier, arrivals);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
#endif
}

/* So that the cluster and the copies see what this thread has initialized. */
__device__ inline void fence_mbarrier_init()
{
#ifdef SIMT_BACKEND
    simt_fence_mbarrier_init();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;\n"
                 "fence.proxy.async;" ::
                     : "memory");
#endif
}

/* ---- arrivals ---- */

__device__ inline void mbarrier_arrive(mbarrier *barrier)
{
#ifdef SIMT_BACKEND
    simt_mbarrier_arrive(barrier, 0);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
                 : "memory");
#endif
}

/* The phase does not end before that many more bytes have come. */
__device__ inline void mbarrier_arrive_expect_tx(mbarrier *barrier, unsigned bytes)
{
#ifdef SIMT_BACKEND
    simt_mbarrier_arrive(barrier, bytes);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
#endif
}

/* Arrives at the barrier of block `rank` of the cluster that lies where this block has `mine`. What
 * asynchronous operations have read by then, that block may overwrite; ordinary memory is ordered
 * within this block only: more would be a fence of the whole device's. */
__device__ inline void mbarrier_arrive_at_block(mbarrier *mine, unsigned rank)
{
#ifdef SIMT_BACKEND
    simt_mbarrier_arrive(simt_shared_of_block(mine, rank), 0);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .b32 theirs;\n"
                 "mapa.shared::cluster.u32 theirs, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [theirs];\n"
                 "}" ::"r"(shared_address(mine)),
                 "r"(rank)
                 : "memory");
#endif
}

/* ---- waiting ---- */

/* Until the phase of this parity has ended. After it, the thread sees what those who arrived did
 * before, and the bytes that were expected. */
__device__ inline void mbarrier_wait(mbarrier *barrier, unsigned parity)
{
#ifdef SIMT_BACKEND
    simt_mbarrier_wait(barrier, parity);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .pred ended;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
                 "@!ended bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
#endif
}

} // namespace

#endif
