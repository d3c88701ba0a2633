/* binary_gemm among the entry points: the product, counts and layers, packing along rows and
 * columns, and unpacking. */
#include <stdint.h>

#include <primitives/binary_gemm.h>

#include "entry_points.h"

/* ---- the product: B lies after A ---- */

enum {
    M = 21,
    COLUMNS = 35,
    K = 1077, /* three tiles of 16 words, the last of them with unused bits */
    WORDS = (K + 31) / 32,
    A_COUNT = M * WORDS,
    IN_COUNT = A_COUNT + WORDS * COLUMNS
};

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

static prim_status binary_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    cudaDataType_t c_type = CUDA_R_32I;
    size_t m = M, n = COLUMNS, k = o->count, lda = WORDS, ldb = COLUMNS, ldc = COLUMNS;
    char *d_a = o->d_in, *d_b = part_of(d_a, 4 * A_COUNT), *d_c = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_b", &d_b);
    spoil(o, "d_c", &d_c);
    FAULT("unknown", PRIM_ERROR_TYPE, "c_type", c_type = 9999);
    FAULT("f64", PRIM_ERROR_TYPE, "c_type", c_type = CUDA_R_64F);
    FAULT("2^31", PRIM_ERROR_VALUE, "k", k = (size_t)1 << 31);
    FAULT("lda less than the words of a row", PRIM_ERROR_VALUE, "d_a", lda = WORDS - 1);
    FAULT("ldb less than n", PRIM_ERROR_VALUE, "d_b", ldb = COLUMNS - 1);
    FAULT("ldc less than n", PRIM_ERROR_VALUE, "d_c", ldc = COLUMNS - 1);
    FAULT("rows beyond size_t", PRIM_ERROR_SIZE, "d_a", m = SIZE_MAX / 8);
    FAULT("columns beyond size_t", PRIM_ERROR_SIZE, "d_b", n = ldb = ldc = SIZE_MAX / 8);
    FAULT("lda beyond size_t", PRIM_ERROR_SIZE, "d_a", lda = SIZE_MAX / 8);
    FAULT("in A", PRIM_ERROR_OVERLAP, "d_c", d_c = d_a + 8);
    FAULT("in B", PRIM_ERROR_OVERLAP, "d_c", d_c = d_b + 8);
    prim_bits x = prim_bits_of((void *)d_a, m, k, lda), y = prim_bits_of((void *)d_b, k, n, ldb);
    FAULT("of fewer rows than C", PRIM_ERROR_VALUE, "A is 20 × 1077", x.rows--);
    FAULT("of fewer rows than A has columns", PRIM_ERROR_VALUE, "B 1076 × 35", y.rows--);
    FAULT("of fewer columns than C", PRIM_ERROR_VALUE, "B 1077 × 34", y.columns--);
    return prim_binary_gemm((prim_binary_gemm_variant)c.variant, x, y,
                            prim_matrix_of(c_type, d_c, m, n, ldc), call_of(o, &c));
}

/* ---- counts: of the places where both have a 1 ---- */

static size_t ones_at(const void *h_in, size_t k, size_t i)
{
    const uint32_t *a = h_in, *b = a + A_COUNT;
    size_t ones = 0;
    for (size_t j = 0; j < k; j++)
        ones += sign(a[i / COLUMNS * WORDS + j / 32], j % 32) > 0 &&
                sign(b[j / 32 * COLUMNS + i % COLUMNS], j % 32) > 0;
    return ones;
}

static void count_answer(const void *h_in, size_t k, void *h_out)
{
    for (size_t i = 0; i < (size_t)M * COLUMNS; i++)
        ((float *)h_out)[i] = (float)ones_at(h_in, k, i);
}

static prim_status count_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    prim_binary_op op = PRIM_BINARY_AND;
    cudaDataType_t c_type = CUDA_R_32F;
    size_t m = M, k = o->count;
    char *d_a = o->d_in, *d_b = part_of(d_a, 4 * A_COUNT), *d_c = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_b", &d_b);
    spoil(o, "d_c", &d_c);
    FAULT("unknown", PRIM_ERROR_ENUM, "op", op = (prim_binary_op)3);
    FAULT("f16", PRIM_ERROR_TYPE, "c_type", c_type = CUDA_R_16F);
    FAULT("2^31", PRIM_ERROR_VALUE, "k", k = (size_t)1 << 31);
    FAULT("rows beyond size_t", PRIM_ERROR_SIZE, "d_a", m = SIZE_MAX / 8);
    FAULT("in B", PRIM_ERROR_OVERLAP, "d_c", d_c = d_b + 8);
    return prim_binary_count((prim_binary_gemm_variant)c.variant, op,
                             prim_bits_of((void *)d_a, m, k, WORDS),
                             prim_bits_of((void *)d_b, k, COLUMNS, COLUMNS),
                             prim_matrix_of(c_type, d_c, m, COLUMNS, 0), call_of(o, &c));
}

/* ---- layers: the thresholds lie after B; without elements there are no columns either ---- */

enum { LAYER_WORDS = (COLUMNS + 31) / 32, LAYER_LD = LAYER_WORDS };

static void layer_input(void *h_in, unsigned seed)
{
    binary_input(h_in, seed);
    for (unsigned j = 0; j < COLUMNS; j++)
        ((int32_t *)h_in)[IN_COUNT + j] = (int32_t)(hash(j + 31 * seed) % 60) - 30;
}

static void layer_answer(const void *h_in, size_t k, void *h_out)
{
    int32_t values[M * COLUMNS];
    uint32_t *words = h_out;
    if (k == 0)
        return;
    binary_answer(h_in, k, values);
    for (size_t i = 0; i < (size_t)M * LAYER_WORDS; i++)
        words[i] = 0;
    for (size_t i = 0; i < (size_t)M * COLUMNS; i++) {
        const size_t row = i / COLUMNS, column = i % COLUMNS;
        words[row * LAYER_LD + column / 32] |=
            (uint32_t)(values[i] >= ((const int32_t *)h_in)[IN_COUNT + column]) << column % 32;
    }
}

static prim_status layer_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    prim_binary_op op = PRIM_BINARY_DOT;
    size_t m = M, k = o->count, n = k > 0 ? COLUMNS : 0, packed_ld = LAYER_LD;
    char *d_a = o->d_in, *d_b = part_of(d_a, 4 * A_COUNT),
         *d_thresholds = part_of(d_a, 4 * IN_COUNT), *d_packed = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_b", &d_b);
    spoil(o, "d_thresholds", &d_thresholds);
    spoil(o, "d_packed", &d_packed);
    FAULT("unknown", PRIM_ERROR_ENUM, "op", op = (prim_binary_op)-1);
    FAULT("2^31", PRIM_ERROR_VALUE, "k", k = (size_t)1 << 31);
    FAULT("ld less than the words of a row", PRIM_ERROR_VALUE, "d_packed",
          packed_ld = LAYER_LD - 1);
    FAULT("rows beyond size_t", PRIM_ERROR_SIZE, "d_a", m = SIZE_MAX / 8);
    FAULT("ld beyond size_t", PRIM_ERROR_SIZE, "d_packed", packed_ld = SIZE_MAX / 8);
    FAULT("in A", PRIM_ERROR_OVERLAP, "d_packed", d_packed = d_a + 8);
    FAULT("in the thresholds", PRIM_ERROR_OVERLAP, "d_packed", d_packed = d_thresholds + 8);
    prim_bits packed = prim_bits_of((void *)d_packed, m, n, packed_ld);
    FAULT("in words", PRIM_ERROR_VALUE, "packed 21 × 2", packed.columns = LAYER_WORDS);
    return prim_binary_layer((prim_binary_gemm_variant)c.variant, op,
                             prim_bits_of((void *)d_a, m, k, WORDS),
                             prim_bits_of((void *)d_b, k, n, COLUMNS),
                             (const int32_t *)(void *)d_thresholds, packed, call_of(o, &c));
}

/* ---- packing: no variants, no workspace ---- */

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
    const call_head c = spoilt_options(o);
    cudaDataType_t type = CUDA_R_32F;
    size_t rows = LINES, columns = o->count, ld = K, packed_ld = WORDS;
    char *d_in = o->d_in, *d_packed = o->d_out;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_packed", &d_packed);
    FAULT("unknown", PRIM_ERROR_TYPE, "in_type", type = 9999);
    FAULT("f64", PRIM_ERROR_TYPE, "f64", type = CUDA_R_64F);
    FAULT("ld less than columns", PRIM_ERROR_VALUE, "d_in", ld = K - 1);
    FAULT("ld less than the words of a row", PRIM_ERROR_VALUE, "d_packed", packed_ld = WORDS - 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", rows = SIZE_MAX / 8);
    FAULT("ld beyond size_t", PRIM_ERROR_SIZE, "d_packed", packed_ld = SIZE_MAX / 8);
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_packed", d_packed = d_in + 400);
    FAULT("in a gap of d_in", PRIM_ERROR_OVERLAP, "d_packed",
          (rows = 2, columns = 32, ld = 100, packed_ld = 1, d_packed = d_in + 200));
    prim_bits packed = prim_bits_of((void *)d_packed, rows, columns, packed_ld);
    FAULT("of other rows", PRIM_ERROR_VALUE, "packed is 22 ×", packed.rows--);
    FAULT("in words", PRIM_ERROR_VALUE, "packed is 23 × 34", packed.columns = WORDS);
    return prim_binary_pack_rows(prim_matrix_of(type, d_in, rows, columns, ld), packed,
                                 call_of(o, &c));
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
    const call_head c = spoilt_options(o);
    cudaDataType_t type = CUDA_R_8I;
    size_t rows = o->count, ld = LINES_LD, packed_ld = LINES;
    char *d_in = o->d_in, *d_packed = o->d_out;
    spoil(o, "d_packed", &d_packed);
    FAULT("NULL", PRIM_ERROR_NULL, "d_in", d_in = NULL);
    FAULT("unknown", PRIM_ERROR_TYPE, "in_type", type = 9999);
    FAULT("u8", PRIM_ERROR_TYPE, "u8", type = CUDA_R_8U);
    FAULT("ld less than columns", PRIM_ERROR_VALUE, "d_in", ld = LINES - 1);
    FAULT("ld less than columns", PRIM_ERROR_VALUE, "d_packed", packed_ld = LINES - 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", rows = SIZE_MAX);
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_packed", d_packed = d_in + 400);
    return prim_binary_pack_columns(prim_matrix_of(type, d_in, rows, LINES, ld),
                                    prim_bits_of((void *)d_packed, rows, LINES, packed_ld),
                                    call_of(o, &c));
}

/* Elements as those of columns_input(), of which a line is a row now. */
enum { TRANSPOSED_LD = K + 5, TRANSPOSED_IN = (LINES - 1) * TRANSPOSED_LD + K };

static void transposed_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < TRANSPOSED_IN; i++)
        ((int8_t *)h_in)[i] = (int8_t)hash(i + 65537 * seed);
}

static void transposed_answer(const void *h_in, size_t k, void *h_out)
{
    uint32_t *words = h_out;
    for (size_t i = 0; k > 0 && i < (size_t)LINES * WORDS; i++)
        words[i] = 0;
    for (size_t line = 0; line < LINES; line++)
        for (size_t i = 0; i < k; i++)
            words[i / 32 * LINES + line] |=
                (uint32_t)(((const int8_t *)h_in)[line * TRANSPOSED_LD + i] >= 0) << i % 32;
}

static prim_status transposed_call(const operands *o)
{
    const call_head c = spoilt_options(o);
    cudaDataType_t type = CUDA_R_8I;
    size_t rows = LINES, columns = o->count, packed_ld = LINES;
    char *d_in = o->d_in, *d_packed = o->d_out;
    spoil(o, "d_packed", &d_packed);
    FAULT("NULL", PRIM_ERROR_NULL, "d_in", d_in = NULL);
    FAULT("bf16", PRIM_ERROR_TYPE, "bf16", type = CUDA_R_16BF);
    FAULT("ld less than columns", PRIM_ERROR_VALUE, "d_packed", packed_ld = LINES - 1);
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_packed", d_packed = d_in + 400);
    prim_bits packed = prim_bits_of((void *)d_packed, columns, rows, packed_ld);
    FAULT("not transposed", PRIM_ERROR_VALUE, "packed is 23 × 1077",
          (packed.rows = rows, packed.columns = columns));
    return prim_binary_pack_transposed(prim_matrix_of(type, d_in, rows, columns, TRANSPOSED_LD),
                                       packed, call_of(o, &c));
}

/* ---- unpacking: of all words, also of bits that stand for nothing ---- */

static void words_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < (unsigned)LINES * WORDS; i++)
        ((uint32_t *)h_in)[i] = hash(i + 65537 * seed);
}

/* Without gaps between the rows: a row is a line of words. */
static void signs_of_rows(const void *h_in, size_t k, void *h_out)
{
    for (size_t line = 0; line < LINES; line++)
        for (size_t i = 0; i < k; i++)
            ((float *)h_out)[line * K + i] =
                (float)sign(((const uint32_t *)h_in)[line * WORDS + i / 32], i % 32);
}

static prim_status unpack_rows_call(const operands *o)
{
    const call_head c = spoilt_options(o);
    cudaDataType_t type = CUDA_R_32F;
    size_t rows = LINES, columns = o->count, ld = K, packed_ld = WORDS;
    char *d_packed = o->d_in, *d_out = o->d_out;
    spoil(o, "d_packed", &d_packed);
    spoil(o, "d_out", &d_out);
    FAULT("unknown", PRIM_ERROR_TYPE, "out_type", type = 9999);
    FAULT("f64", PRIM_ERROR_TYPE, "f64", type = CUDA_R_64F);
    FAULT("ld less than columns", PRIM_ERROR_VALUE, "d_out", ld = K - 1);
    FAULT("ld less than the words of a row", PRIM_ERROR_VALUE, "d_packed", packed_ld = WORDS - 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_out", rows = SIZE_MAX / 8);
    FAULT("ld beyond size_t", PRIM_ERROR_SIZE, "d_packed", packed_ld = SIZE_MAX / 8);
    FAULT("in d_packed", PRIM_ERROR_OVERLAP, "d_out overlaps", d_out = d_packed + 400);
    FAULT("about d_packed", PRIM_ERROR_OVERLAP, "d_out overlaps",
          (rows = 2, columns = 32, ld = 100, packed_ld = 1, d_packed = d_out + 200));
    prim_bits packed = prim_bits_of((void *)d_packed, rows, columns, packed_ld);
    FAULT("of other rows", PRIM_ERROR_VALUE, "packed is 22 ×", packed.rows--);
    FAULT("in words", PRIM_ERROR_VALUE, "packed is 23 × 34", packed.columns = WORDS);
    return prim_binary_unpack_rows(packed, prim_matrix_of(type, d_out, rows, columns, ld),
                                   call_of(o, &c));
}

/* A line of words goes down a column. */
static void signs_of_columns(const void *h_in, size_t k, void *h_out)
{
    for (size_t i = 0; i < k; i++)
        for (size_t line = 0; line < LINES; line++)
            ((int8_t *)h_out)[i * LINES + line] =
                (int8_t)sign(((const uint32_t *)h_in)[i / 32 * LINES + line], i % 32);
}

static prim_status unpack_columns_call(const operands *o)
{
    const call_head c = spoilt_options(o);
    cudaDataType_t type = CUDA_R_8I;
    size_t rows = o->count, ld = LINES, packed_ld = LINES;
    char *d_packed = o->d_in, *d_out = o->d_out;
    spoil(o, "d_packed", &d_packed);
    FAULT("NULL", PRIM_ERROR_NULL, "d_out", d_out = NULL);
    FAULT("unknown", PRIM_ERROR_TYPE, "out_type", type = 9999);
    FAULT("u8", PRIM_ERROR_TYPE, "u8", type = CUDA_R_8U);
    FAULT("ld less than columns", PRIM_ERROR_VALUE, "d_out", ld = LINES - 1);
    FAULT("ld less than columns", PRIM_ERROR_VALUE, "d_packed", packed_ld = LINES - 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_out", rows = SIZE_MAX);
    FAULT("in d_packed", PRIM_ERROR_OVERLAP, "d_out overlaps", d_out = d_packed + 400);
    return prim_binary_unpack_columns(prim_bits_of((void *)d_packed, rows, LINES, packed_ld),
                                      prim_matrix_of(type, d_out, rows, LINES, ld), call_of(o, &c));
}

/* A line of words goes down, and along a row of elements. */
static void signs_of_transposed(const void *h_in, size_t k, void *h_out)
{
    for (size_t line = 0; line < LINES; line++)
        for (size_t i = 0; i < k; i++)
            ((int8_t *)h_out)[line * K + i] =
                (int8_t)sign(((const uint32_t *)h_in)[i / 32 * LINES + line], i % 32);
}

static prim_status unpack_transposed_call(const operands *o)
{
    const call_head c = spoilt_options(o);
    cudaDataType_t type = CUDA_R_8I;
    size_t rows = LINES, columns = o->count, packed_ld = LINES;
    char *d_packed = o->d_in, *d_out = o->d_out;
    spoil(o, "d_packed", &d_packed);
    FAULT("NULL", PRIM_ERROR_NULL, "d_out", d_out = NULL);
    FAULT("bf16", PRIM_ERROR_TYPE, "bf16", type = CUDA_R_16BF);
    FAULT("ld less than columns", PRIM_ERROR_VALUE, "d_packed", packed_ld = LINES - 1);
    FAULT("in d_packed", PRIM_ERROR_OVERLAP, "d_out overlaps", d_out = d_packed + 400);
    prim_bits packed = prim_bits_of((void *)d_packed, columns, rows, packed_ld);
    FAULT("not transposed", PRIM_ERROR_VALUE, "packed is 23 × 1077",
          (packed.rows = rows, packed.columns = columns));
    return prim_binary_unpack_transposed(packed, prim_matrix_of(type, d_out, rows, columns, K),
                                         call_of(o, &c));
}

const entry_point binary_gemm_entry = {.name = "prim_binary_gemm",
                                       .variant_at = prim_binary_gemm_variant_at,
                                       .in_bytes = IN_COUNT * sizeof(uint32_t),
                                       .out_bytes = (size_t)M * COLUMNS * sizeof(int32_t),
                                       .count = K,
                                       .make_input = binary_input,
                                       .right_answer = binary_answer,
                                       .call = binary_call};

const entry_point binary_count_entry = {.name = "prim_binary_count",
                                        .variant_at = prim_binary_gemm_variant_at,
                                        .in_bytes = IN_COUNT * sizeof(uint32_t),
                                        .out_bytes = (size_t)M * COLUMNS * sizeof(float),
                                        .count = K,
                                        .make_input = binary_input,
                                        .right_answer = count_answer,
                                        .call = count_call};

const entry_point binary_layer_entry = {.name = "prim_binary_layer",
                                        .variant_at = prim_binary_gemm_variant_at,
                                        .in_bytes = (IN_COUNT + COLUMNS) * sizeof(uint32_t),
                                        .out_bytes = (size_t)M * LAYER_WORDS * sizeof(uint32_t),
                                        .count = K,
                                        .make_input = layer_input,
                                        .right_answer = layer_answer,
                                        .call = layer_call};

const entry_point binary_pack_rows_entry = {.name = "prim_binary_pack_rows",
                                            .variant_at = only_variant_at,
                                            .in_bytes = ROWS_IN * sizeof(float),
                                            .out_bytes = (size_t)LINES * WORDS * sizeof(uint32_t),
                                            .count = K,
                                            .make_input = rows_input,
                                            .right_answer = rows_answer,
                                            .call = rows_call};

const entry_point binary_pack_columns_entry = {.name = "prim_binary_pack_columns",
                                               .variant_at = only_variant_at,
                                               .in_bytes = COLUMNS_IN,
                                               .out_bytes =
                                                   (size_t)LINES * WORDS * sizeof(uint32_t),
                                               .count = K,
                                               .make_input = columns_input,
                                               .right_answer = columns_answer,
                                               .call = columns_call};

const entry_point binary_pack_transposed_entry = {.name = "prim_binary_pack_transposed",
                                                  .variant_at = only_variant_at,
                                                  .in_bytes = TRANSPOSED_IN,
                                                  .out_bytes =
                                                      (size_t)LINES * WORDS * sizeof(uint32_t),
                                                  .count = K,
                                                  .make_input = transposed_input,
                                                  .right_answer = transposed_answer,
                                                  .call = transposed_call};

const entry_point binary_unpack_rows_entry = {.name = "prim_binary_unpack_rows",
                                              .variant_at = only_variant_at,
                                              .in_bytes = (size_t)LINES * WORDS * sizeof(uint32_t),
                                              .out_bytes = (size_t)LINES * K * sizeof(float),
                                              .count = K,
                                              .make_input = words_input,
                                              .right_answer = signs_of_rows,
                                              .call = unpack_rows_call};

const entry_point binary_unpack_columns_entry = {.name = "prim_binary_unpack_columns",
                                                 .variant_at = only_variant_at,
                                                 .in_bytes =
                                                     (size_t)LINES * WORDS * sizeof(uint32_t),
                                                 .out_bytes = (size_t)LINES * K,
                                                 .count = K,
                                                 .make_input = words_input,
                                                 .right_answer = signs_of_columns,
                                                 .call = unpack_columns_call};

const entry_point binary_unpack_transposed_entry = {.name = "prim_binary_unpack_transposed",
                                                    .variant_at = only_variant_at,
                                                    .in_bytes =
                                                        (size_t)LINES * WORDS * sizeof(uint32_t),
                                                    .out_bytes = (size_t)LINES * K,
                                                    .count = K,
                                                    .make_input = words_input,
                                                    .right_answer = signs_of_transposed,
                                                    .call = unpack_transposed_call};
