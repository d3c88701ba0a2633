/* prim_co_ranks(): checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "merge/merge_args.h"

PRIM_DECLARE_RUNG(co_ranks, split)

static const prim_rung *const rungs[] = {&prim_co_ranks_split_rung, NULL};

static prim_status check_kind(const void *any)
{
    const prim_co_ranks_args *args = any;
    prim_status status = prim_merge_check_order_and_type(&args->call, args->order, args->key_type);
    size_t keys = 0;
    for (size_t r = 0; status == PRIM_OK && r < args->run_count; r++) {
        if (args->counts[r] > SIZE_MAX - keys)
            return prim_fail(PRIM_ERROR_SIZE,
                             "%s: the number of keys in all runs does not fit size_t",
                             args->call.name);
        keys += args->counts[r];
    }
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "runs", 1, keys, prim_element_bytes(args->key_type));
    return status == PRIM_OK ? prim_check_bytes(&args->call, "ranks", args->run_count, args->count,
                                                sizeof *args->ranks)
                             : status;
}

static const char *const names[PRIM_CO_RANKS_MOST_RUNS] = {
    "runs[0]", "runs[1]", "runs[2]", "runs[3]", "runs[4]", "runs[5]", "runs[6]", "runs[7]"};

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_co_ranks_args *args = any;
    prim_span *const spans = operands->spans;
    prim_status status = PRIM_OK;
    const int runs = (int)args->run_count;
    for (int r = 0; status == PRIM_OK && r < runs; r++)
        status = prim_check_vector(&args->call, names[r], args->runs[r], args->counts[r],
                                   prim_element_bytes(args->key_type), &spans[r]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "diagonals", args->diagonals, args->count,
                                   sizeof *args->diagonals, &spans[runs]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "ranks", args->ranks, args->count * args->run_count,
                                   sizeof *args->ranks, &spans[runs + 1]);
    for (int s = 0; status == PRIM_OK && s <= runs; s++)
        status = prim_check_disjoint(&args->call, spans[runs + 1], spans[s]);
    operands->count = runs + 2;
    return status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_co_ranks_args *args = any;
    snprintf(text, bytes, "%s, %zu runs, %zu diagonals", prim_element_name(args->key_type),
             args->run_count, args->count);
}

static const prim_ladder ladder = {
    .rungs = rungs,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

/* Copies the runs from the caller's arrays into the arguments. A call that is only asked may leave
 * open where the runs are, but not how long they are. */
static prim_status take_runs(prim_co_ranks_args *args, size_t run_count, const void *const *h_runs,
                             const size_t *h_counts)
{
    const bool are_open = prim_is_left_open(&args->call, h_runs);
    if (run_count < 1 || run_count > PRIM_CO_RANKS_MOST_RUNS)
        return prim_fail(PRIM_ERROR_VALUE, "%s: run_count is %zu, not 1 to %d", args->call.name,
                         run_count, PRIM_CO_RANKS_MOST_RUNS);
    if ((h_runs == NULL && !are_open) || h_counts == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: %s is NULL", args->call.name,
                         h_runs == NULL && !are_open ? "h_runs" : "h_counts");
    args->run_count = run_count;
    for (size_t r = 0; r < run_count; r++) {
        args->runs[r] = are_open ? NULL : h_runs[r];
        args->counts[r] = h_counts[r];
    }
    return PRIM_OK;
}

static prim_co_ranks_args args_of(const char *name, prim_order order, cudaDataType_t key_type,
                                  const uint64_t *diagonals, size_t count, uint64_t *ranks)
{
    return (prim_co_ranks_args){.call = {.name = name, .variant = PRIM_VARIANT_AUTO},
                                .order = order,
                                .key_type = key_type,
                                .diagonals = diagonals,
                                .count = count,
                                .ranks = ranks};
}

prim_status prim_co_ranks(prim_order order, cudaDataType_t key_type, size_t run_count,
                          const void *const *h_runs, const size_t *h_counts,
                          const uint64_t *d_diagonals, size_t count, uint64_t *d_ranks,
                          const prim_call *call)
{
    prim_co_ranks_args args =
        args_of("prim_co_ranks", order, key_type, d_diagonals, count, d_ranks);
    prim_status status = prim_request_options(&args.call, call);
    if (status == PRIM_OK)
        status = take_runs(&args, run_count, h_runs, h_counts);
    return status == PRIM_OK ? prim_ladder_run(&ladder, &args.call) : status;
}

prim_status prim_co_ranks_host(prim_order order, cudaDataType_t key_type, size_t run_count,
                               const void *const *h_runs, const size_t *h_counts,
                               const uint64_t *h_diagonals, size_t count, uint64_t *h_ranks)
{
    prim_co_ranks_args args =
        args_of("prim_co_ranks_host", order, key_type, h_diagonals, count, h_ranks);
    args.call.on_host = true;
    prim_status status = take_runs(&args, run_count, h_runs, h_counts);
    if (status == PRIM_OK)
        status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_co_ranks_on_host(&args) : status;
}
