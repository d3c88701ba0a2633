/* Inside distributed: a scan's arguments, and the two ways to scan. */
#ifndef PRIM_DISTRIBUTED_PARTS_SCAN_H
#define PRIM_DISTRIBUTED_PARTS_SCAN_H

#include "distributed/reduction.h"

typedef struct prim_parts_scan {
    prim_reduction reduction; /* out_type: the type of parts' results and carries */
    prim_scan_kind kind;
    cudaDataType_t out_type;
} prim_parts_scan;

/* parts_scan.c: the checks of both ways, and the arguments that all ranks compare. */
void prim_parts_scan_sign(const prim_team *team, prim_digest *digest);
prim_status prim_parts_scan_bytes(const prim_team *team, size_t count, size_t *bytes);

/* prim_scan() of `count` elements of the rank, no more than the largest part has; `memory` has room
 * for its workspace. */
prim_status prim_parts_scan_from(const prim_team *team, const prim_member *member,
                                 const void *d_initial, const void *in, size_t count, void *out,
                                 void *total, void *memory);

prim_status prim_parts_scan_check(const prim_team *team, const prim_member *member,
                                  prim_operands *operands);
prim_status prim_parts_carry_check(const prim_team *team, const prim_member *member,
                                   prim_operands *operands);

/* chained.c: sums and products of floats. scanned.c: all else, in any order. */
extern const prim_team_steps prim_chained_scan_steps, prim_chained_carry_steps;
extern const prim_team_steps prim_scanned_scan_steps, prim_scanned_carry_steps;

#endif
