/* A launch: refuse what a GPU would refuse, copy the arguments, submit. */
#include "simt.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

static cudaError_t check_shape(const cudaLaunchConfig_t *config)
{
    const dim3 grid = config->gridDim, block = config->blockDim;
    const bool grid_fits = grid.x >= 1 && grid.y >= 1 && grid.z >= 1 && grid.x <= 0x7fffffffu &&
                           grid.y <= 0xffffu && grid.z <= 0xffffu;
    const bool block_fits = block.x >= 1 && block.y >= 1 && block.z >= 1 && block.x <= 1024 &&
                            block.y <= 1024 && block.z <= 64 &&
                            (uint64_t)block.x * block.y * block.z <= SIMT_MAX_BLOCK_THREADS;
    /* What cudaLaunchKernelExC says of all of these on a GPU. */
    return grid_fits && block_fits ? cudaSuccess : cudaErrorInvalidValue;
}

/* CUDA allows eight blocks on every device that has clusters. */
static cudaError_t check_cluster(dim3 grid, dim3 cluster)
{
    const bool some = cluster.x >= 1 && cluster.y >= 1 && cluster.z >= 1;
    const bool few = (uint64_t)cluster.x * cluster.y * cluster.z <= SIMT_MAX_CLUSTER_BLOCKS;
    return some && few && grid.x % cluster.x == 0 && grid.y % cluster.y == 0 &&
                   grid.z % cluster.z == 0
               ? cudaSuccess
               : cudaErrorInvalidClusterSize;
}

/* A launch that may be early follows the one before, but for the explorer: work runs when it is
 * submitted. */
static cudaError_t read_attributes(const cudaLaunchConfig_t *config, simt_call *call)
{
    const bool known = simt_get_settings()->device->has_clusters;
    call->cluster.x = call->cluster.y = call->cluster.z = 1;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id == cudaLaunchAttributeClusterDimension && known)
            call->cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
        else if (a->id == cudaLaunchAttributeProgrammaticStreamSerialization && known)
            call->may_be_early = a->val.programmaticStreamSerializationAllowed != 0;
        else if (a->id != cudaLaunchAttributeIgnore)
            return cudaErrorNotSupported;
    }
    return check_cluster(config->gridDim, call->cluster);
}

/* What a block may have beside its static arrays depends on what its kernel was allowed. */
static cudaError_t check_shared(simt_call *call)
{
    const size_t allowed = simt_allowed_shared((const void *)(uintptr_t)call->function);
    const bool more = allowed > SIMT_MAX_SHARED_BYTES;
    call->shared_limit =
        more ? simt_get_settings()->device->shared_bytes : (size_t)SIMT_MAX_SHARED_BYTES;
    return call->dynamic_shared_bytes <= (more ? allowed : (size_t)SIMT_MAX_SHARED_BYTES)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t copy_arguments(simt_call *call, const simt_kernel *kernel)
{
    enum { ALIGNMENT = 64 };
    size_t bytes = ALIGNMENT;
    for (size_t i = 0; i < kernel->argument_count; i++)
        bytes += (kernel->argument_bytes[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    call->arguments = calloc(kernel->argument_count + 1, sizeof *call->arguments);
    call->storage = aligned_alloc(ALIGNMENT, bytes);
    if (call->arguments == NULL || call->storage == NULL) {
        free(call->arguments);
        free(call->storage);
        return cudaErrorMemoryAllocation;
    }
    size_t at = 0;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        call->arguments[i] = call->storage + at;
        memcpy(call->arguments[i], kernel->arguments[i], kernel->argument_bytes[i]);
        at += (kernel->argument_bytes[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return cudaSuccess;
}

static cudaError_t launch(const cudaLaunchConfig_t *config, const simt_kernel *kernel)
{
    if (kernel->function == NULL)
        return cudaErrorInvalidDeviceFunction;
    if (simt_stream_device(config->stream) != simt_current_device())
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = check_shape(config);
    if (error != cudaSuccess)
        return error;
    simt_work work = {.type = cudaGraphNodeTypeKernel,
                      .as.call = {.function = kernel->function,
                                  .invoke = kernel->invoke,
                                  .grid = config->gridDim,
                                  .block = config->blockDim,
                                  .dynamic_shared_bytes = config->dynamicSmemBytes}};
    error = read_attributes(config, &work.as.call);
    if (error == cudaSuccess)
        error = check_shared(&work.as.call);
    if (error == cudaSuccess)
        error = copy_arguments(&work.as.call, kernel);
    return error != cudaSuccess ? error : simt_submit(config->stream, &work);
}

cudaError_t simt_launch(const cudaLaunchConfig_t *config, const simt_kernel *kernel)
{
    return SIMT_CALL(cudaErrorLaunchOutOfResources, launch(config, kernel));
}
