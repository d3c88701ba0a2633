/* Many GPUs: every call against the host's version of the whole array, to the bit, on 1 to 8 ranks,
 * however the array is cut, driven by one thread or by one a rank. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <primitives/distributed.h>

#include "calls.h"
#include "nccl_support.h"
#include "support.h"
#include "type_pairs.h"

#ifdef SIMT_BACKEND
#include <simt.h>
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { MOST_RANKS = 8 };
static const size_t rank_counts[] = {1, 2, 3, 4, 8};

/* ---- devices and communicators ---- */

static size_t devices(void)
{
    int count = 0;
    cr_cuda(cudaGetDeviceCount(&count));
    return (size_t)count;
}

static ncclComm_t comms[MOST_RANKS];

static bool connect(size_t ranks)
{
    if (ranks > devices())
        return false;
    cr_nccl(ncclCommInitAll(comms, (int)ranks, NULL));
    return true;
}

static void disconnect(size_t ranks)
{
    for (size_t r = 0; r < ranks; r++)
        cr_nccl(ncclCommDestroy(comms[r]));
}

/* ---- cuts ---- */

typedef enum cut {
    EQUAL,
    RAGGED,
    EVERY_OTHER,
    ON_ONE,
    ONE_EACH,
    INSIDE_TILES,
    AT_VECTORS,
    CUTS
} cut;
static const char *const cut_names[] = {"equal",    "ragged",       "every other", "on one",
                                        "one each", "inside tiles", "at vectors"};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How much of what is left goes to rank r; the last one takes the rest. */
static size_t share(cut how, size_t r, size_t ranks, size_t left, size_t whole, size_t tile)
{
    switch (how) {
    case EQUAL:
        return whole / ranks;
    case RAGGED:
        return left > 0 ? random_bits(r + 7 * whole + ranks) % (left + 1) : 0;
    case EVERY_OTHER:
        return r % 2 == 0 ? 0 : whole / ranks * 2;
    case ON_ONE:
        return r == ranks / 2 ? left : 0;
    case ONE_EACH:
        return 1;
    case AT_VECTORS: /* of 16 bytes and more */
        return r % 2 == 0 ? tile / 4 : tile + tile / 8;
    default: /* one short of a tile, then one more than that, and small parts of one */
        return r % 3 == 0 ? tile - 1 : r % 3 == 1 ? 2 : tile / 3;
    }
}

static void cut_up(cut how, size_t ranks, size_t whole, size_t tile, size_t *counts)
{
    size_t left = whole;
    for (size_t r = 0; r < ranks; r++) {
        counts[r] = r + 1 == ranks ? left : least(left, share(how, r, ranks, left, whole, tile));
        left -= counts[r];
    }
}

/* ---- a team: its parts, and the results ---- */

typedef struct job {
    size_t ranks, whole, tile;
    cut how;
    cudaDataType_t type;
    size_t out_bytes, second_bytes;
    size_t element_bytes;      /* each element has a result of its own, of so many bytes */
    size_t rank_bytes;         /* each rank has one, which lie so far apart in what is expected */
    size_t columns, ld;        /* where parts are of rows, and have gaps between them; else 0 */
    const void *h_in, *h_in_y; /* NULL: there is no second one */
    const void *h_out, *h_second; /* what the results hold before; NULL: what the memory has */
    prim_status (*call)(const struct job *job, const prim_rank *ranks, size_t own_ranks);
    const void *args;
    bool threads, own_workspace;
    size_t counts[MOST_RANKS];
} job;

typedef struct device_part {
    guarded in, in_y, out, second, workspace;
    prim_rank rank;
} device_part;

static size_t begin_of(const job *j, size_t r)
{
    size_t begin = 0;
    for (size_t i = 0; i < r; i++)
        begin += j->counts[i];
    return begin;
}

/* Where a part begins in h_in, and what it has: of rows the last one ends without a gap. */
static const char *part_of(const job *j, const void *h_in, size_t r)
{
    const size_t element = type_bytes(j->type), unit = j->ld > 0 ? j->ld : 1;
    return (const char *)h_in + begin_of(j, r) * unit * element;
}

static size_t part_bytes(const job *j, size_t r)
{
    const size_t gap = j->ld - j->columns, unit = j->ld > 0 ? j->ld : 1;
    return j->counts[r] == 0 ? 0 : (j->counts[r] * unit - gap) * type_bytes(j->type);
}

static size_t out_bytes_of(const job *j, size_t r)
{
    return j->element_bytes > 0 ? j->counts[r] * j->element_bytes : j->out_bytes;
}

static void put(const job *j, size_t r, device_part *part)
{
    const size_t bytes = type_bytes(j->type);
    size_t workspace_bytes = 0;
    *part = (device_part){.rank = {.comm = NULL}};
    cr_cuda(cudaSetDevice((int)r));
    /* Neither parts nor results lie at 16 bytes. */
    part->in = guarded_copy(part_of(j, j->h_in, r), part_bytes(j, r), bytes);
    if (j->h_in_y != NULL)
        part->in_y = guarded_copy(part_of(j, j->h_in_y, r), part_bytes(j, r), 3 * bytes);
    part->out = guarded_new(out_bytes_of(j, r), 8);
    part->second = guarded_new(j->second_bytes, 8);
    if (j->h_out != NULL)
        cr_cuda(cudaMemcpy(part->out.data, j->h_out, j->out_bytes, cudaMemcpyHostToDevice));
    if (j->h_second != NULL)
        cr_cuda(
            cudaMemcpy(part->second.data, j->h_second, j->second_bytes, cudaMemcpyHostToDevice));
    cr_prim(asked_bytes(j->call(j, ASKING_RANK, 1), &workspace_bytes));
    part->workspace = guarded_new(workspace_bytes, 0);
    const bool given = j->own_workspace && workspace_bytes > 0;
    part->rank = (prim_rank){.comm = comms[r],
                             .d_in = part->in.data,
                             .d_in_y = part->in_y.data,
                             .d_out = part->out.data,
                             .d_second = part->second.data,
                             .call = {.d_workspace = given ? part->workspace.data : NULL,
                                      .workspace_bytes = given ? workspace_bytes : 0}};
    cr_cuda(cudaStreamCreateWithFlags(&part->rank.call.stream, cudaStreamNonBlocking));
}

static void give_up(device_part *part)
{
    guarded_free(&part->in);
    if (part->in_y.base != NULL)
        guarded_free(&part->in_y);
    guarded_free(&part->out);
    guarded_free(&part->second);
    guarded_free(&part->workspace);
    cr_cuda(cudaStreamDestroy(part->rank.call.stream));
}

static void take(const job *j, size_t r, device_part *part, const void *out, const void *second)
{
    const size_t out_bytes = out_bytes_of(j, r);
    const char *const expected =
        (const char *)out + begin_of(j, r) * j->element_bytes + r * j->rank_bytes;
    char *const found = malloc(out_bytes + j->second_bytes + 1);
    cr_cuda(cudaSetDevice((int)r));
    cr_cuda(cudaStreamSynchronize(part->rank.call.stream));
    guarded_read(&part->out, found);
    cr_assert_eq(memcmp(found, expected, out_bytes), 0, "rank %zu of %zu, %s, %zu × %s: result", r,
                 j->ranks, cut_names[j->how], j->whole, type_name(j->type));
    guarded_read(&part->second, found);
    cr_assert_eq(memcmp(found, second, j->second_bytes), 0, "rank %zu of %zu, %s, %zu × %s: second",
                 r, j->ranks, cut_names[j->how], j->whole, type_name(j->type));
    free(found);
    give_up(part);
}

typedef struct lone_rank {
    const job *job;
    const prim_rank *rank;
    size_t number;
    prim_status status;
} lone_rank;

/* Ranks come late, each time in another order. */
static void *drive(void *any)
{
    lone_rank *const l = any;
    const uint64_t nap = random_bits(l->number + 31 * l->job->whole + 7 * l->job->ranks) % 5000000;
    nanosleep(&(struct timespec){0, (long)nap}, NULL);
    l->status = l->job->call(l->job, l->rank, 1);
    return NULL;
}

static void run_in_threads(const job *j, const device_part *parts)
{
    pthread_t threads[MOST_RANKS];
    lone_rank ranks[MOST_RANKS];
    for (size_t r = 0; r < j->ranks; r++) {
        ranks[r] = (lone_rank){j, &parts[r].rank, r, PRIM_ERROR_ENUM};
        cr_assert_eq(pthread_create(&threads[r], NULL, drive, &ranks[r]), 0);
    }
    for (size_t r = 0; r < j->ranks; r++) {
        pthread_join(threads[r], NULL);
        cr_assert_eq(ranks[r].status, PRIM_OK, "rank %zu", r);
    }
}

static void run_in_one(const job *j, const device_part *parts)
{
    prim_rank ranks[MOST_RANKS];
    int device = -1;
    for (size_t r = 0; r < j->ranks; r++) /* in any order */
        ranks[r] = parts[j->ranks - 1 - r].rank;
    cr_cuda(cudaSetDevice((int)(j->ranks / 2)));
    cr_prim(j->call(j, ranks, j->ranks));
    cr_cuda(cudaGetDevice(&device));
    cr_assert_eq(device, (int)(j->ranks / 2));
}

static void check(job *j, const void *out, const void *second)
{
    device_part parts[MOST_RANKS];
    cut_up(j->how, j->ranks, j->whole, j->tile, j->counts);
    for (size_t r = 0; r < j->ranks; r++)
        put(j, r, &parts[r]);
    if (j->threads)
        run_in_threads(j, parts);
    else
        run_in_one(j, parts);
    for (size_t r = 0; r < j->ranks; r++)
        take(j, r, &parts[r], out, second);
#ifdef SIMT_BACKEND
    cr_assert_eq(simt_pool_bytes(), 0);
#endif
}

#ifdef SIMT_BACKEND
/* What a failed call has submitted comes to its end, and its results count for nothing. */
static void forget_results(const job *j, const device_part *parts)
{
    for (size_t r = 0; r < j->ranks; r++) {
        cr_cuda(cudaSetDevice((int)r));
        cr_cuda(cudaStreamSynchronize(parts[r].rank.call.stream));
        guarded_poison(&parts[r].out);
        guarded_poison(&parts[r].second);
    }
    cr_cuda(cudaSetDevice(1));
}

/* Each call of the runtime and of NCCL fails once: the call says so, and leaves behind no memory
 * and the same device. The last call, of which nothing fails, has the right result: those before it
 * have left nothing broken. */
static void fail_each(job *j, const void *out, const void *second)
{
    device_part parts[MOST_RANKS];
    prim_rank ranks[MOST_RANKS];
    size_t failures = 0;
    int device;
    cut_up(j->how, j->ranks, j->whole, j->tile, j->counts);
    for (size_t r = 0; r < j->ranks; r++) {
        put(j, r, &parts[r]);
        ranks[r] = parts[r].rank;
    }
    const size_t allocations = simt_device_allocations();
    for (uint64_t n = 1;; n++) {
        forget_results(j, parts);
        simt_fail_at(n);
        const prim_status status = j->call(j, ranks, j->ranks);
        const char *const failed = simt_failed_call();
        simt_fail_at(0);
        if (failed == NULL) {
            cr_prim(status);
            break;
        }
        failures++;
        cr_assert_neq(status, PRIM_OK, "%s (call %zu) failed", failed, (size_t)n);
        cr_assert_eq(simt_pool_bytes(), 0, "%s (call %zu) left memory", failed, (size_t)n);
        cr_assert_eq(simt_device_allocations(), allocations, "%s (call %zu) left an allocation",
                     failed, (size_t)n);
        cr_cuda(cudaGetDevice(&device));
        cr_assert(device == 1 || strcmp(failed, "cudaSetDevice") == 0, "%s (call %zu)", failed,
                  (size_t)n);
        cudaGetLastError();
    }
    cr_assert_gt(failures, 20);
    for (size_t r = 0; r < j->ranks; r++)
        take(j, r, &parts[r], out, second);
}
#endif

/* How the functions below prove a job's results: by check(), or with each failure on the way. */
static void (*prove)(job *j, const void *out, const void *second) = check;

/* ---- reduce ---- */

typedef struct reduction {
    prim_op op;
    prim_transform transform;
    cudaDataType_t in, out;
} reduction;

static prim_status call_reduce(const job *j, const prim_rank *ranks, size_t own_ranks)
{
    const reduction *r = j->args;
    return prim_distributed_reduce(r->op, r->transform, r->in, j->counts, j->ranks, r->out, ranks,
                                   own_ranks);
}

static size_t tile_of(cudaDataType_t type)
{
    return 16384 / type_bytes(type);
}

static void *make_input(prim_op op, cudaDataType_t type, size_t count)
{
    void *h_in = malloc(count * type_bytes(type) + 1);
    fill(type, h_in, count, UNIFORM, count);
    for (size_t i = 0; op == PRIM_OP_PRODUCT && type_is_float(type) && i < count; i++)
        write_float(type, h_in, i, 1 + 0.001 * (double)(random_bits(i) % 100) - 0.0495);
    return h_in;
}

static job reduce_job(const reduction *r, size_t whole, const void *h_in)
{
    return (job){.whole = whole,
                 .tile = tile_of(r->in),
                 .type = r->in,
                 .out_bytes = type_bytes(r->out),
                 .h_in = h_in,
                 .call = call_reduce,
                 .args = r};
}

static void check_reduce(job *j)
{
    const reduction *r = j->args;
    char expected[8];
    cr_prim(prim_reduce_host(r->op, r->transform, r->in, j->h_in, j->whole, r->out, expected, 1));
    prove(j, expected, expected);
}

static const reduction f32_sum = {PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, CUDA_R_32F};

static void check_cuts(const reduction *r, size_t ranks, size_t whole, bool threads)
{
    void *h_in = make_input(r->op, r->in, whole);
    for (cut how = 0; how < CUTS; how++) {
        job j = reduce_job(r, whole, h_in);
        j.ranks = ranks;
        j.how = how;
        j.threads = threads;
        j.own_workspace = how % 2 == 0;
        check_reduce(&j);
    }
    free(h_in);
}

/* Each number of ranks that there are devices for; a test of none is skipped. */
#define EACH_RANKS(ranks)                                                              \
    for (size_t ranks##_at = 0, ranks;                                                 \
         ranks##_at < COUNT_OF(rank_counts) && (ranks = rank_counts[ranks##_at]) != 0; \
         ranks##_at++)                                                                 \
        if (connect(ranks))

Test(distributed, a_sum_is_the_same_however_it_is_cut)
{
    static const size_t sizes[] = {0, 1, 7, 4095, 4096, 4097, 3 * 4096 + 17, 9 * 4096};
    EACH_RANKS(ranks)
    {
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            check_cuts(&f32_sum, ranks, sizes[s], false);
        disconnect(ranks);
    }
}

Test(distributed, a_thread_drives_each_rank)
{
    static const size_t sizes[] = {0, 5, 4097, 5 * 4096 + 1000};
    EACH_RANKS(ranks)
    {
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            check_cuts(&f32_sum, ranks, sizes[s], true);
        disconnect(ranks);
    }
}

/* Every pair of types, and operators and transforms in turn. */
Test(distributed, all_types_and_operators)
{
    const size_t ranks = least(devices(), 3);
    cr_assert(connect(ranks));
    for (size_t p = 0; p < PAIRS; p++)
        for (prim_op op = PRIM_OP_SUM; op <= PRIM_OP_XOR; op++) {
            const reduction r = {op, (prim_transform)((p + op) % 3), type_pairs[p].in,
                                 type_pairs[p].out};
            if (type_is_float(r.in) && op >= PRIM_OP_AND)
                continue;
            const size_t whole = 3 * tile_of(r.in) + 77;
            void *h_in = make_input(op, r.in, whole);
            job j = reduce_job(&r, whole, h_in);
            j.ranks = ranks;
            j.how = op % 2 == 0 ? RAGGED : EQUAL;
            check_reduce(&j);
            free(h_in);
        }
    disconnect(ranks);
}

/* More values of tiles than make a tile. */
Test(distributed, a_sum_of_three_levels)
{
    const reduction sum = {PRIM_OP_SUM, PRIM_TRANSFORM_SQUARE, CUDA_R_64F, CUDA_R_64F};
    const size_t ranks = least(devices(), 3), whole = 2048 * 2049 + 5;
    void *h_in = make_input(sum.op, sum.in, whole);
    job j = reduce_job(&sum, whole, h_in);
    cr_assert(connect(ranks));
    j.ranks = ranks;
    j.how = RAGGED;
    check_reduce(&j);
    free(h_in);
    disconnect(ranks);
}

Test(distributed, nan_and_the_ends_of_a_type)
{
    static const prim_op ops[] = {PRIM_OP_SUM, PRIM_OP_MIN, PRIM_OP_MAX, PRIM_OP_PRODUCT};
    enum { WHOLE = 9000 };
    const size_t ranks = least(devices(), 4);
    float *h_in = malloc(WHOLE * sizeof *h_in);
    cr_assert(connect(ranks));
    for (size_t o = 0; o < COUNT_OF(ops); o++)
        for (int nan = 0; nan < 2; nan++) {
            const reduction r = {ops[o], PRIM_TRANSFORM_NONE, CUDA_R_32F, CUDA_R_32F};
            fill(CUDA_R_32F, h_in, WHOLE, EXTREMES, o);
            for (int i = 0; i < WHOLE && !nan; i++)
                h_in[i] = isnan(h_in[i]) ? -0.0f : h_in[i];
            h_in[5000] = nan ? -NAN : 0;
            job j = reduce_job(&r, WHOLE, h_in);
            j.ranks = ranks;
            check_reduce(&j);
        }
    free(h_in);
    disconnect(ranks);
}

/* ---- dot ---- */

static prim_status call_dot(const job *j, const prim_rank *ranks, size_t own_ranks)
{
    const reduction *r = j->args;
    return prim_distributed_dot(r->in, j->counts, j->ranks, r->out, ranks, own_ranks);
}

static job dot_job(const reduction *r, size_t ranks, cut how, size_t whole, const void *h_x,
                   const void *h_y)
{
    job j = reduce_job(r, whole, h_x);
    j.ranks = ranks;
    j.how = how;
    j.threads = how == EVERY_OTHER;
    j.own_workspace = how % 2 == 1;
    j.h_in_y = h_y;
    j.call = call_dot;
    return j;
}

static void check_dot(const reduction *r, size_t ranks, cut how, size_t whole)
{
    char expected[8];
    void *const h_x = make_input(PRIM_OP_SUM, r->in, whole), *const h_y = malloc(whole * 8 + 1);
    fill(r->in, h_y, whole, UNIFORM, whole + 1);
    job j = dot_job(r, ranks, how, whole, h_x, h_y);
    cr_prim(prim_dot_host(r->in, h_x, h_y, whole, r->out, expected, 1));
    prove(&j, expected, expected);
    free(h_x);
    free(h_y);
}

Test(distributed, a_dot_product_is_the_same_however_it_is_cut)
{
    static const size_t sizes[] = {0, 1, 4097, 3 * 4096 + 17, 9 * 4096};
    EACH_RANKS(ranks)
    {
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            for (cut how = 0; how < CUTS; how++)
                check_dot(&f32_sum, ranks, how, sizes[s]);
        disconnect(ranks);
    }
}

Test(distributed, dot_products_of_all_types)
{
    const size_t ranks = least(devices(), 3);
    cr_assert(connect(ranks));
    for (size_t p = 0; p < PAIRS; p++) {
        const reduction r = {PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type_pairs[p].in, type_pairs[p].out};
        check_dot(&r, ranks, INSIDE_TILES, 2 * tile_of(r.in) + 77);
        check_dot(&r, ranks, EQUAL, 100);
    }
    disconnect(ranks);
}

/* Both arrays may be one, and neither is the result's place. */
Test(distributed, what_a_dot_product_reads)
{
    enum { WHOLE = 5000 };
    float expected, *const h_in = make_input(PRIM_OP_SUM, CUDA_R_32F, WHOLE);
    const size_t ranks = least(devices(), 2);
    job j = dot_job(&f32_sum, ranks, EQUAL, WHOLE, h_in, h_in);
    device_part parts[2];
    prim_rank mine[2];
    cr_assert(connect(ranks));
    cut_up(j.how, ranks, WHOLE, j.tile, j.counts);
    cr_prim(prim_dot_host(CUDA_R_32F, h_in, h_in, WHOLE, CUDA_R_32F, &expected, 1));
    for (size_t r = 0; r < ranks; r++) {
        put(&j, r, &parts[r]);
        mine[r] = parts[r].rank;
        mine[r].d_in_y = mine[r].d_in;
    }
    cr_prim(call_dot(&j, mine, ranks));
    mine[0].d_in_y = NULL;
    cr_assert_eq(call_dot(&j, mine, ranks), PRIM_ERROR_NULL);
    cr_assert_neq(strstr(prim_last_error(NULL), "rank 0: d_in_y is NULL"), NULL);
    mine[0].d_in_y = parts[0].in_y.data;
    mine[0].d_out = (float *)parts[0].in_y.data + 5;
    cr_assert_eq(call_dot(&j, mine, ranks), PRIM_ERROR_OVERLAP);
    mine[0].d_out = parts[0].out.data;
    for (size_t r = 0; r < ranks; r++)
        take(&j, r, &parts[r], &expected, &expected);
    free(h_in);
    disconnect(ranks);
}

/* ---- bands of rows ---- */

static prim_status call_rows(const job *j, const prim_rank *ranks, size_t own_ranks)
{
    const reduction *r = j->args;
    return prim_distributed_reduce_rows(r->op, r->transform, r->in, j->counts, j->ranks, j->columns,
                                        j->ld, r->out, ranks, own_ranks);
}

static prim_status call_columns(const job *j, const prim_rank *ranks, size_t own_ranks)
{
    const reduction *r = j->args;
    return prim_distributed_reduce_columns(r->op, r->transform, r->in, j->counts, j->ranks,
                                           j->columns, j->ld, r->out, ranks, own_ranks);
}

/* Rows of a tile of columns: as the header says. */
static size_t band_tile(const reduction *r, size_t rows, size_t columns)
{
    const size_t bytes = columns * type_bytes(r->in);
    if (rows <= 1024)
        return rows / 2 + 1;
    return bytes <= 16 ? 8192 : bytes <= 32 ? 4096 : bytes <= 64 ? 2048 : 1024;
}

typedef struct shape {
    size_t rows, columns, ld;
} shape;

static job columns_job(const reduction *r, size_t ranks, cut how, shape m, const void *h_in)
{
    job j = reduce_job(r, m.rows, h_in);
    j.ranks = ranks;
    j.how = how;
    j.tile = band_tile(r, m.rows, m.columns);
    j.columns = m.columns;
    j.ld = m.ld;
    j.out_bytes = m.columns * type_bytes(r->out);
    j.call = call_columns;
    j.threads = how == EVERY_OTHER;
    j.own_workspace = how % 2 == 0;
    return j;
}

static job rows_job(const reduction *r, size_t ranks, cut how, shape m, const void *h_in)
{
    job j = columns_job(r, ranks, how, m, h_in);
    j.out_bytes = 0;
    j.element_bytes = type_bytes(r->out);
    j.call = call_rows;
    return j;
}

static void check_bands(const reduction *r, size_t ranks, cut how, shape m)
{
    void *const h_in = make_input(r->op, r->in, m.rows * m.ld);
    char *const expected = malloc((m.columns + m.rows) * type_bytes(r->out) + 1);
    job j = columns_job(r, ranks, how, m, h_in);
    cr_prim(prim_reduce_columns_host(r->op, r->transform,
                                     prim_matrix_of(r->in, h_in, m.rows, m.columns, m.ld), r->out,
                                     expected, 1));
    prove(&j, expected, expected);
    j = rows_job(r, ranks, how, m, h_in);
    cr_prim(prim_reduce_rows_host(r->op, r->transform,
                                  prim_matrix_of(r->in, h_in, m.rows, m.columns, m.ld), r->out,
                                  expected, 1));
    prove(&j, expected, expected);
    free(h_in);
    free(expected);
}

/* Of one tile and of several, narrow and wide, with gaps and without. */
Test(distributed, columns_and_rows_are_the_same_however_they_are_cut)
{
    static const shape shapes[] = {{0, 5, 5},     {1, 5, 5},      {7, 33, 40},
                                   {300, 33, 33}, {1024, 9, 12},  {2500, 33, 40},
                                   {9000, 3, 3},  {4097, 20, 20}, {40, 0, 3}};
    EACH_RANKS(ranks)
    {
        for (size_t m = 0; m < COUNT_OF(shapes); m++)
            for (cut how = 0; how < CUTS; how++)
                check_bands(&f32_sum, ranks, how, shapes[m]);
        disconnect(ranks);
    }
}

/* Every pair of types, and operators and transforms in turn. */
Test(distributed, columns_and_rows_of_all_types_and_operators)
{
    const shape m = {2100, 17, 19};
    const size_t ranks = least(devices(), 3);
    cr_assert(connect(ranks));
    for (size_t p = 0; p < PAIRS; p++)
        for (prim_op op = PRIM_OP_SUM; op <= PRIM_OP_XOR; op++) {
            const reduction r = {op, (prim_transform)((p + op) % 3), type_pairs[p].in,
                                 type_pairs[p].out};
            if (!type_is_float(r.in) || op < PRIM_OP_AND)
                check_bands(&r, ranks, op % 2 == 0 ? INSIDE_TILES : EQUAL, m);
        }
    disconnect(ranks);
}

Test(distributed, bands_whose_rows_overlap_are_refused)
{
    const shape m = {10, 5, 5};
    const size_t counts[] = {10};
    float *const h_in = make_input(PRIM_OP_SUM, CUDA_R_32F, 50);
    job j = columns_job(&f32_sum, 1, EQUAL, m, h_in);
    device_part part;
    cr_assert(connect(1));
    j.counts[0] = 10;
    put(&j, 0, &part);
    j.ld = 4;
    cr_assert_eq(call_columns(&j, &part.rank, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(call_rows(&j, &part.rank, 1), PRIM_ERROR_VALUE);
    j.ld = 5;
    part.rank.d_out = (float *)part.in.data + 45;
    cr_assert_eq(call_columns(&j, &part.rank, 1), PRIM_ERROR_OVERLAP);
    cr_assert(guarded_untouched(&part.out));
    cr_assert_eq(prim_distributed_reduce_columns(PRIM_OP_AND, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                                                 counts, 1, 5, 5, CUDA_R_32F, ASKING_RANK, 1),
                 PRIM_ERROR_TYPE);
    give_up(&part);
    free(h_in);
    disconnect(1);
}

/* Also where it is only asked. */
Test(distributed, the_shape_of_bands_is_looked_at)
{
    static const prim_op ops[] = {PRIM_OP_SUM, PRIM_OP_MIN};
    const size_t counts[] = {10, 10}, many[] = {(size_t)1 << 33, (size_t)1 << 33};
    const size_t far = ((size_t)1 << 28) + 1; /* the whole has more bytes than size_t counts */
    for (size_t o = 0; o < COUNT_OF(ops); o++) {
        cr_assert_eq(prim_distributed_reduce_rows(ops[o], PRIM_TRANSFORM_NONE, CUDA_R_32F, counts,
                                                  2, 5, 4, CUDA_R_32F, ASKING_RANK, 1),
                     PRIM_ERROR_VALUE);
        cr_assert_eq(prim_distributed_reduce_columns(ops[o], PRIM_TRANSFORM_NONE, CUDA_R_32F,
                                                     counts, 2, 5, 4, CUDA_R_32F, ASKING_RANK, 1),
                     PRIM_ERROR_VALUE);
        cr_assert_eq(prim_distributed_reduce_columns(ops[o], PRIM_TRANSFORM_NONE, CUDA_R_32F, many,
                                                     2, 5, far, CUDA_R_32F, ASKING_RANK, 1),
                     PRIM_ERROR_SIZE);
    }
}

/* ---- arg_reduce ---- */

static prim_status call_arg(const job *j, const prim_rank *ranks, size_t own_ranks)
{
    const reduction *r = j->args;
    return prim_distributed_arg_reduce(r->op, r->transform, r->in, j->counts, j->ranks, ranks,
                                       own_ranks);
}

static void check_arg(const reduction *r, size_t ranks, cut how, size_t whole, const void *h_in)
{
    char value[8];
    uint64_t index;
    job j = reduce_job(r, whole, h_in);
    j.ranks = ranks;
    j.how = how;
    j.threads = how == EVERY_OTHER;
    j.own_workspace = how == EQUAL;
    j.second_bytes = sizeof index;
    j.call = call_arg;
    cr_prim(prim_arg_reduce_host(r->op, r->transform, r->in, h_in, whole, value, &index, 1));
    prove(&j, value, &index);
}

Test(distributed, the_first_extreme_element)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_8U, CUDA_R_64U, CUDA_R_16F};
    EACH_RANKS(ranks)
    {
        for (size_t t = 0; t < COUNT_OF(types); t++)
            for (cut how = 0; how < CUTS; how++) {
                const reduction r = {how % 2 == 0 ? PRIM_OP_MIN : PRIM_OP_MAX,
                                     (prim_transform)(t % 3), types[t], types[t]};
                void *h_in = malloc(5000 * type_bytes(types[t]));
                fill(types[t], h_in, 5000, t % 2 == 0 ? EXTREMES : UNIFORM, how);
                check_arg(&r, ranks, how, 5000, h_in); /* with many that are equal */
                check_arg(&r, ranks, how, 1, h_in);
                free(h_in);
            }
        disconnect(ranks);
    }
}

/* Squares that differ, and are both infinite as f16, or the same subnormal. */
Test(distributed, squares_are_compared_before_they_are_rounded)
{
    static const double inputs[][2] = {{300, 400}, {0x1p-10, 0x1p-10 + 0x1p-20}};
    const reduction r = {PRIM_OP_MAX, PRIM_TRANSFORM_SQUARE, CUDA_R_16F, CUDA_R_16F};
    if (!connect(2))
        cr_skip_test("needs two devices");
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        uint16_t h_in[2];
        for (size_t e = 0; e < 2; e++)
            write_float(CUDA_R_16F, h_in, e, inputs[i][e]);
        check_arg(&r, 2, EQUAL, 2, h_in);
    }
    disconnect(2);
}

/* ---- scan ---- */

typedef struct scan {
    prim_scan_kind kind;
    prim_op op;
    prim_transform transform;
    cudaDataType_t in, out;
} scan;

static prim_status call_scan(const job *j, const prim_rank *ranks, size_t own_ranks)
{
    const scan *s = j->args;
    return prim_distributed_scan(s->kind, s->op, s->transform, s->in, j->counts, j->ranks, s->out,
                                 ranks, own_ranks);
}

static prim_status call_carry(const job *j, const prim_rank *ranks, size_t own_ranks)
{
    const scan *s = j->args;
    return prim_distributed_carry(s->op, s->transform, s->in, j->counts, j->ranks, s->out, ranks,
                                  own_ranks);
}

static size_t scan_tile_of(const scan *s)
{
    const size_t in = type_bytes(s->in), out = type_bytes(s->out);
    return 32768 / (in > out ? in : out);
}

static job scan_job(const scan *s, size_t ranks, cut how, size_t whole, const void *h_in)
{
    return (job){.ranks = ranks,
                 .whole = whole,
                 .how = how,
                 .tile = scan_tile_of(s),
                 .type = s->in,
                 .element_bytes = type_bytes(s->out),
                 .second_bytes = type_bytes(s->out),
                 .h_in = h_in,
                 .call = call_scan,
                 .args = s,
                 .threads = how == EVERY_OTHER,
                 .own_workspace = how == EQUAL};
}

static void check_scan(const scan *s, size_t ranks, cut how, size_t whole, const void *h_in)
{
    char total[8];
    char *const expected = malloc(whole * type_bytes(s->out) + 1);
    cr_prim(prim_scan_host(s->kind, s->op, s->transform, s->in, h_in, whole, s->out, expected,
                           &(prim_scan_ends){.total = total}, 1));
    job j = scan_job(s, ranks, how, whole, h_in);
    prove(&j, expected, total);
    free(expected);
}

/* The whole's exclusive prefix at each part's begin, and after its last element the total. */
static void check_carry(const scan *s, size_t ranks, cut how, size_t whole, const void *h_in)
{
    size_t counts[MOST_RANKS];
    char carries[MOST_RANKS][8], total[8];
    char *const scanned = malloc(whole * type_bytes(s->out) + 1);
    job j = scan_job(s, ranks, how, whole, h_in);
    j.call = call_carry;
    j.element_bytes = j.second_bytes = 0;
    j.out_bytes = type_bytes(s->out);
    j.rank_bytes = sizeof carries[0];
    cut_up(how, ranks, whole, j.tile, counts);
    cr_prim(prim_scan_host(PRIM_SCAN_EXCLUSIVE, s->op, s->transform, s->in, h_in, whole, s->out,
                           scanned, &(prim_scan_ends){.total = total}, 1));
    for (size_t r = 0, begin = 0; r < ranks; begin += counts[r++])
        memcpy(carries[r], begin == whole ? total : &scanned[begin * j.out_bytes], j.out_bytes);
    prove(&j, carries, carries);
    free(scanned);
}

static void check_scan_and_carry(const scan *s, size_t ranks, size_t whole)
{
    void *h_in = make_input(s->op, s->in, whole);
    for (cut how = 0; how < CUTS; how++) {
        check_scan(s, ranks, how, whole, h_in);
        check_carry(s, ranks, how, whole, h_in);
    }
    free(h_in);
}

Test(distributed, a_scan_is_the_same_however_it_is_cut)
{
    static const size_t sizes[] = {0, 1, 7, 4097, 3 * 4096 + 17};
    static const scan scans[] = {
        {PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, CUDA_R_32I},
        {PRIM_SCAN_EXCLUSIVE, PRIM_OP_MAX, PRIM_TRANSFORM_ABS, CUDA_R_32F, CUDA_R_32F}};
    EACH_RANKS(ranks)
    {
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            check_scan_and_carry(&scans[s % 2], ranks, sizes[s]);
        disconnect(ranks);
    }
}

Test(distributed, a_scan_of_floats_is_the_same_however_it_is_cut)
{
    enum { TILE = 8192 };
    static const size_t sizes[] = {0, 1, 7, TILE, TILE + 1, 3 * TILE + 17, 6 * TILE};
    static const scan scans[] = {
        {PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, CUDA_R_32F},
        {PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, CUDA_R_32F}};
    EACH_RANKS(ranks)
    {
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            check_scan_and_carry(&scans[s % 2], ranks, sizes[s]);
        disconnect(ranks);
    }
}

/* More totals than the block that chains them takes at once, and parts that prim_scan() reads
 * once. */
Test(distributed, a_scan_of_many_tiles)
{
    static const scan scans[] = {
        {PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_SQUARE, CUDA_R_32F, CUDA_R_64F},
        {PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_64F, CUDA_R_64F}};
    static const cut cuts[] = {RAGGED, INSIDE_TILES};
    static const size_t wholes[] = {4096 * 2051 + 5, 4096 * 1300 + 5};
    const size_t ranks = least(devices(), 3);
    cr_assert(connect(ranks));
    for (size_t i = 0; i < COUNT_OF(scans); i++) {
        void *const h_in = make_input(scans[i].op, scans[i].in, wholes[i]);
        check_scan(&scans[i], ranks, cuts[i], wholes[i], h_in);
        free(h_in);
    }
    disconnect(ranks);
}

/* Parts of whole tiles: a scan of each from its carry on is the whole's. */
Test(distributed, a_carry_is_what_a_later_scan_begins_with)
{
    enum { TILE = 8192 };
    const scan s = {PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, CUDA_R_32F};
    const size_t ranks = least(devices(), 4), whole = 2 * ranks * TILE - 77;
    float *const h_in = make_input(s.op, s.in, whole), *const expected = malloc(whole * 4),
                 *const found = malloc(whole * 4);
    job j = scan_job(&s, ranks, EQUAL, whole, h_in);
    cr_assert(connect(ranks));
    cr_prim(prim_scan_host(s.kind, s.op, s.transform, s.in, h_in, whole, s.out, expected, NULL, 1));
    device_part parts[MOST_RANKS];
    prim_rank mine[MOST_RANKS];
    for (size_t r = 0; r < ranks; r++)
        j.counts[r] = r + 1 < ranks ? 2 * TILE : 2 * TILE - 77;
    for (size_t r = 0; r < ranks; r++) {
        put(&j, r, &parts[r]);
        mine[r] = parts[r].rank;
        mine[r].d_out = parts[r].second.data;
    }
    cr_prim(call_carry(&j, mine, ranks));
    for (size_t r = 0; r < ranks; r++) {
        cr_cuda(cudaSetDevice((int)r));
        cr_prim(prim_scan(PRIM_SCAN_AUTO, s.kind, s.op, s.transform, s.in, mine[r].d_in,
                          j.counts[r], s.out, parts[r].out.data,
                          &(prim_scan_ends){.d_initial = mine[r].d_out},
                          into(mine[r].call.stream)));
        cr_cuda(cudaStreamSynchronize(mine[r].call.stream));
        guarded_read(&parts[r].out, found + begin_of(&j, r));
        give_up(&parts[r]);
    }
    cr_assert_arr_eq(found, expected, whole * sizeof *found);
    free(h_in);
    free(expected);
    free(found);
    disconnect(ranks);
}

static void check_in_place(const scan *s, cut how)
{
    enum { WHOLE = 20011 };
    const size_t ranks = least(devices(), 3);
    uint32_t *const h_in = make_input(s->op, s->in, WHOLE), found[WHOLE], expected[WHOLE];
    job j = scan_job(s, ranks, how, WHOLE, h_in);
    device_part parts[MOST_RANKS];
    prim_rank mine[MOST_RANKS];
    cr_assert(connect(ranks));
    cut_up(j.how, ranks, WHOLE, j.tile, j.counts);
    cr_prim(prim_scan_host(s->kind, s->op, s->transform, s->in, h_in, WHOLE, s->out, expected, NULL,
                           1));
    for (size_t r = 0; r < ranks; r++) {
        put(&j, r, &parts[r]);
        mine[r] = parts[r].rank;
        mine[r].d_out = parts[r].in.data;
        mine[r].d_second = NULL;
    }
    mine[0].d_out = (uint32_t *)parts[0].in.data + 1;
    cr_assert_eq(call_scan(&j, mine, ranks), PRIM_ERROR_OVERLAP);
    mine[0].d_out = parts[0].in.data;
    cr_prim(call_scan(&j, mine, ranks));
    for (size_t r = 0; r < ranks; r++) {
        cr_cuda(cudaSetDevice((int)r));
        cr_cuda(cudaStreamSynchronize(mine[r].call.stream));
        guarded_read(&parts[r].in, found + begin_of(&j, r));
        cr_assert(guarded_untouched(&parts[r].second));
        give_up(&parts[r]);
    }
    cr_assert_arr_eq(found, expected, sizeof found);
    free(h_in);
    disconnect(ranks);
}

Test(distributed, a_scan_in_place_without_a_total)
{
    static const scan scans[] = {
        {PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32U, CUDA_R_32U},
        {PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, CUDA_R_32F}};
    for (size_t i = 0; i < COUNT_OF(scans); i++) {
        check_in_place(&scans[i], INSIDE_TILES);
        check_in_place(&scans[i], EQUAL);
    }
}

/* Every pair of types with every operator, and kinds and transforms in turn. */
Test(distributed, scans_of_all_types_and_operators)
{
    const size_t ranks = least(devices(), 3);
    cr_assert(connect(ranks));
    for (size_t p = 0; p < PAIRS; p++)
        for (prim_op op = PRIM_OP_SUM; op <= PRIM_OP_PRODUCT; op++) {
            const scan s = {(prim_scan_kind)(p % 2), op, (prim_transform)((p + op) % 3),
                            type_pairs[p].in, type_pairs[p].out};
            const size_t whole = 2 * scan_tile_of(&s) + 77;
            void *const h_in = make_input(op, s.in, whole);
            check_scan(&s, ranks, RAGGED, whole, h_in);
            check_carry(&s, ranks, EQUAL, whole, h_in);
            check_carry(&s, ranks, AT_VECTORS, whole, h_in);
            free(h_in);
        }
    disconnect(ranks);
}

/* ---- histogram ---- */

typedef struct counting {
    prim_histogram_variant variant;
    unsigned flags;
    prim_outside outside;
    cudaDataType_t counters;
    size_t bins;
} counting;

static const prim_histogram_range range = {-100, 100, -0.8, 0.9};

static prim_status call_histogram(const job *j, const prim_rank *ranks, size_t own_ranks)
{
    const counting *c = j->args;
    return prim_distributed_histogram_even(
        c->variant, range, j->type, j->counts, j->ranks,
        (prim_counters){
            .bins = c->bins, .type = c->counters, .flags = c->flags, .outside = c->outside},
        ranks, own_ranks);
}

static void check_histogram(const counting *c, size_t ranks, cut how, cudaDataType_t type,
                            size_t whole)
{
    char before[8192], counters[8192], outside[24], outside_before[24];
    void *h_in = malloc(whole * type_bytes(type) + 1);
    const bool counts_outside = c->outside == PRIM_OUTSIDE_COUNT;
    job j = {.ranks = ranks,
             .how = how,
             .whole = whole,
             .tile = tile_of(type),
             .type = type,
             .out_bytes = c->bins * type_bytes(c->counters),
             .second_bytes = counts_outside ? 3 * type_bytes(c->counters) : 0,
             .h_in = h_in,
             .h_out = before,
             .h_second = outside_before,
             .call = call_histogram,
             .args = c,
             .threads = how == EVERY_OTHER,
             .own_workspace = how == RAGGED};
    fill(type, h_in, whole, UNIFORM, whole);
    memset(before, 1, sizeof before);
    memset(outside_before, 2, sizeof outside_before);
    memcpy(counters, before, sizeof before);
    memcpy(outside, outside_before, sizeof outside);
    cr_prim(prim_histogram_even_host(range, type, h_in, whole,
                                     (prim_counters){.data = counters,
                                                     .bins = c->bins,
                                                     .type = c->counters,
                                                     .flags = c->flags,
                                                     .outside = c->outside,
                                                     .outside_data = outside},
                                     1));
    prove(&j, counters, outside);
    free(h_in);
}

Test(distributed, histograms_of_all_parts)
{
    static const counting kinds[] = {
        {PRIM_HISTOGRAM_AUTO, 0, PRIM_OUTSIDE_DROP, CUDA_R_32U, 64},
        {PRIM_HISTOGRAM_PARTITIONED, 0, PRIM_OUTSIDE_COUNT, CUDA_R_64U, 1000},
        {PRIM_HISTOGRAM_PARTITIONED, PRIM_HISTOGRAM_ADD, PRIM_OUTSIDE_COUNT, CUDA_R_32U, 333},
        {PRIM_HISTOGRAM_AUTO, PRIM_HISTOGRAM_ADD | PRIM_HISTOGRAM_LAST_BIN_OPEN, PRIM_OUTSIDE_CLAMP,
         CUDA_R_64U, 1},
    };
    const size_t count = 5;
    for (size_t less = 0; less <= 100; less += 100) /* bins would fit, and are rounded up */
        cr_assert_eq(prim_distributed_histogram_even(PRIM_HISTOGRAM_AUTO, prim_integer_range(0, 9),
                                                     CUDA_R_8U, &count, 1,
                                                     (prim_counters){.bins = SIZE_MAX / 4 - less,
                                                                     .type = CUDA_R_32U,
                                                                     .flags = PRIM_HISTOGRAM_ADD},
                                                     ASKING_RANK, 1),
                     PRIM_ERROR_SIZE);
    EACH_RANKS(ranks)
    {
        for (size_t k = 0; k < COUNT_OF(kinds); k++)
            for (cut how = 0; how < CUTS; how++) {
                check_histogram(&kinds[k], ranks, how, CUDA_R_32F, 3001);
                check_histogram(&kinds[k], ranks, how, CUDA_R_8I, how);
            }
        disconnect(ranks);
    }
}

/* ---- what is refused, and leaves everything as it was ---- */

typedef struct refusal {
    prim_status status;
    const char *words;
    void (*spoil)(job *j, prim_rank *ranks, size_t *own_ranks, reduction *r);
} refusal;

#define SPOIL(name, statement)                                                  \
    static void name(job *j, prim_rank *ranks, size_t *own_ranks, reduction *r) \
    {                                                                           \
        (void)j, (void)ranks, (void)own_ranks, (void)r;                         \
        statement;                                                              \
    }
SPOIL(no_ranks, *own_ranks = 0)
SPOIL(no_comm, ranks[1].comm = NULL)
SPOIL(twice_the_same, ranks[1].comm = ranks[0].comm)
SPOIL(too_few, j->ranks = 1)
SPOIL(no_input, ranks[1].d_in = NULL)
SPOIL(no_output, ranks[1].d_out = NULL)
SPOIL(crooked, ranks[1].d_out = (char *)ranks[1].d_out + 1)
SPOIL(in_the_input, ranks[1].d_out = (void *)(uintptr_t)ranks[1].d_in)
SPOIL(huge, (j->counts[0] = SIZE_MAX / 2, j->counts[1] = SIZE_MAX / 2 + 2))
SPOIL(huge_bytes, j->counts[0] = SIZE_MAX / 2)
SPOIL(no_op, r->op = (prim_op)9)
SPOIL(no_type, r->out = CUDA_R_8U)
SPOIL(some_ask, {
    static prim_answer answer;
    ranks[1].call.answer = &answer;
})
SPOIL(reserved, ranks[1].call.reserved[7] = 1)
SPOIL(small_workspace, ranks[1].call.workspace_bytes--)
SPOIL(no_workspace, ranks[1].call.d_workspace = NULL)
SPOIL(crooked_workspace, ranks[1].call.d_workspace = (char *)ranks[1].call.d_workspace + 16)
SPOIL(host_output, ranks[1].d_out = r)
SPOIL(another_devices, ranks[1].d_in = ranks[0].d_in)

static const refusal refusals[] = {
    {PRIM_ERROR_VALUE, "own_ranks is 0", no_ranks},
    {PRIM_ERROR_NULL, "comm is NULL", no_comm},
    {PRIM_ERROR_VALUE, "both rank 0", twice_the_same},
    {PRIM_ERROR_VALUE, "total_ranks is 1", too_few},
    {PRIM_ERROR_NULL, "rank 1: d_in is NULL", no_input},
    {PRIM_ERROR_NULL, "rank 1: d_out is NULL", no_output},
    {PRIM_ERROR_MISALIGNED, "rank 1: d_out", crooked},
    {PRIM_ERROR_OVERLAP, "rank 1: d_out overlaps d_in", in_the_input},
    {PRIM_ERROR_SIZE, "sum of 2 counts", huge},
    {PRIM_ERROR_SIZE, "do not fit size_t", huge_bytes},
    {PRIM_ERROR_ENUM, "op is 9", no_op},
    {PRIM_ERROR_TYPE, "out_type is u8", no_type},
    {PRIM_ERROR_VALUE, "ranks[0] and ranks[1]", some_ask},
    {PRIM_ERROR_VALUE, "ranks[1]: call->reserved[7]", reserved},
    {PRIM_ERROR_WORKSPACE, "rank 1: workspace_bytes", small_workspace},
    {PRIM_ERROR_NULL, "rank 1: d_workspace is NULL", no_workspace},
    {PRIM_ERROR_MISALIGNED, "rank 1: d_workspace", crooked_workspace},
    {PRIM_ERROR_MEMORY, "rank 1: device 1 reaches 0 bytes", host_output},
    {PRIM_ERROR_MEMORY, "rank 1: device 1 reaches 0 bytes", another_devices},
};

Test(distributed, arguments_are_checked_before_anything_runs)
{
    enum { WHOLE = 5000 };
    if (!connect(2))
        cr_skip_test("needs two devices");
    float *h_in = make_input(PRIM_OP_SUM, CUDA_R_32F, WHOLE);
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        reduction r = f32_sum;
        job j = reduce_job(&r, WHOLE, h_in);
        device_part parts[2];
        if (refusals[i].status == PRIM_ERROR_MEMORY && !on_cpu_backend())
            continue;
        j.ranks = 2;
        j.own_workspace = true;
        cut_up(EQUAL, 2, WHOLE, j.tile, j.counts);
        for (size_t rank = 0; rank < 2; rank++)
            put(&j, rank, &parts[rank]);
        prim_rank ranks[] = {parts[0].rank, parts[1].rank};
        size_t own_ranks = 2;
        refusals[i].spoil(&j, ranks, &own_ranks, &r);
        cr_assert_eq(call_reduce(&j, ranks, own_ranks), refusals[i].status, "%s: %s",
                     refusals[i].words, prim_last_error(NULL));
        const char *const sentence = prim_last_error(NULL);
        cr_assert(strstr(sentence, refusals[i].words) != NULL, "%s: %s", refusals[i].words,
                  sentence);
        cr_assert_eq(strncmp(sentence, "prim_distributed_reduce: ", 25), 0, "%s", sentence);
        for (size_t rank = 0; rank < 2; rank++) {
            cr_assert(guarded_untouched(&parts[rank].out), "%s", refusals[i].words);
            cr_assert(guarded_untouched(&parts[rank].workspace), "%s", refusals[i].words);
            give_up(&parts[rank]);
        }
    }
    free(h_in);
    disconnect(2);
}

static size_t asked_of_any_rank(const job *j)
{
    size_t bytes;
    cr_prim(asked_bytes(j->call(j, ASKING_RANK, 1), &bytes));
    return bytes;
}

/* Each rank is answered, with the workspace that any rank is told; nothing runs, and a refusal
 * answers nothing. */
Test(distributed, ranks_that_ask_are_answered_and_nothing_runs)
{
    enum { WHOLE = 5000 };
    if (!connect(2))
        cr_skip_test("needs two devices");
    float *h_in = make_input(PRIM_OP_SUM, CUDA_R_32F, WHOLE);
    job j = reduce_job(&f32_sum, WHOLE, h_in);
    device_part parts[2];
    prim_rank ranks[2];
    prim_answer answers[2] = {{.workspace_bytes = 1}, {.workspace_bytes = 2}};
    j.ranks = 2;
    j.own_workspace = true;
    cut_up(EQUAL, 2, WHOLE, j.tile, j.counts);
    for (size_t r = 0; r < 2; r++) {
        put(&j, r, &parts[r]);
        ranks[r] = parts[r].rank;
        ranks[r].call.answer = &answers[r];
    }
    cr_prim(call_reduce(&j, ranks, 2));
    for (size_t r = 0; r < 2; r++) {
        cr_assert_eq(answers[r].workspace_bytes, asked_of_any_rank(&j));
        cr_assert_null(answers[r].variant);
        cr_assert(guarded_untouched(&parts[r].out));
        cr_assert(guarded_untouched(&parts[r].workspace));
    }
    ranks[1].d_out = (char *)ranks[1].d_out + 1;
    cr_assert_eq(call_reduce(&j, ranks, 2), PRIM_ERROR_MISALIGNED);
    cr_assert_eq(answers[0].workspace_bytes + answers[1].workspace_bytes, 0);
    for (size_t r = 0; r < 2; r++)
        give_up(&parts[r]);
    free(h_in);
    disconnect(2);
}

Test(distributed, pointers_that_every_call_needs)
{
    size_t count = 0;
    prim_rank rank = {.comm = NULL};
    cr_assert_eq(prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, NULL, 1,
                                         CUDA_R_32F, &rank, 1),
                 PRIM_ERROR_NULL);
    cr_assert_eq(prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, &count, 1,
                                         CUDA_R_32F, NULL, 1),
                 PRIM_ERROR_NULL);
    cr_assert_eq(prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, &count, 0,
                                         CUDA_R_32F, ASKING_RANK, 1),
                 PRIM_ERROR_VALUE);
    cr_assert_eq(prim_distributed_arg_reduce(PRIM_OP_MIN, PRIM_TRANSFORM_NONE, CUDA_R_32F, &count,
                                             1, ASKING_RANK, 1),
                 PRIM_ERROR_SIZE);
    cr_assert_str_eq(prim_status_string(PRIM_ERROR_NCCL), "PRIM_ERROR_NCCL");
}

/* ---- captures ---- */

/* Of one rank: NCCL advises against several GPUs of one process. */
Test(distributed, a_captured_sum_replays)
{
    enum { WHOLE = 3 * 4096 + 17 };
    float expected, results[2];
    device_part part;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    if (on_cpu_backend() || !connect(1))
        cr_skip_test("NCCL's stand-in cannot be captured");
    float *h_in = make_input(PRIM_OP_SUM, CUDA_R_32F, WHOLE);
    job j = reduce_job(&f32_sum, WHOLE, h_in);
    j.ranks = 1;
    j.own_workspace = true;
    cut_up(EQUAL, 1, WHOLE, j.tile, j.counts);
    put(&j, 0, &part);
    const cudaStream_t stream = part.rank.call.stream;
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cr_prim(call_reduce(&j, &part.rank, 1));
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    cr_prim(prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, h_in, WHOLE, CUDA_R_32F,
                             &expected, 1));
    for (int run = 0; run < 2; run++) {
        cr_cuda(cudaMemsetAsync(part.rank.d_out, 0xA5, sizeof expected, stream));
        cr_cuda(cudaGraphLaunch(exec, stream));
        cr_cuda(cudaMemcpyAsync(&results[run], part.rank.d_out, sizeof expected,
                                cudaMemcpyDeviceToHost, stream));
        cr_cuda(cudaStreamSynchronize(stream));
        cr_assert_arr_eq(&results[run], &expected, sizeof expected, "replay %d", run);
    }
    cr_cuda(cudaGraphExecDestroy(exec));
    cr_cuda(cudaGraphDestroy(graph));
    give_up(&part);
    free(h_in);
    disconnect(1);
}

/* ---- what processes must agree on ---- */

typedef struct statement {
    const job *job;
    prim_rank rank;
    prim_status status;
    char sentence[256];
} statement;

static void *state(void *any)
{
    statement *const s = any;
    s->status = s->job->call(s->job, &s->rank, 1);
    snprintf(s->sentence, sizeof s->sentence, "%s", prim_last_error(NULL));
    return NULL;
}

static void say_less(job *j, prim_rank *rank)
{
    (void)rank;
    j->counts[0]++;
    j->counts[1]--; /* its own */
}

static void say_least(job *j, prim_rank *rank)
{
    static const reduction least = {PRIM_OP_MIN, PRIM_TRANSFORM_NONE, CUDA_R_32F, CUDA_R_32F};
    (void)rank;
    j->args = &least;
}

static void say_dot(job *j, prim_rank *rank)
{
    rank->d_in_y = rank->d_in;
    j->call = call_dot;
}

static void say_nothing(job *j, prim_rank *rank)
{
    (void)j;
    rank->d_out = NULL;
}

/* What rank 1 does otherwise, what rank 0 hears of it, and rank 1 of rank 0. */
static const struct {
    void (*speak)(job *j, prim_rank *rank);
    const char *heard, *answer;
    prim_status of_speaker;
} disagreements[] = {
    {say_less, "rank 1 was called with different h_counts",
     "rank 0 was called with different h_counts", PRIM_ERROR_VALUE},
    {say_least, "rank 1 was called with different arguments",
     "rank 0 was called with different arguments", PRIM_ERROR_VALUE},
    {say_dot, "rank 1 makes a different call", "rank 0 makes a different call", PRIM_ERROR_VALUE},
    {say_nothing, "rank 1 refuses its arguments", "rank 1: d_out is NULL", PRIM_ERROR_NULL},
};

/* A process for each rank, which are threads here. */
static void disagree(size_t i, const job *j, const device_part *parts)
{
    job other = *j;
    pthread_t threads[2];
    statement s[2] = {{.job = j, .rank = parts[0].rank}, {.job = &other, .rank = parts[1].rank}};
    disagreements[i].speak(&other, &s[1].rank);
    for (size_t r = 0; r < 2; r++)
        cr_assert_eq(pthread_create(&threads[r], NULL, state, &s[r]), 0);
    for (size_t r = 0; r < 2; r++)
        pthread_join(threads[r], NULL);
    cr_assert_eq(s[0].status, PRIM_ERROR_VALUE, "%s: %s", disagreements[i].heard, s[0].sentence);
    cr_assert(strstr(s[0].sentence, disagreements[i].heard) != NULL, "%s", s[0].sentence);
    cr_assert_eq(s[1].status, disagreements[i].of_speaker, "%s", s[1].sentence);
    cr_assert(strstr(s[1].sentence, disagreements[i].answer) != NULL, "%s", s[1].sentence);
}

Test(distributed, ranks_agree_before_they_work)
{
    enum { WHOLE = 9000 };
    setenv("PRIM_DISTRIBUTED_AGREE", "1", 1);
    if (!connect(2))
        cr_skip_test("needs two devices");
    float *h_in = make_input(PRIM_OP_SUM, CUDA_R_32F, WHOLE);
    job j = reduce_job(&f32_sum, WHOLE, h_in);
    j.ranks = 2;
    for (size_t i = 0; i < COUNT_OF(disagreements); i++) {
        device_part parts[2];
        cut_up(EQUAL, 2, WHOLE, j.tile, j.counts);
        for (size_t r = 0; r < 2; r++)
            put(&j, r, &parts[r]);
        disagree(i, &j, parts);
        for (size_t r = 0; r < 2; r++) {
            cr_assert(guarded_untouched(&parts[r].out), "%s", disagreements[i].heard);
            give_up(&parts[r]);
        }
    }
    free(h_in);
    disconnect(2);
}

/* With the option on, a call gives what it gives without; test_distributed_processes.c asks all of
 * them. */
Test(distributed, what_agrees_works)
{
    enum { WHOLE = 3 * 8192 + 17 };
    setenv("PRIM_DISTRIBUTED_AGREE", "1", 1);
    if (!connect(2))
        cr_skip_test("needs two devices");
    float *h_in = make_input(PRIM_OP_SUM, CUDA_R_32F, WHOLE);
    for (int threads = 0; threads < 2; threads++) {
        job j = reduce_job(&f32_sum, WHOLE, h_in);
        j.ranks = 2;
        j.threads = threads == 1;
        check_reduce(&j);
    }
    free(h_in);
    disconnect(2);
}

#ifdef SIMT_BACKEND
static void fail_each_call(void)
{
    enum { WHOLE = 3 * 8192 + 17 };
    static const reduction sum = {PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_16F, CUDA_R_16F},
                           first = {PRIM_OP_MIN, PRIM_TRANSFORM_NONE, CUDA_R_16F, CUDA_R_16F},
                           dot = {PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_16F, CUDA_R_32F},
                           most = {PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_16F, CUDA_R_16F};
    static const scan halves = {PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_16F,
                                CUDA_R_16F};
    static const counting bins = {PRIM_HISTOGRAM_AUTO, 0, PRIM_OUTSIDE_COUNT, CUDA_R_32U, 64};
    void *const h_in = make_input(PRIM_OP_SUM, CUDA_R_16F, WHOLE);
    job j = reduce_job(&sum, WHOLE, h_in);
    j.ranks = 3;
    check_reduce(&j);
    check_arg(&first, 3, RAGGED, WHOLE, h_in);
    check_dot(&dot, 3, INSIDE_TILES, WHOLE);
    check_bands(&sum, 3, INSIDE_TILES, (shape){2000, 9, 12});
    check_bands(&most, 3, EQUAL, (shape){200, 9, 12});
    check_scan(&halves, 3, INSIDE_TILES, WHOLE, h_in);
    check_carry(&halves, 3, INSIDE_TILES, WHOLE, h_in);
    check_histogram(&bins, 3, EQUAL, CUDA_R_16F, WHOLE);
    setenv("PRIM_DISTRIBUTED_AGREE", "1", 1);
    check_carry(&halves, 3, INSIDE_TILES, WHOLE, h_in);
    free(h_in);
}

Test(distributed, every_failure_is_told)
{
    if (!connect(3))
        cr_skip_test("needs three devices");
    prove = fail_each;
    fail_each_call();
    prove = check;
    disconnect(3);
}
#endif
