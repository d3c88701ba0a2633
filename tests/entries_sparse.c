/* spmv among the entry points: an entry for each format, with the variants that take it; the
 * check, of a format without a workspace and of one with; and conversions, in which d_out is the
 * target's memory and, at its end, what is missing; dense matrices to CSR and back; CSR transposed;
 * and a plan for CSR, and the product by it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "entry_points.h"

/* d_in is x, and after it the matrix's arrays. Rows of 0, 1, 4, 9 and 33 entries: several blocks
 * of rows, several of entries, several groups. */
enum {
    ROWS = 300,
    COLUMNS = 320,
    ENTRIES = ROWS / 5 * (0 + 1 + 4 + 9 + 33),
    X_BYTES = COLUMNS * 4,
    ARRAYS_BYTES = 3 << 15,
    IN_BYTES = X_BYTES + ARRAYS_BYTES,
    HYB_WIDTH = 3
};

static const cudaDataType_t f32 = CUDA_R_32F;

/* ---- the matrix, the same in six formats ---- */

static int32_t offsets[ROWS + 1], columns[ENTRIES];
static float values[ENTRIES];

static prim_sparse make_csr(void)
{
    static const int32_t lengths[] = {0, 1, 4, 9, 33};
    for (int32_t row = 0; row < ROWS; row++) {
        offsets[row + 1] = offsets[row] + lengths[row * 3 % 5];
        for (int32_t e = offsets[row]; e < offsets[row + 1]; e++) {
            columns[e] = (int32_t)((uint32_t)e * 2654435761u >> 9) % COLUMNS;
            values[e] = (float)((uint32_t)e * 2246822519u >> 13 & 0x1f) - 12.0f;
        }
    }
    return (prim_sparse){.format = PRIM_SPARSE_CSR,
                         .rows = ROWS,
                         .columns = COLUMNS,
                         .entries = ENTRIES,
                         .value_type = CUDA_R_32F,
                         .offset_type = CUDA_R_32I,
                         .row_offsets = offsets,
                         .column_indices = columns,
                         .values = values};
}

typedef struct form {
    prim_sparse m;
    _Alignas(16) char arrays[ARRAYS_BYTES];
} form;

/* Made by the first call, which is the main thread's. */
static const form *form_of(prim_sparse_format format)
{
    static form forms[PRIM_SPARSE_SELL + 1];
    form *f = &forms[format];
    if (f->m.rows > 0)
        return f;
    const int64_t width = format == PRIM_SPARSE_HYB ? HYB_WIDTH : PRIM_SPARSE_WIDTH_AUTO;
    if (prim_sparse_convert_host(make_csr(), format, CUDA_R_32I, width, f->arrays, ARRAYS_BYTES,
                                 &f->m) != PRIM_OK) {
        fprintf(stderr, "%s\n", prim_last_error(NULL));
        abort();
    }
    return f;
}

/* The matrix with its arrays from there on, or with none where that is NULL. Without elements it
 * has no rows either; CSR and SELL still have one offset, which nobody reads. */
static prim_sparse matrix_at(const operands *o, prim_sparse_format format, const void *d_arrays)
{
    const form *f = form_of(format);
    if (o->count == 0)
        return (prim_sparse){.format = format,
                             .value_type = CUDA_R_32F,
                             .offset_type = CUDA_R_32I,
                             .row_offsets = o->d_out,
                             .slice_offsets = o->d_out};
    prim_sparse m = prim_sparse_moved(f->m, f->arrays, d_arrays);
    if (d_arrays == NULL) {
        m.row_offsets = m.slice_offsets = m.values = m.ell_values = NULL;
        m.row_indices = m.column_indices = m.ell_columns = m.permutation = NULL;
    }
    return m;
}

/* After x. */
static prim_sparse matrix_of(const operands *o, prim_sparse_format format)
{
    return matrix_at(o, format, o->count > 0 ? part_of(o->d_in, X_BYTES) : NULL);
}

static void input_of(prim_sparse_format format, void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < COLUMNS; i++)
        ((float *)h_in)[i] = (float)((i * 2654435761u + seed * 97u) >> 8 & 0x3f) - 25.0f;
    memcpy((char *)h_in + X_BYTES, form_of(format)->arrays, ARRAYS_BYTES);
}

static void answer(const void *h_in, size_t count, void *h_out)
{
    const float *x = h_in;
    for (size_t row = 0; count > 0 && row < ROWS; row++) {
        double sum = 0;
        for (int32_t e = offsets[row]; e < offsets[row + 1]; e++)
            sum += (double)values[e] * x[columns[e]];
        ((float *)h_out)[row] = (float)sum;
    }
}

/* ---- calls ---- */

typedef struct arguments {
    call_head c;
    prim_sparse m;
    cudaDataType_t x_type, y_type;
    char *x, *y;
    size_t x_count, y_count;
} arguments;

/* Those of a product with a matrix. */
static arguments product_of(const operands *o, call_head c, prim_sparse m)
{
    return (arguments){c, m, f32, f32, o->d_in, o->d_out, m.columns, m.rows};
}

static prim_vector x_of(const arguments *a)
{
    return prim_vector_of(a->x_type, a->x, a->x_count);
}

static prim_vector y_of(const arguments *a)
{
    return prim_vector_of(a->y_type, a->y, a->y_count);
}

static void spoil_all(const operands *o, arguments *a)
{
    spoil(o, "d_x", &a->x);
    spoil(o, "d_y", &a->y);
    FAULT("unknown", PRIM_ERROR_ENUM, "format", a->m.format = 6);
    FAULT("i32", PRIM_ERROR_TYPE, "value_type", a->m.value_type = CUDA_R_32I);
    FAULT("f64", PRIM_ERROR_TYPE, "x_type", a->x_type = CUDA_R_64F);
    FAULT("unknown", PRIM_ERROR_TYPE, "x_type", a->x_type = 9999);
    FAULT("f64", PRIM_ERROR_TYPE, "y_type", a->y_type = CUDA_R_64F);
    FAULT("rows", PRIM_ERROR_VALUE, "2^31", a->m.rows = (size_t)1 << 31);
    FAULT("columns", PRIM_ERROR_VALUE, "2^31", a->m.columns = (size_t)1 << 31);
    FAULT("one more", PRIM_ERROR_VALUE, "x.count", a->x_count++);
    FAULT("one more", PRIM_ERROR_VALUE, "y.count", a->y_count++);
    FAULT("in d_x", PRIM_ERROR_OVERLAP, "d_y", a->y = a->x + 8);
    FAULT("at d_x's end", PRIM_ERROR_OVERLAP, "d_y", a->y = a->x + X_BYTES - 4);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_y", a->y = a->x + X_BYTES);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_workspace",
          (a->c.workspace = a->x + X_BYTES, a->c.bytes = 1 << 14));
    FAULT("a variant of another", PRIM_ERROR_UNSUPPORTED, "format",
          a->c.variant = a->m.format == PRIM_SPARSE_CSR ? PRIM_SPMV_ELL : PRIM_SPMV_CSR_SCALAR);
}

/* Of all formats but ELL. */
static void spoil_entries(const operands *o, arguments *a)
{
    FAULT("beyond size_t", PRIM_ERROR_SIZE, "values", a->m.entries = SIZE_MAX / 2);
    FAULT("NULL", PRIM_ERROR_NULL, "d_column_indices", a->m.column_indices = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "d_values", a->m.values = NULL);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_values",
          a->m.values = (const char *)a->m.values + 2);
}

static void spoil_csr(const operands *o, arguments *a)
{
    spoil_entries(o, a);
    FAULT("f32", PRIM_ERROR_TYPE, "offset_type", a->m.offset_type = CUDA_R_32F);
    FAULT("NULL", PRIM_ERROR_NULL, "d_row_offsets", a->m.row_offsets = NULL);
}

static void spoil_coo(const operands *o, arguments *a)
{
    spoil_entries(o, a);
    FAULT("NULL", PRIM_ERROR_NULL, "d_row_indices", a->m.row_indices = NULL);
}

static void spoil_ell(const operands *o, arguments *a)
{
    FAULT("less than rows", PRIM_ERROR_VALUE, "ell_ld", a->m.ell_ld = ROWS - 1);
    FAULT("beyond size_t", PRIM_ERROR_SIZE, "ell_values", a->m.ell_width = SIZE_MAX / 8);
    FAULT("NULL", PRIM_ERROR_NULL, "d_ell_columns", a->m.ell_columns = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "d_ell_values", a->m.ell_values = NULL);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_ell_values",
          a->m.ell_values = (const char *)a->m.ell_values + 1);
}

static void spoil_hyb(const operands *o, arguments *a)
{
    spoil_coo(o, a);
    spoil_ell(o, a);
}

static void spoil_jds(const operands *o, arguments *a)
{
    spoil_entries(o, a);
    FAULT("NULL", PRIM_ERROR_NULL, "d_permutation", a->m.permutation = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "h_groups", a->m.h_groups = NULL);
    FAULT("do not cover", PRIM_ERROR_VALUE, "h_groups", a->m.group_count--);
    FAULT("beyond the entries", PRIM_ERROR_VALUE, "h_groups", a->m.entries--);
}

static void spoil_sell(const operands *o, arguments *a)
{
    spoil_entries(o, a);
    FAULT("f32", PRIM_ERROR_TYPE, "offset_type", a->m.offset_type = CUDA_R_32F);
    FAULT("NULL", PRIM_ERROR_NULL, "d_slice_offsets", a->m.slice_offsets = NULL);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_permutation",
          a->m.permutation = (const int32_t *)(a->x + X_BYTES + 2));
}

static prim_status call(const operands *o, prim_sparse_format format,
                        void (*spoil_format)(const operands *o, arguments *a))
{
    arguments a = product_of(o, spoilt_head(o), matrix_of(o, format));
    spoil_all(o, &a);
    spoil_format(o, &a);
    return prim_spmv((prim_spmv_variant)a.c.variant, 1, a.m, x_of(&a), 0, y_of(&a),
                     call_of(o, &a.c));
}

/* ---- the entries ---- */

#define ENTRY(f, the_format)                                                  \
    static void f##_input(void *h_in, unsigned seed)                          \
    {                                                                         \
        input_of(the_format, h_in, seed);                                     \
    }                                                                         \
    static prim_status f##_call(const operands *o)                            \
    {                                                                         \
        return call(o, the_format, spoil_##f);                                \
    }                                                                         \
    const entry_point spmv_##f##_entry = {.name = "prim_spmv",                \
                                          .variant_at = prim_spmv_variant_at, \
                                          .in_bytes = IN_BYTES,               \
                                          .out_bytes = ROWS * sizeof(float),  \
                                          .count = COLUMNS,                   \
                                          .make_input = f##_input,            \
                                          .right_answer = answer,             \
                                          .call = f##_call};

ENTRY(csr, PRIM_SPARSE_CSR)
ENTRY(coo, PRIM_SPARSE_COO)
ENTRY(ell, PRIM_SPARSE_ELL)
ENTRY(hyb, PRIM_SPARSE_HYB)
ENTRY(jds, PRIM_SPARSE_JDS)
ENTRY(sell, PRIM_SPARSE_SELL)

/* ---- CSR of more entries than one block has, nearly all in one row: tiles, and pieces ---- */

enum {
    TALL_ROWS = 200,
    LONG_ROW = 33001,
    TALL_ENTRIES = LONG_ROW + TALL_ROWS - 1 + 70 * 5, /* each sixth row has 70 more, five of them */
    TALL_IN_BYTES = (COLUMNS + TALL_ROWS + 1 + 2 * TALL_ENTRIES) * 4
};

/* After x: offsets, columns, values. */
static void tall_input(void *h_in, unsigned seed)
{
    float *const x = h_in;
    int32_t *const starts = (int32_t *)h_in + COLUMNS, *const of = starts + TALL_ROWS + 1;
    float *const with = (float *)(of + TALL_ENTRIES);
    for (unsigned i = 0; i < COLUMNS; i++)
        x[i] = (float)((i * 2654435761u + seed * 97u) >> 8 & 0x3f) - 25.0f;
    starts[0] = 0;
    for (int32_t row = 0; row < TALL_ROWS; row++)
        starts[row + 1] = starts[row] + (row == 77 ? LONG_ROW : row % 40 == 6 ? 71 : 1);
    for (uint32_t e = 0; e < TALL_ENTRIES; e++) {
        of[e] = (int32_t)((e * 2654435761u >> 9) % COLUMNS);
        with[e] = (float)(e * 2246822519u >> 13 & 0x7) - 3.0f;
    }
}

static void tall_answer(const void *h_in, size_t count, void *h_out)
{
    const float *const x = h_in;
    const int32_t *const starts = (const int32_t *)h_in + COLUMNS, *const of =
                                                                       starts + TALL_ROWS + 1;
    const float *const with = (const float *)(of + TALL_ENTRIES);
    for (size_t row = 0; count > 0 && row < TALL_ROWS; row++) {
        double sum = 0;
        for (int32_t e = starts[row]; e < starts[row + 1]; e++)
            sum += (double)with[e] * x[of[e]];
        ((float *)h_out)[row] = (float)sum;
    }
}

static prim_sparse tall_at(const operands *o)
{
    const bool empty = o->count == 0;
    const int32_t *const starts = o->d_in == NULL ? NULL : (const int32_t *)o->d_in + COLUMNS;
    return (prim_sparse){.format = PRIM_SPARSE_CSR,
                         .rows = empty ? 0 : TALL_ROWS,
                         .columns = empty ? 0 : COLUMNS,
                         .entries = empty ? 0 : TALL_ENTRIES,
                         .value_type = CUDA_R_32F,
                         .offset_type = CUDA_R_32I,
                         .row_offsets = empty ? o->d_out : starts,
                         .column_indices = starts == NULL ? NULL : starts + TALL_ROWS + 1,
                         .values = starts == NULL ? NULL : starts + TALL_ROWS + 1 + TALL_ENTRIES};
}

static prim_status tall_call(const operands *o)
{
    arguments a = product_of(o, spoilt_head(o), tall_at(o));
    spoil(o, "d_x", &a.x);
    spoil(o, "d_y", &a.y);
    return prim_spmv((prim_spmv_variant)a.c.variant, 1, a.m, x_of(&a), 0, y_of(&a),
                     call_of(o, &a.c));
}

const entry_point spmv_tall_entry = {.name = "prim_spmv",
                                     .variant_at = prim_spmv_variant_at,
                                     .in_bytes = TALL_IN_BYTES,
                                     .out_bytes = TALL_ROWS * sizeof(float),
                                     .count = COLUMNS,
                                     .make_input = tall_input,
                                     .right_answer = tall_answer,
                                     .call = tall_call};

/* ---- the check: d_in is the arrays; where the seed is even, a column is wrong ---- */

static const int32_t *columns_in(prim_sparse_format format, const void *h_in)
{
    const form *f = form_of(format);
    return (const int32_t *)((const char *)h_in + ((const char *)f->m.column_indices - f->arrays));
}

static void check_input(prim_sparse_format format, void *h_in, unsigned seed)
{
    memcpy(h_in, form_of(format)->arrays, ARRAYS_BYTES);
    if (seed % 2 == 0)
        ((int32_t *)columns_in(format, h_in))[ENTRIES / (seed + 1)] = COLUMNS;
}

static void check_answer(prim_sparse_format format, const void *h_in, size_t count, void *h_out)
{
    prim_sparse_finding *finding = h_out;
    *finding = (prim_sparse_finding){PRIM_SPARSE_SOUND, 0};
    for (size_t e = ENTRIES; count > 0 && e-- > 0;)
        if (columns_in(format, h_in)[e] >= COLUMNS)
            *finding = (prim_sparse_finding){PRIM_SPARSE_COLUMNS, e};
}

static prim_status check_call(const operands *o, prim_sparse_format format,
                              void (*spoil_format)(const operands *o, arguments *a))
{
    arguments a = {
        .c = spoilt_options(o), .m = matrix_at(o, format, o->d_in), .x = o->d_in, .y = o->d_out};
    spoil(o, "d_finding", &a.y);
    FAULT("unknown", PRIM_ERROR_ENUM, "format", a.m.format = 6);
    FAULT("i32", PRIM_ERROR_TYPE, "value_type", a.m.value_type = CUDA_R_32I);
    FAULT("rows", PRIM_ERROR_VALUE, "2^31", a.m.rows = (size_t)1 << 31);
    FAULT("columns", PRIM_ERROR_VALUE, "2^31", a.m.columns = (size_t)1 << 31);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_finding", a.y = (char *)a.m.values + 8);
    spoil_format(o, &a);
    return prim_sparse_check(a.m, (prim_sparse_finding *)a.y, call_of(o, &a.c));
}

#define CHECK_ENTRY(f, the_format)                                                          \
    static void check_##f##_input(void *h_in, unsigned seed)                                \
    {                                                                                       \
        check_input(the_format, h_in, seed);                                                \
    }                                                                                       \
    static void check_##f##_answer(const void *h_in, size_t count, void *h_out)             \
    {                                                                                       \
        check_answer(the_format, h_in, count, h_out);                                       \
    }                                                                                       \
    static prim_status check_##f##_call(const operands *o)                                  \
    {                                                                                       \
        return check_call(o, the_format, spoil_##f);                                        \
    }                                                                                       \
    const entry_point sparse_check_##f##_entry = {.name = "prim_sparse_check",              \
                                                  .variant_at = only_variant_at,            \
                                                  .in_bytes = ARRAYS_BYTES,                 \
                                                  .out_bytes = sizeof(prim_sparse_finding), \
                                                  .count = COLUMNS,                         \
                                                  .make_input = check_##f##_input,          \
                                                  .right_answer = check_##f##_answer,       \
                                                  .call = check_##f##_call};

CHECK_ENTRY(coo, PRIM_SPARSE_COO)
CHECK_ENTRY(jds, PRIM_SPARSE_JDS)

/* ---- conversions: d_in is the arrays of `from`, d_out memory for those of `to` ---- */

enum { SIGMA = 1024, MISSING_AT = ARRAYS_BYTES - 16, FILL = 0xA5 };

typedef struct conversion {
    prim_sparse_format from, to;
} conversion;

static const conversion csr_to_coo = {PRIM_SPARSE_CSR, PRIM_SPARSE_COO},
                        csr_to_sell = {PRIM_SPARSE_CSR, PRIM_SPARSE_SELL},
                        csr_to_hyb = {PRIM_SPARSE_CSR, PRIM_SPARSE_HYB},
                        csr_to_jds = {PRIM_SPARSE_CSR, PRIM_SPARSE_JDS},
                        ell_to_csr = {PRIM_SPARSE_ELL, PRIM_SPARSE_CSR},
                        hyb_to_csr = {PRIM_SPARSE_HYB, PRIM_SPARSE_CSR},
                        jds_to_csr = {PRIM_SPARSE_JDS, PRIM_SPARSE_CSR};

/* HYB's columns of ELL, or SELL's sigma. */
static int64_t width_to(prim_sparse_format format)
{
    return format == PRIM_SPARSE_HYB ? HYB_WIDTH : SIGMA;
}

/* Columns of other values for each seed. */
static void conversion_input(conversion c, void *h_in, unsigned seed)
{
    const form *f = form_of(c.from);
    const void *const h_values = c.from == PRIM_SPARSE_ELL ? f->m.ell_values : f->m.values;
    float *const first = (float *)((char *)h_in + ((const char *)h_values - f->arrays));
    const size_t count = c.from == PRIM_SPARSE_HYB ? f->m.entries : ENTRIES;
    memcpy(h_in, f->arrays, ARRAYS_BYTES);
    for (size_t i = 0; i < count; i++)
        first[i] += (float)seed;
}

/* Between arrays of the target, and after them, nothing is written. */
static void conversion_answer(conversion c, const void *h_in, size_t count, void *h_out)
{
    const form *f = form_of(c.from);
    _Alignas(16) static _Thread_local char memory[MISSING_AT];
    prim_sparse to, empty = {.format = c.from, .value_type = CUDA_R_32F, .offset_type = CUDA_R_32I};
    empty.row_offsets = (int32_t[]){0};
    memset(h_out, FILL, ARRAYS_BYTES);
    memset(memory, FILL, MISSING_AT);
    if (prim_sparse_convert_host(count > 0 ? prim_sparse_moved(f->m, f->arrays, h_in) : empty, c.to,
                                 CUDA_R_32I, width_to(c.to), memory, MISSING_AT, &to) != PRIM_OK) {
        fprintf(stderr, "%s\n", prim_last_error(NULL));
        abort();
    }
    memcpy(h_out, memory, MISSING_AT);
    memset((char *)h_out + MISSING_AT, 0, sizeof(uint64_t));
}

/* An empty CSR has one offset, which nobody reads. */
static prim_sparse source_of(const operands *o, conversion c)
{
    prim_sparse m = matrix_at(o, c.from, o->d_in);
    if (o->count == 0)
        m.row_offsets = part_of(o->d_out, MISSING_AT + 8);
    return m;
}

static void spoil_source(const operands *o, arguments *a)
{
    FAULT("i32", PRIM_ERROR_TYPE, "value_type", a->m.value_type = CUDA_R_32I);
    FAULT("rows", PRIM_ERROR_VALUE, "2^31", a->m.rows = (size_t)1 << 31);
    FAULT("columns", PRIM_ERROR_VALUE, "2^31", a->m.columns = (size_t)1 << 31);
    if (a->m.format == PRIM_SPARSE_ELL)
        spoil_ell(o, a);
    else if (a->m.format == PRIM_SPARSE_HYB)
        spoil_hyb(o, a);
    else if (a->m.format == PRIM_SPARSE_JDS)
        spoil_jds(o, a);
    else
        spoil_csr(o, a);
}

static void spoil_request(const operands *o, conversion *c, cudaDataType_t *offset_type,
                          int64_t *width, size_t *size)
{
    const bool has_offsets = c->to == PRIM_SPARSE_CSR || c->to == PRIM_SPARSE_SELL;
    if (has_offsets)
        FAULT("f32", PRIM_ERROR_TYPE, "offset_type", *offset_type = CUDA_R_32F);
    if (has_offsets && c->from != PRIM_SPARSE_JDS)
        FAULT("beyond i32", PRIM_ERROR_VALUE, "i32", *size = (size_t)1 << 31);
    if (c->to == PRIM_SPARSE_SELL)
        FAULT("not of slices", PRIM_ERROR_VALUE, "multiple", ++*size);
    if (c->to == PRIM_SPARSE_HYB)
        FAULT("AUTO", PRIM_ERROR_VALUE, "width", *width = PRIM_SPARSE_WIDTH_AUTO);
    if (c->to == PRIM_SPARSE_JDS)
        FAULT("no group", PRIM_ERROR_VALUE, "size", *size = 0);
    if (c->from != PRIM_SPARSE_CSR)
        FAULT("neither is CSR", PRIM_ERROR_UNSUPPORTED, "CSR", c->to = PRIM_SPARSE_COO);
    FAULT("unknown", PRIM_ERROR_ENUM, "format", c->to = (prim_sparse_format)6);
}

static prim_status conversion_call(const operands *o, conversion c)
{
    const prim_sparse *right = &form_of(c.to)->m;
    arguments a = {.c = spoilt_options(o), .m = source_of(o, c), .x = o->d_in, .y = o->d_out};
    char *missing = part_of(a.y, MISSING_AT);
    prim_sparse made, *to = &made;
    cudaDataType_t offset_type = CUDA_R_32I;
    int64_t width = width_to(c.to);
    size_t bytes = MISSING_AT, size = c.to == PRIM_SPARSE_JDS ? right->group_count : right->entries;
    size = o->count > 0 ? size : 0;
    spoil(o, "d_memory", &a.y);
    spoil_source(o, &a);
    spoil_request(o, &c, &offset_type, &width, &size);
    FAULT("too few", PRIM_ERROR_WORKSPACE, "bytes", bytes = ENTRIES * 8);
    FAULT("NULL", PRIM_ERROR_NULL, "to is NULL", to = NULL);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_missing", missing += 4);
    FAULT("in the memory", PRIM_ERROR_OVERLAP, "d_missing", missing = a.y + 16);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_missing", missing = a.x + 16);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_memory", a.y = a.x + 16);
    return prim_sparse_convert(a.m, c.to, offset_type, width, size, a.y, bytes, to,
                               (uint64_t *)missing, call_of(o, &a.c));
}

#define CONVERSION_ENTRY(c)                                                \
    static void c##_input(void *h_in, unsigned seed)                       \
    {                                                                      \
        conversion_input(c, h_in, seed);                                   \
    }                                                                      \
    static void c##_answer(const void *h_in, size_t count, void *h_out)    \
    {                                                                      \
        conversion_answer(c, h_in, count, h_out);                          \
    }                                                                      \
    static prim_status c##_call(const operands *o)                         \
    {                                                                      \
        return conversion_call(o, c);                                      \
    }                                                                      \
    const entry_point sparse_##c##_entry = {.name = "prim_sparse_convert", \
                                            .variant_at = only_variant_at, \
                                            .in_bytes = ARRAYS_BYTES,      \
                                            .out_bytes = ARRAYS_BYTES,     \
                                            .count = COLUMNS,              \
                                            .make_input = c##_input,       \
                                            .right_answer = c##_answer,    \
                                            .call = c##_call};

CONVERSION_ENTRY(csr_to_coo)
CONVERSION_ENTRY(csr_to_sell)
CONVERSION_ENTRY(csr_to_hyb)
CONVERSION_ENTRY(csr_to_jds)
CONVERSION_ENTRY(ell_to_csr)
CONVERSION_ENTRY(hyb_to_csr)
CONVERSION_ENTRY(jds_to_csr)

/* ---- the size of a conversion: places of SELL ---- */

static void size_answer(const void *h_in, size_t count, void *h_out)
{
    (void)h_in;
    memset(h_out, FILL, 2 * sizeof(uint64_t));
    *(uint64_t *)h_out = count > 0 ? form_of(PRIM_SPARSE_SELL)->m.entries : 0;
}

static prim_status size_call(const operands *o)
{
    arguments a = {.c = spoilt_options(o),
                   .m = matrix_at(o, PRIM_SPARSE_CSR, o->d_in),
                   .x = o->d_in,
                   .y = o->d_out};
    prim_sparse_format format = PRIM_SPARSE_SELL;
    int64_t sigma = SIGMA;
    if (o->count == 0)
        a.m.row_offsets = part_of(o->d_out, 8);
    spoil(o, "d_size", &a.y);
    spoil_source(o, &a);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_size", a.y = a.x + 16);
    FAULT("unknown", PRIM_ERROR_ENUM, "format", format = (prim_sparse_format)6);
    FAULT("neither is CSR", PRIM_ERROR_UNSUPPORTED, "CSR",
          (a.m.format = PRIM_SPARSE_COO, a.m.row_indices = a.m.column_indices));
    FAULT("0", PRIM_ERROR_VALUE, "sigma", sigma = 0);
    return prim_sparse_convert_size(a.m, format, sigma, (uint64_t *)a.y, call_of(o, &a.c));
}

const entry_point sparse_convert_size_entry = {.name = "prim_sparse_convert_size",
                                               .variant_at = only_variant_at,
                                               .in_bytes = ARRAYS_BYTES,
                                               .out_bytes = 2 * sizeof(uint64_t),
                                               .count = COLUMNS,
                                               .make_input = csr_to_sell_input,
                                               .right_answer = size_answer,
                                               .call = size_call};

/* ---- dense matrices to CSR: every third element is not 0 ---- */

enum {
    DENSE_ROWS = 39,
    DENSE_COLUMNS = 48,
    DENSE_BYTES = DENSE_ROWS * DENSE_COLUMNS * 4,
    DENSE_ENTRIES = DENSE_ROWS * DENSE_COLUMNS / 3,
    DENSE_OFFSETS_BYTES = (DENSE_ROWS + 1) * 4,
    DENSE_MEMORY = DENSE_OFFSETS_BYTES + DENSE_ENTRIES * 8
};

static void from_dense_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < DENSE_ROWS * DENSE_COLUMNS; i++)
        ((float *)h_in)[i] = (i + seed) % 3 == 0 ? (float)(i % 101 + seed) : 0.0f;
}

/* No gap lies between the arrays. */
static void from_dense_answer(const void *h_in, size_t count, void *h_out)
{
    int32_t *const h_offsets = h_out, *const h_columns = h_offsets + DENSE_ROWS + 1;
    float *const h_values = (float *)(h_columns + DENSE_ENTRIES);
    int32_t next = 0;
    h_offsets[0] = 0;
    for (int32_t i = 0; count > 0 && i < DENSE_ROWS * DENSE_COLUMNS; i++) {
        const float value = ((const float *)h_in)[i];
        if (value != 0) {
            h_columns[next] = i % DENSE_COLUMNS;
            h_values[next++] = value;
        }
        h_offsets[i / DENSE_COLUMNS + 1] = next;
    }
    memset((char *)h_out + DENSE_MEMORY, 0, sizeof(uint64_t));
}

/* The arguments of both calls, in the fields of a CSR matrix. */
static arguments dense_arguments(const operands *o, size_t *ld)
{
    arguments a = {.c = spoilt_options(o),
                   .m = {.rows = o->count > 0 ? DENSE_ROWS : 0, .columns = DENSE_COLUMNS},
                   .x_type = f32,
                   .x = o->d_in,
                   .y = o->d_out};
    *ld = DENSE_COLUMNS;
    spoil(o, "d_in", &a.x);
    FAULT("i32", PRIM_ERROR_TYPE, "value_type", a.x_type = CUDA_R_32I);
    FAULT("rows", PRIM_ERROR_VALUE, "2^31", a.m.rows = (size_t)1 << 31);
    FAULT("columns", PRIM_ERROR_VALUE, "2^31", a.m.columns = (size_t)1 << 31);
    FAULT("less than columns", PRIM_ERROR_VALUE, "ld", --*ld);
    FAULT("beyond size_t", PRIM_ERROR_SIZE, "d_in", *ld = SIZE_MAX / 8);
    return a;
}

static prim_status from_dense_call(const operands *o)
{
    size_t ld, size = o->count > 0 ? DENSE_ENTRIES : 0, bytes = DENSE_MEMORY;
    arguments a = dense_arguments(o, &ld);
    char *missing = part_of(a.y, DENSE_MEMORY);
    cudaDataType_t offset_type = CUDA_R_32I;
    prim_sparse made, *to = &made;
    spoil(o, "d_memory", &a.y);
    FAULT("too few", PRIM_ERROR_WORKSPACE, "bytes", bytes--);
    FAULT("NULL", PRIM_ERROR_NULL, "to is NULL", to = NULL);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_missing", missing += 4);
    FAULT("in the memory", PRIM_ERROR_OVERLAP, "d_missing", missing = a.y + 16);
    FAULT("in the input", PRIM_ERROR_OVERLAP, "d_missing", missing = a.x + 16);
    FAULT("in the input", PRIM_ERROR_OVERLAP, "d_memory", a.y = a.x + 16);
    FAULT("f32", PRIM_ERROR_TYPE, "offset_type", offset_type = CUDA_R_32F);
    FAULT("beyond i32", PRIM_ERROR_VALUE, "i32", size = (size_t)1 << 31);
    return prim_sparse_from_dense(prim_matrix_of(a.x_type, a.x, a.m.rows, a.m.columns, ld),
                                  offset_type, size, a.y, bytes, to, (uint64_t *)missing,
                                  call_of(o, &a.c));
}

const entry_point sparse_from_dense_entry = {.name = "prim_sparse_from_dense",
                                             .variant_at = only_variant_at,
                                             .in_bytes = DENSE_BYTES,
                                             .out_bytes = DENSE_MEMORY + sizeof(uint64_t),
                                             .count = DENSE_ENTRIES,
                                             .make_input = from_dense_input,
                                             .right_answer = from_dense_answer,
                                             .call = from_dense_call};

static void dense_size_answer(const void *h_in, size_t count, void *h_out)
{
    (void)h_in;
    *(uint64_t *)h_out = count > 0 ? DENSE_ENTRIES : 0;
}

static prim_status dense_size_call(const operands *o)
{
    size_t ld;
    arguments a = dense_arguments(o, &ld);
    spoil(o, "d_size", &a.y);
    FAULT("in the input", PRIM_ERROR_OVERLAP, "d_size", a.y = a.x + 16);
    return prim_sparse_from_dense_size(prim_matrix_of(a.x_type, a.x, a.m.rows, a.m.columns, ld),
                                       (uint64_t *)a.y, call_of(o, &a.c));
}

const entry_point sparse_from_dense_size_entry = {.name = "prim_sparse_from_dense_size",
                                                  .variant_at = only_variant_at,
                                                  .in_bytes = DENSE_BYTES,
                                                  .out_bytes = sizeof(uint64_t),
                                                  .count = DENSE_ENTRIES,
                                                  .make_input = from_dense_input,
                                                  .right_answer = dense_size_answer,
                                                  .call = dense_size_call};

/* ---- CSR to a dense matrix ---- */

static void to_dense_answer(const void *h_in, size_t count, void *h_out)
{
    const form *f = form_of(PRIM_SPARSE_CSR);
    const float *h_values =
        (const float *)((const char *)h_in + ((const char *)f->m.values - f->arrays));
    if (count > 0)
        memset(h_out, 0, ROWS * COLUMNS * sizeof(float));
    for (size_t row = 0; count > 0 && row < ROWS; row++)
        for (int32_t e = offsets[row]; e < offsets[row + 1]; e++)
            ((float *)h_out)[row * COLUMNS + (size_t)columns[e]] += h_values[e];
}

static prim_status to_dense_call(const operands *o)
{
    arguments a = {.c = spoilt_options(o),
                   .m = matrix_at(o, PRIM_SPARSE_CSR, o->d_in),
                   .x = o->d_in,
                   .y = o->d_out};
    prim_matrix out = prim_matrix_of(f32, NULL, a.m.rows, a.m.columns, COLUMNS);
    spoil(o, "d_out", &a.y);
    spoil_source(o, &a);
    FAULT("unknown", PRIM_ERROR_ENUM, "format", a.m.format = 6);
    FAULT("less than columns", PRIM_ERROR_VALUE, "ld", out.ld--);
    FAULT("beyond size_t", PRIM_ERROR_SIZE, "d_out", out.ld = SIZE_MAX / 8);
    FAULT("f64", PRIM_ERROR_TYPE, "out.type", out.type = CUDA_R_64F);
    FAULT("one row more", PRIM_ERROR_VALUE, "out is", out.rows++);
    FAULT("one column less", PRIM_ERROR_VALUE, "out is", out.columns--);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_out", a.y = a.x + 16);
    out.data = a.y;
    return prim_sparse_to_dense(a.m, out, call_of(o, &a.c));
}

const entry_point sparse_to_dense_entry = {.name = "prim_sparse_to_dense",
                                           .variant_at = only_variant_at,
                                           .in_bytes = ARRAYS_BYTES,
                                           .out_bytes = ROWS * COLUMNS * sizeof(float),
                                           .count = COLUMNS,
                                           .make_input = csr_to_coo_input,
                                           .right_answer = to_dense_answer,
                                           .call = to_dense_call};

/* ---- transposed ---- */

enum {
    TRANSPOSED_COLUMNS_AT = ((COLUMNS + 1) * 4 + 15) / 16 * 16,
    TRANSPOSED_BYTES = TRANSPOSED_COLUMNS_AT + ENTRIES * 8
};

/* Between the offsets and the columns, nothing is written. */
static void transposed_answer(const void *h_in, size_t count, void *h_out)
{
    const form *f = form_of(PRIM_SPARSE_CSR);
    const float *h_values =
        (const float *)((const char *)h_in + ((const char *)f->m.values - f->arrays));
    int32_t *const h_offsets = h_out, next = 0;
    int32_t *const h_rows = (int32_t *)((char *)h_out + TRANSPOSED_COLUMNS_AT);
    float *const h_moved = (float *)(h_rows + ENTRIES);
    memset(h_out, FILL, TRANSPOSED_BYTES);
    h_offsets[0] = 0;
    for (int32_t column = 0; count > 0 && column < COLUMNS; column++) {
        for (int32_t row = 0; row < ROWS; row++)
            for (int32_t e = offsets[row]; e < offsets[row + 1]; e++)
                if (columns[e] == column) {
                    h_rows[next] = row;
                    h_moved[next++] = h_values[e];
                }
        h_offsets[column + 1] = next;
    }
}

static prim_status transposed_call(const operands *o)
{
    arguments a = {.c = spoilt_options(o),
                   .m = matrix_at(o, PRIM_SPARSE_CSR, o->d_in),
                   .x = o->d_in,
                   .y = o->d_out};
    cudaDataType_t offset_type = CUDA_R_32I;
    size_t bytes = o->count > 0 ? TRANSPOSED_BYTES : 16;
    prim_sparse made, *to = &made;
    if (o->count == 0)
        a.m.row_offsets = part_of(a.y, 16);
    spoil(o, "d_memory", &a.y);
    spoil_source(o, &a);
    FAULT("too few", PRIM_ERROR_WORKSPACE, "bytes", bytes--);
    FAULT("NULL", PRIM_ERROR_NULL, "to is NULL", to = NULL);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_memory", a.y = a.x + 16);
    FAULT("unknown", PRIM_ERROR_ENUM, "format", a.m.format = 6);
    FAULT("f32", PRIM_ERROR_TYPE, "offset_type", offset_type = CUDA_R_32F);
    return prim_sparse_transpose(a.m, offset_type, a.y, bytes, to, call_of(o, &a.c));
}

const entry_point sparse_transpose_entry = {.name = "prim_sparse_transpose",
                                            .variant_at = only_variant_at,
                                            .in_bytes = ARRAYS_BYTES,
                                            .out_bytes = TRANSPOSED_BYTES,
                                            .count = COLUMNS,
                                            .make_input = csr_to_coo_input,
                                            .right_answer = transposed_answer,
                                            .call = transposed_call};

/* ---- a plan: bands, columns near each other and far apart, long rows ---- */

enum {
    PLAN_ROWS = 4800,
    PLAN_COLUMNS = 70000,
    MOST_ENTRIES = 60000,
    PLAN_BYTES = 1 << 17,
    PLAN_OFFSETS_BYTES = (PLAN_ROWS + 4) / 4 * 16,
    STRUCTURE_BYTES = PLAN_OFFSETS_BYTES + MOST_ENTRIES * 4,
    /* after x and the matrix */
    PLAN_AT = (PLAN_COLUMNS * 4 + STRUCTURE_BYTES + MOST_ENTRIES * 4 + 255) / 256 * 256,
    PLANNED_IN_BYTES = PLAN_AT + PLAN_BYTES
};

/* Offsets, and after them columns. */
static int32_t structure[STRUCTURE_BYTES / 4];
static char plan_of_structure[PLAN_BYTES];

static int32_t plan_length(int32_t row)
{
    const uint32_t bits = (uint32_t)row * 2654435761u >> 16;
    if (row < 3400)
        return row < 4 ? row + 5 : 9;
    if (row < 4100)
        return row == 3700 ? 1500 : row % 50 == 7 ? 70 : (int32_t)(bits % 20);
    return bits % 8 == 0 ? 60 : (int32_t)(bits % 4);
}

static int32_t plan_column(int32_t row, int32_t s)
{
    const uint32_t bits = ((uint32_t)row * 4096 + (uint32_t)s) * 2246822519u >> 8;
    if (row < 3400)
        return (row < 4 ? 0 : row - 4) + s;
    return row < 4100 ? row + (int32_t)(bits % 1000) : (int32_t)(bits % PLAN_COLUMNS);
}

/* Without elements it has no rows either, and one offset, which nobody reads. */
static prim_sparse planned_matrix(const operands *o, const void *d_structure, const void *d_values)
{
    const bool empty = o->count == 0;
    return (prim_sparse){.format = PRIM_SPARSE_CSR,
                         .rows = empty ? 0 : PLAN_ROWS,
                         .columns = empty ? 0 : PLAN_COLUMNS,
                         .entries = empty ? 0 : (size_t)structure[PLAN_ROWS],
                         .value_type = CUDA_R_32F,
                         .offset_type = CUDA_R_32I,
                         .row_offsets = empty ? o->d_out : d_structure,
                         .column_indices = empty ? NULL : part_of(d_structure, PLAN_OFFSETS_BYTES),
                         .values = empty ? NULL : d_values};
}

/* What the call itself makes of it, on memory of its own: test_sparse_plan.c judges it by products.
 * Made by the first call, which is the main thread's. */
static void make_structure(void)
{
    const operands o = {.count = 1};
    char *d_memory;
    if (structure[PLAN_ROWS] > 0)
        return;
    for (int32_t row = 0; row < PLAN_ROWS; row++) {
        const int32_t begin = structure[row], length = plan_length(row);
        for (int32_t s = 0; s < length; s++)
            structure[PLAN_OFFSETS_BYTES / 4 + begin + s] = plan_column(row, s);
        structure[row + 1] = begin + length;
    }
    prim_answer answer;
    if (structure[PLAN_ROWS] > MOST_ENTRIES ||
        prim_spmv_plan(planned_matrix(&o, NULL, NULL), NULL, 0, &(prim_call){.answer = &answer}) !=
            PRIM_OK ||
        answer.output_bytes > PLAN_BYTES ||
        cudaMalloc((void **)&d_memory, STRUCTURE_BYTES + PLAN_BYTES) != 0 ||
        cudaMemset(d_memory, FILL, STRUCTURE_BYTES + PLAN_BYTES) != 0 ||
        cudaMemcpy(d_memory, structure, STRUCTURE_BYTES, cudaMemcpyHostToDevice) != 0 ||
        prim_spmv_plan(planned_matrix(&o, d_memory, NULL), d_memory + STRUCTURE_BYTES, PLAN_BYTES,
                       NULL) != PRIM_OK ||
        cudaMemcpy(plan_of_structure, d_memory + STRUCTURE_BYTES, PLAN_BYTES,
                   cudaMemcpyDeviceToHost) != 0 ||
        cudaFree(d_memory) != 0) {
        fprintf(stderr, "no plan: %s\n", prim_last_error(NULL));
        abort();
    }
}

static void plan_input(void *h_in, unsigned seed)
{
    (void)seed;
    make_structure();
    memcpy(h_in, structure, STRUCTURE_BYTES);
}

static void plan_answer(const void *h_in, size_t count, void *h_out)
{
    (void)h_in;
    if (count > 0)
        memcpy(h_out, plan_of_structure, PLAN_BYTES);
}

static void spoil_structure(const operands *o, arguments *a)
{
    FAULT("unknown", PRIM_ERROR_ENUM, "format", a->m.format = 6);
    FAULT("i32", PRIM_ERROR_TYPE, "value_type", a->m.value_type = CUDA_R_32I);
    FAULT("f32", PRIM_ERROR_TYPE, "offset_type", a->m.offset_type = CUDA_R_32F);
    FAULT("rows", PRIM_ERROR_VALUE, "2^31", a->m.rows = (size_t)1 << 31);
    FAULT("columns", PRIM_ERROR_VALUE, "2^31", a->m.columns = (size_t)1 << 31);
    FAULT("beyond size_t", PRIM_ERROR_SIZE, "values", a->m.entries = SIZE_MAX / 2);
    FAULT("NULL", PRIM_ERROR_NULL, "d_row_offsets", a->m.row_offsets = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "d_column_indices", a->m.column_indices = NULL);
    FAULT("of another format", PRIM_ERROR_UNSUPPORTED, "CSR",
          (a->m.format = PRIM_SPARSE_ELL, a->m.ell_ld = PLAN_ROWS));
}

static prim_status plan_call(const operands *o)
{
    make_structure();
    arguments a = {
        .c = spoilt_options(o), .m = planned_matrix(o, o->d_in, NULL), .x = o->d_in, .y = o->d_out};
    size_t bytes = o->count > 0 ? PLAN_BYTES : 0;
    spoil(o, "d_plan", &a.y);
    spoil_structure(o, &a);
    FAULT("too few", PRIM_ERROR_WORKSPACE, "plan_bytes", bytes = 6400);
    FAULT("in the offsets", PRIM_ERROR_OVERLAP, "d_plan", a.y = a.x + 16);
    FAULT("in the columns", PRIM_ERROR_OVERLAP, "d_plan", a.y = a.x + PLAN_OFFSETS_BYTES + 16);
    return prim_spmv_plan(a.m, a.y, bytes, call_of(o, &a.c));
}

const entry_point spmv_plan_entry = {.name = "prim_spmv_plan",
                                     .variant_at = only_variant_at,
                                     .in_bytes = STRUCTURE_BYTES,
                                     .out_bytes = PLAN_BYTES,
                                     .count = PLAN_COLUMNS,
                                     .make_input = plan_input,
                                     .right_answer = plan_answer,
                                     .call = plan_call};

/* d_in is x, offsets, columns, values and the plan. */
static void planned_input(void *h_in, unsigned seed)
{
    float *const x = h_in;
    char *const of = (char *)(x + PLAN_COLUMNS);
    float *const with = (float *)(of + STRUCTURE_BYTES);
    plan_input(of, seed);
    for (uint32_t i = 0; i < PLAN_COLUMNS; i++)
        x[i] = (float)((i * 2654435761u + seed * 97u) >> 8 & 0x3f) - 25.0f;
    for (uint32_t e = 0; e < MOST_ENTRIES; e++)
        with[e] = (float)((e * 2246822519u + seed) >> 13 & 0x7) - 3.0f;
    memcpy((char *)h_in + PLAN_AT, plan_of_structure, PLAN_BYTES);
}

static void planned_answer(const void *h_in, size_t count, void *h_out)
{
    const float *const x = h_in, *const with = (const float *)((const char *)(x + PLAN_COLUMNS) +
                                                               STRUCTURE_BYTES);
    for (size_t row = 0; count > 0 && row < PLAN_ROWS; row++) {
        double sum = 0;
        for (int32_t e = structure[row]; e < structure[row + 1]; e++)
            sum += (double)with[e] * x[structure[PLAN_OFFSETS_BYTES / 4 + e]];
        ((float *)h_out)[row] = (float)sum;
    }
}

static prim_status planned_call(const operands *o)
{
    make_structure();
    char *const d_structure = part_of(o->d_in, PLAN_COLUMNS * 4);
    char *plan = part_of(o->d_in, PLAN_AT);
    arguments a = product_of(o, spoilt_options(o),
                             planned_matrix(o, d_structure, part_of(d_structure, STRUCTURE_BYTES)));
    size_t bytes = plan == NULL ? 0 : PLAN_BYTES;
    spoil(o, "d_x", &a.x);
    spoil(o, "d_y", &a.y);
    spoil(o, "d_plan", &plan);
    FAULT("f64", PRIM_ERROR_TYPE, "x_type", a.x_type = CUDA_R_64F);
    FAULT("f64", PRIM_ERROR_TYPE, "y_type", a.y_type = CUDA_R_64F);
    FAULT("unknown", PRIM_ERROR_ENUM, "format", a.m.format = 6);
    FAULT("NULL", PRIM_ERROR_NULL, "d_values", a.m.values = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "d_row_offsets", a.m.row_offsets = NULL);
    FAULT("too few", PRIM_ERROR_WORKSPACE, "plan_bytes", bytes = 6400);
    FAULT("in d_x", PRIM_ERROR_OVERLAP, "d_y", a.y = a.x + 8);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_y", a.y = d_structure + 16);
    FAULT("in the plan", PRIM_ERROR_OVERLAP, "d_y", a.y = plan + PLAN_BYTES - 4);
    FAULT("in the plan", PRIM_ERROR_OVERLAP, "d_workspace",
          (a.c.workspace = plan, a.c.bytes = 1 << 14));
    FAULT("of another format", PRIM_ERROR_UNSUPPORTED, "format",
          (a.m.format = PRIM_SPARSE_ELL, a.m.ell_ld = PLAN_ROWS));
    return prim_spmv_planned(1, a.m, plan, bytes, x_of(&a), 0, y_of(&a), call_of(o, &a.c));
}

const entry_point spmv_planned_entry = {.name = "prim_spmv_planned",
                                        .variant_at = only_variant_at,
                                        .in_bytes = PLANNED_IN_BYTES,
                                        .out_bytes = PLAN_ROWS * sizeof(float),
                                        .count = PLAN_COLUMNS,
                                        .make_input = planned_input,
                                        .right_answer = planned_answer,
                                        .call = planned_call};
