/* A kernel of the user's own: the running sums of a block, by what was vendored. */
#include <cstdio>

#include <primitives/device/block.h>
#include <primitives/device/range.h>

constexpr unsigned THREADS = 96;
typedef prim_block_scratch<int, THREADS> block_scratch;

static __global__ void running_sums(const int *values, int *sums)
{
    PRIM_SHARED(prim_range_vector, room, [prim_range_vectors<int>(THREADS)]);
    PRIM_SHARED(block_scratch, scratch, );
    int *const here = prim_load_range<THREADS>(room, values, THREADS);
    prim_wait_for_ranges();
    __syncthreads();
    here[threadIdx.x] = prim_block_inclusive_scan(here[threadIdx.x], prim_sum(), scratch);
    __syncthreads();
    prim_store_range<THREADS>(sums, room, THREADS);
}

int main()
{
    int h_values[THREADS], *d_values;
    for (unsigned i = 0; i < THREADS; i++)
        h_values[i] = static_cast<int>(i);
    if (cudaMalloc(&d_values, sizeof h_values) != cudaSuccess)
        return 1;
    cudaMemcpy(d_values, h_values, sizeof h_values, cudaMemcpyHostToDevice);
    const cudaLaunchConfig_t one = {dim3(1), dim3(THREADS), 0, nullptr, nullptr, 0};
    if (cudaLaunchKernelEx(&one, running_sums, static_cast<const int *>(d_values), d_values) !=
        cudaSuccess)
        return 1;
    cudaMemcpy(h_values, d_values, sizeof h_values, cudaMemcpyDeviceToHost);
    printf("%d\n", h_values[THREADS - 1]);
    return h_values[THREADS - 1] == 95 * 96 / 2 ? 0 : 1;
}
