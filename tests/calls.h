/* The last argument of calls in tests: prim_x(…, with(stream, d_workspace, bytes)); and asking one
 * what it would do: prim_x(…, asking()), and then asked(). */
#ifndef TESTS_CALLS_H
#define TESTS_CALLS_H

#include <primitives/types.h>

static _Thread_local prim_answer asking_answer;

/* A call that submits nothing. */
static inline const prim_call *asking(void)
{
    static _Thread_local prim_call call;
    call.answer = &asking_answer;
    return &call;
}

/* Of a call for many devices: a rank that asks for any of them. */
#define ASKING_RANK (&(prim_rank){.call = {.answer = &asking_answer}})

/* What this thread's last asked call answered. */
static inline const prim_answer *asked(void)
{
    return &asking_answer;
}

/* Of a call that was asked: would it run? */
static inline bool runs(prim_status status)
{
    return status == PRIM_OK;
}

/* Of a call that was asked: its workspace. */
static inline prim_status asked_bytes(prim_status status, size_t *bytes)
{
    *bytes = asking_answer.workspace_bytes;
    return status;
}

/* Of a call that was asked: what its d_memory or d_plan takes. */
static inline prim_status asked_output(prim_status status, size_t *bytes)
{
    *bytes = asking_answer.output_bytes;
    return status;
}

/* Of a call that was asked: the variant that would run; 0 where none would. */
static inline int chosen(prim_status status)
{
    return status == PRIM_OK ? asking_answer.variant->value : 0;
}

/* A call into a stream, with a workspace. Until the thread's next one. */
static inline const prim_call *with(cudaStream_t stream, void *d_workspace, size_t bytes)
{
    static _Thread_local prim_call call;
    call = (prim_call){.stream = stream, .d_workspace = d_workspace, .workspace_bytes = bytes};
    return &call;
}

/* A call into a stream, with a workspace from the pool. */
static inline const prim_call *into(cudaStream_t stream)
{
    return with(stream, NULL, 0);
}

#endif
