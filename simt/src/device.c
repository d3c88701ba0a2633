/* The one device of this backend, and what it says of itself: a small GPU of capability 7.5. */
#define _GNU_SOURCE
#include "internal.h"

#include <string.h>
#include <unistd.h>

enum { CAPABILITY_MAJOR = 7, CAPABILITY_MINOR = 5, MULTIPROCESSORS = 4, L2_BYTES = 1 << 20 };

cudaError_t cudaGetDeviceCount(int *count)
{
    return SIMT_CALL(cudaErrorInitializationError, (*count = 1, cudaSuccess));
}

cudaError_t cudaGetDevice(int *device)
{
    return SIMT_CALL(cudaErrorInitializationError, (*device = 0, cudaSuccess));
}

cudaError_t cudaSetDevice(int device)
{
    return SIMT_CALL(cudaErrorInitializationError,
                     device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

static cudaError_t get_attribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (device != 0)
        return cudaErrorInvalidDevice;
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
    return cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    return SIMT_CALL(cudaErrorInitializationError, get_attribute(value, attribute, device));
}

static cudaError_t get_memory(size_t *free_bytes, size_t *total_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *free_bytes = (size_t)sysconf(_SC_AVPHYS_PAGES) * page;
    *total_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * page;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return SIMT_CALL(cudaErrorInitializationError, get_memory(free_bytes, total_bytes));
}

static cudaError_t get_properties(struct cudaDeviceProp *properties, int device)
{
    if (device != 0)
        return cudaErrorInvalidDevice;
    size_t free_bytes;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "CPU backend");
    get_memory(&free_bytes, &properties->totalGlobalMem);
    properties->sharedMemPerBlock = SIMT_MAX_SHARED_BYTES;
    properties->major = CAPABILITY_MAJOR;
    properties->minor = CAPABILITY_MINOR;
    properties->multiProcessorCount = MULTIPROCESSORS;
    properties->l2CacheSize = L2_BYTES;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    return SIMT_CALL(cudaErrorInitializationError, get_properties(properties, device));
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return SIMT_CALL(cudaErrorInvalidValue, (*version = CUDART_VERSION, cudaSuccess));
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return SIMT_CALL(cudaErrorInvalidValue, (*version = CUDART_VERSION, cudaSuccess));
}

static cudaError_t get_function_attributes(struct cudaFuncAttributes *attributes,
                                           const void *kernel)
{
    if (kernel == NULL)
        return cudaErrorInvalidDeviceFunction;
    *attributes =
        (struct cudaFuncAttributes){.maxThreadsPerBlock = SIMT_MAX_BLOCK_THREADS,
                                    .ptxVersion = 10 * CAPABILITY_MAJOR + CAPABILITY_MINOR};
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    return SIMT_CALL(cudaErrorInitializationError, get_function_attributes(attributes, kernel));
}
