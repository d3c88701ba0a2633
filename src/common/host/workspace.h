/* The workspace of a call: the caller's, or one from the pool until the call's work has run. */
#ifndef PRIM_COMMON_WORKSPACE_H
#define PRIM_COMMON_WORKSPACE_H

#include "common/host/check.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { PRIM_WORKSPACE_ALIGNMENT = 256 };

typedef struct prim_workspace {
    void *data;
    bool from_pool;
} prim_workspace;

/* Checks the caller's workspace against what the call needs; *span becomes its range. */
prim_status prim_workspace_check(const prim_request *call, size_t needed_bytes, prim_span *span);

/* The caller's workspace, or one from the kit's pool (pool.h) in stream order. */
prim_status prim_workspace_open(const prim_request *call, size_t needed_bytes,
                                prim_workspace *workspace);

/* Gives back what open() took from the pool, in stream order. */
prim_status prim_workspace_close(const prim_request *call, prim_workspace workspace);

#if defined(__cplusplus)
}
#endif

#endif
