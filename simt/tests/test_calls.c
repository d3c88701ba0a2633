/* What the CPU backend knows of the calls made to it: how many, which one fails, what they left
 * behind and which streams they used. Each planted fault stands beside its correct twin. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "semantics.h"
#include "simt.h"

#define cr_cuda(call) cr_assert_eq((call), cudaSuccess, #call)

/* ---- every call can be made to fail ---- */

static int *d_words, *d_pooled, *h_words, answer; /* d_pooled stays */
static float milliseconds;
static size_t sizes[2];
static cudaStream_t stream;
static cudaMemPool_t pool;
static enum cudaStreamCaptureMode mode;
static const struct cudaMemPoolProps on_device_0 = {.allocType = cudaMemAllocationTypePinned,
                                                    .location = {cudaMemLocationTypeDevice, 0}};
static cudaEvent_t start, end;
static cudaGraph_t graph;
static cudaGraphNode_t node;
static cudaGraphExec_t exec;
static enum cudaStreamCaptureStatus status;
static enum cudaGraphNodeType type;
static struct cudaDeviceProp properties;
static struct cudaFuncAttributes attributes;
static struct cudaPointerAttributes whose;

#define CALLS(X)                                                                                \
    X(cudaGetDeviceCount, (&answer))                                                            \
    X(cudaGetDevice, (&answer))                                                                 \
    X(cudaSetDevice, (0))                                                                       \
    X(cudaDeviceGetAttribute, (&answer, cudaDevAttrWarpSize, 0))                                \
    X(cudaGetDeviceProperties, (&properties, 0))                                                \
    X(cudaMemGetInfo, (&sizes[0], &sizes[1]))                                                   \
    X(cudaDriverGetVersion, (&answer))                                                          \
    X(cudaRuntimeGetVersion, (&answer))                                                         \
    X(cudaFuncGetAttributes, (&attributes, &answer))                                            \
    X(cudaStreamCreate, (&stream))                                                              \
    X(cudaStreamDestroy, (stream))                                                              \
    X(cudaStreamCreateWithFlags, (&stream, cudaStreamNonBlocking))                              \
    X(cudaMallocManaged, ((void **)&d_words, 64, cudaMemAttachGlobal))                          \
    X(cudaFree, (d_words))                                                                      \
    X(cudaMallocHost, ((void **)&h_words, 64))                                                  \
    X(cudaFreeHost, (h_words))                                                                  \
    X(cudaMallocAsync, ((void **)&d_words, 64, stream))                                         \
    X(cudaFreeAsync, (d_words, stream))                                                         \
    X(cudaDeviceGetDefaultMemPool, (&pool, 0))                                                  \
    X(cudaMemPoolCreate, (&pool, &on_device_0))                                                 \
    X(cudaMemPoolSetAttribute, (pool, cudaMemPoolAttrReleaseThreshold, &sizes[0]))              \
    X(cudaMallocFromPoolAsync, ((void **)&d_pooled, 64, pool, stream))                          \
    X(cudaMemPoolTrimTo, (pool, 0))                                                             \
    X(cudaMemPoolDestroy, (pool))                                                               \
    X(cudaThreadExchangeStreamCaptureMode, (&mode))                                             \
    X(cudaMalloc, ((void **)&d_words, 64))                                                      \
    X(cudaMemset, (d_words, 0, 64))                                                             \
    X(cudaMemsetAsync, (d_words, 0, 64, stream))                                                \
    X(cudaMemcpy, (d_words, d_words + 8, 32, cudaMemcpyDeviceToDevice))                         \
    X(cudaMemcpyAsync, (d_words, d_words + 8, 32, cudaMemcpyDeviceToDevice, stream))            \
    X(cudaMemcpy2D, (d_words, 8, d_words + 8, 8, 4, 2, cudaMemcpyDeviceToDevice))               \
    X(cudaMemcpy2DAsync, (d_words, 8, d_words + 8, 8, 4, 2, cudaMemcpyDeviceToDevice, stream))  \
    X(cudaPointerGetAttributes, (&whose, d_words))                                              \
    X(cudaMallocPitch, ((void **)&d_words, sizes, 20, 2))                                       \
    X(cudaHostAlloc, ((void **)&h_words, 64, 0))                                                \
    X(cudaFuncSetAttribute, (&answer, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000))       \
    X(cudaEventCreate, (&start))                                                                \
    X(cudaEventCreateWithFlags, (&end, 0))                                                      \
    X(cudaEventRecord, (start, stream))                                                         \
    X(cudaStreamWaitEvent, (stream, start, 0))                                                  \
    X(cudaEventSynchronize, (start))                                                            \
    X(cudaEventElapsedTime, (&milliseconds, start, start))                                      \
    X(cudaEventDestroy, (end))                                                                  \
    X(cudaStreamSynchronize, (stream))                                                          \
    X(cudaDeviceSynchronize, ())                                                                \
    X(cudaStreamBeginCapture, (stream, cudaStreamCaptureModeRelaxed))                           \
    X(cudaStreamIsCapturing, (stream, &status))                                                 \
    X(simt_launch, (&(cudaLaunchConfig_t){{1, 1, 1}, {1, 1, 1}, 0, stream, NULL, 0}, &nothing)) \
    X(cudaStreamEndCapture, (stream, &graph))                                                   \
    X(cudaGraphGetNodes, (graph, &node, &sizes[0]))                                             \
    X(cudaGraphNodeGetType, (node, &type))                                                      \
    X(cudaGraphInstantiate, (&exec, graph, 0))                                                  \
    X(cudaGraphLaunch, (exec, stream))                                                          \
    X(cudaGraphExecDestroy, (exec))                                                             \
    X(cudaGraphDestroy, (graph))

static void do_nothing(void)
{
}

static void invoke_nothing(void (*function)(void), void *const *arguments)
{
    (void)arguments;
    function();
}

static const simt_kernel nothing = {do_nothing, invoke_nothing, NULL, NULL, 0};

#define DEFINE(name, arguments)          \
    static cudaError_t make_##name(void) \
    {                                    \
        return name arguments;           \
    }
CALLS(DEFINE)

static const struct made_call {
    const char *name;
    cudaError_t (*make)(void);
} calls[] = {
#define ROW(name, arguments) {#name, make_##name},
    CALLS(ROW)};

/* Does what the call was made for, so that the next ones find it done. */
static void make_again(const struct made_call *call)
{
    if (strstr(call->name, "Destroy") != NULL || strstr(call->name, "Free") != NULL)
        return; /* has been done, failed or not */
    if (strcmp(call->name, "cudaStreamEndCapture") == 0) {
        cr_assert_eq(graph, NULL, "the capture that failed left a graph");
        cr_cuda(make_cudaStreamBeginCapture());
        cr_cuda(make_simt_launch());
    }
    sizes[0] = 1;
    cr_assert_eq(call->make(), cudaSuccess, "%s fails once more", call->name);
}

Test(calls, each_one_can_be_made_to_fail_once)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        cr_assert_eq(cudaGetLastError(), cudaSuccess);
        simt_fail_at(1);
        cr_assert_eq(simt_failed_call(), NULL);
        const cudaError_t error = calls[i].make();
        cr_assert_neq(error, cudaSuccess, "%s did not fail", calls[i].name);
        cr_assert_str_neq(cudaGetErrorName(error), "unrecognized error code");
        cr_assert_str_eq(simt_failed_call(), calls[i].name);
        cr_assert_eq(simt_calls(), 1, "%s counts as %d calls", calls[i].name, (int)simt_calls());
        cr_assert_eq(cudaGetLastError(), error, "%s left no error", calls[i].name);
        make_again(&calls[i]);
    }
    cr_assert_eq(milliseconds, 0);
}

Test(calls, the_nth_one_fails_and_no_other)
{
    for (int n = 1; n < 6; n++) {
        simt_fail_at((uint64_t)n);
        for (int i = 1; i < 8; i++)
            cr_assert_eq(cudaGetDevice(&answer) != cudaSuccess, i == n);
        cr_assert_eq(simt_calls(), 7);
    }
    simt_fail_at(0);
    for (int i = 0; i < 8; i++)
        cr_cuda(cudaGetDevice(&answer));
    cr_assert_eq(simt_failed_call(), NULL);
    cr_assert_eq(cudaGetLastError(), cudaErrorInitializationError);
}

/* ---- what is left behind ---- */

/* Two buffers in which a word is set. Broken: the first one stays where the second can't be had. */
static cudaError_t use_two_buffers(bool broken)
{
    void *first, *second;
    cudaError_t error = cudaMalloc(&first, 64);
    if (error != cudaSuccess)
        return error;
    error = cudaMalloc(&second, 64);
    if (error != cudaSuccess) {
        if (!broken)
            cudaFree(first);
        return error;
    }
    error = cudaMemset(second, 0, 4);
    cudaFree(first);
    const cudaError_t freed = cudaFree(second);
    return error != cudaSuccess ? error : freed;
}

/* The same in a stream; broken: where the memset fails, its memory never goes back to the pool. */
static cudaError_t use_the_pool(bool broken)
{
    void *memory;
    cudaError_t error = cudaMallocAsync(&memory, 100, 0);
    if (error != cudaSuccess)
        return error;
    error = cudaMemsetAsync(memory, 0, 100, 0);
    if (error != cudaSuccess && broken)
        return error;
    const cudaError_t freed = cudaFreeAsync(memory, 0);
    return error != cudaSuccess ? error : freed;
}

typedef struct leak {
    size_t allocations, pool_bytes;
} leak;

/* Lets each call of the program fail in turn, until it passes unharmed. */
static leak fail_each_call(cudaError_t (*program)(bool broken), bool broken)
{
    leak most = {0, 0};
    for (uint64_t n = 1;; n++) {
        const size_t allocations = simt_device_allocations(), bytes = simt_pool_bytes();
        simt_fail_at(n);
        const cudaError_t error = program(broken);
        if (simt_failed_call() == NULL) {
            cr_assert_eq(error, cudaSuccess);
            cr_assert(n > 3);
            return most;
        }
        most.allocations += simt_device_allocations() - allocations;
        most.pool_bytes += simt_pool_bytes() - bytes;
    }
}

Test(calls, a_leak_shows)
{
    const leak right = fail_each_call(use_two_buffers, false);
    cr_assert_eq(right.allocations, 0);
    const leak wrong = fail_each_call(use_two_buffers, true);
    cr_assert_eq(wrong.allocations, 1);
    cr_assert_eq(wrong.pool_bytes, 0);
}

Test(calls, what_the_pool_does_not_get_back_shows)
{
    const leak right = fail_each_call(use_the_pool, false);
    cr_assert_eq(right.pool_bytes, 0);
    cr_assert_eq(right.allocations, 0);
    const leak wrong = fail_each_call(use_the_pool, true);
    cr_assert_eq(wrong.pool_bytes, 100);
    cr_assert_eq(wrong.allocations, 1);
}

/* ---- streams ---- */

/* Sets, scales and copies in a stream; broken: in the default one, all but the copy. */
static void work_in(cudaStream_t own, bool broken, int *d_from, int *d_to)
{
    const cudaStream_t used = broken ? 0 : own;
    cr_cuda(cudaMemsetAsync(d_from, 0, 64, used));
    cr_cuda(submit_scale(d_from, 16, 1, 5, used));
    cr_cuda(cudaMemcpyAsync(d_to, d_from, 64, cudaMemcpyDeviceToDevice, own));
}

Test(calls, work_in_another_stream_shows)
{
    int *d_from, *d_to;
    cr_cuda(cudaStreamCreate(&stream));
    cr_cuda(cudaMalloc((void **)&d_from, 64));
    cr_cuda(cudaMalloc((void **)&d_to, 64));
    for (int broken = 0; broken < 2; broken++) {
        const uint64_t all = simt_submissions(), own = simt_submissions_to(stream);
        const uint64_t others = simt_submissions_to(0);
        work_in(stream, broken, d_from, d_to);
        cr_assert_eq(simt_submissions() - all, 3);
        cr_assert_eq(simt_submissions_to(stream) - own, broken ? 1 : 3);
        cr_assert_eq(simt_submissions_to(0) - others, broken ? 2 : 0);
    }
}

/* Everything that is no launch, copy or memset, in turn. */
Test(calls, events_pool_and_graphs_are_submitted_to_a_stream)
{
    void *memory;
    cr_cuda(cudaStreamCreate(&stream));
    cr_cuda(cudaEventCreate(&start));
    cr_cuda(cudaMallocAsync(&memory, 64, stream));
    cr_cuda(cudaFreeAsync(memory, stream));
    cr_cuda(cudaEventRecord(start, stream));
    cr_cuda(cudaStreamWaitEvent(stream, start, 0));
    cr_assert_eq(simt_submissions_to(stream), 4);
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    cr_cuda(cudaMallocAsync(&memory, 64, stream));
    cr_cuda(cudaFreeAsync(memory, stream));
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_assert_eq(simt_submissions_to(stream), 6);
    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    cr_cuda(cudaGraphLaunch(exec, stream));
    cr_assert_eq(simt_submissions_to(stream), 7);
    cr_assert_eq(simt_submissions(), 7);
}

/* ---- what a kernel can reach ---- */

static void check_reach(const char *pointer, size_t bytes)
{
    size_t there = 12345;
    cr_assert(simt_device_reaches(pointer, bytes, &there));
    cr_assert_eq(there, bytes);
    cr_assert(simt_device_reaches(pointer + bytes - 1, 1, &there));
    cr_assert_eq(there, 1);
    cr_assert(simt_device_reaches(pointer, 0, &there));
    cr_assert_not(simt_device_reaches(pointer, bytes + 1, &there));
    cr_assert_eq(there, bytes);
    cr_assert_not(simt_device_reaches(pointer + 3, bytes - 2, &there));
    cr_assert_eq(there, bytes - 3);
}

Test(calls, a_kernel_reaches_the_backends_own_memory_alone)
{
    char *d, *d_managed, *d_pool, *h_pinned, *h_pageable = malloc(64);
    size_t there = 12345;
    cr_cuda(cudaMalloc((void **)&d, 64));
    cr_cuda(cudaMallocManaged((void **)&d_managed, 65, cudaMemAttachGlobal));
    cr_cuda(cudaMallocHost((void **)&h_pinned, 66));
    cr_cuda(cudaMallocAsync((void **)&d_pool, 67, 0));
    check_reach(d, 64);
    check_reach(d_managed, 65);
    check_reach(h_pinned, 66);
    check_reach(d_pool, 67);
    cr_assert_not(simt_device_reaches(h_pageable, 1, &there));
    cr_assert_eq(there, 0);
    cr_assert_not(simt_device_reaches(NULL, 1, &there));
    cr_assert(simt_device_reaches(NULL, 0, &there));
    cr_cuda(cudaFree(d));
    cr_assert_not(simt_device_reaches(d, 1, &there));
    free(h_pageable);
}
