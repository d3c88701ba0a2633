/* A pattern as the kit sees it: a ladder of rungs, and the way that all its calls take. */
#ifndef PRIM_COMMON_LADDER_H
#define PRIM_COMMON_LADDER_H

#include "common/check.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { PRIM_VARIANT_AUTO = 0 }; /* in every pattern's enum */

/* One row is one rung. `args` is the pattern's own struct, whose first member is a prim_call.
 * Queries have no pointers in it, so supports() and workspace_bytes() look at none. */
typedef struct prim_rung {
    int variant;
    const char *name;
    const char *idea;
    bool (*supports)(const void *args);
    size_t (*workspace_bytes)(const void *args);
    cudaError_t (*launch)(const void *args); /* submits to call.stream, and does not wait */
} prim_rung;

/* A rung's workspace_bytes() where it needs none. */
size_t prim_no_workspace(const void *args);

/* The operands of a call, for comparing the workspace with them. */
enum { PRIM_MOST_OPERANDS = 12 };
typedef struct prim_operands {
    prim_span spans[PRIM_MOST_OPERANDS];
    int count;
} prim_operands;

typedef struct prim_ladder {
    const prim_rung *rungs; /* upwards; behind the last one, a row without a name */
    /* The rung for PRIM_VARIANT_AUTO. NULL: the highest one that supports the call. */
    int (*choose)(const void *args);
    /* Everything that is no pointer: what queries and calls judge alike. */
    prim_status (*check_kind)(const void *args);
    /* The operands, one by one and against each other. */
    prim_status (*check_operands)(const void *args, prim_operands *operands);
    int stateful; /* the variant that keeps state, so that no graph may replay it; 0: none does */
    const char *refusal; /* why a rung does not support a call: "does not reduce …" */
} prim_ladder;

/* Checks everything, and only then launches. call is the head of the args. */
prim_status prim_ladder_run(const prim_ladder *ladder, prim_call *call);

/* For the CPU's versions: the checks alone. */
prim_status prim_ladder_check_host(const prim_ladder *ladder, const prim_call *call);

prim_status prim_ladder_workspace_bytes(const prim_ladder *ladder, const prim_call *call,
                                        size_t *bytes);
bool prim_ladder_supports(const prim_ladder *ladder, const prim_call *call);

size_t prim_ladder_variant_count(const prim_ladder *ladder);
int prim_ladder_variant_at(const prim_ladder *ladder, size_t index);
const char *prim_ladder_variant_name(const prim_ladder *ladder, int variant);
const char *prim_ladder_variant_idea(const prim_ladder *ladder, int variant);

#if defined(__cplusplus)
}
#endif

#endif
