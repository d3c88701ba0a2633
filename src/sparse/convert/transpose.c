/* prim_sparse_transpose(): checks of the arguments, and the calls. */
#include "sparse/sparse_args.h"

PRIM_DECLARE_RUNG(sparse_transpose, digits)

static const prim_rung *const rungs[] = {&prim_sparse_transpose_digits_rung, NULL};

static int choose_rung(const void *args)
{
    (void)args;
    return prim_sparse_transpose_digits_rung.variant.value;
}

static const prim_ladder ladder = {
    .rungs = rungs,
    .choose = choose_rung,
    .check_kind = prim_sparse_check_made_kind,
    .check_operands = prim_sparse_check_made,
    .describe = prim_sparse_describe_made,
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
