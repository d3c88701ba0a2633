/* Inside distributed: a reduction's arguments, and the two ways to reduce. */
#ifndef PRIM_DISTRIBUTED_REDUCTION_H
#define PRIM_DISTRIBUTED_REDUCTION_H

#include "distributed/team/team.h"

typedef struct prim_reduction {
    prim_op op;
    prim_transform transform;
    cudaDataType_t in_type, out_type;
    bool is_dot; /* a dot product, with op SUM and no transform */
} prim_reduction;

/* reduction.c: the workspace of one GPU for that many elements; the checks of both ways, and the
 * arguments that all ranks compare. */
prim_status prim_reduction_bytes(const prim_team *team, size_t count, size_t *bytes);
prim_status prim_reduction_check(const prim_team *team, const prim_member *member,
                                 prim_operands *operands);
void prim_reduction_sign(const prim_team *team, prim_digest *digest);

/* Whether the order changes the bits. */
bool prim_reduction_has_order(const prim_reduction *r);

/* ordered.c: sums and products of floats. gathered.c: all else, in any order. */
extern const prim_team_steps prim_ordered_steps, prim_gathered_steps;

#endif
