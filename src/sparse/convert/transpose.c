/* prim_sparse_transpose(): checks of the arguments, and the call. */
#include "sparse/sparse_args.h"

PRIM_DECLARE_RUNG(sparse_transpose, digits)

static const prim_rung *const rungs[] = {&prim_sparse_transpose_digits_rung, NULL};

static const prim_ladder ladder = {
    .rungs = rungs,
    .check_kind = prim_sparse_check_made_kind,
    .check_operands = prim_sparse_check_made,
    .describe = prim_sparse_describe_made,
    .output_bytes = prim_sparse_output_bytes,
};

prim_status prim_sparse_transpose(prim_sparse from, cudaDataType_t offset_type, void *d_memory,
                                  size_t bytes, prim_sparse *to, const prim_call *call)
{
    prim_sparse_convert_args args = {.call = {.name = "prim_sparse_transpose"},
                                     .from = from,
                                     .offset_type = offset_type,
                                     .memory = d_memory,
                                     .bytes = bytes,
                                     .transposed = true};
    return prim_sparse_make_target(&ladder, &args, to, call);
}
