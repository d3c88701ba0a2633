/* The stand-in for NCCL: what ranks do together, driven by one thread or by one each, and what it
 * says of ranks that do not fit together. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nccl.h"
#include "simt.h"

#define cr_cuda(call) cr_assert_eq((call), cudaSuccess, #call)
#define cr_nccl(call) cr_assert_eq((call), ncclSuccess, #call)

enum { MOST = 8, WORDS = 100 };
static const int rank_counts[] = {1, 2, 3, 4, 8};
#define EACH_COUNT(n) \
    for (size_t n##_at = 0, n; n##_at < 5 && (n = (size_t)rank_counts[n##_at]); n##_at++)

/* A rank with memory on its own device. */
typedef struct rank {
    ncclComm_t comm;
    cudaStream_t stream;
    int32_t *d_in, *d_out; /* WORDS, and WORDS of each rank */
} rank;

static rank ranks[MOST];

static void give_memory(int r)
{
    int32_t h_in[WORDS];
    for (int i = 0; i < WORDS; i++)
        h_in[i] = 1000 * r + i;
    cr_cuda(cudaSetDevice(r));
    cr_cuda(cudaStreamCreateWithFlags(&ranks[r].stream, cudaStreamNonBlocking));
    cr_cuda(cudaMalloc((void **)&ranks[r].d_in, sizeof h_in));
    cr_cuda(cudaMalloc((void **)&ranks[r].d_out, MOST * sizeof h_in));
    cr_cuda(cudaMemcpy(ranks[r].d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
}

static void take_memory(int r)
{
    cr_cuda(cudaFree(ranks[r].d_in));
    cr_cuda(cudaFree(ranks[r].d_out));
    cr_cuda(cudaStreamDestroy(ranks[r].stream));
}

static void start(int count)
{
    ncclComm_t comms[MOST];
    cr_nccl(ncclCommInitAll(comms, count, NULL));
    for (int r = 0; r < count; r++) {
        give_memory(r);
        ranks[r].comm = comms[r];
    }
}

static void stop(int count)
{
    for (int r = 0; r < count; r++) {
        cr_nccl(ncclCommDestroy(ranks[r].comm));
        take_memory(r);
    }
    cr_assert_eq(simt_device_allocations(), 0);
}

static void settle(int r)
{
    cr_cuda(cudaStreamSynchronize(ranks[r].stream));
}

/* What a rank's work comes to: a stream that defers it says so later. */
static ncclResult_t outcome(ncclResult_t submitted, int r)
{
    ncclResult_t later;
    if (submitted != ncclSuccess)
        return submitted;
    const cudaError_t error = cudaStreamSynchronize(ranks[r].stream);
    cr_nccl(ncclCommGetAsyncError(ranks[r].comm, &later));
    const bool ended = later == ncclSuccess || later == ncclRemoteError;
    cr_assert_eq(error, ended ? cudaSuccess : cudaErrorLaunchFailure);
    if (!ended)
        cr_cuda(cudaDeviceReset());
    return later;
}

static void check_out(int r, int at, int expected)
{
    cr_assert_eq(ranks[r].d_out[at], expected, "rank %d, word %d: %d and not %d", r, at,
                 ranks[r].d_out[at], expected);
}

/* ---- what each call does: a rank's part, and what must come of it ---- */

static ncclResult_t gather(int r, int count)
{
    (void)count;
    return ncclAllGather(ranks[r].d_in, ranks[r].d_out, WORDS, ncclInt32, ranks[r].comm,
                         ranks[r].stream);
}

static void check_gathered(int r, int count)
{
    for (int from = 0; from < count; from++)
        for (int i = 0; i < WORDS; i++)
            check_out(r, from * WORDS + i, 1000 * from + i);
}

static ncclResult_t sum(int r, int count)
{
    (void)count;
    return ncclAllReduce(ranks[r].d_in, ranks[r].d_out, WORDS, ncclInt32, ncclSum, ranks[r].comm,
                         ranks[r].stream);
}

static void check_sum(int r, int count)
{
    for (int i = 0; i < WORDS; i++)
        check_out(r, i, 1000 * (count * (count - 1) / 2) + count * i);
}

static ncclResult_t send_last(int r, int count)
{
    return ncclBroadcast(ranks[r].d_in, ranks[r].d_out, WORDS, ncclInt32, count - 1, ranks[r].comm,
                         ranks[r].stream);
}

static void check_last(int r, int count)
{
    for (int i = 0; i < WORDS; i++)
        check_out(r, i, 1000 * (count - 1) + i);
}

/* In a ring; one rank alone sends to itself. Two sends to the same rank come in their order. */
static ncclResult_t turn(int r, int count)
{
    const int to = (r + 1) % count, from = (r + count - 1) % count;
    const rank *self = &ranks[r];
    cr_nccl(ncclGroupStart());
    cr_nccl(ncclSend(self->d_in, 10, ncclInt32, to, self->comm, self->stream));
    cr_nccl(ncclSend(self->d_in + 50, 20, ncclInt32, to, self->comm, self->stream));
    cr_nccl(ncclRecv(self->d_out, 10, ncclInt32, from, self->comm, self->stream));
    cr_nccl(ncclRecv(self->d_out + 10, 20, ncclInt32, from, self->comm, self->stream));
    return ncclGroupEnd();
}

static void check_turned(int r, int count)
{
    const int from = (r + count - 1) % count;
    for (int i = 0; i < 10; i++)
        check_out(r, i, 1000 * from + i);
    for (int i = 0; i < 20; i++)
        check_out(r, 10 + i, 1000 * from + 50 + i);
}

static const struct meeting {
    ncclResult_t (*bring)(int r, int count);
    void (*check)(int r, int count);
} meetings[] = {
    {gather, check_gathered}, {sum, check_sum}, {send_last, check_last}, {turn, check_turned}};
enum { MEETINGS = sizeof meetings / sizeof *meetings };

Test(nccl, one_thread_drives_all_ranks)
{
    EACH_COUNT(count)
    {
        start((int)count);
        for (int m = 0; m < MEETINGS; m++) {
            cr_nccl(ncclGroupStart());
            for (int r = 0; r < (int)count; r++)
                cr_nccl(meetings[m].bring(r, (int)count));
            cr_nccl(ncclGroupEnd());
            for (int r = 0; r < (int)count; r++) {
                settle(r);
                meetings[m].check(r, (int)count);
            }
        }
        stop((int)count);
    }
}

/* Rank 0 sums WORDS integers; rank 1 does what it is told. */
static ncclResult_t meet_with(size_t count, ncclDataType_t type, ncclRedOp_t op)
{
    cr_nccl(ncclGroupStart());
    cr_nccl(sum(0, 2));
    cr_nccl(ncclAllReduce(ranks[1].d_in, ranks[1].d_out, count, type, op, ranks[1].comm,
                          ranks[1].stream));
    return ncclGroupEnd();
}

/* ---- a thread a rank ---- */

typedef struct part {
    int rank, count;
    ncclUniqueId id;
} part;

static void nap(unsigned milliseconds)
{
    nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL);
}

static void *live(void *any)
{
    const part *p = any;
    int answer = -1;
    nap((unsigned)(p->rank * 7 + p->count * 3) % 11);
    give_memory(p->rank);
    cr_nccl(ncclCommInitRank(&ranks[p->rank].comm, p->count, p->id, p->rank));
    cr_nccl(ncclCommCount(ranks[p->rank].comm, &answer));
    cr_assert_eq(answer, p->count);
    cr_nccl(ncclCommUserRank(ranks[p->rank].comm, &answer));
    cr_assert_eq(answer, p->rank);
    cr_nccl(ncclCommCuDevice(ranks[p->rank].comm, &answer));
    cr_assert_eq(answer, p->rank);
    for (int m = 0; m < MEETINGS; m++) {
        nap((unsigned)(p->rank * 5 + m * 3) % 7);
        cr_nccl(meetings[m].bring(p->rank, p->count));
        settle(p->rank);
        meetings[m].check(p->rank, p->count);
    }
    cr_nccl(ncclCommDestroy(ranks[p->rank].comm));
    take_memory(p->rank);
    return NULL;
}

Test(nccl, a_thread_drives_each_rank)
{
    EACH_COUNT(count)
    {
        pthread_t threads[MOST];
        part parts[MOST];
        ncclUniqueId id;
        cr_nccl(ncclGetUniqueId(&id));
        for (int r = 0; r < (int)count; r++) {
            parts[r] = (part){r, (int)count, id};
            cr_assert_eq(pthread_create(&threads[r], NULL, live, &parts[r]), 0);
        }
        for (int r = 0; r < (int)count; r++)
            pthread_join(threads[r], NULL);
        cr_assert_eq(simt_device_allocations(), 0);
    }
}

/* ---- ranks that leave ---- */

static void *meet_nobody(void *any)
{
    ncclResult_t error;
    const int r = *(const int *)any;
    cr_assert_eq(outcome(sum(r, 3), r), ncclRemoteError);
    cr_nccl(ncclCommGetAsyncError(ranks[r].comm, &error));
    cr_assert_eq(error, ncclRemoteError);
    return NULL;
}

Test(nccl, a_rank_that_aborts_makes_the_others_fail)
{
    static const int others[] = {0, 2};
    pthread_t threads[2];
    ncclResult_t error;
    start(3);
    cr_nccl(ncclCommGetAsyncError(ranks[0].comm, &error));
    cr_assert_eq(error, ncclSuccess);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, meet_nobody, (void *)&others[i]), 0);
    nap(20);
    cr_nccl(ncclCommAbort(ranks[1].comm));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(outcome(gather(0, 3), 0), ncclRemoteError);
    cr_nccl(ncclCommDestroy(ranks[0].comm));
    cr_nccl(ncclCommAbort(ranks[2].comm));
    for (int r = 0; r < 3; r++)
        take_memory(r);
}

Test(nccl, a_rank_that_never_comes_is_told)
{
    setenv("SIMT_PATIENCE", "1", 1);
    start(2);
    cr_assert_eq(outcome(sum(0, 2), 0), ncclSystemError);
    cr_nccl(meet_with(WORDS, ncclInt32, ncclSum));
    settle(0);
    check_sum(0, 2);
    stop(2);
}

/* ---- ranks that do not fit together ---- */

static ncclResult_t gather_with_sum(void)
{
    cr_nccl(ncclGroupStart());
    cr_nccl(sum(0, 2));
    cr_nccl(gather(1, 2));
    return ncclGroupEnd();
}

static ncclResult_t receive_more_than_is_sent(void)
{
    cr_nccl(ncclGroupStart());
    cr_nccl(ncclSend(ranks[0].d_in, 5, ncclInt32, 1, ranks[0].comm, ranks[0].stream));
    cr_nccl(ncclRecv(ranks[1].d_out, 6, ncclInt32, 0, ranks[1].comm, ranks[1].stream));
    return ncclGroupEnd();
}

Test(nccl, ranks_that_disagree_fail)
{
    start(2);
    cr_nccl(outcome(meet_with(WORDS, ncclInt32, ncclSum), 1));
    cr_assert_eq(outcome(meet_with(WORDS - 1, ncclInt32, ncclSum), 0), ncclInvalidUsage);
    cr_assert_eq(outcome(meet_with(WORDS, ncclUint32, ncclSum), 1), ncclInvalidUsage);
    cr_assert_eq(outcome(meet_with(WORDS, ncclInt32, ncclMax), 0), ncclInvalidUsage);
    cr_assert_eq(outcome(gather_with_sum(), 1), ncclInvalidUsage);
    cr_assert_eq(outcome(receive_more_than_is_sent(), 0), ncclInvalidUsage);
    cr_nccl(meet_with(WORDS, ncclInt32, ncclSum));
    settle(1);
    check_sum(1, 2);
    stop(2);
}

static ncclResult_t sum_of(const void *from, void *to, size_t count, ncclDataType_t type,
                           cudaStream_t stream)
{
    return ncclAllReduce(from, to, count, type, ncclSum, ranks[0].comm, stream);
}

Test(nccl, arguments_are_checked)
{
    const rank *a = &ranks[0], *b = &ranks[1];
    int32_t h[WORDS];
    start(1);
    give_memory(1);
    cr_nccl(sum_of(a->d_in, a->d_in, WORDS, ncclInt32, NULL));
    cr_nccl(sum_of(NULL, NULL, 0, ncclInt32, a->stream));
    cr_assert_eq(sum_of(a->d_in, a->d_out, WORDS + 1, ncclInt32, a->stream), ncclInvalidArgument);
    cr_assert_eq(sum_of(b->d_in, a->d_out, WORDS, ncclInt32, a->stream), ncclInvalidArgument);
    cr_assert_eq(sum_of(a->d_in, h, WORDS, ncclInt32, a->stream), ncclInvalidArgument);
    cr_assert_eq(outcome(sum_of(a->d_in, a->d_out, 5, ncclFloat16, a->stream), 0),
                 ncclInvalidArgument);
    cr_assert_eq(sum_of(a->d_in, a->d_out, 5, (ncclDataType_t)10, a->stream), ncclInvalidArgument);
    cr_assert_eq(sum_of(a->d_in, a->d_out, WORDS, ncclInt32, b->stream), ncclUnhandledCudaError);
    cr_assert_eq(ncclSend(a->d_in, 1, ncclInt32, 1, a->comm, a->stream), ncclInvalidArgument);
    cr_assert_eq(ncclGroupEnd(), ncclInvalidUsage);
    take_memory(1);
    stop(1);
}

/* The error of one call is the group's, and nothing of the group happens. */
Test(nccl, a_group_fails_as_a_whole)
{
    start(2);
    cr_nccl(ncclGroupStart());
    cr_nccl(sum(0, 2));
    cr_assert_eq(ncclAllReduce(NULL, NULL, WORDS, ncclInt32, ncclSum, ranks[1].comm, NULL),
                 ncclInvalidArgument);
    cr_assert_eq(ncclGroupEnd(), ncclInvalidArgument);
    cr_assert_neq(ranks[0].d_out[1], 1000 + 2);
    simt_fail_at(3);
    cr_nccl(ncclGroupStart());
    cr_nccl(sum(0, 2));
    cr_assert_eq(sum(1, 2), ncclUnhandledCudaError);
    cr_assert_str_eq(simt_failed_call(), "ncclAllReduce");
    cr_assert_eq(ncclGroupEnd(), ncclUnhandledCudaError);
    cr_nccl(meet_with(WORDS, ncclInt32, ncclSum));
    stop(2);
}

Test(nccl, one_rank_a_device)
{
    ncclComm_t comms[2], comm;
    ncclUniqueId id;
    cr_assert_eq(ncclCommInitAll(comms, 2, (int[]){3, 3}), ncclInvalidUsage);
    cr_assert_eq(ncclCommInitAll(comms, 2, (int[]){3, 8}), ncclInvalidArgument);
    cr_nccl(ncclGetUniqueId(&id));
    cr_assert_eq(ncclCommInitRank(&comm, 2, id, 2), ncclInvalidArgument);
    cr_nccl(ncclCommInitAll(comms, 2, (int[]){3, 1}));
    for (int r = 0; r < 2; r++)
        cr_nccl(ncclCommDestroy(comms[r]));
}

Test(nccl, a_capture_is_refused)
{
    cudaGraph_t graph;
    start(1);
    cr_cuda(cudaSetDevice(0));
    cr_cuda(cudaStreamBeginCapture(ranks[0].stream, cudaStreamCaptureModeRelaxed));
    cr_assert_eq(sum(0, 1), ncclInvalidUsage);
    cr_cuda(cudaStreamEndCapture(ranks[0].stream, &graph));
    cr_cuda(cudaGraphDestroy(graph));
    stop(1);
}

/* ---- reductions ---- */

#define CHECK_OP(type, nccl_type, op, x, y, expected)                                             \
    do {                                                                                          \
        *(type *)ranks[0].d_in = (x);                                                             \
        *(type *)ranks[1].d_in = (y);                                                             \
        cr_nccl(ncclGroupStart());                                                                \
        for (int r = 0; r < 2; r++)                                                               \
            cr_nccl(ncclAllReduce(ranks[r].d_in, ranks[r].d_out, 1, nccl_type, op, ranks[r].comm, \
                                  ranks[r].stream));                                              \
        cr_nccl(ncclGroupEnd());                                                                  \
        settle(1);                                                                                \
        cr_assert_eq(*(type *)ranks[1].d_out, (type)(expected), #nccl_type ", " #op);             \
    } while (0)

Test(nccl, reductions_of_each_type)
{
    start(2);
    CHECK_OP(int8_t, ncclInt8, ncclSum, 100, 100, 200 - 256);
    CHECK_OP(uint8_t, ncclUint8, ncclMax, 3, 200, 200);
    CHECK_OP(int32_t, ncclInt32, ncclMin, -3, 2, -3);
    CHECK_OP(int32_t, ncclInt32, ncclProd, INT32_MAX, 2, -2);
    CHECK_OP(uint32_t, ncclUint32, ncclSum, UINT32_MAX, 2, 1);
    CHECK_OP(int64_t, ncclInt64, ncclMax, -3, INT64_MIN, -3);
    CHECK_OP(uint64_t, ncclUint64, ncclSum, UINT64_MAX, 2, 1);
    CHECK_OP(float, ncclFloat32, ncclSum, 0.5f, 0.25f, 0.75f);
    CHECK_OP(double, ncclFloat64, ncclProd, 0.5, 0.25, 0.125);
    stop(2);
}

Test(nccl, the_library_says_what_it_is)
{
    int version = 0;
    cr_nccl(ncclGetVersion(&version));
    cr_assert_eq(version, NCCL_VERSION_CODE);
    cr_assert_str_eq(ncclGetErrorString(ncclInvalidArgument), "invalid argument");
    cr_assert_str_eq(ncclGetErrorString((ncclResult_t)99), "unknown result code");
}
