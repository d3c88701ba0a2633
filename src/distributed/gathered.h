/* What gathered.c does for scans too. team->args begins with a prim_reduction; a workspace begins
 * with the results, one of each rank, room for two more, and what reductions need. */
#ifndef PRIM_DISTRIBUTED_GATHERED_H
#define PRIM_DISTRIBUTED_GATHERED_H

#include "distributed/reduction.h"

size_t prim_gathered_results_bytes(const prim_team *team);
prim_status prim_gathered_inner_bytes(const prim_team *team, size_t *bytes);

/* Where a rank's result lies; those behind the last rank's are a scan's own. */
void *prim_gathered_result(const prim_team *team, const prim_member *member, size_t rank);

/* Steps: each rank's own result; all of them to every rank, which is taken together. */
prim_status prim_gathered_reduce_part(const prim_team *team, const prim_member *member);
prim_status prim_gathered_share(const prim_team *team, const prim_member *member);

/* The first `count` results into one, of none the identity. */
prim_status prim_gathered_reduce_results(const prim_team *team, const prim_member *member,
                                         size_t count, void *d_out);

#endif
