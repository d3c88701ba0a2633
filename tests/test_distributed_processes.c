/* Many GPUs with a process for each: every call in three processes against the host's version of
 * the whole, to the bit; processes that do not agree; and ranks that abort. A program of its own,
 * with tests/plain in Criterion's place, whose tests are processes already. Nothing here calls the
 * runtime before the processes are started: its threads would not be in them. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <primitives/distributed.h>
#include <simt.h>

#include "nccl_support.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Three tiles of a scan and some, six of a reduction, or as rows a tile of columns and some. */
enum { COLUMNS = 5, ROWS = 4920, WHOLE = COLUMNS * ROWS, BINS = 50, MOST = 3 };

/* ---- processes ---- */

/* What all of a test see. */
static struct shared {
    atomic_bool made;
    ncclUniqueId id;
    atomic_bool at_work;
} * shared;

static int own_rank;

static void nap(void)
{
    usleep(1000);
}

/* Starts `count` processes, which all act, each as its rank. */
static void start(int count, void (*act)(void))
{
    bool good = true;
    int status;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(shared != MAP_FAILED);
    fflush(stdout); /* or each of them says again what was said so far */
    for (int rank = 0; rank < count; rank++)
        if (fork() == 0) {
            own_rank = rank;
            act();
            exit(0);
        }
    for (int rank = 0; rank < count; rank++)
        good = wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && good;
    munmap(shared, sizeof *shared);
    cr_assert(good, "a process failed");
}

typedef struct member {
    ncclComm_t comm;
    cudaStream_t stream;
} member;

static member join(int count)
{
    member m;
    if (own_rank == 0) {
        cr_nccl(ncclGetUniqueId(&shared->id));
        atomic_store(&shared->made, true);
    }
    while (!atomic_load(&shared->made))
        nap();
    cr_cuda(cudaStreamCreateWithFlags(&m.stream, cudaStreamNonBlocking));
    cr_nccl(ncclCommInitRank(&m.comm, count, shared->id, own_rank));
    return m;
}

static void part_with(const member *m)
{
    cr_nccl(ncclCommDestroy(m->comm));
    cr_cuda(cudaStreamDestroy(m->stream));
}

/* ---- the whole, and how it is cut: within tiles ---- */

static float x[WHOLE], y[WHOLE];
static const size_t cut_elements[MOST] = {2 * 4096 - 5, 9000, WHOLE - 9000 - (2 * 4096 - 5)};
static const size_t cut_rows[MOST] = {1637, 1700, ROWS - 1637 - 1700};
static const prim_histogram_range range = {.real_lower = -0.8, .real_upper = 0.9};

static void make_whole(void)
{
    fill(CUDA_R_32F, x, WHOLE, UNIFORM, 1);
    fill(CUDA_R_32F, y, WHOLE, UNIFORM, 2);
}

/* What a rank is to get. */
typedef struct result {
    size_t out_bytes, second_bytes;
    char out[WHOLE * sizeof(float)], second[64];
} result;

static size_t begin_of(const size_t *counts, int rank)
{
    size_t begin = 0;
    for (int r = 0; r < rank; r++)
        begin += counts[r];
    return begin;
}

/* ---- the calls; `otherwise` with an argument that is not the others' ---- */

static prim_transform transform_of(bool otherwise)
{
    return otherwise ? PRIM_TRANSFORM_ABS : PRIM_TRANSFORM_NONE;
}

static prim_status reduce(const size_t *h_counts, const prim_rank *rank, bool otherwise)
{
    return prim_distributed_reduce(PRIM_OP_SUM, transform_of(otherwise), CUDA_R_32F, h_counts, MOST,
                                   CUDA_R_32F, rank, 1);
}

static void expect_reduce(result *r)
{
    r->out_bytes = sizeof(float);
    cr_prim(prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, x, WHOLE, CUDA_R_32F,
                             r->out, 1));
}

static prim_status dot(const size_t *h_counts, const prim_rank *rank, bool otherwise)
{
    return prim_distributed_dot(otherwise ? CUDA_R_16F : CUDA_R_32F, h_counts, MOST, CUDA_R_32F,
                                rank, 1);
}

static void expect_dot(result *r)
{
    r->out_bytes = sizeof(float);
    cr_prim(prim_dot_host(CUDA_R_32F, x, y, WHOLE, CUDA_R_32F, r->out, 1));
}

static prim_status columns(const size_t *h_counts, const prim_rank *rank, bool otherwise)
{
    return prim_distributed_reduce_columns(PRIM_OP_SUM, transform_of(otherwise), CUDA_R_32F,
                                           h_counts, MOST, COLUMNS, COLUMNS, CUDA_R_32F, rank, 1);
}

static void expect_columns(result *r)
{
    r->out_bytes = COLUMNS * sizeof(float);
    cr_prim(prim_reduce_columns_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                     prim_matrix_of(CUDA_R_32F, x, ROWS, COLUMNS, 0), CUDA_R_32F,
                                     r->out, 1));
}

static prim_status rows(const size_t *h_counts, const prim_rank *rank, bool otherwise)
{
    return prim_distributed_reduce_rows(PRIM_OP_SUM, transform_of(otherwise), CUDA_R_32F, h_counts,
                                        MOST, COLUMNS, COLUMNS, CUDA_R_32F, rank, 1);
}

static void expect_rows(result *r)
{
    static float all[ROWS];
    cr_prim(prim_reduce_rows_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                  prim_matrix_of(CUDA_R_32F, x, ROWS, COLUMNS, 0), CUDA_R_32F, all,
                                  1));
    r->out_bytes = cut_rows[own_rank] * sizeof(float);
    memcpy(r->out, all + begin_of(cut_rows, own_rank), r->out_bytes);
}

static prim_status arg_reduce(const size_t *h_counts, const prim_rank *rank, bool otherwise)
{
    return prim_distributed_arg_reduce(otherwise ? PRIM_OP_MAX : PRIM_OP_MIN, PRIM_TRANSFORM_NONE,
                                       CUDA_R_32F, h_counts, MOST, rank, 1);
}

static void expect_arg_reduce(result *r)
{
    uint64_t index;
    r->out_bytes = sizeof(float);
    r->second_bytes = sizeof index;
    cr_prim(prim_arg_reduce_host(PRIM_OP_MIN, PRIM_TRANSFORM_NONE, CUDA_R_32F, x, WHOLE, r->out,
                                 &index, 1));
    memcpy(r->second, &index, sizeof index);
}

static prim_status histogram(const size_t *h_counts, const prim_rank *rank, bool otherwise)
{
    prim_histogram_range own = range;
    own.real_upper += otherwise;
    return prim_distributed_histogram_even(
        PRIM_HISTOGRAM_AUTO, own, CUDA_R_32F, h_counts, MOST,
        (prim_counters){.bins = BINS, .type = CUDA_R_32U, .outside = PRIM_OUTSIDE_COUNT}, rank, 1);
}

static void expect_histogram(result *r)
{
    r->out_bytes = BINS * sizeof(uint32_t);
    r->second_bytes = 3 * sizeof(uint32_t);
    cr_prim(prim_histogram_even_host(range, CUDA_R_32F, x, WHOLE,
                                     (prim_counters){.data = r->out,
                                                     .bins = BINS,
                                                     .type = CUDA_R_32U,
                                                     .outside = PRIM_OUTSIDE_COUNT,
                                                     .outside_data = r->second},
                                     1));
}

static prim_status scan(const size_t *h_counts, const prim_rank *rank, bool otherwise)
{
    return prim_distributed_scan(otherwise ? PRIM_SCAN_EXCLUSIVE : PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                                 PRIM_TRANSFORM_NONE, CUDA_R_32F, h_counts, MOST, CUDA_R_32F, rank,
                                 1);
}

static float scanned[WHOLE];

static void expect_scan(result *r)
{
    r->out_bytes = cut_elements[own_rank] * sizeof(float);
    r->second_bytes = sizeof(float);
    cr_prim(prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, x,
                           WHOLE, CUDA_R_32F, scanned, &(prim_scan_ends){.total = r->second}, 1));
    memcpy(r->out, scanned + begin_of(cut_elements, own_rank), r->out_bytes);
}

static prim_status carry(const size_t *h_counts, const prim_rank *rank, bool otherwise)
{
    return prim_distributed_carry(PRIM_OP_SUM, transform_of(otherwise), CUDA_R_32F, h_counts, MOST,
                                  CUDA_R_32F, rank, 1);
}

static void expect_carry(result *r)
{
    r->out_bytes = sizeof(float);
    cr_prim(prim_scan_host(PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, x,
                           WHOLE, CUDA_R_32F, scanned, NULL, 1));
    memcpy(r->out, scanned + begin_of(cut_elements, own_rank), r->out_bytes);
}

static const struct kind {
    const char *name;
    size_t unit; /* elements of what is counted */
    const size_t *counts;
    prim_status (*call)(const size_t *h_counts, const prim_rank *rank, bool otherwise);
    void (*expect)(result *r);
} kinds[] = {
    {"prim_distributed_reduce", 1, cut_elements, reduce, expect_reduce},
    {"prim_distributed_dot", 1, cut_elements, dot, expect_dot},
    {"prim_distributed_reduce_columns", COLUMNS, cut_rows, columns, expect_columns},
    {"prim_distributed_reduce_rows", COLUMNS, cut_rows, rows, expect_rows},
    {"prim_distributed_arg_reduce", 1, cut_elements, arg_reduce, expect_arg_reduce},
    {"prim_distributed_histogram_even", 1, cut_elements, histogram, expect_histogram},
    {"prim_distributed_scan", 1, cut_elements, scan, expect_scan},
    {"prim_distributed_carry", 1, cut_elements, carry, expect_carry},
};

/* ---- a rank's part ---- */

typedef struct part {
    const struct kind *kind;
    guarded in, in_y, out, second;
    prim_rank rank;
    result expected;
} part;

static part *put(const struct kind *k, const member *m)
{
    part *const p = calloc(1, sizeof *p);
    const size_t begin = begin_of(k->counts, own_rank) * k->unit,
                 bytes = k->counts[own_rank] * k->unit * sizeof(float);
    p->kind = k;
    k->expect(&p->expected);
    p->in = guarded_copy(x + begin, bytes, sizeof(float));
    p->in_y = guarded_copy(y + begin, bytes, 0);
    p->out = guarded_new(p->expected.out_bytes, 8);
    p->second = guarded_new(p->expected.second_bytes, 8);
    p->rank = (prim_rank){.comm = m->comm,
                          .call = {.stream = m->stream},
                          .d_in = p->in.data,
                          .d_in_y = p->in_y.data,
                          .d_out = p->out.data,
                          .d_second = p->expected.second_bytes > 0 ? p->second.data : NULL};
    return p;
}

static void give_up(part *p)
{
    guarded_free(&p->in);
    guarded_free(&p->in_y);
    guarded_free(&p->out);
    guarded_free(&p->second);
    free(p);
}

static void check(const part *p)
{
    char *const found = malloc(sizeof p->expected.out);
    cr_prim(p->kind->call(p->kind->counts, &p->rank, false));
    cr_cuda(cudaStreamSynchronize(p->rank.call.stream));
    guarded_read(&p->out, found);
    cr_assert_eq(memcmp(found, p->expected.out, p->expected.out_bytes), 0, "%s: rank %d: result",
                 p->kind->name, own_rank);
    guarded_read(&p->second, found);
    cr_assert_eq(memcmp(found, p->expected.second, p->expected.second_bytes), 0,
                 "%s: rank %d: second", p->kind->name, own_rank);
    cr_assert_eq(simt_pool_bytes(), 0, "%s: rank %d", p->kind->name, own_rank);
    free(found);
}

/* ---- what works ---- */

static void make_every_call(void)
{
    const member m = join(MOST);
    make_whole();
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        part *const p = put(&kinds[k], &m);
        check(p);
        give_up(p);
    }
    part_with(&m);
}

Test(processes, results_have_the_bits_of_the_whole)
{
    start(MOST, make_every_call);
}

static void agree_on_every_call(void)
{
    setenv("PRIM_DISTRIBUTED_AGREE", "1", 1);
    make_every_call();
}

Test(processes, every_kind_of_call_agrees)
{
    start(MOST, agree_on_every_call);
}

/* ---- what processes must agree on: rank 1 does otherwise ---- */

static prim_status call_otherwise(const part *p)
{
    return p->kind->call(p->kind->counts, &p->rank, own_rank == 1);
}

/* Its own part is the shorter. */
static prim_status count_otherwise(const part *p)
{
    size_t counts[MOST];
    memcpy(counts, p->kind->counts, sizeof counts);
    counts[0] += own_rank == 1;
    counts[1] -= own_rank == 1;
    return p->kind->call(counts, &p->rank, false);
}

static prim_status give_nothing(const part *p)
{
    prim_rank rank = p->rank;
    if (own_rank == 1)
        rank.d_out = NULL;
    return p->kind->call(p->kind->counts, &rank, false);
}

/* What ranks 0 and 2 hear of it, and what rank 1 hears. */
static const struct disagreement {
    prim_status (*call)(const part *p);
    const char *heard, *answer;
    prim_status of_speaker;
} disagreements[] = {
    {call_otherwise, "rank 1 was called with different arguments",
     "rank 0 was called with different arguments", PRIM_ERROR_VALUE},
    {count_otherwise, "rank 1 was called with different h_counts",
     "rank 0 was called with different h_counts", PRIM_ERROR_VALUE},
    {give_nothing, "rank 1 refuses its arguments", "rank 1: d_out is NULL", PRIM_ERROR_NULL},
};

static void check_disagreement(const struct disagreement *d, const part *p)
{
    char sentence[256];
    const prim_status status = d->call(p);
    const char *const said = prim_last_error(NULL);
    cr_assert_eq(status, own_rank == 1 ? d->of_speaker : PRIM_ERROR_VALUE, "%s: rank %d: %s",
                 p->kind->name, own_rank, said);
    snprintf(sentence, sizeof sentence, "%s: %s", p->kind->name,
             own_rank == 1 ? d->answer : d->heard);
    cr_assert_str_eq(said, sentence, "rank %d: %s, not %s", own_rank, said, sentence);
    cr_cuda(cudaStreamSynchronize(p->rank.call.stream));
    cr_assert(guarded_untouched(&p->out), "%s: rank %d", p->kind->name, own_rank);
    cr_assert(guarded_untouched(&p->second), "%s: rank %d", p->kind->name, own_rank);
}

/* Afterwards they can agree. */
static void disagree_on_every_call(void)
{
    const member m = join(MOST);
    setenv("PRIM_DISTRIBUTED_AGREE", "1", 1);
    make_whole();
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        part *const p = put(&kinds[k], &m);
        for (size_t d = 0; d < COUNT_OF(disagreements); d++)
            check_disagreement(&disagreements[d], p);
        check(p);
        give_up(p);
    }
    part_with(&m);
}

Test(processes, every_process_hears_of_a_disagreement)
{
    start(MOST, disagree_on_every_call);
}

/* ---- a rank that aborts ---- */

/* Two ranks of 9000 elements: each has whole tiles, and the cut is within one. */
enum { PART = 9000 };

static const size_t two_parts[] = {PART, PART};

static bool streams_defer(void)
{
    const char *const streams = getenv("SIMT_STREAMS");
    return streams != NULL && strncmp(streams, "deferred", 8) == 0;
}

/* A rank in prim_distributed_reduce() when the other one aborts: the call or its stream ends, long
 * before the patience does, and the communicator says why. Each later call does nothing. */
static void meet_nobody(const member *m, int rank)
{
    ncclResult_t error;
    char sentence[256];
    guarded in = guarded_copy(x + rank * PART, PART * sizeof(float), 0),
            out = guarded_new(sizeof(float), 0);
    const prim_rank own = {
        .comm = m->comm, .call = {.stream = m->stream}, .d_in = in.data, .d_out = out.data};
    const time_t begin = time(NULL);
    atomic_store(&shared->at_work, true);
    const prim_status first = prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                                                      two_parts, 2, CUDA_R_32F, &own, 1);
    const cudaError_t waited = cudaStreamSynchronize(m->stream);
    cr_assert(time(NULL) - begin < 10, "rank %d has waited %d s", rank, (int)(time(NULL) - begin));
    cr_nccl(ncclCommGetAsyncError(m->comm, &error));
    cr_assert_eq(error, ncclRemoteError, "rank %d: %s", rank, ncclGetErrorString(error));
    cr_assert(first == PRIM_ERROR_NCCL || (first == PRIM_OK && streams_defer()), "rank %d: %s",
              rank, prim_last_error(NULL));
    cr_cuda(waited); /* as on a GPU, the stream goes on */
    guarded_poison(&out);
    snprintf(sentence, sizeof sentence,
             "prim_distributed_reduce: ranks[0]: an earlier operation of this communicator failed: "
             "%s",
             ncclGetErrorString(ncclRemoteError));
    for (int again = 0; again < 2; again++) {
        cr_assert_eq(prim_distributed_reduce(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                                             two_parts, 2, CUDA_R_32F, &own, 1),
                     PRIM_ERROR_NCCL, "rank %d", rank);
        cr_assert_str_eq(prim_last_error(NULL), sentence, "rank %d: %s", rank,
                         prim_last_error(NULL));
    }
    cr_cuda(cudaStreamSynchronize(m->stream));
    cr_assert(guarded_untouched(&out), "rank %d", rank);
    cr_assert_eq(simt_pool_bytes(), 0, "rank %d", rank);
    guarded_free(&in);
    guarded_free(&out);
}

/* As the other one waits, with some time until it does. */
static void abort_meanwhile(const member *m)
{
    while (!atomic_load(&shared->at_work))
        nap();
    usleep(50000);
    cr_nccl(ncclCommAbort(m->comm));
}

static int rank_that_aborts;

static void lose_a_process(void)
{
    const member m = join(2);
    make_whole();
    if (own_rank == rank_that_aborts) {
        abort_meanwhile(&m);
    } else {
        meet_nobody(&m, own_rank);
        cr_nccl(ncclCommAbort(m.comm));
    }
    cr_cuda(cudaStreamDestroy(m.stream));
}

/* The process that made the id, where the ranks meet, and one that did not. */
Test(processes, a_process_that_aborts_is_an_error_of_the_other)
{
    for (rank_that_aborts = 0; rank_that_aborts < 2; rank_that_aborts++)
        start(2, lose_a_process);
}

static void *drive_rank_1(void *any)
{
    abort_meanwhile(any);
    return NULL;
}

static void lose_a_thread(void)
{
    member members[2];
    ncclComm_t comms[2];
    pthread_t other;
    make_whole();
    cr_nccl(ncclCommInitAll(comms, 2, NULL));
    for (int r = 1; r >= 0; r--) {
        members[r].comm = comms[r];
        cr_cuda(cudaSetDevice(r));
        cr_cuda(cudaStreamCreateWithFlags(&members[r].stream, cudaStreamNonBlocking));
    }
    cr_assert_eq(pthread_create(&other, NULL, drive_rank_1, &members[1]), 0);
    meet_nobody(&members[0], 0);
    pthread_join(other, NULL);
    cr_nccl(ncclCommAbort(comms[0]));
    for (int r = 0; r < 2; r++)
        cr_cuda(cudaStreamDestroy(members[r].stream));
}

Test(processes, a_thread_that_aborts_is_an_error_of_the_other)
{
    start(1, lose_a_thread);
}
