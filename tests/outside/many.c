/* A C program that knows the header for many GPUs: sums five numbers that lie on two devices, and
 * again on the host. */
#include <primitives/distributed.h>

#include <stdio.h>

int main(void)
{
    const float values[5] = {1, 2, 3, 4, 5};
    const size_t counts[2] = {2, 3};
    float sums[2] = {0, 0}, host_sum = 0;
    ncclComm_t comms[2];
    prim_rank ranks[2];
    if (ncclCommInitAll(comms, 2, NULL) != ncclSuccess)
        return printf("there are no two devices\n"), 1;
    for (int r = 0; r < 2; r++) {
        void *d_values, *d_sum;
        cudaSetDevice(r);
        cudaMalloc(&d_values, counts[r] * sizeof *values);
        cudaMalloc(&d_sum, sizeof *sums);
        cudaMemcpy(d_values, values + 2 * r, counts[r] * sizeof *values, cudaMemcpyHostToDevice);
        ranks[r] = (prim_rank){.comm = comms[r], .d_in = d_values, .d_out = d_sum};
    }
    if (prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, counts, 2, CUDA_R_32F,
                                ranks, 2) != PRIM_OK)
        return printf("%s\n", prim_last_error(NULL)), 1;
    for (int r = 0; r < 2; r++)
        cudaMemcpy(&sums[r], ranks[r].d_out, sizeof *sums, cudaMemcpyDeviceToHost);
    if (prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, values, 5, CUDA_R_32F,
                         &host_sum, 2) != PRIM_OK)
        return printf("%s\n", prim_last_error(NULL)), 1;
    printf("%g %g %g\n", sums[0], sums[1], host_sum);
    return !(sums[0] == 15 && sums[1] == 15 && host_sum == 15);
}
