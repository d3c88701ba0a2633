/* The option for debugging: before any work, all ranks compare their arguments. */
#ifndef PRIM_DISTRIBUTED_AGREEMENT_H
#define PRIM_DISTRIBUTED_AGREEMENT_H

#include "distributed/team/team.h"

/* Whether the option is on, and the call can wait: not while a stream is captured. */
prim_status prim_agreement_wanted(const prim_team *team, bool *wanted);

/* Hashes of the arguments of one process. */
typedef struct prim_statement {
    prim_digest call, counts, arguments;
    uint64_t refused; /* its own arguments */
} prim_statement;

typedef struct prim_agreement {
    prim_statement own;
    prim_statement *h_all;            /* of each rank */
    void *d_all[PRIM_MOST_OWN_RANKS]; /* the same in the memory of each own rank */
} prim_agreement;

/* own: the status of this process's checks. PRIM_OK: all ranks have the same arguments. */
prim_status prim_agree(prim_team *team, const prim_team_steps *steps, prim_status own);

#endif
