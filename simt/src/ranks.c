/* Communicators: who has joined, who waits, who is gone. Threads wait here for other ranks. */
#define _GNU_SOURCE
#include "ranks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATIENCE_SECONDS = 120 };

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
    time.tv_sec += PATIENCE_SECONDS;
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
    **comm = (struct ncclComm){.all = all, .rank = rank, .device = device};
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
    while (patient && comm->all->joined < comm->all->count && !comm->all->left)
        patient = wait_for_change(&until);
    const bool complete = comm->all->joined == comm->all->count && !comm->all->left;
    if (!patient && !complete)
        fprintf(stderr, "simt: rank %d: %d of %d ranks have joined\n", comm->rank,
                comm->all->joined, comm->all->count);
    pthread_mutex_unlock(&lock);
    return complete ? ncclSuccess : patient ? ncclRemoteError : ncclSystemError;
}

void simt_ranks_leave(struct ncclComm *comm, bool aborts)
{
    pthread_mutex_lock(&lock);
    simt_ranks *const all = comm->all;
    all->left = true;
    all->aborted = all->aborted || aborts;
    while (comm->parts != NULL) { /* another thread waits with them */
        comm->parts->done = true;
        comm->parts->result = ncclRemoteError;
        comm->parts = comm->parts->next;
    }
    all->ranks[comm->rank] = NULL;
    simt_meet(all);
    drop(all);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    free(comm);
}

bool simt_ranks_aborted(const struct ncclComm *comm)
{
    pthread_mutex_lock(&lock);
    const bool aborted = comm->all->aborted;
    pthread_mutex_unlock(&lock);
    return aborted;
}

/* ---- what they bring ---- */

static void bring(simt_part *part)
{
    simt_part **at = &part->comm->parts;
    while (*at != NULL)
        at = &(*at)->next;
    part->next = NULL;
    *at = part;
    simt_meet(part->comm->all);
}

static const simt_part *first_waiting(simt_part *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!parts[i]->done)
            return parts[i];
    return NULL;
}

/* Nobody came: what is left is taken back. */
static void take_back(simt_part *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i]->done)
            continue;
        simt_part **at = &parts[i]->comm->parts;
        while (*at != parts[i])
            at = &(*at)->next;
        *at = parts[i]->next;
        parts[i]->result = ncclSystemError;
        fprintf(stderr, "simt: rank %d has waited %d s for other ranks, in vain\n",
                parts[i]->comm->rank, PATIENCE_SECONDS);
    }
}

ncclResult_t simt_ranks_meet(simt_part *const *parts, size_t count)
{
    const struct timespec until = end_of_patience();
    ncclResult_t result = ncclSuccess;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        bring(parts[i]);
    pthread_cond_broadcast(&changed);
    bool patient = true;
    while (patient && first_waiting(parts, count) != NULL)
        patient = wait_for_change(&until);
    take_back(parts, count);
    for (size_t i = 0; i < count && result == ncclSuccess; i++)
        result = parts[i]->result;
    pthread_mutex_unlock(&lock);
    return result;
}
