/* Checks of a matrix: its shape for every call; its contents on request, in host memory here, in
 * device memory by check.cu. */
#include <stdio.h>
#include <stdlib.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "sparse/rows/rows.h"
#include "sparse/sparse_args.h"

enum { MOST_ROWS = INT32_MAX };

const char *prim_sparse_format_name(prim_sparse_format format)
{
    static const char *const names[] = {"CSR", "COO", "ELL", "HYB", "JDS", "SELL"};
    return names[format];
}

/* ---- the shape ---- */

prim_status prim_sparse_check_format(const prim_request *call, prim_sparse_format format)
{
    if ((unsigned)format <= PRIM_SPARSE_SELL)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_ENUM,
                     "%s: format is %d, not PRIM_SPARSE_CSR to PRIM_SPARSE_SELL, 0 to %d",
                     call->name, format, PRIM_SPARSE_SELL);
}

static bool has_halves(const prim_sparse *m)
{
    return m->value_type == CUDA_R_16F || m->value_type == CUDA_R_16BF;
}

static bool has_offsets(const prim_sparse *m)
{
    return m->format == PRIM_SPARSE_CSR || m->format == PRIM_SPARSE_SELL;
}

static bool has_ell(const prim_sparse *m)
{
    return m->format == PRIM_SPARSE_ELL || m->format == PRIM_SPARSE_HYB;
}

/* JDS's groups cover the rows without a gap, and lie within the entries. */
static prim_status check_groups(const prim_request *call, const prim_sparse *m)
{
    size_t rows = 0;
    if (m->h_groups == NULL && m->group_count > 0)
        return prim_fail(PRIM_ERROR_NULL, "%s: h_groups is NULL, but group_count is %zu",
                         call->name, m->group_count);
    if ((uintptr_t)m->h_groups % _Alignof(prim_jds_group) != 0)
        return prim_fail(PRIM_ERROR_MISALIGNED,
                         "%s: h_groups is %p, which is not aligned to %zu bytes", call->name,
                         (const void *)m->h_groups, _Alignof(prim_jds_group));
    for (size_t g = 0; g < m->group_count; g++) {
        const prim_jds_group *group = &m->h_groups[g];
        if (group->first_row != rows || group->rows > m->rows - rows)
            return prim_fail(PRIM_ERROR_VALUE,
                             "%s: h_groups[%zu] has first_row %zu and rows %zu, but must begin at "
                             "row %zu, and end at row %zu at the latest",
                             call->name, g, group->first_row, group->rows, rows, m->rows);
        if (group->first_entry > m->entries ||
            (group->rows > 0 && group->width > (m->entries - group->first_entry) / group->rows))
            return prim_fail(PRIM_ERROR_VALUE,
                             "%s: h_groups[%zu] has first_entry %zu, rows %zu and width %zu, and "
                             "so ends beyond the %zu entries",
                             call->name, g, group->first_entry, group->rows, group->width,
                             m->entries);
        rows += group->rows;
    }
    if (rows != m->rows)
        return prim_fail(PRIM_ERROR_VALUE, "%s: h_groups cover only %zu of the %zu rows",
                         call->name, rows, m->rows);
    return PRIM_OK;
}

/* Checks everything but the groups. */
static prim_status check_sizes(const prim_request *call, const prim_sparse *m)
{
    const prim_status exists = prim_sparse_check_format(call, m->format);
    if (exists != PRIM_OK)
        return exists;
    if (m->value_type != CUDA_R_32F && m->value_type != CUDA_R_64F && !has_halves(m))
        return prim_fail(PRIM_ERROR_TYPE, "%s: value_type is %s, not f32, f64, f16 or bf16",
                         call->name, prim_element_name(m->value_type));
    if (has_offsets(m) && m->offset_type != CUDA_R_32I && m->offset_type != CUDA_R_64I)
        return prim_fail(PRIM_ERROR_TYPE, "%s: offset_type is %s, neither i32 nor i64", call->name,
                         prim_element_name(m->offset_type));
    if (m->rows > MOST_ROWS || m->columns > MOST_ROWS)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: rows × columns are %zu × %zu, but each may be at most %d (2^31 - 1)",
                         call->name, m->rows, m->columns, MOST_ROWS);
    if (has_ell(m) && m->ell_ld < m->rows)
        return prim_fail(PRIM_ERROR_VALUE, "%s: ell_ld is %zu, less than the %zu rows", call->name,
                         m->ell_ld, m->rows);
    prim_status status = PRIM_OK;
    const bool is_half = has_halves(m); /* and indices are wider */
    if (m->format != PRIM_SPARSE_ELL)
        status = prim_check_bytes(call, is_half ? "column_indices" : "values", 1, m->entries,
                                  is_half ? sizeof(int32_t) : prim_element_bytes(m->value_type));
    if (status == PRIM_OK && has_ell(m))
        status = prim_check_bytes(call, "ell_values", m->ell_width, m->ell_ld,
                                  prim_element_bytes(m->value_type));
    return status;
}

prim_status prim_sparse_check_shape(const prim_request *call, const prim_sparse *m)
{
    const prim_status status = check_sizes(call, m);
    return status == PRIM_OK && m->format == PRIM_SPARSE_JDS ? check_groups(call, m) : status;
}

/* ---- the arrays ---- */

typedef struct array {
    const char *name;
    const void *data;
    size_t count, element_bytes;
} array;

/* The format's arrays; returns how many. */
static int arrays_of(const prim_sparse *m, bool on_host, array *arrays)
{
    const size_t value = prim_element_bytes(m->value_type), index = sizeof(int32_t);
    int count = 0;
    if (m->format == PRIM_SPARSE_CSR)
        arrays[count++] =
            (array){"row_offsets", m->row_offsets, m->rows + 1, prim_element_bytes(m->offset_type)};
    if (m->format == PRIM_SPARSE_COO || m->format == PRIM_SPARSE_HYB)
        arrays[count++] = (array){"row_indices", m->row_indices, m->entries, index};
    if (m->format == PRIM_SPARSE_SELL)
        arrays[count++] = (array){"slice_offsets", m->slice_offsets, prim_sparse_slices(m) + 1,
                                  prim_element_bytes(m->offset_type)};
    if (prim_sparse_has_permutation(m))
        arrays[count++] = (array){"permutation", m->permutation, m->rows, index};
    if (m->format == PRIM_SPARSE_JDS && on_host) /* on the device, h_groups is no array */
        arrays[count++] = (array){"groups", m->h_groups, m->group_count * sizeof *m->h_groups, 1};
    if (has_ell(m)) {
        arrays[count++] = (array){"ell_columns", m->ell_columns, m->ell_width * m->ell_ld, index};
        arrays[count++] = (array){"ell_values", m->ell_values, m->ell_width * m->ell_ld, value};
    }
    if (m->format != PRIM_SPARSE_ELL) {
        arrays[count++] = (array){"column_indices", m->column_indices, m->entries, index};
        arrays[count++] = (array){"values", m->values, m->entries, value};
    }
    return count;
}

prim_status prim_sparse_check_arrays(const prim_request *call, const prim_sparse *m,
                                     prim_span *spans, int *count)
{
    array arrays[PRIM_SPARSE_MOST_ARRAYS];
    *count = arrays_of(m, call->on_host, arrays);
    prim_status status = PRIM_OK;
    for (int a = 0; a < *count && status == PRIM_OK; a++)
        status = prim_check_vector(call, arrays[a].name, arrays[a].data, arrays[a].count,
                                   arrays[a].element_bytes, &spans[a]);
    return status;
}

/* ---- the contents ---- */

/* The error of a value that must be at least `least`, and less than `end`. */
static prim_status wrong(const prim_request *call, const char *what, size_t place, long long value,
                         size_t least, size_t end)
{
    return prim_fail(PRIM_ERROR_VALUE,
                     "%s: %s[%zu] is %lld, but must be at least %zu and less than %zu", call->name,
                     what, place, value, least, end);
}

static prim_status check_offsets(const prim_request *call, const prim_sparse *m)
{
    size_t before = prim_sparse_offset(m, 0);
    if (before != 0)
        return wrong(call, "row_offsets", 0, (long long)before, 0, 1);
    for (size_t row = 1; row <= m->rows; row++) {
        const size_t offset = prim_sparse_offset(m, row);
        if (offset < before || offset > m->entries)
            return wrong(call, "row_offsets", row, (long long)offset, before, m->entries + 1);
        before = offset;
    }
    if (before != m->entries)
        return wrong(call, "row_offsets", m->rows, (long long)before, m->entries, m->entries + 1);
    return PRIM_OK;
}

/* Slices have multiples of 32 places. */
static prim_status check_slices(const prim_request *call, const prim_sparse *m)
{
    const size_t slices = prim_sparse_slices(m);
    size_t before = prim_sparse_offset(m, 0);
    if (before != 0)
        return wrong(call, "slice_offsets", 0, (long long)before, 0, 1);
    for (size_t slice = 1; slice <= slices; slice++) {
        const size_t offset = prim_sparse_offset(m, slice);
        if (offset < before || offset > m->entries)
            return wrong(call, "slice_offsets", slice, (long long)offset, before, m->entries + 1);
        if (offset % PRIM_SPARSE_SLICE_ROWS != 0)
            return prim_fail(PRIM_ERROR_VALUE,
                             "%s: slice_offsets[%zu] is %zu, which is not a multiple of %d",
                             call->name, slice, offset, PRIM_SPARSE_SLICE_ROWS);
        before = offset;
    }
    if (before != m->entries)
        return wrong(call, "slice_offsets", slices, (long long)before, m->entries, m->entries + 1);
    return PRIM_OK;
}

static prim_status check_row_indices(const prim_request *call, const prim_sparse *m)
{
    for (size_t e = 0; e < m->entries; e++)
        if (m->row_indices[e] < (e > 0 ? m->row_indices[e - 1] : 0) ||
            (size_t)m->row_indices[e] >= m->rows)
            return wrong(call, "row_indices", e, m->row_indices[e],
                         e > 0 ? (size_t)m->row_indices[e - 1] : 0, m->rows);
    return PRIM_OK;
}

/* Padding comes only after a row's entries: `count` places from `first` on. */
static prim_status check_strip(const prim_request *call, const prim_sparse *m, const char *name,
                               const int32_t *columns, size_t first, size_t stride, size_t count)
{
    bool padded = false;
    for (size_t s = 0; s < count; s++) {
        const size_t entry = first + s * stride;
        const int32_t column = columns[entry];
        if (column == PRIM_SPARSE_PADDING)
            padded = true;
        else if (padded)
            return prim_fail(PRIM_ERROR_VALUE,
                             "%s: %s[%zu] is %d, but only padding may follow padding in a row",
                             call->name, name, entry, column);
        else if (column < 0 || (size_t)column >= m->columns)
            return wrong(call, name, entry, column, 0, m->columns);
    }
    return PRIM_OK;
}

static prim_status check_ell(const prim_request *call, const prim_sparse *m)
{
    prim_status status = PRIM_OK;
    for (size_t row = 0; row < m->rows && status == PRIM_OK; row++)
        status = check_strip(call, m, "ell_columns", m->ell_columns, row, m->ell_ld, m->ell_width);
    return status;
}

/* After the last row there is only padding. */
static prim_status check_sell(const prim_request *call, const prim_sparse *m)
{
    enum { SLICE = PRIM_SPARSE_SLICE_ROWS };
    prim_status status = check_slices(call, m);
    for (size_t place = 0; place < prim_sparse_slices(m) * SLICE && status == PRIM_OK; place++) {
        const size_t begin = prim_sparse_offset(m, place / SLICE), first = begin + place % SLICE,
                     count = (prim_sparse_offset(m, place / SLICE + 1) - begin) / SLICE;
        if (place >= m->rows && count > 0 && m->column_indices[first] != PRIM_SPARSE_PADDING)
            return prim_fail(
                PRIM_ERROR_VALUE,
                "%s: column_indices[%zu] is %d, but there must be padding after the last row",
                call->name, first, m->column_indices[first]);
        status = check_strip(call, m, "column_indices", m->column_indices, first, SLICE, count);
    }
    return status;
}

static prim_status check_columns(const prim_request *call, const prim_sparse *m)
{
    for (size_t e = 0; e < m->entries; e++)
        if (m->column_indices[e] < 0 || (size_t)m->column_indices[e] >= m->columns)
            return wrong(call, "column_indices", e, m->column_indices[e], 0, m->columns);
    return PRIM_OK;
}

/* Checks that the permutation has each row once. */
static prim_status check_permutation(const prim_request *call, const prim_sparse *m)
{
    bool *seen = calloc(m->rows > 0 ? m->rows : 1, sizeof *seen);
    if (seen == NULL)
        return prim_fail(PRIM_ERROR_WORKSPACE, "%s: malloc() has no memory for %zu rows",
                         call->name, m->rows);
    prim_status status = PRIM_OK;
    for (size_t place = 0; place < m->rows && status == PRIM_OK; place++) {
        const int32_t row = m->permutation[place];
        if (row < 0 || (size_t)row >= m->rows)
            status = wrong(call, "permutation", place, row, 0, m->rows);
        else if (seen[row])
            status =
                prim_fail(PRIM_ERROR_VALUE, "%s: permutation[%zu] is %d, which stands there twice",
                          call->name, place, row);
        else
            seen[row] = true;
    }
    free(seen);
    return status;
}

prim_status prim_sparse_check_in_host_memory(const prim_request *call, const prim_sparse *m)
{
    prim_span spans[PRIM_SPARSE_MOST_ARRAYS];
    int count;
    prim_status status = prim_sparse_check_shape(call, m);
    if (status == PRIM_OK)
        status = prim_sparse_check_arrays(call, m, spans, &count);
    if (status == PRIM_OK && m->format == PRIM_SPARSE_CSR)
        status = check_offsets(call, m);
    if (status == PRIM_OK && (m->format == PRIM_SPARSE_COO || m->format == PRIM_SPARSE_HYB))
        status = check_row_indices(call, m);
    if (status == PRIM_OK && has_ell(m))
        status = check_ell(call, m);
    if (status == PRIM_OK && m->format == PRIM_SPARSE_SELL)
        status = check_sell(call, m);
    if (status == PRIM_OK && prim_sparse_has_permutation(m))
        status = check_permutation(call, m);
    if (status == PRIM_OK && m->format != PRIM_SPARSE_ELL && m->format != PRIM_SPARSE_SELL)
        status = check_columns(call, m);
    return status;
}

prim_status prim_sparse_check_host(prim_sparse matrix)
{
    const prim_request call = {.name = "prim_sparse_check_host", .on_host = true};
    return prim_sparse_check_in_host_memory(&call, &matrix);
}

/* ---- on the device ---- */

PRIM_DECLARE_RUNG(sparse_check, rules)

static const prim_rung *const rungs[] = {&prim_sparse_check_rules_rung, NULL};

static prim_status check_kind(const void *any)
{
    const prim_sparse_check_args *args = any;
    return prim_is_left_open(&args->call, args->matrix.h_groups)
               ? check_sizes(&args->call, &args->matrix)
               : prim_sparse_check_shape(&args->call, &args->matrix);
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_sparse_check_args *args = any;
    int arrays;
    prim_status status =
        prim_sparse_check_arrays(&args->call, &args->matrix, operands->spans, &arrays);
    prim_span *const finding = &operands->spans[arrays];
    operands->count = arrays + 1;
    if (status == PRIM_OK)
        status =
            prim_check_vector(&args->call, "finding", args->finding, 2, sizeof(uint64_t), finding);
    for (int a = 0; a < arrays && status == PRIM_OK; a++)
        status = prim_check_disjoint(&args->call, *finding, operands->spans[a]);
    return status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_sparse_check_args *args = any;
    snprintf(text, bytes, "%s, %zu × %zu, %zu entries",
             prim_sparse_format_name(args->matrix.format), args->matrix.rows, args->matrix.columns,
             args->matrix.entries);
}

static const prim_ladder ladder = {
    .rungs = rungs,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

prim_status prim_sparse_check(prim_sparse matrix, prim_sparse_finding *d_finding,
                              const prim_call *call)
{
    prim_sparse_check_args args = {
        .call = {.name = "prim_sparse_check"}, .matrix = matrix, .finding = d_finding};
    return prim_ladder_call(&ladder, &args.call, call);
}
