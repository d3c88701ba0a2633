/* For tests that call NCCL themselves. */
#ifndef TESTS_NCCL_SUPPORT_H
#define TESTS_NCCL_SUPPORT_H

#include <nccl.h>

#include "support.h"

#define cr_nccl(call)                                              \
    do {                                                           \
        const ncclResult_t cr_nccl_result = (call);                \
        cr_assert_eq(cr_nccl_result, ncclSuccess, "%s: %s", #call, \
                     ncclGetErrorString(cr_nccl_result));          \
    } while (0)

#endif
