#include "clusters.h"

#include "common/kernel/shared.cuh"

namespace
{

/* Launches a kernel of clusters, with count words of device memory for it. */
template <typename... Parameters, typename... Arguments>
cudaError_t launch(dim3 grid, dim3 cluster, unsigned threads, void (*kernel)(Parameters...),
                   Arguments... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    const cudaLaunchConfig_t config = {grid, threads, 0, nullptr, &attribute, 1};
    return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

template <typename Launch>
cudaError_t collect(int *h_out, size_t count, Launch launch)
{
    int *d_out = nullptr;
    cudaError_t error = cudaMalloc(&d_out, count * sizeof *d_out);
    if (error == cudaSuccess)
        error = cudaMemset(d_out, 0, count * sizeof *d_out);
    if (error == cudaSuccess)
        error = launch(d_out);
    if (error == cudaSuccess)
        error = cudaMemcpy(h_out, d_out, count * sizeof *d_out, cudaMemcpyDeviceToHost);
    const cudaError_t freed = cudaFree(d_out);
    return error != cudaSuccess ? error : freed;
}

__device__ unsigned block_number(uint3 index)
{
    return (index.z * gridDim.y + index.y) * gridDim.x + index.x;
}

__global__ void cluster_sums(dim3 cluster, int *out)
{
    PRIM_SHARED(int, own_block, );
    PRIM_SHARED(int, values, [64]);
    const uint3 b = blockIdx;
    const unsigned block = block_number(b), t = threadIdx.x;
    const unsigned blocks = cluster.x * cluster.y * cluster.z;
    own_block = static_cast<int>(block);
    values[t] = static_cast<int>((block + 1) * (t + 1));
    simt_cluster_arrive();
    simt_cluster_wait();
    int sum = 0;
    for (unsigned rank = 0; rank < blocks; rank++)
        sum += *static_cast<int *>(simt_shared_of_block(&values[t], rank));
    const int first = *static_cast<int *>(simt_shared_of_block(&own_block, 0));
    simt_cluster_arrive();
    out[2 * (block * blockDim.x + t)] = first;
    out[2 * (block * blockDim.x + t) + 1] = sum;
    simt_cluster_wait(); /* nobody reads from a block that has returned */
}

__global__ void cluster_ring(unsigned rounds, int *out)
{
    PRIM_SHARED(int, given, [2][64]);
    const unsigned t = threadIdx.x, next = (blockIdx.x + 1) % gridDim.x;
    if (t >= blockDim.x / 2)
        return;
    int value = static_cast<int>(blockIdx.x * 100 + t);
    simt_cluster_arrive();
    for (unsigned round = 0; round < rounds; round++) {
        simt_cluster_wait();
        *static_cast<int *>(simt_shared_of_block(&given[round % 2][t], next)) = value;
        simt_cluster_arrive();
        simt_cluster_wait();
        value = given[round % 2][t];
        simt_cluster_arrive();
    }
    simt_cluster_wait();
    out[blockIdx.x * blockDim.x + t] = value;
}

__global__ void empty()
{
}

__global__ void turn_round(unsigned count, int *out)
{
    PRIM_SHARED_DYNAMIC(int, words);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        words[i] = static_cast<int>(i);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        out[i] = words[count - 1 - i];
}

} // namespace

cudaError_t run_cluster_sums(dim3 grid, dim3 cluster, unsigned threads, int *h_firsts, int *h_sums)
{
    static int both[2 * 4096];
    const unsigned count = grid.x * grid.y * grid.z * threads;
    const cudaError_t error = collect(both, 2 * count, [&](int *out) {
        return launch(grid, cluster, threads, cluster_sums, cluster, out);
    });
    for (unsigned i = 0; i < count; i++) {
        h_firsts[i] = both[2 * i];
        h_sums[i] = both[2 * i + 1];
    }
    return error;
}

cudaError_t run_cluster_ring(unsigned blocks, unsigned threads, unsigned rounds, int *h_out)
{
    return collect(h_out, blocks * threads, [&](int *out) {
        return launch(blocks, blocks, threads, cluster_ring, rounds, out);
    });
}

cudaError_t submit_with_attributes(dim3 grid, dim3 cluster, bool early, cudaStream_t stream)
{
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = cluster.x;
    attributes[0].val.clusterDim.y = cluster.y;
    attributes[0].val.clusterDim.z = cluster.z;
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {grid, 32, 0, stream, attributes, early ? 2u : 1u};
    return cudaLaunchKernelEx(&config, empty);
}

cudaError_t run_allowed_shared(size_t allowed, unsigned count, int *h_out)
{
    if (allowed > 0) {
        const cudaError_t error = cudaFuncSetAttribute(
            turn_round, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(allowed));
        if (error != cudaSuccess)
            return error;
    }
    return collect(h_out, count, [&](int *out) {
        const cudaLaunchConfig_t config = {1, 64, count * sizeof(int), nullptr, nullptr, 0};
        return cudaLaunchKernelEx(&config, turn_round, static_cast<unsigned>(count), +out);
    });
}
