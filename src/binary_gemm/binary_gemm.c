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
    .choose = prim_binary_pack_choose_rung,
    .check_kind = check_pack_kind,
    .check_operands = check_pack_operands,
    .describe = describe_pack,
};

static const prim_ladder columns_ladder = {
    .rungs = prim_binary_pack_columns_rungs,
    .choose = prim_binary_pack_choose_rung,
    .check_kind = check_pack_kind,
    .check_operands = check_pack_operands,
    .describe = describe_pack,
};

static prim_binary_pack_args rows_args(prim_request call, cudaDataType_t in_type, const void *in,
                                       size_t rows, size_t columns, size_t ld, uint32_t *packed,
                                       size_t packed_ld)
{
    const size_t words = prim_divide_up(columns, PRIM_BINARY_WORD_BITS);
    return (prim_binary_pack_args){call, in_type, in,   rows,  columns,
                                   ld,   packed,  rows, words, packed_ld};
}

static prim_binary_pack_args columns_args(prim_request call, cudaDataType_t in_type, const void *in,
                                          size_t rows, size_t columns, size_t ld, uint32_t *packed,
                                          size_t packed_ld)
{
    const size_t words = prim_divide_up(rows, PRIM_BINARY_WORD_BITS);
    return (prim_binary_pack_args){call, in_type, in,    rows,    columns,
                                   ld,   packed,  words, columns, packed_ld};
}

prim_status prim_binary_pack_rows(cudaDataType_t in_type, const void *d_in, size_t rows,
                                  size_t columns, size_t ld, uint32_t *d_packed, size_t packed_ld,
                                  cudaStream_t stream)
{
    prim_binary_pack_args args =
        rows_args((prim_request){.name = "prim_binary_pack_rows", .stream = stream}, in_type, d_in,
                  rows, columns, ld, d_packed, packed_ld);
    return prim_ladder_run(&rows_ladder, &args.call);
}

prim_status prim_binary_pack_columns(cudaDataType_t in_type, const void *d_in, size_t rows,
                                     size_t columns, size_t ld, uint32_t *d_packed,
                                     size_t packed_ld, cudaStream_t stream)
{
    prim_binary_pack_args args =
        columns_args((prim_request){.name = "prim_binary_pack_columns", .stream = stream}, in_type,
                     d_in, rows, columns, ld, d_packed, packed_ld);
    return prim_ladder_run(&columns_ladder, &args.call);
}

prim_status prim_binary_pack_rows_host(cudaDataType_t in_type, const void *h_in, size_t rows,
                                       size_t columns, size_t ld, uint32_t *h_packed,
                                       size_t packed_ld, int threads)
{
    prim_binary_pack_args args =
        rows_args((prim_request){.name = "prim_binary_pack_rows_host", .on_host = true}, in_type, h_in,
                  rows, columns, ld, h_packed, packed_ld);
    const prim_status status = prim_ladder_check_host(&rows_ladder, &args.call);
    return status == PRIM_OK ? prim_binary_pack_rows_on_host(&args, threads) : status;
}

prim_status prim_binary_pack_columns_host(cudaDataType_t in_type, const void *h_in, size_t rows,
                                          size_t columns, size_t ld, uint32_t *h_packed,
                                          size_t packed_ld, int threads)
{
    prim_binary_pack_args args =
        columns_args((prim_request){.name = "prim_binary_pack_columns_host", .on_host = true}, in_type,
                     h_in, rows, columns, ld, h_packed, packed_ld);
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

prim_status prim_binary_gemm(prim_binary_gemm_variant variant, size_t m, size_t n, size_t k,
                             const uint32_t *d_a, size_t lda, const uint32_t *d_b, size_t ldb,
                             cudaDataType_t c_type, void *d_c, size_t ldc, void *d_workspace,
                             size_t workspace_bytes, cudaStream_t stream)
{
    const prim_request call = {"prim_binary_gemm", (int)variant,    false,
                            d_workspace,        workspace_bytes, stream, NULL};
    prim_binary_gemm_args args = {call, m, n, k, d_a, lda, d_b, ldb, c_type, d_c, ldc};
    return prim_ladder_run(&ladder, &args.call);
}

prim_status prim_binary_gemm_workspace_bytes(prim_binary_gemm_variant variant, size_t m, size_t n,
                                             size_t k, cudaDataType_t c_type, size_t *bytes)
{
    const prim_binary_gemm_args args = {
        .call = {.name = "prim_binary_gemm_workspace_bytes", .variant = (int)variant},
        .m = m,
        .n = n,
        .k = k,
        .c_type = c_type};
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_binary_gemm_supports(prim_binary_gemm_variant variant, size_t m, size_t n, size_t k,
                               cudaDataType_t c_type)
{
    const prim_binary_gemm_args args = {
        .call = {.name = "prim_binary_gemm_supports", .variant = (int)variant},
        .m = m,
        .n = n,
        .k = k,
        .c_type = c_type};
    return prim_ladder_supports(&ladder, &args.call);
}

prim_binary_gemm_variant prim_binary_gemm_choose(size_t m, size_t n, size_t k,
                                                 cudaDataType_t c_type)
{
    const prim_binary_gemm_args args = {
        .call = {.name = "prim_binary_gemm_choose"}, .m = m, .n = n, .k = k, .c_type = c_type};
    return (prim_binary_gemm_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_status prim_binary_gemm_host(size_t m, size_t n, size_t k, const uint32_t *h_a, size_t lda,
                                  const uint32_t *h_b, size_t ldb, cudaDataType_t c_type, void *h_c,
                                  size_t ldc, int threads)
{
    const prim_request call = {.name = "prim_binary_gemm_host", .on_host = true};
    const prim_binary_gemm_args args = {call, m, n, k, h_a, lda, h_b, ldb, c_type, h_c, ldc};
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
