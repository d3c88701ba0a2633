/* The stand-in for NCCL over several processes: each scenario starts some, which all act, each as
 * its rank. A program of its own: a test framework's processes are others. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nccl.h"

enum { WORDS = 50, MOST = 3 };

/* What all processes of a scenario see. */
static struct shared {
    atomic_bool made;
    ncclUniqueId id;
    atomic_int joined;
    atomic_bool maker_has_left;
} * shared;

static int own_rank;

static void check(bool good, int line, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "test_processes.c:%d: rank %d: %s\n", line, own_rank, what);
    exit(1);
}
#define CHECK(condition) check(condition, __LINE__, #condition)

/* ---- a rank ---- */

typedef struct member {
    ncclComm_t comm;
    cudaStream_t stream;
    int *d_in, *d_out; /* WORDS, and WORDS of each rank */
} member;

static void nap(void)
{
    usleep(1000);
}

static ncclUniqueId get_id(void)
{
    if (own_rank == 0) {
        CHECK(ncclGetUniqueId(&shared->id) == ncclSuccess);
        atomic_store(&shared->made, true);
    }
    while (!atomic_load(&shared->made))
        nap();
    return shared->id;
}

static void give_memory(member *m, int rank, int device)
{
    int h_in[WORDS];
    for (int i = 0; i < WORDS; i++)
        h_in[i] = 1000 * rank + i;
    CHECK(cudaSetDevice(device) == cudaSuccess);
    CHECK(cudaStreamCreateWithFlags(&m->stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cudaMalloc((void **)&m->d_in, sizeof h_in) == cudaSuccess);
    CHECK(cudaMalloc((void **)&m->d_out, MOST * sizeof h_in) == cudaSuccess);
    CHECK(cudaMemcpy(m->d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice) == cudaSuccess);
}

static member join(int count)
{
    member m;
    const ncclUniqueId id = get_id();
    give_memory(&m, own_rank, 0);
    CHECK(ncclCommInitRank(&m.comm, count, id, own_rank) == ncclSuccess);
    atomic_fetch_add(&shared->joined, 1);
    return m;
}

static void give_back(const member *m)
{
    CHECK(cudaFree(m->d_in) == cudaSuccess);
    CHECK(cudaFree(m->d_out) == cudaSuccess);
    CHECK(cudaStreamDestroy(m->stream) == cudaSuccess);
}

static void part_with(const member *m)
{
    CHECK(ncclCommDestroy(m->comm) == ncclSuccess);
    give_back(m);
}

/* What the work comes to: a stream that defers it says so later. */
static ncclResult_t outcome(const member *m, ncclResult_t submitted)
{
    ncclResult_t later;
    cudaStreamSynchronize(m->stream);
    CHECK(ncclCommGetAsyncError(m->comm, &later) == ncclSuccess);
    return submitted != ncclSuccess ? submitted : later;
}

static ncclResult_t sum_up(const member *m, size_t count)
{
    return ncclAllReduce(m->d_in, m->d_out, count, ncclInt32, ncclSum, m->comm, m->stream);
}

static void check_out(const member *m, int at, int from_rank, int ranks_times)
{
    CHECK(cudaStreamSynchronize(m->stream) == cudaSuccess);
    for (int i = 0; i < WORDS; i++)
        CHECK(m->d_out[at + i] == 1000 * from_rank + ranks_times * i);
}

/* ---- scenarios ---- */

static void do_all_kinds(void)
{
    member m = join(3);
    const int next = (own_rank + 1) % 3, last = (own_rank + 2) % 3;
    CHECK(sum_up(&m, WORDS) == ncclSuccess);
    check_out(&m, 0, 0 + 1 + 2, 3);
    CHECK(ncclAllGather(m.d_in, m.d_out, WORDS, ncclInt32, m.comm, m.stream) == ncclSuccess);
    for (int r = 0; r < 3; r++)
        check_out(&m, r * WORDS, r, 1);
    CHECK(ncclBroadcast(m.d_in, m.d_out, WORDS, ncclInt32, 2, m.comm, m.stream) == ncclSuccess);
    check_out(&m, 0, 2, 1);
    CHECK(ncclGroupStart() == ncclSuccess);
    CHECK(ncclSend(m.d_in, WORDS, ncclInt32, next, m.comm, m.stream) == ncclSuccess);
    CHECK(ncclRecv(m.d_out, WORDS, ncclInt32, last, m.comm, m.stream) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
    check_out(&m, 0, last, 1);
    part_with(&m);
}

/* The process that makes the id has ranks 0 and 2, and the other one rank 1. */
static void have_two_ranks_in_one(void)
{
    const int own = own_rank == 0 ? 2 : 1;
    const ncclUniqueId id = get_id();
    member members[2];
    for (int i = 0; i < own; i++)
        give_memory(&members[i], own_rank + 2 * i, i);
    CHECK(ncclGroupStart() == ncclSuccess);
    for (int i = 0; i < own; i++) {
        CHECK(cudaSetDevice(i) == cudaSuccess);
        CHECK(ncclCommInitRank(&members[i].comm, 3, id, own_rank + 2 * i) == ncclSuccess);
    }
    CHECK(ncclGroupEnd() == ncclSuccess);
    CHECK(ncclGroupStart() == ncclSuccess);
    for (int i = 0; i < own; i++)
        CHECK(sum_up(&members[i], WORDS) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
    for (int i = 0; i < own; i++)
        check_out(&members[i], 0, 0 + 1 + 2, 3);
    for (int i = 0; i < own; i++)
        part_with(&members[i]);
}

static void disagree(void)
{
    member m = join(2);
    CHECK(outcome(&m, sum_up(&m, WORDS - (size_t)own_rank)) == ncclInvalidUsage);
    CHECK(cudaDeviceReset() == cudaSuccess);
    part_with(&m);
}

static void lose_a_process(void)
{
    member m = join(3);
    if (own_rank == 1)
        _exit(0);
    CHECK(sum_up(&m, WORDS) == ncclRemoteError || outcome(&m, ncclSuccess) == ncclRemoteError);
    part_with(&m);
}

static void lose_the_maker(void)
{
    member m = join(3);
    while (atomic_load(&shared->joined) < 3)
        nap();
    if (own_rank == 0)
        _exit(0);
    CHECK(sum_up(&m, WORDS) == ncclRemoteError || outcome(&m, ncclSuccess) == ncclRemoteError);
    part_with(&m);
}

static void abort_one(void)
{
    member m = join(3);
    if (own_rank == 2) {
        CHECK(ncclCommAbort(m.comm) == ncclSuccess);
        give_back(&m);
        return;
    }
    CHECK(outcome(&m, sum_up(&m, WORDS)) == ncclRemoteError);
    part_with(&m);
}

/* It ends when the others have done. */
static void go_on_without_the_maker(void)
{
    member m = join(3);
    if (own_rank == 0) {
        part_with(&m);
        atomic_store(&shared->maker_has_left, true);
        return;
    }
    while (!atomic_load(&shared->maker_has_left))
        nap();
    if (own_rank == 1)
        CHECK(ncclSend(m.d_in, WORDS, ncclInt32, 2, m.comm, m.stream) == ncclSuccess);
    else
        CHECK(ncclRecv(m.d_out, WORDS, ncclInt32, 1, m.comm, m.stream) == ncclSuccess);
    CHECK(cudaStreamSynchronize(m.stream) == cudaSuccess);
    if (own_rank == 2)
        check_out(&m, 0, 1, 1);
    part_with(&m);
}

static void ask_nobody(void)
{
    ncclComm_t comm;
    const ncclUniqueId id = {"simt 1 simt-nobody"};
    CHECK(ncclCommInitRank(&comm, 2, id, 1) == ncclRemoteError);
}

static const struct scenario {
    const char *name;
    int processes;
    void (*act)(void);
} scenarios[] = {
    {"do all kinds", 3, do_all_kinds},
    {"have two ranks in one", 2, have_two_ranks_in_one},
    {"disagree", 2, disagree},
    {"lose a process", 3, lose_a_process},
    {"lose the maker", 3, lose_the_maker},
    {"abort one", 3, abort_one},
    {"go on without the maker", 3, go_on_without_the_maker},
    {"ask nobody", 1, ask_nobody},
};

static void start(const struct scenario *s, int rank)
{
    if (fork() != 0)
        return;
    own_rank = rank;
    s->act();
    exit(0);
}

static bool passes(const struct scenario *s)
{
    int status;
    bool good = true;
    *shared = (struct shared){.made = false};
    for (int rank = 0; rank < s->processes; rank++)
        start(s, rank);
    for (int rank = 0; rank < s->processes; rank++)
        good = wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && good;
    printf("%s: %s\n", s->name, good ? "ok" : "failed");
    fflush(stdout);
    return good;
}

int main(void)
{
    bool good = true;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        good = passes(&scenarios[i]) && good;
    return good ? 0 : 1;
}
