/* The kit's own memory pool of each device, for calls without a workspace.
 *
 * The device's default pool gives memory back whenever the host waits, so that the next call asks
 * the driver for it again: 149 µs a call in turn with waiting, and 12 µs from a pool that keeps
 * some (H100, a launch and 4 KB; 10 µs without). Others in the program may have set that pool up as
 * they like it, so this is one of the kit's own. It reuses memory only in the order of streams and
 * events: no stream is made to wait for another one. */
#ifndef PRIM_COMMON_POOL_H
#define PRIM_COMMON_POOL_H

#include <cuda_runtime_api.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The current device's, made at the first call, from any thread, also while a stream is captured.
 * cudaErrorNotSupported: the device has no pools. */
cudaError_t prim_pool(cudaMemPool_t *pool);

#if defined(__cplusplus)
}
#endif

#endif
