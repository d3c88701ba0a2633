/* How long a call takes: between two events with a cold L2 cache, or as one of many in a graph. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

enum {
    REPETITIONS = 20,
    LEAST_IN_SHORT = 5,
    MAX_REPETITIONS = 200,
    MAX_IN_SHORT = 40,
    GRAPH_CALLS = 32,
    FLUSH_BYTES = 256 << 20,
    WARM_UPS = 3
};

/* More repetitions than the least, as long as a case does not take longer than this. */
static const double case_budget_us = 100e3, short_budget_us = 20e3;

static cudaStream_t stream;
static cudaEvent_t start, end;
static void *d_flush;
static unsigned *d_sink;

void must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "primbench: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

void must_prim(prim_status status)
{
    if (status == PRIM_OK)
        return;
    fprintf(stderr, "primbench: %s (%s)\n", prim_last_error(NULL), prim_status_string(status));
    exit(1);
}

bool on_gpu(void)
{
#ifdef SIMT_BACKEND
    return false;
#else
    return true;
#endif
}

static bool alone_too, hot_too, in_short;

void timing_in_short(bool with_hot)
{
    in_short = true;
    hot_too = with_hot;
}

int mode_count(void)
{
    return alone_too ? MODE_COUNT : hot_too ? MODE_HOT + 1 : MODE_COLD + 1;
}

void timing_begin(bool with_alone)
{
    alone_too = with_alone;
    hot_too = on_gpu();
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    must(cudaEventCreate(&start), "an event");
    must(cudaEventCreate(&end), "an event");
    must(cudaMalloc((void **)&d_sink, sizeof *d_sink), "the sink");
    if (!on_gpu())
        return;
    must(cudaMalloc(&d_flush, FLUSH_BYTES), "memory to flush L2 with");
    must(fill_on_device(CUDA_R_32F, d_flush, FLUSH_BYTES / 4, INPUT_UNIFORM, 99, stream), "a fill");
}

void timing_end(void)
{
    must(cudaFree(d_flush), "freeing");
    must(cudaFree(d_sink), "freeing");
    must(cudaEventDestroy(start), "freeing");
    must(cudaEventDestroy(end), "freeing");
    must(cudaStreamDestroy(stream), "freeing");
}

/* Reading evicts what was there and leaves no dirty lines that the timed call would pay for. */
static void make_cold(void)
{
    if (on_gpu())
        must(read_on_device(d_flush, FLUSH_BYTES, d_sink, stream), "flushing L2");
}

static double elapsed_us(void)
{
    float milliseconds;
    must(cudaEventSynchronize(end), "waiting for the timed call");
    must(cudaEventElapsedTime(&milliseconds, start, end), "reading the time");
    return 1e3 * milliseconds;
}

static double time_cold(bench_call *call, const void *argument)
{
    make_cold();
    must(cudaEventRecord(start, stream), "an event");
    must_prim(call(argument, stream));
    must(cudaEventRecord(end, stream), "an event");
    return elapsed_us();
}

static cudaGraphExec_t capture(bench_call *call, const void *argument)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "a capture");
    for (int i = 0; i < GRAPH_CALLS; i++)
        must_prim(call(argument, stream));
    must(cudaStreamEndCapture(stream, &graph), "a capture");
    must(cudaGraphInstantiate(&exec, graph, 0), "a graph");
    must(cudaGraphDestroy(graph), "a graph");
    return exec;
}

static double time_hot(cudaGraphExec_t exec)
{
    must(cudaEventRecord(start, stream), "an event");
    must(cudaGraphLaunch(exec, stream), "a graph");
    must(cudaEventRecord(end, stream), "an event");
    return elapsed_us() / GRAPH_CALLS;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* By the host's clock: from an idle device until the call's work is done. */
static double time_alone(bench_call *call, const void *argument)
{
    must(cudaStreamSynchronize(stream), "waiting for the call before");
    const double begin = now_us();
    must_prim(call(argument, stream));
    must(cudaStreamSynchronize(stream), "waiting for the timed call");
    return now_us() - begin;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bench_time summarise(double *us, size_t count)
{
    qsort(us, count, sizeof *us, ascending);
    const double median =
        count % 2 == 1 ? us[count / 2] : 0.5 * (us[count / 2 - 1] + us[count / 2]);
    const double range = us[count * 3 / 4] - us[count / 4];
    return (bench_time){.median_us = median, .min_us = us[0], .noise = range / median};
}

/* What the host spends in a call of so many µs, of up to 10^4 calls of which few are queued. */
double measure_host_us(bench_call *call, const void *argument, double call_us)
{
    enum { LEAST = 200, MOST = 10000, QUEUED = 100 };
    static const double budget_us = 20e3;
    static double us[MOST];
    if (in_short)
        return 0;
    size_t count = call_us * MOST < budget_us ? MOST : (size_t)(budget_us / call_us);
    if (count < LEAST)
        count = LEAST;
    for (size_t i = 0; i < count; i++) {
        if (i % QUEUED == 0)
            must(cudaStreamSynchronize(stream), "waiting for queued calls");
        const double begin = now_us();
        must_prim(call(argument, stream));
        us[i] = now_us() - begin;
    }
    must(cudaStreamSynchronize(stream), "waiting for queued calls");
    return summarise(us, count).median_us;
}

/* One of the calls that are measured in turn. */
typedef struct contender {
    bench_call *call;
    const void *argument;
    bench_mode mode;
    cudaGraphExec_t exec; /* of MODE_HOT */
    double us[MAX_REPETITIONS];
} contender;

static double time_once(const contender *c)
{
    switch (c->mode) {
    case MODE_HOT:
        return time_hot(c->exec);
    case MODE_ALONE:
        return time_alone(c->call, c->argument);
    default:
        return time_cold(c->call, c->argument);
    }
}

static void warm_up(contender *c, bench_mode mode)
{
    c->mode = mode;
    c->exec = mode == MODE_HOT ? capture(c->call, c->argument) : NULL;
    for (int i = 0; i < (on_gpu() && !in_short ? WARM_UPS : 1); i++)
        time_once(c);
}

void measure_in_turn(bench_mode mode, bench_call *call, const void *const *arguments, size_t count,
                     bench_time *times)
{
    contender contenders[MOST_IN_TURN];
    const double budget_us = (in_short ? short_budget_us : case_budget_us) * (double)count;
    const size_t least = in_short ? LEAST_IN_SHORT : REPETITIONS,
                 most = in_short ? MAX_IN_SHORT : MAX_REPETITIONS;
    double spent = 0;
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        contenders[i] = (contender){.call = call, .argument = arguments[i]};
        warm_up(&contenders[i], mode);
    }
    while (done < least || (done < most && spent < budget_us)) {
        for (size_t i = 0; i < count; i++) {
            contenders[i].us[done] = time_once(&contenders[i]);
            spent += contenders[i].us[done] * (mode == MODE_HOT ? GRAPH_CALLS : 1);
        }
        done++;
    }
    for (size_t i = 0; i < count; i++) {
        if (contenders[i].exec != NULL)
            must(cudaGraphExecDestroy(contenders[i].exec), "a graph");
        times[i] = summarise(contenders[i].us, done);
    }
}

bench_time measure(bench_mode mode, bench_call *call, const void *argument)
{
    bench_time time;
    measure_in_turn(mode, call, &argument, 1, &time);
    return time;
}

/* ---- ceilings ---- */

typedef struct buffers {
    void *from, *to;
    size_t bytes;
} buffers;

static prim_status from_cuda(cudaError_t error)
{
    must(error, "a ceiling's kernel");
    return PRIM_OK;
}

static prim_status read_all(const void *argument, cudaStream_t s)
{
    const buffers *b = argument;
    return from_cuda(read_on_device(b->from, b->bytes, d_sink, s));
}

static prim_status copy_all(const void *argument, cudaStream_t s)
{
    const buffers *b = argument;
    return from_cuda(copy_on_device(b->from, b->to, b->bytes, s));
}

static prim_status multiply_and_add(const void *argument, cudaStream_t s)
{
    const unsigned *multiprocessors = argument;
    return from_cuda(ffma_on_device(*multiprocessors, d_sink, s));
}

static prim_status do_nothing(const void *argument, cudaStream_t s)
{
    (void)argument;
    return from_cuda(empty_on_device(s));
}

static void measure_bandwidths(bench_ceilings *ceilings)
{
    size_t free_bytes, all_bytes;
    must(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for free memory");
    buffers b = {.bytes = (size_t)4 << 30};
    while (2 * b.bytes > free_bytes / 2)
        b.bytes /= 2;
    must(cudaMalloc(&b.from, b.bytes), "memory for the ceilings");
    must(cudaMalloc(&b.to, b.bytes), "memory for the ceilings");
    must(fill_on_device(CUDA_R_32F, b.from, b.bytes / 4, INPUT_UNIFORM, 1, stream), "a fill");
    ceilings->read_gbps = 1e-3 * (double)b.bytes / measure(MODE_COLD, read_all, &b).median_us;
    ceilings->copy_gbps = 2e-3 * (double)b.bytes / measure(MODE_COLD, copy_all, &b).median_us;
    must(cudaFree(b.from), "freeing");
    must(cudaFree(b.to), "freeing");
}

static double measure_ffma_gflops(void)
{
    int device, multiprocessors;
    must(cudaGetDevice(&device), "asking for the device");
    must(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
         "asking for multiprocessors");
    const unsigned count = (unsigned)multiprocessors;
    return 1e-3 * ffma_flops(count) / measure(MODE_COLD, multiply_and_add, &count).median_us;
}

bench_ceilings measure_ceilings(void)
{
    bench_ceilings ceilings = {0};
    if (!on_gpu())
        return ceilings;
    measure_bandwidths(&ceilings);
    ceilings.ffma_gflops = measure_ffma_gflops();
    ceilings.empty_us = measure(MODE_COLD, do_nothing, NULL).median_us;
    ceilings.empty_host_us = measure_host_us(do_nothing, NULL, ceilings.empty_us);
    return ceilings;
}
