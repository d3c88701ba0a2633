/* Conversions between CSR and each other format, in host memory. A target is laid out twice by the
 * same function: first without memory, to count its bytes, then in the memory that was given. */
#include <stdlib.h>
#include <string.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "sparse/convert/layout.h"
#include "sparse/rows/rows.h"
#include "sparse/sparse_args.h"

/* ---- the target's shape ---- */

/* Rows by length, for JDS's groups, HYB's width and SELL's order. */
typedef struct lengths {
    size_t *of_row;    /* rows */
    size_t *rows_with; /* longest + 1: how many rows have that many entries */
    size_t longest, all;
    int32_t *order; /* SELL's places, where its rows are sorted */
} lengths;

static void free_lengths(lengths *l)
{
    free(l->of_row);
    free(l->rows_with);
    free(l->order);
}

static bool measure_rows(const prim_sparse *m, lengths *l)
{
    *l = (lengths){.of_row = malloc((m->rows + 1) * sizeof *l->of_row)};
    if (l->of_row == NULL)
        return false;
    for (size_t place = 0; place < m->rows; place++) {
        const prim_row row = prim_sparse_row_at(m, place);
        const size_t length = prim_row_length(&row);
        l->of_row[row.row] = length;
        l->all += length;
        l->longest = length > l->longest ? length : l->longest;
    }
    l->rows_with = calloc(l->longest + 1, sizeof *l->rows_with);
    for (size_t row = 0; l->rows_with != NULL && row < m->rows; row++)
        l->rows_with[l->of_row[row]]++;
    return l->rows_with != NULL;
}

/* The largest width that at least a third of the rows fill. */
static size_t hyb_width(const lengths *l, size_t rows)
{
    size_t filled = 0, width = l->longest;
    for (; width > 0; width--) {
        filled += l->rows_with[width];
        if (3 * filled >= rows)
            break;
    }
    return width;
}

static size_t entries_beyond(const lengths *l, size_t width)
{
    size_t beyond = 0;
    for (size_t length = width + 1; length <= l->longest; length++)
        beyond += (length - width) * l->rows_with[length];
    return beyond;
}

static size_t count_groups(const lengths *l)
{
    size_t groups = 0;
    for (size_t length = 0; length <= l->longest; length++)
        groups += l->rows_with[length] > 0;
    return groups;
}

/* ---- SELL's order ---- */

/* Sorts rows by length, the longest first, stably, by merge sort. */
static void sort_rows(const size_t *length_of, int32_t *rows, int32_t *spare, size_t count)
{
    const size_t half = count / 2;
    if (count < 2)
        return;
    sort_rows(length_of, rows, spare, half);
    sort_rows(length_of, rows + half, spare, count - half);
    for (size_t i = 0, a = 0, b = half; i < count; i++) {
        const bool from_a = a < half && (b == count || length_of[rows[a]] >= length_of[rows[b]]);
        spare[i] = rows[from_a ? a++ : b++];
    }
    memcpy(rows, spare, count * sizeof *rows);
}

/* Returns false where there is no memory. */
static bool make_order(lengths *l, size_t rows, size_t sigma)
{
    int32_t *spare = malloc((rows + 1) * sizeof *spare);
    l->order = malloc((rows + 1) * sizeof *l->order);
    for (size_t row = 0; spare != NULL && l->order != NULL && row < rows; row++)
        l->order[row] = (int32_t)row;
    for (size_t first = 0; spare != NULL && l->order != NULL && first < rows;) {
        const size_t count = rows - first < sigma ? rows - first : sigma;
        sort_rows(l->of_row, l->order + first, spare, count);
        first += count;
    }
    free(spare);
    return spare != NULL && l->order != NULL;
}

static size_t row_at(const lengths *l, size_t place)
{
    return l->order != NULL ? (size_t)l->order[place] : place;
}

static size_t width_of_slice(const lengths *l, size_t slice, size_t rows)
{
    const size_t begin = slice * PRIM_SPARSE_SLICE_ROWS;
    size_t width = 0;
    for (size_t place = begin; place < rows && place < begin + PRIM_SPARSE_SLICE_ROWS; place++) {
        const size_t length = l->of_row[row_at(l, place)];
        width = length > width ? length : width;
    }
    return width;
}

/* The places of all slices, padding included. */
static size_t sell_entries(const lengths *l, size_t rows)
{
    size_t stored = 0;
    for (size_t slice = 0; slice * PRIM_SPARSE_SLICE_ROWS < rows; slice++)
        stored += width_of_slice(l, slice, rows) * PRIM_SPARSE_SLICE_ROWS;
    return stored;
}

/* Sorts the rows where `width` says so, or AUTO finds it useful. A wrong width is refused later. */
static bool choose_order(lengths *l, size_t rows, int64_t width)
{
    enum { SIGMA = 1024 };
    if (width == PRIM_SPARSE_WIDTH_AUTO)
        width = sell_entries(l, rows) > l->all + l->all / 4 ? SIGMA : 1;
    return width <= 1 || make_order(l, rows, (size_t)width);
}

/* The target's fields that are not pointers. */
static prim_sparse plan(const prim_sparse *from, prim_sparse_format format,
                        cudaDataType_t offset_type, int64_t width, const lengths *l)
{
    prim_sparse to = {.format = format,
                      .rows = from->rows,
                      .columns = from->columns,
                      .entries = l->all,
                      .value_type = from->value_type,
                      .offset_type = offset_type};
    if (format == PRIM_SPARSE_ELL || format == PRIM_SPARSE_HYB) {
        const size_t best = format == PRIM_SPARSE_ELL ? l->longest : hyb_width(l, from->rows);
        to.ell_width = width == PRIM_SPARSE_WIDTH_AUTO ? best : (size_t)width;
        to.ell_ld = from->rows;
        to.entries = format == PRIM_SPARSE_ELL ? 0 : entries_beyond(l, to.ell_width);
    }
    if (format == PRIM_SPARSE_JDS)
        to.group_count = count_groups(l);
    if (format == PRIM_SPARSE_SELL)
        to.entries = sell_entries(l, from->rows);
    return to;
}

/* ---- filling the target ---- */

/* The target's arrays are const only in the public struct. */
static void put(const int32_t *columns, const void *values, size_t value_bytes, size_t to,
                const prim_strip *strip, size_t i)
{
    const size_t from = strip->first + i * strip->stride;
    ((int32_t *)columns)[to] = strip->columns[from];
    memcpy((char *)values + to * value_bytes, (const char *)strip->values + from * value_bytes,
           value_bytes);
}

static void set_offset(prim_sparse *m, size_t i, size_t offset)
{
    const void *const offsets = m->format == PRIM_SPARSE_SELL ? m->slice_offsets : m->row_offsets;
    if (m->offset_type == CUDA_R_64I)
        ((int64_t *)offsets)[i] = (int64_t)offset;
    else
        ((int32_t *)offsets)[i] = (int32_t)offset;
}

/* Fills a CSR matrix from any format. */
static void fill_csr(prim_sparse *to, const prim_sparse *from, const lengths *l)
{
    const size_t value_bytes = prim_element_bytes(to->value_type);
    size_t offset = 0;
    set_offset(to, 0, 0);
    for (size_t row = 0; row < to->rows; row++)
        set_offset(to, row + 1, offset += l->of_row[row]);
    for (size_t place = 0; place < from->rows; place++) {
        const prim_row row = prim_sparse_row_at(from, place);
        size_t next = prim_sparse_offset(to, row.row);
        for (int s = 0; s < row.strip_count; s++)
            for (size_t i = 0; i < row.strips[s].count; i++)
                put(to->column_indices, to->values, value_bytes, next++, &row.strips[s], i);
    }
}

/* From here on `from` is CSR: its rows are in order and one strip long. */
static void fill_coo(prim_sparse *to, const prim_sparse *from)
{
    const size_t value_bytes = prim_element_bytes(to->value_type);
    size_t next = 0;
    for (size_t r = 0; r < from->rows; r++) {
        const prim_row row = prim_sparse_row_at(from, r);
        for (size_t i = 0; i < row.strips[0].count; i++, next++) {
            ((int32_t *)to->row_indices)[next] = (int32_t)r;
            put(to->column_indices, to->values, value_bytes, next, &row.strips[0], i);
        }
    }
}

/* `places` of a strip whose first `strip->count` are a row's entries; padding has the value 0,
 * which is not used. */
static void fill_strip(const int32_t *columns, const void *values, size_t value_bytes, size_t first,
                       size_t stride, size_t places, const prim_strip *strip)
{
    for (size_t s = 0; s < places; s++) {
        const size_t entry = first + s * stride;
        if (s < strip->count) {
            put(columns, values, value_bytes, entry, strip, s);
        } else {
            ((int32_t *)columns)[entry] = PRIM_SPARSE_PADDING;
            memset((char *)values + entry * value_bytes, 0, value_bytes);
        }
    }
}

/* Places after the last row are padding. */
static void fill_sell(prim_sparse *to, const prim_sparse *from, const lengths *l)
{
    enum { SLICE = PRIM_SPARSE_SLICE_ROWS };
    static const prim_strip nothing = {0};
    const size_t value_bytes = prim_element_bytes(to->value_type);
    set_offset(to, 0, 0);
    for (size_t slice = 0, begin = 0; slice < prim_sparse_slices(to); slice++) {
        const size_t width = width_of_slice(l, slice, from->rows);
        for (size_t lane = 0; lane < SLICE; lane++) {
            const size_t place = slice * SLICE + lane;
            prim_row row = {0};
            if (place < from->rows)
                row = prim_sparse_row_at(from, row_at(l, place));
            fill_strip(to->column_indices, to->values, value_bytes, begin + lane, SLICE, width,
                       place < from->rows ? &row.strips[0] : &nothing);
        }
        set_offset(to, slice + 1, begin += width * SLICE);
    }
    if (l->order != NULL && from->rows > 0)
        memcpy((int32_t *)to->permutation, l->order, from->rows * sizeof *l->order);
}

/* Fills ELL, and HYB with its COO part. */
static void fill_ell(prim_sparse *to, const prim_sparse *from)
{
    const size_t value_bytes = prim_element_bytes(to->value_type);
    size_t rest = 0;
    for (size_t r = 0; r < from->rows; r++) {
        const prim_row row = prim_sparse_row_at(from, r);
        const prim_strip *strip = &row.strips[0];
        fill_strip(to->ell_columns, to->ell_values, value_bytes, r, to->ell_ld, to->ell_width,
                   strip);
        for (size_t i = to->ell_width; i < strip->count; i++, rest++) {
            ((int32_t *)to->row_indices)[rest] = (int32_t)r;
            put(to->column_indices, to->values, value_bytes, rest, strip, i);
        }
    }
}

/* Fills JDS: the longest rows first, and rows of one length in their own order. */
static void fill_groups(prim_sparse *to, const lengths *l, size_t *place_for)
{
    prim_jds_group *groups = (prim_jds_group *)to->h_groups;
    size_t place = 0, entry = 0, g = 0;
    for (size_t length = l->longest + 1; length-- > 0;) {
        const size_t rows = l->rows_with[length];
        place_for[length] = place;
        if (rows > 0)
            groups[g++] = (prim_jds_group){place, rows, length, entry};
        place += rows;
        entry += rows * length;
    }
}

static bool fill_jds(prim_sparse *to, const prim_sparse *from, const lengths *l)
{
    const size_t value_bytes = prim_element_bytes(to->value_type);
    size_t *place_for = malloc((l->longest + 1) * sizeof *place_for);
    if (place_for == NULL)
        return false;
    fill_groups(to, l, place_for);
    for (size_t r = 0; r < from->rows; r++)
        ((int32_t *)to->permutation)[place_for[l->of_row[r]]++] = (int32_t)r;
    for (size_t g = 0; g < to->group_count; g++) {
        const prim_jds_group *group = &to->h_groups[g];
        for (size_t r = 0; r < group->rows; r++) {
            const prim_row row =
                prim_sparse_row_at(from, (size_t)to->permutation[group->first_row + r]);
            for (size_t s = 0; s < group->width; s++)
                put(to->column_indices, to->values, value_bytes,
                    group->first_entry + s * group->rows + r, &row.strips[0], s);
        }
    }
    free(place_for);
    return true;
}

static bool fill(prim_sparse *to, const prim_sparse *from, const lengths *l)
{
    switch (to->format) {
    case PRIM_SPARSE_CSR:
        fill_csr(to, from, l);
        return true;
    case PRIM_SPARSE_COO:
        fill_coo(to, from);
        return true;
    case PRIM_SPARSE_ELL:
    case PRIM_SPARSE_HYB:
        fill_ell(to, from);
        return true;
    case PRIM_SPARSE_SELL:
        fill_sell(to, from, l);
        return true;
    default:
        return fill_jds(to, from, l);
    }
}

/* ---- the calls ---- */

static prim_status check_request(const prim_request *call, const prim_sparse *from,
                                 prim_sparse_format format, cudaDataType_t offset_type)
{
    const prim_status exists = prim_sparse_check_format(call, format);
    const bool has_offsets = format == PRIM_SPARSE_CSR || format == PRIM_SPARSE_SELL;
    if (exists != PRIM_OK)
        return exists;
    if (has_offsets && offset_type != CUDA_R_32I && offset_type != CUDA_R_64I)
        return prim_fail(PRIM_ERROR_TYPE, "%s: offset_type is %s, neither i32 nor i64", call->name,
                         prim_element_name(offset_type));
    const prim_status status = prim_sparse_check_in_host_memory(call, from);
    if (status != PRIM_OK)
        return status;
    if (from->format != PRIM_SPARSE_CSR && format != PRIM_SPARSE_CSR)
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: format is %s and from is %s: one of the two must be CSR", call->name,
                         prim_sparse_format_name(format), prim_sparse_format_name(from->format));
    return PRIM_OK;
}

static prim_status check_plan(const prim_request *call, const prim_sparse *to, int64_t width,
                              const lengths *l)
{
    const bool has_offsets = to->format == PRIM_SPARSE_CSR || to->format == PRIM_SPARSE_SELL;
    if (has_offsets && to->offset_type == CUDA_R_32I && to->entries > INT32_MAX)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: offset_type is i32, but %zu entries are more than %d", call->name,
                         to->entries, INT32_MAX);
    if (to->format == PRIM_SPARSE_SELL && (width < PRIM_SPARSE_WIDTH_AUTO || width == 0))
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: width is %lld, but must be at least 1, or %d to have one chosen",
                         call->name, (long long)width, PRIM_SPARSE_WIDTH_AUTO);
    const bool has_width = to->format == PRIM_SPARSE_ELL || to->format == PRIM_SPARSE_HYB;
    if (has_width && width < PRIM_SPARSE_WIDTH_AUTO)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: ell_width is %lld, but must be at least 0, or %d to have one chosen",
                         call->name, (long long)width, PRIM_SPARSE_WIDTH_AUTO);
    if (to->format == PRIM_SPARSE_ELL && to->ell_width < l->longest)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: ell_width is %lld, less than the longest row's %zu entries",
                         call->name, (long long)width, l->longest);
    return PRIM_OK;
}

/* The target's memory must not overlap the arrays of `from`. */
static prim_status check_memory(const prim_request *call, const prim_sparse *from,
                                const void *memory, size_t bytes)
{
    prim_span spans[PRIM_SPARSE_MOST_ARRAYS];
    int count;
    if (bytes > UINTPTR_MAX - (uintptr_t)memory)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: h_memory and its %zu bytes end beyond the address space", call->name,
                         bytes);
    prim_status status = prim_sparse_check_arrays(call, from, spans, &count);
    for (int a = 0; a < count && status == PRIM_OK; a++)
        status = prim_check_disjoint(call, (prim_span){"memory", memory, bytes}, spans[a]);
    return status;
}

/* Lays the target out; where there is a `to`, in memory of that many bytes, fills it too. */
static prim_status convert(const prim_request *call, const prim_sparse *from,
                           prim_sparse_format format, cudaDataType_t offset_type, int64_t width,
                           void *memory, size_t bytes, prim_sparse *to, size_t *needed)
{
    lengths l;
    bool fits = true;
    prim_status status = check_request(call, from, format, offset_type);
    if (status == PRIM_OK)
        status = check_memory(call, from, memory, bytes);
    if (status != PRIM_OK)
        return status;
    if (!measure_rows(from, &l)) {
        free_lengths(&l);
        return prim_fail(PRIM_ERROR_WORKSPACE,
                         "%s: malloc() has no memory for the lengths of %zu rows", call->name,
                         from->rows);
    }
    if (format == PRIM_SPARSE_SELL && !choose_order(&l, from->rows, width)) {
        free_lengths(&l);
        return prim_fail(PRIM_ERROR_WORKSPACE,
                         "%s: malloc() has no memory for the order of %zu rows", call->name,
                         from->rows);
    }
    prim_sparse made = plan(from, format, offset_type, width, &l);
    status = check_plan(call, &made, width, &l);
    if (status == PRIM_OK)
        fits = prim_sparse_lay_out(&made, memory, l.order != NULL, needed);
    if (!fits)
        status = prim_fail(PRIM_ERROR_SIZE,
                           "%s: the bytes of %zu entries in this format do not fit size_t",
                           call->name, l.all);
    if (status == PRIM_OK && to != NULL && *needed > bytes)
        status = prim_fail(PRIM_ERROR_WORKSPACE, "%s: bytes is %zu, but %zu are needed", call->name,
                           bytes, *needed);
    if (status == PRIM_OK && to != NULL && !fill(&made, from, &l))
        status =
            prim_fail(PRIM_ERROR_WORKSPACE, "%s: malloc() has no memory for the order of %zu rows",
                      call->name, from->rows);
    if (status == PRIM_OK && to != NULL)
        *to = made;
    free_lengths(&l);
    return status;
}

prim_status prim_sparse_convert_bytes_host(prim_sparse from, prim_sparse_format format,
                                           cudaDataType_t offset_type, int64_t width, size_t *bytes)
{
    const prim_request call = {.name = "prim_sparse_convert_bytes_host", .on_host = true};
    size_t needed = 0;
    if (bytes == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: bytes is NULL", call.name);
    const prim_status status =
        convert(&call, &from, format, offset_type, width, NULL, 0, NULL, &needed);
    if (status == PRIM_OK)
        *bytes = needed;
    return status;
}

prim_status prim_sparse_convert_host(prim_sparse from, prim_sparse_format format,
                                     cudaDataType_t offset_type, int64_t width, void *h_memory,
                                     size_t bytes, prim_sparse *to)
{
    const prim_request call = {.name = "prim_sparse_convert_host", .on_host = true};
    size_t needed = 0;
    if (to == NULL || (h_memory == NULL && bytes > 0))
        return prim_fail(PRIM_ERROR_NULL, "%s: %s is NULL", call.name,
                         to == NULL ? "to" : "h_memory");
    if ((uintptr_t)h_memory % PRIM_SPARSE_ALIGNMENT != 0)
        return prim_fail(PRIM_ERROR_MISALIGNED,
                         "%s: h_memory is %p, which is not aligned to %d bytes", call.name,
                         h_memory, PRIM_SPARSE_ALIGNMENT);
    return convert(&call, &from, format, offset_type, width, h_memory, bytes, to, &needed);
}

/* NULL stays NULL. */
static const void *moved(const void *array, const void *from, const void *to)
{
    return array == NULL ? NULL
                         : (const void *)((uintptr_t)to + ((uintptr_t)array - (uintptr_t)from));
}

prim_sparse prim_sparse_moved(prim_sparse m, const void *from, const void *to)
{
    m.row_offsets = moved(m.row_offsets, from, to);
    m.row_indices = moved(m.row_indices, from, to);
    m.column_indices = moved(m.column_indices, from, to);
    m.values = moved(m.values, from, to);
    m.ell_columns = moved(m.ell_columns, from, to);
    m.ell_values = moved(m.ell_values, from, to);
    m.permutation = moved(m.permutation, from, to);
    m.slice_offsets = moved(m.slice_offsets, from, to);
    return m;
}
