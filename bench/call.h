/* How the patterns make a case's call, and ask it. */
#ifndef BENCH_CALL_H
#define BENCH_CALL_H

#include "bench.h"

/* The options of a case's call. */
static inline prim_call call_of(const bench_operands *o, cudaStream_t stream)
{
    return (prim_call){.stream = stream,
                       .d_workspace = o->d_workspace,
                       .workspace_bytes = o->workspace_bytes,
                       .answer = o->answer};
}

/* A part of an operand, or NULL as the operand. */
static inline void *part_of(void *operand, size_t bytes)
{
    return operand == NULL ? NULL : (char *)operand + bytes;
}

/* Would the case run? */
static inline bool would_run(bench_run *run, const bench_case *c)
{
    prim_answer answer;
    return run(c, &(bench_operands){.answer = &answer}, NULL) == PRIM_OK;
}

#endif
