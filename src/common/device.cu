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

int prim_device_code(void)
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, any_kernel) == cudaSuccess ? attributes.ptxVersion
                                                                         : 0;
}

unsigned prim_device_multiprocessors(void)
{
    int device = 0, count = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
        return 1;
    return static_cast<unsigned>(count);
}

bool prim_device_launches_early(void)
{
    return prim_device_code() >= 90;
}

bool prim_device_has_clusters(void)
{
    return prim_device_code() >= 90;
}
