/* reduce's API: checks of the arguments, and the calls. */
#include <stdint.h>
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "reduce/reduce_args.h"
#include "reduce/vectorized.h"

static prim_status check_op(const prim_reduce_args *args)
{
    const prim_status status = prim_check_operator(&args->call, args->op, args->transform);
    if (status != PRIM_OK)
        return status;
    if (args->kind == PRIM_REDUCE_ARG && args->op != PRIM_OP_MIN && args->op != PRIM_OP_MAX)
        return prim_fail(PRIM_ERROR_ENUM, "%s: op is %s, neither min nor max", args->call.name,
                         prim_op_name(args->op));
    return PRIM_OK;
}

static prim_status check_types(const prim_reduce_args *args)
{
    const bool bits = args->op == PRIM_OP_AND || args->op == PRIM_OP_OR || args->op == PRIM_OP_XOR;
    const prim_status status = prim_check_types(&args->call, args->in_type, args->out_type);
    if (status == PRIM_OK && bits && prim_element_is_float(args->in_type))
        return prim_fail(PRIM_ERROR_TYPE, "%s: in_type is %s, but op %s takes integers only",
                         args->call.name, prim_element_name(args->in_type), prim_op_name(args->op));
    return status;
}

static size_t results_of(const prim_reduce_args *args)
{
    return args->kind == PRIM_REDUCE_COLUMNS ? args->columns : args->rows;
}

/* Without segments no offsets are needed, and d_offsets may be NULL. */
static size_t offsets_of(const prim_reduce_args *args)
{
    return args->rows == 0 ? 0 : args->rows + 1;
}

static prim_status check_offsets(const prim_reduce_args *args)
{
    if (args->offsets_type != CUDA_R_32I && args->offsets_type != CUDA_R_64I)
        return prim_fail(PRIM_ERROR_TYPE, "%s: offsets_type is %s, neither i32 nor i64",
                         args->call.name, prim_element_name(args->offsets_type));
    if (args->rows == SIZE_MAX)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: the number of offsets of %zu segments does not fit size_t",
                         args->call.name, args->rows);
    return prim_check_bytes(&args->call, "offsets", 1, offsets_of(args),
                            prim_element_bytes(args->offsets_type));
}

static prim_status check_kind(const void *any)
{
    const prim_reduce_args *args = any;
    prim_status status = check_op(args);
    if (status == PRIM_OK)
        status = check_types(args);
    if (status == PRIM_OK && args->kind == PRIM_REDUCE_ARG && args->columns == 0)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: count is 0, but an empty array has no least or greatest element",
                         args->call.name);
    if (status == PRIM_OK && args->kind == PRIM_REDUCE_SEGMENTS)
        status = check_offsets(args);
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, args->kind == PRIM_REDUCE_DOT ? "x" : "in",
                                  args->kind == PRIM_REDUCE_SEGMENTS ? 1 : args->rows,
                                  args->columns, prim_element_bytes(args->in_type));
    return status == PRIM_OK ? prim_check_bytes(&args->call, "out", 1, results_of(args),
                                                prim_element_bytes(args->out_type))
                             : status;
}

static prim_status check_matrix(const prim_reduce_args *args, prim_operands *operands)
{
    const size_t results = results_of(args);
    prim_span *const spans = operands->spans;
    operands->count = 2;
    prim_status status = prim_check_matrix(&args->call, "in", args->in, args->rows, args->columns,
                                           args->ld, prim_element_bytes(args->in_type), &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "out", args->out, results,
                                   prim_element_bytes(args->out_type), &spans[1]);
    return status == PRIM_OK ? prim_check_disjoint(&args->call, spans[1], spans[0]) : status;
}

static prim_status check_segments(const prim_reduce_args *args, prim_operands *operands)
{
    prim_span *const spans = operands->spans;
    operands->count = 3;
    prim_status status = prim_check_vector(&args->call, "in", args->in, args->columns,
                                           prim_element_bytes(args->in_type), &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "offsets", args->offsets, offsets_of(args),
                                   prim_element_bytes(args->offsets_type), &spans[1]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "out", args->out, args->rows,
                                   prim_element_bytes(args->out_type), &spans[2]);
    if (status == PRIM_OK)
        status = prim_check_disjoint(&args->call, spans[2], spans[0]);
    return status == PRIM_OK ? prim_check_disjoint(&args->call, spans[2], spans[1]) : status;
}

static prim_status check_arg(const prim_reduce_args *args, prim_operands *operands)
{
    const size_t element_bytes = prim_element_bytes(args->in_type);
    prim_span *const spans = operands->spans;
    operands->count = 3;
    prim_status status =
        prim_check_vector(&args->call, "in", args->in, args->columns, element_bytes, &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "value", args->out, 1, element_bytes, &spans[1]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "index", args->out_index, 1,
                                   sizeof *args->out_index, &spans[2]);
    return status == PRIM_OK ? prim_check_all_disjoint(&args->call, spans, 3) : status;
}

static prim_status check_dot(const prim_reduce_args *args, prim_operands *operands)
{
    const size_t element_bytes = prim_element_bytes(args->in_type);
    prim_span *const spans = operands->spans;
    operands->count = 3;
    prim_status status =
        prim_check_vector(&args->call, "x", args->in, args->columns, element_bytes, &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "y", args->in_y, args->columns, element_bytes,
                                   &spans[1]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "out", args->out, 1,
                                   prim_element_bytes(args->out_type), &spans[2]);
    if (status == PRIM_OK)
        status = prim_check_disjoint(&args->call, spans[2], spans[0]);
    return status == PRIM_OK ? prim_check_disjoint(&args->call, spans[2], spans[1]) : status;
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_reduce_args *args = any;
    switch (args->kind) {
    case PRIM_REDUCE_SEGMENTS:
        return check_segments(args, operands);
    case PRIM_REDUCE_ARG:
        return check_arg(args, operands);
    case PRIM_REDUCE_DOT:
        return check_dot(args, operands);
    default:
        return check_matrix(args, operands);
    }
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_reduce_args *args = any;
    snprintf(text, bytes,
             args->kind == PRIM_REDUCE_SEGMENTS
                 ? "%s to %s, %s, %zu segments of %zu elements in all"
                 : "%s to %s, %s, %zu × %zu",
             prim_element_name(args->in_type), prim_element_name(args->out_type),
             prim_op_name(args->op), args->rows, args->columns);
}

static const char *route(const prim_rung *rung, const void *args)
{
    return rung->variant.value == PRIM_REDUCE_VECTORIZED
               ? prim_reduce_vectorized_route((const prim_reduce_args *)args)
               : NULL;
}

static const prim_ladder ladder = {
    .rungs = prim_reduce_rungs,
    .choose = prim_reduce_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
    .route = route,
};

/* ---- the arguments of each call ---- */

static prim_reduce_args vector_args(const char *name, prim_reduce_variant variant, prim_op op,
                                    prim_transform transform, cudaDataType_t in_type,
                                    const void *in, size_t count, cudaDataType_t out_type,
                                    void *out)
{
    return (prim_reduce_args){.call = {.name = name, .variant = (int)variant},
                              .kind = PRIM_REDUCE_VECTOR,
                              .op = op,
                              .transform = transform,
                              .in_type = in_type,
                              .out_type = out_type,
                              .in = in,
                              .rows = 1,
                              .columns = count,
                              .ld = count,
                              .out = out};
}

static prim_reduce_args matrix_args(const char *name, prim_reduce_variant variant,
                                    prim_reduce_kind kind, prim_op op, prim_transform transform,
                                    prim_matrix in, cudaDataType_t out_type, void *out)
{
    prim_reduce_args args =
        vector_args(name, variant, op, transform, in.type, in.data, in.columns, out_type, out);
    args.kind = kind;
    args.rows = in.rows;
    args.ld = prim_with_ld(in).ld;
    return args;
}

static prim_reduce_args segments_args(const char *name, prim_reduce_variant variant, prim_op op,
                                      prim_transform transform, cudaDataType_t in_type,
                                      const void *in, size_t count, prim_segments segments,
                                      cudaDataType_t out_type, void *out)
{
    prim_reduce_args args =
        vector_args(name, variant, op, transform, in_type, in, count, out_type, out);
    args.kind = PRIM_REDUCE_SEGMENTS;
    args.rows = segments.count;
    args.offsets_type = segments.type;
    args.offsets = segments.offsets;
    return args;
}

static prim_reduce_args arg_args(const char *name, prim_reduce_variant variant, prim_op op,
                                 prim_transform transform, cudaDataType_t in_type, const void *in,
                                 size_t count, void *value, uint64_t *index)
{
    prim_reduce_args args =
        vector_args(name, variant, op, transform, in_type, in, count, in_type, value);
    args.kind = PRIM_REDUCE_ARG;
    args.out_index = index;
    return args;
}

static prim_reduce_args dot_args(const char *name, prim_reduce_variant variant,
                                 cudaDataType_t in_type, const void *x, const void *y, size_t count,
                                 cudaDataType_t out_type, void *out)
{
    prim_reduce_args args = vector_args(name, variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, in_type, x,
                                        count, out_type, out);
    args.kind = PRIM_REDUCE_DOT;
    args.in_y = y;
    return args;
}

/* ---- calls ---- */

prim_status prim_reduce(prim_reduce_variant variant, prim_op op, prim_transform transform,
                        cudaDataType_t in_type, const void *d_in, size_t count,
                        cudaDataType_t out_type, void *d_out, const prim_call *call)
{
    prim_reduce_args args =
        vector_args("prim_reduce", variant, op, transform, in_type, d_in, count, out_type, d_out);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_reduce_rows(prim_reduce_variant variant, prim_op op, prim_transform transform,
                             prim_matrix in, cudaDataType_t out_type, void *d_out,
                             const prim_call *call)
{
    prim_reduce_args args = matrix_args("prim_reduce_rows", variant, PRIM_REDUCE_ROWS, op,
                                        transform, in, out_type, d_out);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_reduce_columns(prim_reduce_variant variant, prim_op op, prim_transform transform,
                                prim_matrix in, cudaDataType_t out_type, void *d_out,
                                const prim_call *call)
{
    prim_reduce_args args = matrix_args("prim_reduce_columns", variant, PRIM_REDUCE_COLUMNS, op,
                                        transform, in, out_type, d_out);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_reduce_segments(prim_reduce_variant variant, prim_op op, prim_transform transform,
                                 cudaDataType_t in_type, const void *d_in, size_t count,
                                 prim_segments segments, cudaDataType_t out_type, void *d_out,
                                 const prim_call *call)
{
    prim_reduce_args args = segments_args("prim_reduce_segments", variant, op, transform, in_type,
                                          d_in, count, segments, out_type, d_out);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_arg_reduce(prim_reduce_variant variant, prim_op op, prim_transform transform,
                            cudaDataType_t in_type, const void *d_in, size_t count, void *d_value,
                            uint64_t *d_index, const prim_call *call)
{
    prim_reduce_args args =
        arg_args("prim_arg_reduce", variant, op, transform, in_type, d_in, count, d_value, d_index);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_dot(prim_reduce_variant variant, cudaDataType_t in_type, const void *d_x,
                     const void *d_y, size_t count, cudaDataType_t out_type, void *d_out,
                     const prim_call *call)
{
    prim_reduce_args args =
        dot_args("prim_dot", variant, in_type, d_x, d_y, count, out_type, d_out);
    return prim_ladder_call(&ladder, &args.call, call);
}

/* ---- host ---- */

static prim_status run_on_host(prim_reduce_args args, int threads)
{
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_reduce_on_host(&args, threads) : status;
}

prim_status prim_reduce_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                             const void *h_in, size_t count, cudaDataType_t out_type, void *h_out,
                             int threads)
{
    return run_on_host(vector_args("prim_reduce_host", PRIM_REDUCE_AUTO, op, transform, in_type,
                                   h_in, count, out_type, h_out),
                       threads);
}

prim_status prim_reduce_rows_host(prim_op op, prim_transform transform, prim_matrix in,
                                  cudaDataType_t out_type, void *h_out, int threads)
{
    return run_on_host(matrix_args("prim_reduce_rows_host", PRIM_REDUCE_AUTO, PRIM_REDUCE_ROWS, op,
                                   transform, in, out_type, h_out),
                       threads);
}

prim_status prim_reduce_columns_host(prim_op op, prim_transform transform, prim_matrix in,
                                     cudaDataType_t out_type, void *h_out, int threads)
{
    return run_on_host(matrix_args("prim_reduce_columns_host", PRIM_REDUCE_AUTO,
                                   PRIM_REDUCE_COLUMNS, op, transform, in, out_type, h_out),
                       threads);
}

prim_status prim_reduce_segments_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                      const void *h_in, size_t count, prim_segments segments,
                                      cudaDataType_t out_type, void *h_out, int threads)
{
    return run_on_host(segments_args("prim_reduce_segments_host", PRIM_REDUCE_AUTO, op, transform,
                                     in_type, h_in, count, segments, out_type, h_out),
                       threads);
}

prim_status prim_arg_reduce_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                 const void *h_in, size_t count, void *h_value, uint64_t *h_index,
                                 int threads)
{
    return run_on_host(arg_args("prim_arg_reduce_host", PRIM_REDUCE_AUTO, op, transform, in_type,
                                h_in, count, h_value, h_index),
                       threads);
}

prim_status prim_dot_host(cudaDataType_t in_type, const void *h_x, const void *h_y, size_t count,
                          cudaDataType_t out_type, void *h_out, int threads)
{
    return run_on_host(
        dot_args("prim_dot_host", PRIM_REDUCE_AUTO, in_type, h_x, h_y, count, out_type, h_out),
        threads);
}

/* ---- variants ---- */

const prim_variant *prim_reduce_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_reduce_variant_info(prim_reduce_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
