/* A rank whose communicator is in another process. Its parts are sent there by ranks.c; a thread
 * here reads what comes back. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "hub.h"
#include "queue.h"

static void *read_letters(void *of)
{
    struct ncclComm *const comm = of;
    simt_letter letter;
    bool good = true;
    while (good && simt_wire_receive(comm->wire, &letter)) {
        if (letter.kind == SIMT_COMPLETE)
            simt_ranks_complete(comm, letter.result);
        else if (letter.kind == SIMT_ABORTED)
            simt_ranks_break(comm);
        else if (letter.kind == SIMT_ANSWER)
            good = simt_ranks_answer(comm, &letter);
        simt_queue_look_again();
    }
    simt_ranks_break(comm);
    simt_queue_look_again();
    simt_wire_end(comm->wire, true);
    simt_ranks_let_go(comm);
    return NULL;
}

static ncclResult_t ask_to_join(int wire, const ncclUniqueId *id, int count, int rank, int device)
{
    const simt_letter hello = {.kind = SIMT_HELLO,
                               .id = *id,
                               .ranks = count,
                               .rank = rank,
                               .process = (int)getpid(),
                               .device = device};
    simt_letter answer;
    if (!simt_wire_send(wire, &hello, NULL) || !simt_wire_receive(wire, &answer))
        return ncclRemoteError;
    return answer.result;
}

static ncclResult_t start_reading(struct ncclComm *comm)
{
    pthread_t thread;
    simt_ranks_hold(comm);
    if (pthread_create(&thread, NULL, read_letters, comm) != 0) {
        simt_ranks_let_go(comm);
        return ncclSystemError;
    }
    pthread_detach(thread);
    return ncclSuccess;
}

ncclResult_t simt_remote_join(const char *name, const ncclUniqueId *id, int count, int rank,
                              int device, ncclComm_t *comm)
{
    const int wire = simt_wire_connect(name);
    if (wire < 0) {
        fprintf(stderr, "simt: rank %d of %d: the process that made the id is not there\n", rank,
                count);
        return ncclRemoteError;
    }
    ncclResult_t result = ask_to_join(wire, id, count, rank, device);
    *comm = NULL;
    if (result == ncclSuccess)
        result = simt_ranks_join_elsewhere(wire, count, rank, device, comm);
    if (result == ncclSuccess)
        result = start_reading(*comm);
    if (result == ncclSuccess)
        return ncclSuccess;
    if (*comm != NULL)
        simt_ranks_leave(*comm, true);
    else
        close(wire);
    return result;
}
