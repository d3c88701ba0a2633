/* sparse: conversions between the formats, and checks of their contents. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "sparse_matrices.h"
#include "support.h"

/* ---- conversions ---- */

static bool same_csr(const prim_sparse *a, const prim_sparse *b)
{
    bool same = a->rows == b->rows && a->columns == b->columns && a->entries == b->entries &&
                a->value_type == b->value_type;
    for (size_t row = 0; same && row <= a->rows; row++)
        same = offset_of(a, row) == offset_of(b, row);
    return same &&
           memcmp(a->column_indices, b->column_indices, a->entries * sizeof(int32_t)) == 0 &&
           memcmp(a->values, b->values, a->entries * type_bytes(a->value_type)) == 0;
}

ParameterizedTestParameters(sparse_formats, there_and_back)
{
    return combinations();
}

ParameterizedTest(combination *k, sparse_formats, there_and_back)
{
    for (size_t s = 0; s < shape_count; s++)
        for (int o = 0; o < 4; o++) {
            const cudaDataType_t from = o % 2 == 0 ? CUDA_R_32I : CUDA_R_64I,
                                 to = o / 2 == 0 ? CUDA_R_32I : CUDA_R_64I;
            kept csr = make(&shapes[s], k->type, from, REAL), there = in_form(&csr.m, &k->f),
                 back = convert(&there.m, PRIM_SPARSE_CSR, to, 0);
            cr_assert_eq(back.m.offset_type, to);
            cr_assert(same_csr(&csr.m, &back.m), "%s", shapes[s].name);
            forget(&back);
            forget(&there);
            forget(&csr);
        }
}

static void expect_integers(const int32_t *is, const int32_t *right, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(is[i], right[i], "%s[%zu] is %d, not %d", what, i, is[i], right[i]);
}

static void expect_values(const void *is, const float *right, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(((const float *)is)[i], right[i], "values[%zu]", i);
}

Test(sparse_formats, formats_are_laid_out_as_the_header_says)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I);
    kept k = convert(&csr.m, PRIM_SPARSE_COO, CUDA_R_32I, 0);
    cr_assert_eq(k.m.entries, 7);
    expect_integers(k.m.row_indices, (int32_t[]){0, 0, 2, 2, 2, 3, 3}, 7, "row_indices");
    expect_integers(k.m.column_indices, (int32_t[]){0, 2, 1, 2, 3, 0, 3}, 7, "column_indices");
    expect_values(k.m.values, (float[]){3, 1, 2, 4, 1, 1, 1}, 7);
    forget(&k);

    k = convert(&csr.m, PRIM_SPARSE_ELL, CUDA_R_32I, PRIM_SPARSE_WIDTH_AUTO);
    cr_assert(k.m.ell_width == 3 && k.m.ell_ld == 4);
    cr_assert_eq(k.bytes, (size_t)((char *)k.m.ell_values - k.memory) + 12 * sizeof(float));
    expect_integers(k.m.ell_columns, (int32_t[]){0, -1, 1, 0, 2, -1, 2, 3, -1, -1, 3, -1}, 12,
                    "ell_columns");
    expect_values(k.m.ell_values, (float[]){3, 0, 2, 1, 1, 0, 4, 1, 0, 0, 1, 0}, 12);
    forget(&k);

    /* Two thirds of the rows fill two columns, a quarter fills three. */
    k = convert(&csr.m, PRIM_SPARSE_HYB, CUDA_R_32I, PRIM_SPARSE_WIDTH_AUTO);
    cr_assert(k.m.ell_width == 2 && k.m.ell_ld == 4 && k.m.entries == 1);
    expect_integers(k.m.ell_columns, (int32_t[]){0, -1, 1, 0, 2, -1, 2, 3}, 8, "ell_columns");
    expect_integers(k.m.row_indices, (int32_t[]){2}, 1, "row_indices");
    expect_integers(k.m.column_indices, (int32_t[]){3}, 1, "column_indices");
    expect_values(k.m.values, (float[]){1}, 1);
    forget(&k);

    k = convert(&csr.m, PRIM_SPARSE_JDS, CUDA_R_32I, 0);
    static const prim_jds_group groups[] = {{0, 1, 3, 0}, {1, 2, 2, 3}, {3, 1, 0, 7}};
    cr_assert_eq(k.m.group_count, 3);
    cr_assert_arr_eq(k.m.h_groups, groups, sizeof groups);
    expect_integers(k.m.permutation, (int32_t[]){2, 0, 3, 1}, 4, "permutation");
    expect_integers(k.m.column_indices, (int32_t[]){1, 2, 3, 0, 0, 2, 3}, 7, "column_indices");
    expect_values(k.m.values, (float[]){2, 4, 1, 3, 1, 1, 1}, 7);
    forget(&k);

    /* Three rows at a time are sorted: the last one stays where it is. */
    k = convert(&csr.m, PRIM_SPARSE_SELL, CUDA_R_32I, 3);
    cr_assert_eq(k.m.entries, 96);
    expect_integers(k.m.slice_offsets, (int32_t[]){0, 96}, 2, "slice_offsets");
    expect_integers(k.m.permutation, (int32_t[]){2, 0, 1, 3}, 4, "permutation");
    expect_integers(k.m.column_indices, (int32_t[]){1, 0, -1, 0, -1}, 5, "column_indices");
    expect_integers(k.m.column_indices + 32, (int32_t[]){2, 2, -1, 3, -1}, 5, "column_indices");
    expect_integers(k.m.column_indices + 64, (int32_t[]){3, -1, -1, -1, -1}, 5, "column_indices");
    expect_values(k.m.values, (float[]){2, 3, 0, 1, 0}, 5);
    expect_values((const float *)k.m.values + 64, (float[]){1, 0, 0, 0, 0}, 5);
    forget(&k);
    forget(&csr);
}

/* 1 where it pads by a quarter at most, else 1024. */
Test(sparse_formats, sell_chooses_its_order)
{
    static const struct {
        size_t longest, stored;
        bool sorted;
    } cases[] = {{4, 40 * 32, false}, {5, 40 * 32 + 32, false}, {15, 40 * 32 + 11 * 32, true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        kept csr = new_csr(320, 1, 2000, CUDA_R_32F, CUDA_R_32I);
        csr.m.entries = 0;
        for (size_t row = 0; row < 320; row++)
            set_offset(&csr.m, row + 1, csr.m.entries += row == 100 ? cases[i].longest : 4);
        kept sell = convert(&csr.m, PRIM_SPARSE_SELL, CUDA_R_32I, PRIM_SPARSE_WIDTH_AUTO),
             plain = convert(&csr.m, PRIM_SPARSE_SELL, CUDA_R_32I, 1);
        cr_assert_eq(sell.m.permutation != NULL, cases[i].sorted, "case %zu", i);
        cr_assert_eq(plain.m.permutation, NULL);
        cr_assert_eq(sell.m.entries, cases[i].stored, "case %zu: %zu", i, sell.m.entries);
        cr_assert_eq(plain.m.entries, cases[i].stored);
        forget(&plain);
        forget(&sell);
        forget(&csr);
    }
}

/* The largest width that at least a third of the rows fill. */
Test(sparse_formats, hyb_chooses_its_width)
{
    static const struct {
        size_t lengths[6], rows, width;
    } rows[] = {{{0}, 0, 0},          {{0, 0, 0}, 3, 0},    {{5, 0, 0}, 3, 5},
                {{5, 0, 0, 0}, 4, 0}, {{5, 1, 0, 0}, 4, 1}, {{9, 4, 4, 1, 1, 0}, 6, 4}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        kept csr = new_csr(rows[i].rows, 1, 50, CUDA_R_32F, CUDA_R_32I);
        csr.m.entries = 0;
        for (size_t row = 0; row < rows[i].rows; row++)
            set_offset(&csr.m, row + 1, csr.m.entries += rows[i].lengths[row]);
        kept hyb = convert(&csr.m, PRIM_SPARSE_HYB, CUDA_R_32I, PRIM_SPARSE_WIDTH_AUTO);
        cr_assert_eq(hyb.m.ell_width, rows[i].width, "case %zu: %zu", i, hyb.m.ell_width);
        forget(&hyb);
        forget(&csr);
    }
}

Test(sparse_formats, conversions_refuse_what_they_cannot_do)
{
    const prim_sparse_format csr = PRIM_SPARSE_CSR, coo = PRIM_SPARSE_COO, ell = PRIM_SPARSE_ELL,
                             hyb = PRIM_SPARSE_HYB;
    const cudaDataType_t i32 = CUDA_R_32I;
    kept k = classic(CUDA_R_32F, i32);
    _Alignas(16) unsigned char memory[512];
    size_t bytes;
    prim_sparse to = {.rows = 77};
    cr_prim(prim_sparse_convert_bytes_host(k.m, coo, i32, 0, &bytes));
    memset(memory, GUARD_PATTERN, sizeof memory);
    cr_refused(prim_sparse_convert_host(k.m, coo, i32, 0, memory, bytes - 1, &to),
               PRIM_ERROR_WORKSPACE, "bytes");
    cr_refused(prim_sparse_convert_host(k.m, coo, i32, 0, NULL, 0, &to), PRIM_ERROR_WORKSPACE,
               "bytes");
    cr_refused(prim_sparse_convert_host(k.m, coo, i32, 0, NULL, bytes, &to), PRIM_ERROR_NULL,
               "h_memory");
    cr_refused(prim_sparse_convert_host(k.m, coo, i32, 0, memory, bytes, NULL), PRIM_ERROR_NULL,
               "to");
    cr_refused(prim_sparse_convert_host(k.m, coo, i32, 0, memory + 8, bytes, &to),
               PRIM_ERROR_MISALIGNED, "h_memory");
    /* A length that is negative by mistake would wrap, and seem to overlap nothing. */
    cr_refused(prim_sparse_convert_host(k.m, coo, i32, 0, memory, SIZE_MAX, &to), PRIM_ERROR_SIZE,
               "h_memory");
    cr_refused(prim_sparse_convert_host(k.m, coo, i32, 0, memory,
                                        UINTPTR_MAX - (uintptr_t)memory + 1, &to),
               PRIM_ERROR_SIZE, "h_memory");
    cr_refused(prim_sparse_convert_host(k.m, ell, i32, 2, memory, sizeof memory, &to),
               PRIM_ERROR_VALUE, "ell_width is 2");
    cr_refused(prim_sparse_convert_host(k.m, ell, i32, -2, memory, sizeof memory, &to),
               PRIM_ERROR_VALUE, "ell_width is -2");
    cr_refused(prim_sparse_convert_host(k.m, hyb, i32, -2, memory, sizeof memory, &to),
               PRIM_ERROR_VALUE, "ell_width is -2");
    cr_refused(prim_sparse_convert_bytes_host(k.m, hyb, i32, INT64_MIN, &bytes), PRIM_ERROR_VALUE,
               "ell_width");
    for (int64_t width = -2; width <= 0; width += 2)
        cr_refused(prim_sparse_convert_bytes_host(k.m, PRIM_SPARSE_SELL, i32, width, &bytes),
                   PRIM_ERROR_VALUE, width == 0 ? "width is 0" : "width is -2");
    cr_prim(prim_sparse_convert_bytes_host(k.m, PRIM_SPARSE_SELL, i32, INT64_MAX, &bytes));
    cr_refused(prim_sparse_convert_bytes_host(k.m, PRIM_SPARSE_SELL, CUDA_R_32F, 1, &bytes),
               PRIM_ERROR_TYPE, "offset_type is f32");
    cr_refused(prim_sparse_convert_bytes_host(k.m, ell, i32, INT64_MAX, &bytes), PRIM_ERROR_SIZE,
               "size_t");
    cr_refused(prim_sparse_convert_bytes_host(k.m, ell, i32, INT64_MAX / 8, &bytes),
               PRIM_ERROR_SIZE, "size_t");
    cr_refused(prim_sparse_convert_bytes_host(k.m, coo, i32, 0, NULL), PRIM_ERROR_NULL, "bytes");
    cr_refused(prim_sparse_convert_bytes_host(k.m, (prim_sparse_format)6, i32, 0, &bytes),
               PRIM_ERROR_ENUM, "format");
    cr_refused(prim_sparse_convert_bytes_host(k.m, csr, CUDA_R_32F, 0, &bytes), PRIM_ERROR_TYPE,
               "offset_type is f32");
    for (size_t i = 0; i < sizeof memory; i++)
        cr_assert_eq(memory[i], GUARD_PATTERN, "a refused conversion wrote");
    cr_assert_eq(to.rows, 77, "a refused conversion wrote");
    prim_sparse middle;
    cr_prim(prim_sparse_convert_host(k.m, coo, i32, 0, memory, bytes, &middle));
    cr_refused(prim_sparse_convert_bytes_host(middle, ell, i32, 0, &bytes), PRIM_ERROR_UNSUPPORTED,
               "CSR");
    cr_refused(prim_sparse_convert_bytes_host(middle, coo, i32, 0, &bytes), PRIM_ERROR_UNSUPPORTED,
               "CSR");
    ((int32_t *)middle.row_indices)[3] = 0;
    cr_refused(prim_sparse_convert_bytes_host(middle, csr, i32, 0, &bytes), PRIM_ERROR_VALUE,
               "row_indices[3] is 0");
    forget(&k);
}

Test(sparse_formats, a_conversion_without_bytes_needs_no_memory)
{
    const prim_sparse empty = {.format = PRIM_SPARSE_CSR,
                               .value_type = CUDA_R_64F,
                               .offset_type = CUDA_R_64I,
                               .row_offsets = (int64_t[]){0}};
    prim_sparse to;
    size_t bytes;
    cr_prim(prim_sparse_convert_bytes_host(empty, PRIM_SPARSE_COO, CUDA_R_32I, 0, &bytes));
    cr_assert_eq(bytes, 0);
    cr_prim(prim_sparse_convert_host(empty, PRIM_SPARSE_COO, CUDA_R_32I, 0, NULL, 0, &to));
    cr_prim(prim_sparse_check_host(to));
}

Test(sparse_formats, moved_arrays_keep_their_places)
{
    kept csr = classic(CUDA_R_64F, CUDA_R_32I);
    char *const far = (char *)0x1000000;
    for (size_t f = 0; f < FORMS; f++) {
        kept k = in_form(&csr.m, &forms[f]);
        const prim_sparse m = prim_sparse_moved(k.m, k.memory, far);
        const void *const old[] = {k.m.row_offsets, k.m.row_indices,  k.m.column_indices,
                                   k.m.values,      k.m.ell_columns,  k.m.ell_values,
                                   k.m.permutation, k.m.slice_offsets};
        const void *const new[] = {m.row_offsets, m.row_indices, m.column_indices, m.values,
                                   m.ell_columns, m.ell_values,  m.permutation,    m.slice_offsets};
        for (size_t i = 0; i < COUNT_OF(old); i++)
            cr_assert_eq(new[i], old[i] == NULL ? NULL : far + ((const char *)old[i] - k.memory),
                         "%zu", i);
        cr_assert_eq(m.h_groups, k.m.h_groups);
        cr_assert(m.rows == 4 && m.entries == k.m.entries && m.group_count == k.m.group_count);
        forget(&k);
    }
    forget(&csr);
}

/* ---- checks ---- */

typedef enum which {
    ROW_OFFSETS,
    ROW_INDICES,
    COLUMN_INDICES,
    ELL_COLUMNS,
    PERMUTATION,
    SLICE_OFFSETS
} which;

/* A number of the classic example that is replaced by a wrong one. */
typedef struct wrong_number {
    prim_sparse_format format;
    which array;
    size_t i;
    int32_t value;
    const char *sentence;
} wrong_number;

static const wrong_number wrong_numbers[] = {
    {PRIM_SPARSE_CSR, ROW_OFFSETS, 0, 1, "row_offsets[0] is 1"},
    {PRIM_SPARSE_CSR, ROW_OFFSETS, 0, -1, "row_offsets[0] is -1"},
    {PRIM_SPARSE_CSR, ROW_OFFSETS, 1, -1, "row_offsets[1] is -1"},
    {PRIM_SPARSE_CSR, ROW_OFFSETS, 2, 1, "row_offsets[2] is 1"},
    {PRIM_SPARSE_CSR, ROW_OFFSETS, 3, 8, "row_offsets[3] is 8"},
    {PRIM_SPARSE_CSR, ROW_OFFSETS, 4, 6, "row_offsets[4] is 6"},
    {PRIM_SPARSE_CSR, ROW_OFFSETS, 4, 8, "row_offsets[4] is 8"},
    {PRIM_SPARSE_CSR, COLUMN_INDICES, 5, 4, "column_indices[5] is 4"},
    {PRIM_SPARSE_CSR, COLUMN_INDICES, 0, -1, "column_indices[0] is -1"},
    {PRIM_SPARSE_CSR, COLUMN_INDICES, 6, INT32_MIN, "column_indices[6] is -2147483648"},
    {PRIM_SPARSE_COO, ROW_INDICES, 0, -1, "row_indices[0] is -1"},
    {PRIM_SPARSE_COO, ROW_INDICES, 3, 0, "row_indices[3] is 0"},
    {PRIM_SPARSE_COO, ROW_INDICES, 6, 4, "row_indices[6] is 4"},
    {PRIM_SPARSE_COO, COLUMN_INDICES, 1, 4, "column_indices[1] is 4"},
    {PRIM_SPARSE_ELL, ELL_COLUMNS, 0, 4, "ell_columns[0] is 4"},
    {PRIM_SPARSE_ELL, ELL_COLUMNS, 2, -2, "ell_columns[2] is -2"},
    {PRIM_SPARSE_ELL, ELL_COLUMNS, 5, 0, "ell_columns[5] is 0"},
    {PRIM_SPARSE_ELL, ELL_COLUMNS, 2, -1, "ell_columns[6] is 2"},
    {PRIM_SPARSE_HYB, ELL_COLUMNS, 3, 9, "ell_columns[3] is 9"},
    {PRIM_SPARSE_HYB, ROW_INDICES, 1, 4, "row_indices[1] is 4"},
    {PRIM_SPARSE_HYB, COLUMN_INDICES, 3, -1, "column_indices[3] is -1"},
    {PRIM_SPARSE_JDS, PERMUTATION, 0, 4, "permutation[0] is 4"},
    {PRIM_SPARSE_JDS, PERMUTATION, 3, -1, "permutation[3] is -1"},
    {PRIM_SPARSE_JDS, PERMUTATION, 1, 2, "permutation[1] is 2"},
    {PRIM_SPARSE_JDS, COLUMN_INDICES, 6, 4, "column_indices[6] is 4"},
    {PRIM_SPARSE_SELL, SLICE_OFFSETS, 0, 1, "slice_offsets[0] is 1"},
    {PRIM_SPARSE_SELL, SLICE_OFFSETS, 1, 64, "slice_offsets[1] is 64"},
    {PRIM_SPARSE_SELL, SLICE_OFFSETS, 1, 95, "slice_offsets[1] is 95"},
    {PRIM_SPARSE_SELL, SLICE_OFFSETS, 1, 97, "slice_offsets[1] is 97"},
    {PRIM_SPARSE_SELL, SLICE_OFFSETS, 1, -1, "slice_offsets[1] is -1"},
    {PRIM_SPARSE_SELL, PERMUTATION, 0, 4, "permutation[0] is 4"},
    {PRIM_SPARSE_SELL, PERMUTATION, 1, 2, "permutation[1] is 2"},
    {PRIM_SPARSE_SELL, COLUMN_INDICES, 0, 4, "column_indices[0] is 4"},
    {PRIM_SPARSE_SELL, COLUMN_INDICES, 33, -2, "column_indices[33] is -2"},
    {PRIM_SPARSE_SELL, COLUMN_INDICES, 66, 0, "column_indices[66] is 0, but only padding"},
    {PRIM_SPARSE_SELL, COLUMN_INDICES, 4, 0, "column_indices[4] is 0, but there must be padding"},
    {PRIM_SPARSE_SELL, COLUMN_INDICES, 95, 0, "column_indices[95] is 0, but only padding"},
};

/* And named by each call that looks for them as its own. */
Test(sparse_formats, wrong_numbers_are_found)
{
    for (size_t w = 0; w < COUNT_OF(wrong_numbers); w++) {
        const wrong_number *wrong = &wrong_numbers[w];
        kept k = classic_as(wrong->format);
        const void *const arrays[] = {k.m.row_offsets, k.m.row_indices, k.m.column_indices,
                                      k.m.ell_columns, k.m.permutation, k.m.slice_offsets};
        ((int32_t *)arrays[wrong->array])[wrong->i] = wrong->value;
        prim_sparse to;
        size_t bytes;
        cr_refused(prim_sparse_check_host(k.m), PRIM_ERROR_VALUE, wrong->sentence);
        cr_refused(prim_sparse_convert_bytes_host(k.m, PRIM_SPARSE_CSR, CUDA_R_32I, 0, &bytes),
                   PRIM_ERROR_VALUE, wrong->sentence);
        cr_refused(prim_sparse_convert_host(k.m, PRIM_SPARSE_CSR, CUDA_R_32I, 0, NULL, 0, &to),
                   PRIM_ERROR_VALUE, wrong->sentence);
        forget(&k);
    }
}

/* Each check of a field: the classic example with that field spoilt. */
#define CHECK_FIELD(the_format, change, status, word)         \
    do {                                                      \
        kept k = classic_as(the_format);                      \
        prim_sparse *const m = &k.m;                          \
        change;                                               \
        cr_refused(prim_sparse_check_host(*m), status, word); \
        forget(&k);                                           \
    } while (0)

static const void *later(const void *data, size_t bytes)
{
    return (const char *)data + bytes;
}

Test(sparse_formats, wrong_fields_are_found)
{
    const prim_sparse_format csr = PRIM_SPARSE_CSR, coo = PRIM_SPARSE_COO, ell = PRIM_SPARSE_ELL,
                             hyb = PRIM_SPARSE_HYB, jds = PRIM_SPARSE_JDS, sell = PRIM_SPARSE_SELL;
    CHECK_FIELD(sell, m->offset_type = CUDA_R_32U, PRIM_ERROR_TYPE, "offset_type is u32");
    CHECK_FIELD(sell, m->slice_offsets = NULL, PRIM_ERROR_NULL, "h_slice_offsets");
    CHECK_FIELD(sell, m->slice_offsets = later(m->slice_offsets, 1), PRIM_ERROR_MISALIGNED,
                "h_slice_off");
    CHECK_FIELD(sell, m->permutation = later(m->permutation, 2), PRIM_ERROR_MISALIGNED, "h_perm");
    CHECK_FIELD(sell, m->values = NULL, PRIM_ERROR_NULL, "h_values");
    CHECK_FIELD(sell, m->entries = 64, PRIM_ERROR_VALUE, "slice_offsets[1] is 96");
    CHECK_FIELD(sell, m->rows = 3, PRIM_ERROR_VALUE,
                "column_indices[3] is 0, but there must be padding");
    CHECK_FIELD(sell, m->columns = 3, PRIM_ERROR_VALUE, "column_indices[64] is 3");
    CHECK_FIELD(csr, m->format = (prim_sparse_format)6, PRIM_ERROR_ENUM, "format");
    CHECK_FIELD(csr, m->format = (prim_sparse_format)-1, PRIM_ERROR_ENUM, "format");
    CHECK_FIELD(csr, m->value_type = CUDA_R_32I, PRIM_ERROR_TYPE, "value_type is i32");
    CHECK_FIELD(ell, m->value_type = (cudaDataType_t)9999, PRIM_ERROR_TYPE, "value_type");
    CHECK_FIELD(csr, m->offset_type = CUDA_R_32U, PRIM_ERROR_TYPE, "offset_type is u32");
    CHECK_FIELD(csr, m->rows = (size_t)1 << 31, PRIM_ERROR_VALUE, "2^31");
    CHECK_FIELD(coo, m->columns = (size_t)1 << 31, PRIM_ERROR_VALUE, "2^31");
    CHECK_FIELD(csr, m->row_offsets = NULL, PRIM_ERROR_NULL, "h_row_offsets");
    CHECK_FIELD(csr, m->column_indices = NULL, PRIM_ERROR_NULL, "h_column_indices");
    CHECK_FIELD(csr, m->values = NULL, PRIM_ERROR_NULL, "h_values");
    CHECK_FIELD(coo, m->row_indices = NULL, PRIM_ERROR_NULL, "h_row_indices");
    CHECK_FIELD(ell, m->ell_columns = NULL, PRIM_ERROR_NULL, "h_ell_columns");
    CHECK_FIELD(ell, m->ell_values = NULL, PRIM_ERROR_NULL, "h_ell_values");
    CHECK_FIELD(hyb, m->ell_values = NULL, PRIM_ERROR_NULL, "h_ell_values");
    CHECK_FIELD(hyb, m->row_indices = NULL, PRIM_ERROR_NULL, "h_row_indices");
    CHECK_FIELD(hyb, m->values = NULL, PRIM_ERROR_NULL, "h_values");
    CHECK_FIELD(jds, m->permutation = NULL, PRIM_ERROR_NULL, "h_permutation");
    CHECK_FIELD(jds, m->h_groups = NULL, PRIM_ERROR_NULL, "h_groups");
    CHECK_FIELD(jds, m->values = NULL, PRIM_ERROR_NULL, "h_values");
    CHECK_FIELD(csr, m->values = later(m->values, 2), PRIM_ERROR_MISALIGNED, "h_values");
    CHECK_FIELD(csr, m->row_offsets = later(m->row_offsets, 1), PRIM_ERROR_MISALIGNED, "h_row_off");
    CHECK_FIELD(jds, m->permutation = later(m->permutation, 2), PRIM_ERROR_MISALIGNED, "h_perm");
    CHECK_FIELD(jds, m->h_groups = later(m->h_groups, 4), PRIM_ERROR_MISALIGNED, "h_groups");
    CHECK_FIELD(csr, m->entries = SIZE_MAX / 2, PRIM_ERROR_SIZE, "values");
    CHECK_FIELD(ell, m->ell_width = SIZE_MAX / 4, PRIM_ERROR_SIZE, "ell_values");
    CHECK_FIELD(ell, m->ell_ld = 3, PRIM_ERROR_VALUE, "ell_ld is 3");
    CHECK_FIELD(hyb, m->ell_ld = 0, PRIM_ERROR_VALUE, "ell_ld is 0");
    CHECK_FIELD(csr, m->entries = 6, PRIM_ERROR_VALUE, "row_offsets[4] is 7");
    CHECK_FIELD(csr, m->columns = 3, PRIM_ERROR_VALUE, "column_indices[4] is 3");
    CHECK_FIELD(coo, m->rows = 3, PRIM_ERROR_VALUE, "row_indices[5] is 3");
    CHECK_FIELD(jds, m->group_count = 2, PRIM_ERROR_VALUE, "h_groups cover only 3 of the 4 rows");
    CHECK_FIELD(jds, ((prim_jds_group *)m->h_groups)[1].first_row = 2, PRIM_ERROR_VALUE,
                "h_groups[1]");
    CHECK_FIELD(jds, ((prim_jds_group *)m->h_groups)[1].rows = 4, PRIM_ERROR_VALUE, "h_groups[1]");
    CHECK_FIELD(jds, ((prim_jds_group *)m->h_groups)[1].first_entry = 4, PRIM_ERROR_VALUE,
                "h_groups[1]");
    CHECK_FIELD(jds, ((prim_jds_group *)m->h_groups)[0].width = 8, PRIM_ERROR_VALUE, "h_groups[0]");
    CHECK_FIELD(jds, ((prim_jds_group *)m->h_groups)[2].first_entry = 8, PRIM_ERROR_VALUE,
                "h_groups[2]");
    CHECK_FIELD(jds, ((prim_jds_group *)m->h_groups)[0].width = SIZE_MAX, PRIM_ERROR_VALUE,
                "h_groups[0]");
    CHECK_FIELD(jds, ((prim_jds_group *)m->h_groups)[1].width = SIZE_MAX / 2 + 1, PRIM_ERROR_VALUE,
                "h_groups[1]"); /* two rows: the product wraps to 0 */
}

/* Offsets of a matrix widened over the matrix itself; a y over the groups. */
Test(sparse_formats, what_is_read_is_not_written_over)
{
    int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
    float values[] = {1, 2}, x[] = {1, 1};
    const prim_sparse csr = {.format = PRIM_SPARSE_CSR,
                             .rows = 2,
                             .columns = 2,
                             .entries = 2,
                             .value_type = CUDA_R_32F,
                             .offset_type = CUDA_R_32I,
                             .row_offsets = offsets,
                             .column_indices = columns,
                             .values = values};
    _Alignas(16) char memory[512];
    prim_sparse jds, wide;
    cr_prim(
        prim_sparse_convert_host(csr, PRIM_SPARSE_JDS, CUDA_R_32I, 0, memory, sizeof memory, &jds));
    cr_assert_eq(
        prim_sparse_convert_host(jds, PRIM_SPARSE_CSR, CUDA_R_64I, 0, memory, sizeof memory, &wide),
        PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_spmv_host(1, jds, prim_vector_of(CUDA_R_32F, x, jds.columns), 0,
                                prim_vector_of(CUDA_R_32F, (float *)jds.h_groups, jds.rows), 1),
                 PRIM_ERROR_OVERLAP);
}
