#include "failure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_cuda(const char *program, cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", program, cudaGetErrorString(error));
    exit(1);
}

void check_prim(const char *program, prim_status status)
{
    if (status == PRIM_OK)
        return;
    fprintf(stderr, "%s: %s\n", program, prim_last_error(NULL));
    exit(1);
}

void fail_with_errno(const char *program, const char *path)
{
    fprintf(stderr, "%s: %s: %s\n", program, path, strerror(errno));
    exit(1);
}

void *allocate(const char *program, void *old, size_t count, size_t bytes)
{
    void *const memory = count < SIZE_MAX / bytes ? realloc(old, (count + 1) * bytes) : NULL;
    if (memory != NULL)
        return memory;
    fprintf(stderr, "%s: out of memory\n", program);
    exit(1);
}
