/* Sums up and counts a file's bytes on all GPUs of this host at once, and finds where half of the
 * sum is reached.
 *
 *     many_gpus FILE [GPUS]
 *
 * FILE may be - for standard input; GPUS is how many of them, all if left out. Each has a part of
 * the file, and in the end each knows what all of them found: the first one is asked, and whether
 * the others say the same. The running sum, 8 bytes for each of the file's, stays in parts on the
 * GPUs; a few of its values are read. On the CPU backend SIMT_DEVICES says how many there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/distributed.h>

#include "failure.h"
#include "whole_file.h"

static const char program[] = "many_gpus";

enum { MOST_GPUS = 16, VALUES = 256 };

/* What is asked of the bytes, as it lies in device memory. */
typedef struct findings {
    uint64_t sum, first_largest, counts[VALUES];
    unsigned char largest;
} findings;

typedef struct gpu {
    ncclComm_t comm;
    cudaStream_t stream;
    void *d_bytes;
    uint64_t *d_sums; /* the running sum of the whole file, at this part's bytes */
    findings *d_found;
} gpu;

typedef struct host {
    int count;
    gpu gpus[MOST_GPUS];
    size_t bytes[MOST_GPUS]; /* of each one's part */
} host;

static void check_nccl(ncclResult_t result)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "%s: %s\n", program, ncclGetErrorString(result));
    exit(1);
}

static int usage(void)
{
    fprintf(stderr, "usage: many_gpus FILE [GPUS]\n");
    return 2;
}

/* ---- the parts ---- */

static void connect_gpus(host *h)
{
    ncclComm_t comms[MOST_GPUS];
    check_nccl(ncclCommInitAll(comms, h->count, NULL));
    for (int g = 0; g < h->count; g++) {
        check_cuda(program, cudaSetDevice(g));
        h->gpus[g].comm = comms[g];
        check_cuda(program, cudaStreamCreate(&h->gpus[g].stream));
    }
}

/* As even as it goes, the longer parts first. */
static void share_out(host *h, const text *file)
{
    const size_t n = (size_t)h->count;
    const char *from = file->bytes;
    for (size_t g = 0; g < n; g++) {
        gpu *const to = &h->gpus[g];
        const size_t bytes = file->count / n + (g < file->count % n ? 1 : 0);
        check_cuda(program, cudaSetDevice((int)g));
        check_cuda(program, cudaMalloc(&to->d_bytes, bytes + 1));
        check_cuda(program, cudaMalloc((void **)&to->d_sums, (bytes + 1) * sizeof *to->d_sums));
        check_cuda(program, cudaMalloc((void **)&to->d_found, sizeof *to->d_found));
        check_cuda(program,
                   cudaMemcpyAsync(to->d_bytes, from, bytes, cudaMemcpyHostToDevice, to->stream));
        h->bytes[g] = bytes;
        from += bytes;
    }
}

static void give_back(host *h)
{
    for (int g = 0; g < h->count; g++) {
        check_cuda(program, cudaSetDevice(g));
        check_cuda(program, cudaFree(h->gpus[g].d_bytes));
        check_cuda(program, cudaFree(h->gpus[g].d_sums));
        check_cuda(program, cudaFree(h->gpus[g].d_found));
        check_cuda(program, cudaStreamDestroy(h->gpus[g].stream));
        check_nccl(ncclCommDestroy(h->gpus[g].comm));
    }
}

/* ---- the calls: each is made once, for all GPUs ---- */

static void add_up(const host *h, prim_rank *ranks)
{
    for (int g = 0; g < h->count; g++)
        ranks[g].d_out = &h->gpus[g].d_found->sum;
    check_prim(program,
               prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, h->bytes,
                                       (size_t)h->count, CUDA_R_64U, ranks, (size_t)h->count));
}

static void find_largest(const host *h, prim_rank *ranks)
{
    for (int g = 0; g < h->count; g++) {
        ranks[g].d_out = &h->gpus[g].d_found->largest;
        ranks[g].d_second = &h->gpus[g].d_found->first_largest;
    }
    check_prim(program,
               prim_distributed_arg_reduce(PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_8U, h->bytes,
                                           (size_t)h->count, ranks, (size_t)h->count));
}

static void count_values(const host *h, prim_rank *ranks)
{
    const prim_histogram_range all = {.lower = 0, .upper = VALUES};
    for (int g = 0; g < h->count; g++)
        ranks[g].d_out = h->gpus[g].d_found->counts;
    check_prim(program, prim_distributed_histogram_even(
                            PRIM_HISTOGRAM_AUTO, 0, PRIM_OUTSIDE_DROP, all, CUDA_R_8U, h->bytes,
                            (size_t)h->count, VALUES, CUDA_R_64U, ranks, (size_t)h->count));
}

static void add_up_so_far(const host *h, prim_rank *ranks)
{
    for (int g = 0; g < h->count; g++) {
        ranks[g].d_out = h->gpus[g].d_sums;
        ranks[g].d_second = NULL;
    }
    check_prim(program, prim_distributed_scan(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                              CUDA_R_8U, h->bytes, (size_t)h->count, CUDA_R_64U,
                                              ranks, (size_t)h->count));
}

static findings found_by(const gpu *g)
{
    findings found;
    check_cuda(program, cudaMemcpyAsync(&found, g->d_found, sizeof found, cudaMemcpyDeviceToHost,
                                        g->stream));
    check_cuda(program, cudaStreamSynchronize(g->stream));
    return found;
}

static bool agree(const findings *a, const findings *b)
{
    return a->sum == b->sum && a->largest == b->largest && a->first_largest == b->first_largest &&
           memcmp(a->counts, b->counts, sizeof a->counts) == 0;
}

static findings ask(const host *h)
{
    prim_rank ranks[MOST_GPUS];
    for (int g = 0; g < h->count; g++)
        ranks[g] = (prim_rank){
            .comm = h->gpus[g].comm, .stream = h->gpus[g].stream, .d_in = h->gpus[g].d_bytes};
    add_up(h, ranks);
    find_largest(h, ranks);
    count_values(h, ranks);
    add_up_so_far(h, ranks);
    const findings first = found_by(&h->gpus[0]);
    for (int g = 1; g < h->count; g++) {
        const findings other = found_by(&h->gpus[g]);
        if (agree(&first, &other))
            continue;
        fprintf(stderr, "%s: GPU %d found something else than GPU 0\n", program, g);
        exit(1);
    }
    return first;
}

/* ---- half of the sum: the running sum ascends, from each GPU to the next ---- */

static uint64_t sum_at(const gpu *g, size_t i)
{
    uint64_t sum;
    check_cuda(program,
               cudaMemcpyAsync(&sum, &g->d_sums[i], sizeof sum, cudaMemcpyDeviceToHost, g->stream));
    check_cuda(program, cudaStreamSynchronize(g->stream));
    return sum;
}

/* The first of a part's bytes at which the sum is reached; their number if none of them. */
static size_t first_reaching(const gpu *g, size_t count, uint64_t sum)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sum_at(g, middle) >= sum)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static size_t half_reached_at(const host *h, uint64_t sum)
{
    size_t before = 0, first = 0;
    for (int g = 0; g < h->count; g++) {
        first = first_reaching(&h->gpus[g], h->bytes[g], sum - sum / 2);
        if (first < h->bytes[g])
            break;
        before += h->bytes[g];
        first = 0;
    }
    return before + first;
}

static void print(const host *h, const findings *found)
{
    int different = 0;
    for (int v = 0; v < VALUES; v++)
        different += found->counts[v] > 0;
    printf("sum      %llu\n", (unsigned long long)found->sum);
    printf("largest  %d, first at %llu\n", found->largest,
           (unsigned long long)found->first_largest);
    printf("values   %d different ones\n", different);
    printf("half     of the sum at %zu\n", half_reached_at(h, found->sum));
}

/* 0: no such number. */
static int gpus_wanted(const char *argument, int there)
{
    char *end;
    if (argument == NULL)
        return there < MOST_GPUS ? there : MOST_GPUS;
    const long wanted = strtol(argument, &end, 10);
    if (*argument != '\0' && *end == '\0' && wanted >= 1 && wanted <= there && wanted <= MOST_GPUS)
        return (int)wanted;
    fprintf(stderr, "%s: %s is no number of GPUs: there are %d, of which %d can be used\n", program,
            argument, there, MOST_GPUS);
    return 0;
}

int main(int argc, char **argv)
{
    int there;
    host h = {0};
    if (argc != 2 && argc != 3)
        return usage();
    check_cuda(program, cudaGetDeviceCount(&there));
    h.count = gpus_wanted(argc == 3 ? argv[2] : NULL, there);
    if (h.count == 0)
        return 2;
    text file = read_whole_file(program, argv[1]);
    printf("GPUs     %d\nbytes    %zu\n", h.count, file.count);
    if (file.count > 0) { /* of none, none is the largest */
        connect_gpus(&h);
        share_out(&h, &file);
        const findings found = ask(&h);
        print(&h, &found);
        give_back(&h);
    }
    free(file.bytes);
    return 0;
}
