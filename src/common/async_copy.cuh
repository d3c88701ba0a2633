/* Copies from global into shared memory that need no registers on their way, from compute
 * capability 8.0 on. Elsewhere they are ordinary ones. */
#ifndef PRIM_COMMON_ASYNC_COPY_CUH
#define PRIM_COMMON_ASYNC_COPY_CUH

#include <cuda_runtime.h>

namespace
{

/* Both are aligned to the size of a T, which is a power of two up to 16 bytes. What was copied is
 * there for the thread itself after wait_for_copies(), for others after a barrier behind that. */
template <typename T>
__device__ void copy_async(T *shared, const T *global)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) >= 4) {
        const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
        if constexpr (sizeof(T) == 16) /* past the first cache */
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global),
                         "n"(sizeof(T))
                         : "memory");
        return;
    }
#endif
    *shared = *global;
}

/* The copies that this thread has begun since the last call are one batch. */
__device__ inline void close_batch_of_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* All batches of this thread but its last `LEFT` ones. */
template <unsigned LEFT>
__device__ void wait_for_copies_but()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

/* All copies that this thread has begun. */
__device__ inline void wait_for_copies()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Brings a cache line to L2 without using it, while the thread has to wait for something else. */
__device__ inline void prefetch(const void *address)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#else
    (void)address;
#endif
}

} // namespace

#endif
