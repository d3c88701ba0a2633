/* Memory pools that a program makes. What they keep and how they reuse it is about speed: here all
 * memory is allocated when it is asked for, so a pool is the device that it is of. */
#include <stdlib.h>

#include "queue.h"
#include "simt.h"

struct CUmemPoolHandle_st {
    int device;
    uint64_t context; /* which cudaDeviceReset() ends */
};

static struct CUmemPoolHandle_st default_pools[SIMT_MAX_DEVICES];

static bool is_alive(const struct CUmemPoolHandle_st *pool)
{
    const bool is_default = pool >= default_pools && pool < default_pools + SIMT_MAX_DEVICES;
    return pool != NULL && (is_default || pool->context == simt_context());
}

static cudaError_t create(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    const cudaError_t error = simt_forbidden_while_capturing();
    if (error != cudaSuccess)
        return error;
    if (pool == NULL || properties == NULL || !simt_has_pools() ||
        properties->allocType != cudaMemAllocationTypePinned ||
        properties->location.type != cudaMemLocationTypeDevice || properties->location.id < 0 ||
        properties->location.id >= simt_get_settings()->devices)
        return cudaErrorInvalidValue;
    *pool = malloc(sizeof **pool);
    if (*pool == NULL)
        return cudaErrorMemoryAllocation;
    **pool = (struct CUmemPoolHandle_st){properties->location.id, simt_context()};
    return cudaSuccess;
}

static cudaError_t destroy(cudaMemPool_t pool)
{
    if (!is_alive(pool))
        return cudaErrorInvalidValue;
    free(pool);
    return cudaSuccess;
}

static cudaError_t set(const struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attribute,
                       const void *value)
{
    const cudaError_t error = simt_forbidden_while_capturing();
    const bool is_known = attribute == cudaMemPoolReuseFollowEventDependencies ||
                          attribute == cudaMemPoolReuseAllowOpportunistic ||
                          attribute == cudaMemPoolReuseAllowInternalDependencies ||
                          attribute == cudaMemPoolAttrReleaseThreshold;
    if (error != cudaSuccess)
        return error;
    return is_alive(pool) && is_known && value != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t get_default(cudaMemPool_t *pool, int device)
{
    if (device < 0 || device >= simt_get_settings()->devices || !simt_has_pools())
        return cudaErrorInvalidDevice;
    *pool = &default_pools[device];
    default_pools[device].device = device;
    return cudaSuccess;
}

cudaError_t simt_pool_state(cudaMemPool_t pool, int *device)
{
    if (!is_alive(pool))
        return cudaErrorInvalidValue;
    *device = pool->device;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    return SIMT_CALL(cudaErrorMemoryAllocation, create(pool, properties));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    const cudaError_t error = destroy(pool);
    return SIMT_CALL(cudaErrorInvalidValue, error);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    return SIMT_CALL(cudaErrorInvalidValue, set(pool, attribute, value));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes;
    return SIMT_CALL(cudaErrorInvalidValue, is_alive(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return SIMT_CALL(cudaErrorInvalidValue, get_default(pool, device));
}
