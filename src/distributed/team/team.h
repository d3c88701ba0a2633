/* A call on many devices: the ranks that this process drives, as a team that does the call's steps
 * together. */
#ifndef PRIM_DISTRIBUTED_TEAM_H
#define PRIM_DISTRIBUTED_TEAM_H

#include <stdint.h>

#include <primitives/distributed.h>

#include "common/host/check.h"

enum { PRIM_MOST_OWN_RANKS = 64 };

/* One rank of this process. */
typedef struct prim_member {
    const prim_rank *rank;
    size_t number;       /* of the rank in its communicator */
    size_t begin, count; /* its part of the whole array */
    int device;
    size_t needed;     /* bytes of its workspace */
    bool opened;       /* its workspace, from the pool */
    prim_request call; /* its name says which rank it is; its workspace is never NULL once opened */
    char name[80];
} prim_member;

static inline bool prim_member_is_asked(const prim_member *member)
{
    return member->call.answer != NULL;
}

struct prim_team;

struct prim_agreement;

/* A hash of a call's arguments. */
typedef uint64_t prim_digest;
#define PRIM_DIGEST_OF_NOTHING UINT64_C(0xcbf29ce484222325)

static inline void prim_digest_add(prim_digest *digest, uint64_t number)
{
    for (int byte = 0; byte < 8; byte++) /* FNV-1a */
        *digest = (*digest ^ (number >> (8 * byte) & 0xff)) * UINT64_C(0x100000001b3);
}

/* What a rank does in one step, its device being current unless all take the step together. */
typedef prim_status (*prim_team_step)(const struct prim_team *team, const prim_member *member);

typedef struct prim_team_steps {
    /* The operands of one rank, apart from the workspace; *operands become their ranges. */
    prim_status (*check)(const struct prim_team *team, const prim_member *member,
                         prim_operands *operands);
    /* The workspace of a rank on the current device. The statuses are those of the queries that it
     * calls, which check all arguments that are not pointers. */
    prim_status (*needed)(const struct prim_team *team, size_t *bytes);
    /* Hashes all of args that must be the same in every process. */
    void (*sign)(const struct prim_team *team, prim_digest *digest);
    /* The steps in their order; all ranks do one before the next. `together`: in one NCCL group;
     * the step then consists only of calls of NCCL. */
    struct {
        prim_team_step take;
        bool together;
    } steps[9];
} prim_team_steps;

typedef struct prim_team {
    const char *name; /* of the call */
    const void *args; /* the call's own */
    const size_t *counts;
    size_t total; /* ranks of the communicator */
    size_t whole; /* elements of all parts */
    size_t own;
    prim_member members[PRIM_MOST_OWN_RANKS];
    struct prim_agreement *agreement; /* while there is one */
} prim_team;

/* The whole call: checks everything, then takes the steps. name, args, counts and total are set. */
prim_status prim_team_run(prim_team *team, const prim_team_steps *steps, const prim_rank *ranks,
                          size_t own_ranks);

/* One step after the other, until one fails. */
prim_status prim_team_take_steps(const prim_team *team, const prim_team_steps *steps);

/* One step at every rank, whatever fails and whichever device is current; the first failure is
 * returned. */
prim_status prim_team_take_all(const prim_team *team, prim_team_step take);

/* Makes the member's device the current one. */
prim_status prim_team_go_to(const prim_member *member);

size_t prim_team_largest_part(const prim_team *team);

/* The workspace that a call for one device needs, which was asked with this answer. */
static inline prim_status prim_team_asked(prim_status status, const prim_answer *answer,
                                          size_t *bytes)
{
    if (status == PRIM_OK)
        *bytes = answer->workspace_bytes;
    return status;
}

/* NULL where 0 bytes are needed, so that the pool is not used. */
static inline void *prim_team_inner(void *memory, size_t bytes)
{
    return bytes > 0 ? memory : NULL;
}

/* The bytes rounded up to the alignment of a workspace. */
size_t prim_team_padded(size_t bytes);

/* Messages from one rank to another, and from one to all, in place; in steps that are
 * `together`. */
prim_status prim_team_send(const prim_member *member, const void *from, size_t bytes, size_t to);
prim_status prim_team_receive(const prim_member *member, void *to, size_t bytes, size_t from);
prim_status prim_team_broadcast(const prim_member *member, void *at, size_t bytes, size_t from);

/* PRIM_OK, or prim_fail() with what failed. */
prim_status prim_team_nccl(const prim_member *member, const char *what, ncclResult_t result);
prim_status prim_team_cuda(const prim_member *member, const char *what, cudaError_t error);

#endif
