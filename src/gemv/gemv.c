/* gemv's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "gemv/gemv_args.h"
#include "gemv/small_products.h"

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

static prim_status check_lengths(const prim_gemv_args *args)
{
    if (args->x_count == length_of_x(args) && args->y_count == length_of_y(args))
        return PRIM_OK;
    return prim_fail(
        PRIM_ERROR_VALUE,
        "%s: op(A) is %zu × %zu, but x has %zu elements and y has %zu: these sizes do not match",
        args->call.name, length_of_y(args), length_of_x(args), args->x_count, args->y_count);
}

static prim_status check_kind(const void *any)
{
    const prim_gemv_args *args = any;
    if ((unsigned)args->op > PRIM_TRANSPOSED)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: op is %d, neither PRIM_NOT_TRANSPOSED nor PRIM_TRANSPOSED, 0 or 1",
                         args->call.name, args->op);
    if (!are_types(args))
        return prim_fail(PRIM_ERROR_TYPE,
                         "%s: a_type %s, x_type %s and y_type %s cannot be combined: A and x have "
                         "one type, and y has that type or, for f16, bf16 and i8, a wider one",
                         args->call.name, prim_element_name(args->a_type),
                         prim_element_name(args->x_type), prim_element_name(args->y_type));
    const size_t bytes = prim_element_bytes(args->a_type),
                 y_bytes = prim_element_bytes(args->y_type);
    prim_status status = prim_check_whole(&args->call, "alpha", args->alpha, args->y_type);
    if (status == PRIM_OK)
        status = prim_check_whole(&args->call, "beta", args->beta, args->y_type);
    if (status == PRIM_OK)
        status = check_lengths(args);
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
                     "%s: y_stride is %zu, so that %zu vectors of %zu elements would overlap",
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

static const char *route(const prim_rung *rung, const void *any)
{
    const prim_gemv_args *args = any;
    if (args->batches == 0 || (args->op == PRIM_TRANSPOSED ? args->columns : args->rows) == 0)
        return NULL; /* y has no elements */
    return rung->variant.value == PRIM_GEMV_WARP_PER_ROW ? prim_gemv_warp_per_row_route(args)
           : rung->variant.value == PRIM_GEMV_SPLIT      ? prim_gemv_split_route(args)
                                                         : NULL;
}

static const prim_ladder ladder = {
    .rungs = prim_gemv_rungs,
    .choose = prim_gemv_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .stateful = PRIM_GEMV_CONSTANT,
    .describe = describe,
    .route = route,
};

/* ---- the arguments of each call ---- */

static prim_gemv_args batched_args(const char *name, prim_gemv_variant variant, prim_transpose op,
                                   double alpha, prim_matrix a, prim_vector x, double beta,
                                   prim_vector y, size_t batches)
{
    return (prim_gemv_args){.call = {.name = name, .variant = (int)variant},
                            .op = op,
                            .rows = a.rows,
                            .columns = a.columns,
                            .alpha = alpha,
                            .a_type = a.type,
                            .a = a.data,
                            .lda = prim_with_ld(a).ld,
                            .x_type = x.type,
                            .x = x.data,
                            .beta = beta,
                            .y_type = y.type,
                            .y = y.data,
                            .batches = batches,
                            .a_stride = a.stride,
                            .x_stride = x.stride,
                            .y_stride = y.stride,
                            .x_count = x.count,
                            .y_count = y.count};
}

static prim_gemv_args single_args(const char *name, prim_gemv_variant variant, prim_transpose op,
                                  double alpha, prim_matrix a, prim_vector x, double beta,
                                  prim_vector y)
{
    a.stride = x.stride = y.stride = 0;
    return batched_args(name, variant, op, alpha, a, x, beta, y, 1);
}

/* ---- calls ---- */

prim_status prim_gemv(prim_gemv_variant variant, prim_transpose op, double alpha, prim_matrix a,
                      prim_vector x, double beta, prim_vector y, const prim_call *call)
{
    prim_gemv_args args = single_args("prim_gemv", variant, op, alpha, a, x, beta, y);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_gemv_batched(prim_gemv_variant variant, prim_transpose op, double alpha,
                              prim_matrix a, prim_vector x, double beta, prim_vector y,
                              size_t batches, const prim_call *call)
{
    prim_gemv_args args =
        batched_args("prim_gemv_batched", variant, op, alpha, a, x, beta, y, batches);
    return prim_ladder_call(&ladder, &args.call, call);
}

/* ---- on the host ---- */

static prim_status run_on_host(prim_gemv_args args, int threads)
{
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_gemv_on_host(&args, threads) : status;
}

prim_status prim_gemv_host(prim_transpose op, double alpha, prim_matrix a, prim_vector x,
                           double beta, prim_vector y, int threads)
{
    return run_on_host(single_args("prim_gemv_host", PRIM_GEMV_AUTO, op, alpha, a, x, beta, y),
                       threads);
}

prim_status prim_gemv_batched_host(prim_transpose op, double alpha, prim_matrix a, prim_vector x,
                                   double beta, prim_vector y, size_t batches, int threads)
{
    return run_on_host(
        batched_args("prim_gemv_batched_host", PRIM_GEMV_AUTO, op, alpha, a, x, beta, y, batches),
        threads);
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
