/* The one device of this backend, and what it says of itself: a small GPU of capability 7.5. */
#define _GNU_SOURCE
#include "internal.h"

#include <string.h>
#include <unistd.h>

enum { CAPABILITY_MAJOR = 7, CAPABILITY_MINOR = 5, MULTIPROCESSORS = 4, L2_BYTES = 1 << 20 };

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return simt_result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (device != 0)
        return simt_result(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = SIMT_MAX_BLOCK_THREADS;
        return cudaSuccess;
    case cudaDevAttrMaxGridDimX:
        *value = 0x7fffffff;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = SIMT_MAX_SHARED_BYTES;
        return cudaSuccess;
    case cudaDevAttrWarpSize:
        *value = SIMT_WARP_SIZE;
        return cudaSuccess;
    case cudaDevAttrClockRate:
        *value = 0;
        return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
        *value = MULTIPROCESSORS;
        return cudaSuccess;
    case cudaDevAttrL2CacheSize:
        *value = L2_BYTES;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
        *value = CAPABILITY_MAJOR;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
        *value = CAPABILITY_MINOR;
        return cudaSuccess;
    case cudaDevAttrMemoryPoolsSupported:
        *value = 1;
        return cudaSuccess;
    }
    return simt_result(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *free_bytes = (size_t)sysconf(_SC_AVPHYS_PAGES) * page;
    *total_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * page;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (device != 0)
        return simt_result(cudaErrorInvalidDevice);
    size_t free_bytes;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "CPU backend");
    cudaMemGetInfo(&free_bytes, &properties->totalGlobalMem);
    properties->sharedMemPerBlock = SIMT_MAX_SHARED_BYTES;
    properties->major = CAPABILITY_MAJOR;
    properties->minor = CAPABILITY_MINOR;
    properties->multiProcessorCount = MULTIPROCESSORS;
    properties->l2CacheSize = L2_BYTES;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    if (kernel == NULL)
        return simt_result(cudaErrorInvalidDeviceFunction);
    *attributes =
        (struct cudaFuncAttributes){.maxThreadsPerBlock = SIMT_MAX_BLOCK_THREADS,
                                    .ptxVersion = 10 * CAPABILITY_MAJOR + CAPABILITY_MINOR};
    return cudaSuccess;
}
