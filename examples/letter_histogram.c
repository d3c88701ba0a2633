/* How often each letter of the Latin alphabet occurs in a text file, capitals included.
 *
 *     letter_histogram FILE [GROUP]    FILE may be -; GROUP letters share a bin: 1 if left out
 *
 * The file passes through the device in pieces, so it may be larger than any memory: each piece
 * adds to what the counters hold. Small letters and capitals are two calls for each piece. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/histogram.h>

#include "arguments.h"

enum { PIECE_BYTES = 1 << 24, LETTERS = 26 };

typedef struct buffers {
    unsigned char *h_piece;
    void *d_piece;
    uint32_t *d_counters; /* of single letters: a piece has fewer than 2^32 */
} buffers;

static void check_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "letter_histogram: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void check(prim_status status)
{
    if (status == PRIM_OK)
        return;
    fprintf(stderr, "letter_histogram: %s\n", prim_last_error(NULL));
    exit(1);
}

static void count_letters(const buffers *b, size_t bytes, unsigned flags, int first)
{
    const prim_histogram_range letters = {.lower = first, .upper = first + LETTERS};
    check(prim_histogram_even(PRIM_HISTOGRAM_AUTO, flags, PRIM_OUTSIDE_DROP, letters, CUDA_R_8U,
                              b->d_piece, bytes, LETTERS, CUDA_R_32U, b->d_counters, NULL, NULL, 0,
                              0));
}

/* The counters of one piece are 32 bits wide, the file's 64: they are added up here. */
static void add_piece(const buffers *b, size_t bytes, uint64_t *counts)
{
    uint32_t h_counters[LETTERS];
    check_cuda(cudaMemcpyAsync(b->d_piece, b->h_piece, bytes, cudaMemcpyHostToDevice, 0));
    count_letters(b, bytes, 0, 'a');
    count_letters(b, bytes, PRIM_HISTOGRAM_ADD, 'A');
    check_cuda(cudaMemcpy(h_counters, b->d_counters, sizeof h_counters, cudaMemcpyDeviceToHost));
    for (int l = 0; l < LETTERS; l++)
        counts[l] += h_counters[l];
}

static void count_file(FILE *file, const char *path, uint64_t *counts)
{
    buffers b;
    check_cuda(cudaMallocHost((void **)&b.h_piece, PIECE_BYTES));
    check_cuda(cudaMalloc(&b.d_piece, PIECE_BYTES));
    check_cuda(cudaMalloc((void **)&b.d_counters, LETTERS * sizeof *b.d_counters));
    for (size_t bytes; (bytes = fread(b.h_piece, 1, PIECE_BYTES, file)) > 0;)
        add_piece(&b, bytes, counts);
    if (ferror(file)) {
        fprintf(stderr, "letter_histogram: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    check_cuda(cudaFreeHost(b.h_piece));
    check_cuda(cudaFree(b.d_piece));
    check_cuda(cudaFree(b.d_counters));
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
    if (argc == 3 && (!read_number(argv[2], &group) || group < 1 || group > LETTERS)) {
        fprintf(stderr, "letter_histogram: %s is no number from 1 to %d\n", argv[2], LETTERS);
        return 2;
    }
    FILE *file = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "rb");
    if (file == NULL) {
        fprintf(stderr, "letter_histogram: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    uint64_t counts[LETTERS] = {0};
    count_file(file, argv[1], counts);
    print_groups(counts, (int)group);
    fclose(file);
    return 0;
}
