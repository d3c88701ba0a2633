/* What all calls have; the first member of every pattern's args. */
#ifndef PRIM_COMMON_REQUEST_H
#define PRIM_COMMON_REQUEST_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_request {
    const char *name; /* the public function */
    int variant;
    bool on_host; /* operands are h_…, otherwise d_… */
    /* What the caller's prim_call says. */
    void *workspace;
    size_t workspace_bytes;
    cudaStream_t stream;
    prim_answer *answer; /* not NULL: the call is only asked */
} prim_request;

/* Takes these from the caller's options, which may be NULL; an answer is made empty. */
prim_status prim_request_options(prim_request *request, const prim_call *options);

/* A NULL operand of a call that is only asked: one of which nothing is wrong. */
static inline bool prim_is_left_open(const prim_request *request, const void *operand)
{
    return request->answer != NULL && operand == NULL;
}

#if defined(__cplusplus)
}
#endif

#endif
