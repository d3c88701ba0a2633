/* What the programs share that .ci/check-vendor.sh builds against vendored patterns. */
#ifndef USE_H
#define USE_H

#include <primitives/types.h>

#include <stdio.h>
#include <string.h>

/* Device memory with a copy of host bytes; with NULL, of zeros. */
static inline void *on_device(const void *bytes, size_t size)
{
    void *pointer = NULL;
    cudaMalloc(&pointer, size);
    if (bytes)
        cudaMemcpy(pointer, bytes, size, cudaMemcpyHostToDevice);
    else
        cudaMemset(pointer, 0, size);
    return pointer;
}

/* 0 if the call succeeded and wrote these bytes: what main() returns. */
static inline int outcome(prim_status status, const void *d_result, const void *expected,
                          size_t size)
{
    char result[256];
    if (status != PRIM_OK)
        return printf("%s\n", prim_last_error(NULL)), 1;
    cudaMemcpy(result, d_result, size, cudaMemcpyDeviceToHost);
    if (memcmp(result, expected, size) != 0)
        return printf("the result is wrong\n"), 1;
    return 0;
}

#endif
