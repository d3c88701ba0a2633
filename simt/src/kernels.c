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
    if (!grid_fits || !block_fits || config->dynamicSmemBytes > SIMT_MAX_SHARED_BYTES)
        return cudaErrorInvalidValue;
    return config->numAttrs != 0 ? cudaErrorNotSupported : cudaSuccess;
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
    cudaError_t error = check_shape(config);
    if (error != cudaSuccess)
        return error;
    simt_work work = {.type = cudaGraphNodeTypeKernel,
                      .as.call = {.function = kernel->function,
                                  .invoke = kernel->invoke,
                                  .grid = config->gridDim,
                                  .block = config->blockDim,
                                  .dynamic_shared_bytes = config->dynamicSmemBytes}};
    error = copy_arguments(&work.as.call, kernel);
    return error != cudaSuccess ? error : simt_submit(config->stream, &work);
}

cudaError_t simt_launch(const cudaLaunchConfig_t *config, const simt_kernel *kernel)
{
    return SIMT_CALL(cudaErrorLaunchOutOfResources, launch(config, kernel));
}
