/* Sums up a file of f32 on all GPUs of a host, whatever its size, and counts its bytes.
 *
 *     float_sum FILE [GPUS]
 *
 * The file passes through two buffers for each GPU, piece by piece, so it may be larger than any
 * memory. What stays on the GPUs is the value of each tile of 16 KB, and these are summed up in the
 * end: the sum's bits are those of one call for the whole file, on any number of GPUs. The counts
 * say how many bits a byte would need in a code of single bytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <primitives/distributed.h>

#include "exact_file.h"
#include "failure.h"
#include "nccl_failure.h"
#include "numbers.h"
#include "output.h"

static const char program[] = "float_sum";

enum { MOST_GPUS = 64, BUFFERS = 2, VALUES = 256 };
enum { TILE = PRIM_REDUCE_TILE_BYTES / sizeof(float), PIECE = 1024 * TILE };

typedef struct buffer {
    float *h_piece, *d_piece;
    cudaEvent_t copied; /* from there on the host may write to h_piece again */
} buffer;

typedef struct gpu {
    ncclComm_t comm;
    cudaStream_t stream;
    buffer buffers[BUFFERS];
    size_t begin, end;       /* its part of the file, in elements */
    float *d_values, *d_sum; /* of its tiles; of the file */
    uint64_t *d_counts, *d_all_counts;
} gpu;

typedef struct team {
    int count;
    exact_file file;
    size_t elements;
    size_t tiles[MOST_GPUS], rows[MOST_GPUS]; /* of each one's part; of counters: one */
    gpu gpus[MOST_GPUS];
} team;

/* ---- the parts ---- */

static size_t tiles_of(size_t elements)
{
    return (elements + TILE - 1) / TILE;
}

static void prepare(gpu *g, size_t tiles)
{
    const size_t counters = VALUES * sizeof *g->d_counts;
    check_cuda(program, cudaStreamCreate(&g->stream));
    for (int b = 0; b < BUFFERS; b++) {
        check_cuda(program, cudaMallocHost((void **)&g->buffers[b].h_piece, PIECE * sizeof(float)));
        check_cuda(program, cudaMalloc((void **)&g->buffers[b].d_piece, PIECE * sizeof(float)));
        check_cuda(program, cudaEventCreate(&g->buffers[b].copied));
    }
    check_cuda(program, cudaMalloc((void **)&g->d_values, (tiles + 1) * sizeof(float)));
    check_cuda(program, cudaMalloc((void **)&g->d_sum, sizeof(float)));
    check_cuda(program, cudaMalloc((void **)&g->d_counts, counters));
    check_cuda(program, cudaMalloc((void **)&g->d_all_counts, counters));
    check_cuda(program, cudaMemsetAsync(g->d_counts, 0, counters, g->stream));
}

/* Whole tiles each, as even as it goes. */
static void share_out(team *t)
{
    ncclComm_t comms[MOST_GPUS];
    const size_t all = tiles_of(t->elements), n = (size_t)t->count;
    size_t first = 0;
    check_nccl(program, ncclCommInitAll(comms, t->count, NULL));
    for (size_t r = 0; r < n; r++) {
        gpu *const g = &t->gpus[r];
        t->tiles[r] = all / n + (r < all % n ? 1 : 0);
        t->rows[r] = 1;
        g->comm = comms[r];
        g->begin = first * TILE;
        first += t->tiles[r];
        g->end = first < all ? first * TILE : t->elements;
        check_cuda(program, cudaSetDevice((int)r));
        prepare(g, t->tiles[r]);
    }
}

static void give_back(team *t)
{
    for (int r = 0; r < t->count; r++) {
        gpu *const g = &t->gpus[r];
        check_cuda(program, cudaSetDevice(r));
        for (int b = 0; b < BUFFERS; b++) {
            check_cuda(program, cudaFreeHost(g->buffers[b].h_piece));
            check_cuda(program, cudaFree(g->buffers[b].d_piece));
            check_cuda(program, cudaEventDestroy(g->buffers[b].copied));
        }
        check_cuda(program, cudaFree(g->d_values));
        check_cuda(program, cudaFree(g->d_sum));
        check_cuda(program, cudaFree(g->d_counts));
        check_cuda(program, cudaFree(g->d_all_counts));
        check_cuda(program, cudaStreamDestroy(g->stream));
        check_nccl(program, ncclCommDestroy(g->comm));
    }
}

/* ---- the pieces ---- */

/* The value of each tile; the file's last one may be shorter, and is a row of its own. */
static void sum_tiles(const gpu *g, const float *d_piece, size_t count, float *d_values)
{
    const size_t whole = count / TILE, rest = count % TILE;
    check_prim(program, prim_reduce_rows(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                         prim_matrix_of(CUDA_R_32F, d_piece, whole, TILE, 0),
                                         CUDA_R_32F, d_values, &(prim_call){.stream = g->stream}));
    if (rest > 0)
        check_prim(program, prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                        CUDA_R_32F, d_piece + whole * TILE, rest, CUDA_R_32F,
                                        d_values + whole, &(prim_call){.stream = g->stream}));
}

static void count_bytes(const gpu *g, const float *d_piece, size_t count)
{
    const prim_histogram_range all = prim_integer_range(0, VALUES);
    check_prim(program, prim_histogram_even(PRIM_HISTOGRAM_AUTO, all, CUDA_R_8U, d_piece,
                                            count * sizeof *d_piece,
                                            (prim_counters){.data = g->d_counts,
                                                            .bins = VALUES,
                                                            .type = CUDA_R_64U,
                                                            .flags = PRIM_HISTOGRAM_ADD},
                                            &(prim_call){.stream = g->stream}));
}

/* The step's piece of a GPU, if there is one: read while the one before it is used. */
static bool take_piece(const team *t, int r, size_t step)
{
    const gpu *const g = &t->gpus[r];
    const buffer *const b = &g->buffers[step % BUFFERS];
    const size_t first = g->begin + step * PIECE;
    if (first >= g->end)
        return false;
    const size_t left = g->end - first, count = left < PIECE ? left : PIECE;
    check_cuda(program, cudaSetDevice(r));
    check_cuda(program, cudaEventSynchronize(b->copied));
    exact_file_read(program, &t->file, b->h_piece, count * sizeof *b->h_piece,
                    first * sizeof *b->h_piece);
    check_cuda(program, cudaMemcpyAsync(b->d_piece, b->h_piece, count * sizeof *b->h_piece,
                                        cudaMemcpyHostToDevice, g->stream));
    check_cuda(program, cudaEventRecord(b->copied, g->stream));
    sum_tiles(g, b->d_piece, count, g->d_values + step * (PIECE / TILE));
    count_bytes(g, b->d_piece, count);
    return true;
}

static void take_all_pieces(const team *t)
{
    bool more = true;
    for (size_t step = 0; more; step++) {
        more = false;
        for (int r = 0; r < t->count; r++)
            more |= take_piece(t, r, step);
    }
}

/* ---- the whole ---- */

/* Values of tiles are a line that lies in parts, and counters a matrix with a row on each GPU. */
static void put_together(const team *t)
{
    prim_rank values[MOST_GPUS], counters[MOST_GPUS];
    const size_t n = (size_t)t->count;
    for (size_t r = 0; r < n; r++) {
        const gpu *const g = &t->gpus[r];
        values[r] = (prim_rank){
            .comm = g->comm, .call = {.stream = g->stream}, .d_in = g->d_values, .d_out = g->d_sum};
        counters[r] = (prim_rank){.comm = g->comm,
                                  .call = {.stream = g->stream},
                                  .d_in = g->d_counts,
                                  .d_out = g->d_all_counts};
    }
    check_prim(program, prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                                                t->tiles, n, CUDA_R_32F, values, n));
    check_prim(program, prim_distributed_reduce_columns(PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                                        CUDA_R_64U, t->rows, n, VALUES, VALUES,
                                                        CUDA_R_64U, counters, n));
    for (size_t r = 0; r < n; r++)
        check_cuda(program, cudaStreamSynchronize(t->gpus[r].stream));
}

static void print(const team *t)
{
    float sum;
    uint64_t counts[VALUES];
    const double bytes = (double)t->elements * sizeof sum;
    double bits = 0; /* of the whole file */
    check_cuda(program, cudaMemcpy(&sum, t->gpus[0].d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    check_cuda(program,
               cudaMemcpy(counts, t->gpus[0].d_all_counts, sizeof counts, cudaMemcpyDeviceToHost));
    for (int v = 0; v < VALUES; v++)
        if (counts[v] > 0)
            bits -= (double)counts[v] * log2((double)counts[v] / bytes);
    printf("GPUs     %d\n", t->count);
    printf("numbers  %zu\n", t->elements);
    printf("sum      %.9g\n", (double)sum);
    printf("bits     %.4f a byte\n", bytes > 0 ? bits / bytes : 0);
}

static void open_file(team *t, const char *path)
{
    uint64_t bytes;
    t->file = exact_file_open(program, path, &bytes);
    t->elements = (size_t)(bytes / sizeof(float));
    if (bytes % sizeof(float) != 0) {
        fprintf(stderr, "%s: %s has %llu bytes, which is not a whole number of f32\n", program,
                path, (unsigned long long)bytes);
        exit(1);
    }
}

/* 0: no such number. */
static int gpus_wanted(const char *argument, int there)
{
    unsigned long long wanted;
    if (argument == NULL)
        return there;
    if (read_count(argument, 1, (unsigned long long)there, &wanted))
        return (int)wanted;
    fprintf(stderr, "%s: %s is not a number of GPUs from 1 to %d\n", program, argument, there);
    return 0;
}

int main(int argc, char **argv)
{
    team t;
    int there;
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: float_sum FILE [GPUS]\n");
        return 2;
    }
    check_cuda(program, cudaGetDeviceCount(&there));
    t.count = gpus_wanted(argc == 3 ? argv[2] : NULL, there < MOST_GPUS ? there : MOST_GPUS);
    if (t.count == 0)
        return 2;
    open_file(&t, argv[1]);
    share_out(&t);
    take_all_pieces(&t);
    put_together(&t);
    print(&t);
    give_back(&t);
    exact_file_close(program, &t.file);
    finish_output(program);
    return 0;
}
