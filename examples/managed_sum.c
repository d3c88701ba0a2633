/* The sum of an array in managed memory, which the host and the device both read: no copies.
 *
 *     managed_sum [COUNT]      1, 2, 3, … up to COUNT, 1000003 if left out
 *
 * Sums them with every variant and compares with COUNT · (COUNT + 1) / 2, wrapped to 32 bits. */
#include <stdio.h>
#include <stdlib.h>

#include <primitives/reduce.h>

#include "numbers.h"
#include "output.h"

static void check_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "managed_sum: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void check(prim_status status)
{
    if (status == PRIM_OK)
        return;
    fprintf(stderr, "managed_sum: %s\n", prim_last_error(NULL));
    exit(1);
}

int main(int argc, char **argv)
{
    unsigned long long count = 1000003;
    if (argc > 2) {
        fprintf(stderr, "usage: managed_sum [COUNT, up to 2^32]\n");
        return 2;
    }
    if (argc == 2 && (!read_number(argv[1], &count) || count > 1ull << 32)) {
        fprintf(stderr, "managed_sum: %s is no number from 0 to 2^32\n", argv[1]);
        return 2;
    }
    const uint64_t n = count;
    const uint32_t right = (uint32_t)(n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n);
    int32_t *values, *sum;
    check_cuda(cudaMallocManaged((void **)&values, (n + 1) * sizeof *values, cudaMemAttachGlobal));
    check_cuda(cudaMallocManaged((void **)&sum, sizeof *sum, cudaMemAttachGlobal));
    for (uint64_t i = 0; i < n; i++)
        values[i] = (int32_t)(uint32_t)(i + 1);
    int wrong = 0;
    for (size_t v = 0; prim_reduce_variant_at(v) != NULL; v++) {
        const prim_reduce_variant variant = prim_reduce_variant_at(v)->value;
        if (!prim_reduce_supports(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, n,
                                  CUDA_R_32I))
            continue; /* not so many elements, or not on this device */
        check(prim_reduce(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, values, n,
                          CUDA_R_32I, sum, NULL, 0, 0));
        check_cuda(cudaDeviceSynchronize()); /* before the host may read what the device wrote */
        printf("%-12s %d, %s\n", prim_reduce_variant_info(variant)->name, *sum,
               (uint32_t)*sum == right ? "right" : "wrong");
        wrong += (uint32_t)*sum != right;
    }
    check_cuda(cudaFree(values));
    check_cuda(cudaFree(sum));
    finish_output("managed_sum");
    return wrong > 0;
}
