/* Ends the program with a sentence that begins with its name, where something failed. */
#ifndef EXAMPLES_FAILURE_H
#define EXAMPLES_FAILURE_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

void check_cuda(const char *program, cudaError_t error);
void check_prim(const char *program, prim_status status);

/* For files: "PROGRAM: PATH: No such file or directory". */
__attribute__((noreturn)) void fail_with_errno(const char *program, const char *path);

/* Room for `count` things and one more; `old` moves there, and may be NULL. */
void *allocate(const char *program, void *old, size_t count, size_t bytes);

#if defined(__cplusplus)
}
#endif

#endif
