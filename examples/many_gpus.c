/* Sums up and counts a file's bytes on many GPUs at once, and finds where half of the sum is
 * reached.
 *
 *     many_gpus FILE [GPUS]
 *     many_gpus --id ID [--wait SECONDS] FILE
 *
 * The first takes GPUS of this host, all if left out; FILE may be - for standard input. The second
 * is started once for each GPU, by mpirun, srun, torchrun or whatever sets RANK and WORLD_SIZE; ID
 * is a file that is not there yet, by which they find each other. Each GPU has a part of the file,
 * and in the end each knows what all of them found: the first one is asked, and whether others of
 * the same process say the same. The running sum, 8 bytes for each of the file's, stays in parts on
 * the GPUs, where its values below one half are counted. On the CPU backend SIMT_DEVICES says how
 * many there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/distributed.h>

#include "failure.h"
#include "nccl_failure.h"
#include "numbers.h"
#include "output.h"
#include "started_together.h"
#include "whole_file.h"

static const char program[] = "many_gpus";

enum { MOST_GPUS = 64, VALUES = 256, WAIT_SECONDS = 60 };

/* What is asked of the bytes, as it lies in device memory. */
typedef struct findings {
    uint64_t sum, first_largest, counts[VALUES];
    unsigned char largest;
} findings;

typedef struct gpu {
    int device;
    ncclComm_t comm;
    cudaStream_t stream;
    void *d_bytes;
    uint64_t *d_sums; /* the running sum of the whole file, at this part's bytes */
    findings *d_found;
} gpu;

/* All GPUs, and those that this process drives: one after the other, from rank `first` on. */
typedef struct team {
    int count, first, own;
    gpu gpus[MOST_GPUS];     /* its own */
    size_t bytes[MOST_GPUS]; /* of each one's part */
} team;

static int usage(void)
{
    fprintf(stderr, "usage: many_gpus FILE [GPUS]\n"
                    "       many_gpus --id ID [--wait SECONDS] FILE\n");
    return 2;
}

/* ---- the parts ---- */

static void connect_host(team *t)
{
    ncclComm_t comms[MOST_GPUS];
    check_nccl(program, ncclCommInitAll(comms, t->count, NULL));
    for (int g = 0; g < t->count; g++) {
        t->gpus[g].device = g;
        t->gpus[g].comm = comms[g];
    }
}

/* This process has one GPU, and a host's processes have one each. */
static void connect_one(team *t, const place *p, const char *path, unsigned seconds)
{
    int there;
    gpu *const mine = &t->gpus[0];
    check_cuda(program, cudaGetDeviceCount(&there));
    mine->device = p->on_host % there;
    check_cuda(program, cudaSetDevice(mine->device));
    const ncclUniqueId id = share_id(program, p, path, seconds);
    check_nccl(program, ncclCommInitRank(&mine->comm, p->count, id, p->rank));
    if (p->rank == 0 && remove(path) != 0) /* all have read it */
        fail_with_errno(program, path);
}

static void fill(gpu *to, const char *from, size_t bytes)
{
    check_cuda(program, cudaSetDevice(to->device));
    check_cuda(program, cudaStreamCreate(&to->stream));
    check_cuda(program, cudaMalloc(&to->d_bytes, bytes + 1));
    check_cuda(program, cudaMalloc((void **)&to->d_sums, (bytes + 1) * sizeof *to->d_sums));
    check_cuda(program, cudaMalloc((void **)&to->d_found, sizeof *to->d_found));
    check_cuda(program,
               cudaMemcpyAsync(to->d_bytes, from, bytes, cudaMemcpyHostToDevice, to->stream));
}

/* As even as it goes, the longer parts first. */
static void share_out(team *t, const text *file)
{
    const size_t n = (size_t)t->count;
    const char *from = file->bytes;
    for (int r = 0; r < t->count; r++) {
        t->bytes[r] = file->count / n + ((size_t)r < file->count % n ? 1 : 0);
        if (r >= t->first && r < t->first + t->own)
            fill(&t->gpus[r - t->first], from, t->bytes[r]);
        from += t->bytes[r];
    }
}

static void give_back(team *t)
{
    for (int g = 0; g < t->own; g++) {
        check_cuda(program, cudaSetDevice(t->gpus[g].device));
        check_cuda(program, cudaFree(t->gpus[g].d_bytes));
        check_cuda(program, cudaFree(t->gpus[g].d_sums));
        check_cuda(program, cudaFree(t->gpus[g].d_found));
        check_cuda(program, cudaStreamDestroy(t->gpus[g].stream));
        check_nccl(program, ncclCommDestroy(t->gpus[g].comm));
    }
}

/* ---- the calls: each is made once, for all GPUs of this process ---- */

static void add_up(const team *t, prim_rank *ranks)
{
    for (int g = 0; g < t->own; g++)
        ranks[g].d_out = &t->gpus[g].d_found->sum;
    check_prim(program,
               prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, t->bytes,
                                       (size_t)t->count, CUDA_R_64U, ranks, (size_t)t->own));
}

static void find_largest(const team *t, prim_rank *ranks)
{
    for (int g = 0; g < t->own; g++) {
        ranks[g].d_out = &t->gpus[g].d_found->largest;
        ranks[g].d_second = &t->gpus[g].d_found->first_largest;
    }
    check_prim(program,
               prim_distributed_arg_reduce(PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_8U, t->bytes,
                                           (size_t)t->count, ranks, (size_t)t->own));
}

static void count_values(const team *t, prim_rank *ranks)
{
    const prim_histogram_range all = prim_integer_range(0, VALUES);
    for (int g = 0; g < t->own; g++)
        ranks[g].d_out = t->gpus[g].d_found->counts;
    check_prim(program,
               prim_distributed_histogram_even(
                   PRIM_HISTOGRAM_AUTO, all, CUDA_R_8U, t->bytes, (size_t)t->count,
                   (prim_counters){.bins = VALUES, .type = CUDA_R_64U}, ranks, (size_t)t->own));
}

static void add_up_so_far(const team *t, prim_rank *ranks)
{
    for (int g = 0; g < t->own; g++) {
        ranks[g].d_out = t->gpus[g].d_sums;
        ranks[g].d_second = NULL;
    }
    check_prim(program, prim_distributed_scan(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                              CUDA_R_8U, t->bytes, (size_t)t->count, CUDA_R_64U,
                                              ranks, (size_t)t->own));
}

/* How many values of the running sum are below `limit`: its place, since they ascend. */
static void count_sums_below(const team *t, uint64_t limit, prim_rank *ranks)
{
    const prim_histogram_range below = prim_integer_range(0, (int64_t)limit);
    for (int g = 0; g < t->own; g++) {
        ranks[g].d_in = t->gpus[g].d_sums;
        ranks[g].d_out = t->gpus[g].d_found->counts;
    }
    check_prim(program, prim_distributed_histogram_even(
                            PRIM_HISTOGRAM_AUTO, below, CUDA_R_64U, t->bytes, (size_t)t->count,
                            (prim_counters){.bins = 1, .type = CUDA_R_64U}, ranks, (size_t)t->own));
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

static findings found_by_all(const team *t)
{
    const findings first = found_by(&t->gpus[0]);
    for (int g = 1; g < t->own; g++) {
        const findings other = found_by(&t->gpus[g]);
        if (agree(&first, &other))
            continue;
        fprintf(stderr, "%s: GPU %d has a different result than GPU %d\n", program, t->first + g,
                t->first);
        exit(1);
    }
    return first;
}

static findings ask(const team *t, prim_rank *ranks)
{
    for (int g = 0; g < t->own; g++)
        ranks[g] = (prim_rank){.comm = t->gpus[g].comm,
                               .call = {.stream = t->gpus[g].stream},
                               .d_in = t->gpus[g].d_bytes};
    add_up(t, ranks);
    find_largest(t, ranks);
    count_values(t, ranks);
    add_up_so_far(t, ranks);
    return found_by_all(t);
}

static uint64_t half_reached_at(const team *t, uint64_t sum, prim_rank *ranks)
{
    if (sum == 0)
        return 0;
    count_sums_below(t, sum - sum / 2, ranks);
    return found_by_all(t).counts[0];
}

static void print(const findings *found, uint64_t half_at)
{
    int different = 0;
    for (int v = 0; v < VALUES; v++)
        different += found->counts[v] > 0;
    printf("sum      %llu\n", (unsigned long long)found->sum);
    printf("largest  %d, first at %llu\n", found->largest,
           (unsigned long long)found->first_largest);
    printf("values   %d different ones\n", different);
    printf("half     of the sum at %llu\n", (unsigned long long)half_at);
}

static void work(team *t, const text *file)
{
    prim_rank ranks[MOST_GPUS];
    share_out(t, file);
    const findings found = ask(t, ranks);
    const uint64_t half_at = half_reached_at(t, found.sum, ranks);
    if (t->first == 0)
        print(&found, half_at);
    give_back(t);
}

static void print_sizes(const team *t, const text *file)
{
    printf("GPUs     %d\nbytes    %zu\n", t->count, file->count);
}

/* 0: no such number. */
static int gpus_wanted(const char *argument, int there)
{
    const int most = there < MOST_GPUS ? there : MOST_GPUS;
    unsigned long long wanted;
    if (argument == NULL)
        return most;
    if (read_count(argument, 1, (unsigned long long)most, &wanted))
        return (int)wanted;
    fprintf(stderr, "%s: %s is not a number of GPUs: there are %d, and %d of them can be used\n",
            program, argument, there, MOST_GPUS);
    return 0;
}

static int run_on_host(const char *path, const char *gpus)
{
    int there;
    check_cuda(program, cudaGetDeviceCount(&there));
    team t = {.count = gpus_wanted(gpus, there)};
    t.own = t.count;
    if (t.count == 0)
        return 2;
    text file = read_whole_file(program, path);
    print_sizes(&t, &file);
    if (file.count > 0) { /* of none, none is the largest */
        connect_host(&t);
        work(&t, &file);
    }
    free(file.bytes);
    finish_output(program);
    return 0;
}

static int run_as_one_of_many(const char *id_path, const char *path, unsigned seconds)
{
    const place p = find_place(program);
    team t = {.count = p.count, .first = p.rank, .own = 1};
    if (p.count < 1 || p.count > MOST_GPUS) {
        fprintf(stderr, "%s: %d processes were started, not 1 to %d\n", program, p.count,
                MOST_GPUS);
        return 2;
    }
    text file = read_whole_file(program, path);
    if (p.rank == 0)
        print_sizes(&t, &file);
    if (file.count > 0) {
        connect_one(&t, &p, id_path, seconds);
        work(&t, &file);
    }
    free(file.bytes);
    finish_output(program);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long long seconds = WAIT_SECONDS;
    if (argc < 2)
        return usage();
    if (strcmp(argv[1], "--id") != 0)
        return argc <= 3 ? run_on_host(argv[1], argc == 3 ? argv[2] : NULL) : usage();
    const bool waits = argc == 6 && strcmp(argv[3], "--wait") == 0;
    if ((argc != 4 && !waits) || (waits && !read_count(argv[4], 0, 86400, &seconds)))
        return usage();
    return run_as_one_of_many(argv[2], argv[argc - 1], (unsigned)seconds);
}
