/* Parts that ranks bring, and what becomes of them when all that belong together are there. The
 * caller holds the lock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

static bool is_collective(const simt_part *part)
{
    return part->kind != SIMT_SEND && part->kind != SIMT_RECEIVE;
}

size_t simt_part_reads(const simt_part *part)
{
    const bool reads = part->kind != SIMT_RECEIVE &&
                       (part->kind != SIMT_BROADCAST || part->peer == part->comm->rank);
    return reads ? part->count * part->element_bytes : 0;
}

size_t simt_part_writes(const simt_part *part)
{
    const size_t bytes = part->count * part->element_bytes;
    return part->kind == SIMT_SEND         ? 0
           : part->kind == SIMT_ALL_GATHER ? (size_t)part->comm->all->count * bytes
                                           : bytes;
}

static void remove_part(simt_part *part)
{
    simt_part **at = &part->comm->parts;
    while (*at != part)
        at = &(*at)->next;
    *at = part->next;
}

static void finish(simt_part *part, ncclResult_t result)
{
    remove_part(part);
    part->done = true;
    part->result = result;
    if (result != ncclSuccess)
        part->comm->error = result;
}

/* ---- reductions, in the order of the ranks ---- */

#define COMBINE(type, wide)                                                                  \
    static void combine_##type(ncclRedOp_t op, void *so_far, const void *more, size_t count) \
    {                                                                                        \
        type *a = so_far;                                                                    \
        const type *b = more;                                                                \
        for (size_t i = 0; i < count; i++)                                                   \
            a[i] = op == ncclSum    ? (type)((wide)a[i] + (wide)b[i])                        \
                   : op == ncclProd ? (type)((wide)a[i] * (wide)b[i])                        \
                   : op == ncclMin  ? (b[i] < a[i] ? b[i] : a[i])                            \
                                    : (a[i] < b[i] ? b[i] : a[i]);                            \
    }
COMBINE(int8_t, uint32_t)
COMBINE(uint8_t, uint32_t)
COMBINE(int32_t, uint32_t)
COMBINE(uint32_t, uint32_t)
COMBINE(int64_t, uint64_t)
COMBINE(uint64_t, uint64_t)
COMBINE(float, float)
COMBINE(double, double)

typedef void (*combiner)(ncclRedOp_t op, void *so_far, const void *more, size_t count);

/* NULL: halves, which are not reduced. */
static combiner combiner_of(ncclDataType_t type)
{
    static const combiner combiners[] = {
        [ncclInt8] = combine_int8_t,   [ncclUint8] = combine_uint8_t,
        [ncclInt32] = combine_int32_t, [ncclUint32] = combine_uint32_t,
        [ncclInt64] = combine_int64_t, [ncclUint64] = combine_uint64_t,
        [ncclFloat32] = combine_float, [ncclFloat64] = combine_double,
        [ncclBfloat16] = NULL,
    };
    return combiners[type];
}

static ncclResult_t all_reduce(simt_part **parts, int ranks)
{
    const size_t count = parts[0]->count, bytes = count * parts[0]->element_bytes;
    const combiner combine = combiner_of(parts[0]->type);
    if (combine == NULL)
        return ncclInvalidArgument;
    void *const sum = malloc(bytes + 1);
    if (sum == NULL)
        return ncclSystemError;
    if (bytes > 0)
        memcpy(sum, parts[0]->from, bytes);
    for (int r = 1; r < ranks && bytes > 0; r++)
        combine(parts[0]->op, sum, parts[r]->from, count);
    for (int r = 0; r < ranks && bytes > 0; r++)
        memcpy(parts[r]->to, sum, bytes);
    free(sum);
    return ncclSuccess;
}

/* ---- copies; a rank may take part in place ---- */

static ncclResult_t all_gather(simt_part **parts, int ranks)
{
    const size_t bytes = parts[0]->count * parts[0]->element_bytes;
    for (int to = 0; to < ranks && bytes > 0; to++)
        for (int from = 0; from < ranks; from++)
            memmove((char *)parts[to]->to + (size_t)from * bytes, parts[from]->from, bytes);
    return ncclSuccess;
}

static ncclResult_t broadcast(simt_part **parts, int ranks)
{
    const simt_part *root = parts[parts[0]->peer];
    const size_t bytes = root->count * root->element_bytes;
    for (int to = 0; to < ranks && bytes > 0; to++)
        memmove(parts[to]->to, root->from, bytes);
    return ncclSuccess;
}

/* ---- who meets whom ---- */

static const char *const names[] = {"ncclAllGather", "ncclAllReduce", "ncclBroadcast", "ncclSend",
                                    "ncclRecv"};

static void report(const simt_part *a, const simt_part *b)
{
    fprintf(stderr,
            "simt: ranks disagree: rank %d calls %s with %zu elements of type %d, op %d, root %d, "
            "and rank %d %s with %zu of type %d, op %d, root %d\n",
            a->comm->rank, names[a->kind], a->count, (int)a->type, (int)a->op, a->peer,
            b->comm->rank, names[b->kind], b->count, (int)b->type, (int)b->op, b->peer);
}

static bool agree(const simt_part *a, const simt_part *b)
{
    return a->kind == b->kind && a->count == b->count && a->type == b->type && a->op == b->op &&
           a->peer == b->peer;
}

static simt_part *first_collective(const struct ncclComm *comm)
{
    simt_part *part = comm->parts;
    while (part != NULL && !is_collective(part))
        part = part->next;
    return part;
}

static ncclResult_t perform(simt_part **parts, int ranks)
{
    for (int r = 1; r < ranks; r++)
        if (!agree(parts[0], parts[r])) {
            report(parts[0], parts[r]);
            return ncclInvalidUsage;
        }
    return parts[0]->kind == SIMT_ALL_GATHER   ? all_gather(parts, ranks)
           : parts[0]->kind == SIMT_ALL_REDUCE ? all_reduce(parts, ranks)
                                               : broadcast(parts, ranks);
}

/* true: all ranks have met once. */
static bool meet_together(simt_ranks *all)
{
    simt_part *parts[SIMT_MAX_RANKS] = {NULL};
    for (int r = 0; r < all->count; r++) {
        parts[r] = first_collective(all->ranks[r]);
        if (parts[r] == NULL)
            return false;
    }
    const ncclResult_t result = perform(parts, all->count);
    for (int r = 0; r < all->count; r++)
        finish(parts[r], result);
    return true;
}

/* The first one that the rank sends to the peer, or receives from it. */
static simt_part *first_with(const struct ncclComm *comm, simt_meeting_kind kind, int peer)
{
    simt_part *part = comm->parts;
    while (part != NULL && (part->kind != kind || part->peer != peer))
        part = part->next;
    return part;
}

static bool meet_in_pair(const struct ncclComm *sender, const struct ncclComm *receiver)
{
    simt_part *const sent = first_with(sender, SIMT_SEND, receiver->rank);
    simt_part *const received = first_with(receiver, SIMT_RECEIVE, sender->rank);
    if (sent == NULL || received == NULL)
        return false;
    const size_t bytes = sent->count * sent->element_bytes;
    const bool same = sent->count == received->count && sent->type == received->type;
    if (!same)
        report(sent, received);
    else if (bytes > 0)
        memmove(received->to, sent->from, bytes);
    finish(sent, same ? ncclSuccess : ncclInvalidUsage);
    finish(received, same ? ncclSuccess : ncclInvalidUsage);
    return true;
}

/* Nobody meets a rank that is gone. */
static bool is_orphan(const simt_part *part, const simt_ranks *all)
{
    return all->aborted || (is_collective(part) ? all->left : all->ranks[part->peer] == NULL);
}

static void give_up_orphans(const simt_ranks *all)
{
    for (int r = 0; r < all->count; r++) {
        simt_part *part = all->ranks[r] != NULL ? all->ranks[r]->parts : NULL, *next;
        for (; part != NULL; part = next) {
            next = part->next;
            if (is_orphan(part, all))
                finish(part, ncclRemoteError);
        }
    }
}

void simt_meet(simt_ranks *all)
{
    if (all->left)
        give_up_orphans(all);
    while (!all->left && all->joined == all->count && meet_together(all))
        ;
    for (int from = 0; from < all->count; from++)
        for (int to = 0; to < all->count; to++)
            while (all->ranks[from] != NULL && all->ranks[to] != NULL &&
                   meet_in_pair(all->ranks[from], all->ranks[to]))
                ;
}
