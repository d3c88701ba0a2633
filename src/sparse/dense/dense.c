/* Dense matrices to CSR and back: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "sparse/sparse_args.h"

PRIM_DECLARE_RUNG(sparse_from_dense, pieces)
PRIM_DECLARE_RUNG(sparse_to_dense, entries)

static const prim_rung *const from_rungs[] = {&prim_sparse_from_dense_pieces_rung, NULL};
static const prim_rung *const to_rungs[] = {&prim_sparse_to_dense_entries_rung, NULL};

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
    .check_kind = check_from_kind,
    .check_operands = check_from_operands,
    .describe = describe_from,
    .output_bytes = prim_sparse_output_bytes,
};

/* The nonzero elements are described as a CSR matrix. */
static prim_sparse_from_dense_args from_args(const char *name, prim_matrix in, size_t size)
{
    return (prim_sparse_from_dense_args){.convert = {.call = {.name = name},
                                                     .from = {.format = PRIM_SPARSE_CSR,
                                                              .rows = in.rows,
                                                              .columns = in.columns,
                                                              .entries = size,
                                                              .value_type = in.type,
                                                              .offset_type = CUDA_R_64I},
                                                     .size = size},
                                         .in = in.data,
                                         .ld = prim_with_ld(in).ld};
}

prim_status prim_sparse_from_dense_size(prim_matrix in, uint64_t *d_size, const prim_call *call)
{
    prim_sparse_from_dense_args args = from_args("prim_sparse_from_dense_size", in, 0);
    args.convert.wants_size = true;
    args.convert.d_size = d_size;
    return prim_ladder_call(&from_ladder, &args.convert.call, call);
}

prim_status prim_sparse_from_dense(prim_matrix in, cudaDataType_t offset_type, size_t size,
                                   void *d_memory, size_t bytes, prim_sparse *to,
                                   uint64_t *d_missing, const prim_call *call)
{
    prim_sparse_from_dense_args args = from_args("prim_sparse_from_dense", in, size);
    args.convert.offset_type = offset_type;
    args.convert.memory = d_memory;
    args.convert.bytes = bytes;
    args.convert.missing = d_missing;
    return prim_sparse_make_target(&from_ladder, &args.convert, to, call);
}

/* ---- from CSR ---- */

static prim_status check_to_kind(const void *any)
{
    const prim_sparse_to_dense_args *args = any;
    const prim_sparse *m = &args->matrix;
    const prim_status status = prim_sparse_check_shape(&args->call, m);
    if (status != PRIM_OK)
        return status;
    if (args->out.type != m->value_type)
        return prim_fail(PRIM_ERROR_TYPE, "%s: out.type is %s, but the matrix's value_type is %s",
                         args->call.name, prim_element_name(args->out.type),
                         prim_element_name(m->value_type));
    if (args->out.rows != m->rows || args->out.columns != m->columns)
        return prim_fail(PRIM_ERROR_VALUE, "%s: out is %zu × %zu, but the matrix is %zu × %zu",
                         args->call.name, args->out.rows, args->out.columns, m->rows, m->columns);
    return PRIM_OK;
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
        status = prim_check_matrix(&args->call, "out", args->out.data, m->rows, m->columns,
                                   args->out.ld, prim_element_bytes(m->value_type), out);
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
    .check_kind = check_to_kind,
    .check_operands = check_to_operands,
    .describe = describe_to,
};

prim_status prim_sparse_to_dense(prim_sparse matrix, prim_matrix out, const prim_call *call)
{
    prim_sparse_to_dense_args args = {
        .call = {.name = "prim_sparse_to_dense"}, .matrix = matrix, .out = prim_with_ld(out)};
    return prim_ladder_call(&to_ladder, &args.call, call);
}
