/* How often each letter of the Latin alphabet occurs in a text file, capitals included.
 *
 *     letter_histogram FILE [GROUP]    FILE may be -; GROUP letters share a bin: 1 if left out
 *
 * The file passes through the device in pieces, so it may be larger than any memory: each piece
 * adds to what the counters hold. Small letters and capitals are two calls for each piece. */
#include <stdio.h>
#include <string.h>

#include <primitives/histogram.h>

#include "file_pieces.h"
#include "numbers.h"
#include "output.h"

static const char program[] = "letter_histogram";

enum { LETTERS = 26 };

static void count_letters(uint64_t *d_counters, const void *d_piece, size_t bytes, int first,
                          cudaStream_t stream)
{
    const prim_histogram_range letters = prim_integer_range(first, first + LETTERS);
    check_prim(program, prim_histogram_even(PRIM_HISTOGRAM_AUTO, letters, CUDA_R_8U, d_piece, bytes,
                                            (prim_counters){.data = d_counters,
                                                            .bins = LETTERS,
                                                            .type = CUDA_R_64U,
                                                            .flags = PRIM_HISTOGRAM_ADD},
                                            &(prim_call){.stream = stream}));
}

static void count_piece(void *d_counters, const void *d_piece, size_t bytes, cudaStream_t stream)
{
    count_letters(d_counters, d_piece, bytes, 'a', stream);
    count_letters(d_counters, d_piece, bytes, 'A', stream);
}

static void count_file(const char *path, uint64_t *counts)
{
    const size_t bytes = LETTERS * sizeof *counts;
    void *d_counters;
    check_cuda(program, cudaMalloc(&d_counters, bytes));
    check_cuda(program, cudaMemset(d_counters, 0, bytes));
    check_cuda(program, cudaDeviceSynchronize());
    for_each_piece(program, path, count_piece, d_counters);
    check_cuda(program, cudaMemcpy(counts, d_counters, bytes, cudaMemcpyDeviceToHost));
    check_cuda(program, cudaFree(d_counters));
}

static void print_groups(const uint64_t *counts, int group)
{
    for (int first = 0; first < LETTERS; first += group) {
        const int last = first + group < LETTERS ? first + group - 1 : LETTERS - 1;
        uint64_t count = 0;
        for (int l = first; l <= last; l++)
            count += counts[l];
        if (first == last)
            printf("%c    %llu\n", 'a' + first, (unsigned long long)count);
        else
            printf("%c-%c  %llu\n", 'a' + first, 'a' + last, (unsigned long long)count);
    }
}

int main(int argc, char **argv)
{
    unsigned long long group = 1;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: letter_histogram FILE [GROUP, 1 to 26]\n");
        return 2;
    }
    if (argc == 3 && !read_count(argv[2], 1, LETTERS, &group)) {
        fprintf(stderr, "letter_histogram: %s is not a number from 1 to %d\n", argv[2], LETTERS);
        return 2;
    }
    uint64_t counts[LETTERS];
    count_file(argv[1], counts);
    print_groups(counts, (int)group);
    finish_output(program);
    return 0;
}
