/* How a call of the library reports an error. */
#ifndef PRIM_COMMON_FAIL_H
#define PRIM_COMMON_FAIL_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Keeps the message for prim_last_error() and returns the status. */
prim_status prim_fail(prim_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for an error of the CUDA runtime: its name and meaning are added to the message. */
prim_status prim_fail_cuda(prim_status status, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The status of a variant's launches: PRIM_OK, or prim_fail_cuda() with what failed. */
prim_status prim_launch_status(const char *call, const char *variant, cudaError_t error);

#if defined(__cplusplus)
}
#endif

#endif
