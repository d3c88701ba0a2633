/* spmv among the entry points: an entry for each format, with the variants that take it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "entry_points.h"

/* d_in is x, and behind it the matrix's arrays. Rows of 0, 1, 4, 9 and 33 entries: several blocks
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

/* ---- the matrix, the same in five formats ---- */

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
    static form forms[PRIM_SPARSE_JDS + 1];
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

/* The matrix with its arrays behind x. Without columns it has no rows either; CSR still has one
 * offset, which nobody reads. */
static prim_sparse matrix_of(const operands *o, prim_sparse_format format)
{
    const form *f = form_of(format);
    if (o->count == 0)
        return (prim_sparse){.format = format,
                             .value_type = CUDA_R_32F,
                             .offset_type = CUDA_R_32I,
                             .row_offsets = o->d_out};
    return prim_sparse_moved(f->m, f->arrays, (const char *)o->d_in + X_BYTES);
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

/* ---- the variants of a format ---- */

static const prim_variant *variant_of(prim_sparse_format format, size_t index)
{
    const prim_variant *variant;
    for (size_t v = 0; (variant = prim_spmv_variant_at(v)) != NULL; v++)
        if (prim_spmv_supports(variant->value, form_of(format)->m, f32, f32) && index-- == 0)
            return variant;
    return NULL;
}

/* ---- calls ---- */

typedef struct arguments {
    call_head c;
    prim_sparse m;
    cudaDataType_t x_type, y_type;
    char *x, *y;
} arguments;

static void spoil_all(const operands *o, arguments *a)
{
    spoil(o, "d_x", &a->x);
    spoil(o, "d_y", &a->y);
    FAULT("unknown", PRIM_ERROR_ENUM, "format", a->m.format = 5);
    FAULT("i32", PRIM_ERROR_TYPE, "value_type", a->m.value_type = CUDA_R_32I);
    FAULT("f64", PRIM_ERROR_TYPE, "x_type", a->x_type = CUDA_R_64F);
    FAULT("unknown", PRIM_ERROR_TYPE, "x_type", a->x_type = 9999);
    FAULT("f64", PRIM_ERROR_TYPE, "y_type", a->y_type = CUDA_R_64F);
    FAULT("rows", PRIM_ERROR_VALUE, "2^31", a->m.rows = (size_t)1 << 31);
    FAULT("columns", PRIM_ERROR_VALUE, "2^31", a->m.columns = (size_t)1 << 31);
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

static prim_status call(const operands *o, prim_sparse_format format,
                        void (*spoil_format)(const operands *o, arguments *a))
{
    arguments a = {spoilt_head(o), matrix_of(o, format), f32, f32, o->d_in, o->d_out};
    spoil_all(o, &a);
    spoil_format(o, &a);
    return prim_spmv((prim_spmv_variant)a.c.variant, 1, a.m, a.x_type, a.x, 0, a.y_type, a.y,
                     a.c.workspace, a.c.bytes, o->stream);
}

/* ---- the entries ---- */

#define ENTRY(f, the_format)                                                                    \
    static const prim_variant *f##_variant_at(size_t index)                                     \
    {                                                                                           \
        return variant_of(the_format, index);                                                   \
    }                                                                                           \
    static void f##_input(void *h_in, unsigned seed)                                            \
    {                                                                                           \
        input_of(the_format, h_in, seed);                                                       \
    }                                                                                           \
    static prim_status f##_workspace(int variant, size_t count, size_t *bytes)                  \
    {                                                                                           \
        const operands o = {.count = count};                                                    \
        return prim_spmv_workspace_bytes((prim_spmv_variant)variant, matrix_of(&o, the_format), \
                                         f32, f32, bytes);                                      \
    }                                                                                           \
    static prim_status f##_call(const operands *o)                                              \
    {                                                                                           \
        return call(o, the_format, spoil_##f);                                                  \
    }                                                                                           \
    const entry_point spmv_##f##_entry = {.name = "prim_spmv",                                  \
                                          .variant_at = f##_variant_at,                         \
                                          .in_bytes = IN_BYTES,                                 \
                                          .out_bytes = ROWS * sizeof(float),                    \
                                          .count = COLUMNS,                                     \
                                          .make_input = f##_input,                              \
                                          .right_answer = answer,                               \
                                          .workspace_bytes = f##_workspace,                     \
                                          .call = f##_call};

ENTRY(csr, PRIM_SPARSE_CSR)
ENTRY(coo, PRIM_SPARSE_COO)
ENTRY(ell, PRIM_SPARSE_ELL)
ENTRY(hyb, PRIM_SPARSE_HYB)
ENTRY(jds, PRIM_SPARSE_JDS)
