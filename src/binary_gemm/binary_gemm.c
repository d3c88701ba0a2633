/* Binary gemm's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "binary_gemm/binary_gemm_args.h"
#include "common/host/element.h"
#include "common/host/fail.h"
#include "common/host/sizes.h"

/* ---- packing and unpacking ---- */

static const char *name_of_elements(const prim_binary_pack_args *args)
{
    return args->is_unpacking ? "out" : "in";
}

static prim_status check_pack_kind(const void *any)
{
    const prim_binary_pack_args *args = any;
    const char *const name = name_of_elements(args);
    const cudaDataType_t type = args->type;
    const size_t rows = args->is_transposed ? args->columns : args->rows,
                 columns = args->is_transposed ? args->rows : args->columns;
    if (type != CUDA_R_32F && type != CUDA_R_16F && type != CUDA_R_32I && type != CUDA_R_8I)
        return prim_fail(PRIM_ERROR_TYPE, "%s: %s_type is %s, not i8, i32, f16 or f32",
                         args->call.name, name, prim_element_name(type));
    if (args->bit_rows != rows || args->bit_columns != columns)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: packed is %zu × %zu, but for %s of %zu × %zu it must be %zu × %zu",
                         args->call.name, args->bit_rows, args->bit_columns, name, args->rows,
                         args->columns, rows, columns);
    return PRIM_OK;
}

static prim_status check_pack_operands(const void *any, prim_operands *operands)
{
    const prim_binary_pack_args *args = any;
    prim_span *const elements = &operands->spans[0], *const packed = &operands->spans[1];
    operands->count = 2;
    prim_status status =
        prim_check_matrix(&args->call, name_of_elements(args), args->elements, args->rows,
                          args->columns, args->ld, prim_element_bytes(args->type), elements);
    if (status == PRIM_OK)
        status = prim_check_matrix(&args->call, "packed", args->packed, args->packed_rows,
                                   args->packed_columns, args->packed_ld, sizeof(uint32_t), packed);
    if (status != PRIM_OK)
        return status;
    return args->is_unpacking ? prim_check_disjoint(&args->call, *elements, *packed)
                              : prim_check_disjoint(&args->call, *packed, *elements);
}

static void describe_pack(const void *any, char *text, size_t bytes)
{
    const prim_binary_pack_args *args = any;
    snprintf(text, bytes, "%s, %zu × %zu", prim_element_name(args->type), args->rows,
             args->columns);
}

#define PACK_LADDER(name)                      \
    static const prim_ladder name##_ladder = { \
        .rungs = prim_binary_##name##_rungs,   \
        .check_kind = check_pack_kind,         \
        .check_operands = check_pack_operands, \
        .describe = describe_pack,             \
    };

PACK_LADDER(pack_rows)
PACK_LADDER(pack_columns)
PACK_LADDER(pack_transposed)
PACK_LADDER(unpack_rows)
PACK_LADDER(unpack_columns)
PACK_LADDER(unpack_transposed)

/* Without an ld, one row of words follows the other. */
static size_t ld_of(prim_bits bits, size_t words)
{
    return bits.ld == 0 ? words : bits.ld;
}

static prim_binary_pack_args pack_args(const char *name, prim_matrix elements, prim_bits packed,
                                       size_t packed_rows, size_t packed_columns)
{
    return (prim_binary_pack_args){.call = {.name = name},
                                   .type = elements.type,
                                   .elements = elements.data,
                                   .rows = elements.rows,
                                   .columns = elements.columns,
                                   .ld = prim_with_ld(elements).ld,
                                   .packed = packed.words,
                                   .packed_rows = packed_rows,
                                   .packed_columns = packed_columns,
                                   .packed_ld = ld_of(packed, packed_columns),
                                   .bit_rows = packed.rows,
                                   .bit_columns = packed.columns};
}

static prim_binary_pack_args rows_args(const char *name, prim_matrix elements, prim_bits packed)
{
    const size_t words = prim_divide_up(elements.columns, PRIM_BINARY_WORD_BITS);
    return pack_args(name, elements, packed, elements.rows, words);
}

static prim_binary_pack_args columns_args(const char *name, prim_matrix elements, prim_bits packed)
{
    const size_t words = prim_divide_up(elements.rows, PRIM_BINARY_WORD_BITS);
    return pack_args(name, elements, packed, words, elements.columns);
}

static prim_binary_pack_args transposed_args(const char *name, prim_matrix elements,
                                             prim_bits packed)
{
    const size_t words = prim_divide_up(elements.columns, PRIM_BINARY_WORD_BITS);
    prim_binary_pack_args args = pack_args(name, elements, packed, words, elements.rows);
    args.is_transposed = true;
    return args;
}

/* The same arguments for the way back. */
static prim_binary_pack_args unpacking(prim_binary_pack_args args)
{
    args.is_unpacking = true;
    return args;
}

/* A call on the CPU: `run` is one of host.cu. */
static prim_status
convert_on_host(const prim_ladder *ladder, prim_binary_pack_args args,
                prim_status (*run)(const prim_binary_pack_args *args, int threads), int threads)
{
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(ladder, &args.call);
    return status == PRIM_OK ? run(&args, threads) : status;
}

prim_status prim_binary_pack_rows(prim_matrix in, prim_bits packed, const prim_call *call)
{
    prim_binary_pack_args args = rows_args("prim_binary_pack_rows", in, packed);
    return prim_ladder_call(&pack_rows_ladder, &args.call, call);
}

prim_status prim_binary_pack_columns(prim_matrix in, prim_bits packed, const prim_call *call)
{
    prim_binary_pack_args args = columns_args("prim_binary_pack_columns", in, packed);
    return prim_ladder_call(&pack_columns_ladder, &args.call, call);
}

prim_status prim_binary_pack_transposed(prim_matrix in, prim_bits packed, const prim_call *call)
{
    prim_binary_pack_args args = transposed_args("prim_binary_pack_transposed", in, packed);
    return prim_ladder_call(&pack_transposed_ladder, &args.call, call);
}

prim_status prim_binary_pack_rows_host(prim_matrix in, prim_bits packed, int threads)
{
    return convert_on_host(&pack_rows_ladder, rows_args("prim_binary_pack_rows_host", in, packed),
                           prim_binary_pack_rows_on_host, threads);
}

prim_status prim_binary_pack_columns_host(prim_matrix in, prim_bits packed, int threads)
{
    return convert_on_host(&pack_columns_ladder,
                           columns_args("prim_binary_pack_columns_host", in, packed),
                           prim_binary_pack_columns_on_host, threads);
}

prim_status prim_binary_pack_transposed_host(prim_matrix in, prim_bits packed, int threads)
{
    return convert_on_host(&pack_transposed_ladder,
                           transposed_args("prim_binary_pack_transposed_host", in, packed),
                           prim_binary_pack_transposed_on_host, threads);
}

prim_status prim_binary_unpack_rows(prim_bits packed, prim_matrix out, const prim_call *call)
{
    prim_binary_pack_args args = unpacking(rows_args("prim_binary_unpack_rows", out, packed));
    return prim_ladder_call(&unpack_rows_ladder, &args.call, call);
}

prim_status prim_binary_unpack_columns(prim_bits packed, prim_matrix out, const prim_call *call)
{
    prim_binary_pack_args args = unpacking(columns_args("prim_binary_unpack_columns", out, packed));
    return prim_ladder_call(&unpack_columns_ladder, &args.call, call);
}

prim_status prim_binary_unpack_transposed(prim_bits packed, prim_matrix out, const prim_call *call)
{
    prim_binary_pack_args args =
        unpacking(transposed_args("prim_binary_unpack_transposed", out, packed));
    return prim_ladder_call(&unpack_transposed_ladder, &args.call, call);
}

prim_status prim_binary_unpack_rows_host(prim_bits packed, prim_matrix out, int threads)
{
    return convert_on_host(&unpack_rows_ladder,
                           unpacking(rows_args("prim_binary_unpack_rows_host", out, packed)),
                           prim_binary_unpack_rows_on_host, threads);
}

prim_status prim_binary_unpack_columns_host(prim_bits packed, prim_matrix out, int threads)
{
    return convert_on_host(&unpack_columns_ladder,
                           unpacking(columns_args("prim_binary_unpack_columns_host", out, packed)),
                           prim_binary_unpack_columns_on_host, threads);
}

prim_status prim_binary_unpack_transposed_host(prim_bits packed, prim_matrix out, int threads)
{
    return convert_on_host(
        &unpack_transposed_ladder,
        unpacking(transposed_args("prim_binary_unpack_transposed_host", out, packed)),
        prim_binary_unpack_transposed_on_host, threads);
}

/* ---- the product ---- */

static size_t words_of(const prim_binary_gemm_args *args)
{
    return prim_divide_up(args->k, PRIM_BINARY_WORD_BITS);
}

static const char *name_of_c(const prim_binary_gemm_args *args)
{
    return args->is_layer ? "packed" : "c";
}

static size_t columns_of_c(const prim_binary_gemm_args *args)
{
    return args->is_layer ? prim_divide_up(args->n, PRIM_BINARY_WORD_BITS) : args->n;
}

static prim_status check_kind(const void *any)
{
    const prim_binary_gemm_args *args = any;
    if (args->op != PRIM_BINARY_DOT && args->op != PRIM_BINARY_XOR && args->op != PRIM_BINARY_AND)
        return prim_fail(
            PRIM_ERROR_ENUM,
            "%s: op is %d, not PRIM_BINARY_DOT, PRIM_BINARY_XOR or PRIM_BINARY_AND, 0 to 2",
            args->call.name, (int)args->op);
    if (!args->is_layer && args->c_type != CUDA_R_32I && args->c_type != CUDA_R_32F)
        return prim_fail(PRIM_ERROR_TYPE, "%s: c_type is %s, neither i32 nor f32", args->call.name,
                         prim_element_name(args->c_type));
    if (args->k > INT32_MAX)
        return prim_fail(PRIM_ERROR_VALUE, "%s: k is %zu, but may be at most %d", args->call.name,
                         args->k, INT32_MAX);
    if (args->a_m != args->m || args->b_k != args->k || args->b_n != args->n)
        return prim_fail(
            PRIM_ERROR_VALUE,
            "%s: A is %zu × %zu, B %zu × %zu and %s %zu × %zu: these sizes do not match",
            args->call.name, args->a_m, args->k, args->b_k, args->b_n,
            args->is_layer ? "packed" : "C", args->m, args->n);
    prim_status status =
        prim_check_bytes(&args->call, "a", args->m, words_of(args), sizeof(uint32_t));
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "b", words_of(args), args->n, sizeof(uint32_t));
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, name_of_c(args), args->m, columns_of_c(args),
                                  sizeof(uint32_t));
    return status;
}

/* A word of A and B, an element of C and a threshold are equally long. */
static prim_status check_matrix(const prim_binary_gemm_args *args, const char *name,
                                const void *data, size_t rows, size_t columns, size_t ld,
                                prim_rectangle *rectangle)
{
    return prim_check_rectangle(&args->call, name, data, rows, columns, ld, sizeof(uint32_t),
                                rectangle);
}

/* A layer's thresholds, beside the operands of the product, of which C is the last. */
static prim_status check_thresholds(const prim_binary_gemm_args *args, prim_operands *operands)
{
    const prim_span c = operands->spans[operands->count - 1];
    prim_span *const thresholds = &operands->spans[operands->count++];
    const prim_status status = prim_check_vector(&args->call, "thresholds", args->thresholds,
                                                 args->n, sizeof(int32_t), thresholds);
    return status == PRIM_OK ? prim_check_disjoint(&args->call, c, *thresholds) : status;
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_binary_gemm_args *args = any;
    prim_rectangle a, b, c;
    prim_status status = check_matrix(args, "a", args->a, args->m, words_of(args), args->lda, &a);
    if (status == PRIM_OK)
        status = check_matrix(args, "b", args->b, words_of(args), args->n, args->ldb, &b);
    if (status == PRIM_OK)
        status = check_matrix(args, name_of_c(args), args->c, args->m, columns_of_c(args),
                              args->ldc, &c);
    if (status == PRIM_OK)
        status = prim_check_product(&args->call, a, b, c, operands);
    return status == PRIM_OK && args->is_layer ? check_thresholds(args, operands) : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    static const char *const names[] = {"dot", "xor", "and"};
    const prim_binary_gemm_args *args = any;
    snprintf(text, bytes, "%s into %s, m %zu, n %zu, k %zu", names[args->op],
             args->is_layer ? "bits" : prim_element_name(args->c_type), args->m, args->n, args->k);
}

static const prim_ladder ladder = {
    .rungs = prim_binary_gemm_rungs,
    .choose = prim_binary_gemm_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

/* All but C, which is m × n. */
static prim_binary_gemm_args args_of(prim_binary_op op, prim_bits a, prim_bits b, size_t m,
                                     size_t n)
{
    return (prim_binary_gemm_args){.op = op,
                                   .m = m,
                                   .n = n,
                                   .k = a.columns,
                                   .a = a.words,
                                   .lda =
                                       ld_of(a, prim_divide_up(a.columns, PRIM_BINARY_WORD_BITS)),
                                   .b = b.words,
                                   .ldb = ld_of(b, b.columns),
                                   .a_m = a.rows,
                                   .b_k = b.rows,
                                   .b_n = b.columns};
}

static prim_binary_gemm_args count_args(prim_binary_op op, prim_bits a, prim_bits b, prim_matrix c)
{
    prim_binary_gemm_args args = args_of(op, a, b, c.rows, c.columns);
    args.c_type = c.type;
    args.c = c.data;
    args.ldc = prim_with_ld(c).ld;
    return args;
}

static prim_binary_gemm_args layer_args(prim_binary_op op, prim_bits a, prim_bits b,
                                        const int32_t *thresholds, prim_bits packed)
{
    prim_binary_gemm_args args = args_of(op, a, b, packed.rows, packed.columns);
    args.is_layer = true;
    args.thresholds = thresholds;
    args.c = packed.words;
    args.ldc = ld_of(packed, prim_divide_up(packed.columns, PRIM_BINARY_WORD_BITS));
    return args;
}

static prim_status run(const char *name, prim_binary_gemm_variant variant,
                       prim_binary_gemm_args args, const prim_call *call)
{
    args.call.name = name;
    args.call.variant = (int)variant;
    return prim_ladder_call(&ladder, &args.call, call);
}

static prim_status run_on_host(const char *name, prim_binary_gemm_args args, int threads)
{
    args.call.name = name;
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_binary_gemm_on_host(&args, threads) : status;
}

prim_status prim_binary_gemm(prim_binary_gemm_variant variant, prim_bits a, prim_bits b,
                             prim_matrix c, const prim_call *call)
{
    return run("prim_binary_gemm", variant, count_args(PRIM_BINARY_DOT, a, b, c), call);
}

prim_status prim_binary_count(prim_binary_gemm_variant variant, prim_binary_op op, prim_bits a,
                              prim_bits b, prim_matrix c, const prim_call *call)
{
    return run("prim_binary_count", variant, count_args(op, a, b, c), call);
}

prim_status prim_binary_layer(prim_binary_gemm_variant variant, prim_binary_op op, prim_bits a,
                              prim_bits b, const int32_t *d_thresholds, prim_bits packed,
                              const prim_call *call)
{
    return run("prim_binary_layer", variant, layer_args(op, a, b, d_thresholds, packed), call);
}

prim_status prim_binary_gemm_host(prim_bits a, prim_bits b, prim_matrix c, int threads)
{
    return run_on_host("prim_binary_gemm_host", count_args(PRIM_BINARY_DOT, a, b, c), threads);
}

prim_status prim_binary_count_host(prim_binary_op op, prim_bits a, prim_bits b, prim_matrix c,
                                   int threads)
{
    return run_on_host("prim_binary_count_host", count_args(op, a, b, c), threads);
}

prim_status prim_binary_layer_host(prim_binary_op op, prim_bits a, prim_bits b,
                                   const int32_t *h_thresholds, prim_bits packed, int threads)
{
    return run_on_host("prim_binary_layer_host", layer_args(op, a, b, h_thresholds, packed),
                       threads);
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
