/* A pattern as a ladder of rungs, and what all its calls and queries do. */
#ifndef PRIM_COMMON_LADDER_H
#define PRIM_COMMON_LADDER_H

#include "common/host/check.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { PRIM_VARIANT_AUTO = 0 }; /* in every pattern's enum */

/* A rung, defined at the end of its own file. `args` is the pattern's own struct, whose first
 * member is a prim_request. Operands of a call that is only asked may be NULL: so why_not(),
 * workspace_bytes() and choose() read through no pointer to the device, and take an operand that is
 * NULL for a well aligned one. They may use what the header wants of such a call too: that a mask
 * has h_values or d_values, and JDS's groups, which they read on the host. */
typedef struct prim_rung {
    prim_variant variant;
    /* NULL: it runs the call on the current device. Otherwise the one reason why it does not, a
     * static clause such as "it takes one row only"; prim_ladder_run() adds the particulars. */
    const char *(*why_not)(const void *args);
    size_t (*workspace_bytes)(const void *args); /* NULL: it needs none */
    cudaError_t (*launch)(const void *args);     /* submits to call.stream, and does not wait */
} prim_rung;

/* For why_not(), where nothing more can be said. */
#define PRIM_RUNG_NOT_BUILT "this build of the library leaves it out"
#define PRIM_TYPES_NOT_BUILT "this build of the library has no kernels for these types"
#define PRIM_OP_NOT_BUILT "this build of the library has no kernels for this op"
#define PRIM_GRID_TOO_SMALL "it would need more blocks than a grid can have"
#define PRIM_NO_CLUSTERS \
    "it needs thread block clusters, which exist from compute capability 9.0 on"

/* A pattern's rungs.c lists its rungs once, upwards, as a macro over their names:
 *
 *     #define RUNGS(X) X(gemm, naive) X(gemm, tiled_16)
 *     RUNGS(PRIM_DECLARE_RUNG)
 *     const prim_rung *const prim_gemm_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};
 *
 * and naive.cu ends with PRIM_DEFINE_RUNG(gemm, naive) = …; */
#define PRIM_DECLARE_RUNG(pattern, name) extern const prim_rung prim_##pattern##_##name##_rung;
#define PRIM_RUNG_ROW(pattern, name) &prim_##pattern##_##name##_rung,
#if defined(__cplusplus)
#define PRIM_DEFINE_RUNG(pattern, name)                        \
    extern "C" const prim_rung prim_##pattern##_##name##_rung; \
    const prim_rung prim_##pattern##_##name##_rung
#endif

typedef struct prim_ladder {
    const prim_rung *const *rungs;   /* upwards; NULL after the last one */
    const prim_rung *const *others;  /* of the header's other calls, likewise; NULL: it has none */
    int (*choose)(const void *args); /* the rung for PRIM_VARIANT_AUTO; NULL: there is one only */
    /* Everything that is not a pointer: what queries and calls check alike. */
    prim_status (*check_kind)(const void *args);
    /* The operands, one by one and against each other. */
    prim_status (*check_operands)(const void *args, prim_operands *operands);
    /* Types, op and sizes in words, for the message of a call that no rung takes. */
    void (*describe)(const void *args, char *text, size_t bytes);
    size_t (*output_bytes)(const void *args); /* prim_answer's; NULL: 0 */
    /* prim_answer's: a rung's way, NULL of a rung that has one; NULL: all rungs have one. It reads
     * through no pointer, and one that is NULL is well aligned. */
    const char *(*route)(const prim_rung *rung, const void *args);
    int stateful; /* the variant that keeps state, so that no graph may replay it; 0: none does */
} prim_ladder;

/* For choose(): `preferred` where it takes the call, otherwise the highest rung that does; where
 * none does, `preferred`, whose reason is then reported. */
int prim_preferred_rung(const prim_rung *const *rungs, const prim_rung *preferred,
                        const void *args);

/* Takes the caller's options, checks everything, and only then launches, or answers where the call
 * is only asked. request is the first member of the args. */
prim_status prim_ladder_call(const prim_ladder *ladder, prim_request *request,
                             const prim_call *options);

/* The same for a request that has its options. */
prim_status prim_ladder_run(const prim_ladder *ladder, prim_request *request);

/* For the CPU's versions: the checks alone. */
prim_status prim_ladder_check_host(const prim_ladder *ladder, const prim_request *request);

/* AUTO first, NULL after the last; and by value, NULL where there is none. The ladder's own rungs,
 * then the others. */
const prim_variant *prim_ladder_variant_at(const prim_ladder *ladder, size_t index);
const prim_variant *prim_ladder_variant_info(const prim_ladder *ladder, int value);

#if defined(__cplusplus)
}
#endif

#endif
