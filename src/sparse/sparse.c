/* The sparse product's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "sparse/sparse_args.h"

prim_status prim_spmv_check_kind(const void *any)
{
    const prim_spmv_args *args = any;
    const prim_status status = prim_sparse_check_shape(&args->call, &args->matrix);
    if (status != PRIM_OK)
        return status;
    const cudaDataType_t type = args->matrix.value_type;
    const bool halves = type == CUDA_R_16F || type == CUDA_R_16BF;
    if (args->x_type == args->y_type &&
        (args->y_type == type || (halves && args->y_type == CUDA_R_32F)))
        return PRIM_OK;
    return prim_fail(
        PRIM_ERROR_TYPE, "%s: x_type is %s and y_type %s, not both the matrix's value_type, %s%s",
        args->call.name, prim_element_name(args->x_type), prim_element_name(args->y_type),
        prim_element_name(type), halves ? ", or both f32" : "");
}

prim_status prim_spmv_check_operands(const void *any, prim_operands *operands)
{
    const prim_spmv_args *args = any;
    const size_t bytes = prim_element_bytes(args->y_type);
    int arrays;
    prim_status status =
        prim_sparse_check_arrays(&args->call, &args->matrix, operands->spans, &arrays);
    prim_span *const x = &operands->spans[arrays], *const y = x + 1;
    operands->count = arrays + 2;
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "x", args->x, args->matrix.columns, bytes, x);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "y", args->y, args->matrix.rows, bytes, y);
    for (const prim_span *other = operands->spans; other < y && status == PRIM_OK; other++)
        status = prim_check_disjoint(&args->call, *y, *other);
    return status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_spmv_args *args = any;
    snprintf(text, bytes, "%s, %s, %zu × %zu, %zu entries",
             prim_sparse_format_name(args->matrix.format), prim_element_name(args->y_type),
             args->matrix.rows, args->matrix.columns, args->matrix.entries);
}

static const prim_ladder ladder = {
    .rungs = prim_spmv_rungs,
    .choose = prim_spmv_choose_rung,
    .check_kind = prim_spmv_check_kind,
    .check_operands = prim_spmv_check_operands,
    .describe = describe,
};

prim_status prim_spmv(prim_spmv_variant variant, double alpha, prim_sparse matrix,
                      cudaDataType_t x_type, const void *d_x, double beta, cudaDataType_t y_type,
                      void *d_y, void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    const prim_request call = {"prim_spmv", (int)variant, false, d_workspace, workspace_bytes, stream, NULL};
    prim_spmv_args args = {call, alpha, matrix, x_type, d_x, beta, y_type, d_y};
    return prim_ladder_run(&ladder, &args.call);
}

prim_status prim_spmv_workspace_bytes(prim_spmv_variant variant, prim_sparse matrix,
                                      cudaDataType_t x_type, cudaDataType_t y_type, size_t *bytes)
{
    const prim_spmv_args args = {
        .call = {.name = "prim_spmv_workspace_bytes", .variant = (int)variant},
        .matrix = matrix,
        .x_type = x_type,
        .y_type = y_type};
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_spmv_supports(prim_spmv_variant variant, prim_sparse matrix, cudaDataType_t x_type,
                        cudaDataType_t y_type)
{
    const prim_spmv_args args = {.call = {.name = "prim_spmv_supports", .variant = (int)variant},
                                 .matrix = matrix,
                                 .x_type = x_type,
                                 .y_type = y_type};
    return prim_ladder_supports(&ladder, &args.call);
}

prim_spmv_variant prim_spmv_choose(prim_sparse matrix, cudaDataType_t x_type, cudaDataType_t y_type)
{
    const prim_spmv_args args = {
        .call = {.name = "prim_spmv_choose"}, .matrix = matrix, .x_type = x_type, .y_type = y_type};
    return (prim_spmv_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_status prim_spmv_host(double alpha, prim_sparse matrix, cudaDataType_t x_type, const void *h_x,
                           double beta, cudaDataType_t y_type, void *h_y, int threads)
{
    const prim_spmv_args args = {
        {.name = "prim_spmv_host", .on_host = true}, alpha, matrix, x_type, h_x, beta, y_type, h_y};
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_spmv_on_host(&args, threads) : status;
}

/* ---- variants ---- */

const prim_variant *prim_spmv_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_spmv_variant_info(prim_spmv_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
