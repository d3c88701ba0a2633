/* A C program that knows one header of the kit: sums five numbers on the device and on the host. */
#include <primitives/reduce.h>

#include <stdio.h>

int main(void)
{
    const float values[5] = {1, 2, 3, 4, 5};
    float *d_values, *d_sum, sum = 0, host_sum = 0;
    cudaMalloc((void **)&d_values, sizeof values);
    cudaMalloc((void **)&d_sum, sizeof *d_sum);
    cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice);
    if (prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, d_values, 5,
                    CUDA_R_32F, d_sum, NULL) != PRIM_OK)
        return printf("%s\n", prim_last_error(NULL)), 1;
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    if (prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, values, 5, CUDA_R_32F,
                         &host_sum, 2) != PRIM_OK)
        return printf("%s\n", prim_last_error(NULL)), 1;
    printf("%g %g\n", sum, host_sum);
    return !(sum == 15 && host_sum == 15);
}
