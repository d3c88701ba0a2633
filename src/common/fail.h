/* How a call of the library says what went wrong. */
#ifndef PRIM_COMMON_FAIL_H
#define PRIM_COMMON_FAIL_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Keeps the sentence for prim_last_error() and returns the status. */
prim_status prim_fail(prim_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for an error of the CUDA runtime: its name and meaning are added to the sentence. */
prim_status prim_fail_cuda(prim_status status, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What the launches of a variant came to: PRIM_OK, or the sentence and status of the failure. */
prim_status prim_launch_status(const char *call, const char *variant, cudaError_t error);

#if defined(__cplusplus)
}
#endif

#endif
