/* Communicators and what their ranks do together, for nccl.c. */
#ifndef SIMT_RANKS_H
#define SIMT_RANKS_H

#include <pthread.h>

#include "internal.h"
#include "nccl.h"

enum { SIMT_MAX_RANKS = 64 };

typedef enum simt_meeting_kind {
    SIMT_ALL_GATHER,
    SIMT_ALL_REDUCE,
    SIMT_BROADCAST,
    SIMT_SEND,
    SIMT_RECEIVE
} simt_meeting_kind;

/* What one rank brings to a meeting. */
typedef struct simt_part {
    struct simt_part *next; /* of the same rank, in the order of the calls */
    struct ncclComm *comm;
    cudaStream_t stream;
    simt_meeting_kind kind;
    const void *from;
    void *to;
    size_t count, element_bytes;
    ncclDataType_t type;
    ncclRedOp_t op;
    int peer;        /* of a send or receive; the root of a broadcast */
    uint64_t ticket; /* of one that was sent to another process */
    bool brought, done;
    ncclResult_t result;
} simt_part;

struct ncclComm {
    struct simt_ranks *all;
    int rank, device;
    int wire;         /* to the process where its ranks meet; -1: they meet here */
    uint64_t tickets; /* of what was sent there */
    pthread_mutex_t sending;
    int owners;         /* the program, and work that has yet to run */
    bool left;          /* its rank is gone */
    ncclResult_t error; /* of what was done last in a stream */
    simt_part *parts;   /* that wait for others */
};

/* All ranks of a communicator. */
typedef struct simt_ranks {
    struct simt_ranks *next;
    ncclUniqueId id;
    int count, joined, owners;
    bool left;    /* a rank is gone */
    bool aborted; /* by ncclCommAbort() */
    struct ncclComm *ranks[SIMT_MAX_RANKS];
} simt_ranks;

/* ---- ranks.c: one lock for all communicators, which its callers need not know ---- */

/* A rank joins; it does not wait for the others. */
ncclResult_t simt_ranks_join(const ncclUniqueId *id, int count, int rank, int device,
                             ncclComm_t *comm);
/* Waits until all ranks have joined. */
ncclResult_t simt_ranks_await(struct ncclComm *comm);
void simt_ranks_leave(struct ncclComm *comm, bool aborts);
ncclResult_t simt_ranks_error(const struct ncclComm *comm);
/* Brings the parts, and waits until others have brought theirs. */
ncclResult_t simt_ranks_meet(simt_part *const *parts, size_t count);

/* Bytes that it reads of `from`, and writes to `to`. */
size_t simt_part_reads(const simt_part *part);
size_t simt_part_writes(const simt_part *part);

/* The same in steps that do not wait. A communicator lasts while it is held. */
void simt_ranks_hold(struct ncclComm *comm);
void simt_ranks_let_go(struct ncclComm *comm);
void simt_ranks_bring(simt_part *const *parts, size_t count);
bool simt_ranks_have_met(simt_part *const *parts, size_t count);
/* Says that nobody came. */
void simt_ranks_give_up(simt_part *const *parts, size_t count);
/* Those that nobody has met are taken back. */
void simt_ranks_withdraw(simt_part *const *parts, size_t count);

/* For hub.c: as soon as others meet it, the part may be gone. */
void simt_ranks_bring_visitors(simt_part *part);
/* Waits until it is so, and asks whether it is with the lock held. */
void simt_ranks_wait_until(bool (*is_so)(void *of), void *of);
/* This process ends: who waits for ranks of its own does so in vain. */
void simt_ranks_abandon(void);

/* For remote.c: a rank whose communicator is another process's, and what that says. */
struct simt_letter;
ncclResult_t simt_ranks_join_elsewhere(int wire, int count, int rank, int device, ncclComm_t *comm);
void simt_ranks_complete(struct ncclComm *comm, ncclResult_t result);
void simt_ranks_break(struct ncclComm *comm); /* nobody answers any more */
bool simt_ranks_answer(struct ncclComm *comm, const struct simt_letter *letter);

/* ---- bundles.c ---- */

/* A group's parts become work of their streams. Takes those over that it leaves NULL. */
ncclResult_t simt_bundles_submit(simt_part **parts, size_t count);

/* ---- meetings.c ---- */

/* Lets those meet whose parts are all there, and marks them as done. */
void simt_meet(simt_ranks *all);

#endif
