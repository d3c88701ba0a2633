/* scan's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "scan/scan_args.h"

static const prim_widening wider[] = {{CUDA_R_8U, CUDA_R_32U},   {CUDA_R_8U, CUDA_R_64U},
                                      {CUDA_R_32I, CUDA_R_64I},  {CUDA_R_16F, CUDA_R_32F},
                                      {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_32F, CUDA_R_64F}};

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
    status = prim_check_types(&args->call, args->in_type, args->out_type, wider,
                              sizeof wider / sizeof *wider);
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
    if (args->initial != NULL)
        return prim_fail(PRIM_ERROR_VALUE, "%s: h_initial and d_initial are both given",
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

static const prim_ladder ladder = {
    .rungs = prim_scan_rungs,
    .choose = prim_scan_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

static prim_scan_args shape(const char *name, prim_scan_variant variant, prim_scan_kind kind,
                            prim_op op, prim_transform transform, cudaDataType_t in_type,
                            size_t rows, size_t columns, cudaDataType_t out_type)
{
    return (prim_scan_args){.call = {.name = name, .variant = (int)variant},
                            .kind = kind,
                            .op = op,
                            .transform = transform,
                            .in_type = in_type,
                            .out_type = out_type,
                            .rows = rows,
                            .columns = columns,
                            .in_ld = columns,
                            .out_ld = columns};
}

static prim_scan_args shape_2d(const char *name, prim_scan_variant variant, prim_op op,
                               prim_transform transform, cudaDataType_t in_type, size_t rows,
                               size_t columns, cudaDataType_t out_type)
{
    prim_scan_args args =
        shape(name, variant, PRIM_SCAN_INCLUSIVE, op, transform, in_type, rows, columns, out_type);
    args.summed_area = true;
    return args;
}

static void put_operands(prim_scan_args *args, const void *initial, const void *d_initial,
                         const void *in, size_t in_ld, void *out, size_t out_ld)
{
    args->initial = initial;
    args->d_initial = d_initial;
    args->in = in;
    args->in_ld = in_ld;
    args->out = out;
    args->out_ld = out_ld;
}

static prim_status run(prim_scan_args *args, void *d_workspace, size_t workspace_bytes,
                       cudaStream_t stream)
{
    args->call.workspace = d_workspace;
    args->call.workspace_bytes = workspace_bytes;
    args->call.stream = stream;
    return prim_ladder_run(&ladder, &args->call);
}

prim_status prim_scan(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                      prim_transform transform, const void *h_initial, const void *d_initial,
                      cudaDataType_t in_type, const void *d_in, size_t count,
                      cudaDataType_t out_type, void *d_out, void *d_total, void *d_workspace,
                      size_t workspace_bytes, cudaStream_t stream)
{
    prim_scan_args args =
        shape("prim_scan", variant, kind, op, transform, in_type, 1, count, out_type);
    put_operands(&args, h_initial, d_initial, d_in, count, d_out, count);
    args.total = d_total;
    return run(&args, d_workspace, workspace_bytes, stream);
}

prim_status prim_scan_rows(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                           prim_transform transform, const void *h_initial, const void *d_initial,
                           cudaDataType_t in_type, const void *d_in, size_t rows, size_t columns,
                           size_t in_ld, cudaDataType_t out_type, void *d_out, size_t out_ld,
                           void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_scan_args args =
        shape("prim_scan_rows", variant, kind, op, transform, in_type, rows, columns, out_type);
    put_operands(&args, h_initial, d_initial, d_in, in_ld, d_out, out_ld);
    return run(&args, d_workspace, workspace_bytes, stream);
}

prim_status prim_scan_2d(prim_scan_variant variant, prim_op op, prim_transform transform,
                         cudaDataType_t in_type, const void *d_in, size_t rows, size_t columns,
                         size_t in_ld, cudaDataType_t out_type, void *d_out, size_t out_ld,
                         void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_scan_args args =
        shape_2d("prim_scan_2d", variant, op, transform, in_type, rows, columns, out_type);
    put_operands(&args, NULL, NULL, d_in, in_ld, d_out, out_ld);
    return run(&args, d_workspace, workspace_bytes, stream);
}

/* ---- queries ---- */

prim_status prim_scan_workspace_bytes(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                                      prim_transform transform, cudaDataType_t in_type,
                                      size_t count, cudaDataType_t out_type, size_t *bytes)
{
    const prim_scan_args args = shape("prim_scan_workspace_bytes", variant, kind, op, transform,
                                      in_type, 1, count, out_type);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

prim_status prim_scan_rows_workspace_bytes(prim_scan_variant variant, prim_scan_kind kind,
                                           prim_op op, prim_transform transform,
                                           cudaDataType_t in_type, size_t rows, size_t columns,
                                           cudaDataType_t out_type, size_t *bytes)
{
    const prim_scan_args args = shape("prim_scan_rows_workspace_bytes", variant, kind, op,
                                      transform, in_type, rows, columns, out_type);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

prim_status prim_scan_2d_workspace_bytes(prim_scan_variant variant, prim_op op,
                                         prim_transform transform, cudaDataType_t in_type,
                                         size_t rows, size_t columns, cudaDataType_t out_type,
                                         size_t *bytes)
{
    const prim_scan_args args = shape_2d("prim_scan_2d_workspace_bytes", variant, op, transform,
                                         in_type, rows, columns, out_type);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_scan_supports(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                        prim_transform transform, cudaDataType_t in_type, size_t count,
                        cudaDataType_t out_type)
{
    const prim_scan_args args =
        shape("prim_scan_supports", variant, kind, op, transform, in_type, 1, count, out_type);
    return prim_ladder_supports(&ladder, &args.call);
}

bool prim_scan_rows_supports(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                             prim_transform transform, cudaDataType_t in_type, size_t rows,
                             size_t columns, cudaDataType_t out_type)
{
    const prim_scan_args args = shape("prim_scan_rows_supports", variant, kind, op, transform,
                                      in_type, rows, columns, out_type);
    return prim_ladder_supports(&ladder, &args.call);
}

bool prim_scan_2d_supports(prim_scan_variant variant, prim_op op, prim_transform transform,
                           cudaDataType_t in_type, size_t rows, size_t columns,
                           cudaDataType_t out_type)
{
    const prim_scan_args args =
        shape_2d("prim_scan_2d_supports", variant, op, transform, in_type, rows, columns, out_type);
    return prim_ladder_supports(&ladder, &args.call);
}

prim_scan_variant prim_scan_choose(prim_scan_kind kind, prim_op op, prim_transform transform,
                                   cudaDataType_t in_type, size_t count, cudaDataType_t out_type)
{
    const prim_scan_args args =
        shape("prim_scan_choose", PRIM_SCAN_AUTO, kind, op, transform, in_type, 1, count, out_type);
    return (prim_scan_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_scan_variant prim_scan_rows_choose(prim_scan_kind kind, prim_op op, prim_transform transform,
                                        cudaDataType_t in_type, size_t rows, size_t columns,
                                        cudaDataType_t out_type)
{
    const prim_scan_args args = shape("prim_scan_rows_choose", PRIM_SCAN_AUTO, kind, op, transform,
                                      in_type, rows, columns, out_type);
    return (prim_scan_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_scan_variant prim_scan_2d_choose(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                      size_t rows, size_t columns, cudaDataType_t out_type)
{
    const prim_scan_args args = shape_2d("prim_scan_2d_choose", PRIM_SCAN_AUTO, op, transform,
                                         in_type, rows, columns, out_type);
    return (prim_scan_variant)prim_ladder_choose(&ladder, &args.call);
}

/* ---- host ---- */

static prim_status run_host(prim_scan_args *args, int threads)
{
    args->call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args->call);
    return status == PRIM_OK ? prim_scan_on_host(args, threads) : status;
}

prim_status prim_scan_host(prim_scan_kind kind, prim_op op, prim_transform transform,
                           const void *h_initial, cudaDataType_t in_type, const void *h_in,
                           size_t count, cudaDataType_t out_type, void *h_out, void *h_total,
                           int threads)
{
    prim_scan_args args =
        shape("prim_scan_host", PRIM_SCAN_AUTO, kind, op, transform, in_type, 1, count, out_type);
    put_operands(&args, h_initial, NULL, h_in, count, h_out, count);
    args.total = h_total;
    return run_host(&args, threads);
}

prim_status prim_scan_rows_host(prim_scan_kind kind, prim_op op, prim_transform transform,
                                const void *h_initial, cudaDataType_t in_type, const void *h_in,
                                size_t rows, size_t columns, size_t in_ld, cudaDataType_t out_type,
                                void *h_out, size_t out_ld, int threads)
{
    prim_scan_args args = shape("prim_scan_rows_host", PRIM_SCAN_AUTO, kind, op, transform, in_type,
                                rows, columns, out_type);
    put_operands(&args, h_initial, NULL, h_in, in_ld, h_out, out_ld);
    return run_host(&args, threads);
}

prim_status prim_scan_2d_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                              const void *h_in, size_t rows, size_t columns, size_t in_ld,
                              cudaDataType_t out_type, void *h_out, size_t out_ld, int threads)
{
    prim_scan_args args = shape_2d("prim_scan_2d_host", PRIM_SCAN_AUTO, op, transform, in_type,
                                   rows, columns, out_type);
    put_operands(&args, NULL, NULL, h_in, in_ld, h_out, out_ld);
    return run_host(&args, threads);
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
