/* Several devices (SIMT_DEVICES): which one is current, and what belongs to which. */
#include <criterion/criterion.h>
#include <pthread.h>

#include "simt.h"

#define cr_cuda(call) cr_assert_eq((call), cudaSuccess, #call)

enum { DEVICES = 8 };

static void do_nothing(void)
{
}

static void invoke_nothing(void (*function)(void), void *const *arguments)
{
    (void)arguments;
    function();
}

static cudaError_t launch(cudaStream_t stream)
{
    const simt_kernel nothing = {do_nothing, invoke_nothing, NULL, NULL, 0};
    return simt_launch(&(cudaLaunchConfig_t){{1, 1, 1}, {1, 1, 1}, 0, stream, NULL, 0}, &nothing);
}

static int current(void)
{
    int device = -1;
    cr_cuda(cudaGetDevice(&device));
    return device;
}

static int device_of(const void *pointer)
{
    struct cudaPointerAttributes attributes;
    cr_cuda(cudaPointerGetAttributes(&attributes, pointer));
    return attributes.device;
}

static void *device_of_a_thread(void *chosen)
{
    cr_assert_eq(current(), 0);
    cr_cuda(cudaSetDevice(5));
    *(int *)chosen = current();
    return NULL;
}

Test(devices, each_host_thread_has_its_own_current_one)
{
    int count = 0, chosen = -1, major = 0;
    pthread_t thread;
    cr_cuda(cudaGetDeviceCount(&count));
    cr_assert_eq(count, DEVICES);
    cr_assert_eq(current(), 0);
    cr_cuda(cudaSetDevice(3));
    cr_assert_eq(pthread_create(&thread, NULL, device_of_a_thread, &chosen), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(chosen, 5);
    cr_assert_eq(current(), 3);
    cr_assert_eq(cudaSetDevice(DEVICES), cudaErrorInvalidDevice);
    cr_assert_eq(cudaSetDevice(-1), cudaErrorInvalidDevice);
    cr_assert_eq(current(), 3);
    cr_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, DEVICES - 1));
    cr_assert_eq(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, DEVICES),
                 cudaErrorInvalidDevice);
}

Test(devices, memory_belongs_to_the_current_one)
{
    char *d, *d_pool, *d_managed, *h_pinned;
    cudaStream_t stream;
    size_t there;
    cr_cuda(cudaSetDevice(2));
    cr_cuda(cudaMalloc((void **)&d, 64));
    cr_cuda(cudaMallocManaged((void **)&d_managed, 64, cudaMemAttachGlobal));
    cr_cuda(cudaMallocHost((void **)&h_pinned, 64));
    cr_cuda(cudaStreamCreate(&stream));
    cr_cuda(cudaSetDevice(1));
    cr_cuda(cudaMallocAsync((void **)&d_pool, 64, stream)); /* the stream's device has the pool */
    cr_assert_eq(device_of(d + 63), 2);
    cr_assert_eq(device_of(d_pool), 2);
    cr_assert_not(simt_device_reaches(d, 1, &there));
    cr_assert_eq(there, 0);
    cr_assert(simt_device_reaches(d_managed, 64, &there));
    cr_assert(simt_device_reaches(h_pinned, 64, &there));
    cr_cuda(cudaMemcpy(d_managed, d, 64, cudaMemcpyDeviceToDevice));
    cr_cuda(cudaSetDevice(2));
    cr_assert(simt_device_reaches(d, 64, &there));
    cr_cuda(cudaSetDevice(0));
    cr_cuda(cudaFreeAsync(d_pool, stream));
    cr_cuda(cudaFree(d));
    cr_cuda(cudaFree(d_managed));
    cr_cuda(cudaFreeHost(h_pinned));
    cr_cuda(cudaStreamDestroy(stream));
}

Test(devices, a_stream_takes_kernels_of_its_own_device)
{
    cudaStream_t stream;
    char *d;
    cr_cuda(cudaSetDevice(4));
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaMalloc((void **)&d, 64));
    cr_cuda(launch(stream));
    cr_cuda(launch(NULL));
    cr_assert_eq(simt_submissions_to(NULL), 1);
    cr_cuda(cudaSetDevice(3));
    cr_assert_eq(launch(stream), cudaErrorInvalidResourceHandle);
    cr_cuda(launch(NULL));
    cr_assert_eq(simt_submissions_to(NULL), 1);
    cr_cuda(cudaMemsetAsync(d, 1, 64, stream)); /* copies and memsets run where their stream is */
    cr_cuda(cudaStreamSynchronize(stream));
    cr_assert_eq(simt_submissions_to(stream), 2);
    cr_cuda(cudaFree(d));
    cr_cuda(cudaStreamDestroy(stream));
}

Test(devices, an_event_is_recorded_on_its_own_device)
{
    cudaStream_t here, there;
    cudaEvent_t event, other;
    float milliseconds;
    cr_cuda(cudaStreamCreate(&here));
    cr_cuda(cudaEventCreate(&event));
    cr_cuda(cudaSetDevice(1));
    cr_cuda(cudaStreamCreate(&there));
    cr_cuda(cudaEventCreate(&other));
    cr_cuda(cudaEventRecord(event, here));
    cr_cuda(cudaEventRecord(other, there));
    cr_assert_eq(cudaEventRecord(event, there), cudaErrorInvalidResourceHandle);
    cr_assert_eq(cudaEventRecord(event, NULL), cudaErrorInvalidResourceHandle);
    cr_cuda(cudaStreamWaitEvent(there, event, 0)); /* waiting crosses devices */
    cr_assert_eq(cudaEventElapsedTime(&milliseconds, event, other), cudaErrorInvalidResourceHandle);
    cr_cuda(cudaEventDestroy(event));
    cr_cuda(cudaEventDestroy(other));
    cr_cuda(cudaStreamDestroy(here));
    cr_cuda(cudaStreamDestroy(there));
}

Test(devices, a_capture_blocks_the_default_stream_of_its_device_alone)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cr_cuda(cudaSetDevice(1));
    cr_cuda(cudaStreamCreate(&stream));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    cr_assert_eq(launch(NULL), cudaErrorStreamCaptureImplicit);
    cr_cuda(cudaSetDevice(0));
    cr_cuda(launch(NULL));
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_cuda(cudaGraphDestroy(graph));
    cr_cuda(cudaStreamDestroy(stream));
}

Test(devices, shared_memory_is_allowed_on_the_current_one)
{
    static const int key;
    const void *const kernel = &key; /* any address stands for one */
    struct cudaFuncAttributes attributes;
    cr_cuda(cudaSetDevice(1));
    cr_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
    cr_cuda(cudaFuncGetAttributes(&attributes, kernel));
    cr_assert_eq(attributes.maxDynamicSharedSizeBytes, 1000);
    cr_cuda(cudaSetDevice(0));
    cr_cuda(cudaFuncGetAttributes(&attributes, kernel));
    cr_assert_eq(attributes.maxDynamicSharedSizeBytes, 48 * 1024);
}
