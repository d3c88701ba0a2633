/* How long a call takes: between two events with a cold L2 cache, or as one of many in a graph. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum {
    REPETITIONS = 20,
    MAX_REPETITIONS = 200,
    GRAPH_CALLS = 32,
    FLUSH_BYTES = 256 << 20,
    WARM_UPS = 3
};

/* More repetitions than the least, as long as a case does not take longer than this. */
static const double case_budget_us = 100e3;

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

int mode_count(void)
{
    return on_gpu() ? MODE_COUNT : MODE_COLD + 1;
}

void timing_begin(void)
{
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

bench_time measure(bench_mode mode, bench_call *call, const void *argument)
{
    double us[MAX_REPETITIONS], spent = 0;
    size_t count = 0;
    cudaGraphExec_t exec = mode == MODE_HOT ? capture(call, argument) : NULL;
    for (int i = 0; i < (on_gpu() ? WARM_UPS : 1); i++)
        mode == MODE_HOT ? time_hot(exec) : time_cold(call, argument);
    while (count < REPETITIONS || (count < MAX_REPETITIONS && spent < case_budget_us)) {
        us[count] = mode == MODE_HOT ? time_hot(exec) : time_cold(call, argument);
        spent += us[count++] * (mode == MODE_HOT ? GRAPH_CALLS : 1);
    }
    if (exec != NULL)
        must(cudaGraphExecDestroy(exec), "a graph");
    return summarise(us, count);
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

static prim_status do_nothing(const void *argument, cudaStream_t s)
{
    (void)argument;
    return from_cuda(empty_on_device(s));
}

bench_ceilings measure_ceilings(void)
{
    if (!on_gpu())
        return (bench_ceilings){0};
    size_t free_bytes, all_bytes;
    must(cudaMemGetInfo(&free_bytes, &all_bytes), "asking for free memory");
    buffers b = {.bytes = (size_t)4 << 30};
    while (2 * b.bytes > free_bytes / 2)
        b.bytes /= 2;
    must(cudaMalloc(&b.from, b.bytes), "memory for the ceilings");
    must(cudaMalloc(&b.to, b.bytes), "memory for the ceilings");
    must(fill_on_device(CUDA_R_32F, b.from, b.bytes / 4, INPUT_UNIFORM, 1, stream), "a fill");
    const double read_us = measure(MODE_COLD, read_all, &b).median_us;
    const double copy_us = measure(MODE_COLD, copy_all, &b).median_us;
    const double empty_us = measure(MODE_COLD, do_nothing, NULL).median_us;
    must(cudaFree(b.from), "freeing");
    must(cudaFree(b.to), "freeing");
    return (bench_ceilings){.read_gbps = 1e-3 * (double)b.bytes / read_us,
                            .copy_gbps = 2e-3 * (double)b.bytes / copy_us,
                            .empty_us = empty_us};
}
