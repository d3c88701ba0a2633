/* The one way in which the kit launches a kernel, on the GPU and on the CPU backend. */
#ifndef PRIM_COMMON_LAUNCH_CUH
#define PRIM_COMMON_LAUNCH_CUH

#include <cuda_runtime.h>

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

/* The same without dynamic shared memory. */
template <typename... Parameters, typename... Arguments>
cudaError_t prim_launch(cudaStream_t stream, dim3 grid, dim3 block, void (*kernel)(Parameters...),
                        Arguments... arguments)
{
    return prim_launch_shared(stream, grid, block, 0, kernel, arguments...);
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
