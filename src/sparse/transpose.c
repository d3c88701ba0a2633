/* prim_sparse_transpose(): checks of the arguments, and the calls. */
#include <stdio.h>

#include "sparse/sparse_args.h"

PRIM_DECLARE_RUNG(sparse_transpose, digits)

static const prim_rung *const rungs[] = {&prim_sparse_transpose_digits_rung, NULL};

static int choose_rung(const void *args)
{
    (void)args;
    return prim_sparse_transpose_digits_rung.variant.value;
}

/* wants_size: only the workspace is asked for. */
static prim_status check_kind(const void *any)
{
    const prim_sparse_convert_args *args = any;
    const prim_status status = prim_sparse_check_shape(&args->call, &args->from);
    return status == PRIM_OK && !args->wants_size ? prim_sparse_check_target(args) : status;
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_sparse_convert_args *args = any;
    const prim_status status =
        prim_sparse_check_arrays(&args->call, &args->from, operands->spans, &operands->count);
    return status == PRIM_OK ? prim_sparse_check_written(args, operands) : status;
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

prim_status prim_sparse_transpose_bytes(prim_sparse from, cudaDataType_t offset_type, size_t *bytes)
{
    const prim_sparse_convert_args args = {.call = {.name = "prim_sparse_transpose_bytes"},
                                           .from = from,
                                           .offset_type = offset_type,
                                           .transposed = true};
    return prim_sparse_target_bytes(&ladder, &args, bytes);
}

prim_status prim_sparse_transpose(prim_sparse from, cudaDataType_t offset_type, void *d_memory,
                                  size_t bytes, prim_sparse *to, void *d_workspace,
                                  size_t workspace_bytes, cudaStream_t stream)
{
    prim_sparse_convert_args args = {.call = {.name = "prim_sparse_transpose",
                                              .workspace = d_workspace,
                                              .workspace_bytes = workspace_bytes,
                                              .stream = stream},
                                     .from = from,
                                     .offset_type = offset_type,
                                     .memory = d_memory,
                                     .bytes = bytes,
                                     .transposed = true};
    return prim_sparse_make_target(&ladder, &args, to);
}

prim_status prim_sparse_transpose_workspace_bytes(prim_sparse from, size_t *bytes)
{
    const prim_sparse_convert_args args = {
        .call = {.name = "prim_sparse_transpose_workspace_bytes"},
        .from = from,
        .wants_size = true,
        .transposed = true};
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}
