/* binary_gemm among the entry points: the product, and packing along rows and columns. */
#include <stdint.h>

#include <primitives/binary_gemm.h>

#include "entry_points.h"

/* ---- the product: B lies behind A ---- */

enum {
    M = 21,
    COLUMNS = 35,
    K = 1077, /* three tiles of 16 words, the last of them with unused bits */
    WORDS = (K + 31) / 32,
    A_COUNT = M * WORDS,
    IN_COUNT = A_COUNT + WORDS * COLUMNS
};

static int binary_variant_at(size_t index)
{
    return prim_binary_gemm_variant_at(index);
}

static const char *binary_variant_name(int variant)
{
    return prim_binary_gemm_variant_name((prim_binary_gemm_variant)variant);
}

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static void binary_input(void *h_in, unsigned seed)
{
    const uint32_t used = ((uint32_t)1 << K % 32) - 1; /* of the last word along k */
    uint32_t *words = h_in;
    for (unsigned i = 0; i < IN_COUNT; i++) {
        const unsigned word = i < A_COUNT ? i % WORDS : (i - A_COUNT) / COLUMNS;
        words[i] = hash(i + 65537 * seed) & (word == WORDS - 1 ? used : UINT32_MAX);
    }
}

static int sign(uint32_t word, size_t bit)
{
    return word >> bit & 1 ? 1 : -1;
}

static void binary_answer(const void *h_in, size_t k, void *h_out)
{
    const uint32_t *a = h_in, *b = a + A_COUNT;
    for (size_t i = 0; i < (size_t)M * COLUMNS; i++) {
        int32_t sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += sign(a[i / COLUMNS * WORDS + j / 32], j % 32) *
                   sign(b[j / 32 * COLUMNS + i % COLUMNS], j % 32);
        ((int32_t *)h_out)[i] = sum;
    }
}

static prim_status binary_workspace(int variant, size_t k, size_t *bytes)
{
    return prim_binary_gemm_workspace_bytes((prim_binary_gemm_variant)variant, M, COLUMNS, k,
                                            CUDA_R_32I, bytes);
}

static prim_status binary_call(const operands *o)
{
    const uint32_t *a = o->d_in, *b = a != NULL ? a + A_COUNT : NULL;
    return prim_binary_gemm((prim_binary_gemm_variant)o->variant, M, COLUMNS, o->count, a, WORDS, b,
                            COLUMNS, CUDA_R_32I, o->d_out, COLUMNS, o->d_workspace,
                            o->workspace_bytes, o->stream);
}

/* The call with everything spelled out, for the bad arguments below. */
#define BAD_BINARY(name, variant, m, n, k, d_a_, lda, d_b_, ldb, c_type, d_c_, ldc, d_workspace_,  \
                   bytes_)                                                                         \
    static prim_status binary_##name(const operands *o)                                            \
    {                                                                                              \
        char *const d_a = o->d_in, *const d_b = d_a + A_COUNT * 4, *const d_c = o->d_out;          \
        (void)d_a, (void)d_b, (void)d_c;                                                           \
        return prim_binary_gemm((prim_binary_gemm_variant)(variant), m, n, k, (uint32_t *)(d_a_),  \
                                lda, (uint32_t *)(d_b_), ldb, (cudaDataType_t)(c_type), d_c_, ldc, \
                                d_workspace_, bytes_, o->stream);                                  \
    }

#define V o->variant
#define N COLUMNS
#define W WORDS
#define I CUDA_R_32I
#define HUGE (SIZE_MAX / 8)
BAD_BINARY(no_variant, 9999, M, N, K, d_a, W, d_b, N, I, d_c, N, NULL, 0)
BAD_BINARY(negative_variant, -1, M, N, K, d_a, W, d_b, N, I, d_c, N, NULL, 0)
BAD_BINARY(no_type, V, M, N, K, d_a, W, d_b, N, 9999, d_c, N, NULL, 0)
BAD_BINARY(wide_type, V, M, 8, K, d_a, W, d_b, N, CUDA_R_64F, d_c, N, NULL, 0)
BAD_BINARY(long_k, V, M, N, (size_t)1 << 31, d_a, W, d_b, N, I, d_c, N, NULL, 0)
BAD_BINARY(small_lda, V, M, N, K, d_a, W - 1, d_b, N, I, d_c, N, NULL, 0)
BAD_BINARY(small_ldb, V, M, N, K, d_a, W, d_b, N - 1, I, d_c, N, NULL, 0)
BAD_BINARY(small_ldc, V, M, N, K, d_a, W, d_b, N, I, d_c, N - 1, NULL, 0)
BAD_BINARY(null_a, V, M, N, K, NULL, W, d_b, N, I, d_c, N, NULL, 0)
BAD_BINARY(null_b, V, M, N, K, d_a, W, NULL, N, I, d_c, N, NULL, 0)
BAD_BINARY(null_c, V, M, N, K, d_a, W, d_b, N, I, NULL, N, NULL, 0)
BAD_BINARY(null_space, V, M, N, K, d_a, W, d_b, N, I, d_c, N, NULL, 256)
BAD_BINARY(odd_a, V, M - 1, N, K, d_a + 2, W, d_b, N, I, d_c, N, NULL, 0)
BAD_BINARY(odd_b, V, M, N, K - 32, d_a, W, d_b + 1, N, I, d_c, N, NULL, 0)
BAD_BINARY(odd_c, V, M - 1, N, K, d_a, W, d_b, N, I, d_c + 2, N, NULL, 0)
BAD_BINARY(odd_space, V, M, N, K, d_a, W, d_b, N, I, d_c, N, d_a + 4, 256)
BAD_BINARY(many_rows, V, HUGE, N, K, d_a, W, d_b, N, I, d_c, N, NULL, 0)
BAD_BINARY(many_columns, V, M, HUGE, K, d_a, W, d_b, HUGE, I, d_c, HUGE, NULL, 0)
BAD_BINARY(too_far_apart, V, M, N, K, d_a, HUGE, d_b, N, I, d_c, N, NULL, 0)
BAD_BINARY(c_in_a, V, M, N, K, d_a, W, d_b, N, I, d_a + 8, N, NULL, 0)
BAD_BINARY(c_in_b, V, M, N, K, d_a, W, d_b, N, I, d_b + 8, N, NULL, 0)
BAD_BINARY(space_in_a, V, M, N, K, d_a, W, d_b, N, I, d_c, N, d_a, 256)
BAD_BINARY(space_in_c, V, M, N, K, d_a, W, d_b, N, I, d_c, N, d_c, 256)
#undef V
#undef N
#undef W
#undef I
#undef HUGE

static prim_status binary_null_bytes(const operands *o)
{
    return binary_workspace(o->variant, o->count, NULL);
}

static const bad_argument binary_bad[] = {
    {"unknown variant", binary_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"negative variant", binary_negative_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown type", binary_no_type, PRIM_ERROR_TYPE, "c_type"},
    {"C of f64", binary_wide_type, PRIM_ERROR_TYPE, "c_type"},
    {"k of 2^31", binary_long_k, PRIM_ERROR_VALUE, "k"},
    {"lda less than the words of a row", binary_small_lda, PRIM_ERROR_VALUE, "d_a"},
    {"ldb less than n", binary_small_ldb, PRIM_ERROR_VALUE, "d_b"},
    {"ldc less than n", binary_small_ldc, PRIM_ERROR_VALUE, "d_c"},
    {"d_a NULL", binary_null_a, PRIM_ERROR_NULL, "d_a"},
    {"d_b NULL", binary_null_b, PRIM_ERROR_NULL, "d_b"},
    {"d_c NULL", binary_null_c, PRIM_ERROR_NULL, "d_c"},
    {"d_workspace NULL with bytes", binary_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", binary_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"d_a misaligned", binary_odd_a, PRIM_ERROR_MISALIGNED, "d_a"},
    {"d_b misaligned", binary_odd_b, PRIM_ERROR_MISALIGNED, "d_b"},
    {"d_c misaligned", binary_odd_c, PRIM_ERROR_MISALIGNED, "d_c"},
    {"d_workspace misaligned", binary_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
    {"rows beyond size_t", binary_many_rows, PRIM_ERROR_SIZE, "d_a"},
    {"columns beyond size_t", binary_many_columns, PRIM_ERROR_SIZE, "d_b"},
    {"lda beyond size_t", binary_too_far_apart, PRIM_ERROR_SIZE, "d_a"},
    {"C in A", binary_c_in_a, PRIM_ERROR_OVERLAP, "d_c"},
    {"C in B", binary_c_in_b, PRIM_ERROR_OVERLAP, "d_c"},
    {"d_workspace in A", binary_space_in_a, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in C", binary_space_in_c, PRIM_ERROR_OVERLAP, "d_workspace"},
};

/* ---- packing: no variants, no workspace ---- */

static size_t pack_variant_count(void)
{
    return 1;
}

static int pack_variant_at(size_t index)
{
    (void)index;
    return 0;
}

static const char *pack_variant_name(int variant)
{
    (void)variant;
    return "pack";
}

static prim_status pack_workspace(int variant, size_t k, size_t *bytes)
{
    (void)variant, (void)k;
    *bytes = 0;
    return PRIM_OK;
}

enum { LINES = 23, LINES_LD = 29, ROWS_IN = (LINES - 1) * K + K, COLUMNS_IN = K * LINES_LD };

static void rows_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < ROWS_IN; i++)
        ((float *)h_in)[i] = (float)(int32_t)hash(i + 65537 * seed);
}

static void rows_answer(const void *h_in, size_t k, void *h_out)
{
    uint32_t *words = h_out;
    for (size_t i = 0; k > 0 && i < (size_t)LINES * WORDS; i++)
        words[i] = 0;
    for (size_t line = 0; line < LINES; line++)
        for (size_t i = 0; i < k; i++)
            words[line * WORDS + i / 32] |= (uint32_t)(((const float *)h_in)[line * K + i] >= 0)
                                            << i % 32;
}

static prim_status rows_call(const operands *o)
{
    return prim_binary_pack_rows(CUDA_R_32F, o->d_in, LINES, o->count, K, o->d_out, WORDS,
                                 o->stream);
}

static void columns_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < COLUMNS_IN; i++)
        ((int8_t *)h_in)[i] = (int8_t)hash(i + 65537 * seed);
}

static void columns_answer(const void *h_in, size_t k, void *h_out)
{
    uint32_t *words = h_out;
    for (size_t i = 0; k > 0 && i < (size_t)LINES * WORDS; i++)
        words[i] = 0;
    for (size_t i = 0; i < k; i++)
        for (size_t line = 0; line < LINES; line++)
            words[i / 32 * LINES + line] |=
                (uint32_t)(((const int8_t *)h_in)[i * LINES_LD + line] >= 0) << i % 32;
}

static prim_status columns_call(const operands *o)
{
    return prim_binary_pack_columns(CUDA_R_8I, o->d_in, o->count, LINES, LINES_LD, o->d_out, LINES,
                                    o->stream);
}

#define BAD_PACK(name, call, in_type, d_in_, rows, columns, ld, d_packed_, packed_ld)             \
    static prim_status name(const operands *o)                                                    \
    {                                                                                             \
        char *const d_in = o->d_in, *const d_out = o->d_out;                                      \
        (void)d_in, (void)d_out;                                                                  \
        return call((cudaDataType_t)(in_type), d_in_, rows, columns, ld, (uint32_t *)(d_packed_), \
                    packed_ld, o->stream);                                                        \
    }

#define R prim_binary_pack_rows
#define C prim_binary_pack_columns
#define F CUDA_R_32F
#define B CUDA_R_8I
#define HUGE (SIZE_MAX / 8)
BAD_PACK(rows_no_type, R, 9999, d_in, LINES, K, K, d_out, WORDS)
BAD_PACK(rows_wide_type, R, CUDA_R_64F, d_in, 8, K, K, d_out, WORDS)
BAD_PACK(rows_small_ld, R, F, d_in, LINES, K, K - 1, d_out, WORDS)
BAD_PACK(rows_small_packed_ld, R, F, d_in, LINES, K, K, d_out, WORDS - 1)
BAD_PACK(rows_null_in, R, F, NULL, LINES, K, K, d_out, WORDS)
BAD_PACK(rows_null_out, R, F, d_in, LINES, K, K, NULL, WORDS)
BAD_PACK(rows_odd_in, R, F, d_in + 2, LINES - 1, K, K, d_out, WORDS)
BAD_PACK(rows_odd_out, R, F, d_in, LINES - 1, K, K, d_out + 2, WORDS)
BAD_PACK(rows_too_many, R, F, d_in, HUGE, K, K, d_out, WORDS)
BAD_PACK(rows_too_far_apart, R, F, d_in, LINES, K, K, d_out, HUGE)
BAD_PACK(rows_out_in_in, R, F, d_in, LINES, K, K, d_in + 400, WORDS)
BAD_PACK(rows_out_in_gap, R, F, d_in, 2, 32, 100, d_in + 200, 1)
BAD_PACK(columns_no_type, C, 9999, d_in, K, LINES, LINES_LD, d_out, LINES)
BAD_PACK(columns_unsigned, C, CUDA_R_8U, d_in, K, LINES, LINES_LD, d_out, LINES)
BAD_PACK(columns_small_ld, C, B, d_in, K, LINES, LINES - 1, d_out, LINES)
BAD_PACK(columns_small_packed_ld, C, B, d_in, K, LINES, LINES_LD, d_out, LINES - 1)
BAD_PACK(columns_null_in, C, B, NULL, K, LINES, LINES_LD, d_out, LINES)
BAD_PACK(columns_null_out, C, B, d_in, K, LINES, LINES_LD, NULL, LINES)
BAD_PACK(columns_odd_out, C, B, d_in, K - 32, LINES, LINES_LD, d_out + 1, LINES)
BAD_PACK(columns_too_many, C, B, d_in, SIZE_MAX, LINES, LINES_LD, d_out, LINES)
BAD_PACK(columns_out_in_in, C, B, d_in, K, LINES, LINES_LD, d_in + 400, LINES)
#undef R
#undef C
#undef F
#undef B
#undef HUGE

static const bad_argument rows_bad[] = {
    {"unknown type", rows_no_type, PRIM_ERROR_TYPE, "in_type"},
    {"f64", rows_wide_type, PRIM_ERROR_TYPE, "f64"},
    {"ld less than columns", rows_small_ld, PRIM_ERROR_VALUE, "d_in"},
    {"packed_ld less than the words of a row", rows_small_packed_ld, PRIM_ERROR_VALUE, "d_packed"},
    {"d_in NULL", rows_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_packed NULL", rows_null_out, PRIM_ERROR_NULL, "d_packed"},
    {"d_in misaligned", rows_odd_in, PRIM_ERROR_MISALIGNED, "d_in"},
    {"d_packed misaligned", rows_odd_out, PRIM_ERROR_MISALIGNED, "d_packed"},
    {"bytes beyond size_t", rows_too_many, PRIM_ERROR_SIZE, "d_in"},
    {"packed_ld beyond size_t", rows_too_far_apart, PRIM_ERROR_SIZE, "d_packed"},
    {"d_packed in d_in", rows_out_in_in, PRIM_ERROR_OVERLAP, "d_packed"},
    {"d_packed in a gap of d_in", rows_out_in_gap, PRIM_ERROR_OVERLAP, "d_packed"},
};

static const bad_argument columns_bad[] = {
    {"unknown type", columns_no_type, PRIM_ERROR_TYPE, "in_type"},
    {"u8", columns_unsigned, PRIM_ERROR_TYPE, "u8"},
    {"ld less than columns", columns_small_ld, PRIM_ERROR_VALUE, "d_in"},
    {"packed_ld less than columns", columns_small_packed_ld, PRIM_ERROR_VALUE, "d_packed"},
    {"d_in NULL", columns_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_packed NULL", columns_null_out, PRIM_ERROR_NULL, "d_packed"},
    {"d_packed misaligned", columns_odd_out, PRIM_ERROR_MISALIGNED, "d_packed"},
    {"bytes beyond size_t", columns_too_many, PRIM_ERROR_SIZE, "d_in"},
    {"d_packed in d_in", columns_out_in_in, PRIM_ERROR_OVERLAP, "d_packed"},
};

const entry_point binary_gemm_entry = {.name = "prim_binary_gemm",
                                       .variant_count = prim_binary_gemm_variant_count,
                                       .variant_at = binary_variant_at,
                                       .variant_name = binary_variant_name,
                                       .in_bytes = IN_COUNT * sizeof(uint32_t),
                                       .out_bytes = (size_t)M * COLUMNS * sizeof(int32_t),
                                       .count = K,
                                       .make_input = binary_input,
                                       .right_answer = binary_answer,
                                       .workspace_bytes = binary_workspace,
                                       .call = binary_call,
                                       .bad = binary_bad,
                                       .bad_count = sizeof binary_bad / sizeof *binary_bad};

const entry_point binary_pack_rows_entry = {.name = "prim_binary_pack_rows",
                                            .variant_count = pack_variant_count,
                                            .variant_at = pack_variant_at,
                                            .variant_name = pack_variant_name,
                                            .in_bytes = ROWS_IN * sizeof(float),
                                            .out_bytes = (size_t)LINES * WORDS * sizeof(uint32_t),
                                            .count = K,
                                            .make_input = rows_input,
                                            .right_answer = rows_answer,
                                            .workspace_bytes = pack_workspace,
                                            .call = rows_call,
                                            .bad = rows_bad,
                                            .bad_count = sizeof rows_bad / sizeof *rows_bad};

const entry_point binary_pack_columns_entry = {
    .name = "prim_binary_pack_columns",
    .variant_count = pack_variant_count,
    .variant_at = pack_variant_at,
    .variant_name = pack_variant_name,
    .in_bytes = COLUMNS_IN,
    .out_bytes = (size_t)LINES * WORDS * sizeof(uint32_t),
    .count = K,
    .make_input = columns_input,
    .right_answer = columns_answer,
    .workspace_bytes = pack_workspace,
    .call = columns_call,
    .bad = columns_bad,
    .bad_count = sizeof columns_bad / sizeof *columns_bad};
