/* What gathered.c shares with scans. team->args begins with a prim_reduction; a workspace begins
 * with the results, one of each rank, room for two more, and the workspace of reductions. */
#ifndef PRIM_DISTRIBUTED_GATHERED_H
#define PRIM_DISTRIBUTED_GATHERED_H

#include "distributed/reduction.h"

size_t prim_gathered_results_bytes(const prim_team *team);
prim_status prim_gathered_inner_bytes(const prim_team *team, size_t *bytes);

/* The place of a rank's result; places after the last rank's are for scans. */
void *prim_gathered_result(const prim_team *team, const prim_member *member, size_t rank);

/* Steps: each rank's own result; then all of them to every rank, in one group. */
prim_status prim_gathered_reduce_part(const prim_team *team, const prim_member *member);
prim_status prim_gathered_share(const prim_team *team, const prim_member *member);

/* Reduces the first `count` results to one; none give the identity. */
prim_status prim_gathered_reduce_results(const prim_team *team, const prim_member *member,
                                         size_t count, void *d_out);

#endif
