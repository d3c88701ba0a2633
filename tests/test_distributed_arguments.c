/* Many GPUs: what ranks have to agree on, one argument at a time, and which operands may overlap.
 * One table of all calls, with the arguments that each takes. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/distributed.h>

#include "calls.h"
#include "nccl_support.h"
#include "overlaps.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { RANKS = 2 };

/* ---- the calls, and all that any of them takes ---- */

typedef struct arguments {
    prim_scan_kind kind;
    prim_op op;
    prim_transform transform;
    cudaDataType_t in, out;
    size_t counts[RANKS], columns, ld;
    prim_histogram_variant variant;
    unsigned flags;
    prim_outside outside;
    prim_histogram_range range;
    size_t bins;
    cudaDataType_t counters;
} arguments;

static const arguments usual = {.kind = PRIM_SCAN_INCLUSIVE,
                                .op = PRIM_OP_MIN,
                                .transform = PRIM_TRANSFORM_NONE,
                                .in = CUDA_R_32F,
                                .out = CUDA_R_32F,
                                .counts = {40, 32},
                                .columns = 6,
                                .ld = 8,
                                .variant = PRIM_HISTOGRAM_AUTO,
                                .outside = PRIM_OUTSIDE_COUNT,
                                .range = {-100, 100, -0.8, 0.9},
                                .bins = 64,
                                .counters = CUDA_R_32U};

static prim_counters counters_of(const arguments *a)
{
    return (prim_counters){
        .bins = a->bins, .type = a->counters, .flags = a->flags, .outside = a->outside};
}

/* X(call's name, what it takes between the counts' numbers and the ranks) */
#define CALLS(X)                                                                                   \
    X(reduce, a->op, a->transform, a->in, a->counts, ranks_of_all, a->out)                         \
    X(dot, a->in, a->counts, ranks_of_all, a->out)                                                 \
    X(arg_reduce, a->op, a->transform, a->in, a->counts, ranks_of_all)                             \
    X(reduce_rows, a->op, a->transform, a->in, a->counts, ranks_of_all, a->columns, a->ld, a->out) \
    X(reduce_columns, a->op, a->transform, a->in, a->counts, ranks_of_all, a->columns, a->ld,      \
      a->out)                                                                                      \
    X(histogram_even, a->variant, a->range, a->in, a->counts, ranks_of_all, counters_of(a))        \
    X(scan, a->kind, a->op, a->transform, a->in, a->counts, ranks_of_all, a->out)                  \
    X(carry, a->op, a->transform, a->in, a->counts, ranks_of_all, a->out)

typedef struct distributed_call {
    const char *name;
    prim_status (*call)(const arguments *a, size_t ranks_of_all, const prim_rank *ranks,
                        size_t own_ranks);
} distributed_call;

#define WRAP(name, ...)                                                      \
    static prim_status call_##name(const arguments *a, size_t ranks_of_all,  \
                                   const prim_rank *ranks, size_t own_ranks) \
    {                                                                        \
        return prim_distributed_##name(__VA_ARGS__, ranks, own_ranks);       \
    }
CALLS(WRAP)

#define ROW(name, ...) {"prim_distributed_" #name, call_##name},
static const distributed_call calls[] = {CALLS(ROW)};

enum { REDUCE, DOT, ARG, ROWS, COLUMNS, HISTOGRAM, SCAN, CARRY, CALLS_IN_ALL };
enum {
    IN_REDUCTIONS = 1 << REDUCE | 1 << ROWS | 1 << COLUMNS | 1 << SCAN | 1 << CARRY,
    IN_BANDS = 1 << ROWS | 1 << COLUMNS,
    IN_HISTOGRAM = 1 << HISTOGRAM,
    IN_ALL = (1 << CALLS_IN_ALL) - 1
};

/* ---- two ranks, each with more memory than any call here needs ---- */

enum { OPERAND_BYTES = 8192 };

typedef struct team {
    ncclComm_t comms[RANKS];
    guarded in[RANKS], in_y[RANKS], out[RANKS], second[RANKS];
    prim_rank ranks[RANKS];
} team;

static bool make_team(team *t)
{
    static char zeros[OPERAND_BYTES];
    int devices = 0;
    cr_cuda(cudaGetDeviceCount(&devices));
    if (devices < RANKS)
        return false;
    cr_nccl(ncclCommInitAll(t->comms, RANKS, NULL));
    for (int r = 0; r < RANKS; r++) {
        cr_cuda(cudaSetDevice(r));
        t->in[r] = guarded_copy(zeros, sizeof zeros, 0);
        t->in_y[r] = guarded_copy(zeros, sizeof zeros, 0);
        t->out[r] = guarded_new(sizeof zeros, 0);
        t->second[r] = guarded_new(sizeof zeros, 0);
        t->ranks[r] = (prim_rank){.comm = t->comms[r],
                                  .d_in = t->in[r].data,
                                  .d_in_y = t->in_y[r].data,
                                  .d_out = t->out[r].data,
                                  .d_second = t->second[r].data};
        cr_cuda(cudaStreamCreateWithFlags(&t->ranks[r].call.stream, cudaStreamNonBlocking));
    }
    return true;
}

static void wait_for_team(const team *t)
{
    for (int r = 0; r < RANKS; r++) {
        cr_cuda(cudaSetDevice(r));
        cr_cuda(cudaStreamSynchronize(t->ranks[r].call.stream));
    }
}

static void forget_team(team *t)
{
    wait_for_team(t);
    for (int r = 0; r < RANKS; r++) {
        cr_cuda(cudaStreamDestroy(t->ranks[r].call.stream));
        guarded_free(&t->in[r]);
        guarded_free(&t->in_y[r]);
        guarded_free(&t->out[r]);
        guarded_free(&t->second[r]);
        cr_nccl(ncclCommDestroy(t->comms[r]));
    }
    cr_cuda(cudaSetDevice(0)); /* as tests in this process begin */
}

/* ---- every argument that is not a pointer has to be the same ---- */

#define CHANGE(name, statement)             \
    static void change_##name(arguments *a) \
    {                                       \
        statement;                          \
    }
CHANGE(op, a->op = PRIM_OP_MAX)
CHANGE(transform, a->transform = PRIM_TRANSFORM_ABS)
CHANGE(in, a->in = CUDA_R_16F)
CHANGE(out, a->out = CUDA_R_64F)
CHANGE(columns, a->columns--)
CHANGE(ld, a->ld--)
CHANGE(kind, a->kind = PRIM_SCAN_EXCLUSIVE)
CHANGE(counts, (a->counts[0]--, a->counts[1]++))
CHANGE(variant, a->variant = PRIM_HISTOGRAM_PARTITIONED)
CHANGE(to_add, a->flags = PRIM_HISTOGRAM_ADD)
CHANGE(to_open, a->flags = PRIM_HISTOGRAM_LAST_BIN_OPEN)
CHANGE(outside, a->outside = PRIM_OUTSIDE_DROP)
CHANGE(real_lower, a->range.real_lower -= 0x1p-53)
CHANGE(real_upper, a->range.real_upper += 0x1p-53)
CHANGE(bins, a->bins--)
CHANGE(counters, a->counters = CUDA_R_64U)
CHANGE(lower, a->range.lower--)
CHANGE(upper, a->range.upper++)

static const struct change {
    const char *name;
    void (*make)(arguments *a);
    unsigned calls;
    const char *words; /* NULL: the calls do not use it, for samples that are floats */
} changes[] = {
    {"op", change_op, IN_REDUCTIONS | 1 << ARG, "different arguments"},
    {"transform", change_transform, IN_REDUCTIONS | 1 << ARG, "different arguments"},
    {"in_type", change_in, IN_ALL, "different arguments"},
    {"out_type", change_out, IN_REDUCTIONS | 1 << DOT, "different arguments"},
    {"columns", change_columns, IN_BANDS, "different arguments"},
    {"ld", change_ld, IN_BANDS, "different arguments"},
    {"kind", change_kind, 1 << SCAN, "different arguments"},
    {"h_counts", change_counts, IN_ALL, "different h_counts"},
    {"variant", change_variant, IN_HISTOGRAM, "different arguments"},
    {"PRIM_HISTOGRAM_ADD", change_to_add, IN_HISTOGRAM, "different arguments"},
    {"PRIM_HISTOGRAM_LAST_BIN_OPEN", change_to_open, IN_HISTOGRAM, "different arguments"},
    {"outside", change_outside, IN_HISTOGRAM, "different arguments"},
    {"real_lower", change_real_lower, IN_HISTOGRAM, "different arguments"},
    {"real_upper", change_real_upper, IN_HISTOGRAM, "different arguments"},
    {"bins", change_bins, IN_HISTOGRAM, "different arguments"},
    {"counter_type", change_counters, IN_HISTOGRAM, "different arguments"},
    {"lower", change_lower, IN_HISTOGRAM, NULL},
    {"upper", change_upper, IN_HISTOGRAM, NULL},
};

/* A process of one rank, which is a thread here. */
typedef struct process {
    const distributed_call *call;
    arguments arguments;
    const prim_rank *rank;
    prim_status status;
    char sentence[256];
} process;

static void *make_call(void *any)
{
    process *const p = any;
    p->status = p->call->call(&p->arguments, RANKS, p->rank, 1);
    snprintf(p->sentence, sizeof p->sentence, "%s", prim_last_error(NULL));
    return NULL;
}

static void run_processes(process *p)
{
    pthread_t threads[RANKS];
    for (int r = 0; r < RANKS; r++)
        cr_assert_eq(pthread_create(&threads[r], NULL, make_call, &p[r]), 0);
    for (int r = 0; r < RANKS; r++)
        pthread_join(threads[r], NULL);
}

/* words NULL: they agree. */
static void check_agreement(const team *t, process *p, const char *argument, const char *words)
{
    for (int r = 0; r < RANKS; r++)
        p[r].rank = &t->ranks[r];
    run_processes(p);
    wait_for_team(t);
    for (int r = 0; r < RANKS; r++) {
        char sentence[256];
        snprintf(sentence, sizeof sentence, "%s: rank %d %s", p[r].call->name, 1 - r, words);
        cr_assert_eq(p[r].status, words == NULL ? PRIM_OK : PRIM_ERROR_VALUE,
                     "%s, another %s: rank %d: %s", p[r].call->name, argument, r,
                     p[r].status == PRIM_OK ? "not refused" : p[r].sentence);
        if (words != NULL) {
            cr_assert_str_eq(p[r].sentence, sentence, "%s: %s", argument, p[r].sentence);
            cr_assert(guarded_untouched(&t->out[r]), "%s: %s", p[r].call->name, argument);
            cr_assert(guarded_untouched(&t->second[r]), "%s: %s", p[r].call->name, argument);
        }
    }
}

/* A fault lets calls go on with other arguments, and they may wait for each other for ever. */
Test(distributed_arguments, ranks_agree_on_each_of_them)
{
    team t;
    setenv("PRIM_DISTRIBUTED_AGREE", "1", 1);
    if (!make_team(&t))
        cr_skip_test("needs two devices");
    for (size_t i = 0; i < COUNT_OF(changes); i++)
        for (size_t c = 0; c < COUNT_OF(calls); c++) {
            char words[64];
            process p[RANKS] = {{.call = &calls[c], .arguments = usual},
                                {.call = &calls[c], .arguments = usual}};
            if ((changes[i].calls >> c & 1) == 0)
                continue;
            changes[i].make(&p[1].arguments);
            snprintf(words, sizeof words, "was called with %s",
                     changes[i].words != NULL ? changes[i].words : "");
            check_agreement(&t, p, changes[i].name, changes[i].words != NULL ? words : NULL);
        }
    forget_team(&t);
}

/* Rows and columns have the same arguments, and so have a reduction and a carry. */
Test(distributed_arguments, ranks_agree_on_the_call)
{
    team t;
    setenv("PRIM_DISTRIBUTED_AGREE", "1", 1);
    if (!make_team(&t))
        cr_skip_test("needs two devices");
    for (size_t c = 0; c < COUNT_OF(calls); c++)
        for (size_t other = 0; other < c; other++) {
            process p[RANKS] = {{.call = &calls[c], .arguments = usual},
                                {.call = &calls[other], .arguments = usual}};
            check_agreement(&t, p, "call", "makes a different call");
        }
    forget_team(&t);
}

/* A captured call compares nothing: that would allocate and wait. Of all calls the one whose ranks
 * do not communicate is captured on the CPU backend too. */
Test(distributed_arguments, nothing_is_compared_during_a_capture)
{
    team t;
    cudaGraph_t graph;
    cudaGraphNode_t nodes[16];
    size_t count = COUNT_OF(nodes), bytes;
    setenv("PRIM_DISTRIBUTED_AGREE", "1", 1);
    if (!make_team(&t))
        cr_skip_test("needs two devices");
    cr_cuda(cudaSetDevice(0));
    cr_prim(asked_bytes(calls[ROWS].call(&usual, RANKS, ASKING_RANK, 1), &bytes));
    guarded workspace = guarded_new(bytes, 0);
    t.ranks[0].call.d_workspace = bytes > 0 ? workspace.data : NULL;
    t.ranks[0].call.workspace_bytes = bytes;
    cr_cuda(cudaStreamBeginCapture(t.ranks[0].call.stream, cudaStreamCaptureModeThreadLocal));
    const prim_status status = calls[ROWS].call(&usual, RANKS, t.ranks, 1);
    cr_assert_eq(status, PRIM_OK, "%s", prim_last_error(NULL));
    cr_cuda(cudaStreamEndCapture(t.ranks[0].call.stream, &graph));
    cr_cuda(cudaGraphGetNodes(graph, nodes, &count));
    cr_assert_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        enum cudaGraphNodeType type;
        cr_cuda(cudaGraphNodeGetType(nodes[i], &type));
        cr_assert_eq(type, cudaGraphNodeTypeKernel, "node %zu is of type %d", i, (int)type);
    }
    cr_cuda(cudaGraphDestroy(graph));
    guarded_free(&workspace);
    forget_team(&t);
}

/* ---- operands that overlap ---- */

typedef struct lone_call {
    size_t c;
    const arguments *a;
    ncclComm_t comm;
    size_t workspace_bytes;
    bool in_place; /* d_out is d_in */
} lone_call;

enum { IN, IN_Y, OUT, SECOND, WORKSPACE };

static prim_status call_alone(const void *any, char *const *at)
{
    const lone_call *const l = any;
    const prim_rank rank = {
        .comm = l->comm,
        .d_in = l->in_place ? at[OUT] : at[IN],
        .d_in_y = at[IN_Y],
        .d_out = at[OUT],
        .d_second = at[SECOND],
        .call = {.d_workspace = at[WORKSPACE], .workspace_bytes = l->workspace_bytes}};
    return calls[l->c].call(l->a, 1, &rank, 1);
}

/* What the header says of each operand's elements. */
static void set_operands(const lone_call *l, operand *o)
{
    const arguments *const a = l->a;
    const size_t in = type_bytes(a->in), out = type_bytes(a->out), count = a->counts[0], c = l->c;
    const size_t counter = type_bytes(a->counters), gap = a->ld - a->columns;
    const bool is_band = c == ROWS || c == COLUMNS;
    o[IN] = (operand){"d_in", (is_band ? count * a->ld - gap : count) * in, in, NULL, false, 0};
    o[IN_Y] = (operand){"d_in_y", c == DOT ? count * in : 0, in, NULL, false, 0};
    o[OUT] = (operand){"d_out", out, out, NULL, true, c == SCAN ? IN + 1 : 0};
    o[SECOND] = (operand){"d_second", c == SCAN ? out : 0, out, NULL, true, 0};
    o[WORKSPACE] = (operand){"d_workspace", l->workspace_bytes, 256, NULL, true, 0};
    if (c == ROWS || c == SCAN)
        o[OUT].bytes = count * out;
    if (c == COLUMNS)
        o[OUT].bytes = a->columns * out;
    if (c == ARG)
        o[SECOND].bytes = o[SECOND].unit = sizeof(uint64_t);
    if (c == HISTOGRAM) {
        o[OUT].unit = o[SECOND].unit = counter;
        o[OUT].bytes = a->bins * counter;
        o[SECOND].bytes = 3 * counter;
    }
    if (l->in_place)
        o[IN].bytes = 0;
}

static void check_alone(size_t c, const arguments *a, bool in_place, ncclComm_t comm)
{
    lone_call l = {c, a, comm, 0, in_place};
    overlap_case o = {calls[c].name, &l, call_alone, WORKSPACE + 1, {{0}}};
    cr_prim(asked_bytes(calls[c].call(a, 1, ASKING_RANK, 1), &l.workspace_bytes));
    if (l.workspace_bytes == 0)
        l.workspace_bytes = 256;
    set_operands(&l, o.operands);
    check_overlaps(&o);
}

/* Sums of floats go another way than all else. */
Test(distributed_arguments, no_two_operands_may_overlap)
{
    ncclComm_t comm;
    arguments a = usual;
    cr_nccl(ncclCommInitAll(&comm, 1, NULL));
    for (size_t c = 0; c < COUNT_OF(calls); c++)
        for (int sums = 0; sums < (c == ARG ? 1 : 2); sums++) {
            a.op = sums ? PRIM_OP_SUM : PRIM_OP_MIN;
            check_alone(c, &a, false, comm);
            if (c == SCAN)
                check_alone(c, &a, true, comm);
        }
    cr_nccl(ncclCommDestroy(comm));
}

/* A scan of other types has no place in common with its input, not even the first. */
Test(distributed_arguments, only_one_type_is_scanned_in_place)
{
    ncclComm_t comm;
    arguments a = usual;
    char zeros[512] = {0};
    cr_nccl(ncclCommInitAll(&comm, 1, NULL));
    guarded both = guarded_copy(zeros, sizeof zeros, 0);
    for (int wider = 0; wider < 2; wider++) {
        a.in = wider ? CUDA_R_32I : CUDA_R_32F;
        a.out = wider ? CUDA_R_64I : CUDA_R_32F;
        const prim_rank rank = {.comm = comm, .d_in = both.data, .d_out = both.data};
        cr_assert_eq(calls[SCAN].call(&a, 1, &rank, 1), wider ? PRIM_ERROR_OVERLAP : PRIM_OK);
    }
    cr_cuda(cudaDeviceSynchronize());
    guarded_free(&both);
    cr_nccl(ncclCommDestroy(comm));
}

/* d_second is a pointer: one rank may want the total, and another one not. */
Test(distributed_arguments, a_total_for_one_rank_only)
{
    team t;
    setenv("PRIM_DISTRIBUTED_AGREE", "1", 1);
    if (!make_team(&t))
        cr_skip_test("needs two devices");
    for (int wanting = 0; wanting < RANKS; wanting++)
        for (int sums = 0; sums < 2; sums++) {
            prim_rank ranks[RANKS] = {t.ranks[0], t.ranks[1]};
            arguments a = usual;
            float total;
            a.op = sums ? PRIM_OP_SUM : PRIM_OP_MIN;
            ranks[1 - wanting].d_second = NULL;
            for (int r = 0; r < RANKS; r++) {
                cr_cuda(cudaSetDevice(r));
                guarded_poison(&t.second[r]);
            }
            cr_prim(calls[SCAN].call(&a, RANKS, ranks, RANKS));
            wait_for_team(&t);
            cr_cuda(
                cudaMemcpy(&total, t.second[wanting].data, sizeof total, cudaMemcpyDeviceToHost));
            cr_assert_eq(total, 0, "rank %d wants it: %g", wanting, total);
            cr_assert(guarded_untouched(&t.second[1 - wanting]));
        }
    forget_team(&t);
}
