/* The one way in which the kit launches a kernel, on the GPU and on the CPU backend. */
#ifndef PRIM_COMMON_LAUNCH_CUH
#define PRIM_COMMON_LAUNCH_CUH

#include <cuda_runtime.h>

#include "common/device.h"

namespace
{

/* Launches kernel(arguments…), each block with shared_bytes of dynamic shared memory. The return
 * value is the launch's own: cudaGetLastError() would take away an older error that the caller has
 * not seen yet. */
template <typename... Parameters, typename... Arguments>
cudaError_t prim_launch_shared(cudaStream_t stream, dim3 grid, dim3 block, size_t shared_bytes,
                               void (*kernel)(Parameters...), Arguments... arguments)
{
    /* By position: on the CPU backend gridDim and blockDim are macros. */
    const cudaLaunchConfig_t config = {grid, block, shared_bytes, stream, nullptr, 0};
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/* To be called before launches with more than 48 KiB of it, always with the most that any launch of
 * this kernel takes on this device. */
template <typename... Parameters>
cudaError_t prim_allow_shared(void (*kernel)(Parameters...), size_t shared_bytes)
{
    return prim_device_allow_shared(reinterpret_cast<const void *>(kernel), shared_bytes);
}

/* The same without dynamic shared memory. */
template <typename... Parameters, typename... Arguments>
cudaError_t prim_launch(cudaStream_t stream, dim3 grid, dim3 block, void (*kernel)(Parameters...),
                        Arguments... arguments)
{
    return prim_launch_shared(stream, grid, block, 0, kernel, arguments...);
}

/* Is the kernel that this one may follow early still at work? Nothing that was in the stream before
 * a kernel of prim_launch_early() may be touched before this. Every block must call it, also one
 * that touches nothing: only then has all earlier work ended when the kernel has. */
__device__ inline void wait_for_earlier_launches()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* From here on, the next kernel in the stream may take its place on the device, if it was launched
 * by prim_launch_early(), so that its launch is over when this one's work is. */
__device__ inline void let_next_launch_in()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Has the way to an address looked up, and nothing of its content used: for the time of waiting. */
__device__ inline void prefetch(const void *address)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#else
    (void)address;
#endif
}

/* prim_launch() for a kernel that calls wait_for_earlier_launches(): from compute capability 9.0
 * on, it is launched while the kernel before it still runs. */
template <typename... Parameters, typename... Arguments>
cudaError_t prim_launch_early_shared(cudaStream_t stream, dim3 grid, dim3 block,
                                     size_t shared_bytes, void (*kernel)(Parameters...),
                                     Arguments... arguments)
{
#ifdef SIMT_BACKEND
    return prim_launch_shared(stream, grid, block, shared_bytes, kernel, arguments...);
#else
    const bool early_here = prim_device_launches_early();
    const cudaError_t not_read = prim_device_take_error();
    if (not_read != cudaSuccess)
        return not_read;
    if (!early_here)
        return prim_launch_shared(stream, grid, block, shared_bytes, kernel, arguments...);
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {grid, block, shared_bytes, stream, &early, 1};
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
#endif
}

/* The same without dynamic shared memory. */
template <typename... Parameters, typename... Arguments>
cudaError_t prim_launch_early(cudaStream_t stream, dim3 grid, dim3 block,
                              void (*kernel)(Parameters...), Arguments... arguments)
{
    return prim_launch_early_shared(stream, grid, block, 0, kernel, arguments...);
}

#ifndef SIMT_BACKEND
/* prim_launch_early() of one cluster: all blocks of the grid. */
template <typename... Parameters, typename... Arguments>
cudaError_t prim_launch_cluster(cudaStream_t stream, unsigned blocks, dim3 block,
                                void (*kernel)(Parameters...), Arguments... arguments)
{
    cudaLaunchAttribute attributes[2];
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = blocks;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {blocks, block, 0, stream, attributes, 2};
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}
#endif

/* For __launch_bounds__: so many blocks on a multiprocessor; before 9.0 no more than 1024 threads,
 * which is what one of 7.5 can hold, and leaves 64 registers to each. */
constexpr unsigned blocks_at_once(unsigned threads, unsigned wanted)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    constexpr unsigned most = 1024;
#else
    constexpr unsigned most = 2048;
#endif
    return threads * wanted > most ? most / threads : wanted;
}

/* What rungs of kernels have in common. */
struct device_rung {
    template <typename... Arguments>
    static cudaError_t not_built(Arguments...)
    {
        return cudaErrorInvalidDeviceFunction;
    }
};

} // namespace

#endif
