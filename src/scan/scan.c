/* scan's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "scan/routes.h"
#include "scan/scan_args.h"

/* The prefix of the names of operands. */
static char side(const prim_scan_args *args)
{
    return args->call.on_host ? 'h' : 'd';
}

static prim_status check_shape(const prim_scan_args *args)
{
    if (args->out_rows == args->rows && args->out_columns == args->columns)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_VALUE, "%s: %c_out is %zu × %zu, but %c_in is %zu × %zu",
                     args->call.name, side(args), args->out_rows, args->out_columns, side(args),
                     args->rows, args->columns);
}

static prim_status check_kind(const void *any)
{
    const prim_scan_args *args = any;
    if ((unsigned)args->kind > PRIM_SCAN_EXCLUSIVE)
        return prim_fail(
            PRIM_ERROR_ENUM,
            "%s: kind is %d, neither PRIM_SCAN_INCLUSIVE nor PRIM_SCAN_EXCLUSIVE, 0 or 1",
            args->call.name, args->kind);
    prim_status status = prim_check_operator(&args->call, args->op, args->transform);
    if (status != PRIM_OK)
        return status;
    if ((unsigned)args->op > PRIM_OP_PRODUCT)
        return prim_fail(PRIM_ERROR_ENUM, "%s: op is %s, not sum, min, max or product",
                         args->call.name, prim_op_name(args->op));
    if (args->summed_area && args->op == PRIM_OP_PRODUCT)
        return prim_fail(PRIM_ERROR_ENUM, "%s: op is product, not sum, min or max",
                         args->call.name);
    status = prim_check_types(&args->call, args->in_type, args->out_type);
    if (status != PRIM_OK)
        return status;
    status = check_shape(args);
    if (status != PRIM_OK)
        return status;
    const size_t in = prim_element_bytes(args->in_type), out = prim_element_bytes(args->out_type);
    return prim_check_bytes(&args->call, in == out ? "in" : "out", args->rows, args->columns, out);
}

/* In place needs elements and results of one type. */
static prim_status check_overlap(const prim_scan_args *args, prim_rectangle out, prim_rectangle in)
{
    return args->in_type == args->out_type ? prim_check_in_place(&args->call, out, in)
                                           : prim_check_rectangles(&args->call, out, in);
}

/* The total, checked against all operands before it. */
static prim_status check_total(const prim_scan_args *args, prim_operands *operands)
{
    prim_span *const total = &operands->spans[operands->count];
    if (args->total == NULL)
        return PRIM_OK;
    if (args->of_rows)
        return prim_fail(PRIM_ERROR_VALUE, "%s: %c_total is given, but rows have no total",
                         args->call.name, side(args));
    prim_status status = prim_check_vector(&args->call, "total", args->total, 1,
                                           prim_element_bytes(args->out_type), total);
    for (int i = 0; i < operands->count && status == PRIM_OK; i++)
        status = prim_check_disjoint(&args->call, *total, operands->spans[i]);
    operands->count++;
    return status;
}

/* It is read before the total is written, so it may be d_total itself. */
static prim_status check_initial(const prim_scan_args *args, prim_operands *operands)
{
    const size_t out_bytes = prim_element_bytes(args->out_type);
    prim_span *const initial = &operands->spans[operands->count];
    if (args->d_initial == NULL)
        return PRIM_OK;
    if (args->call.on_host)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: d_initial is given, but on the host there is only h_initial",
                         args->call.name);
    if (args->initial != NULL)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: h_initial and d_initial are both given, but only one can be",
                         args->call.name);
    prim_status status =
        prim_check_vector(&args->call, "initial", args->d_initial, 1, out_bytes, initial);
    for (int i = 0; i < operands->count && status == PRIM_OK; i++)
        if (args->d_initial != args->total || operands->spans[i].data != args->total)
            status = prim_check_disjoint(&args->call, *initial, operands->spans[i]);
    operands->count++;
    return status;
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_scan_args *args = any;
    const size_t out_bytes = prim_element_bytes(args->out_type);
    prim_rectangle in, out;
    prim_status status =
        prim_check_rectangle(&args->call, "in", args->in, args->rows, args->columns, args->in_ld,
                             prim_element_bytes(args->in_type), &in);
    if (status == PRIM_OK)
        status = prim_check_rectangle(&args->call, "out", args->out, args->rows, args->columns,
                                      args->out_ld, out_bytes, &out);
    if (status == PRIM_OK)
        status = prim_check_scalar(&args->call, "initial", args->initial, out_bytes);
    if (status == PRIM_OK)
        status = check_overlap(args, out, in);
    if (status != PRIM_OK)
        return status;
    *operands = (prim_operands){{in.span, out.span}, 2};
    status = check_total(args, operands);
    return status == PRIM_OK ? check_initial(args, operands) : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_scan_args *args = any;
    snprintf(text, bytes, "%s to %s, %s, %zu × %zu", prim_element_name(args->in_type),
             prim_element_name(args->out_type), prim_op_name(args->op), args->rows, args->columns);
}

static const char *route(const prim_rung *rung, const void *args)
{
    return prim_scan_route_name(
        prim_scan_route_of((prim_scan_variant)rung->variant.value, (const prim_scan_args *)args));
}

static const prim_ladder ladder = {
    .rungs = prim_scan_rungs,
    .choose = prim_scan_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
    .route = route,
};

/* ---- the arguments of each call ---- */

static prim_scan_args rows_args(const char *name, prim_scan_variant variant, prim_scan_kind kind,
                                prim_op op, prim_transform transform, prim_matrix in,
                                prim_matrix out, const prim_scan_ends *ends)
{
    const prim_scan_ends none = {NULL, NULL, NULL};
    if (ends == NULL)
        ends = &none;
    return (prim_scan_args){.call = {.name = name, .variant = (int)variant},
                            .kind = kind,
                            .op = op,
                            .transform = transform,
                            .of_rows = true,
                            .initial = ends->h_initial,
                            .d_initial = ends->d_initial,
                            .in_type = in.type,
                            .out_type = out.type,
                            .in = in.data,
                            .rows = in.rows,
                            .columns = in.columns,
                            .in_ld = prim_with_ld(in).ld,
                            .out = out.data,
                            .out_rows = out.rows,
                            .out_columns = out.columns,
                            .out_ld = prim_with_ld(out).ld,
                            .total = ends->total};
}

static prim_scan_args vector_args(const char *name, prim_scan_variant variant, prim_scan_kind kind,
                                  prim_op op, prim_transform transform, cudaDataType_t in_type,
                                  const void *in, size_t count, cudaDataType_t out_type, void *out,
                                  const prim_scan_ends *ends)
{
    prim_scan_args args =
        rows_args(name, variant, kind, op, transform, prim_matrix_of(in_type, in, 1, count, 0),
                  prim_matrix_of(out_type, out, 1, count, 0), ends);
    args.of_rows = false;
    return args;
}

static prim_scan_args table_args(const char *name, prim_scan_variant variant, prim_op op,
                                 prim_transform transform, prim_matrix in, prim_matrix out)
{
    prim_scan_args args =
        rows_args(name, variant, PRIM_SCAN_INCLUSIVE, op, transform, in, out, NULL);
    args.summed_area = true;
    return args;
}

/* ---- calls ---- */

prim_status prim_scan(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                      prim_transform transform, cudaDataType_t in_type, const void *d_in,
                      size_t count, cudaDataType_t out_type, void *d_out,
                      const prim_scan_ends *ends, const prim_call *call)
{
    prim_scan_args args = vector_args("prim_scan", variant, kind, op, transform, in_type, d_in,
                                      count, out_type, d_out, ends);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_scan_rows(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                           prim_transform transform, prim_matrix in, prim_matrix out,
                           const prim_scan_ends *ends, const prim_call *call)
{
    prim_scan_args args = rows_args("prim_scan_rows", variant, kind, op, transform, in, out, ends);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_scan_2d(prim_scan_variant variant, prim_op op, prim_transform transform,
                         prim_matrix in, prim_matrix out, const prim_call *call)
{
    prim_scan_args args = table_args("prim_scan_2d", variant, op, transform, in, out);
    return prim_ladder_call(&ladder, &args.call, call);
}

/* ---- host ---- */

static prim_status run_on_host(prim_scan_args args, int threads)
{
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_scan_on_host(&args, threads) : status;
}

prim_status prim_scan_host(prim_scan_kind kind, prim_op op, prim_transform transform,
                           cudaDataType_t in_type, const void *h_in, size_t count,
                           cudaDataType_t out_type, void *h_out, const prim_scan_ends *ends,
                           int threads)
{
    return run_on_host(vector_args("prim_scan_host", PRIM_SCAN_AUTO, kind, op, transform, in_type,
                                   h_in, count, out_type, h_out, ends),
                       threads);
}

prim_status prim_scan_rows_host(prim_scan_kind kind, prim_op op, prim_transform transform,
                                prim_matrix in, prim_matrix out, const prim_scan_ends *ends,
                                int threads)
{
    return run_on_host(
        rows_args("prim_scan_rows_host", PRIM_SCAN_AUTO, kind, op, transform, in, out, ends),
        threads);
}

prim_status prim_scan_2d_host(prim_op op, prim_transform transform, prim_matrix in, prim_matrix out,
                              int threads)
{
    return run_on_host(table_args("prim_scan_2d_host", PRIM_SCAN_AUTO, op, transform, in, out),
                       threads);
}

/* ---- variants ---- */

const prim_variant *prim_scan_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_scan_variant_info(prim_scan_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
