#include <stdlib.h>
#include <string.h>

#include "../calls.h"
#include "oracles.h"
#include "sparse_operands.h"
#include "stress.h"

/* ---- conversions ---- */

static size_t length_of(const csr *a, size_t row)
{
    return offset_of(a, row + 1) - offset_of(a, row);
}

static size_t longest_row(const csr *a, size_t first, size_t count)
{
    size_t longest = 0;
    for (size_t row = first; row < first + count && row < a->m.rows; row++)
        longest = length_of(a, row) > longest ? length_of(a, row) : longest;
    return longest;
}

static int longer_first(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x < y) - (x > y);
}

/* Places of SELL, whose rows are sorted by length, `sigma` at a time. */
static size_t sell_places(const csr *a, size_t sigma)
{
    size_t places = 0, *lengths = malloc((a->m.rows + 1) * sizeof *lengths);
    for (size_t row = 0; row < a->m.rows; row++)
        lengths[row] = length_of(a, row);
    for (size_t first = 0; first < a->m.rows; first += sigma)
        qsort(lengths + first, sigma < a->m.rows - first ? sigma : a->m.rows - first,
              sizeof *lengths, longer_first);
    for (size_t first = 0; first < a->m.rows; first += PRIM_SPARSE_SLICE_ROWS) {
        size_t longest = 0;
        for (size_t row = first; row < first + PRIM_SPARSE_SLICE_ROWS && row < a->m.rows; row++)
            longest = lengths[row] > longest ? lengths[row] : longest;
        places += longest * PRIM_SPARSE_SLICE_ROWS;
    }
    free(lengths);
    return places;
}

/* Entries of rows beyond so many columns. */
static size_t entries_beyond(const csr *a, size_t width)
{
    size_t beyond = 0;
    for (size_t row = 0; row < a->m.rows; row++)
        beyond += length_of(a, row) > width ? length_of(a, row) - width : 0;
    return beyond;
}

/* Groups of JDS: how many lengths there are. */
static size_t groups_of(const csr *a)
{
    size_t groups = 0, *lengths = malloc((a->m.rows + 1) * sizeof *lengths);
    for (size_t row = 0; row < a->m.rows; row++)
        lengths[row] = length_of(a, row);
    qsort(lengths, a->m.rows, sizeof *lengths, longer_first);
    for (size_t row = 0; row < a->m.rows; row++)
        groups += row == 0 || lengths[row] != lengths[row - 1];
    free(lengths);
    return groups;
}

/* The size of a target that is made of CSR. */
static size_t size_from_csr(const csr *a, prim_sparse_format format, int64_t width)
{
    return format == PRIM_SPARSE_ELL    ? longest_row(a, 0, a->m.rows)
           : format == PRIM_SPARSE_SELL ? sell_places(a, (size_t)width)
           : format == PRIM_SPARSE_HYB  ? entries_beyond(a, (size_t)width)
           : format == PRIM_SPARSE_JDS  ? groups_of(a)
                                        : a->m.entries;
}

/* A conversion from `from` on the device to `format`. */
typedef struct conversion {
    prim_sparse from, h_from;
    prim_sparse_format format;
    cudaDataType_t offset_type;
    int64_t width;
    size_t size;    /* that the target needs */
    size_t given;   /* to the call */
    size_t missing; /* what then does not fit */
} conversion;

/* The host knows the size of what is made of COO and JDS, and of COO and CSR that CSR becomes. */
static bool has_known_size(const conversion *c)
{
    return c->from.format == PRIM_SPARSE_COO || c->from.format == PRIM_SPARSE_JDS ||
           (c->from.format == PRIM_SPARSE_CSR &&
            (c->format == PRIM_SPARSE_COO || c->format == PRIM_SPARSE_CSR));
}

/* With less room than is needed, if the dial says so; of JDS, with a group at least. */
static void pick_room(trial *t, const csr *a, conversion *c)
{
    const size_t step = c->format == PRIM_SPARSE_SELL ? PRIM_SPARSE_SLICE_ROWS : 1,
                 least = c->format == PRIM_SPARSE_JDS && c->size > 0 ? 1 : 0,
                 less = pick(t, 4) == 0 ? pick(t, c->size / step + 1 - least) : 0;
    c->given =
        has_known_size(c) ? pick(t, 1000) : c->size - less * step; /* the first is not looked at */
    c->missing = has_known_size(c)              ? 0
                 : c->format == PRIM_SPARSE_ELL ? entries_beyond(a, c->given)
                                                : less * step;
}

/* The target, from the device to memory on the host. */
static prim_sparse received(const prim_sparse *to, operand *memory)
{
    prim_sparse m = prim_sparse_moved(*to, memory->d, memory->h);
    receive(memory);
    if (m.format == PRIM_SPARSE_JDS)
        m.h_groups = (const prim_jds_group *)(memory->h + ((const char *)to->h_groups -
                                                           (const char *)memory->d));
    return m;
}

static void convert(trial *t, const csr *a, conversion *c, const packed *source)
{
    size_t bytes = 0, workspace_bytes = 0;
    prim_sparse to, h_to;
    pick_room(t, a, c);
    on_host(t, asked_output(prim_sparse_convert(c->from, c->format, c->offset_type, c->width,
                                                c->given, NULL, 0, NULL, NULL, asking()),
                            &bytes));
    operand *memory = add_arrays(t, bytes), *missing = add_output(t, CUDA_R_64U, 1);
    missing->may_be_null = true;
    const prim_status asked = asked_bytes(
        prim_sparse_convert_size(c->from, c->format, c->width, NULL, asking()), &workspace_bytes);
    t->has_no_variant = true;
    begin(t, asked, workspace_bytes, true);
    describe(t,
             "sparse_convert: %d to %d, type %d, %zu × %zu with %zu entries, width %d, %zu of %zu",
             c->from.format, c->format, a->m.value_type, a->m.rows, a->m.columns, a->m.entries,
             (int)c->width, c->given, c->size);
    const prim_sparse from = source != NULL ? packed_on_device(source) : on_device(a);
    if (!end(t, prim_sparse_convert(from, c->format, c->offset_type, c->width, c->given, memory->d,
                                    bytes, &to, (void *)missing->d,
                                    with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    const uint64_t left = c->missing;
    memcpy(missing->h, &left, sizeof left);
    if (c->missing > 0) { /* then the host makes no such matrix, and this one must be sound */
        on_host(t, prim_sparse_check_host(received(&to, memory)));
        return;
    }
    const int64_t h_width = c->format == PRIM_SPARSE_ELL ? (int64_t)c->size : c->width;
    on_host(t, prim_sparse_convert_host(c->h_from, c->format, c->offset_type, h_width, memory->h,
                                        bytes, &h_to));
    if (to.entries != h_to.entries || to.ell_width != h_to.ell_width || to.ell_ld != h_to.ell_ld ||
        to.group_count != h_to.group_count)
        complain(t, "the matrix is not the host's");
}

static void sparse_from_csr(trial *t)
{
    static const prim_sparse_format formats[] = {PRIM_SPARSE_COO, PRIM_SPARSE_ELL, PRIM_SPARSE_SELL,
                                                 PRIM_SPARSE_CSR, PRIM_SPARSE_HYB, PRIM_SPARSE_JDS};
    const csr a = add_csr(t, pick_value_type(t), 400, 40);
    conversion c = {.h_from = a.m, .from = on_device(&a), .format = formats[pick(t, 6)]};
    c.offset_type = pick_offset_type(t);
    c.width = c.format == PRIM_SPARSE_HYB   ? (int64_t)pick_size(t, 50)
              : c.format == PRIM_SPARSE_ELL ? 0 /* the size says it */
                                            : 1 + (int64_t)pick_size(t, 500);
    c.size = size_from_csr(&a, c.format, c.width);
    convert(t, &a, &c, NULL);
}

static void sparse_to_csr(trial *t)
{
    static const prim_sparse_format formats[] = {PRIM_SPARSE_COO, PRIM_SPARSE_ELL, PRIM_SPARSE_SELL,
                                                 PRIM_SPARSE_HYB, PRIM_SPARSE_JDS};
    const csr a = add_csr(t, pick_value_type(t), 400, 40);
    const prim_sparse_format format = formats[pick(t, 5)];
    const packed p = add_packed(t, &a, format,
                                format == PRIM_SPARSE_SELL ? 1 + (int64_t)pick_size(t, 500)
                                                           : PRIM_SPARSE_WIDTH_AUTO);
    conversion c = {.h_from = p.m,
                    .from = packed_on_device(&p),
                    .format = PRIM_SPARSE_CSR,
                    .offset_type = pick_offset_type(t),
                    .width = 1,
                    .size = a.m.entries};
    convert(t, &a, &c, &p);
}

static void sparse_convert_size(trial *t)
{
    const csr a = add_csr(t, CUDA_R_32F, 400, 40);
    static const prim_sparse_format formats[] = {PRIM_SPARSE_ELL, PRIM_SPARSE_SELL, PRIM_SPARSE_HYB,
                                                 PRIM_SPARSE_JDS};
    const prim_sparse_format format = formats[pick(t, 4)];
    const int64_t sigma = 1 + (int64_t)pick_size(t, 500);
    operand *size = add_output(t, CUDA_R_64U, 1);
    size_t bytes = 0;
    a.values->is_aside = true;
    const prim_status asked =
        asked_bytes(prim_sparse_convert_size(on_device(&a), format, sigma, NULL, asking()), &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "sparse_convert_size: CSR to %d, %zu rows with %zu entries, sigma %d", format,
             a.m.rows, a.m.entries, (int)sigma);
    if (!end(t, prim_sparse_convert_size(on_device(&a), format, sigma, (void *)size->d,
                                         with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    const uint64_t right = size_from_csr(&a, format, sigma);
    memcpy(size->h, &right, sizeof right);
}

/* ---- transposed and dense: by plain loops ---- */

static void set_offset(const prim_sparse *m, size_t row, size_t offset)
{
    const size_t bytes = bytes_of(m->offset_type);
    memcpy((char *)m->row_offsets + row * bytes, &offset, bytes);
}

/* Column by column, each from the first row to the last. */
static void transpose_by_hand(const csr *a, const prim_sparse *to)
{
    const size_t bytes = bytes_of(a->m.value_type);
    size_t at = 0, *next = calloc(a->m.columns + 1, sizeof *next);
    for (size_t e = 0; e < a->m.entries; e++)
        next[(size_t)before(a->indices, e)]++;
    for (size_t column = 0; column <= a->m.columns; column++) {
        const size_t count = next[column];
        set_offset(to, column, at);
        next[column] = at;
        at += count;
    }
    for (size_t row = 0; row < a->m.rows; row++)
        for (size_t e = offset_of(a, row); e < offset_of(a, row + 1); e++) {
            const size_t place = next[(size_t)before(a->indices, e)]++;
            const int32_t index = (int32_t)row;
            memcpy((char *)to->column_indices + place * sizeof index, &index, sizeof index);
            memcpy((char *)to->values + place * bytes, a->values->before + e * bytes, bytes);
        }
    free(next);
}

static void sparse_transpose(trial *t)
{
    pick_values(t, ANYTHING);
    const csr a = add_csr(t, pick_value_type(t), 400, 40);
    const cudaDataType_t offset_type = pick_offset_type(t);
    size_t bytes = 0, workspace_bytes = 0;
    prim_sparse to;
    on_host(t,
            asked_output(prim_sparse_transpose(on_device(&a), offset_type, NULL, 0, NULL, asking()),
                         &bytes));
    operand *memory = add_arrays(t, bytes);
    const prim_status asked =
        asked_bytes(prim_sparse_transpose(on_device(&a), CUDA_R_64I, NULL, 0, NULL, asking()),
                    &workspace_bytes);
    t->has_no_variant = true;
    begin(t, asked, workspace_bytes, true);
    describe(t, "sparse_transpose: types %d %d, %zu × %zu with %zu entries", a.m.value_type,
             offset_type, a.m.rows, a.m.columns, a.m.entries);
    if (!end(t, prim_sparse_transpose(on_device(&a), offset_type, memory->d, bytes, &to,
                                      with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    const prim_sparse twin = prim_sparse_moved(to, memory->d, memory->h);
    transpose_by_hand(&a, &twin);
}

/* ---- COO in any order ---- */

typedef struct triplets {
    size_t rows, columns, entries;
    operand *row, *column, *values;
} triplets;

static size_t place_of(const triplets *a, size_t entry)
{
    return (size_t)before(a->row, entry) * a->columns + (size_t)before(a->column, entry);
}

static triplets add_triplets(trial *t, cudaDataType_t type)
{
    triplets a = {
        1 + pick_size(t, 300), 1 + pick_size(t, 300), pick_size(t, 6000), NULL, NULL, NULL};
    a.row = add_numbers(t, CUDA_R_32I, a.entries, a.rows);
    a.column = add_numbers(t, CUDA_R_32I, a.entries, a.columns);
    a.values = add_input(t, type, a.entries, false);
    return a;
}

static prim_sparse matrix_of(const triplets *a, const char *row, const char *column,
                             const char *values)
{
    return (prim_sparse){.format = PRIM_SPARSE_COO,
                         .rows = a->rows,
                         .columns = a->columns,
                         .entries = a->entries,
                         .value_type = a->values->type,
                         .row_indices = (void *)row,
                         .column_indices = (void *)column,
                         .values = (void *)values};
}

/* Entry `e` becomes entry `at`. */
static void put_entry(const triplets *a, size_t e, const prim_sparse *to, size_t at)
{
    const size_t bytes = bytes_of(a->values->type);
    const int32_t row = (int32_t)before(a->row, e), column = (int32_t)before(a->column, e);
    memcpy((char *)to->row_indices + at * sizeof row, &row, sizeof row);
    memcpy((char *)to->column_indices + at * sizeof column, &column, sizeof column);
    memcpy((char *)to->values + at * bytes, a->values->before + e * bytes, bytes);
}

/* Entries in the order of their places, by counting, those of f32 and f64 added up where asked for;
 * returns how many are left. */
static size_t sort_by_hand(const triplets *a, const prim_sparse *to, bool adds_up)
{
    size_t left = 0, *count = calloc(a->rows * a->columns + 1, sizeof *count);
    double *sums = calloc(a->rows * a->columns + 1, sizeof *sums);
    for (size_t e = 0; e < a->entries; e++) {
        count[place_of(a, e)]++;
        if (adds_up)
            sums[place_of(a, e)] += before(a->values, e);
    }
    for (size_t place = 0; place < a->rows * a->columns; place++) {
        const size_t entries = count[place];
        count[place] = left;
        left += adds_up && entries > 1 ? 1 : entries;
    }
    for (size_t e = 0; e < a->entries; e++) {
        const size_t place = place_of(a, e);
        put_entry(a, e, to, adds_up ? count[place] : count[place]++);
        const float rounded = (float)sums[place];
        if (adds_up)
            memcpy((char *)to->values + count[place] * bytes_of(a->values->type),
                   a->values->type == CUDA_R_32F ? (const void *)&rounded : &sums[place],
                   bytes_of(a->values->type));
    }
    free(count);
    free(sums);
    return left;
}

static void sparse_sort(trial *t)
{
    const bool adds_up = pick(t, 2) == 1;
    if (!adds_up)
        pick_values(t, ANYTHING);
    const cudaDataType_t type = !adds_up          ? pick_value_type(t)
                                : pick(t, 2) == 0 ? CUDA_R_32F
                                                  : CUDA_R_64F;
    const triplets a = add_triplets(t, type);
    const prim_sparse none = matrix_of(&a, NULL, NULL, NULL);
    size_t bytes = 0, workspace_bytes = 0;
    prim_sparse to;
    on_host(t, asked_output(prim_sparse_sort(none, NULL, 0, NULL, NULL, asking()), &bytes));
    operand *memory = add_arrays(t, bytes), *entries = NULL;
    if (adds_up) {
        entries = add_output(t, CUDA_R_64U, 1);
        entries->may_be_null = true; /* then nothing is added up */
    }
    const prim_status asked =
        asked_bytes(prim_sparse_sort(none, NULL, 0, NULL, NULL, asking()), &workspace_bytes);
    t->has_no_variant = true;
    begin(t, asked, workspace_bytes, true);
    describe(t, "sparse_sort: type %d, %zu × %zu with %zu entries%s", type, a.rows, a.columns,
             a.entries, adds_up ? ", added up" : "");
    if (!end(t, prim_sparse_sort(matrix_of(&a, a.row->d, a.column->d, a.values->d), memory->d,
                                 bytes, &to, adds_up ? (void *)entries->d : NULL,
                                 with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    const prim_sparse twin = prim_sparse_moved(to, memory->d, memory->h);
    const bool has_added = adds_up && entries->d != NULL;
    const uint64_t left = sort_by_hand(&a, &twin, has_added);
    if (has_added)
        memcpy(entries->h, &left, sizeof left);
}

static bool is_zero_at(const operand *x, size_t i)
{
    return is_zero(x->before + i * bytes_of(x->type), bytes_of(x->type));
}

static void sparse_from_dense(trial *t)
{
    const cudaDataType_t type = pick_value_type(t), offset_type = pick_offset_type(t);
    const matrix m = pick_matrix(t);
    size_t bytes = 0, workspace_bytes = 0, size = 0, at = 0;
    prim_sparse to;
    pick_values(t, ANYTHING);
    operand *x = add_input(t, type, span(m.rows, m.columns, m.ld), false);
    for (size_t row = 0; row < m.rows; row++)
        for (size_t column = 0; column < m.columns; column++)
            size += !is_zero_at(x, row * m.ld + column);
    on_host(t,
            asked_output(prim_sparse_from_dense(prim_matrix_of(type, NULL, m.rows, m.columns, 0),
                                                offset_type, size, NULL, 0, NULL, NULL, asking()),
                         &bytes));
    operand *memory = add_arrays(t, bytes), *missing = add_output(t, CUDA_R_64U, 1);
    missing->may_be_null = true;
    memset(missing->h, 0, missing->bytes);
    const prim_status asked =
        asked_bytes(prim_sparse_from_dense_size(prim_matrix_of(type, NULL, m.rows, m.columns, 0),
                                                NULL, asking()),
                    &workspace_bytes);
    t->has_no_variant = true;
    begin(t, asked, workspace_bytes, true);
    describe(t, "sparse_from_dense: types %d %d, %zu × %zu, ld %zu, %zu entries", type, offset_type,
             m.rows, m.columns, m.ld, size);
    if (!end(t, prim_sparse_from_dense(prim_matrix_of(type, x->d, m.rows, m.columns, m.ld),
                                       offset_type, size, memory->d, bytes, &to, (void *)missing->d,
                                       with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    const prim_sparse twin = prim_sparse_moved(to, memory->d, memory->h);
    for (size_t row = 0; row < m.rows; row++) {
        set_offset(&twin, row, at);
        for (size_t column = 0; column < m.columns; column++) {
            const size_t i = row * m.ld + column;
            if (is_zero_at(x, i))
                continue;
            const int32_t index = (int32_t)column;
            memcpy((char *)twin.column_indices + at * sizeof index, &index, sizeof index);
            memcpy((char *)twin.values + at * bytes_of(type), x->before + i * bytes_of(type),
                   bytes_of(type));
            at++;
        }
    }
    set_offset(&twin, m.rows, at);
}

static void sparse_to_dense(trial *t)
{
    const cudaDataType_t type = pick(t, 2) == 0 ? CUDA_R_32F : CUDA_R_64F;
    csr a = add_csr(t, type, 100, 10);
    a.m.columns = a.m.columns < 500 ? a.m.columns : 500;
    for (size_t e = 0; e < a.m.entries; e++) {
        const int32_t index = (int32_t)((size_t)before(a.indices, e) % a.m.columns);
        memcpy(a.indices->h + e * sizeof index, &index, sizeof index);
    }
    send(a.indices);
    const size_t ld = a.m.columns + pick(t, 4);
    operand *y = add_output(t, type, span(a.m.rows, a.m.columns, ld));
    y->has_any_zero = true;
    t->has_no_variant = true;
    begin(t, PRIM_OK, 0, true);
    describe(t, "sparse_to_dense: type %d, %zu × %zu with %zu entries, ld %zu", type, a.m.rows,
             a.m.columns, a.m.entries, ld);
    if (!end(t, prim_sparse_to_dense(
                    on_device(&a), prim_matrix_of(a.m.value_type, y->d, a.m.rows, a.m.columns, ld),
                    into(t->stream))))
        return;
    for (size_t row = 0; row < a.m.rows; row++) {
        char *const line = y->h + row * ld * bytes_of(type);
        memset(line, 0, a.m.columns * bytes_of(type));
        for (size_t e = offset_of(&a, row); e < offset_of(&a, row + 1); e++) {
            const size_t column = (size_t)before(a.indices, e);
            const double sum = number_at(type, line, column) + before(a.values, e);
            const float rounded = (float)sum;
            memcpy(line + column * bytes_of(type),
                   type == CUDA_R_32F ? (const void *)&rounded : &sum, bytes_of(type));
        }
    }
}

const stress_call conversion_calls[] = {
    {"sparse_from_csr", sparse_from_csr},
    {"sparse_to_csr", sparse_to_csr},
    {"sparse_convert_size", sparse_convert_size},
    {"sparse_transpose", sparse_transpose},
    {"sparse_sort", sparse_sort},
    {"sparse_from_dense", sparse_from_dense},
    {"sparse_to_dense", sparse_to_dense},
    {NULL, NULL},
};
