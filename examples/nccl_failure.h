/* Ends the program with NCCL's sentence where a call of NCCL failed; only where NCCL is. */
#ifndef EXAMPLES_NCCL_FAILURE_H
#define EXAMPLES_NCCL_FAILURE_H

#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

static inline void check_nccl(const char *program, ncclResult_t result)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "%s: %s\n", program, ncclGetErrorString(result));
    exit(1);
}

#endif
