/* The one way in which the kit launches a kernel, on the GPU and on the CPU backend. */
#ifndef PRIM_COMMON_LAUNCH_CUH
#define PRIM_COMMON_LAUNCH_CUH

#include <cuda_runtime.h>

namespace
{

/* Launches kernel(arguments…). The return value is the launch's own: cudaGetLastError() would take
 * away an older error that the caller has not seen yet. */
template <typename... Parameters, typename... Arguments>
cudaError_t prim_launch(cudaStream_t stream, dim3 grid, dim3 block, void (*kernel)(Parameters...),
                        Arguments... arguments)
{
    /* By position: on the CPU backend gridDim and blockDim are macros. */
    const cudaLaunchConfig_t config = {grid, block, 0, stream, nullptr, 0};
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

} // namespace

#endif
