/* Weak scaling: what calls on all GPUs of this host cost beside the same work on one of them.
 *
 *     primscaling [--commit ID] [--json FILE]
 *
 * Each GPU has as many elements as the one. Times are medians, by the host's clock, from the first
 * submission until all streams are idle. The model adds up what is measured alone: the work of one
 * GPU, and what many do besides, which is the exchange by NCCL and what follows it. */
#define _GNU_SOURCE
#include <argp.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <primitives/distributed.h>

#include "device_tools.h"

enum { MOST_GPUS = 64, WARM_UPS = 3, REPETITIONS = 21, BINS = 256 };

typedef struct team {
    int gpus;
    ncclComm_t comms[MOST_GPUS];
    cudaStream_t streams[MOST_GPUS];
    void *d_in[MOST_GPUS], *d_out[MOST_GPUS], *d_values[MOST_GPUS], *d_workspace[MOST_GPUS];
    size_t counts[MOST_GPUS]; /* the same for each */
} team;

/* Room for what each call here needs. */
enum { OUT_BYTES = 1 << 20, VALUE_BYTES = 64 << 20, WORKSPACE_BYTES = 256 << 20 };

typedef struct scaling_case {
    const char *name, *type;
    cudaDataType_t in_type;
    size_t element_bytes;
    void (*alone)(const team *t, size_t count);    /* on GPU 0 */
    void (*besides)(const team *t, size_t count);  /* on all */
    void (*together)(const team *t, size_t count); /* on all */
} scaling_case;

static void must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "primscaling: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void must_nccl(ncclResult_t result)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "primscaling: %s\n", ncclGetErrorString(result));
    exit(1);
}

static void must_prim(prim_status status)
{
    if (status == PRIM_OK)
        return;
    fprintf(stderr, "primscaling: %s\n", prim_last_error(NULL));
    exit(1);
}

/* ---- the GPUs ---- */

static void connect(team *t)
{
    must(cudaGetDeviceCount(&t->gpus));
    t->gpus = t->gpus < MOST_GPUS ? t->gpus : MOST_GPUS;
    must_nccl(ncclCommInitAll(t->comms, t->gpus, NULL));
    for (int g = 0; g < t->gpus; g++) {
        must(cudaSetDevice(g));
        must(cudaStreamCreateWithFlags(&t->streams[g], cudaStreamNonBlocking));
        must(cudaMalloc(&t->d_out[g], OUT_BYTES));
        must(cudaMalloc(&t->d_values[g], VALUE_BYTES));
        must(cudaMalloc(&t->d_workspace[g], WORKSPACE_BYTES));
    }
}

static void disconnect(team *t)
{
    for (int g = 0; g < t->gpus; g++) {
        must(cudaSetDevice(g));
        must(cudaFree(t->d_out[g]));
        must(cudaFree(t->d_values[g]));
        must(cudaFree(t->d_workspace[g]));
        must(cudaStreamDestroy(t->streams[g]));
        must_nccl(ncclCommDestroy(t->comms[g]));
    }
}

static void fill(team *t, const scaling_case *c, size_t count)
{
    for (int g = 0; g < t->gpus; g++) {
        must(cudaSetDevice(g));
        must(cudaMalloc(&t->d_in[g], count * c->element_bytes));
        must(fill_on_device(c->in_type, t->d_in[g], count, INPUT_UNIFORM, (unsigned)g,
                            t->streams[g]));
        t->counts[g] = count;
    }
}

static void empty(team *t)
{
    for (int g = 0; g < t->gpus; g++) {
        must(cudaSetDevice(g));
        must(cudaFree(t->d_in[g]));
    }
}

static void wait_for_all(const team *t)
{
    for (int g = 0; g < t->gpus; g++)
        must(cudaStreamSynchronize(t->streams[g]));
}

static void make_ranks(const team *t, void *const *d_out, prim_rank *ranks)
{
    for (int g = 0; g < t->gpus; g++)
        ranks[g] = (prim_rank){.comm = t->comms[g],
                               .d_in = t->d_in[g],
                               .d_out = d_out[g],
                               .call = {.stream = t->streams[g],
                                        .d_workspace = t->d_workspace[g],
                                        .workspace_bytes = WORKSPACE_BYTES}};
}

/* Every GPU's `bytes` to all others. */
static void gather(const team *t, size_t bytes)
{
    must_nccl(ncclGroupStart());
    for (int g = 0; g < t->gpus; g++)
        must_nccl(ncclAllGather((char *)t->d_values[g] + (size_t)g * bytes, t->d_values[g], bytes,
                                ncclUint8, t->comms[g], t->streams[g]));
    must_nccl(ncclGroupEnd());
}

static void reduce(const team *t, int g, cudaDataType_t type, const void *d_in, size_t count)
{
    must(cudaSetDevice(g));
    must_prim(prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type, d_in, count,
                          type, t->d_out[g],
                          &(prim_call){.stream = t->streams[g],
                                       .d_workspace = t->d_workspace[g],
                                       .workspace_bytes = WORKSPACE_BYTES}));
}

/* ---- sums of f32: the values of tiles go to all, and are summed up there ---- */

enum { TILE = PRIM_REDUCE_TILE_BYTES / sizeof(float) };

static void sum_alone(const team *t, size_t count)
{
    reduce(t, 0, CUDA_R_32F, t->d_in[0], count);
}

static void sum_besides(const team *t, size_t count)
{
    const size_t tiles = (count + TILE - 1) / TILE;
    gather(t, tiles * sizeof(float));
    for (int g = 0; g < t->gpus; g++)
        reduce(t, g, CUDA_R_32F, t->d_values[g], (size_t)t->gpus * tiles);
}

static void sum_together(const team *t, size_t count)
{
    prim_rank ranks[MOST_GPUS];
    (void)count;
    make_ranks(t, t->d_out, ranks);
    must_prim(prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, t->counts,
                                      (size_t)t->gpus, CUDA_R_32F, ranks, (size_t)t->gpus));
}

/* ---- dot products of an array with itself: as sums ---- */

static void dot_alone(const team *t, size_t count)
{
    must(cudaSetDevice(0));
    must_prim(prim_dot(PRIM_REDUCE_AUTO, CUDA_R_32F, t->d_in[0], t->d_in[0], count, CUDA_R_32F,
                       t->d_out[0],
                       &(prim_call){.stream = t->streams[0],
                                    .d_workspace = t->d_workspace[0],
                                    .workspace_bytes = WORKSPACE_BYTES}));
}

static void dot_together(const team *t, size_t count)
{
    prim_rank ranks[MOST_GPUS];
    (void)count;
    make_ranks(t, t->d_out, ranks);
    for (int g = 0; g < t->gpus; g++)
        ranks[g].d_in_y = t->d_in[g];
    must_prim(prim_distributed_dot(CUDA_R_32F, t->counts, (size_t)t->gpus, CUDA_R_32F, ranks,
                                   (size_t)t->gpus));
}

/* ---- sums of columns: a row of values for each tile of rows goes to all ---- */

enum { COLUMNS = 1024, TILE_ROWS = 1024 };

static void sum_columns(const team *t, int g, const void *d_in, size_t rows)
{
    must(cudaSetDevice(g));
    must_prim(prim_reduce_columns(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                  prim_matrix_of(CUDA_R_32F, d_in, rows, COLUMNS, 0), CUDA_R_32F,
                                  t->d_out[g],
                                  &(prim_call){.stream = t->streams[g],
                                               .d_workspace = t->d_workspace[g],
                                               .workspace_bytes = WORKSPACE_BYTES}));
}

static void columns_alone(const team *t, size_t count)
{
    sum_columns(t, 0, t->d_in[0], count / COLUMNS);
}

static void columns_besides(const team *t, size_t count)
{
    const size_t tiles = (count / COLUMNS + TILE_ROWS - 1) / TILE_ROWS;
    gather(t, tiles * COLUMNS * sizeof(float));
    for (int g = 0; g < t->gpus; g++)
        sum_columns(t, g, t->d_values[g], (size_t)t->gpus * tiles);
}

static void columns_together(const team *t, size_t count)
{
    prim_rank ranks[MOST_GPUS];
    size_t rows[MOST_GPUS];
    make_ranks(t, t->d_out, ranks);
    for (int g = 0; g < t->gpus; g++)
        rows[g] = count / COLUMNS;
    must_prim(prim_distributed_reduce_columns(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, rows,
                                              (size_t)t->gpus, COLUMNS, COLUMNS, CUDA_R_32F, ranks,
                                              (size_t)t->gpus));
}

/* ---- bytes counted: counters are added ---- */

static const prim_histogram_range all_bytes = {.lower = 0, .upper = BINS};

static void count_alone(const team *t, size_t count)
{
    must(cudaSetDevice(0));
    must_prim(
        prim_histogram_even(PRIM_HISTOGRAM_AUTO, all_bytes, CUDA_R_8U, t->d_in[0], count,
                            (prim_counters){.data = t->d_out[0], .bins = BINS, .type = CUDA_R_32U},
                            &(prim_call){.stream = t->streams[0],
                                         .d_workspace = t->d_workspace[0],
                                         .workspace_bytes = WORKSPACE_BYTES}));
}

static void count_besides(const team *t, size_t count)
{
    (void)count;
    must_nccl(ncclGroupStart());
    for (int g = 0; g < t->gpus; g++)
        must_nccl(ncclAllReduce(t->d_out[g], t->d_out[g], BINS, ncclUint32, ncclSum, t->comms[g],
                                t->streams[g]));
    must_nccl(ncclGroupEnd());
}

static void count_together(const team *t, size_t count)
{
    prim_rank ranks[MOST_GPUS];
    (void)count;
    make_ranks(t, t->d_out, ranks);
    must_prim(prim_distributed_histogram_even(
        PRIM_HISTOGRAM_AUTO, all_bytes, CUDA_R_8U, t->counts, (size_t)t->gpus,
        (prim_counters){.bins = BINS, .type = CUDA_R_32U}, ranks, (size_t)t->gpus));
}

/* ---- scans, in place ---- */

static void scan_one(const team *t, cudaDataType_t type, size_t count)
{
    must(cudaSetDevice(0));
    must_prim(prim_scan(PRIM_SCAN_AUTO, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type,
                        t->d_in[0], count, type, t->d_in[0], NULL,
                        &(prim_call){.stream = t->streams[0],
                                     .d_workspace = t->d_workspace[0],
                                     .workspace_bytes = WORKSPACE_BYTES}));
}

static void scan_all(const team *t, cudaDataType_t type)
{
    prim_rank ranks[MOST_GPUS];
    make_ranks(t, t->d_in, ranks);
    must_prim(prim_distributed_scan(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type,
                                    t->counts, (size_t)t->gpus, type, ranks, (size_t)t->gpus));
}

static void carry_all(const team *t, cudaDataType_t type)
{
    prim_rank ranks[MOST_GPUS];
    make_ranks(t, t->d_out, ranks);
    must_prim(prim_distributed_carry(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type, t->counts,
                                     (size_t)t->gpus, type, ranks, (size_t)t->gpus));
}

/* ---- of i32: a sum of each part, which goes to all ---- */

static void scan_alone(const team *t, size_t count)
{
    scan_one(t, CUDA_R_32I, count);
}

/* The carries alone. */
static void carry_besides(const team *t, size_t count)
{
    (void)count;
    gather(t, sizeof(int));
    for (int g = 0; g < t->gpus; g++)
        reduce(t, g, CUDA_R_32I, t->d_values[g], (size_t)g);
}

static void scan_besides(const team *t, size_t count)
{
    for (int g = 0; g < t->gpus; g++)
        reduce(t, g, CUDA_R_32I, t->d_in[g], count);
    carry_besides(t, count);
}

static void scan_together(const team *t, size_t count)
{
    (void)count;
    scan_all(t, CUDA_R_32I);
}

static void carry_alone(const team *t, size_t count)
{
    reduce(t, 0, CUDA_R_32I, t->d_in[0], count);
}

static void carry_together(const team *t, size_t count)
{
    (void)count;
    carry_all(t, CUDA_R_32I);
}

/* ---- of f32: totals of tiles, which go to all, and are chained there ---- */

static void float_scan_alone(const team *t, size_t count)
{
    scan_one(t, CUDA_R_32F, count);
}

/* The totals, the exchange and the chain, all in one call. */
static void float_scan_besides(const team *t, size_t count)
{
    (void)count;
    carry_all(t, CUDA_R_32F);
}

static void float_scan_together(const team *t, size_t count)
{
    (void)count;
    scan_all(t, CUDA_R_32F);
}

/* ---- measuring ---- */

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_us(const team *t, void (*work)(const team *, size_t), size_t count)
{
    double us[REPETITIONS];
    for (int r = -WARM_UPS; r < REPETITIONS; r++) {
        wait_for_all(t);
        const double begin = now_us();
        work(t, count);
        wait_for_all(t);
        if (r >= 0)
            us[r] = now_us() - begin;
    }
    qsort(us, REPETITIONS, sizeof *us, ascending);
    return us[REPETITIONS / 2];
}

static void measure(team *t, const scaling_case *c, size_t count, cJSON *results)
{
    fill(t, c, count);
    const double alone = median_us(t, c->alone, count), besides = median_us(t, c->besides, count),
                 together = median_us(t, c->together, count);
    empty(t);
    printf("%-10s %-4s %11zu %10.1f %10.1f %10.1f %9.1f%% %9.1f%%\n", c->name, c->type, count,
           alone, besides, together, 100 * alone / together, 100 * alone / (alone + besides));
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "case", c->name);
    cJSON_AddStringToObject(row, "type", c->type);
    cJSON_AddNumberToObject(row, "elements_a_gpu", (double)count);
    cJSON_AddNumberToObject(row, "alone_us", alone);
    cJSON_AddNumberToObject(row, "besides_us", besides);
    cJSON_AddNumberToObject(row, "together_us", together);
    cJSON_AddNumberToObject(row, "weak_scaling", alone / together);
    cJSON_AddNumberToObject(row, "model", alone / (alone + besides));
    cJSON_AddItemToArray(results, row);
}

static void measure_all(team *t, cJSON *results)
{
    static const scaling_case cases[] = {
        {"reduce", "f32", CUDA_R_32F, 4, sum_alone, sum_besides, sum_together},
        {"dot", "f32", CUDA_R_32F, 4, dot_alone, sum_besides, dot_together},
        {"columns", "f32", CUDA_R_32F, 4, columns_alone, columns_besides, columns_together},
        {"histogram", "u8", CUDA_R_8U, 1, count_alone, count_besides, count_together},
        {"scan", "i32", CUDA_R_32I, 4, scan_alone, scan_besides, scan_together},
        {"scan", "f32", CUDA_R_32F, 4, float_scan_alone, float_scan_besides, float_scan_together},
        {"carry", "i32", CUDA_R_32I, 4, carry_alone, carry_besides, carry_together}};
#ifdef SIMT_BACKEND
    static const size_t sizes[] = {1 << 10, 1 << 16}; /* a simulation: to see that it works */
#else
    static const size_t sizes[] = {1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 30) - 13};
#endif
    printf("%-10s %-4s %11s %10s %10s %10s %10s %10s\n", "call", "type", "a GPU", "alone us",
           "besides us", "all us", "weak", "model");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            measure(t, &cases[c], sizes[s], results);
}

/* ---- sums of host memory, through two buffers a GPU ---- */

#ifdef SIMT_BACKEND
enum { STREAMED_TILES = 16, PIECE_TILES = 4 };
#else
enum { STREAMED_TILES = 1 << 16, PIECE_TILES = 1 << 12 }; /* 1 GB in pieces of 64 MB */
#endif
enum { BUFFERS = 2, PIECE_BYTES = PIECE_TILES * PRIM_REDUCE_TILE_BYTES };

typedef struct source {
    char *h_in, *d_pieces; /* pinned; room for BUFFERS pieces */
    cudaStream_t streams[BUFFERS];
} source;

/* A stream for each buffer: while one piece is used, the next one is copied. */
static void pass_through(const team *t, const source *sources, int gpus, bool sums)
{
    for (size_t first = 0, piece = 0; first < STREAMED_TILES; first += PIECE_TILES, piece++)
        for (int g = 0; g < gpus; g++) {
            const source *const s = &sources[g];
            const size_t b = piece % BUFFERS;
            char *const d_piece = s->d_pieces + b * PIECE_BYTES;
            must(cudaSetDevice(g));
            must(cudaMemcpyAsync(d_piece, s->h_in + first * PRIM_REDUCE_TILE_BYTES, PIECE_BYTES,
                                 cudaMemcpyHostToDevice, s->streams[b]));
            if (sums)
                must_prim(prim_reduce_rows(
                    PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                    prim_matrix_of(CUDA_R_32F, d_piece, PIECE_TILES, TILE, 0), CUDA_R_32F,
                    (float *)t->d_values[g] + first, &(prim_call){.stream = s->streams[b]}));
        }
    for (int g = 0; g < gpus; g++)
        for (int b = 0; b < BUFFERS; b++)
            must(cudaStreamSynchronize(sources[g].streams[b]));
    for (int g = 0; g < gpus && sums; g++)
        reduce(t, g, CUDA_R_32F, t->d_values[g], STREAMED_TILES);
}

static double streamed_us(const team *t, const source *sources, int gpus, bool sums)
{
    enum { ROUNDS = 5 };
    double us[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        const double begin = now_us();
        pass_through(t, sources, gpus, sums);
        wait_for_all(t);
        us[r] = now_us() - begin;
    }
    qsort(us, ROUNDS, sizeof *us, ascending);
    return us[ROUNDS / 2];
}

static void measure_streaming(const team *t, const source *sources, int gpus, cJSON *streams)
{
    const double bytes = (double)STREAMED_TILES * PRIM_REDUCE_TILE_BYTES,
                 copies = streamed_us(t, sources, gpus, false),
                 all = streamed_us(t, sources, gpus, true);
    printf("%-10s %-4s %11zu %10d %10.1f %10.1f %8.1f GB/s a GPU, %.1f%% of the link\n", "stream",
           "f32", (size_t)STREAMED_TILES * TILE, gpus, copies, all, 1e-3 * bytes / all,
           100 * copies / all);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddNumberToObject(row, "gpus", gpus);
    cJSON_AddNumberToObject(row, "bytes_a_gpu", bytes);
    cJSON_AddNumberToObject(row, "copies_us", copies);
    cJSON_AddNumberToObject(row, "streamed_us", all);
    cJSON_AddItemToArray(streams, row);
}

static void measure_all_streaming(const team *t, cJSON *streams)
{
    static source sources[MOST_GPUS];
    const size_t bytes = (size_t)STREAMED_TILES * PRIM_REDUCE_TILE_BYTES;
    for (int g = 0; g < t->gpus; g++) {
        source *const s = &sources[g];
        must(cudaSetDevice(g));
        must(cudaMallocHost((void **)&s->h_in, bytes));
        memset(s->h_in, 0x3c, bytes);
        must(cudaMalloc((void **)&s->d_pieces, (size_t)BUFFERS * PIECE_BYTES));
        for (int b = 0; b < BUFFERS; b++)
            must(cudaStreamCreateWithFlags(&s->streams[b], cudaStreamNonBlocking));
    }
    measure_streaming(t, sources, 1, streams);
    if (t->gpus > 1)
        measure_streaming(t, sources, t->gpus, streams);
    for (int g = 0; g < t->gpus; g++) {
        must(cudaSetDevice(g));
        must(cudaFreeHost(sources[g].h_in));
        must(cudaFree(sources[g].d_pieces));
        for (int b = 0; b < BUFFERS; b++)
            must(cudaStreamDestroy(sources[g].streams[b]));
    }
}

/* ---- the program ---- */

typedef struct options {
    const char *commit, *json;
} options;

static const struct argp_option option_table[] = {
    {"commit", 'c', "ID", 0, "The version measured, for the file", 0},
    {"json", 'j', "FILE", 0, "Writes the results and what they were measured on", 0},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    options *const o = state->input;
    if (key == 'c')
        o->commit = argument;
    else if (key == 'j')
        o->json = argument;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static cJSON *context_of(const team *t, const options *o)
{
    struct cudaDeviceProp device;
    char date[32];
    int version;
    const time_t now = time(NULL);
    must(cudaGetDeviceProperties(&device, 0));
    must_nccl(ncclGetVersion(&version));
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("%d × %s, NCCL %d\n", t->gpus, device.name, version);
    cJSON *context = cJSON_CreateObject();
    cJSON_AddStringToObject(context, "device", device.name);
    cJSON_AddNumberToObject(context, "gpus", t->gpus);
    cJSON_AddNumberToObject(context, "nccl", version);
    cJSON_AddStringToObject(context, "commit", o->commit);
    cJSON_AddStringToObject(context, "date", date);
    return context;
}

static void write_json(const options *o, const cJSON *all)
{
    char *const text = cJSON_Print(all);
    FILE *const file = fopen(o->json, "w");
    if (file == NULL || fprintf(file, "%s\n", text) < 0 || fclose(file) != 0) {
        perror(o->json);
        exit(1);
    }
    free(text);
}

int main(int argc, char **argv)
{
    static const struct argp parser = {
        option_table,
        parse,
        NULL,
        "What calls on all GPUs of this host cost beside the same work on one of them.",
        NULL,
        NULL,
        NULL};
    options o = {.commit = "unknown"};
    static team t;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    connect(&t);
    cJSON *const all = cJSON_CreateObject();
    cJSON_AddItemToObject(all, "context", context_of(&t, &o));
    cJSON *const results = cJSON_AddArrayToObject(all, "results");
    measure_all(&t, results);
    measure_all_streaming(&t, cJSON_AddArrayToObject(all, "streams"));
    if (o.json != NULL)
        write_json(&o, all);
    cJSON_Delete(all);
    disconnect(&t);
    return 0;
}
