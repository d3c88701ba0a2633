/* The devices of this backend, and what they say of themselves. */
#define _GNU_SOURCE
#include "internal.h"

#include <string.h>
#include <unistd.h>

static const simt_device *played(void)
{
    return simt_get_settings()->device;
}

static _Thread_local int current;

int simt_current_device(void)
{
    return current;
}

static bool exists(int device)
{
    return device >= 0 && device < simt_get_settings()->devices;
}

static int multiprocessors_of(int device)
{
    const int set = (int)simt_get_settings()->multiprocessors;
    return set > 0 ? set * (device + 1) : played()->multiprocessors;
}

static cudaError_t set_device(int device)
{
    if (!exists(device))
        return cudaErrorInvalidDevice;
    current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    return SIMT_CALL(cudaErrorInitializationError,
                     (*count = simt_get_settings()->devices, cudaSuccess));
}

cudaError_t cudaGetDevice(int *device)
{
    return SIMT_CALL(cudaErrorInitializationError, (*device = current, cudaSuccess));
}

cudaError_t cudaSetDevice(int device)
{
    return SIMT_CALL(cudaErrorInitializationError, set_device(device));
}

static cudaError_t get_attribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (!exists(device))
        return cudaErrorInvalidDevice;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = SIMT_MAX_BLOCK_THREADS;
        return cudaSuccess;
    case cudaDevAttrMaxGridDimX:
        *value = 0x7fffffff;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = SIMT_MAX_SHARED_BYTES;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)played()->shared_bytes;
        return cudaSuccess;
    case cudaDevAttrWarpSize:
        *value = SIMT_WARP_SIZE;
        return cudaSuccess;
    case cudaDevAttrClockRate:
        *value = 0;
        return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
        *value = multiprocessors_of(device);
        return cudaSuccess;
    case cudaDevAttrL2CacheSize:
        *value = played()->l2_bytes;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
        *value = played()->major;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
        *value = played()->minor;
        return cudaSuccess;
    case cudaDevAttrMemoryPoolsSupported:
        *value = simt_has_pools();
        return cudaSuccess;
    case cudaDevAttrClusterLaunch:
        *value = played()->has_clusters;
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
    if (!exists(device))
        return cudaErrorInvalidDevice;
    size_t free_bytes;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "CPU backend");
    get_memory(&free_bytes, &properties->totalGlobalMem);
    properties->sharedMemPerBlock = SIMT_MAX_SHARED_BYTES;
    properties->major = played()->major;
    properties->minor = played()->minor;
    properties->multiProcessorCount = multiprocessors_of(device);
    properties->l2CacheSize = played()->l2_bytes;
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
