/* What a CUDA machine does, asked of the backend that this was built for: the CPU's, or a GPU. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "semantics.h"

#define cr_cuda(call) cr_assert_eq((call), cudaSuccess, #call)

Test(semantics, indices_of_a_3d_grid)
{
    static int out[2 * 3 * 2 * 4 * 3 * 2];
    const unsigned count = sizeof out / sizeof *out;
    cr_cuda(run_indices((dim3){2, 3, 2}, (dim3){4, 3, 2}, out, count));
    for (unsigned i = 0; i < count; i++)
        cr_assert_eq(out[i], (int)i);
}

Test(semantics, threads_that_return_are_not_waited_for)
{
    static int out[1024];
    for (unsigned live = 1; live <= 512; live = live * 2 + 1) {
        cr_cuda(run_early_return(512, live, out));
        for (unsigned t = 0; t < 512; t++)
            cr_assert_eq(out[t], t < live ? (int)t : 0, "live %u, thread %u: %d", live, t, out[t]);
    }
}

Test(semantics, shuffles_in_two_branches)
{
    int out[32];
    cr_cuda(run_divergent_shuffle(out));
    for (int l = 0; l < 32; l++)
        cr_assert_eq(out[l], 10 * (l < 16 ? 15 - l : 47 - l));
}

/* Where the PTX manual says that lane l reads from; -1: outside the launched lanes, undefined. */
static int source_lane(shuffle_kind kind, int argument, int width, int lane, int lanes)
{
    const int first = lane / width * width, last = first + width - 1;
    int source = lane;
    if (kind == SHUFFLE_INDEX)
        source = first + argument % width;
    if (kind == SHUFFLE_UP && lane - argument >= first)
        source = lane - argument;
    if (kind == SHUFFLE_DOWN && lane + argument <= last)
        source = lane + argument;
    if (kind == SHUFFLE_XOR && (lane ^ argument) <= last)
        source = lane ^ argument;
    return source < lanes ? source : -1;
}

static void check_shuffle(shuffle_kind kind, int argument, int width, int lanes)
{
    int out[32];
    cr_cuda(run_shuffle(kind, argument, width, (unsigned)lanes, out));
    for (int l = 0; l < lanes; l++) {
        const int source = source_lane(kind, argument, width, l, lanes);
        if (source >= 0)
            cr_assert_eq(out[l], 100 + source, "kind %d, argument %d, width %d, lane %d of %d: %d",
                         kind, argument, width, l, lanes, out[l]);
    }
}

Test(semantics, shuffles_of_every_kind_and_width)
{
    static const int lanes[] = {32, 13, 1};
    for (int kind = SHUFFLE_INDEX; kind <= SHUFFLE_XOR; kind++)
        for (int width = 1; width <= 32; width *= 2)
            for (int argument = 0; argument < 32; argument += 1 + argument / 3)
                for (int i = 0; i < 3; i++)
                    check_shuffle((shuffle_kind)kind, argument, width, lanes[i]);
}

Test(semantics, shuffle_of_eight_bytes)
{
    double out[32];
    cr_cuda(run_shuffle_double(out));
    for (int l = 0; l < 32; l++)
        cr_assert_eq(out[l], 0.5 + (l < 31 ? l + 1 : 31));
}

Test(semantics, ballots_of_full_and_partial_warps)
{
    static unsigned out[1024];
    static const unsigned sizes[] = {1, 31, 32, 33, 45, 64, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        cr_cuda(run_ballot(sizes[s], out));
        for (unsigned t = 0; t < sizes[s]; t++) {
            const unsigned left = sizes[s] - t / 32 * 32;
            const unsigned mask = left >= 32 ? 0xffffffffu : (1u << left) - 1;
            cr_assert_eq(out[t], 0x49249249u & mask);
        }
    }
}

/* More blocks than are there at a time, on a GPU too. */
Test(semantics, blocks_wait_for_earlier_turns)
{
    static int out[5000];
    static const unsigned threads[] = {32, 96, 256};
    for (size_t t = 0; t < 3; t++) {
        const unsigned blocks = threads[t] == 256 ? 301 : 5000;
        cr_cuda(run_turns(blocks, threads[t], out));
        for (unsigned b = 0; b < blocks; b++)
            cr_assert_eq(out[b], (int)(b * (b + 1) / 2), "turn %u of %u: %d", b, blocks, out[b]);
    }
}

Test(semantics, lanes_that_returned_are_left_out_of_a_full_mask)
{
    unsigned out[32];
    cr_cuda(run_ballot_after_exit(out));
    for (int l = 0; l < 32; l++)
        cr_assert_eq(out[l], l < 16 ? 0xffffu : 0u);
}

Test(semantics, syncwarp_orders_shared_memory)
{
    static int out[1024];
    static const unsigned sizes[] = {1, 32, 45, 1024};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        cr_cuda(run_syncwarp(sizes[s], out));
        for (unsigned t = 0; t < sizes[s]; t++) {
            const unsigned first = t / 32 * 32;
            const unsigned lanes = sizes[s] - first < 32 ? sizes[s] - first : 32;
            cr_assert_eq(out[t], (int)(first + (t - first + 1) % lanes));
        }
    }
}

Test(semantics, atomics_of_many_blocks)
{
    int sum;
    cr_cuda(run_atomic_add(97, 160, &sum));
    cr_assert_eq(sum, 97 * 160);
}

Test(semantics, least_and_greatest_of_many_blocks)
{
    unsigned long long ends[] = {~0ull, 0, ~0ull}, inside[] = {7, ~0ull - 1, 0x300000001};
    cr_cuda(run_atomic_ends(97, 160, ends));
    cr_assert_eq(ends[0], 5ull << 32);
    cr_assert_eq(ends[1], (5ull + 97 * 160 - 1) << 32);
    cr_assert_eq(ends[2], 0xffffffff00000005);
    cr_cuda(run_atomic_ends(97, 160, inside));
    cr_assert(inside[0] == 7 && inside[1] == ~0ull - 1 && inside[2] == 0x300000001);
}

Test(semantics, shared_memory_in_two_dimensions_and_one_word)
{
    int out[256];
    cr_cuda(run_shared_matrix(out));
    for (int i = 0; i < 256; i++)
        cr_assert_eq(out[i], 1000 + i % 16 * 16 + i / 16);
}

Test(semantics, dynamic_shared_memory_up_to_48_kb)
{
    static int out[12288];
    static const unsigned counts[] = {1, 100, 12288};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        cr_cuda(run_dynamic_shared(counts[c], out));
        for (unsigned i = 0; i < counts[c]; i++)
            cr_assert_eq(out[i], (int)(counts[c] - 1 - i));
    }
    cr_assert_eq(run_dynamic_shared(12289, out), cudaErrorInvalidValue);
    cudaGetLastError();
}

/* ---- launches that are refused ---- */

static void expect_refused(dim3 grid, dim3 block)
{
    const cudaError_t error = submit_empty(grid, block, 0);
    cr_expect_eq(error, cudaErrorInvalidValue, "grid %u,%u,%u of %u,%u,%u: %s", grid.x, grid.y,
                 grid.z, block.x, block.y, block.z, cudaGetErrorName(error));
}

Test(semantics, launches_that_no_gpu_takes)
{
    static const dim3 one = {1, 1, 1};
    static const dim3 blocks[] = {{1025, 1, 1}, {0, 1, 1}, {1, 0, 1}, {32, 32, 2}, {1, 1, 65}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        expect_refused(one, blocks[i]);
    static const dim3 grids[] = {{0, 1, 1}, {1, 0, 1}, {1, 65536, 1}, {1, 1, 65536}};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        expect_refused(grids[i], one);
    cr_assert_eq(cudaGetLastError(), cudaErrorInvalidValue);
    cr_assert_eq(cudaGetLastError(), cudaSuccess);
    cr_cuda(submit_empty((dim3){1, 65535, 1}, (dim3){1, 1, 64}, 0));
    cr_cuda(submit_empty(one, (dim3){1024, 1, 1}, 0));
    cr_cuda(cudaDeviceSynchronize());
}

/* ---- memory ---- */

Test(semantics, copies_of_every_kind)
{
    int h_a[4] = {1, 2, 3, 4}, h_b[4] = {0};
    int *d_a, *d_b, *h_pinned;
    cr_cuda(cudaMalloc((void **)&d_a, sizeof h_a));
    cr_cuda(cudaMalloc((void **)&d_b, sizeof h_a));
    cr_cuda(cudaMallocHost((void **)&h_pinned, sizeof h_a));
    cr_cuda(cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyHostToDevice));
    cr_cuda(cudaMemcpy(d_b, d_a, sizeof h_a, cudaMemcpyDeviceToDevice));
    cr_cuda(cudaMemset(d_a, 0, sizeof h_a));
    cr_cuda(cudaMemcpyAsync(h_pinned, d_b, sizeof h_a, cudaMemcpyDeviceToHost, 0));
    cr_cuda(cudaStreamSynchronize(0));
    cr_cuda(cudaMemcpy(h_b, h_pinned, sizeof h_a, cudaMemcpyHostToHost));
    cr_assert_arr_eq(h_b, h_a, sizeof h_a);
    cr_cuda(cudaMemcpy(h_b, d_a, sizeof h_a, cudaMemcpyDefault));
    cr_assert_eq(h_b[3], 0);
    cr_cuda(cudaMemsetAsync(d_a, 1, 2 * sizeof(int), 0));
    cr_cuda(cudaMemcpy(h_b, d_a, sizeof h_a, cudaMemcpyDefault));
    cr_assert_eq(h_b[1], 0x01010101);
    cr_assert_eq(h_b[2], 0);
    cr_cuda(cudaFree(d_a));
    cr_cuda(cudaFree(d_b));
    cr_cuda(cudaFreeHost(h_pinned));
}

enum { WIDTH = 5, HEIGHT = 7, H_PITCH = 11 };

Test(semantics, matrices_with_a_pitch)
{
    unsigned char h_from[HEIGHT][H_PITCH], h_to[HEIGHT][H_PITCH] = {{0}}, *d, *d_packed;
    size_t pitch = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < H_PITCH; x++)
            h_from[y][x] = (unsigned char)(1 + 20 * y + x);
    cr_cuda(cudaMallocPitch((void **)&d, &pitch, WIDTH, HEIGHT));
    cr_assert(pitch >= WIDTH && pitch % 256 == 0);
    cr_cuda(cudaMalloc((void **)&d_packed, WIDTH * HEIGHT));
    cr_cuda(cudaMemset(d, 0, pitch * HEIGHT));
    cr_cuda(cudaMemcpy2D(d, pitch, h_from, H_PITCH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    cr_cuda(
        cudaMemcpy2DAsync(d_packed, WIDTH, d, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToDevice, 0));
    cr_cuda(cudaMemcpy2D(h_to, H_PITCH, d_packed, WIDTH, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < H_PITCH; x++)
            cr_assert_eq(h_to[y][x], x < WIDTH ? h_from[y][x] : 0, "%d, %d", y, x);
    cr_assert_eq(cudaMemcpy2D(d, pitch, h_from, WIDTH - 1, WIDTH, HEIGHT, cudaMemcpyHostToDevice),
                 cudaErrorInvalidPitchValue);
    cr_cuda(cudaMemcpy2D(d, pitch, h_from, H_PITCH, WIDTH, 0, cudaMemcpyHostToDevice));
    cr_cuda(cudaFree(d));
    cr_cuda(cudaFree(d_packed));
}

static enum cudaMemoryType type_of(const void *pointer)
{
    struct cudaPointerAttributes attributes;
    cr_cuda(cudaPointerGetAttributes(&attributes, pointer));
    return attributes.type;
}

Test(semantics, memory_says_whose_it_is)
{
    struct cudaPointerAttributes attributes;
    char *d, *d_managed, *h_pinned, *h_mapped, *h_pageable = malloc(64);
    cr_cuda(cudaMalloc((void **)&d, 64));
    cr_cuda(cudaMallocManaged((void **)&d_managed, 64, cudaMemAttachGlobal));
    cr_cuda(cudaMallocHost((void **)&h_pinned, 64));
    cr_cuda(cudaHostAlloc((void **)&h_mapped, 64, cudaHostAllocMapped | cudaHostAllocPortable));
    cr_assert_eq(type_of(d), cudaMemoryTypeDevice);
    cr_assert_eq(type_of(d + 63), cudaMemoryTypeDevice);
    cr_assert_eq(type_of(d_managed), cudaMemoryTypeManaged);
    cr_assert_eq(type_of(h_pinned), cudaMemoryTypeHost);
    cr_assert_eq(type_of(h_mapped), cudaMemoryTypeHost);
    cr_assert_eq(type_of(h_pageable), cudaMemoryTypeUnregistered);
    cr_cuda(cudaPointerGetAttributes(&attributes, d + 5));
    cr_assert_eq(attributes.devicePointer, d + 5);
    cr_assert_eq(attributes.hostPointer, NULL);
    cr_assert_eq(attributes.device, 0);
    cr_cuda(cudaPointerGetAttributes(&attributes, h_pinned + 5));
    cr_assert_eq(attributes.hostPointer, h_pinned + 5);
    void *none;
    cr_assert_eq(cudaHostAlloc(&none, 64, 0x1000), cudaErrorInvalidValue);
    cudaGetLastError();
    cr_cuda(cudaFree(d));
    cr_cuda(cudaFree(d_managed));
    cr_cuda(cudaFreeHost(h_pinned));
    cr_cuda(cudaFreeHost(h_mapped));
    free(h_pageable);
}

Test(semantics, copies_in_the_wrong_direction_fail)
{
    int h[4] = {0}, *d;
    cr_cuda(cudaMalloc((void **)&d, sizeof h));
    cr_assert_eq(cudaMemcpy(h, h, sizeof h, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_assert_eq(cudaMemcpy(h, h, sizeof h, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    cr_assert_eq(cudaMemset(h, 0, sizeof h), cudaErrorInvalidValue);
    cr_assert_eq(cudaMemcpy(d, h, sizeof h, (enum cudaMemcpyKind)9),
                 cudaErrorInvalidMemcpyDirection);
    cr_cuda(cudaFree(d));
}

Test(semantics, managed_memory_is_the_hosts_too)
{
    int *values, *none;
    cr_cuda(cudaMallocManaged((void **)&values, 100 * sizeof *values, cudaMemAttachGlobal));
    for (int i = 0; i < 100; i++)
        values[i] = i;
    cr_cuda(submit_scale(values, 100, 3, 1, 0));
    cr_cuda(cudaDeviceSynchronize());
    for (int i = 0; i < 100; i++)
        cr_assert_eq(values[i], 3 * i + 1);
    cr_cuda(cudaFree(values));
    cr_assert_eq(cudaMallocManaged((void **)&none, 100, 77), cudaErrorInvalidValue);
}

Test(semantics, stream_ordered_allocation)
{
    cudaStream_t stream;
    int *d, h[100];
    cr_cuda(cudaStreamCreate(&stream));
    cr_cuda(cudaMallocAsync((void **)&d, sizeof h, stream));
    cr_cuda(cudaMemsetAsync(d, 0, sizeof h, stream));
    cr_cuda(submit_scale(d, 100, 1, 7, stream));
    cr_cuda(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream));
    cr_cuda(cudaFreeAsync(d, stream));
    cr_cuda(cudaStreamSynchronize(stream));
    for (int i = 0; i < 100; i++)
        cr_assert_eq(h[i], 7);
    cr_cuda(cudaStreamDestroy(stream));
}

/* ---- events ---- */

Test(semantics, events_measure_time)
{
    cudaEvent_t start, end;
    float milliseconds = -1;
    cr_cuda(cudaEventCreate(&start));
    cr_cuda(cudaEventCreate(&end));
    cr_cuda(cudaEventRecord(start, 0));
    cr_cuda(submit_empty((dim3){100, 1, 1}, (dim3){64, 1, 1}, 0));
    cr_cuda(cudaEventRecord(end, 0));
    cr_cuda(cudaEventSynchronize(end));
    cr_cuda(cudaEventElapsedTime(&milliseconds, start, end));
    cr_assert(milliseconds > 0 && milliseconds < 10000);
    cr_cuda(cudaStreamWaitEvent(0, end, 0));
    cr_cuda(cudaEventDestroy(start));
    cr_cuda(cudaEventDestroy(end));
}

Test(semantics, events_without_timing_measure_nothing)
{
    cudaEvent_t start, end;
    float milliseconds;
    cr_cuda(cudaEventCreateWithFlags(&start, cudaEventDisableTiming));
    cr_cuda(cudaEventCreate(&end));
    cr_cuda(cudaEventRecord(start, 0));
    cr_cuda(cudaEventRecord(end, 0));
    cr_cuda(cudaEventSynchronize(end));
    cr_assert_eq(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
}

/* ---- capture and graphs ---- */

static cudaStream_t capturing_stream(enum cudaStreamCaptureMode mode)
{
    cudaStream_t stream;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaStreamBeginCapture(stream, mode));
    return stream;
}

static size_t count_nodes(cudaGraph_t graph, enum cudaGraphNodeType wanted)
{
    cudaGraphNode_t nodes[16];
    size_t count = 16, found = 0;
    cr_cuda(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        enum cudaGraphNodeType type;
        cr_cuda(cudaGraphNodeGetType(nodes[i], &type));
        found += type == wanted;
    }
    return found;
}

/* Captures: allocate, set to 0, scale, copy out, free; and scale `d_data` twice. */
Test(semantics, a_graph_replays_what_was_captured)
{
    int *d_data, *d_inner, *h_result;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cr_cuda(cudaMalloc((void **)&d_data, 200 * sizeof(int)));
    cr_cuda(cudaMemset(d_data, 0, 200 * sizeof(int)));
    cr_cuda(cudaMallocHost((void **)&h_result, 200 * sizeof(int)));
    memset(h_result, 0, 200 * sizeof(int));
    cr_cuda(cudaDeviceSynchronize()); /* a memset does not wait for itself */

    cudaStream_t stream = capturing_stream(cudaStreamCaptureModeGlobal);
    enum cudaStreamCaptureStatus status;
    cr_cuda(cudaStreamIsCapturing(stream, &status));
    cr_assert_eq(status, cudaStreamCaptureStatusActive);
    cr_cuda(cudaMallocAsync((void **)&d_inner, 200 * sizeof(int), stream));
    cr_cuda(cudaMemsetAsync(d_inner, 0, 200 * sizeof(int), stream));
    cr_cuda(submit_scale(d_inner, 200, 1, 5, stream));
    cr_cuda(cudaMemcpyAsync(h_result, d_inner, 200 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    cr_cuda(cudaFreeAsync(d_inner, stream));
    cr_cuda(submit_scale(d_data, 200, 2, 1, stream));
    cr_cuda(submit_scale(d_data, 200, 3, 0, stream));
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_assert_eq(h_result[0], 0, "a capture runs nothing");

    cr_assert_eq(count_nodes(graph, cudaGraphNodeTypeKernel), 3);
    cr_assert_eq(count_nodes(graph, cudaGraphNodeTypeMemset), 1);
    cr_assert_eq(count_nodes(graph, cudaGraphNodeTypeMemcpy), 1);
    cr_assert_eq(count_nodes(graph, cudaGraphNodeTypeMemAlloc), 1);
    cr_assert_eq(count_nodes(graph, cudaGraphNodeTypeMemFree), 1);

    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    cr_cuda(cudaGraphDestroy(graph));
    int expected = 0;
    for (int replay = 0; replay < 3; replay++) {
        cr_cuda(cudaGraphLaunch(exec, stream));
        cr_cuda(cudaStreamSynchronize(stream));
        expected = (expected * 2 + 1) * 3;
        cr_assert_eq(h_result[199], 5);
        int h_data[200];
        cr_cuda(cudaMemcpy(h_data, d_data, sizeof h_data, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 200; i++)
            cr_assert_eq(h_data[i], expected);
    }
    cr_cuda(cudaGraphExecDestroy(exec));
    cr_cuda(cudaStreamDestroy(stream));
    cr_cuda(cudaFree(d_data));
    cr_cuda(cudaFreeHost(h_result));
}

Test(semantics, a_global_capture_forbids_allocation_and_waiting)
{
    void *d;
    cudaGraph_t graph;
    cudaStream_t stream = capturing_stream(cudaStreamCaptureModeGlobal);
    cr_assert_eq(cudaMalloc(&d, 16), cudaErrorStreamCaptureUnsupported);
    cudaStreamEndCapture(stream, &graph);
    stream = capturing_stream(cudaStreamCaptureModeGlobal);
    cr_assert_eq(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    cr_assert_eq(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    cr_assert_eq(graph, NULL);
    cr_cuda(cudaStreamDestroy(stream));
    cudaGetLastError();
    cr_cuda(cudaMalloc(&d, 16));
    cr_cuda(cudaFree(d));
}

Test(semantics, ending_a_capture_that_never_began_fails)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cr_cuda(cudaStreamCreate(&stream));
    cr_assert_neq(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cr_cuda(cudaStreamDestroy(stream));
}

/* ---- the device speaks of itself ---- */

Test(semantics, the_device_answers)
{
    int count = 0, device = -1, value = 0, version = 0;
    size_t free_bytes = 0, total_bytes = 0;
    struct cudaDeviceProp properties;
    cr_cuda(cudaGetDeviceCount(&count));
    cr_assert(count >= 1);
    cr_cuda(cudaSetDevice(0));
    cr_cuda(cudaGetDevice(&device));
    cr_assert_eq(device, 0);
    cr_assert_eq(cudaSetDevice(count), cudaErrorInvalidDevice);
    cudaGetLastError();
    cr_cuda(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    cr_assert_eq(value, 32);
    cr_cuda(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    cr_assert_eq(value, 1024);
    cr_cuda(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryPoolsSupported, 0));
    cr_assert_eq(value, 1);
    cr_cuda(cudaGetDeviceProperties(&properties, 0));
    cr_assert(strlen(properties.name) > 0);
    cr_assert(properties.multiProcessorCount >= 1);
    cr_cuda(cudaMemGetInfo(&free_bytes, &total_bytes));
    cr_assert(free_bytes > 0 && free_bytes <= total_bytes);
    cr_cuda(cudaRuntimeGetVersion(&version));
    cr_assert(version >= 12080);
    cr_cuda(cudaDriverGetVersion(&version));
    cr_assert_str_eq(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
    cr_assert_str_eq(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
}
