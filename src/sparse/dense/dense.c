/* Dense matrices to CSR and back: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "sparse/sparse_args.h"

PRIM_DECLARE_RUNG(sparse_from_dense, pieces)
PRIM_DECLARE_RUNG(sparse_to_dense, entries)

static const prim_rung *const from_rungs[] = {&prim_sparse_from_dense_pieces_rung, NULL};
static const prim_rung *const to_rungs[] = {&prim_sparse_to_dense_entries_rung, NULL};

static int choose_rung(const void *args)
{
    (void)args;
    return prim_sparse_from_dense_pieces_rung.variant.value; /* of both */
}

/* ---- to CSR ---- */

static prim_status check_from_kind(const void *any)
{
    const prim_sparse_from_dense_args *args = any;
    const prim_status status = prim_sparse_check_shape(&args->convert.call, &args->convert.from);
    return status == PRIM_OK && !args->convert.wants_size ? prim_sparse_check_target(&args->convert)
                                                          : status;
}

static prim_status check_from_operands(const void *any, prim_operands *operands)
{
    const prim_sparse_from_dense_args *args = any;
    const prim_sparse *from = &args->convert.from;
    const prim_status status =
        prim_check_matrix(&args->convert.call, "in", args->in, from->rows, from->columns, args->ld,
                          prim_element_bytes(from->value_type), &operands->spans[0]);
    operands->count = 1;
    return status == PRIM_OK ? prim_sparse_check_written(&args->convert, operands) : status;
}

static void describe_from(const void *any, char *text, size_t bytes)
{
    const prim_sparse *from = &((const prim_sparse_from_dense_args *)any)->convert.from;
    snprintf(text, bytes, "%s, %zu × %zu", prim_element_name(from->value_type), from->rows,
             from->columns);
}

static const prim_ladder from_ladder = {
    .rungs = from_rungs,
    .choose = choose_rung,
    .check_kind = check_from_kind,
    .check_operands = check_from_operands,
    .describe = describe_from,
};

/* The nonzero elements, described as a CSR matrix. */
static prim_sparse elements_of(cudaDataType_t type, size_t rows, size_t columns, size_t size)
{
    return (prim_sparse){.format = PRIM_SPARSE_CSR,
                         .rows = rows,
                         .columns = columns,
                         .entries = size,
                         .value_type = type,
                         .offset_type = CUDA_R_64I};
}

prim_status prim_sparse_from_dense_size(cudaDataType_t type, const void *d_in, size_t rows,
                                        size_t columns, size_t ld, uint64_t *d_size,
                                        void *d_workspace, size_t workspace_bytes,
                                        cudaStream_t stream)
{
    prim_sparse_from_dense_args args = {.convert = {.call = {.name = "prim_sparse_from_dense_size",
                                                             .workspace = d_workspace,
                                                             .workspace_bytes = workspace_bytes,
                                                             .stream = stream},
                                                    .from = elements_of(type, rows, columns, 0),
                                                    .wants_size = true,
                                                    .d_size = d_size},
                                        .in = d_in,
                                        .ld = ld};
    return prim_ladder_run(&from_ladder, &args.convert.call);
}

prim_status prim_sparse_from_dense_bytes(cudaDataType_t type, size_t rows, size_t columns,
                                         cudaDataType_t offset_type, size_t size, size_t *bytes)
{
    const prim_sparse_from_dense_args args = {
        .convert = {.call = {.name = "prim_sparse_from_dense_bytes"},
                    .from = elements_of(type, rows, columns, size),
                    .offset_type = offset_type,
                    .size = size}};
    return prim_sparse_target_bytes(&from_ladder, &args.convert, bytes);
}

prim_status prim_sparse_from_dense(cudaDataType_t type, const void *d_in, size_t rows,
                                   size_t columns, size_t ld, cudaDataType_t offset_type,
                                   size_t size, void *d_memory, size_t bytes, prim_sparse *to,
                                   uint64_t *d_missing, void *d_workspace, size_t workspace_bytes,
                                   cudaStream_t stream)
{
    prim_sparse_from_dense_args args = {.convert = {.call = {.name = "prim_sparse_from_dense",
                                                             .workspace = d_workspace,
                                                             .workspace_bytes = workspace_bytes,
                                                             .stream = stream},
                                                    .from = elements_of(type, rows, columns, size),
                                                    .offset_type = offset_type,
                                                    .size = size,
                                                    .memory = d_memory,
                                                    .bytes = bytes,
                                                    .missing = d_missing},
                                        .in = d_in,
                                        .ld = ld};
    return prim_sparse_make_target(&from_ladder, &args.convert, to);
}

prim_status prim_sparse_from_dense_workspace_bytes(cudaDataType_t type, size_t rows, size_t columns,
                                                   size_t *bytes)
{
    const prim_sparse_from_dense_args args = {
        .convert = {.call = {.name = "prim_sparse_from_dense_workspace_bytes"},
                    .from = elements_of(type, rows, columns, 0),
                    .wants_size = true}};
    return prim_ladder_workspace_bytes(&from_ladder, &args.convert.call, bytes);
}

/* ---- from CSR ---- */

static prim_status check_to_kind(const void *any)
{
    const prim_sparse_to_dense_args *args = any;
    return prim_sparse_check_shape(&args->call, &args->matrix);
}

static prim_status check_to_operands(const void *any, prim_operands *operands)
{
    const prim_sparse_to_dense_args *args = any;
    const prim_sparse *m = &args->matrix;
    int arrays;
    prim_status status = prim_sparse_check_arrays(&args->call, m, operands->spans, &arrays);
    prim_span *const out = &operands->spans[arrays];
    operands->count = arrays + 1;
    if (status == PRIM_OK)
        status = prim_check_matrix(&args->call, "out", args->out, m->rows, m->columns, args->ld,
                                   prim_element_bytes(m->value_type), out);
    for (int a = 0; a < arrays && status == PRIM_OK; a++)
        status = prim_check_disjoint(&args->call, *out, operands->spans[a]);
    return status;
}

static void describe_to(const void *any, char *text, size_t bytes)
{
    const prim_sparse *m = &((const prim_sparse_to_dense_args *)any)->matrix;
    snprintf(text, bytes, "%s, %s, %zu × %zu", prim_sparse_format_name(m->format),
             prim_element_name(m->value_type), m->rows, m->columns);
}

static const prim_ladder to_ladder = {
    .rungs = to_rungs,
    .choose = choose_rung,
    .check_kind = check_to_kind,
    .check_operands = check_to_operands,
    .describe = describe_to,
};

prim_status prim_sparse_to_dense(prim_sparse matrix, void *d_out, size_t ld, cudaStream_t stream)
{
    prim_sparse_to_dense_args args = {.call = {.name = "prim_sparse_to_dense", .stream = stream},
                                      .matrix = matrix,
                                      .out = d_out,
                                      .ld = ld};
    return prim_ladder_run(&to_ladder, &args.call);
}
