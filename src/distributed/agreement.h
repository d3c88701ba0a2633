/* The option for debugging: before any work, all ranks tell each other what they were called with.
 */
#ifndef PRIM_DISTRIBUTED_AGREEMENT_H
#define PRIM_DISTRIBUTED_AGREEMENT_H

#include "distributed/team.h"

/* Is the option on, and can the call wait? While a stream is captured nothing can. */
prim_status prim_agreement_wanted(const prim_team *team, bool *wanted);

/* What one process was called with, as numbers that differ where it differs. */
typedef struct prim_statement {
    prim_digest call, counts, arguments;
    uint64_t refused; /* its own arguments */
} prim_statement;

typedef struct prim_agreement {
    prim_statement own;
    prim_statement *h_all;            /* of each rank */
    void *d_all[PRIM_MOST_OWN_RANKS]; /* the same in the memory of each own rank */
} prim_agreement;

/* own: what this process's checks gave. PRIM_OK: all ranks were called alike. */
prim_status prim_agree(prim_team *team, const prim_team_steps *steps, prim_status own);

#endif
