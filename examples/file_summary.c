/* Summarises the bytes of a file of any size: how many, their sum, mean, smallest and largest.
 *
 *     file_summary FILE        FILE may be - for standard input
 *
 * The file passes through the device in pieces, so it may be larger than any memory. Three
 * reductions run over each piece; what they give is put together here. */
#include <stdio.h>
#include <string.h>

#include <primitives/reduce.h>

#include "failure.h"
#include "output.h"

static const char program[] = "file_summary";

enum { PIECE_BYTES = 1 << 24, RESULTS = 3 };

static const prim_op ops[RESULTS] = {PRIM_OP_SUM, PRIM_OP_MIN, PRIM_OP_MAX};

typedef struct summary {
    uint64_t count, sum, smallest, largest;
} summary;

typedef struct buffers {
    unsigned char *h_piece;
    uint64_t *h_results;
    void *d_piece, *d_workspace;
    uint64_t *d_results;
    size_t workspace_bytes;
} buffers;

/* One workspace serves all three: the call asks for the most that any of them needs. */
static buffers allocate_buffers(void)
{
    buffers b = {0};
    for (int r = 0; r < RESULTS; r++) {
        prim_answer answer;
        check_prim(program,
                   prim_reduce(PRIM_REDUCE_AUTO, ops[r], PRIM_TRANSFORM_NONE, CUDA_R_8U, NULL,
                               PIECE_BYTES, CUDA_R_64U, NULL, &(prim_call){.answer = &answer}));
        if (answer.workspace_bytes > b.workspace_bytes)
            b.workspace_bytes = answer.workspace_bytes;
    }
    check_cuda(program, cudaMallocHost((void **)&b.h_piece, PIECE_BYTES));
    check_cuda(program, cudaMallocHost((void **)&b.h_results, RESULTS * sizeof *b.h_results));
    check_cuda(program, cudaMalloc(&b.d_piece, PIECE_BYTES));
    check_cuda(program, cudaMalloc(&b.d_workspace, b.workspace_bytes));
    check_cuda(program, cudaMalloc((void **)&b.d_results, RESULTS * sizeof *b.d_results));
    return b;
}

static void release(const buffers *b)
{
    check_cuda(program, cudaFreeHost(b->h_piece));
    check_cuda(program, cudaFreeHost(b->h_results));
    check_cuda(program, cudaFree(b->d_piece));
    check_cuda(program, cudaFree(b->d_workspace));
    check_cuda(program, cudaFree(b->d_results));
}

static void add_piece(const buffers *b, size_t count, summary *s)
{
    check_cuda(program, cudaMemcpyAsync(b->d_piece, b->h_piece, count, cudaMemcpyHostToDevice, 0));
    for (int r = 0; r < RESULTS; r++)
        check_prim(program, prim_reduce(PRIM_REDUCE_AUTO, ops[r], PRIM_TRANSFORM_NONE, CUDA_R_8U,
                                        b->d_piece, count, CUDA_R_64U, &b->d_results[r],
                                        &(prim_call){.d_workspace = b->d_workspace,
                                                     .workspace_bytes = b->workspace_bytes}));
    check_cuda(program, cudaMemcpyAsync(b->h_results, b->d_results, RESULTS * sizeof *b->h_results,
                                        cudaMemcpyDeviceToHost, 0));
    check_cuda(program, cudaStreamSynchronize(0));
    s->count += count;
    s->sum += b->h_results[0];
    s->smallest = b->h_results[1] < s->smallest ? b->h_results[1] : s->smallest;
    s->largest = b->h_results[2] > s->largest ? b->h_results[2] : s->largest;
}

static summary summarise(FILE *file, const char *path)
{
    summary s = {.smallest = UINT64_MAX};
    const buffers b = allocate_buffers();
    for (size_t count; (count = fread(b.h_piece, 1, PIECE_BYTES, file)) > 0;)
        add_piece(&b, count, &s);
    if (ferror(file))
        fail_with_errno(program, path);
    release(&b);
    return s;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: file_summary FILE\n");
        return 2;
    }
    FILE *file = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "rb");
    if (file == NULL)
        fail_with_errno(program, argv[1]);
    const summary s = summarise(file, argv[1]);
    printf("bytes     %llu\n", (unsigned long long)s.count);
    printf("sum       %llu\n", (unsigned long long)s.sum);
    if (s.count > 0) {
        printf("mean      %.6f\n", (double)s.sum / (double)s.count);
        printf("smallest  %llu\n", (unsigned long long)s.smallest);
        printf("largest   %llu\n", (unsigned long long)s.largest);
    }
    fclose(file);
    finish_output(program);
    return 0;
}
