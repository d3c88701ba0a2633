/* binary_gemm: packing and unpacking against oracles that go bit by bit, and products of ±1 against
 * sums. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/binary_gemm.h>

#include "calls.h"
#include "products.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static size_t words_of(size_t bits)
{
    return bits / 32 + (bits % 32 != 0);
}

static double read_number(cudaDataType_t type, const void *h, size_t i)
{
    return type_is_float(type) ? read_float(type, h, i) : (double)(int64_t)read_integer(type, h, i);
}

/* ---- packing ---- */

static const cudaDataType_t in_types[] = {CUDA_R_32F, CUDA_R_16F, CUDA_R_32I, CUDA_R_8I};
enum { IN_TYPES = COUNT_OF(in_types) };

/* prim_binary_pack_rows(), prim_binary_pack_columns(), prim_binary_pack_transposed(); and of
 * unpacking the same */
typedef enum pack_way { BY_ROWS, BY_COLUMNS, TRANSPOSED, PACK_WAYS } pack_way;

typedef struct pack_case {
    cudaDataType_t type;
    int threads; /* 0: on the device */
    pack_way way;
    size_t rows, columns; /* of elements */
    size_t gap, packed_gap, offset;
    uint64_t seed;
} pack_case;

/* Does the element stand for +1? */
static bool is_plus(cudaDataType_t type, const void *h, size_t i)
{
    if (type_is_float(type))
        return read_float(type, h, i) >= 0; /* -0 too, NaN not */
    return (int64_t)read_integer(type, h, i) >= 0;
}

/* Both signs, zeros of both signs, both NaNs, infinities, and the ends of the type. */
static void write_signs(cudaDataType_t type, void *h, size_t count, uint64_t seed)
{
    static const double floats[] = {1,   -1,        0.0,      -0.0, NAN,      -NAN,
                                    0.5, -INFINITY, 0x1p-149, -3,   INFINITY, -0x1p-149};
    static const int32_t integers[] = {0, -1, 1, -128, 127, INT32_MIN, INT32_MAX, 5, -7};
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(seed + i);
        if (type_is_float(type))
            write_float(type, h, i, floats[bits % COUNT_OF(floats)]);
        else if (type == CUDA_R_32I)
            ((int32_t *)h)[i] = integers[bits % COUNT_OF(integers)];
        else
            ((int8_t *)h)[i] = (int8_t)integers[bits % COUNT_OF(integers)];
    }
}

static matrix make_input(const pack_case *c)
{
    matrix in = matrix_new(c->type, c->rows, c->columns, c->columns + c->gap, c->offset);
    for (size_t row = 0; row < c->rows; row++)
        write_signs(c->type, (char *)matrix_data(&in) + row * in.ld * type_bytes(c->type),
                    c->columns, c->seed + 1000003 * row);
    return in;
}

static prim_bits bits_of(const pack_case *c, void *words, const matrix *packed)
{
    return c->way == TRANSPOSED ? prim_bits_of(words, c->columns, c->rows, packed->ld)
                                : prim_bits_of(words, c->rows, c->columns, packed->ld);
}

static void pack_on_device(const pack_case *c, const matrix *in, matrix *packed)
{
    guarded d_in = matrix_to_device(in);
    guarded d_packed =
        guarded_copy(packed->base, matrix_bytes(packed), c->offset * sizeof(uint32_t));
    const void *from = matrix_extent(in) == 0 && c->offset > 0 ? NULL : data_of(&d_in, in);
    uint32_t *to = matrix_extent(packed) == 0 && c->offset > 0 ? NULL : d_packed.data;
    cr_prim((c->way == BY_ROWS      ? prim_binary_pack_rows
             : c->way == BY_COLUMNS ? prim_binary_pack_columns
                                    : prim_binary_pack_transposed)(
        prim_matrix_of(c->type, from, c->rows, c->columns, in->ld), bits_of(c, to, packed), NULL));
    guarded_read(&d_packed, packed->base);
    matrix_check_unchanged(&d_in, in, "the input");
    guarded_free(&d_in);
    guarded_free(&d_packed);
}

static void pack(const pack_case *c, const matrix *in, matrix *packed)
{
    if (c->threads == 0)
        pack_on_device(c, in, packed);
    else
        cr_prim((c->way == BY_ROWS      ? prim_binary_pack_rows_host
                 : c->way == BY_COLUMNS ? prim_binary_pack_columns_host
                                        : prim_binary_pack_transposed_host)(
            prim_matrix_of(c->type, matrix_data(in), c->rows, c->columns, in->ld),
            bits_of(c, matrix_data(packed), packed), c->threads));
}

static const char *const way_names[] = {"rows", "columns", "transposed"};

/* Of the packed matrix, in words. */
static size_t packed_rows_of(const pack_case *c)
{
    return c->way == BY_ROWS      ? c->rows
           : c->way == BY_COLUMNS ? words_of(c->rows)
                                  : words_of(c->columns);
}

static size_t packed_columns_of(const pack_case *c)
{
    return c->way == BY_ROWS ? words_of(c->columns) : c->way == BY_COLUMNS ? c->columns : c->rows;
}

/* The word of the packed matrix, bit by bit. */
static uint32_t expected_word(const pack_case *c, const matrix *in, size_t row, size_t column)
{
    uint32_t word = 0;
    for (size_t bit = 0; bit < 32; bit++) {
        const size_t r = c->way == BY_ROWS ? row : c->way == BY_COLUMNS ? 32 * row + bit : column;
        const size_t k = c->way == BY_ROWS      ? 32 * column + bit
                         : c->way == BY_COLUMNS ? column
                                                : 32 * row + bit;
        if (r < c->rows && k < c->columns && is_plus(c->type, matrix_data(in), r * in->ld + k))
            word |= (uint32_t)1 << bit;
    }
    return word;
}

static void check_pack(const pack_case *c)
{
    const size_t rows = packed_rows_of(c), columns = packed_columns_of(c);
    matrix in = make_input(c);
    matrix packed = matrix_of_pattern(CUDA_R_32U, rows, columns, columns + c->packed_gap);
    pack(c, &in, &packed);
    const uint32_t *words = matrix_data(&packed);
    for (size_t i = 0; i < matrix_extent(&packed); i++) {
        const size_t row = i / packed.ld, column = i % packed.ld;
        const uint32_t expected =
            column < columns ? expected_word(c, &in, row, column) : 0x01010101u * GUARD_PATTERN;
        cr_assert_eq(words[i], expected,
                     "pack %s (threads %d) %s, %zu × %zu, gaps %zu %zu, offset %zu: word %zu, %zu "
                     "is %08x, not %08x",
                     way_names[c->way], c->threads, type_name(c->type), c->rows, c->columns, c->gap,
                     c->packed_gap, c->offset, row, column, words[i], expected);
    }
    matrix_free(&in);
    matrix_free(&packed);
}

/* Also rows that begin at 16 bytes and end within them. */
static size_t gap_behind(size_t columns, uint64_t bits)
{
    return bits & 1 ? bits >> 1 & 7 : bits >> 4 & 1 ? (16 - columns % 16) % 16 : 0;
}

static const size_t packed_sizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 255, 256, 257, 1000};
static const size_t other_sizes[] = {0, 1, 3, 17, 33, 300};

static void check_packs(void (*check_case)(const pack_case *), int threads, size_t rarity)
{
    for (size_t t = 0; t < IN_TYPES; t++)
        for (size_t i = 0; i < COUNT_OF(packed_sizes); i++)
            for (size_t j = 0; j < COUNT_OF(other_sizes); j++)
                for (int way = 0; way < PACK_WAYS; way++) {
                    const size_t turn =
                        (t * COUNT_OF(packed_sizes) + i) * COUNT_OF(other_sizes) + j;
                    const uint64_t bits = random_bits(3 * turn + (uint64_t)way);
                    if ((turn + turn / rarity + (size_t)way) % rarity != 0)
                        continue;
                    const size_t columns = way == BY_COLUMNS ? other_sizes[j] : packed_sizes[i];
                    const pack_case c = {.type = in_types[t],
                                         .threads = threads,
                                         .way = (pack_way)way,
                                         .rows =
                                             way == BY_COLUMNS ? packed_sizes[i] : other_sizes[j],
                                         .columns = columns,
                                         .gap = gap_behind(columns, bits),
                                         .packed_gap = bits >> 8 & 1 ? bits >> 9 & 3 : 0,
                                         .offset = bits >> 16 & 1 ? 1 + (bits >> 17 & 3) : 0,
                                         .seed = bits >> 32};
                    check_case(&c);
                }
}

Test(binary_gemm, packing)
{
    check_packs(check_pack, 0, get_test_level() == LEVEL_QUICK ? 3 : 1);
}

static bool has_threads(void)
{
    return prim_binary_pack_rows_host(prim_matrix_of(CUDA_R_32F, NULL, 0, 0, 0),
                                      prim_bits_of(NULL, 0, 0, 0), 2) == PRIM_OK;
}

Test(binary_gemm, packing_on_the_host)
{
    static const int threads[] = {1, 2, 3, 7};
    for (size_t t = 0; t < (has_threads() ? COUNT_OF(threads) : 1); t++)
        check_packs(check_pack, threads[t], t == 0 ? 1 : get_test_level() == LEVEL_QUICK ? 23 : 7);
}

/* ---- unpacking ---- */

/* Random ones; also the bits that stand for nothing. */
static matrix make_words(const pack_case *c)
{
    const size_t rows = packed_rows_of(c), columns = packed_columns_of(c);
    matrix packed = matrix_new(CUDA_R_32U, rows, columns, columns + c->packed_gap, c->offset);
    uint32_t *const words = matrix_data(&packed);
    for (size_t i = 0; i < matrix_extent(&packed); i++)
        words[i] = (uint32_t)random_bits(c->seed + i);
    return packed;
}

static void unpack_on_device(const pack_case *c, const matrix *packed, matrix *out)
{
    guarded d_packed = matrix_to_device(packed);
    guarded d_out = guarded_copy(out->base, matrix_bytes(out), c->offset * type_bytes(c->type));
    const bool none = c->offset > 0;
    cr_prim((c->way == BY_ROWS      ? prim_binary_unpack_rows
             : c->way == BY_COLUMNS ? prim_binary_unpack_columns
                                    : prim_binary_unpack_transposed)(
        bits_of(c, or_null(none, packed, data_of(&d_packed, packed)), packed),
        prim_matrix_of(c->type, or_null(none, out, d_out.data), c->rows, c->columns, out->ld),
        NULL));
    guarded_read(&d_out, out->base);
    matrix_check_unchanged(&d_packed, packed, "the words");
    guarded_free(&d_packed);
    guarded_free(&d_out);
}

static void unpack(const pack_case *c, const matrix *packed, matrix *out)
{
    if (c->threads == 0)
        unpack_on_device(c, packed, out);
    else
        cr_prim((c->way == BY_ROWS      ? prim_binary_unpack_rows_host
                 : c->way == BY_COLUMNS ? prim_binary_unpack_columns_host
                                        : prim_binary_unpack_transposed_host)(
            bits_of(c, matrix_data(packed), packed),
            prim_matrix_of(c->type, matrix_data(out), c->rows, c->columns, out->ld), c->threads));
}

static int expected_sign(const pack_case *c, const matrix *packed, size_t row, size_t column)
{
    const uint32_t *const words = matrix_data(packed);
    const size_t at = c->way == BY_ROWS      ? row * packed->ld + column / 32
                      : c->way == BY_COLUMNS ? row / 32 * packed->ld + column
                                             : column / 32 * packed->ld + row;
    return words[at] >> (c->way == BY_COLUMNS ? row : column) % 32 & 1 ? 1 : -1;
}

/* Every byte of the element is the guards'. */
static bool is_pattern(cudaDataType_t type, const void *h, size_t i)
{
    const unsigned char *const bytes = (const unsigned char *)h + i * type_bytes(type);
    size_t b = 0;
    while (b < type_bytes(type) && bytes[b] == (unsigned char)GUARD_PATTERN)
        b++;
    return b == type_bytes(type);
}

static void check_signs(const pack_case *c, const matrix *packed, const matrix *out)
{
    char text[200];
    snprintf(text, sizeof text,
             "unpack %s (threads %d) %s, %zu × %zu, gaps %zu %zu, offset %zu, seed %llu",
             way_names[c->way], c->threads, type_name(c->type), c->rows, c->columns, c->gap,
             c->packed_gap, c->offset, (unsigned long long)c->seed);
    for (size_t i = 0; i < matrix_extent(out); i++) {
        const size_t row = i / out->ld, column = i % out->ld;
        if (column >= c->columns)
            cr_assert(is_pattern(c->type, matrix_data(out), i), "%s: the gap behind row %zu", text,
                      row);
        else
            cr_assert_eq(read_number(c->type, matrix_data(out), i),
                         expected_sign(c, packed, row, column), "%s: %g at %zu, %zu", text,
                         read_number(c->type, matrix_data(out), i), row, column);
    }
}

/* Packed again they are the same words, with unused bits of 0. */
static void check_round_trip(const pack_case *c, const matrix *packed, const matrix *out)
{
    matrix again = matrix_of_pattern(CUDA_R_32U, packed->rows, packed->columns, packed->ld);
    const size_t length = c->way == BY_COLUMNS ? c->rows : c->columns;
    const uint32_t *const words = matrix_data(packed), *const got = matrix_data(&again);
    pack(c, out, &again);
    for (size_t i = 0; i < matrix_extent(packed); i++) {
        const size_t row = i / packed->ld, column = i % packed->ld,
                     word = c->way == BY_ROWS ? column : row;
        const uint32_t used = length - 32 * word < 32 ? ((uint32_t)1 << length % 32) - 1 : ~0u;
        if (column < packed->columns)
            cr_assert_eq(got[i], words[i] & used, "%s %s, %zu × %zu: word %zu, %zu",
                         way_names[c->way], type_name(c->type), c->rows, c->columns, row, column);
    }
    matrix_free(&again);
}

static void check_unpack(const pack_case *c)
{
    matrix packed = make_words(c);
    matrix out = matrix_of_pattern(c->type, c->rows, c->columns, c->columns + c->gap);
    unpack(c, &packed, &out);
    check_signs(c, &packed, &out);
    check_round_trip(c, &packed, &out);
    matrix_free(&packed);
    matrix_free(&out);
}

Test(binary_gemm, unpacking)
{
    check_packs(check_unpack, 0, get_test_level() == LEVEL_QUICK ? 3 : 1);
}

/* Beyond what 16 bits count. */
Test(binary_gemm, unpacking_of_long_lines)
{
    static const size_t lines[][2] = {{70001, 3}, {3, 70001}};
    for (size_t l = 0; l < COUNT_OF(lines); l++)
        for (int way = 0; way < PACK_WAYS; way++) {
            const bool aligned = (l + (size_t)way) % 2 == 0;
            const pack_case c = {.type = aligned ? CUDA_R_8I : CUDA_R_16F,
                                 .way = (pack_way)way,
                                 .rows = lines[l][0],
                                 .columns = lines[l][1],
                                 .gap = aligned ? 16 - lines[l][1] % 16 : 0,
                                 .seed = 31 * l};
            check_unpack(&c);
        }
}

Test(binary_gemm, unpacking_on_the_host)
{
    static const int threads[] = {1, 2, 3, 7};
    for (size_t t = 0; t < (has_threads() ? COUNT_OF(threads) : 1); t++)
        check_packs(check_unpack, threads[t],
                    t == 0                            ? 1
                    : get_test_level() == LEVEL_QUICK ? 23
                                                      : 7);
}

/* ---- products ---- */

/* A and B as ±1, and packed by the test itself. */
typedef struct signs {
    int8_t *a, *b; /* m × k, and n × k: B's columns */
    matrix packed_a, packed_b;
} signs;

/* prim_binary_gemm(), prim_binary_count(), prim_binary_layer() */
typedef enum binary_call { GEMM, COUNT, LAYER } binary_call;

typedef struct binary_case {
    prim_binary_gemm_variant variant;
    int threads; /* 0: on the device */
    binary_call call;
    prim_binary_op op;
    cudaDataType_t c_type; /* not of a layer */
    size_t m, n, k;
    size_t gaps[3];
    size_t offset;
    int bias; /* of 8 elements, so many are +1 */
    uint64_t seed;
} binary_case;

/* The element (line, i) of the signs is bit i % 32 of the word that word_at() gives. */
static int8_t *make_signs(matrix *packed, bool along_columns, size_t lines, size_t k,
                          const binary_case *c)
{
    int8_t *signs = malloc(lines * k + 1);
    uint32_t *words = matrix_data(packed);
    for (size_t line = 0; line < lines; line++)
        for (size_t i = 0; i < words_of(k) * 32; i++) {
            const size_t at =
                along_columns ? i / 32 * packed->ld + line : line * packed->ld + i / 32;
            const bool plus = i < k && (int)(random_bits(c->seed + line * 65537 + i) % 8) < c->bias;
            if (i % 32 == 0)
                words[at] = 0;
            if (plus)
                words[at] |= (uint32_t)1 << i % 32;
            if (i < k)
                signs[line * k + i] = plus ? 1 : -1;
        }
    return signs;
}

static signs make_operands(const binary_case *c, uint64_t seed)
{
    const size_t words = words_of(c->k);
    binary_case other = *c;
    signs s = {.packed_a = matrix_new(CUDA_R_32U, c->m, words, words + c->gaps[0], c->offset),
               .packed_b = matrix_new(CUDA_R_32U, words, c->n, c->n + c->gaps[1], 2 * c->offset)};
    other.seed = seed;
    s.a = make_signs(&s.packed_a, false, c->m, c->k, c);
    s.b = make_signs(&s.packed_b, true, c->n, c->k, &other);
    return s;
}

static void free_signs(signs *s)
{
    matrix_free(&s->packed_a);
    matrix_free(&s->packed_b);
    free(s->a);
    free(s->b);
}

static prim_status call_device(const binary_case *c, prim_bits a, prim_bits b,
                               const int32_t *d_thresholds, void *d_c, size_t ldc,
                               const prim_call *call)
{
    const prim_matrix result = prim_matrix_of(c->c_type, d_c, c->m, c->n, ldc);
    switch (c->call) {
    case GEMM:
        return prim_binary_gemm(c->variant, a, b, result, call);
    case COUNT:
        return prim_binary_count(c->variant, c->op, a, b, result, call);
    default:
        return prim_binary_layer(c->variant, c->op, a, b, d_thresholds,
                                 prim_bits_of(d_c, c->m, c->n, ldc), call);
    }
}

static prim_status ask(const binary_case *c, size_t *bytes)
{
    return asked_bytes(call_device(c, prim_bits_of(NULL, c->m, c->k, 0),
                                   prim_bits_of(NULL, c->k, c->n, 0), NULL, NULL, 0, asking()),
                       bytes);
}

static void run_on_device(const binary_case *c, const signs *s, const int32_t *thresholds,
                          matrix *result)
{
    const bool none = c->offset > 0; /* in every other case */
    size_t bytes;
    cr_prim(ask(c, &bytes));
    guarded a = matrix_to_device(&s->packed_a), b = matrix_to_device(&s->packed_b),
            out = guarded_copy(result->base, matrix_bytes(result), 4 * c->offset),
            limits = guarded_copy(thresholds, c->n * sizeof(int32_t), 4 * c->offset),
            workspace = guarded_new(bytes, 0);
    cr_prim(call_device(c,
                        prim_bits_of(or_null(none, &s->packed_a, data_of(&a, &s->packed_a)), c->m,
                                     c->k, s->packed_a.ld),
                        prim_bits_of(or_null(none, &s->packed_b, data_of(&b, &s->packed_b)), c->k,
                                     c->n, s->packed_b.ld),
                        limits.data, or_null(none, result, out.data), result->ld,
                        with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&out, result->base);
    matrix_check_unchanged(&a, &s->packed_a, "A");
    matrix_check_unchanged(&b, &s->packed_b, "B");
    guarded_free(&a);
    guarded_free(&b);
    guarded_free(&out);
    guarded_free(&limits);
    guarded_free(&workspace);
}

static void run_on_host(const binary_case *c, const signs *s, const int32_t *thresholds,
                        matrix *result)
{
    const prim_bits a = prim_bits_of(matrix_data(&s->packed_a), c->m, c->k, s->packed_a.ld),
                    b = prim_bits_of(matrix_data(&s->packed_b), c->k, c->n, s->packed_b.ld);
    const prim_matrix values =
        prim_matrix_of(c->c_type, matrix_data(result), c->m, c->n, result->ld);
    if (c->call == GEMM)
        cr_prim(prim_binary_gemm_host(a, b, values, c->threads));
    else if (c->call == COUNT)
        cr_prim(prim_binary_count_host(c->op, a, b, values, c->threads));
    else
        cr_prim(prim_binary_layer_host(c->op, a, b, thresholds,
                                       prim_bits_of(matrix_data(result), c->m, c->n, result->ld),
                                       c->threads));
}

static int expected_value(const binary_case *c, const signs *s, size_t row, size_t column)
{
    const int8_t *a = &s->a[row * c->k], *b = &s->b[column * c->k];
    int dot = 0, unlike = 0, both = 0;
    for (size_t j = 0; j < c->k; j++) {
        dot += a[j] * b[j];
        unlike += a[j] != b[j];
        both += a[j] > 0 && b[j] > 0;
    }
    return c->op == PRIM_BINARY_XOR ? unlike : c->op == PRIM_BINARY_AND ? both : dot;
}

/* One of the column's values, the next one or the one before; and what all or no values reach. */
static int32_t *make_thresholds(const binary_case *c, const signs *s)
{
    int32_t *thresholds = malloc(c->n * sizeof *thresholds + 1);
    for (size_t column = 0; c->call == LAYER && column < c->n; column++) {
        const uint64_t bits = random_bits(c->seed + 31 * column);
        thresholds[column] = bits % 16 == 0   ? INT32_MIN
                             : bits % 16 == 1 ? INT32_MAX
                             : c->m == 0      ? 0
                                              : expected_value(c, s, (bits >> 8) % c->m, column) +
                                               (int)(bits >> 4 & 3) % 3 - 1;
    }
    return thresholds;
}

static void describe(const binary_case *c, char *text, size_t bytes)
{
    static const char *const calls[] = {"gemm", "count", "layer"}, *const ops[] = {"dot", "xor",
                                                                                   "and"};
    snprintf(text, bytes,
             "%s (threads %d) %s %s %s, %zu × %zu × %zu, gaps %zu %zu %zu, offset %zu, %d of 8 "
             "positive, seed %llu",
             prim_binary_gemm_variant_info(c->variant)->name, c->threads, calls[c->call],
             ops[c->op], type_name(c->c_type), c->m, c->n, c->k, c->gaps[0], c->gaps[1], c->gaps[2],
             c->offset, c->bias, (unsigned long long)c->seed);
}

static uint32_t expected_bits(const binary_case *c, const signs *s, const int32_t *thresholds,
                              size_t row, size_t word)
{
    uint32_t bits = 0;
    for (size_t column = 32 * word; column < c->n && column < 32 * word + 32; column++)
        bits |= (uint32_t)(expected_value(c, s, row, column) >= thresholds[column]) << column % 32;
    return bits;
}

/* Each value is a sum of ±1 or a count, which is exact; the gaps keep their pattern. */
static void check_result(const binary_case *c, const signs *s, const int32_t *thresholds,
                         const matrix *result)
{
    char text[300];
    const uint32_t *words = matrix_data(result);
    const size_t columns = c->call == LAYER ? words_of(c->n) : c->n;
    describe(c, text, sizeof text);
    for (size_t i = 0; i < matrix_extent(result); i++) {
        const size_t row = i / result->ld, column = i % result->ld;
        if (column >= columns) {
            cr_assert_eq(words[i], 0x01010101u * GUARD_PATTERN, "%s: the gap behind row %zu", text,
                         row);
        } else if (c->call == LAYER) {
            const uint32_t expected = expected_bits(c, s, thresholds, row, column);
            cr_assert_eq(words[i], expected, "%s: %08x at %zu, word %zu, not %08x", text, words[i],
                         row, column, expected);
        } else {
            const int expected = expected_value(c, s, row, column);
            const double value = read_number(c->c_type, words, i);
            cr_assert(value == expected, "%s: %g at %zu, %zu, not %d", text, value, row, column,
                      expected);
        }
    }
}

static void check(const binary_case *c)
{
    size_t bytes;
    if (c->threads == 0 && ask(c, &bytes) == PRIM_ERROR_UNSUPPORTED)
        return; /* test_supported.c says which rung may refuse what */
    signs s = make_operands(c, c->seed + 12345);
    int32_t *thresholds = make_thresholds(c, &s);
    const size_t columns = c->call == LAYER ? words_of(c->n) : c->n;
    matrix result = matrix_of_pattern(c->call == LAYER ? CUDA_R_32U : c->c_type, c->m, columns,
                                      columns + c->gaps[2]);
    if (c->threads == 0)
        run_on_device(c, &s, thresholds, &result);
    else
        run_on_host(c, &s, thresholds, &result);
    check_result(c, &s, thresholds, &result);
    matrix_free(&result);
    free(thresholds);
    free_signs(&s);
}

static struct criterion_test_params variants(void)
{
    static prim_binary_gemm_variant rows[64];
    size_t count = 0;
    for (size_t v = 0; prim_binary_gemm_variant_at(v) != NULL; v++)
        rows[count++] = prim_binary_gemm_variant_at(v)->value;
    return cr_make_param_array(prim_binary_gemm_variant, rows, count);
}

/* MMA and WGMMA ask for a device. */
static bool is_for_this_device(prim_binary_gemm_variant variant)
{
    return runs(prim_binary_gemm(variant, prim_bits_of(NULL, 1, 1, 0), prim_bits_of(NULL, 1, 1, 0),
                                 prim_matrix_of(CUDA_R_32I, NULL, 1, 1, 0), asking()));
}

/* "prim_binary_gemm() only" */
static bool takes_products_only(prim_binary_gemm_variant variant)
{
    return variant >= PRIM_BINARY_GEMM_XNOR_GLOBAL &&
           variant <= PRIM_BINARY_GEMM_XNOR_TILED_TRANSPOSED;
}

/* Calls, types, gaps, offsets and the shares of +1 take turns. */
static binary_case varied(prim_binary_gemm_variant variant, size_t m, size_t n, size_t k,
                          uint64_t turn)
{
    static const int biases[] = {4, 4, 0, 8, 7, 1};
    const uint64_t bits = random_bits(turn);
    const binary_call call =
        takes_products_only(variant) ? GEMM : (binary_call)(random_bits(turn + 777) % 3);
    return (binary_case){
        .variant = variant,
        .call = call,
        .op = call == GEMM ? PRIM_BINARY_DOT : (prim_binary_op)(random_bits(turn + 7777) % 3),
        .c_type = bits & 1 ? CUDA_R_32F : CUDA_R_32I,
        .m = m,
        .n = n,
        .k = k,
        .gaps = {bits >> 8 & 1 ? bits >> 9 & 7 : 0, bits >> 16 & 1 ? bits >> 17 & 7 : 0,
                 bits >> 24 & 1 ? bits >> 25 & 7 : 0},
        .offset = bits >> 32 & 1 ? 1 + (bits >> 33 & 3) : 0,
        .bias = biases[(bits >> 40) % COUNT_OF(biases)],
        .seed = bits >> 48};
}

/* Every pair of these as (m, n), and each with every one of those as k. */
static const size_t tails[] = {0, 1, 2, 15, 16, 17, 31, 32, 33};
static const size_t depths[] = {0, 1, 31, 32, 33, 64, 100, 480, 512, 513, 545, 1000};

static void check_tails(prim_binary_gemm_variant variant, int threads, size_t rarity)
{
    for (size_t i = 0; i < COUNT_OF(tails); i++)
        for (size_t j = 0; j < COUNT_OF(tails); j++)
            for (size_t l = 0; l < COUNT_OF(depths); l++) {
                if ((i + 2 * j + 5 * l) % (COUNT_OF(depths) * rarity / 4) != 0)
                    continue;
                binary_case c = varied(variant, tails[i], tails[j], depths[l],
                                       (i * COUNT_OF(tails) + j) * COUNT_OF(depths) + l);
                c.threads = threads;
                check(&c);
            }
}

ParameterizedTestParameters(binary_gemm, tails_in_pairs)
{
    return variants();
}

ParameterizedTest(prim_binary_gemm_variant *variant, binary_gemm, tails_in_pairs)
{
    const test_level level = get_test_level();
    check_tails(*variant, 0, level == LEVEL_QUICK ? 4 : level == LEVEL_NORMAL ? 2 : 1);
}

/* A row of A comes into shared memory 1024 words, 32768 elements, at a time; and columns beyond
 * what 16 bits count. */
static const size_t shapes[][3] = {
    {1, 1, 5},       {300, 1, 40},    {1, 300, 64},    {257, 3, 33},  {3, 257, 100},
    {100, 100, 70},  {2, 1025, 1},    {1025, 2, 31},   {2, 3, 32736}, {2, 3, 32768},
    {3, 2, 32769},   {1, 17, 33000},  {2, 300, 33333}, {1, 2, 70001}, {1, 65600, 33},
    {65, 130, 2100}, {129, 131, 257}, {130, 136, 1792}};

ParameterizedTestParameters(binary_gemm, shapes)
{
    return variants();
}

ParameterizedTest(prim_binary_gemm_variant *variant, binary_gemm, shapes)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (uint64_t turn = 0; turn < (get_test_level() == LEVEL_QUICK ? 1 : 2); turn++) {
            const binary_case c =
                varied(*variant, shapes[s][0], shapes[s][1], shapes[s][2], 9000 + 2 * s + turn);
            check(&c);
        }
    if (get_test_level() == LEVEL_FULL && !on_cpu_backend()) {
        const binary_case c = varied(*variant, 1000, 1001, 1037, 1);
        check(&c);
    }
}

/* Beside the host's version, which the tests above hold to sums: several tiles for each block, and
 * more steps of k than stages in flight. */
static void check_like_host(const binary_case *c)
{
    char text[300];
    size_t bytes;
    if (ask(c, &bytes) == PRIM_ERROR_UNSUPPORTED)
        return;
    signs s = make_operands(c, c->seed + 12345);
    int32_t *thresholds = make_thresholds(c, &s);
    const size_t columns = c->call == LAYER ? words_of(c->n) : c->n;
    const cudaDataType_t type = c->call == LAYER ? CUDA_R_32U : c->c_type;
    matrix result = matrix_of_pattern(type, c->m, columns, columns + c->gaps[2]),
           expected = matrix_of_pattern(type, c->m, columns, columns + c->gaps[2]);
    binary_case on_host = *c;
    on_host.threads = 1;
    run_on_device(c, &s, thresholds, &result);
    run_on_host(&on_host, &s, thresholds, &expected);
    describe(c, text, sizeof text);
    cr_assert_arr_eq(result.base, expected.base, matrix_bytes(&result), "%s", text);
    matrix_free(&result);
    matrix_free(&expected);
    free(thresholds);
    free_signs(&s);
}

Test(binary_gemm, wgmma_of_many_tiles_and_stages)
{
    static const size_t large[][3] = {{129, 1300, 40},   {300, 600, 4096},  {150, 1290, 5000},
                                      {100, 2100, 4097}, {40, 2100, 1025},  {257, 257, 9000},
                                      {513, 30, 2000},   {128, 2304, 3072}, {256, 1280, 6144}};
    for (size_t s = 0; s < COUNT_OF(large); s++)
        for (uint64_t turn = 0; turn < (get_test_level() == LEVEL_QUICK ? 1 : 3); turn++) {
            const binary_case c = varied(PRIM_BINARY_GEMM_WGMMA, large[s][0], large[s][1],
                                         large[s][2], 7000 + 3 * s + turn);
            check_like_host(&c);
        }
}

Test(binary_gemm, host_version)
{
    static const int threads[] = {1, 2, 3, 7};
    for (size_t t = 0; t < (has_threads() ? COUNT_OF(threads) : 1); t++) {
        check_tails(PRIM_BINARY_GEMM_AUTO, threads[t],
                    get_test_level() == LEVEL_QUICK ? 8
                    : t == 0                        ? 1
                                                    : 4);
        for (size_t s = 0; s < COUNT_OF(shapes); s++) {
            binary_case c =
                varied(PRIM_BINARY_GEMM_AUTO, shapes[s][0], shapes[s][1], shapes[s][2], 9000 + s);
            c.threads = threads[t];
            check(&c);
        }
    }
}

/* ---- f32 beyond 2^24 ---- */

enum { DEEP = (1 << 24) + 35, DEEP_WORDS = DEEP / 32 + 1 };

/* One row and one column that differ in `different` places: k - 2 · different, rounded. */
static void check_deep(prim_binary_gemm_variant variant, bool on_host, size_t different)
{
    uint32_t *h_a = calloc(DEEP_WORDS, 4), *h_b = calloc(DEEP_WORDS, 4);
    float result = NAN;
    for (size_t i = 0; i < different; i++)
        h_a[i / 32] |= (uint32_t)1 << i % 32;
    if (on_host) {
        cr_prim(prim_binary_gemm_host(prim_bits_of(h_a, 1, DEEP, DEEP_WORDS),
                                      prim_bits_of(h_b, DEEP, 1, 0),
                                      prim_matrix_of(CUDA_R_32F, &result, 1, 1, 0), 1));
    } else {
        guarded a = guarded_copy(h_a, DEEP_WORDS * 4, 0), b = guarded_copy(h_b, DEEP_WORDS * 4, 0),
                c = guarded_new(4, 0);
        cr_prim(prim_binary_gemm(variant, prim_bits_of(a.data, 1, DEEP, DEEP_WORDS),
                                 prim_bits_of(b.data, DEEP, 1, 0),
                                 prim_matrix_of(CUDA_R_32F, c.data, 1, 1, 0), NULL));
        guarded_read(&c, &result);
        guarded_free(&a);
        guarded_free(&b);
        guarded_free(&c);
    }
    cr_assert_eq(result, (float)(DEEP - 2 * (int)different), "%s: %zu different",
                 prim_binary_gemm_variant_info(variant)->name, different);
    free(h_a);
    free(h_b);
}

Test(binary_gemm, f32_beyond_two_to_the_24)
{
    static const size_t different[] = {0, 1, 17, 20, DEEP};
    for (size_t d = 0; d < COUNT_OF(different); d++)
        check_deep(PRIM_BINARY_GEMM_AUTO, true, different[d]);
    for (size_t v = 1; prim_binary_gemm_variant_at(v) != NULL; v++) {
        if (on_cpu_backend() && get_test_level() != LEVEL_FULL && v > 1)
            continue; /* a million barriers */
        if (!is_for_this_device(prim_binary_gemm_variant_at(v)->value))
            continue;
        check_deep(prim_binary_gemm_variant_at(v)->value, false, 0);
        check_deep(prim_binary_gemm_variant_at(v)->value, false, DEEP);
    }
}

/* ---- the whole chain ---- */

/* Matrices of floats, packed and multiplied: the product of their signs. */
Test(binary_gemm, packing_and_product)
{
    enum { M = 19, COLUMNS = 37, K = 101, WORDS = 4 };
    float h_a[M * K], h_b[K * COLUMNS];
    int32_t h_c[M * COLUMNS];
    write_signs(CUDA_R_32F, h_a, M * K, 1);
    write_signs(CUDA_R_32F, h_b, K * COLUMNS, 99999);
    guarded a = guarded_copy(h_a, sizeof h_a, 0), b = guarded_copy(h_b, sizeof h_b, 0),
            packed_a = guarded_new(M * WORDS * 4, 0),
            packed_b = guarded_new(WORDS * COLUMNS * 4, 0), c = guarded_new(sizeof h_c, 0);
    cr_prim(prim_binary_pack_rows(prim_matrix_of(CUDA_R_32F, a.data, M, K, 0),
                                  prim_bits_of(packed_a.data, M, K, WORDS), NULL));
    cr_prim(prim_binary_pack_columns(prim_matrix_of(CUDA_R_32F, b.data, K, COLUMNS, 0),
                                     prim_bits_of(packed_b.data, K, COLUMNS, 0), NULL));
    for (size_t v = 0; prim_binary_gemm_variant_at(v) != NULL; v++) {
        const prim_binary_gemm_variant variant = prim_binary_gemm_variant_at(v)->value;
        if (!is_for_this_device(variant))
            continue;
        guarded_poison(&c);
        cr_prim(prim_binary_gemm(variant, prim_bits_of(packed_a.data, M, K, WORDS),
                                 prim_bits_of(packed_b.data, K, COLUMNS, 0),
                                 prim_matrix_of(CUDA_R_32I, c.data, M, COLUMNS, 0), NULL));
        guarded_read(&c, h_c);
        for (size_t i = 0; i < M * COLUMNS; i++) {
            int32_t expected = 0;
            for (size_t j = 0; j < K; j++)
                expected += is_plus(CUDA_R_32F, h_a, i / COLUMNS * K + j) ==
                                    is_plus(CUDA_R_32F, h_b, j * COLUMNS + i % COLUMNS)
                                ? 1
                                : -1;
            cr_assert_eq(h_c[i], expected, "%s at %zu",
                         prim_binary_gemm_variant_info(variant)->name, i);
        }
    }
    guarded_free(&a);
    guarded_free(&b);
    guarded_free(&packed_a);
    guarded_free(&packed_b);
    guarded_free(&c);
}

/* ---- what is refused ---- */

#define F CUDA_R_32F
#define I CUDA_R_32I

#define MEET(m, n, k, a, lda, b, ldb, c, ldc)                                     \
    prim_binary_gemm_host(prim_bits_of(a, m, k, lda), prim_bits_of(b, k, n, ldb), \
                          prim_matrix_of(I, c, m, n, ldc), 1)

Test(binary_gemm, operands_that_may_and_may_not_meet)
{
    uint32_t h[200] = {0}, apart[200] = {0};
    const prim_status overlap = PRIM_ERROR_OVERLAP;
    /* A of 4 × 3 words at the upper left of a matrix of 10 columns, C of 4 × 4 */
    cr_assert_eq(MEET(4, 4, 96, h, 10, apart, 4, h + 3, 10), PRIM_OK, "side by side");
    cr_assert_eq(MEET(4, 4, 96, h, 10, apart, 4, h + 2, 10), overlap);
    cr_assert_eq(MEET(4, 4, 65, h, 10, apart, 4, h + 2, 10), overlap, "the last word is begun");
    cr_assert_eq(MEET(4, 4, 64, h, 10, apart, 4, h + 2, 10), PRIM_OK, "two words");
    cr_assert_eq(MEET(4, 4, 96, h, 10, apart, 4, h + 7, 10), overlap, "round the end");
    cr_assert_eq(MEET(4, 4, 96, h, 10, apart, 4, h + 30, 10), overlap, "its last row");
    cr_assert_eq(MEET(4, 4, 96, h, 10, apart, 4, h + 40, 10), PRIM_OK, "below");
    cr_assert_eq(MEET(4, 4, 96, h, 10, apart, 4, h + 32, 9), overlap, "as ranges");
    cr_assert_eq(MEET(4, 4, 96, h, 10, apart, 4, h + 33, 9), PRIM_OK, "as ranges");
    /* B of 3 × 4 words */
    cr_assert_eq(MEET(4, 4, 96, apart, 3, h, 10, h + 4, 10), PRIM_OK);
    cr_assert_eq(MEET(4, 4, 96, apart, 3, h, 10, h + 3, 10), overlap);
    cr_assert_eq(MEET(4, 4, 96, apart, 3, h, 10, h + 20, 10), overlap);
    cr_assert_eq(MEET(4, 4, 96, apart, 3, h, 10, h + 30, 10), PRIM_OK);
    cr_assert_eq(MEET(4, 4, 96, h, 10, h + 1, 9, apart, 4), PRIM_OK, "A and B may meet");
    cr_assert_eq(MEET(4, 4, 0, h, 10, h, 10, h, 10), PRIM_OK, "empty ones meet nothing");
    cr_assert_eq(MEET(4, 4, 96, h, 2, apart, 4, h + 60, 4), PRIM_ERROR_VALUE);
    cr_assert_eq(MEET(4, 4, 96, h, 3, apart, 3, h + 60, 4), PRIM_ERROR_VALUE);
    cr_assert_eq(MEET(4, 4, 96, h, 3, apart, 4, h + 60, 3), PRIM_ERROR_VALUE);
    cr_assert_eq(MEET(4, 4, 65, h, 2, apart, 4, h + 60, 4), PRIM_ERROR_VALUE, "three words");
    cr_assert_eq(MEET(4, 4, 64, h, 2, apart, 4, h + 60, 4), PRIM_OK);
}

#define ROWS(type, in, rows, columns, ld, packed, packed_ld, threads)       \
    prim_binary_pack_rows_host(prim_matrix_of(type, in, rows, columns, ld), \
                               prim_bits_of(packed, rows, columns, packed_ld), threads)
#define COLUMNS(type, in, rows, columns, ld, packed, packed_ld, threads)       \
    prim_binary_pack_columns_host(prim_matrix_of(type, in, rows, columns, ld), \
                                  prim_bits_of(packed, rows, columns, packed_ld), threads)

Test(binary_gemm, packing_refuses_what_it_cannot_do)
{
    float h[200] = {0};
    uint32_t *const packed = (uint32_t *)(h + 150);
    cr_assert_eq(ROWS(F, h, 4, 33, 33, packed, 2, 1), PRIM_OK);
    cr_refused(ROWS(F, h, 4, 33, 33, packed, 2, 0), PRIM_ERROR_VALUE, "threads");
    cr_assert_eq(ROWS(F, h, 4, 33, 32, packed, 2, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(ROWS(F, h, 4, 33, 33, packed, 1, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(ROWS(CUDA_R_64F, h, 4, 33, 33, packed, 2, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(ROWS(CUDA_R_8U, h, 4, 33, 33, packed, 2, 1), PRIM_ERROR_TYPE);
    cr_refused(ROWS(F, NULL, 4, 33, 33, packed, 2, 1), PRIM_ERROR_NULL, "h_in");
    cr_refused(ROWS(F, h, 4, 33, 33, NULL, 2, 1), PRIM_ERROR_NULL, "h_packed");
    cr_assert_eq(ROWS(F, (float *)((char *)h + 1), 4, 33, 33, packed, 2, 1), PRIM_ERROR_MISALIGNED);
    cr_assert_eq(ROWS(F, h, SIZE_MAX / 8, 33, 33, packed, 2, 1), PRIM_ERROR_SIZE);
    cr_assert_eq(ROWS(F, h, 4, 33, 33, (uint32_t *)(h + 131), 2, 1), PRIM_ERROR_OVERLAP);
    cr_assert_eq(ROWS(F, h, 4, 33, 33, (uint32_t *)(h + 132), 2, 1), PRIM_OK);
    cr_assert_eq(ROWS(F, h, 4, 33, 40, (uint32_t *)(h + 34), 2, 1), PRIM_ERROR_OVERLAP, "a gap");

    cr_assert_eq(COLUMNS(F, h, 33, 4, 4, packed, 4, 1), PRIM_OK);
    cr_assert_eq(COLUMNS(F, h, 33, 4, 4, packed, 3, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(COLUMNS(F, h, 33, 4, 3, packed, 4, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(COLUMNS(F, h, 33, 4, 4, packed, 4, -3), PRIM_ERROR_VALUE);
    cr_assert_eq(COLUMNS(CUDA_R_16I, h, 33, 4, 4, packed, 4, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(COLUMNS(F, NULL, 33, 4, 4, packed, 4, 1), PRIM_ERROR_NULL);
    cr_assert_eq(COLUMNS(F, h, 33, 4, 4, NULL, 4, 1), PRIM_ERROR_NULL);
    cr_assert_eq(COLUMNS(F, h, 33, 4, 4, (uint32_t *)(h + 131), 4, 1), PRIM_ERROR_OVERLAP);
    cr_assert_eq(COLUMNS(F, h, 33, 4, 4, (uint32_t *)(h + 132), 4, 1), PRIM_OK);
    if (!has_threads())
        cr_assert_eq(ROWS(F, h, 4, 33, 33, packed, 2, 2), PRIM_ERROR_UNSUPPORTED);
}

#define SIGNS(way, type, out, rows, columns, ld, packed, packed_ld, threads)        \
    prim_binary_unpack_##way##_host(prim_bits_of(packed, rows, columns, packed_ld), \
                                    prim_matrix_of(type, out, rows, columns, ld), threads)

Test(binary_gemm, unpacking_refuses_what_it_cannot_do)
{
    float h[200] = {0};
    uint32_t *const packed = (uint32_t *)(h + 150);
    cr_assert_eq(SIGNS(rows, F, h, 4, 33, 33, packed, 2, 1), PRIM_OK);
    cr_refused(SIGNS(rows, F, h, 4, 33, 33, packed, 2, 0), PRIM_ERROR_VALUE, "threads");
    cr_assert_eq(SIGNS(rows, F, h, 4, 33, 32, packed, 2, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(SIGNS(rows, F, h, 4, 33, 33, packed, 1, 1), PRIM_ERROR_VALUE);
    cr_refused(SIGNS(rows, CUDA_R_64F, h, 4, 33, 33, packed, 2, 1), PRIM_ERROR_TYPE, "out_type");
    cr_assert_eq(SIGNS(rows, CUDA_R_8U, h, 4, 33, 33, packed, 2, 1), PRIM_ERROR_TYPE);
    cr_refused(SIGNS(rows, F, NULL, 4, 33, 33, packed, 2, 1), PRIM_ERROR_NULL, "h_out");
    cr_refused(SIGNS(rows, F, h, 4, 33, 33, NULL, 2, 1), PRIM_ERROR_NULL, "h_packed");
    cr_assert_eq(SIGNS(rows, F, (char *)h + 2, 4, 33, 33, packed, 2, 1), PRIM_ERROR_MISALIGNED);
    cr_assert_eq(SIGNS(rows, F, h, SIZE_MAX / 8, 33, 33, packed, 2, 1), PRIM_ERROR_SIZE);
    cr_refused(SIGNS(rows, F, h, 4, 33, 33, (uint32_t *)(h + 131), 2, 1), PRIM_ERROR_OVERLAP,
               "h_out overlaps h_packed");
    cr_assert_eq(SIGNS(rows, F, h, 4, 33, 33, (uint32_t *)(h + 132), 2, 1), PRIM_OK);
    cr_assert_eq(SIGNS(rows, F, h, 2, 32, 40, (uint32_t *)(h + 34), 1, 1), PRIM_ERROR_OVERLAP,
                 "a gap");

    cr_assert_eq(SIGNS(columns, F, h, 33, 4, 4, packed, 4, 1), PRIM_OK);
    cr_assert_eq(SIGNS(columns, F, h, 33, 4, 4, packed, 3, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(SIGNS(columns, F, h, 33, 4, 3, packed, 4, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(SIGNS(columns, CUDA_R_16BF, h, 33, 4, 4, packed, 4, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(SIGNS(columns, F, h, 33, 4, 4, packed, 4, 1025), PRIM_ERROR_VALUE);
    cr_assert_eq(SIGNS(columns, F, h, 33, 4, 4, (uint32_t *)(h + 131), 4, 1), PRIM_ERROR_OVERLAP);

    cr_refused(SIGNS(transposed, F, h, 4, 33, 33, packed, 0, 1), PRIM_ERROR_VALUE,
               "packed is 4 × 33");
    cr_assert_eq(prim_binary_unpack_transposed_host(prim_bits_of(packed, 33, 4, 0),
                                                    prim_matrix_of(F, h, 4, 33, 0), 1),
                 PRIM_OK);
    cr_refused(prim_binary_unpack_transposed_host(prim_bits_of(packed, 33, 4, 0),
                                                  prim_matrix_of(F, h, 4, 33, 0), 2000),
               PRIM_ERROR_VALUE, "threads");
    if (!has_threads())
        cr_assert_eq(SIGNS(rows, F, h, 4, 33, 33, packed, 2, 2), PRIM_ERROR_UNSUPPORTED);
}

Test(binary_gemm, host_refuses_what_it_cannot_do)
{
    uint32_t a[4] = {0}, b[4] = {0};
    int32_t c[4] = {5, 6, 7, 8};
#define HOST(k, a, b, c_type, c, threads)                                     \
    prim_binary_gemm_host(prim_bits_of(a, 2, k, 2), prim_bits_of(b, k, 2, 0), \
                          prim_matrix_of(c_type, c, 2, 2, 0), threads)
    cr_refused(HOST(33, a, b, I, c, 0), PRIM_ERROR_VALUE, "threads");
    cr_refused(HOST((size_t)1 << 31, a, b, I, c, 1), PRIM_ERROR_VALUE, "k");
    cr_assert_eq(HOST(33, a, b, CUDA_R_64F, c, 1), PRIM_ERROR_TYPE);
    cr_refused(HOST(33, NULL, b, I, c, 1), PRIM_ERROR_NULL, "h_a");
    cr_refused(HOST(33, a, NULL, I, c, 1), PRIM_ERROR_NULL, "h_b");
    cr_refused(HOST(33, a, b, I, NULL, 1), PRIM_ERROR_NULL, "h_c");
    cr_assert_eq(HOST(33, a, b, I, (char *)c + 2, 1), PRIM_ERROR_MISALIGNED);
    if (!has_threads())
        cr_assert_eq(HOST(33, a, b, I, c, 2), PRIM_ERROR_UNSUPPORTED);
    cr_assert(c[0] == 5 && c[3] == 8);
    cr_assert_eq(HOST(33, a, b, I, c, 1), PRIM_OK);
    cr_assert(c[0] == 33 && c[3] == 33);
}

Test(binary_gemm, layers_refuse_what_they_cannot_do)
{
    uint32_t a[4] = {0}, b[4] = {0}, packed[40] = {5, 6};
    const int32_t thresholds[2] = {33, 34};
#define LAYER_OF(op, thresholds, words, columns, ld)                                             \
    prim_binary_layer_host(op, prim_bits_of(a, 2, 33, 2), prim_bits_of(b, 33, 2, 0), thresholds, \
                           prim_bits_of(words, 2, columns, ld), 1)
    cr_refused(LAYER_OF((prim_binary_op)3, thresholds, packed, 2, 0), PRIM_ERROR_ENUM, "op");
    cr_refused(LAYER_OF(PRIM_BINARY_DOT, NULL, packed, 2, 0), PRIM_ERROR_NULL, "h_thresholds");
    cr_refused(LAYER_OF(PRIM_BINARY_DOT, thresholds, NULL, 2, 0), PRIM_ERROR_NULL, "h_packed");
    cr_refused(LAYER_OF(PRIM_BINARY_DOT, thresholds, packed, 1, 0), PRIM_ERROR_VALUE,
               "B 33 × 2 and packed 2 × 1");
    cr_refused(LAYER_OF(PRIM_BINARY_DOT, (const int32_t *)packed + 1, packed, 2, 0),
               PRIM_ERROR_OVERLAP, "h_thresholds");
    cr_assert_eq(LAYER_OF(PRIM_BINARY_DOT, (const int32_t *)packed + 1, packed, 2, 5),
                 PRIM_ERROR_OVERLAP, "in a gap");
    cr_assert_eq(LAYER_OF(PRIM_BINARY_DOT, (const int32_t *)packed + 6, packed, 2, 5), PRIM_OK);
    cr_assert_eq(LAYER_OF(PRIM_BINARY_DOT, thresholds, b, 2, 0), PRIM_ERROR_OVERLAP);
    cr_assert_eq(LAYER_OF(PRIM_BINARY_DOT, (const int32_t *)b, packed, 2, 0), PRIM_OK);
    cr_assert_eq(LAYER_OF(PRIM_BINARY_DOT, thresholds, packed, 2, 0), PRIM_OK);
    cr_assert(packed[0] == 1 && packed[1] == 1, "33 reaches 33, and not 34");
    cr_refused(prim_binary_count_host((prim_binary_op)-1, prim_bits_of(a, 1, 1, 0),
                                      prim_bits_of(b, 1, 1, 0), prim_matrix_of(I, packed, 1, 1, 0),
                                      1),
               PRIM_ERROR_ENUM, "op");
#undef LAYER_OF
}

Test(binary_gemm, matrices_that_do_not_fit_are_refused)
{
    const uint32_t words[8] = {0};
    uint32_t packed[8];
    const float signs[40] = {0};
    int32_t c[6] = {5};
#define FIT(a_rows, a_columns, b_rows, b_columns)                    \
    prim_binary_gemm_host(prim_bits_of(words, a_rows, a_columns, 0), \
                          prim_bits_of(words, b_rows, b_columns, 0), \
                          prim_matrix_of(I, c, 2, 3, 0), 1)
    cr_refused(FIT(2, 33, 32, 3), PRIM_ERROR_VALUE,
               "prim_binary_gemm_host: A is 2 × 33, B 32 × 3 and C 2 × 3");
    cr_assert_eq(FIT(1, 33, 33, 3), PRIM_ERROR_VALUE);
    cr_assert_eq(FIT(2, 33, 33, 2), PRIM_ERROR_VALUE);
    cr_assert_eq(FIT(2, 2, 2, 1), PRIM_ERROR_VALUE, "in words");
    cr_assert_eq(c[0], 5);
    cr_assert_eq(FIT(2, 33, 33, 3), PRIM_OK);
#undef FIT
    const prim_matrix in = prim_matrix_of(F, signs, 1, 40, 0);
    cr_refused(
        prim_binary_pack_rows_host(in, prim_bits_of(packed, 1, 2, 0), 1), PRIM_ERROR_VALUE,
        "prim_binary_pack_rows_host: packed is 1 × 2, but for in of 1 × 40 it must be 1 × 40");
    cr_assert_eq(prim_binary_pack_columns_host(in, prim_bits_of(packed, 40, 1, 0), 1),
                 PRIM_ERROR_VALUE);
    cr_assert_eq(prim_binary_pack_rows_host(in, prim_bits_of(packed, 1, 40, 0), 1), PRIM_OK);
    cr_refused(prim_binary_pack_transposed_host(in, prim_bits_of(packed, 1, 40, 0), 1),
               PRIM_ERROR_VALUE, "packed is 1 × 40, but for in of 1 × 40 it must be 40 × 1");
    cr_assert_eq(prim_binary_pack_transposed_host(in, prim_bits_of(packed, 40, 1, 0), 1), PRIM_OK);
}

Test(binary_gemm, nothing_takes_no_time)
{
    const size_t many = (size_t)1 << 60;
    cr_prim(prim_binary_gemm_host(prim_bits_of(NULL, many, 0, 0), prim_bits_of(NULL, 0, 0, 0),
                                  prim_matrix_of(CUDA_R_32I, NULL, many, 0, 0), 1));
    cr_prim(prim_binary_pack_rows_host(prim_matrix_of(CUDA_R_32F, NULL, many, 0, 0),
                                       prim_bits_of(NULL, many, 0, 0), 1));
    cr_prim(prim_binary_pack_columns_host(prim_matrix_of(CUDA_R_32F, NULL, many, 0, 0),
                                          prim_bits_of(NULL, many, 0, 0), 1));
}

Test(binary_gemm, queries_judge_like_the_call)
{
    size_t bytes;
    const prim_binary_gemm_variant automatic = PRIM_BINARY_GEMM_AUTO;
    cr_assert_eq(
        asked_bytes(prim_binary_gemm((prim_binary_gemm_variant)9999, prim_bits_of(NULL, 1, 1, 0),
                                     prim_bits_of(NULL, 1, 1, 0), prim_matrix_of(I, NULL, 1, 1, 0),
                                     asking()),
                    &bytes),
        PRIM_ERROR_ENUM);
    cr_assert_eq(asked_bytes(prim_binary_gemm(automatic, prim_bits_of(NULL, 1, 1, 0),
                                              prim_bits_of(NULL, 1, 1, 0),
                                              prim_matrix_of(CUDA_R_64F, NULL, 1, 1, 0), asking()),
                             &bytes),
                 PRIM_ERROR_TYPE);
    cr_assert_eq(asked_bytes(prim_binary_gemm(automatic, prim_bits_of(NULL, 1, (size_t)1 << 31, 0),
                                              prim_bits_of(NULL, (size_t)1 << 31, 1, 0),
                                              prim_matrix_of(I, NULL, 1, 1, 0), asking()),
                             &bytes),
                 PRIM_ERROR_VALUE);
    cr_assert_eq(
        asked_bytes(prim_binary_gemm(automatic, prim_bits_of(NULL, 1, ((size_t)1 << 31) - 1, 0),
                                     prim_bits_of(NULL, ((size_t)1 << 31) - 1, 1, 0),
                                     prim_matrix_of(I, NULL, 1, 1, 0), asking()),
                    &bytes),
        PRIM_OK);
    cr_assert(
        !runs(prim_binary_gemm(automatic, prim_bits_of(NULL, 1, 1, 0), prim_bits_of(NULL, 1, 1, 0),
                               prim_matrix_of(CUDA_R_8I, NULL, 1, 1, 0), asking())));
    cr_assert(strncmp(prim_last_error(NULL), "prim_binary_gemm", 16) == 0);
    for (size_t v = 0; prim_binary_gemm_variant_at(v) != NULL; v++) {
        if (!is_for_this_device(prim_binary_gemm_variant_at(v)->value))
            continue;
        cr_assert(runs(prim_binary_gemm(
            prim_binary_gemm_variant_at(v)->value, prim_bits_of(NULL, 1000, 1000, 0),
            prim_bits_of(NULL, 1000, 1000, 0), prim_matrix_of(I, NULL, 1000, 1000, 0), asking())));
        cr_assert(runs(prim_binary_gemm(
            prim_binary_gemm_variant_at(v)->value, prim_bits_of(NULL, 1000, 1000, 0),
            prim_bits_of(NULL, 1000, 1000, 0), prim_matrix_of(F, NULL, 1000, 1000, 0), asking())));
    }
}

/* ---- the choice ---- */

static int rung_of_auto(size_t m, size_t n, size_t k)
{
    return chosen(prim_binary_gemm(PRIM_BINARY_GEMM_AUTO, prim_bits_of(NULL, m, k, 0),
                                   prim_bits_of(NULL, k, n, 0), prim_matrix_of(I, NULL, m, n, 0),
                                   asking()));
}

Test(binary_gemm, auto_takes_wgmma_for_large_products)
{
    const int otherwise =
        is_for_this_device(PRIM_BINARY_GEMM_MMA) ? PRIM_BINARY_GEMM_MMA : PRIM_BINARY_GEMM_POPCOUNT;
    const int large =
        is_for_this_device(PRIM_BINARY_GEMM_WGMMA) ? PRIM_BINARY_GEMM_WGMMA : otherwise;
    cr_assert_eq(rung_of_auto(1024, 1024, 1024), large);
    cr_assert_eq(rung_of_auto(1024, 1024, 1023), otherwise);
    cr_assert_eq(rung_of_auto(128, 4096, 4096), large);
    cr_assert_eq(rung_of_auto(127, 4096, 8192), otherwise);
    cr_assert_eq(rung_of_auto(4096, 127, 8192), otherwise);
    cr_assert_eq(rung_of_auto(0, 0, 0), otherwise);
}

/* ---- the table ---- */

Test(binary_gemm, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_binary_gemm_variant_at(0)->value, PRIM_BINARY_GEMM_AUTO);
    cr_assert_not_null(prim_binary_gemm_variant_at(7));
    for (size_t v = 0; prim_binary_gemm_variant_at(v) != NULL; v++) {
        const char *name = prim_binary_gemm_variant_at(v)->name;
        cr_assert(name != NULL && strlen(name) > 0);
        cr_assert(strlen(prim_binary_gemm_variant_at(v)->idea) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(name, prim_binary_gemm_variant_at(w)->name);
    }
    cr_assert_str_eq(prim_binary_gemm_variant_info(PRIM_BINARY_GEMM_AUTO)->name, "auto");
    cr_assert_str_eq(prim_binary_gemm_variant_info(PRIM_BINARY_GEMM_XNOR_GLOBAL)->name,
                     "xnor_global");
    cr_assert_null(prim_binary_gemm_variant_info((prim_binary_gemm_variant)9999));
}
