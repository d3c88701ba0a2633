/* The one way in which the kit launches a kernel, on the GPU and on the CPU backend. */
#ifndef PRIM_COMMON_LAUNCH_CUH
#define PRIM_COMMON_LAUNCH_CUH

#include <cuda_runtime.h>

#include "common/host/device.h"

namespace
{

/* Where a kernel runs: prim_launch({stream, blocks, threads}, kernel, arguments…). */
struct launch_config {
    cudaStream_t stream;
    dim3 grid, block;
    size_t shared_bytes = 0; /* dynamic shared memory of each block */
    unsigned cluster = 0;    /* blocks of a cluster, along x; 0: the grid has none */
    bool dependent = false;  /* set by prim_launch_dependent() */
};

/* The return value is the launch's own: cudaGetLastError() would take away an older error that the
 * caller has not seen yet. */
template <typename... Parameters, typename... Arguments>
cudaError_t prim_launch(const launch_config &where, void (*kernel)(Parameters...),
                        Arguments... arguments)
{
    /* By position: on the CPU backend gridDim and blockDim are macros. */
    cudaLaunchConfig_t config = {where.grid,   where.block, where.shared_bytes,
                                 where.stream, nullptr,     0};
    cudaLaunchAttribute attributes[2];
    config.attrs = attributes;
    if (where.cluster > 0) {
        cudaLaunchAttribute &cluster = attributes[config.numAttrs++];
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = where.cluster;
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    }
    if (where.dependent) {
        cudaLaunchAttribute &early = attributes[config.numAttrs++];
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/* A programmatic dependent launch, for a kernel that calls grid_dependency_synchronize(): from
 * compute capability 9.0 on it is launched while the kernel before it still runs. */
template <typename... Parameters, typename... Arguments>
cudaError_t prim_launch_dependent(launch_config where, void (*kernel)(Parameters...),
                                  Arguments... arguments)
{
    where.dependent = prim_device_launches_dependents();
    const cudaError_t not_read = prim_device_take_error();
    return not_read != cudaSuccess ? not_read : prim_launch(where, kernel, arguments...);
}

/* Waits until all earlier work of the stream has ended. Before this call a kernel of
 * prim_launch_dependent() accesses no memory that earlier work may write. Every block must call it,
 * even one that accesses nothing: only then has all earlier work ended when the kernel has. */
#ifdef SIMT_BACKEND /* which takes the caller's line */
#define grid_dependency_synchronize() simt_wait_for_launches()
#else
__device__ inline void grid_dependency_synchronize()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#endif

/* From here on, the next kernel in the stream may start, if it was launched by
 * prim_launch_dependent(), so that its launch overlaps the rest of this one's work. */
__device__ inline void trigger_launch_completion()
{
#ifdef SIMT_BACKEND
    simt_trigger_launch();
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Must be called before launches with more than 48 KiB of dynamic shared memory, always with the
 * most that any launch of this kernel takes on this device. */
template <typename... Parameters>
cudaError_t prim_allow_shared(void (*kernel)(Parameters...), size_t shared_bytes)
{
    return prim_device_allow_shared(reinterpret_cast<const void *>(kernel), shared_bytes);
}

/* For __launch_bounds__: `wanted` blocks on a multiprocessor; below 9.0 no more than 1024 threads
 * in all, which is what a multiprocessor of 7.5 can hold, and leaves 64 registers for each. */
constexpr unsigned blocks_at_once(unsigned threads, unsigned wanted)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    constexpr unsigned most = 1024;
#else
    constexpr unsigned most = 2048;
#endif
    return threads * wanted > most ? most / threads : wanted;
}

} // namespace

#endif
