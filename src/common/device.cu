#include "common/device.h"

#include <cuda_runtime.h>

namespace
{

__global__ void any_kernel()
{
}

} // namespace

bool prim_device_has_code(void)
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, any_kernel) == cudaSuccess;
}
