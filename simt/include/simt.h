/* The seam between the header that kernels see and the backend's C files. */
#ifndef SIMT_H
#define SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda_runtime_api.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* What the running CUDA thread knows of itself. */
typedef struct simt_identity {
    uint3 thread_index;
    uint3 block_index;
    dim3 block_size;
    dim3 grid_size;
} simt_identity;

SIMT_API extern __thread const simt_identity *simt_self;

/* A kernel and its arguments: invoke() calls function with the arguments it points to. */
typedef struct simt_kernel {
    void (*function)(void);
    void (*invoke)(void (*function)(void), void *const *arguments);
    void *const *arguments;
    const size_t *argument_bytes;
    size_t argument_count;
} simt_kernel;

typedef enum simt_warp_operation {
    SIMT_WARP_SYNC,
    SIMT_WARP_SHUFFLE,
    SIMT_WARP_BALLOT
} simt_warp_operation;

SIMT_API cudaError_t simt_launch(const cudaLaunchConfig_t *config, const simt_kernel *kernel);

/* ---- called by kernels ---- */

/* The block's array of shared memory that the key stands for; the key is a static's address. */
SIMT_API void *simt_shared(const void *key, size_t bytes, size_t alignment);
/* The block's dynamic shared memory, as long as its launch says. */
SIMT_API void *simt_shared_dynamic(void);
SIMT_API void simt_syncthreads(const char *file, int line);
/* Lets the other threads and blocks run before this thread goes on. */
SIMT_API void simt_sleep(const char *file, int line);
/* Called before an atomic operation: in shuffled orders a coin decides whether other threads and
 * blocks run first. Nothing outside of kernels. */
SIMT_API void simt_interleave(void);
/* The same, before an operation whose scope is the block. */
SIMT_API void simt_interleave_in_block(void);
/* SYNC orders memory among the lanes in the mask; SHUFFLE gives the source lane's value; BALLOT a
 * word with the bits of the lanes whose value is not 0. */
SIMT_API uint64_t simt_warp(simt_warp_operation operation, unsigned mask, uint64_t value,
                            int source_lane, const char *name, const char *file, int line);
SIMT_API int simt_lane(void);

/* A barrier of all threads of a cluster's blocks, in two steps; each thread takes both in turn. A
 * launch without the attribute has clusters of one block. */
SIMT_API void simt_cluster_arrive(const char *file SIMT_DEFAULT(__builtin_FILE()),
                                  int line SIMT_DEFAULT(__builtin_LINE()));
SIMT_API void simt_cluster_wait(const char *file SIMT_DEFAULT(__builtin_FILE()),
                                int line SIMT_DEFAULT(__builtin_LINE()));
/* Where block `rank` of the cluster keeps the shared variable that this block keeps at `mine`. That
 * block must have begun, and must not return before others have done with its memory. */
SIMT_API void *simt_shared_of_block(void *mine, unsigned rank);

/* The block's shared memory as instructions see it, from 0 on; multiples of 1,024 are such in the
 * program's addresses too. */
SIMT_API uint32_t simt_shared_address(const void *shared);
SIMT_API void *simt_shared_at(uint32_t address);
/* A GPU would not do what the running thread asks for; the launch fails. */
SIMT_API void simt_refuse(const char *what) __attribute__((noreturn));

/* ---- asynchronous work, done when SIMT_ASYNC says ---- */

/* Issues an operation: complete() does it, hold() makes its results unreadable until then. Both get
 * a copy of the arguments. Operations of a thread are done in their order. */
SIMT_API void simt_async(void (*hold)(void *arguments), void (*complete)(void *arguments),
                         const void *arguments, size_t bytes);
/* What the thread has issued since the last call is a group. */
SIMT_API void simt_async_commit(void);
/* Until all groups of the thread but its last ones are done. */
SIMT_API void simt_async_wait(unsigned groups_left, const char *file SIMT_DEFAULT(__builtin_FILE()),
                              int line SIMT_DEFAULT(__builtin_LINE()));

/* Whether copies by a thread into shared memory, as by cp.async, are done later than at issue, by
 * SIMT_ASYNC and on a device of 8.0. Otherwise kernels make them by ordinary accesses, which
 * sanitizers see. A variable, since kernels ask at each copy. */
SIMT_API extern bool simt_copies_are_late;
/* Such a copy, of that many bytes, and zeros after them. It is done when the thread waits for its
 * batch, or before. */
SIMT_API void simt_copy_late(void *to, const void *from, unsigned bytes, unsigned zeros);
/* The copies that the thread has issued since the last call are a batch. */
SIMT_API void simt_copies_commit(void);
/* Until all batches of the thread but its last ones are done. */
SIMT_API void simt_copies_wait(unsigned batches_left,
                               const char *file SIMT_DEFAULT(__builtin_FILE()),
                               int line SIMT_DEFAULT(__builtin_LINE()));

/* mbarriers, of 8 bytes in shared memory; an arrival may expect bytes, which copies bring. */
SIMT_API void simt_mbarrier_init(void *barrier, unsigned arrivals);
SIMT_API void simt_fence_mbarrier_init(void);
SIMT_API void simt_mbarrier_arrive(void *barrier, unsigned bytes);
SIMT_API void simt_mbarrier_wait(void *barrier, unsigned parity,
                                 const char *file SIMT_DEFAULT(__builtin_FILE()),
                                 int line SIMT_DEFAULT(__builtin_LINE()));
/* A copy of that many bytes to shared memory of the cluster, which complete() does. */
SIMT_API void simt_begin_copy(void *to, size_t bytes, void *barrier,
                              void (*complete)(void *arguments), const void *arguments,
                              size_t argument_bytes);

/* ---- called by tests ---- */

/* The n-th call of the runtime from here on fails, once, with an error that it might have on a GPU;
 * 0: none does. A call that frees or destroys has done so, as where an older error comes to light
 * with it. SIMT_FAIL=n is the same from the program's start. What only reads errors is no call. */
SIMT_API void simt_fail_at(uint64_t n);
/* Calls since then, the failed one included; and its name, or NULL where it has not come yet. */
SIMT_API uint64_t simt_calls(void);
SIMT_API const char *simt_failed_call(void);
/* Allocations of device memory that are not freed yet, and those bytes of them that are from a
 * pool: cudaMallocAsync's, or one that the program made. What a capture allocated is alive as long
 * as its graph. */
SIMT_API size_t simt_device_allocations(void);
SIMT_API size_t simt_pool_bytes(void);
/* The number of the current device's context: cudaDeviceReset() ends it, and the next one has
 * another. */
SIMT_API uint64_t simt_context(void);
/* Can a kernel use that many bytes from here? *there: as many as there are. By the backend's own
 * allocations, the current device's memory, managed and pinned memory; another device's, which
 * needs peer access on a GPU, and pageable host memory have none, and nor has a __device__ or
 * __constant__ variable, which is the program's own here. */
SIMT_API bool simt_device_reaches(const void *pointer, size_t bytes, size_t *there);
/* How much work was submitted so far, to any stream and to this one: where the two do not grow
 * alike, another stream was used. Launches, copies, memsets, what is allocated and freed in the
 * order of a stream, events recorded and waited for, graphs. NULL: the current device's default
 * stream. */
SIMT_API uint64_t simt_submissions(void);
SIMT_API uint64_t simt_submissions_to(cudaStream_t stream);

#if defined(__cplusplus)
}
#endif

#endif
