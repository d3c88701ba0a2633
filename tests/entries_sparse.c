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

static bool takes(size_t index, prim_sparse_format format)
{
    return prim_spmv_supports(prim_spmv_variant_at(index), form_of(format)->m, f32, f32);
}

static size_t variants_of(prim_sparse_format format)
{
    size_t count = 0;
    for (size_t v = 0; v < prim_spmv_variant_count(); v++)
        count += takes(v, format);
    return count;
}

static int variant_of(prim_sparse_format format, size_t index)
{
    size_t v = 0;
    while (!takes(v, format) || index-- > 0)
        v++;
    return prim_spmv_variant_at(v);
}

static const char *variant_name(int variant)
{
    return prim_spmv_variant_name((prim_spmv_variant)variant);
}

/* ---- calls ---- */

/* All arguments of a call, for one of them to be spoilt. */
typedef struct arguments {
    int variant;
    prim_sparse m;
    int x_type, y_type;
    char *x, *y, *workspace;
    size_t bytes;
} arguments;

static prim_status spoilt(const operands *o, prim_sparse_format format, void (*spoil)(arguments *a))
{
    arguments a = {o->variant,     matrix_of(o, format), f32, f32, o->d_in, o->d_out,
                   o->d_workspace, o->workspace_bytes};
    if (spoil != NULL)
        spoil(&a);
    return prim_spmv((prim_spmv_variant)a.variant, 1, a.m, (cudaDataType_t)a.x_type, a.x, 0,
                     (cudaDataType_t)a.y_type, a.y, a.workspace, a.bytes, o->stream);
}

#define SPOIL(name, change)                \
    static void spoil_##name(arguments *a) \
    {                                      \
        change;                            \
    }

SPOIL(no_variant, a->variant = 9999)
SPOIL(negative_variant, a->variant = -1)
SPOIL(no_format, a->m.format = (prim_sparse_format)5)
SPOIL(value_type, a->m.value_type = CUDA_R_32I)
SPOIL(x_type, a->x_type = CUDA_R_64F)
SPOIL(no_type, a->x_type = 9999)
SPOIL(y_type, a->y_type = CUDA_R_64F)
SPOIL(rows, a->m.rows = (size_t)1 << 31)
SPOIL(columns, a->m.columns = (size_t)1 << 31)
SPOIL(null_x, a->x = NULL)
SPOIL(null_y, a->y = NULL)
SPOIL(null_space, (a->workspace = NULL, a->bytes = 256))
SPOIL(odd_x, a->x += 2)
SPOIL(odd_y, a->y += 1)
SPOIL(odd_space, (a->workspace = a->x + 4, a->bytes = 256))
SPOIL(y_in_x, a->y = a->x + 8)
SPOIL(y_in_arrays, a->y = a->x + X_BYTES)
SPOIL(y_at_end_of_x, a->y = a->x + X_BYTES - 4)
SPOIL(space_in_x, (a->workspace = a->x, a->bytes = X_BYTES))
SPOIL(space_in_arrays, (a->workspace = a->x + X_BYTES, a->bytes = 1 << 14))
SPOIL(short_space, a->bytes--)
SPOIL(other_format,
      a->variant = a->m.format == PRIM_SPARSE_CSR ? PRIM_SPMV_ELL : PRIM_SPMV_CSR_SCALAR)
SPOIL(entries, a->m.entries = SIZE_MAX / 2)
SPOIL(offset_type, a->m.offset_type = CUDA_R_32F)
SPOIL(null_offsets, a->m.row_offsets = NULL)
SPOIL(null_rows, a->m.row_indices = NULL)
SPOIL(null_columns, a->m.column_indices = NULL)
SPOIL(null_values, a->m.values = NULL)
SPOIL(odd_values, a->m.values = (const char *)a->m.values + 2)
SPOIL(null_ell_columns, a->m.ell_columns = NULL)
SPOIL(null_ell_values, a->m.ell_values = NULL)
SPOIL(odd_ell_values, a->m.ell_values = (const char *)a->m.ell_values + 1)
SPOIL(ell_ld, a->m.ell_ld = ROWS - 1)
SPOIL(ell_width, a->m.ell_width = SIZE_MAX / 8)
SPOIL(null_order, a->m.permutation = NULL)
SPOIL(null_groups, a->m.h_groups = NULL)
SPOIL(fewer_groups, a->m.group_count--)
SPOIL(fewer_entries, a->m.entries--)

/* name, what, status, word; each becomes a function and a row for each format that has it. */
#define BAD_CALLS(X, f)                                                                   \
    X(f, no_variant, "unknown variant", PRIM_ERROR_ENUM, "variant")                       \
    X(f, negative_variant, "negative variant", PRIM_ERROR_ENUM, "variant")                \
    X(f, no_format, "unknown format", PRIM_ERROR_ENUM, "format")                          \
    X(f, value_type, "values of i32", PRIM_ERROR_TYPE, "value_type")                      \
    X(f, x_type, "x of f64", PRIM_ERROR_TYPE, "x_type")                                   \
    X(f, no_type, "unknown type", PRIM_ERROR_TYPE, "x_type")                              \
    X(f, y_type, "y of f64", PRIM_ERROR_TYPE, "y_type")                                   \
    X(f, rows, "2^31 rows", PRIM_ERROR_VALUE, "2^31")                                     \
    X(f, columns, "2^31 columns", PRIM_ERROR_VALUE, "2^31")                               \
    X(f, null_x, "d_x NULL", PRIM_ERROR_NULL, "d_x")                                      \
    X(f, null_y, "d_y NULL", PRIM_ERROR_NULL, "d_y")                                      \
    X(f, null_space, "d_workspace NULL with bytes", PRIM_ERROR_NULL, "d_workspace")       \
    X(f, odd_x, "d_x misaligned", PRIM_ERROR_MISALIGNED, "d_x")                           \
    X(f, odd_y, "d_y misaligned", PRIM_ERROR_MISALIGNED, "d_y")                           \
    X(f, odd_space, "d_workspace misaligned", PRIM_ERROR_MISALIGNED, "d_workspace")       \
    X(f, y_in_x, "d_y in d_x", PRIM_ERROR_OVERLAP, "d_y")                                 \
    X(f, y_at_end_of_x, "d_y at d_x's end", PRIM_ERROR_OVERLAP, "d_y")                    \
    X(f, y_in_arrays, "d_y in the matrix", PRIM_ERROR_OVERLAP, "d_y")                     \
    X(f, space_in_x, "d_workspace in d_x", PRIM_ERROR_OVERLAP, "d_workspace")             \
    X(f, space_in_arrays, "d_workspace in the matrix", PRIM_ERROR_OVERLAP, "d_workspace") \
    X(f, other_format, "a variant of another format", PRIM_ERROR_UNSUPPORTED, "format")

#define BAD_ENTRIES(X, f)                                                   \
    X(f, entries, "bytes beyond size_t", PRIM_ERROR_SIZE, "values")         \
    X(f, null_columns, "columns NULL", PRIM_ERROR_NULL, "d_column_indices") \
    X(f, null_values, "values NULL", PRIM_ERROR_NULL, "d_values")           \
    X(f, odd_values, "values misaligned", PRIM_ERROR_MISALIGNED, "d_values")

#define BAD_ELL(X, f)                                                              \
    X(f, ell_ld, "ell_ld less than rows", PRIM_ERROR_VALUE, "ell_ld")              \
    X(f, ell_width, "ELL beyond size_t", PRIM_ERROR_SIZE, "ell_values")            \
    X(f, null_ell_columns, "ELL's columns NULL", PRIM_ERROR_NULL, "d_ell_columns") \
    X(f, null_ell_values, "ELL's values NULL", PRIM_ERROR_NULL, "d_ell_values")    \
    X(f, odd_ell_values, "ELL's values odd", PRIM_ERROR_MISALIGNED, "d_ell_values")

#define BAD_CSR(X, f)                                                   \
    BAD_CALLS(X, f)                                                     \
    BAD_ENTRIES(X, f)                                                   \
    X(f, offset_type, "offsets of f32", PRIM_ERROR_TYPE, "offset_type") \
    X(f, null_offsets, "offsets NULL", PRIM_ERROR_NULL, "d_row_offsets")

#define BAD_COO(X, f) \
    BAD_CALLS(X, f)   \
    BAD_ENTRIES(X, f) \
    X(f, null_rows, "rows NULL", PRIM_ERROR_NULL, "d_row_indices")

#define BAD_ELL_ONLY(X, f) \
    BAD_CALLS(X, f)        \
    BAD_ELL(X, f)

#define BAD_HYB(X, f) \
    BAD_COO(X, f)     \
    BAD_ELL(X, f)     \
    X(f, short_space, "workspace one byte short", PRIM_ERROR_WORKSPACE, "workspace_bytes")

#define BAD_JDS(X, f)                                                            \
    BAD_CALLS(X, f)                                                              \
    BAD_ENTRIES(X, f)                                                            \
    X(f, null_order, "permutation NULL", PRIM_ERROR_NULL, "d_permutation")       \
    X(f, null_groups, "groups NULL", PRIM_ERROR_NULL, "h_groups")                \
    X(f, fewer_groups, "groups that do not cover", PRIM_ERROR_VALUE, "h_groups") \
    X(f, fewer_entries, "groups beyond the entries", PRIM_ERROR_VALUE, "h_groups")

/* ---- the entries ---- */

#define BAD_FUNCTION(f, name, what, status, word)    \
    static prim_status f##_##name(const operands *o) \
    {                                                \
        return spoilt(o, f##_format, spoil_##name);  \
    }
#define BAD_ROW(f, name, what, status, word) {what, f##_##name, status, word},

#define ENTRY(f, the_format, BAD)                                                               \
    static const prim_sparse_format f##_format = the_format;                                    \
    static size_t f##_variant_count(void)                                                       \
    {                                                                                           \
        return variants_of(the_format);                                                         \
    }                                                                                           \
    static int f##_variant_at(size_t index)                                                     \
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
    static prim_status f##_null_bytes(const operands *o)                                        \
    {                                                                                           \
        return f##_workspace(o->variant, o->count, NULL);                                       \
    }                                                                                           \
    static prim_status f##_call(const operands *o)                                              \
    {                                                                                           \
        return spoilt(o, the_format, NULL);                                                     \
    }                                                                                           \
    BAD(BAD_FUNCTION, f)                                                                        \
    static const bad_argument f##_bad[] = {                                                     \
        BAD(BAD_ROW, f){"bytes NULL", f##_null_bytes, PRIM_ERROR_NULL, "bytes"}};               \
    const entry_point spmv_##f##_entry = {.name = "prim_spmv",                                  \
                                          .variant_count = f##_variant_count,                   \
                                          .variant_at = f##_variant_at,                         \
                                          .variant_name = variant_name,                         \
                                          .in_bytes = IN_BYTES,                                 \
                                          .out_bytes = ROWS * sizeof(float),                    \
                                          .count = COLUMNS,                                     \
                                          .make_input = f##_input,                              \
                                          .right_answer = answer,                               \
                                          .workspace_bytes = f##_workspace,                     \
                                          .call = f##_call,                                     \
                                          .bad = f##_bad,                                       \
                                          .bad_count = sizeof f##_bad / sizeof *f##_bad};

ENTRY(csr, PRIM_SPARSE_CSR, BAD_CSR)
ENTRY(coo, PRIM_SPARSE_COO, BAD_COO)
ENTRY(ell, PRIM_SPARSE_ELL, BAD_ELL_ONLY)
ENTRY(hyb, PRIM_SPARSE_HYB, BAD_HYB)
ENTRY(jds, PRIM_SPARSE_JDS, BAD_JDS)
