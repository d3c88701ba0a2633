/* gemv's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "gemv/gemv_args.h"

/* The types of A and x, and of y. */
static const cudaDataType_t pairs[][2] = {{CUDA_R_32F, CUDA_R_32F},  {CUDA_R_64F, CUDA_R_64F},
                                          {CUDA_R_32I, CUDA_R_32I},  {CUDA_R_16F, CUDA_R_16F},
                                          {CUDA_R_16F, CUDA_R_32F},  {CUDA_R_16BF, CUDA_R_16BF},
                                          {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_8I, CUDA_R_32I}};

static bool are_types(const prim_gemv_args *args)
{
    size_t i = 0;
    while (i < sizeof pairs / sizeof *pairs &&
           (args->a_type != pairs[i][0] || args->y_type != pairs[i][1]))
        i++;
    return i < sizeof pairs / sizeof *pairs && args->x_type == args->a_type;
}

static size_t length_of_x(const prim_gemv_args *args)
{
    return args->op == PRIM_TRANSPOSED ? args->rows : args->columns;
}

static size_t length_of_y(const prim_gemv_args *args)
{
    return args->op == PRIM_TRANSPOSED ? args->columns : args->rows;
}

static prim_status check_kind(const void *any)
{
    const prim_gemv_args *args = any;
    if ((unsigned)args->op > PRIM_TRANSPOSED)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: op is %d, neither PRIM_NOT_TRANSPOSED nor PRIM_TRANSPOSED, 0 or 1",
                         args->call.name, args->op);
    if (!are_types(args))
        return prim_fail(
            PRIM_ERROR_TYPE,
            "%s: a_type %s, x_type %s and y_type %s do not go together: A and x are of "
            "one type, and y of that or, for f16, bf16 and i8, of a wider one",
            args->call.name, prim_element_name(args->a_type), prim_element_name(args->x_type),
            prim_element_name(args->y_type));
    const size_t bytes = prim_element_bytes(args->a_type),
                 y_bytes = prim_element_bytes(args->y_type);
    prim_status status = prim_check_whole(&args->call, "alpha", args->alpha, args->y_type);
    if (status == PRIM_OK)
        status = prim_check_whole(&args->call, "beta", args->beta, args->y_type);
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "a", args->rows, args->columns, bytes);
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "x", 1, length_of_x(args), bytes);
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "y", args->batches, length_of_y(args), y_bytes);
    return status;
}

/* No y of a batch overlaps another. */
static prim_status check_y_stride(const prim_gemv_args *args)
{
    const size_t length = length_of_y(args);
    if (args->batches < 2 || args->y_stride >= length)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_VALUE,
                     "%s: y_stride is %zu, and %zu vectors of %zu elements would overlap",
                     args->call.name, args->y_stride, args->batches, length);
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_gemv_args *args = any;
    const size_t bytes = prim_element_bytes(args->a_type),
                 y_bytes = prim_element_bytes(args->y_type);
    const size_t x_length = length_of_x(args), y_length = length_of_y(args);
    prim_rectangle a, x, y;
    prim_status status = prim_check_batch(&args->call, "a", args->a, args->rows, args->columns,
                                          args->lda, args->a_stride, args->batches, bytes, &a);
    if (status == PRIM_OK)
        status = prim_check_batch(&args->call, "x", args->x, 1, x_length, x_length, args->x_stride,
                                  args->batches, bytes, &x);
    if (status == PRIM_OK)
        status = prim_check_batch(&args->call, "y", args->y, 1, y_length, y_length, args->y_stride,
                                  args->batches, y_bytes, &y);
    if (status == PRIM_OK)
        status = check_y_stride(args);
    if (status != PRIM_OK)
        return status;
    *operands = (prim_operands){{a.span, x.span, y.span}, 3};
    status = prim_check_disjoint(&args->call, y.span, a.span);
    return status == PRIM_OK ? prim_check_disjoint(&args->call, y.span, x.span) : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_gemv_args *args = any;
    snprintf(text, bytes, "%s -> %s, %zu × %zu, batches %zu", prim_element_name(args->a_type),
             prim_element_name(args->y_type), args->rows, args->columns, args->batches);
}

static const prim_ladder ladder = {
    .rungs = prim_gemv_rungs,
    .choose = prim_gemv_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .stateful = PRIM_GEMV_CONSTANT,
    .describe = describe,
};

/* ---- calls ---- */

prim_status prim_gemv(prim_gemv_variant variant, prim_transpose op, size_t rows, size_t columns,
                      double alpha, cudaDataType_t a_type, const void *d_a, size_t lda,
                      cudaDataType_t x_type, const void *d_x, double beta, cudaDataType_t y_type,
                      void *d_y, void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    const prim_request call = {"prim_gemv", (int)variant, false, d_workspace, workspace_bytes, stream, NULL};
    prim_gemv_args args = {call, op,   rows,   columns, alpha, a_type, d_a, lda, x_type,
                           d_x,  beta, y_type, d_y,     1,     0,      0,   0};
    return prim_ladder_run(&ladder, &args.call);
}

prim_status prim_gemv_batched(prim_gemv_variant variant, prim_transpose op, size_t rows,
                              size_t columns, double alpha, cudaDataType_t a_type, const void *d_a,
                              size_t lda, size_t a_stride, cudaDataType_t x_type, const void *d_x,
                              size_t x_stride, double beta, cudaDataType_t y_type, void *d_y,
                              size_t y_stride, size_t batches, void *d_workspace,
                              size_t workspace_bytes, cudaStream_t stream)
{
    const prim_request call = {"prim_gemv_batched", (int)variant,    false,
                            d_workspace,         workspace_bytes, stream, NULL};
    prim_gemv_args args = {call, op,      rows,     columns,  alpha,   a_type,
                           d_a,  lda,     x_type,   d_x,      beta,    y_type,
                           d_y,  batches, a_stride, x_stride, y_stride};
    return prim_ladder_run(&ladder, &args.call);
}

static prim_gemv_args shape(const char *name, prim_gemv_variant variant, prim_transpose op,
                            size_t rows, size_t columns, cudaDataType_t a_type,
                            cudaDataType_t x_type, cudaDataType_t y_type, size_t batches)
{
    return (prim_gemv_args){.call = {.name = name, .variant = (int)variant},
                            .op = op,
                            .rows = rows,
                            .columns = columns,
                            .alpha = 1,
                            .a_type = a_type,
                            .lda = columns,
                            .x_type = x_type,
                            .y_type = y_type,
                            .batches = batches};
}

prim_status prim_gemv_workspace_bytes(prim_gemv_variant variant, prim_transpose op, size_t rows,
                                      size_t columns, cudaDataType_t a_type, cudaDataType_t x_type,
                                      cudaDataType_t y_type, size_t *bytes)
{
    const prim_gemv_args args =
        shape("prim_gemv_workspace_bytes", variant, op, rows, columns, a_type, x_type, y_type, 1);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

prim_status prim_gemv_batched_workspace_bytes(prim_gemv_variant variant, prim_transpose op,
                                              size_t rows, size_t columns, cudaDataType_t a_type,
                                              cudaDataType_t x_type, cudaDataType_t y_type,
                                              size_t batches, size_t *bytes)
{
    const prim_gemv_args args = shape("prim_gemv_batched_workspace_bytes", variant, op, rows,
                                      columns, a_type, x_type, y_type, batches);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_gemv_supports(prim_gemv_variant variant, prim_transpose op, size_t rows, size_t columns,
                        cudaDataType_t a_type, cudaDataType_t x_type, cudaDataType_t y_type)
{
    const prim_gemv_args args =
        shape("prim_gemv_supports", variant, op, rows, columns, a_type, x_type, y_type, 1);
    return prim_ladder_supports(&ladder, &args.call);
}

bool prim_gemv_batched_supports(prim_gemv_variant variant, prim_transpose op, size_t rows,
                                size_t columns, cudaDataType_t a_type, cudaDataType_t x_type,
                                cudaDataType_t y_type, size_t batches)
{
    const prim_gemv_args args = shape("prim_gemv_batched_supports", variant, op, rows, columns,
                                      a_type, x_type, y_type, batches);
    return prim_ladder_supports(&ladder, &args.call);
}

prim_gemv_variant prim_gemv_choose(prim_transpose op, size_t rows, size_t columns,
                                   cudaDataType_t a_type, cudaDataType_t x_type,
                                   cudaDataType_t y_type)
{
    const prim_gemv_args args =
        shape("prim_gemv_choose", PRIM_GEMV_AUTO, op, rows, columns, a_type, x_type, y_type, 1);
    return (prim_gemv_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_gemv_variant prim_gemv_batched_choose(prim_transpose op, size_t rows, size_t columns,
                                           cudaDataType_t a_type, cudaDataType_t x_type,
                                           cudaDataType_t y_type, size_t batches)
{
    const prim_gemv_args args = shape("prim_gemv_batched_choose", PRIM_GEMV_AUTO, op, rows, columns,
                                      a_type, x_type, y_type, batches);
    return (prim_gemv_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_status prim_gemv_host(prim_transpose op, size_t rows, size_t columns, double alpha,
                           cudaDataType_t a_type, const void *h_a, size_t lda,
                           cudaDataType_t x_type, const void *h_x, double beta,
                           cudaDataType_t y_type, void *h_y, int threads)
{
    const prim_request call = {.name = "prim_gemv_host", .on_host = true};
    const prim_gemv_args args = {call, op,   rows,   columns, alpha, a_type, h_a, lda, x_type,
                                 h_x,  beta, y_type, h_y,     1,     0,      0,   0};
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_gemv_on_host(&args, threads) : status;
}

prim_status prim_gemv_batched_host(prim_transpose op, size_t rows, size_t columns, double alpha,
                                   cudaDataType_t a_type, const void *h_a, size_t lda,
                                   size_t a_stride, cudaDataType_t x_type, const void *h_x,
                                   size_t x_stride, double beta, cudaDataType_t y_type, void *h_y,
                                   size_t y_stride, size_t batches, int threads)
{
    const prim_request call = {.name = "prim_gemv_batched_host", .on_host = true};
    const prim_gemv_args args = {call, op,      rows,     columns,  alpha,   a_type,
                                 h_a,  lda,     x_type,   h_x,      beta,    y_type,
                                 h_y,  batches, a_stride, x_stride, y_stride};
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_gemv_on_host(&args, threads) : status;
}

/* ---- variants ---- */

const prim_variant *prim_gemv_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_gemv_variant_info(prim_gemv_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
