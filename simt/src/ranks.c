/* Communicators: who has joined, who waits, who is gone. Threads wait here for other ranks. */
#define _GNU_SOURCE
#include "ranks.h"

#include "wire.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static simt_ranks *communicators;

/* false: nobody has come for too long. */
static bool wait_for_change(const struct timespec *until)
{
    return pthread_cond_timedwait(&changed, &lock, until) == 0;
}

static struct timespec end_of_patience(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += simt_get_settings()->patience;
    return time;
}

/* ---- who belongs to a communicator ---- */

static simt_ranks *find(const ncclUniqueId *id)
{
    simt_ranks *all = communicators;
    while (all != NULL && memcmp(&all->id, id, sizeof *id) != 0)
        all = all->next;
    return all;
}

static simt_ranks *find_or_make(const ncclUniqueId *id, int count)
{
    simt_ranks *all = find(id);
    if (all == NULL && (all = calloc(1, sizeof *all)) != NULL) {
        all->id = *id;
        all->count = count;
        all->next = communicators;
        communicators = all;
    }
    return all;
}

static void drop(simt_ranks *all)
{
    simt_ranks **at = &communicators;
    if (--all->owners > 0)
        return;
    while (*at != all)
        at = &(*at)->next;
    *at = all->next;
    free(all);
}

/* NCCL has one rank a device. */
static bool may_join(const simt_ranks *all, int count, int rank, int device)
{
    if (all->count != count || all->ranks[rank] != NULL || all->left) {
        fprintf(stderr, "simt: rank %d of %d: the communicator has %d ranks, and that one is %s\n",
                rank, count, all->count, all->ranks[rank] != NULL ? "taken" : "free");
        return false;
    }
    for (int r = 0; r < count; r++)
        if (all->ranks[r] != NULL && all->ranks[r]->device == device) {
            fprintf(stderr, "simt: ranks %d and %d are on one device, %d\n", r, rank, device);
            return false;
        }
    return true;
}

static ncclResult_t join(const ncclUniqueId *id, int count, int rank, int device, ncclComm_t *comm)
{
    simt_ranks *const all = find_or_make(id, count);
    if (all == NULL)
        return ncclSystemError;
    all->owners++;
    *comm = may_join(all, count, rank, device) ? calloc(1, sizeof **comm) : NULL;
    if (*comm == NULL) {
        drop(all);
        return ncclInvalidUsage;
    }
    **comm = (struct ncclComm){.all = all, .rank = rank, .device = device, .wire = -1, .owners = 1};
    all->ranks[rank] = *comm;
    all->joined++;
    pthread_cond_broadcast(&changed);
    return ncclSuccess;
}

ncclResult_t simt_ranks_join(const ncclUniqueId *id, int count, int rank, int device,
                             ncclComm_t *comm)
{
    pthread_mutex_lock(&lock);
    const ncclResult_t result = join(id, count, rank, device, comm);
    pthread_mutex_unlock(&lock);
    return result;
}

ncclResult_t simt_ranks_await(struct ncclComm *comm)
{
    const struct timespec until = end_of_patience();
    pthread_mutex_lock(&lock);
    bool patient = true;
    while (patient && !comm->left && comm->all->joined < comm->all->count && !comm->all->left)
        patient = wait_for_change(&until);
    /* One that has joined and left since has been there. */
    const bool complete = !comm->left && comm->all->joined == comm->all->count;
    if (!patient && !complete)
        fprintf(stderr, "simt: rank %d: %d of %d ranks have joined\n", comm->rank,
                comm->all->joined, comm->all->count);
    pthread_mutex_unlock(&lock);
    return complete ? ncclSuccess : patient ? ncclRemoteError : ncclSystemError;
}

/* A wire is closed by the last one who could use it: another one may be sending. */
static void let_go(struct ncclComm *comm)
{
    if (--comm->owners > 0)
        return;
    if (comm->wire >= 0)
        close(comm->wire);
    free(comm);
}

/* Nobody meets them; another thread may wait with them. */
static void fail_parts(struct ncclComm *comm)
{
    for (; comm->parts != NULL; comm->parts = comm->parts->next) {
        comm->parts->done = true;
        comm->parts->result = ncclRemoteError;
    }
}

/* What was sent before arrives there. */
static void say_goodbye(struct ncclComm *comm, bool aborts)
{
    pthread_mutex_lock(&comm->sending);
    simt_wire_send(comm->wire, &(simt_letter){.kind = SIMT_LEAVE, .aborts = aborts}, NULL);
    simt_wire_end(comm->wire, false);
    pthread_mutex_unlock(&comm->sending);
}

void simt_ranks_leave(struct ncclComm *comm, bool aborts)
{
    pthread_mutex_lock(&lock);
    simt_ranks *const all = comm->all;
    all->left = true;
    all->aborted = all->aborted || aborts;
    fail_parts(comm);
    all->ranks[comm->rank] = NULL;
    if (comm->wire < 0)
        simt_meet(all);
    drop(all);
    comm->left = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (comm->wire >= 0)
        say_goodbye(comm, aborts);
    simt_ranks_let_go(comm);
}

ncclResult_t simt_ranks_error(const struct ncclComm *comm)
{
    pthread_mutex_lock(&lock);
    const ncclResult_t error = comm->all->aborted ? ncclRemoteError : comm->error;
    pthread_mutex_unlock(&lock);
    return error;
}

void simt_ranks_hold(struct ncclComm *comm)
{
    pthread_mutex_lock(&lock);
    comm->owners++;
    pthread_mutex_unlock(&lock);
}

void simt_ranks_let_go(struct ncclComm *comm)
{
    pthread_mutex_lock(&lock);
    let_go(comm);
    pthread_mutex_unlock(&lock);
}

/* ---- what they bring ---- */

static void bring(simt_part *part)
{
    simt_part **at = &part->comm->parts;
    while (*at != NULL)
        at = &(*at)->next;
    part->next = NULL;
    *at = part;
    part->brought = true;
    if (part->comm->wire < 0) {
        simt_meet(part->comm->all);
        return;
    }
    part->ticket = ++part->comm->tickets;
    part->comm->owners++; /* until it is sent */
}

/* The rank has left since, or nobody answers it. */
static bool is_too_late(const struct ncclComm *comm)
{
    return comm->left || (comm->wire >= 0 && comm->all->left);
}

static void come_too_late(simt_part *part)
{
    part->done = true;
    part->result = ncclRemoteError;
}

static void bring_all(simt_part *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_too_late(parts[i]->comm))
            come_too_late(parts[i]);
        else
            bring(parts[i]);
    pthread_cond_broadcast(&changed);
}

/* Without the lock: the process there may be sending to this one. Where nobody is there any more,
 * simt_ranks_break() comes. */
static void send_there(const simt_part *part)
{
    const simt_letter letter = {
        .kind = SIMT_PART, .ticket = part->ticket, .part = *part, .bytes = simt_part_reads(part)};
    pthread_mutex_lock(&part->comm->sending);
    simt_wire_send(part->comm->wire, &letter, part->from);
    pthread_mutex_unlock(&part->comm->sending);
    simt_ranks_let_go(part->comm);
}

static void bring_here_and_there(simt_part *const *parts, size_t count)
{
    pthread_mutex_lock(&lock);
    bring_all(parts, count);
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < count; i++)
        if (parts[i]->ticket > 0)
            send_there(parts[i]);
}

static const simt_part *first_waiting(simt_part *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!parts[i]->done)
            return parts[i];
    return NULL;
}

static void take_back(simt_part *part)
{
    simt_part **at = &part->comm->parts;
    while (*at != part)
        at = &(*at)->next;
    *at = part->next;
    part->brought = false;
}

/* Nobody came: what is left is taken back. */
static void give_up(simt_part *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i]->done)
            continue;
        take_back(parts[i]);
        parts[i]->result = parts[i]->comm->error = ncclSystemError;
        fprintf(stderr, "simt: rank %d has waited %u s for other ranks, in vain\n",
                parts[i]->comm->rank, simt_get_settings()->patience);
    }
}

ncclResult_t simt_ranks_meet(simt_part *const *parts, size_t count)
{
    const struct timespec until = end_of_patience();
    ncclResult_t result = ncclSuccess;
    bring_here_and_there(parts, count);
    pthread_mutex_lock(&lock);
    bool patient = true;
    while (patient && first_waiting(parts, count) != NULL)
        patient = wait_for_change(&until);
    give_up(parts, count);
    for (size_t i = 0; i < count && result == ncclSuccess; i++)
        result = parts[i]->result;
    pthread_mutex_unlock(&lock);
    return result;
}

void simt_ranks_bring(simt_part *const *parts, size_t count)
{
    bring_here_and_there(parts, count);
}

bool simt_ranks_have_met(simt_part *const *parts, size_t count)
{
    pthread_mutex_lock(&lock);
    const bool met = first_waiting(parts, count) == NULL;
    pthread_mutex_unlock(&lock);
    return met;
}

void simt_ranks_give_up(simt_part *const *parts, size_t count)
{
    pthread_mutex_lock(&lock);
    give_up(parts, count);
    pthread_mutex_unlock(&lock);
}

void simt_ranks_withdraw(simt_part *const *parts, size_t count)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (parts[i]->brought && !parts[i]->done)
            take_back(parts[i]);
    pthread_mutex_unlock(&lock);
}

void simt_ranks_bring_visitors(simt_part *part)
{
    pthread_mutex_lock(&lock);
    bring_all(&part, 1);
    pthread_mutex_unlock(&lock);
}

void simt_ranks_wait_until(bool (*is_so)(void *of), void *of)
{
    pthread_mutex_lock(&lock);
    while (!is_so(of))
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* ---- ranks of several processes ---- */

static void take_own_ranks(simt_ranks *all)
{
    for (int r = 0; r < all->count; r++) {
        if (all->ranks[r] == NULL || all->ranks[r]->device >= SIMT_MAX_DEVICES)
            continue;
        all->ranks[r] = NULL;
        all->left = true;
        simt_meet(all);
    }
}

void simt_ranks_abandon(void)
{
    pthread_mutex_lock(&lock);
    for (simt_ranks *all = communicators; all != NULL; all = all->next)
        take_own_ranks(all);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Here it is the only one of its communicator. */
ncclResult_t simt_ranks_join_elsewhere(int wire, int count, int rank, int device, ncclComm_t *comm)
{
    simt_ranks *const all = calloc(1, sizeof *all);
    *comm = all != NULL ? calloc(1, sizeof **comm) : NULL;
    if (*comm == NULL) {
        free(all);
        return ncclSystemError;
    }
    pthread_mutex_lock(&lock);
    *all = (simt_ranks){.next = communicators, .count = count, .owners = 1};
    communicators = all;
    **comm =
        (struct ncclComm){.all = all, .rank = rank, .device = device, .wire = wire, .owners = 1};
    pthread_mutex_unlock(&lock);
    return ncclSuccess;
}

void simt_ranks_complete(struct ncclComm *comm, ncclResult_t result)
{
    pthread_mutex_lock(&lock);
    if (!comm->left && result == ncclSuccess)
        comm->all->joined = comm->all->count;
    else if (!comm->left)
        comm->all->left = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void simt_ranks_break(struct ncclComm *comm)
{
    pthread_mutex_lock(&lock);
    if (!comm->left)
        comm->all->left = comm->all->aborted = true;
    fail_parts(comm);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static simt_part *find_part(const struct ncclComm *comm, uint64_t ticket)
{
    simt_part *part = comm->parts;
    while (part != NULL && part->ticket != ticket)
        part = part->next;
    return part;
}

/* Who has given up gets no answer. */
bool simt_ranks_answer(struct ncclComm *comm, const simt_letter *letter)
{
    pthread_mutex_lock(&lock);
    simt_part *const part = find_part(comm, letter->ticket);
    const bool good = simt_wire_read(comm->wire, part != NULL ? part->to : NULL, letter->bytes);
    if (part != NULL && good) {
        take_back(part);
        part->done = true;
        part->result = letter->result;
        if (letter->result != ncclSuccess)
            comm->error = letter->result;
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return good;
}
