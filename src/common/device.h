/* What the current device can run. */
#ifndef PRIM_COMMON_DEVICE_H
#define PRIM_COMMON_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* What of the current device this host thread could not read since it last asked: the runtime's
 * error, or cudaSuccess. Where reading fails, the functions below give the least that there is, and
 * nothing may be built on that: prim_launch() and the ladder ask here. That there is no device, or
 * none with code, is an answer. */
cudaError_t prim_device_take_error(void);

/* Was this library compiled for the current device? All kernels are built for the same
 * architectures, so one answers for all. For queries, not for the path of a call. */
bool prim_device_has_code(void);

/* The compute capability that the code which runs on the current device was written for, such as 75
 * or 90: less than the device's own where the driver compiled it from PTX. 0: there is none. What a
 * kernel has of __CUDA_ARCH__, its launch must ask here. */
int prim_device_code(void);

/* The current device's compute capability, such as 75 or 90; 0: there is none. */
int prim_device_capability(void);

/* Do kernels know how to wait for the one before them, as dependent launches do, and form clusters?
 * From 9.0 on. */
bool prim_device_launches_dependents(void);
bool prim_device_has_clusters(void);

unsigned prim_device_multiprocessors(void);

/* Shared memory that a block can have, if its kernel is allowed to; and the allowance, which is one
 * for all threads of the program: the same for every launch of the kernel. */
size_t prim_device_shared_bytes(void);
cudaError_t prim_device_allow_shared(const void *kernel, size_t bytes);

/* Can kernels use so many bytes from here? *there: as many as there are, 0 where the memory is
 * unknown. The CPU backend knows its allocations. CUDA's driver is asked only in a library built
 * with PRIM_CHECK_POINTERS, and is believed about unknown memory only where the device does not
 * reach all that the host does; otherwise every pointer passes. */
bool prim_device_reaches(const void *pointer, size_t bytes, size_t *there);

#if defined(__cplusplus)
}
#endif

#endif
