/* The sum of an array in managed memory, which the host and the device both read: no copies.
 *
 *     managed_sum [COUNT]      1, 2, 3, … up to COUNT, 1000003 if left out
 *
 * Sums them with every variant and compares with COUNT · (COUNT + 1) / 2. In f64 all whole numbers
 * up to 2^53 are exact, and so is every sum, in any order, of a COUNT below 2^27. */
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
    unsigned long long n = 1000003;
    if (argc > 2) {
        fprintf(stderr, "usage: managed_sum [COUNT, up to 2^27 - 1]\n");
        return 2;
    }
    if (argc == 2 && !read_count(argv[1], 0, (1ull << 27) - 1, &n)) {
        fprintf(stderr, "managed_sum: %s is not a number from 0 to 2^27 - 1\n", argv[1]);
        return 2;
    }
    const double right = (double)(n * (n + 1) / 2);
    double *values, *sum;
    check_cuda(cudaMallocManaged((void **)&values, (n + 1) * sizeof *values, cudaMemAttachGlobal));
    check_cuda(cudaMallocManaged((void **)&sum, sizeof *sum, cudaMemAttachGlobal));
    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i + 1);
    int wrong = 0;
    for (size_t v = 0; prim_reduce_variant_at(v) != NULL; v++) {
        const prim_reduce_variant variant = prim_reduce_variant_at(v)->value;
        prim_answer answer;
        if (prim_reduce(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_64F, NULL, n, CUDA_R_64F,
                        NULL, &(prim_call){.answer = &answer}) != PRIM_OK)
            continue; /* not so many elements, or not on this device */
        check(prim_reduce(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_64F, values, n,
                          CUDA_R_64F, sum, NULL));
        check_cuda(cudaDeviceSynchronize()); /* before the host may read what the device wrote */
        printf("%-12s %.0f, %s\n", prim_reduce_variant_info(variant)->name, *sum,
               *sum == right ? "right" : "wrong");
        wrong += *sum != right;
    }
    check_cuda(cudaFree(values));
    check_cuda(cudaFree(sum));
    finish_output("managed_sum");
    return wrong > 0;
}
