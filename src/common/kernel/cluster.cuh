/* Clusters: blocks that run together and reach into each other's shared memory. Compute capability
 * 9.0 and up; prim_device_has_clusters() says whether this is such a device. */
#ifndef PRIM_COMMON_CLUSTER_CUH
#define PRIM_COMMON_CLUSTER_CUH

#include <cstdint>

#include <cuda_runtime.h>

namespace
{

/* A barrier of all threads of the cluster, in two steps: after the wait, a thread sees what the
 * others did before they arrived. Whole warps call each. */
#ifdef SIMT_BACKEND /* which takes the caller's line */
#define arrive_at_cluster() simt_cluster_arrive()
#define wait_for_cluster() simt_cluster_wait()
#else
__device__ inline void arrive_at_cluster()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

__device__ inline void wait_for_cluster()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
#endif

/* The address of block `rank`'s copy of the shared variable that this block has at `mine`. That
 * block must have begun: pass a barrier of the cluster first. */
template <typename T>
__device__ T *shared_of_block(T *mine, unsigned rank)
{
#ifdef SIMT_BACKEND
    return static_cast<T *>(simt_shared_of_block(mine, rank));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    uint64_t theirs;
    asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(reinterpret_cast<uint64_t>(mine)), "r"(rank));
    return reinterpret_cast<T *>(theirs);
#else
    (void)rank;
    return mine;
#endif
}

} // namespace

#endif
