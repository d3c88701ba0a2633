/* Binary gemm's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "binary_gemm/binary_gemm_args.h"
#include "common/host/element.h"
#include "common/host/fail.h"
#include "common/host/sizes.h"

/* ---- packing ---- */

static prim_status check_pack_kind(const void *any)
{
    const prim_binary_pack_args *args = any;
    const cudaDataType_t type = args->in_type;
    if (type != CUDA_R_32F && type != CUDA_R_32I && type != CUDA_R_8I)
        return prim_fail(PRIM_ERROR_TYPE, "%s: in_type is %s, not i8, i32 or f32", args->call.name,
                         prim_element_name(type));
    if (args->out_rows != args->rows || args->out_columns != args->columns)
        return prim_fail(PRIM_ERROR_VALUE, "%s: in is %zu × %zu, and packed is not: %zu × %zu",
                         args->call.name, args->rows, args->columns, args->out_rows,
                         args->out_columns);
    return PRIM_OK;
}

static prim_status check_pack_operands(const void *any, prim_operands *operands)
{
    const prim_binary_pack_args *args = any;
    prim_span *const in = &operands->spans[0], *const packed = &operands->spans[1];
    operands->count = 2;
    prim_status status = prim_check_matrix(&args->call, "in", args->in, args->rows, args->columns,
                                           args->ld, prim_element_bytes(args->in_type), in);
    if (status == PRIM_OK)
        status = prim_check_matrix(&args->call, "packed", args->packed, args->packed_rows,
                                   args->packed_columns, args->packed_ld, sizeof(uint32_t), packed);
    return status == PRIM_OK ? prim_check_disjoint(&args->call, *packed, *in) : status;
}

static void describe_pack(const void *any, char *text, size_t bytes)
{
    const prim_binary_pack_args *args = any;
    snprintf(text, bytes, "%s, %zu × %zu", prim_element_name(args->in_type), args->rows,
             args->columns);
}

static const prim_ladder rows_ladder = {
    .rungs = prim_binary_pack_rows_rungs,
    .check_kind = check_pack_kind,
    .check_operands = check_pack_operands,
    .describe = describe_pack,
};

static const prim_ladder columns_ladder = {
    .rungs = prim_binary_pack_columns_rungs,
    .check_kind = check_pack_kind,
    .check_operands = check_pack_operands,
    .describe = describe_pack,
};

/* Without an ld, one row of words follows the other. */
static size_t ld_of(prim_bits bits, size_t words)
{
    return bits.ld == 0 ? words : bits.ld;
}

static prim_binary_pack_args pack_args(const char *name, prim_matrix in, prim_bits packed,
                                       size_t packed_rows, size_t packed_columns)
{
    return (prim_binary_pack_args){.call = {.name = name},
                                   .in_type = in.type,
                                   .in = in.data,
                                   .rows = in.rows,
                                   .columns = in.columns,
                                   .ld = prim_with_ld(in).ld,
                                   .packed = packed.words,
                                   .packed_rows = packed_rows,
                                   .packed_columns = packed_columns,
                                   .packed_ld = ld_of(packed, packed_columns),
                                   .out_rows = packed.rows,
                                   .out_columns = packed.columns};
}

static prim_binary_pack_args rows_args(const char *name, prim_matrix in, prim_bits packed)
{
    const size_t words = prim_divide_up(in.columns, PRIM_BINARY_WORD_BITS);
    return pack_args(name, in, packed, in.rows, words);
}

static prim_binary_pack_args columns_args(const char *name, prim_matrix in, prim_bits packed)
{
    const size_t words = prim_divide_up(in.rows, PRIM_BINARY_WORD_BITS);
    return pack_args(name, in, packed, words, in.columns);
}

prim_status prim_binary_pack_rows(prim_matrix in, prim_bits packed, const prim_call *call)
{
    prim_binary_pack_args args = rows_args("prim_binary_pack_rows", in, packed);
    return prim_ladder_call(&rows_ladder, &args.call, call);
}

prim_status prim_binary_pack_columns(prim_matrix in, prim_bits packed, const prim_call *call)
{
    prim_binary_pack_args args = columns_args("prim_binary_pack_columns", in, packed);
    return prim_ladder_call(&columns_ladder, &args.call, call);
}

prim_status prim_binary_pack_rows_host(prim_matrix in, prim_bits packed, int threads)
{
    prim_binary_pack_args args = rows_args("prim_binary_pack_rows_host", in, packed);
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&rows_ladder, &args.call);
    return status == PRIM_OK ? prim_binary_pack_rows_on_host(&args, threads) : status;
}

prim_status prim_binary_pack_columns_host(prim_matrix in, prim_bits packed, int threads)
{
    prim_binary_pack_args args = columns_args("prim_binary_pack_columns_host", in, packed);
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&columns_ladder, &args.call);
    return status == PRIM_OK ? prim_binary_pack_columns_on_host(&args, threads) : status;
}

/* ---- the product ---- */

static size_t words_of(const prim_binary_gemm_args *args)
{
    return prim_divide_up(args->k, PRIM_BINARY_WORD_BITS);
}

static prim_status check_kind(const void *any)
{
    const prim_binary_gemm_args *args = any;
    if (args->c_type != CUDA_R_32I && args->c_type != CUDA_R_32F)
        return prim_fail(PRIM_ERROR_TYPE, "%s: c_type is %s, neither i32 nor f32", args->call.name,
                         prim_element_name(args->c_type));
    if (args->k > INT32_MAX)
        return prim_fail(PRIM_ERROR_VALUE, "%s: k is %zu, more than %d", args->call.name, args->k,
                         INT32_MAX);
    if (args->a_m != args->m || args->b_k != args->k || args->b_n != args->n)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: A is %zu × %zu, B %zu × %zu and C %zu × %zu, which do not fit each "
                         "other",
                         args->call.name, args->a_m, args->k, args->b_k, args->b_n, args->m,
                         args->n);
    prim_status status =
        prim_check_bytes(&args->call, "a", args->m, words_of(args), sizeof(uint32_t));
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "b", words_of(args), args->n, sizeof(uint32_t));
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "c", args->m, args->n, sizeof(uint32_t));
    return status;
}

/* A word of A and B, and an element of C, are equally long. */
static prim_status check_matrix(const prim_binary_gemm_args *args, const char *name,
                                const void *data, size_t rows, size_t columns, size_t ld,
                                prim_rectangle *rectangle)
{
    return prim_check_rectangle(&args->call, name, data, rows, columns, ld, sizeof(uint32_t),
                                rectangle);
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_binary_gemm_args *args = any;
    prim_rectangle a, b, c;
    prim_status status = check_matrix(args, "a", args->a, args->m, words_of(args), args->lda, &a);
    if (status == PRIM_OK)
        status = check_matrix(args, "b", args->b, words_of(args), args->n, args->ldb, &b);
    if (status == PRIM_OK)
        status = check_matrix(args, "c", args->c, args->m, args->n, args->ldc, &c);
    return status == PRIM_OK ? prim_check_product(&args->call, a, b, c, operands) : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_binary_gemm_args *args = any;
    snprintf(text, bytes, "into %s, m %zu, n %zu, k %zu", prim_element_name(args->c_type), args->m,
             args->n, args->k);
}

static const prim_ladder ladder = {
    .rungs = prim_binary_gemm_rungs,
    .choose = prim_binary_gemm_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

static prim_binary_gemm_args gemm_args(const char *name, prim_binary_gemm_variant variant,
                                       prim_bits a, prim_bits b, prim_matrix c)
{
    return (prim_binary_gemm_args){.call = {.name = name, .variant = (int)variant},
                                   .m = c.rows,
                                   .n = c.columns,
                                   .k = a.columns,
                                   .a = a.words,
                                   .lda =
                                       ld_of(a, prim_divide_up(a.columns, PRIM_BINARY_WORD_BITS)),
                                   .b = b.words,
                                   .ldb = ld_of(b, b.columns),
                                   .c_type = c.type,
                                   .c = c.data,
                                   .ldc = prim_with_ld(c).ld,
                                   .a_m = a.rows,
                                   .b_k = b.rows,
                                   .b_n = b.columns};
}

prim_status prim_binary_gemm(prim_binary_gemm_variant variant, prim_bits a, prim_bits b,
                             prim_matrix c, const prim_call *call)
{
    prim_binary_gemm_args args = gemm_args("prim_binary_gemm", variant, a, b, c);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_binary_gemm_host(prim_bits a, prim_bits b, prim_matrix c, int threads)
{
    prim_binary_gemm_args args = gemm_args("prim_binary_gemm_host", PRIM_BINARY_GEMM_AUTO, a, b, c);
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_binary_gemm_on_host(&args, threads) : status;
}

/* ---- variants ---- */

const prim_variant *prim_binary_gemm_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_binary_gemm_variant_info(prim_binary_gemm_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
