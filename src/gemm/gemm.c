/* gemm's API: what its arguments must be, and the calls. */
#include <math.h>
#include <stdio.h>

#include "common/element.h"
#include "common/fail.h"
#include "gemm/gemm_args.h"

static prim_status check_enums(const prim_gemm_args *args)
{
    if ((unsigned)args->op_a > PRIM_TRANSPOSED)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: op_a is %d, neither PRIM_NOT_TRANSPOSED nor PRIM_TRANSPOSED, 0 or 1",
                         args->call.name, args->op_a);
    if ((unsigned)args->op_b > PRIM_TRANSPOSED)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: op_b is %d, neither PRIM_NOT_TRANSPOSED nor PRIM_TRANSPOSED, 0 or 1",
                         args->call.name, args->op_b);
    if (args->compute != PRIM_COMPUTE_DEFAULT)
        return prim_fail(PRIM_ERROR_ENUM, "%s: compute is %d, not PRIM_COMPUTE_DEFAULT, 0",
                         args->call.name, args->compute);
    return PRIM_OK;
}

static prim_status check_types(const prim_gemm_args *args)
{
    const cudaDataType_t type = args->c_type;
    const bool exists = type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_32I;
    if (exists && args->a_type == type && args->b_type == type)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_TYPE,
                     "%s: a_type %s, b_type %s and c_type %s are not all f32, all f64 or all i32",
                     args->call.name, prim_element_name(args->a_type),
                     prim_element_name(args->b_type), prim_element_name(type));
}

static prim_status check_whole(const prim_gemm_args *args, const char *name, double value)
{
    if (args->c_type != CUDA_R_32I || (fabs(value) < 0x1p63 && trunc(value) == value))
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_VALUE, "%s: %s is %g, and i32 takes whole numbers below 2^63 only",
                     args->call.name, name, value);
}

static prim_status check_kind(const void *any)
{
    const prim_gemm_args *args = any;
    prim_status status = check_enums(args);
    if (status == PRIM_OK)
        status = check_types(args);
    if (status == PRIM_OK)
        status = check_whole(args, "alpha", args->alpha);
    if (status == PRIM_OK)
        status = check_whole(args, "beta", args->beta);
    const size_t bytes = status == PRIM_OK ? prim_element_bytes(args->c_type) : 1;
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "a", args->m, args->k, bytes);
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "b", args->k, args->n, bytes);
    return status == PRIM_OK ? prim_check_bytes(&args->call, "c", args->m, args->n, bytes) : status;
}

/* As it is stored. */
static prim_status check_factor(const prim_gemm_args *args, const char *name, const void *data,
                                prim_transpose op, size_t rows, size_t columns, size_t ld,
                                prim_rectangle *rectangle)
{
    const bool transposed = op == PRIM_TRANSPOSED;
    return prim_check_rectangle(&args->call, name, data, transposed ? columns : rows,
                                transposed ? rows : columns, ld, prim_element_bytes(args->c_type),
                                rectangle);
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_gemm_args *args = any;
    prim_rectangle a, b, c;
    prim_status status =
        check_factor(args, "a", args->a, args->op_a, args->m, args->k, args->lda, &a);
    if (status == PRIM_OK)
        status = check_factor(args, "b", args->b, args->op_b, args->k, args->n, args->ldb, &b);
    if (status == PRIM_OK)
        status =
            check_factor(args, "c", args->c, PRIM_NOT_TRANSPOSED, args->m, args->n, args->ldc, &c);
    return status == PRIM_OK ? prim_check_product(&args->call, a, b, c, operands) : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_gemm_args *args = any;
    snprintf(text, bytes, "%s, m %zu, n %zu, k %zu", prim_element_name(args->c_type), args->m,
             args->n, args->k);
}

static const prim_ladder ladder = {
    .rungs = prim_gemm_rungs,
    .choose = prim_gemm_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

prim_status prim_gemm(prim_gemm_variant variant, prim_transpose op_a, prim_transpose op_b, size_t m,
                      size_t n, size_t k, double alpha, cudaDataType_t a_type, const void *d_a,
                      size_t lda, cudaDataType_t b_type, const void *d_b, size_t ldb, double beta,
                      cudaDataType_t c_type, void *d_c, size_t ldc, prim_compute compute,
                      void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_gemm_args args = {{"prim_gemm", (int)variant, false, d_workspace, workspace_bytes, stream},
                           op_a,
                           op_b,
                           m,
                           n,
                           k,
                           alpha,
                           a_type,
                           d_a,
                           lda,
                           b_type,
                           d_b,
                           ldb,
                           beta,
                           c_type,
                           d_c,
                           ldc,
                           compute};
    return prim_ladder_run(&ladder, &args.call);
}

static prim_gemm_args shape(const char *name, prim_gemm_variant variant, prim_transpose op_a,
                            prim_transpose op_b, size_t m, size_t n, size_t k,
                            cudaDataType_t a_type, cudaDataType_t b_type, cudaDataType_t c_type,
                            prim_compute compute)
{
    return (prim_gemm_args){.call = {.name = name, .variant = (int)variant},
                            .op_a = op_a,
                            .op_b = op_b,
                            .m = m,
                            .n = n,
                            .k = k,
                            .alpha = 1,
                            .a_type = a_type,
                            .b_type = b_type,
                            .c_type = c_type,
                            .compute = compute};
}

prim_status prim_gemm_workspace_bytes(prim_gemm_variant variant, prim_transpose op_a,
                                      prim_transpose op_b, size_t m, size_t n, size_t k,
                                      cudaDataType_t a_type, cudaDataType_t b_type,
                                      cudaDataType_t c_type, prim_compute compute, size_t *bytes)
{
    const prim_gemm_args args = shape("prim_gemm_workspace_bytes", variant, op_a, op_b, m, n, k,
                                      a_type, b_type, c_type, compute);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_gemm_supports(prim_gemm_variant variant, prim_transpose op_a, prim_transpose op_b,
                        size_t m, size_t n, size_t k, cudaDataType_t a_type, cudaDataType_t b_type,
                        cudaDataType_t c_type, prim_compute compute)
{
    const prim_gemm_args args =
        shape("prim_gemm_supports", variant, op_a, op_b, m, n, k, a_type, b_type, c_type, compute);
    return prim_ladder_supports(&ladder, &args.call);
}

prim_gemm_variant prim_gemm_choose(prim_transpose op_a, prim_transpose op_b, size_t m, size_t n,
                                   size_t k, cudaDataType_t a_type, cudaDataType_t b_type,
                                   cudaDataType_t c_type, prim_compute compute)
{
    const prim_gemm_args args = shape("prim_gemm_choose", PRIM_GEMM_AUTO, op_a, op_b, m, n, k,
                                      a_type, b_type, c_type, compute);
    return (prim_gemm_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_status prim_gemm_host(prim_transpose op_a, prim_transpose op_b, size_t m, size_t n, size_t k,
                           double alpha, cudaDataType_t a_type, const void *h_a, size_t lda,
                           cudaDataType_t b_type, const void *h_b, size_t ldb, double beta,
                           cudaDataType_t c_type, void *h_c, size_t ldc, prim_compute compute,
                           int threads)
{
    const prim_gemm_args args = {{.name = "prim_gemm_host", .on_host = true},
                                 op_a,
                                 op_b,
                                 m,
                                 n,
                                 k,
                                 alpha,
                                 a_type,
                                 h_a,
                                 lda,
                                 b_type,
                                 h_b,
                                 ldb,
                                 beta,
                                 c_type,
                                 h_c,
                                 ldc,
                                 compute};
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_gemm_on_host(&args, threads) : status;
}

/* ---- variants ---- */

const prim_variant *prim_gemm_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_gemm_variant_info(prim_gemm_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
