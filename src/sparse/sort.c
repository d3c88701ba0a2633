/* prim_sparse_sort(): checks of the arguments, and the calls. */
#include <stdio.h>

#include "sparse/sparse_args.h"

PRIM_DECLARE_RUNG(sparse_sort, digits)

static const prim_rung *const rungs[] = {&prim_sparse_sort_digits_rung, NULL};

static int choose_rung(const void *args)
{
    (void)args;
    return prim_sparse_sort_digits_rung.variant.value;
}

/* wants_size: only the workspace is asked for. */
static prim_status check_kind(const void *any)
{
    const prim_sparse_convert_args *args = any;
    const prim_status status = prim_sparse_check_shape(&args->call, &args->from);
    return status == PRIM_OK && !args->wants_size ? prim_sparse_check_target(args) : status;
}

static prim_status check_entries(const prim_sparse_convert_args *args, prim_operands *operands)
{
    const int others = operands->count++;
    prim_span *const entries = &operands->spans[others];
    prim_status status =
        prim_check_vector(&args->call, "entries", args->d_size, 1, sizeof *args->d_size, entries);
    for (int o = 0; o < others && status == PRIM_OK; o++)
        status = prim_check_disjoint(&args->call, *entries, operands->spans[o]);
    return status;
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_sparse_convert_args *args = any;
    prim_status status =
        prim_sparse_check_arrays(&args->call, &args->from, operands->spans, &operands->count);
    if (status == PRIM_OK)
        status = prim_sparse_check_written(args, operands);
    return status == PRIM_OK && args->d_size != NULL ? check_entries(args, operands) : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_sparse *from = &((const prim_sparse_convert_args *)any)->from;
    snprintf(text, bytes, "%s, %zu × %zu, %zu entries", prim_sparse_format_name(from->format),
             from->rows, from->columns, from->entries);
}

static const prim_ladder ladder = {
    .rungs = rungs,
    .choose = choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

prim_status prim_sparse_sort_bytes(prim_sparse from, size_t *bytes)
{
    const prim_sparse_convert_args args = {
        .call = {.name = "prim_sparse_sort_bytes"}, .from = from, .format = PRIM_SPARSE_COO};
    return prim_sparse_target_bytes(&ladder, &args, bytes);
}

prim_status prim_sparse_sort(prim_sparse from, void *d_memory, size_t bytes, prim_sparse *to,
                             uint64_t *d_entries, void *d_workspace, size_t workspace_bytes,
                             cudaStream_t stream)
{
    prim_sparse_convert_args args = {.call = {.name = "prim_sparse_sort",
                                              .workspace = d_workspace,
                                              .workspace_bytes = workspace_bytes,
                                              .stream = stream},
                                     .from = from,
                                     .format = PRIM_SPARSE_COO,
                                     .memory = d_memory,
                                     .bytes = bytes,
                                     .d_size = d_entries};
    return prim_sparse_make_target(&ladder, &args, to);
}

prim_status prim_sparse_sort_workspace_bytes(prim_sparse from, size_t *bytes)
{
    const prim_sparse_convert_args args = {.call = {.name = "prim_sparse_sort_workspace_bytes"},
                                           .from = from,
                                           .format = PRIM_SPARSE_COO,
                                           .wants_size = true};
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}
