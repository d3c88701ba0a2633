/* What differs between the devices that the CPU backend plays: SIMT_DEVICE says which one. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "clusters.h"

#define cr_cuda(call) cr_assert_eq((call), cudaSuccess, #call)

static int attribute(enum cudaDeviceAttr which)
{
    int value = -1;
    cr_cuda(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static bool has_clusters(void)
{
    return attribute(cudaDevAttrClusterLaunch) != 0;
}

Test(device, it_is_the_one_that_was_asked_for)
{
    const char *asked = getenv("SIMT_DEVICE");
    const bool large = asked != NULL && strcmp(asked, "9.0") == 0;
    struct cudaDeviceProp properties;
    struct cudaFuncAttributes kernel;
    cr_cuda(cudaGetDeviceProperties(&properties, 0));
    cr_cuda(cudaFuncGetAttributes(&kernel, &properties));
    cr_assert_eq(properties.major, large ? 9 : 7);
    cr_assert_eq(properties.minor, large ? 0 : 5);
    cr_assert_eq(kernel.ptxVersion, large ? 90 : 75);
    cr_assert_eq(attribute(cudaDevAttrComputeCapabilityMajor), large ? 9 : 7);
    cr_assert_eq(attribute(cudaDevAttrComputeCapabilityMinor), large ? 0 : 5);
    cr_assert_eq(attribute(cudaDevAttrMaxSharedMemoryPerBlock), 48 * 1024);
    cr_assert_eq(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), (large ? 227 : 48) * 1024);
    cr_assert_eq(has_clusters(), large);
}

Test(device, there_is_one_unless_more_are_asked_for)
{
    int count = 0;
    cr_cuda(cudaGetDeviceCount(&count));
    cr_assert_eq(count, getenv("SIMT_DEVICES") != NULL ? atoi(getenv("SIMT_DEVICES")) : 1);
}

/* ---- clusters ---- */

enum { THREADS = 40, MOST = 4096 };

/* The number of the first block of the cluster that a block is in. */
static unsigned first_block(unsigned block, dim3 grid, dim3 cluster)
{
    const unsigned x = block % grid.x, y = block / grid.x % grid.y, z = block / (grid.x * grid.y);
    const unsigned fx = x - x % cluster.x, fy = y - y % cluster.y, fz = z - z % cluster.z;
    return (fz * grid.y + fy) * grid.x + fx;
}

static void check_sums(dim3 grid, dim3 cluster)
{
    static int firsts[MOST], sums[MOST];
    const unsigned blocks = grid.x * grid.y * grid.z;
    cr_cuda(run_cluster_sums(grid, cluster, THREADS, firsts, sums));
    for (unsigned b = 0; b < blocks; b++) {
        const unsigned first = first_block(b, grid, cluster);
        unsigned in_cluster = 0;
        for (unsigned other = 0; other < blocks; other++)
            in_cluster += first_block(other, grid, cluster) == first ? other + 1 : 0;
        for (unsigned t = 0; t < THREADS; t++) {
            cr_assert_eq(firsts[b * THREADS + t], (int)first, "block %u thread %u", b, t);
            cr_assert_eq(sums[b * THREADS + t], (int)(in_cluster * (t + 1)), "block %u", b);
        }
    }
}

Test(device, blocks_of_a_cluster_read_each_others_memory)
{
    if (!has_clusters())
        cr_skip_test("needs SIMT_DEVICE=9.0");
    check_sums((dim3){8, 1, 1}, (dim3){8, 1, 1});
    check_sums((dim3){30, 1, 1}, (dim3){3, 1, 1});
    check_sums((dim3){7, 1, 1}, (dim3){1, 1, 1});
    check_sums((dim3){4, 6, 2}, (dim3){2, 3, 1});
    check_sums((dim3){4, 4, 4}, (dim3){2, 2, 2});
}

Test(device, a_cluster_meets_as_often_as_it_likes)
{
    if (!has_clusters())
        cr_skip_test("needs SIMT_DEVICE=9.0");
    static int out[8 * 64];
    for (unsigned rounds = 0; rounds < 20; rounds++) {
        cr_cuda(run_cluster_ring(8, 64, rounds, out));
        for (unsigned b = 0; b < 8; b++)
            for (unsigned t = 0; t < 64; t++)
                cr_assert_eq(out[b * 64 + t],
                             t < 32 ? (int)((b + 8 * rounds - rounds) % 8 * 100 + t) : 0,
                             "%u rounds, block %u, thread %u: %d", rounds, b, t, out[b * 64 + t]);
    }
}

Test(device, attributes_that_a_launch_may_have)
{
    const dim3 grid = {8, 2, 1}, none = {1, 1, 1};
    const cudaError_t here = has_clusters() ? cudaSuccess : cudaErrorNotSupported;
    const cudaError_t wrong = has_clusters() ? cudaErrorInvalidClusterSize : cudaErrorNotSupported;
    cr_assert_eq(submit_with_attributes(grid, (dim3){4, 2, 1}, false, 0), here);
    cr_assert_eq(submit_with_attributes(grid, none, true, 0), here);
    cr_assert_eq(submit_with_attributes(grid, (dim3){3, 1, 1}, true, 0), wrong);
    cr_assert_eq(submit_with_attributes(grid, (dim3){0, 1, 1}, true, 0), wrong);
    cr_assert_eq(submit_with_attributes(grid, (dim3){8, 2, 1}, true, 0), wrong);
    cr_assert_eq(submit_with_attributes(grid, (dim3){1, 1, 2}, true, 0), wrong);
}

Test(device, a_cluster_is_captured_and_replayed)
{
    if (!has_clusters())
        cr_skip_test("needs SIMT_DEVICE=9.0");
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_cuda(submit_with_attributes((dim3){8, 1, 1}, (dim3){8, 1, 1}, true, stream));
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        cr_cuda(cudaGraphLaunch(exec, stream));
    cr_cuda(cudaGraphExecDestroy(exec));
    cr_cuda(cudaGraphDestroy(graph));
    cr_cuda(cudaStreamDestroy(stream));
}

/* ---- shared memory beyond 48 KB ---- */

static void check_turned(size_t allowed, unsigned count)
{
    static int out[227 * 256];
    cr_cuda(run_allowed_shared(allowed, count, out));
    for (unsigned i = 0; i < count; i++)
        cr_assert_eq(out[i], (int)(count - 1 - i));
}

Test(device, more_shared_memory_must_be_allowed)
{
    static int out[227 * 256 + 1];
    const size_t most = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const unsigned words = (unsigned)(most / sizeof(int));
    check_turned(0, 48 * 256);
    cr_assert_eq(run_allowed_shared(0, 48 * 256 + 1, out), cudaErrorInvalidValue);
    cr_assert_eq(run_allowed_shared(most + 1, 1, out), cudaErrorInvalidValue);
    check_turned(most, words);
    cr_assert_eq(run_allowed_shared(0, words + 1, out), cudaErrorInvalidValue);
    check_turned(most - 4, words - 1);
    if (most > 48 * 1024)
        cr_assert_eq(run_allowed_shared(0, words, out), cudaErrorInvalidValue);
}
