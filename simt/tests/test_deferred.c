/* Streams that defer their work (SIMT_STREAMS=deferred:SEED): what a forgotten wait comes to,
 * beside the same with the wait, and when work has to have run. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "nccl.h"
#include "semantics.h"
#include "simt.h"

#define cr_cuda(call) cr_assert_eq((call), cudaSuccess, #call)
#define cr_nccl(call) cr_assert_eq((call), ncclSuccess, #call)

/* The use of memory that has not begun or has ended, which ends the program there. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZERS_SEE_IT
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZERS_SEE_IT
#endif

enum { COUNT = 100, BYTES = COUNT * sizeof(int), ROUNDS = 40, RANKS = 4 };

/* Two streams that the default stream does not order, memory, and what the host sees of it. */
static cudaStream_t a, b;
static int *d, *d_other, *h_pinned;

static void set_up(void)
{
    cr_cuda(cudaSetDevice(0));
    cr_cuda(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    cr_cuda(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    cr_cuda(cudaMalloc((void **)&d, BYTES));
    cr_cuda(cudaMalloc((void **)&d_other, BYTES));
    cr_cuda(cudaMallocHost((void **)&h_pinned, BYTES));
    memset(h_pinned, 0, BYTES);
    cr_cuda(cudaMemset(d, 0, BYTES));
    cr_cuda(cudaMemset(d_other, 0, BYTES));
    cr_cuda(cudaDeviceSynchronize());
}

static void tear_down(void)
{
    cr_cuda(cudaFree(d));
    cr_cuda(cudaFree(d_other));
    cr_cuda(cudaFreeHost(h_pinned));
    cr_cuda(cudaStreamDestroy(a));
    cr_cuda(cudaStreamDestroy(b));
}

static bool all_are(const int *values, int value)
{
    for (int i = 0; i < COUNT; i++)
        if (values[i] != value)
            return false;
    return true;
}

static void wait_for(cudaStream_t waiting, cudaStream_t awaited)
{
    cudaEvent_t event;
    cr_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    cr_cuda(cudaEventRecord(event, awaited));
    cr_cuda(cudaStreamWaitEvent(waiting, event, 0));
    cr_cuda(cudaEventDestroy(event)); /* both go on */
}

static void copy_out(const int *from, cudaStream_t stream)
{
    cr_cuda(cudaMemcpyAsync(h_pinned, from, BYTES, cudaMemcpyDeviceToHost, stream));
}

/* ---- forgotten waits: each leaves the right numbers with the wait, and others without ---- */

static bool another_streams_work(bool waits)
{
    cr_cuda(submit_scale(d, COUNT, 1, 7, a));
    if (waits)
        wait_for(b, a);
    copy_out(d, b);
    cr_cuda(cudaStreamSynchronize(b));
    return all_are(h_pinned, 7);
}

/* What is written must not be read any more. */
static bool another_streams_reading(bool waits)
{
    copy_out(d, a);
    if (waits)
        wait_for(b, a);
    cr_cuda(cudaMemsetAsync(d, 1, BYTES, b));
    cr_cuda(cudaStreamSynchronize(b));
    cr_cuda(cudaStreamSynchronize(a));
    return all_are(h_pinned, 0);
}

static bool reading_what_a_stream_leaves(bool waits)
{
    cr_cuda(submit_scale(d, COUNT, 1, 7, a));
    copy_out(d, a);
    if (waits)
        cr_cuda(cudaStreamSynchronize(a));
    return all_are(h_pinned, 7);
}

static bool reading_when_its_stream_is_gone(bool waits)
{
    cudaStream_t stream;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(submit_scale(d, COUNT, 1, 7, stream));
    copy_out(d, stream);
    if (waits)
        cr_cuda(cudaStreamSynchronize(stream));
    cr_cuda(cudaStreamDestroy(stream));
    return all_are(h_pinned, 7);
}

static bool using_a_pinned_buffer_again(bool waits)
{
    int h[COUNT];
    memset(h_pinned, 0, BYTES);
    cr_cuda(cudaMemcpyAsync(d, h_pinned, BYTES, cudaMemcpyHostToDevice, a));
    if (waits)
        cr_cuda(cudaStreamSynchronize(a));
    memset(h_pinned, 1, BYTES);
    cr_cuda(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, a));
    return all_are(h, 0);
}

static bool the_default_stream_before(bool waits)
{
    cr_cuda(cudaMemset(d, 1, BYTES)); /* does not wait for itself */
    if (waits)
        cr_cuda(cudaStreamSynchronize(NULL));
    copy_out(d, a);
    cr_cuda(cudaStreamSynchronize(a));
    return all_are(h_pinned, 0x01010101);
}

static bool the_default_stream_behind(bool waits)
{
    int h[COUNT];
    cr_cuda(submit_scale(d, COUNT, 1, 7, a));
    if (waits)
        wait_for(NULL, a);
    cr_cuda(cudaMemcpy(h, d, BYTES, cudaMemcpyDeviceToHost));
    return all_are(h, 7);
}

static bool a_graphs_copy(bool waits)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    memset(h_pinned, 0, BYTES);
    cr_cuda(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    cr_cuda(cudaMemcpyAsync(d, h_pinned, BYTES, cudaMemcpyHostToDevice, a));
    cr_cuda(submit_scale(d, COUNT, 1, 7, a));
    cr_cuda(cudaStreamEndCapture(a, &graph));
    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    cr_cuda(cudaGraphLaunch(exec, a));
    cr_cuda(cudaGraphExecDestroy(exec)); /* the launch goes on */
    cr_cuda(cudaGraphDestroy(graph));
    if (waits)
        cr_cuda(cudaStreamSynchronize(a));
    memset(h_pinned, 1, BYTES);
    copy_out(d, a);
    cr_cuda(cudaStreamSynchronize(a));
    return all_are(h_pinned, 7);
}

#ifndef SANITIZERS_SEE_IT
static bool memory_of_another_stream(bool waits)
{
    int *d_new;
    cr_cuda(cudaMallocAsync((void **)&d_new, BYTES, a));
    if (waits)
        wait_for(b, a);
    cr_cuda(cudaMemsetAsync(d_new, 0, BYTES, b));
    wait_for(a, b);
    copy_out(d_new, a);
    cr_cuda(cudaFreeAsync(d_new, a));
    cr_cuda(cudaStreamSynchronize(a));
    cr_cuda(cudaStreamSynchronize(b));
    return all_are(h_pinned, 0);
}

static bool memory_that_another_stream_frees(bool waits)
{
    int *d_new;
    cr_cuda(cudaMallocAsync((void **)&d_new, BYTES, a));
    cr_cuda(cudaMemsetAsync(d_new, 0, BYTES, a));
    wait_for(b, a);
    copy_out(d_new, a);
    if (waits)
        wait_for(b, a);
    cr_cuda(cudaFreeAsync(d_new, b));
    cr_cuda(cudaStreamSynchronize(b));
    cr_cuda(cudaStreamSynchronize(a));
    return all_are(h_pinned, 0);
}
#endif

static bool ranks_results(bool waits)
{
    ncclComm_t comm;
    cr_nccl(ncclCommInitAll(&comm, 1, NULL));
    cr_cuda(submit_scale(d, COUNT, 1, 7, a));
    cr_nccl(ncclAllReduce(d, d_other, COUNT, ncclInt32, ncclSum, comm, a));
    if (waits)
        wait_for(b, a);
    copy_out(d_other, b);
    cr_cuda(cudaStreamSynchronize(b));
    cr_nccl(ncclCommDestroy(comm));
    return all_are(h_pinned, 7);
}

static const struct fault {
    const char *name;
    bool (*leaves_the_right_numbers)(bool waits);
} faults[] = {
    {"another stream's work", another_streams_work},
    {"another stream's reading", another_streams_reading},
    {"reading what a stream leaves", reading_what_a_stream_leaves},
    {"reading when its stream is gone", reading_when_its_stream_is_gone},
    {"using a pinned buffer again", using_a_pinned_buffer_again},
    {"the default stream before", the_default_stream_before},
    {"the default stream behind", the_default_stream_behind},
    {"a graph's copy", a_graphs_copy},
#ifndef SANITIZERS_SEE_IT
    {"memory of another stream", memory_of_another_stream},
    {"memory that another stream frees", memory_that_another_stream_frees},
#endif
    {"ranks' results", ranks_results},
};

static int times_right(const struct fault *f, bool waits)
{
    int right = 0;
    for (int round = 0; round < ROUNDS; round++) {
        set_up();
        right += f->leaves_the_right_numbers(waits);
        cr_cuda(cudaDeviceSynchronize());
        tear_down();
    }
    return right;
}

Test(deferred, forgotten_waits_show)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        cr_assert_eq(times_right(&faults[i], true), ROUNDS, "%s, with the wait", faults[i].name);
        cr_assert(times_right(&faults[i], false) < ROUNDS, "%s, without it", faults[i].name);
    }
}

/* ---- what needs no wait ---- */

Test(deferred, ordered_streams_go_by_the_default_stream)
{
    cudaStream_t first, second;
    for (int round = 0; round < ROUNDS; round++) {
        set_up();
        cr_cuda(cudaStreamCreate(&first));
        cr_cuda(cudaStreamCreate(&second));
        cr_cuda(submit_scale(d, COUNT, 1, 7, first));
        cr_cuda(submit_scale(d, COUNT, 2, 0, NULL));
        cr_cuda(submit_scale(d, COUNT, 1, 1, second));
        copy_out(d, second);
        cr_cuda(cudaStreamSynchronize(second));
        cr_assert(all_are(h_pinned, 15));
        cr_cuda(cudaStreamDestroy(first));
        cr_cuda(cudaStreamDestroy(second));
        tear_down();
    }
}

Test(deferred, pageable_memory_is_read_and_written_before_the_call_returns)
{
    int h[COUNT], h_rows[2][COUNT];
    set_up();
    memset(h, 1, BYTES);
    memset(h_rows, 2, sizeof h_rows);
    cr_cuda(cudaMemcpyAsync(d, h, BYTES, cudaMemcpyHostToDevice, a));
    memset(h, 3, BYTES);
    cr_cuda(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, a));
    cr_assert(all_are(h, 0x01010101));
    cr_cuda(
        cudaMemcpy2DAsync(d, BYTES / 2, h_rows, BYTES, BYTES / 2, 2, cudaMemcpyHostToDevice, a));
    memset(h_rows, 3, sizeof h_rows);
    cr_cuda(cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, a));
    cr_assert(all_are(h, 0x02020202));
    tear_down();
}

Test(deferred, memory_is_freed_when_nobody_uses_it_any_more)
{
    for (int round = 0; round < ROUNDS; round++) {
        set_up();
        int *d_new;
        cr_cuda(cudaMalloc((void **)&d_new, BYTES));
        cr_cuda(cudaMemsetAsync(d_new, 1, BYTES, b));
        copy_out(d_new, b);
        cr_cuda(cudaFree(d_new));
        cr_assert(all_are(h_pinned, 0x01010101));
        cr_cuda(cudaMallocAsync((void **)&d_new, BYTES, a));
        cr_cuda(cudaFreeAsync(d_new, a));
        cr_assert_eq(simt_pool_bytes(), 0);
        cr_assert_eq(cudaMemsetAsync(d_new, 1, BYTES, a), cudaErrorInvalidValue);
        cr_assert_eq(cudaFreeAsync(d_new, a), cudaErrorInvalidValue);
        cudaGetLastError();
        tear_down();
    }
}

/* A wait is for the record that was there when it was submitted, and no other. */
Test(deferred, an_event_that_is_recorded_again)
{
    cudaEvent_t event;
    for (int round = 0; round < ROUNDS; round++) {
        set_up();
        cr_cuda(cudaEventCreate(&event));
        cr_cuda(cudaStreamWaitEvent(b, event, 0)); /* never recorded: nothing to wait for */
        cr_cuda(submit_scale(d, COUNT, 1, 7, a));
        cr_cuda(cudaEventRecord(event, a));
        cr_cuda(cudaStreamWaitEvent(b, event, 0));
        cr_cuda(cudaEventRecord(event, NULL));
        copy_out(d, b);
        cr_cuda(cudaStreamSynchronize(b));
        cr_assert(all_are(h_pinned, 7));
        cr_cuda(cudaEventDestroy(event));
        tear_down();
    }
}

Test(deferred, asking_again_and_again_comes_to_an_end)
{
    cudaEvent_t start, end;
    float milliseconds;
    set_up();
    cr_cuda(cudaEventCreate(&start));
    cr_cuda(cudaEventCreate(&end));
    cr_cuda(cudaEventQuery(end));
    cr_cuda(cudaEventRecord(start, a));
    cr_cuda(submit_scale(d, COUNT, 1, 7, a));
    cr_cuda(cudaEventRecord(end, a));
    copy_out(d, a);
    cr_assert_eq(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
    cr_assert_eq(cudaEventQuery(end), cudaErrorNotReady);
    while (cudaEventQuery(end) == cudaErrorNotReady)
        ;
    cr_cuda(cudaEventElapsedTime(&milliseconds, start, end));
    cr_assert(milliseconds >= 0);
    while (cudaStreamQuery(a) == cudaErrorNotReady)
        ;
    cr_assert(all_are(h_pinned, 7));
    cudaGetLastError();
    cr_cuda(cudaEventDestroy(start));
    cr_cuda(cudaEventDestroy(end));
    tear_down();
}

/* ---- what goes wrong later ---- */

static void shuffle_outside_of_its_mask(void)
{
    simt_warp(SIMT_WARP_SYNC, 0, 0, 0, "a warp operation", __FILE__, __LINE__);
}

static void invoke(void (*function)(void), void *const *arguments)
{
    (void)arguments;
    function();
}

static cudaError_t launch_a_kernel_that_fails(cudaStream_t stream)
{
    const simt_kernel kernel = {shuffle_outside_of_its_mask, invoke, NULL, NULL, 0};
    return simt_launch(&(cudaLaunchConfig_t){{1, 1, 1}, {1, 1, 1}, 0, stream, NULL, 0}, &kernel);
}

Test(deferred, a_kernels_failure_is_told_by_who_waits)
{
    set_up();
    cr_cuda(launch_a_kernel_that_fails(a));
    copy_out(d, a);
    cr_cuda(cudaGetLastError());
    cr_assert_eq(cudaStreamSynchronize(a), cudaErrorLaunchFailure);
    cr_assert_eq(cudaMemsetAsync(d, 1, BYTES, b), cudaErrorLaunchFailure);
    cr_cuda(cudaDeviceReset());
    cudaGetLastError();
    copy_out(d, a);
    cr_cuda(cudaStreamSynchronize(a));
    tear_down();
}

Test(deferred, a_reset_drops_what_has_not_run)
{
    int *d_new;
    set_up();
    cr_cuda(cudaMallocAsync((void **)&d_new, BYTES, a));
    cr_cuda(cudaMemsetAsync(d, 1, BYTES, a));
    copy_out(d, a);
    cr_cuda(cudaFreeAsync(d_new, a)); /* is done */
    cr_cuda(cudaDeviceReset());
    cr_cuda(cudaStreamSynchronize(a));
    cr_assert(all_are(h_pinned, 0));
    tear_down();
}

/* ---- ranks ---- */

typedef struct rank {
    ncclComm_t comm;
    cudaStream_t stream;
    int *d_in, *d_sum, *d_all;
} rank;

static rank ranks[RANKS];

static void start(ncclComm_t comm, int r)
{
    rank *const self = &ranks[r];
    cr_cuda(cudaSetDevice(r));
    self->comm = comm;
    cr_cuda(cudaStreamCreateWithFlags(&self->stream, cudaStreamNonBlocking));
    cr_cuda(cudaMalloc((void **)&self->d_in, BYTES));
    cr_cuda(cudaMalloc((void **)&self->d_sum, BYTES));
    cr_cuda(cudaMalloc((void **)&self->d_all, RANKS * BYTES));
    cr_cuda(cudaMemsetAsync(self->d_in, 0, BYTES, self->stream));
    cr_cuda(submit_scale(self->d_in, COUNT, 1, r + 1, self->stream));
}

/* Sums up, adds to that, gathers it, and gives the neighbour's on to itself. */
static ncclResult_t sum_up(int r)
{
    const rank *self = &ranks[r];
    return ncclAllReduce(self->d_in, self->d_sum, COUNT, ncclInt32, ncclSum, self->comm,
                         self->stream);
}

static ncclResult_t gather(int r)
{
    const rank *self = &ranks[r];
    return ncclAllGather(self->d_sum, self->d_all, COUNT, ncclInt32, self->comm, self->stream);
}

static ncclResult_t turn(int r, int count)
{
    const rank *self = &ranks[r];
    cr_nccl(ncclGroupStart());
    cr_nccl(ncclSend(self->d_all + r * COUNT, COUNT, ncclInt32, (r + 1) % count, self->comm,
                     self->stream));
    cr_nccl(
        ncclRecv(self->d_in, COUNT, ncclInt32, (r + count - 1) % count, self->comm, self->stream));
    return ncclGroupEnd();
}

static void add_own_number(int r)
{
    cr_cuda(cudaSetDevice(r));
    cr_cuda(submit_scale(ranks[r].d_sum, COUNT, 1, r, ranks[r].stream));
}

static void check_turned(int r, int count)
{
    int h[COUNT];
    cr_cuda(cudaMemcpyAsync(h, ranks[r].d_in, BYTES, cudaMemcpyDeviceToHost, ranks[r].stream));
    const int expected = count * (count + 1) / 2 + (r + count - 1) % count;
    cr_assert(all_are(h, expected), "rank %d of %d: %d and not %d", r, count, h[0], expected);
}

static void give_back(int r)
{
    cr_cuda(cudaFree(ranks[r].d_in));
    cr_cuda(cudaFree(ranks[r].d_sum));
    cr_cuda(cudaFree(ranks[r].d_all));
    cr_cuda(cudaStreamDestroy(ranks[r].stream));
}

static void stop(int r)
{
    cr_nccl(ncclCommDestroy(ranks[r].comm));
    give_back(r);
}

#define FOR_ALL(count, call)          \
    for (int r = 0; r < (count); r++) \
    call

#define IN_A_GROUP(count, call)        \
    do {                               \
        cr_nccl(ncclGroupStart());     \
        FOR_ALL(count, cr_nccl(call)); \
        cr_nccl(ncclGroupEnd());       \
    } while (0)

Test(deferred, one_thread_drives_all_ranks)
{
    for (int count = 1; count <= RANKS; count++)
        for (int round = 0; round < ROUNDS / 4; round++) {
            ncclComm_t comms[RANKS];
            cr_nccl(ncclCommInitAll(comms, count, NULL));
            FOR_ALL(count, start(comms[r], r));
            IN_A_GROUP(count, sum_up(r));
            FOR_ALL(count, add_own_number(r));
            IN_A_GROUP(count, gather(r));
            IN_A_GROUP(count, turn(r, count));
            FOR_ALL(count, check_turned(count - 1 - r, count));
            FOR_ALL(count, stop(r));
            cr_assert_eq(simt_device_allocations(), 0);
        }
}

typedef struct driver {
    int first, last, count;
    ncclUniqueId id;
} driver;

#define FOR_OWN(p, call)                         \
    for (int r = (p)->first; r < (p)->last; r++) \
    call

#define OWN_IN_A_GROUP(p, call)    \
    do {                           \
        cr_nccl(ncclGroupStart()); \
        FOR_OWN(p, cr_nccl(call)); \
        cr_nccl(ncclGroupEnd());   \
    } while (0)

static ncclResult_t join(const driver *p, int r)
{
    cr_cuda(cudaSetDevice(r));
    return ncclCommInitRank(&ranks[r].comm, p->count, p->id, r);
}

static void *drive(void *any)
{
    const driver *p = any;
    OWN_IN_A_GROUP(p, join(p, r));
    FOR_OWN(p, start(ranks[r].comm, r));
    OWN_IN_A_GROUP(p, sum_up(r));
    FOR_OWN(p, add_own_number(r));
    OWN_IN_A_GROUP(p, gather(r));
    OWN_IN_A_GROUP(p, turn(r, p->count));
    FOR_OWN(p, check_turned(r, p->count));
    FOR_OWN(p, stop(r));
    return NULL;
}

Test(deferred, threads_drive_some_ranks_each)
{
    static const int cuts[][2] = {{1, 2}, {1, 3}, {2, 4}, {1, 4}}; /* the first one's, and all */
    for (int round = 0; round < ROUNDS; round++) {
        const int own = cuts[round % 4][0], count = cuts[round % 4][1];
        pthread_t threads[RANKS];
        driver drivers[RANKS];
        ncclUniqueId id;
        int started = 0;
        cr_nccl(ncclGetUniqueId(&id));
        for (int first = 0; first < count; first += own, started++) {
            const int last = first + own < count ? first + own : count;
            drivers[started] = (driver){first, last, count, id};
            cr_assert_eq(pthread_create(&threads[started], NULL, drive, &drivers[started]), 0);
        }
        for (int i = 0; i < started; i++)
            pthread_join(threads[i], NULL);
        cr_assert_eq(simt_device_allocations(), 0);
    }
}

/* Streams of two threads, each with work that the other's waits for. */
static void *run_own_stream(void *stream)
{
    cr_cuda(cudaSetDevice(0));
    for (int i = 0; i < 10; i++) {
        cr_cuda(submit_scale(stream == (void *)a ? d : d_other, COUNT, 1, 1, stream));
        cr_cuda(cudaStreamSynchronize(stream));
    }
    return NULL;
}

Test(deferred, threads_synchronise_at_the_same_time)
{
    pthread_t threads[2];
    set_up();
    cr_assert_eq(pthread_create(&threads[0], NULL, run_own_stream, a), 0);
    cr_assert_eq(pthread_create(&threads[1], NULL, run_own_stream, b), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    copy_out(d, NULL);
    cr_cuda(cudaDeviceSynchronize());
    cr_assert(all_are(h_pinned, 10));
    copy_out(d_other, NULL);
    cr_cuda(cudaDeviceSynchronize());
    cr_assert(all_are(h_pinned, 10));
    tear_down();
}

/* A rank whose stream never gets there: what waits for it ends when it aborts. */
Test(deferred, a_rank_that_aborts_ends_what_waits_for_it)
{
    ncclComm_t comms[2];
    ncclResult_t error;
    cr_nccl(ncclCommInitAll(comms, 2, NULL));
    FOR_ALL(2, start(comms[r], r));
    IN_A_GROUP(2, sum_up(r));
    cr_nccl(sum_up(0));
    cr_nccl(ncclCommAbort(comms[1]));
    cr_cuda(cudaStreamSynchronize(ranks[0].stream));
    cr_nccl(ncclCommGetAsyncError(comms[0], &error));
    cr_assert_eq(error, ncclRemoteError);
    cr_cuda(cudaStreamSynchronize(ranks[1].stream));
    cr_nccl(ncclCommAbort(comms[0]));
    FOR_ALL(2, give_back(r));
}
