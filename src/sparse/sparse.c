/* The sparse product's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "sparse/ell/strips.h"
#include "sparse/sparse_args.h"

prim_status prim_spmv_check_kind(const void *any)
{
    const prim_spmv_args *args = any;
    const prim_status status = prim_sparse_check_shape(&args->call, &args->matrix);
    if (status != PRIM_OK)
        return status;
    const cudaDataType_t type = args->matrix.value_type;
    const bool halves = type == CUDA_R_16F || type == CUDA_R_16BF;
    if (args->x_type != args->y_type ||
        (args->y_type != type && !(halves && args->y_type == CUDA_R_32F)))
        return prim_fail(
            PRIM_ERROR_TYPE,
            "%s: x_type is %s and y_type %s, but both must be the matrix's value_type, %s%s",
            args->call.name, prim_element_name(args->x_type), prim_element_name(args->y_type),
            prim_element_name(type), halves ? ", or both f32" : "");
    if (args->x_count != args->matrix.columns)
        return prim_fail(PRIM_ERROR_VALUE, "%s: x.count is %zu, but the matrix has %zu columns",
                         args->call.name, args->x_count, args->matrix.columns);
    if (args->y_count != args->matrix.rows)
        return prim_fail(PRIM_ERROR_VALUE, "%s: y.count is %zu, but the matrix has %zu rows",
                         args->call.name, args->y_count, args->matrix.rows);
    return PRIM_OK;
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

static const char *route(const prim_rung *rung, const void *args)
{
    switch (rung->variant.value) {
    case PRIM_SPMV_CSR_MERGE:
        return prim_spmv_csr_merge_route((const prim_spmv_args *)args);
    case PRIM_SPMV_ELL:
    case PRIM_SPMV_HYB:
    case PRIM_SPMV_JDS:
        return prim_strips_route((const prim_spmv_args *)args);
    default:
        return NULL;
    }
}

static const prim_ladder ladder = {
    .rungs = prim_spmv_rungs,
    .choose = prim_spmv_choose_rung,
    .check_kind = prim_spmv_check_kind,
    .check_operands = prim_spmv_check_operands,
    .describe = describe,
    .route = route,
};

prim_spmv_args prim_spmv_args_of(const char *name, prim_spmv_variant variant, double alpha,
                                 prim_sparse matrix, prim_vector x, double beta, prim_vector y)
{
    return (prim_spmv_args){.call = {.name = name, .variant = (int)variant},
                            .alpha = alpha,
                            .matrix = matrix,
                            .x_type = x.type,
                            .x = x.data,
                            .x_count = x.count,
                            .beta = beta,
                            .y_type = y.type,
                            .y = y.data,
                            .y_count = y.count};
}

prim_status prim_spmv(prim_spmv_variant variant, double alpha, prim_sparse matrix, prim_vector x,
                      double beta, prim_vector y, const prim_call *call)
{
    prim_spmv_args args = prim_spmv_args_of("prim_spmv", variant, alpha, matrix, x, beta, y);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_spmv_host(double alpha, prim_sparse matrix, prim_vector x, double beta,
                           prim_vector y, int threads)
{
    prim_spmv_args args =
        prim_spmv_args_of("prim_spmv_host", PRIM_SPMV_AUTO, alpha, matrix, x, beta, y);
    args.call.on_host = true;
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
