/* Pointers that the device does not reach are refused, and only those; and where calls without a
 * workspace take one from. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/histogram.h>
#include <primitives/reduce.h>
#include <primitives/scan.h>

#include "calls.h"
#include "support.h"
#ifdef SIMT_BACKEND
#include <simt.h>
#endif

enum { COUNT = 1000 };

static prim_status sum_of(const void *d_in, void *d_out)
{
    return prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, d_in, COUNT,
                       CUDA_R_32F, d_out, NULL);
}

static void check_refused(prim_status status, const char *words)
{
    const char *sentence = prim_last_error(NULL);
    cr_assert_eq(status, PRIM_ERROR_MEMORY, "%s", prim_status_string(status));
    cr_assert(strstr(sentence, words) != NULL, "\"%s\" without \"%s\"", sentence, words);
}

/* Sums of an input that is a little longer than the call needs, from its start and from within. */
static void check_reached(float *input, float *d_out)
{
    cr_prim(sum_of(input, d_out));
    cr_prim(sum_of(input + 7, d_out));
    cr_cuda(cudaDeviceSynchronize());
    check_refused(sum_of(input + 8, d_out),
                  "prim_reduce: d_in has only 3996 bytes up to the end of its allocation, but 4000 "
                  "are needed");
}

/* Without the checks, on a GPU, the calls would do as they are told. */
static void need_checks(void)
{
#if !defined(SIMT_BACKEND) && !defined(PRIM_CHECK_POINTERS)
    cr_skip_test("the library was built without PRIM_CHECK_POINTERS");
#endif
}

TestSuite(memory, .init = need_checks);

Test(memory, device_managed_and_pinned_memory_is_reached)
{
    float *device, *managed, *pinned, *d_out;
    const size_t bytes = (COUNT + 7) * sizeof(float);
    cr_cuda(cudaMalloc((void **)&device, bytes));
    cr_cuda(cudaMallocManaged((void **)&managed, bytes, cudaMemAttachGlobal));
    cr_cuda(cudaMallocHost((void **)&pinned, bytes));
    cr_cuda(cudaMalloc((void **)&d_out, sizeof *d_out));
    cr_cuda(cudaMemset(device, 0, bytes));
    memset(managed, 0, bytes);
    memset(pinned, 0, bytes);
    check_reached(device, d_out);
    check_reached(managed, d_out);
    check_reached(pinned, d_out);
    cr_cuda(cudaFree(device));
    cr_cuda(cudaFree(managed));
    cr_cuda(cudaFreeHost(pinned));
    cr_cuda(cudaFree(d_out));
}

/* Some do, and then there is nothing to refuse. */
static bool device_reaches_host_memory(void)
{
#ifdef SIMT_BACKEND
    return false;
#else
    int device, reaches;
    cr_cuda(cudaGetDevice(&device));
    cr_cuda(cudaDeviceGetAttribute(&reaches, cudaDevAttrPageableMemoryAccess, device));
    return reaches;
#endif
}

Test(memory, host_memory_is_refused)
{
    if (device_reaches_host_memory())
        cr_skip_test("this device reaches pageable memory");
    static float h_in[COUNT], h_out;
    guarded in = guarded_copy(h_in, sizeof h_in, 0), out = guarded_new(sizeof h_out, 0);
    check_refused(sum_of(h_in, out.data),
                  "prim_reduce: d_in does not point to memory of the device");
    check_refused(sum_of(in.data, &h_out),
                  "prim_reduce: d_out does not point to memory of the device");
    cr_assert(guarded_untouched(&out));
    guarded_free(&in);
    guarded_free(&out);
}

Test(memory, a_workspace_is_judged_too)
{
    size_t bytes;
    const prim_scan_variant variant = PRIM_SCAN_REDUCE_THEN_SCAN;
    const size_t count = (size_t)1 << 16;
    cr_prim(asked_bytes(prim_scan(variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                  CUDA_R_32F, NULL, count, CUDA_R_32F, NULL, NULL, asking()),
                        &bytes));
    cr_assert_gt(bytes, 0);
    float *d_values;
    void *d_workspace;
    cr_cuda(cudaMalloc((void **)&d_values, count * sizeof *d_values));
    cr_cuda(cudaMalloc(&d_workspace, bytes));
    check_refused(prim_scan(variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                            CUDA_R_32F, d_values, count, CUDA_R_32F, d_values, NULL,
                            with(0, d_workspace, bytes + 1)),
                  "prim_scan: d_workspace has ");
    cr_cuda(cudaFree(d_values));
    cr_cuda(cudaFree(d_workspace));
}

Test(memory, what_is_empty_may_point_anywhere)
{
    float h_in;
    guarded out = guarded_new(sizeof(float), 0);
    cr_prim(prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, &h_in, 0,
                        CUDA_R_32F, out.data, NULL));
    cr_cuda(cudaDeviceSynchronize());
    guarded_free(&out);
}

/* A capture is a call as any other; its replay is not judged again. */
Test(memory, is_judged_when_it_is_captured)
{
    if (device_reaches_host_memory())
        cr_skip_test("this device reaches pageable memory");
    static float h_in[COUNT];
    guarded out = guarded_new(sizeof(float), 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cr_cuda(cudaStreamCreate(&stream));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    const prim_status status =
        prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, h_in, COUNT,
                    CUDA_R_32F, out.data, into(stream));
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    check_refused(status, "d_in");
    cr_cuda(cudaGraphDestroy(graph));
    cr_cuda(cudaStreamDestroy(stream));
    guarded_free(&out);
}

/* ---- the kit's own pool ---- */

#ifdef SIMT_BACKEND
enum { POOLED = 1 << 14 };

/* A scan that needs a workspace and has none. */
static prim_status scan_from_pool(float *d_values, cudaStream_t stream)
{
    return prim_scan(PRIM_SCAN_REDUCE_THEN_SCAN, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                     PRIM_TRANSFORM_NONE, CUDA_R_32F, d_values, POOLED, CUDA_R_32F, d_values, NULL,
                     into(stream));
}

static void check_scanned(float *d_values)
{
    float h_last;
    cr_cuda(cudaDeviceSynchronize());
    cr_cuda(cudaMemcpy(&h_last, d_values + POOLED - 1, sizeof h_last, cudaMemcpyDeviceToHost));
    cr_assert_eq(h_last, (float)POOLED);
    cr_assert_eq(simt_pool_bytes(), 0);
}

static float *ones(void)
{
    float *const h = malloc(POOLED * sizeof *h), *d;
    for (size_t i = 0; i < POOLED; i++)
        h[i] = 1;
    cr_cuda(cudaMalloc((void **)&d, POOLED * sizeof *d));
    cr_cuda(cudaMemcpy(d, h, POOLED * sizeof *d, cudaMemcpyHostToDevice));
    free(h);
    return d;
}

/* Making the pool is no part of the graph, and does not break the capture, whatever its mode. */
Test(pool, the_first_call_may_be_captured)
{
    static const enum cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal,
                                                       cudaStreamCaptureModeThreadLocal};
    for (size_t m = 0; m < 2; m++) {
        float *const d = ones();
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        cr_cuda(cudaDeviceReset()); /* so that there is no pool */
        cr_cuda(cudaStreamCreate(&stream));
        cr_cuda(cudaStreamBeginCapture(stream, modes[m]));
        cr_prim(scan_from_pool(d, stream));
        cr_cuda(cudaStreamEndCapture(stream, &graph));
        cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
        cr_cuda(cudaGraphLaunch(exec, stream));
        cr_cuda(cudaStreamSynchronize(stream));
        cr_cuda(cudaGraphExecDestroy(exec));
        cr_cuda(cudaGraphDestroy(graph));
        check_scanned(d);
        cr_cuda(cudaStreamDestroy(stream));
        cr_cuda(cudaFree(d));
    }
}

Test(pool, ends_with_its_context)
{
    for (int round = 0; round < 260; round++) { /* more than are remembered */
        float *const d = ones();
        cr_prim(scan_from_pool(d, 0));
        check_scanned(d);
        cr_prim(prim_release_memory());
        cr_cuda(cudaFree(d));
        cr_cuda(cudaDeviceReset());
        cr_prim(prim_release_memory()); /* of a device that has none */
    }
}

static void *scan_in_thread(void *right)
{
    cudaStream_t stream;
    float *const d = ones();
    cr_cuda(cudaStreamCreate(&stream));
    *(bool *)right =
        scan_from_pool(d, stream) == PRIM_OK && cudaStreamSynchronize(stream) == cudaSuccess;
    cr_cuda(cudaStreamDestroy(stream));
    cr_cuda(cudaFree(d));
    return NULL;
}

/* All at their first call. */
Test(pool, is_made_by_one_of_many_threads)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    bool right[THREADS] = {false};
    for (size_t t = 0; t < THREADS; t++)
        cr_assert_eq(pthread_create(&threads[t], NULL, scan_in_thread, &right[t]), 0);
    for (size_t t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        cr_assert(right[t]);
    }
    cr_assert_eq(simt_pool_bytes(), 0);
}

/* Each call of the runtime fails in turn, also those that make the pool: nothing is left, and the
 * next call makes it. */
Test(pool, that_cannot_be_made_is_an_error)
{
    float *const d = ones();
    for (uint64_t n = 1;; n++) {
        cr_cuda(cudaDeviceReset());
        simt_fail_at(n);
        const prim_status status = scan_from_pool(d, 0);
        const char *const failed = simt_failed_call();
        simt_fail_at(0);
        cudaGetLastError();
        cr_cuda(cudaDeviceSynchronize());
        cr_assert_eq(simt_pool_bytes(), 0, "%s", failed);
        if (failed == NULL) {
            cr_prim(status);
            cr_assert_gt(n, 7, "it takes more calls than that");
            break;
        }
        cr_assert_neq(status, PRIM_OK, "%s failed", failed);
    }
    cr_cuda(cudaFree(d));
}

/* What a kernel may have beyond 48 KiB, which a call asks for once, ends with the context too. */
Test(pool, a_reset_takes_what_kernels_were_allowed)
{
    enum { BINS = 14000, SAMPLES = 1000 };
    const prim_counters out = {.bins = BINS, .type = CUDA_R_32U};
    if (!runs(prim_histogram_even(PRIM_HISTOGRAM_MULTI_COPY, prim_integer_range(0, BINS),
                                  CUDA_R_32I, NULL, SAMPLES, out, asking())))
        cr_skip_test("the device has no more than 48 KiB");
    for (int round = 0; round < 3; round++) {
        int32_t *d_samples;
        prim_counters on_device = out;
        cr_cuda(cudaMalloc((void **)&d_samples, SAMPLES * sizeof *d_samples));
        cr_cuda(cudaMalloc(&on_device.data, BINS * sizeof(uint32_t)));
        cr_cuda(cudaMemset(d_samples, 0, SAMPLES * sizeof *d_samples));
        cr_prim(prim_histogram_even(PRIM_HISTOGRAM_MULTI_COPY, prim_integer_range(0, BINS),
                                    CUDA_R_32I, d_samples, SAMPLES, on_device, NULL));
        cr_cuda(cudaDeviceSynchronize());
        cr_cuda(cudaFree(d_samples));
        cr_cuda(cudaFree(on_device.data));
        cr_cuda(cudaDeviceReset());
    }
}

Test(pool, of_a_device_without_pools)
{
    float *const d = ones();
    if (getenv("SIMT_POOLS") == NULL)
        cr_skip_test("another run of this program has SIMT_POOLS=0");
    cr_refused(scan_from_pool(d, 0), PRIM_ERROR_WORKSPACE, "cudaErrorNotSupported");
    cr_cuda(cudaFree(d));
}
#endif
