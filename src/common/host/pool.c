#include "common/host/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/host/device.h"
#include "common/host/fail.h"

/* cudaDeviceReset() ends a device's context, and its pools with it: a later context has another
 * number, and gets another pool. Entries are only added. */
typedef struct entry {
    int device;
    uint64_t context;
    cudaMemPool_t pool;
} entry;

enum { MOST_ENTRIES = 256 };

static entry entries[MOST_ENTRIES];
static atomic_size_t count;                      /* entries that all threads may read */
static atomic_flag is_adding = ATOMIC_FLAG_INIT; /* one thread at a time */

static bool find(int device, uint64_t context, cudaMemPool_t *pool)
{
    const size_t known = atomic_load_explicit(&count, memory_order_acquire);
    for (size_t i = known; i-- > 0;)
        if (entries[i].device == device && entries[i].context == context) {
            *pool = entries[i].pool;
            return true;
        }
    return false;
}

/* How much the pool keeps while the host waits: 64 MB, or 1 % of a small device's memory. */
static uint64_t kept_bytes(size_t all)
{
    const uint64_t most = (uint64_t)64 << 20;
    return all / 100 < most ? all / 100 : most;
}

static cudaError_t set_up(cudaMemPool_t pool, size_t all)
{
    uint64_t kept = kept_bytes(all);
    int no = 0;
    cudaError_t error = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    if (error == cudaSuccess)
        error = cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &no);
    if (error == cudaSuccess)
        error = cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &no);
    return error;
}

static cudaError_t create(int device, size_t all, cudaMemPool_t *pool)
{
    const struct cudaMemPoolProps properties = {
        .allocType = cudaMemAllocationTypePinned,
        .location = {.type = cudaMemLocationTypeDevice, .id = device}};
    cudaError_t error = cudaMemPoolCreate(pool, &properties);
    if (error != cudaSuccess)
        return error;
    error = set_up(*pool, all);
    if (error != cudaSuccess)
        cudaMemPoolDestroy(*pool);
    return error;
}

/* Called by one thread at a time. Another thread may have been quicker. */
static cudaError_t add(int device, size_t all, cudaMemPool_t *pool)
{
    const uint64_t context =
        prim_device_context(); /* there is one since its memory was asked for */
    const size_t known = atomic_load_explicit(&count, memory_order_relaxed);
    if (find(device, context, pool))
        return cudaSuccess;
    if (known == MOST_ENTRIES) /* reset so often: the device's default pool does as well */
        return cudaDeviceGetDefaultMemPool(pool, device);
    const cudaError_t error = create(device, all, pool);
    if (error != cudaSuccess)
        return error;
    entries[known] = (entry){device, context, *pool};
    atomic_store_explicit(&count, known + 1, memory_order_release);
    return cudaSuccess;
}

/* Making a pool is no part of a captured graph, and would be refused while a capture is under
 * way. */
static cudaError_t add_outside_of_captures(int device, size_t all, cudaMemPool_t *pool)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaError_t error = cudaThreadExchangeStreamCaptureMode(&mode);
    if (error != cudaSuccess)
        return error;
    while (atomic_flag_test_and_set_explicit(&is_adding, memory_order_acquire))
        ;
    error = add(device, all, pool);
    atomic_flag_clear_explicit(&is_adding, memory_order_release);
    const cudaError_t restored = cudaThreadExchangeStreamCaptureMode(&mode);
    return error != cudaSuccess ? error : restored;
}

cudaError_t prim_pool(cudaMemPool_t *pool)
{
    int device, has_pools;
    size_t left, all;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess)
        return error;
    if (find(device, prim_device_context(), pool))
        return cudaSuccess;
    error = cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device);
    if (error == cudaSuccess && !has_pools)
        error = cudaErrorNotSupported;
    if (error == cudaSuccess)
        error = cudaMemGetInfo(&left, &all);
    return error == cudaSuccess ? add_outside_of_captures(device, all, pool) : error;
}

prim_status prim_release_memory(void)
{
    int device;
    cudaMemPool_t pool;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && find(device, prim_device_context(), &pool))
        error = cudaMemPoolTrimTo(pool, 0);
    return error == cudaSuccess
               ? PRIM_OK
               : prim_fail_cuda(PRIM_ERROR_CUDA, error,
                                "prim_release_memory: the pool could not be emptied");
}
