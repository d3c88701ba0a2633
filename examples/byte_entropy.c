/* The entropy of a file's bytes: how many bits of information each carries if its neighbours say
 * nothing about it, and so how small a code of single bytes can make the file.
 *
 *     byte_entropy FILE      FILE may be -
 *
 * The file may be larger than any memory: pieces of it are counted as they come, at the speed of
 * the file or of the link to the device. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <primitives/histogram.h>

#include "file_pieces.h"
#include "output.h"

static const char program[] = "byte_entropy";

enum { VALUES = 256 };

static void count_bytes(void *d_counters, const void *d_piece, size_t bytes, cudaStream_t stream)
{
    const prim_histogram_range all = prim_integer_range(0, VALUES);
    check_prim(program, prim_histogram_even(PRIM_HISTOGRAM_AUTO, all, CUDA_R_8U, d_piece, bytes,
                                            (prim_counters){.data = d_counters,
                                                            .bins = VALUES,
                                                            .type = CUDA_R_64U,
                                                            .flags = PRIM_HISTOGRAM_ADD},
                                            &(prim_call){.stream = stream}));
}

static void count_file(const char *path, uint64_t *counts)
{
    const size_t bytes = VALUES * sizeof *counts;
    void *d_counters;
    check_cuda(program, cudaMalloc(&d_counters, bytes));
    check_cuda(program, cudaMemset(d_counters, 0, bytes));
    check_cuda(program, cudaDeviceSynchronize());
    for_each_piece(program, path, count_bytes, d_counters);
    check_cuda(program, cudaMemcpy(counts, d_counters, bytes, cudaMemcpyDeviceToHost));
    check_cuda(program, cudaFree(d_counters));
}

int main(int argc, char **argv)
{
    uint64_t counts[VALUES], all = 0;
    int different = 0;
    double bits = 0; /* of the whole file */
    if (argc != 2) {
        fprintf(stderr, "usage: byte_entropy FILE\n");
        return 2;
    }
    count_file(argv[1], counts);
    for (int v = 0; v < VALUES; v++)
        all += counts[v];
    for (int v = 0; v < VALUES; v++)
        if (counts[v] > 0) {
            bits -= (double)counts[v] * log2((double)counts[v] / (double)all);
            different++;
        }
    printf("%llu bytes, %d different values\n", (unsigned long long)all, different);
    if (all > 0)
        printf("%.4f bits a byte: %.1f %% of the file\n", bits / (double)all,
               100 * bits / 8 / (double)all);
    finish_output(program);
    return 0;
}
