/* What the current device can run. */
#ifndef PRIM_COMMON_DEVICE_H
#define PRIM_COMMON_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The runtime's error where this host thread could not read a property of the current device since
 * the last call of this function, otherwise cudaSuccess. Where reading fails, the functions below
 * return the least value that a device has, which must not be used: prim_launch_dependent() and the
 * ladder check here. That there is no device, or none with code, is no such error. */
cudaError_t prim_device_take_error(void);

/* Whether this library was compiled for the current device. All kernels are built for the same
 * architectures, so one is enough to tell. For queries, not for the path of a call. */
bool prim_device_has_code(void);

/* The compute capability that the code which runs on the current device was written for, such as 75
 * or 90: less than the device's own where the driver compiled it from PTX. 0: there is none. A
 * launch that depends on its kernel's __CUDA_ARCH__ must ask here. */
int prim_device_code(void);

/* The current device's compute capability, such as 75 or 90; 0: there is none. */
int prim_device_capability(void);

/* The current context's number, which no other one in this program has or had: after
 * cudaDeviceReset() it is another one. 0: there is none yet. */
uint64_t prim_device_context(void);

/* Whether kernels support programmatic dependent launches, and clusters. From 9.0 on. */
bool prim_device_launches_dependents(void);
bool prim_device_has_clusters(void);

/* Whether the code that runs on the current device has instructions that only 9.0a names: it was
 * compiled for sm_90a. */
bool prim_device_has_wgmma(void);

unsigned prim_device_multiprocessors(void);

/* The most shared memory that a block can have by opting in; and the opt-in of a kernel, which is
 * shared by all host threads: it must be the same for every launch of the kernel. */
size_t prim_device_shared_bytes(void);
cudaError_t prim_device_allow_shared(const void *kernel, size_t bytes);

/* Whether kernels can use `bytes` bytes from here. *there: as many as there are, 0 where the memory
 * is unknown. The CPU backend knows its allocations. CUDA's driver is asked only in a library built
 * with PRIM_CHECK_POINTERS, otherwise every pointer passes; memory that it does not know passes
 * where the device can access pageable memory. */
bool prim_device_reaches(const void *pointer, size_t bytes, size_t *there);

#if defined(__cplusplus)
}
#endif

#endif
