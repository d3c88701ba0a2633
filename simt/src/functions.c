/* What is known of a kernel: how much dynamic shared memory it is allowed to have. */
#include <pthread.h>
#include <stdlib.h>

#include "internal.h"

typedef struct allowance {
    struct allowance *next;
    const void *kernel;
    int device;
    size_t bytes;
} allowance;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static allowance *allowances;

/* Each device has its own. */
static allowance *find(const void *kernel, int device)
{
    allowance *a = allowances;
    while (a != NULL && (a->kernel != kernel || a->device != device))
        a = a->next;
    return a;
}

size_t simt_allowed_shared(const void *kernel)
{
    const int device = simt_current_device();
    pthread_mutex_lock(&lock);
    const allowance *a = find(kernel, device);
    const size_t bytes = a != NULL ? a->bytes : SIMT_MAX_SHARED_BYTES;
    pthread_mutex_unlock(&lock);
    return bytes;
}

static cudaError_t allow(const void *kernel, size_t bytes)
{
    const int device = simt_current_device();
    pthread_mutex_lock(&lock);
    allowance *a = find(kernel, device);
    if (a == NULL && (a = calloc(1, sizeof *a)) != NULL) {
        *a = (allowance){allowances, kernel, device, 0};
        allowances = a;
    }
    if (a != NULL)
        a->bytes = bytes;
    pthread_mutex_unlock(&lock);
    return a != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

void simt_forget_allowances(int device)
{
    pthread_mutex_lock(&lock);
    for (allowance *a = allowances; a != NULL; a = a->next)
        if (a->device == device)
            a->bytes = SIMT_MAX_SHARED_BYTES;
    pthread_mutex_unlock(&lock);
}

static cudaError_t set_attribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    if (kernel == NULL)
        return cudaErrorInvalidDeviceFunction;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (size_t)value > simt_get_settings()->device->shared_bytes)
        return cudaErrorInvalidValue;
    return allow(kernel, (size_t)value);
}

static cudaError_t get_attributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    if (kernel == NULL)
        return cudaErrorInvalidDeviceFunction;
    const simt_device *device = simt_get_settings()->device;
    *attributes =
        (struct cudaFuncAttributes){.maxThreadsPerBlock = SIMT_MAX_BLOCK_THREADS,
                                    .maxDynamicSharedSizeBytes = (int)simt_allowed_shared(kernel),
                                    .ptxVersion = 10 * device->major + device->minor};
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    return SIMT_CALL(cudaErrorInitializationError, set_attribute(kernel, attribute, value));
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    return SIMT_CALL(cudaErrorInitializationError, get_attributes(attributes, kernel));
}
