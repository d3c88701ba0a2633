#include "common/device.h"

#include <cuda_runtime.h>

namespace
{

__global__ void any_kernel()
{
}

/* Of the current device; where there is none, a launch will say so. */
int attribute(cudaDeviceAttr which)
{
    int device = 0, value = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, which, device);
    return value;
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
    return static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount));
}

size_t prim_device_shared_bytes(void)
{
    return static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

bool prim_device_launches_early(void)
{
    return prim_device_code() >= 90;
}

bool prim_device_has_clusters(void)
{
    return prim_device_code() >= 90;
}
