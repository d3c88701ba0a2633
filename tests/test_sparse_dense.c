/* sparse: dense matrices to CSR and back. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "calls.h"
#include "sparse_matrices.h"
#include "support.h"

static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF};

/* ---- to CSR ---- */

typedef struct dense {
    cudaDataType_t type;
    size_t rows, columns, ld;
    void *h;
} dense;

/* Zeros of both signs, NaN, the smallest number and others; between rows nothing is 0. */
static dense make_dense(cudaDataType_t type, size_t rows, size_t columns, size_t gap, unsigned full)
{
    dense d = {type, rows, columns, columns + gap, NULL};
    const size_t count = rows * d.ld;
    d.h = allocate(count * type_bytes(type));
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(i + 31 * rows + full);
        const bool zero = i % d.ld < columns && bits % 8 >= full;
        const double number = (double)(int)(bits >> 20 & 63) + 1;
        write_float(type, d.h, i, zero ? (bits & 64 ? -0.0 : 0.0) : bits & 128 ? number : NAN);
        if (!zero && (bits >> 40) % 8 == 0) { /* the least number above 0 */
            memset((char *)d.h + i * type_bytes(type), 0, type_bytes(type));
            ((char *)d.h)[i * type_bytes(type)] = 1;
        }
    }
    return d;
}

/* What is to be found: by numbers, not by bits. */
static size_t list_elements(const dense *d, size_t *offsets, int32_t *columns, char *values)
{
    const size_t bytes = type_bytes(d->type);
    size_t next = 0;
    for (size_t row = 0; row < d->rows; row++) {
        offsets[row] = next;
        for (size_t c = 0; c < d->columns; c++) {
            const double number = read_float(d->type, d->h, row * d->ld + c);
            if (number == 0)
                continue;
            memcpy(values + next * bytes, (char *)d->h + (row * d->ld + c) * bytes, bytes);
            columns[next++] = (int32_t)c;
        }
    }
    offsets[d->rows] = next;
    return next;
}

static uint64_t size_of(const dense *d, const guarded *in)
{
    size_t bytes;
    uint64_t size;
    cr_prim(asked_bytes(prim_sparse_from_dense_size(
                            prim_matrix_of(d->type, NULL, d->rows, d->columns, 0), NULL, asking()),
                        &bytes));
    guarded d_size = guarded_new(sizeof size, 0), workspace = guarded_new(bytes, 0);
    cr_own(
        prim_sparse_from_dense_size(prim_matrix_of(d->type, in->data, d->rows, d->columns, d->ld),
                                    d_size.data, with(own_stream(), workspace.data, bytes)));
    guarded_read(&d_size, &size);
    guarded_free(&workspace);
    guarded_free(&d_size);
    return size;
}

/* With room for `size` entries of `all`. */
static void check_elements(const dense *d, const guarded *in, size_t size, size_t all,
                           const size_t *offsets, const int32_t *columns, const char *values,
                           cudaDataType_t offset_type)
{
    prim_sparse m;
    size_t bytes, workspace_bytes;
    uint64_t found;
    cr_prim(
        asked_output(prim_sparse_from_dense(prim_matrix_of(d->type, NULL, d->rows, d->columns, 0),
                                            offset_type, size, NULL, 0, NULL, NULL, asking()),
                     &bytes));
    cr_prim(asked_bytes(prim_sparse_from_dense_size(
                            prim_matrix_of(d->type, NULL, d->rows, d->columns, 0), NULL, asking()),
                        &workspace_bytes));
    guarded memory = guarded_new(bytes, 0), missing = guarded_new(sizeof found, 0),
            workspace = guarded_new(workspace_bytes, 0);
    cr_own(prim_sparse_from_dense(prim_matrix_of(d->type, in->data, d->rows, d->columns, d->ld),
                                  offset_type, size, memory.data, bytes, &m, missing.data,
                                  with(own_stream(), workspace.data, workspace_bytes)));
    guarded_read(&missing, &found);
    char *h = allocate(bytes);
    guarded_read(&memory, h);
    m = prim_sparse_moved(m, memory.data, h);
    cr_assert_eq(found, all - size);
    cr_assert(m.format == PRIM_SPARSE_CSR && m.rows == d->rows && m.columns == d->columns &&
              m.entries == size && m.value_type == d->type && m.offset_type == offset_type);
    cr_prim(prim_sparse_check_host(m));
    for (size_t row = 0; row <= d->rows; row++)
        cr_assert_eq(offset_of(&m, row), offsets[row] < size ? offsets[row] : size);
    cr_assert(memcmp(m.column_indices, columns, size * sizeof *columns) == 0);
    cr_assert(memcmp(m.values, values, size * type_bytes(d->type)) == 0);
    free(h);
    guarded_free(&workspace);
    guarded_free(&missing);
    guarded_free(&memory);
}

static void check_dense(cudaDataType_t type, size_t rows, size_t columns, size_t gap, unsigned full)
{
    const dense d = make_dense(type, rows, columns, gap, full);
    const size_t bytes = type_bytes(type),
                 in_bytes = rows > 0 && columns > 0 ? ((rows - 1) * d.ld + columns) * bytes : 0;
    size_t *offsets = allocate((rows + 1) * sizeof *offsets);
    int32_t *indices = allocate(rows * columns * sizeof *indices);
    char *values = allocate(rows * columns * bytes);
    guarded in = guarded_copy(d.h, in_bytes, bytes);
    const size_t all = list_elements(&d, offsets, indices, values);
    cr_assert_eq(size_of(&d, &in), all, "%zu × %zu of %s", rows, columns, type_name(type));
    check_elements(&d, &in, all, all, offsets, indices, values, CUDA_R_32I);
    check_elements(&d, &in, all / 2, all, offsets, indices, values, CUDA_R_64I);
    guarded_free(&in);
    free(values);
    free(indices);
    free(offsets);
    free(d.h);
}

Test(sparse_dense, elements_that_are_not_0)
{
    static const size_t sizes[][2] = {{0, 0},   {0, 5},   {5, 0},    {1, 1},    {1, 31},
                                      {3, 32},  {7, 33},  {9, 1},    {8, 64},   {65, 65},
                                      {1, 999}, {300, 3}, {70, 6},   {65, 16},  {40, 17},
                                      {2, 512}, {3, 513}, {2, 1536}, {1, 5000}, {3, 4097}};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            for (unsigned full = 0; full <= 8; full += 4)
                check_dense(types[t], sizes[s][0], sizes[s][1], s % 3 == 0 ? 0 : 5, full);
}

/* ---- from CSR ---- */

static double add_rounded(cudaDataType_t type, double a, double b)
{
    if (type == CUDA_R_64F)
        return a + b;
    return round_to_type(type, (float)a + (float)b);
}

static void check_from_csr(const kept *csr, size_t gap, const char *name)
{
    const prim_sparse *m = &csr->m;
    const size_t bytes = type_bytes(m->value_type), ld = m->columns + gap, count = m->rows * ld,
                 out_bytes =
                     m->rows > 0 && m->columns > 0 ? ((m->rows - 1) * ld + m->columns) * bytes : 0;
    char *right = allocate(count * bytes), *is = allocate(count * bytes);
    memset(right, GUARD_PATTERN, count * bytes);
    memset(is, GUARD_PATTERN, count * bytes);
    for (size_t row = 0; row < m->rows; row++) {
        memset(right + row * ld * bytes, 0, m->columns * bytes);
        for (size_t e = offset_of(m, row); e < offset_of(m, row + 1); e++) {
            const size_t i = row * ld + (size_t)m->column_indices[e];
            write_float(m->value_type, right, i,
                        add_rounded(m->value_type, read_float(m->value_type, right, i),
                                    read_float(m->value_type, m->values, e)));
        }
    }
    sent d = send_matrix(m);
    guarded out = guarded_new(out_bytes, bytes);
    cr_own(prim_sparse_to_dense(d.m,
                                prim_matrix_of(d.m.value_type, out.data, d.m.rows, d.m.columns, ld),
                                into(own_stream())));
    guarded_read(&out, is);
    cr_assert_arr_eq(is, right, count * bytes, "%s of %s", name, type_name(m->value_type));
    guarded_free(&out);
    forget_sent(&d);
    free(is);
    free(right);
}

Test(sparse_dense, places_of_several_entries_add_up)
{
    const size_t step = get_test_level() == LEVEL_QUICK ? 3 : 1;
    for (size_t s = 0; s < shape_count; s += step) {
        const shape *the = &shapes[s];
        if (the->rows * the->columns > 200000)
            continue;
        kept csr = make(the, types[s / step % COUNT_OF(types)],
                        s % 2 == 0 ? CUDA_R_32I : CUDA_R_64I, REAL);
        check_from_csr(&csr, s % 3 == 0 ? 0 : 3, the->name);
        forget(&csr);
    }
}

/* Long rows whose columns ascend, but for two neighbours of one of them; or all do. */
static kept make_ascending(cudaDataType_t type, size_t wrong, bool equal)
{
    enum { ROWS = 5, COLUMNS = 1600 };
    size_t lengths[ROWS], entries = 0;
    for (size_t row = 0; row < ROWS; row++)
        entries += lengths[row] = row == 2 ? 0 : COLUMNS - 7 * row;
    kept k = new_csr(ROWS, COLUMNS, entries, type, CUDA_R_32I);
    int32_t *const columns = (int32_t *)k.m.column_indices;
    for (size_t row = 0, e = 0; row < ROWS; row++) {
        for (size_t s = 0; s < lengths[row]; s++, e++) {
            columns[e] = (int32_t)(s + 3 * row % 4);
            write_float(type, (void *)k.m.values, e, number(REAL, random_bits(e)));
        }
        set_offset(&k.m, row + 1, e);
    }
    if (wrong < entries - 1) {
        const int32_t first = columns[wrong];
        columns[wrong] = columns[wrong + 1];
        columns[wrong + 1] = equal ? columns[wrong] : first;
    }
    return k;
}

/* Also where blocks of entries begin, and at a row's first column; in the last row, which begins at
 * column 0, too. */
Test(sparse_dense, rows_whose_columns_ascend_or_not)
{
    static const size_t wrong[] = {SIZE_MAX, 0,    1,    500,  1022, 1023, 1024,
                                   1598,     1600, 1601, 4700, 4772, 5000};
    for (size_t w = 0; w < COUNT_OF(wrong); w++)
        for (int equal = 0; equal < 2; equal++) {
            kept csr = make_ascending(types[w % COUNT_OF(types)], wrong[w], equal != 0);
            check_from_csr(&csr, w % 2 * 3, "ascending");
            forget(&csr);
        }
}

Test(sparse_dense, the_classic_example_of_every_type)
{
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        kept csr = classic(types[t], CUDA_R_32I);
        check_from_csr(&csr, 0, "classic");
        forget(&csr);
    }
}

Test(sparse_dense, what_is_refused)
{
    kept k = classic(CUDA_R_32F, CUDA_R_32I), ell = classic_as(PRIM_SPARSE_ELL);
    sent d = send_matrix(&k.m), d_ell = send_matrix(&ell.m);
    guarded out = guarded_new(64, 0);
    cr_refused(prim_sparse_to_dense(
                   d_ell.m,
                   prim_matrix_of(d_ell.m.value_type, out.data, d_ell.m.rows, d_ell.m.columns, 4),
                   NULL),
               PRIM_ERROR_UNSUPPORTED, "CSR");
    cr_refused(prim_sparse_to_dense(
                   d.m, prim_matrix_of(d.m.value_type, out.data, d.m.rows, d.m.columns, 3), NULL),
               PRIM_ERROR_VALUE, "ld");
    cr_refused(prim_sparse_from_dense(prim_matrix_of(CUDA_R_32I, NULL, 4, 4, 0), CUDA_R_32I, 0,
                                      NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_TYPE, "i32");
    cr_refused(prim_sparse_from_dense(prim_matrix_of(CUDA_R_32F, NULL, 4, 4, 0), CUDA_R_32F, 0,
                                      NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_TYPE, "offset_type");
    cr_refused(prim_sparse_from_dense(prim_matrix_of(CUDA_R_32F, NULL, 4, 4, 0), CUDA_R_32I,
                                      (size_t)1 << 31, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_VALUE, "i32");
    cr_refused(prim_sparse_from_dense(prim_matrix_of(CUDA_R_32F, NULL, 4, 4, 0), CUDA_R_64I,
                                      SIZE_MAX / 6, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_SIZE, "size_t");
    cr_refused(prim_sparse_from_dense_size(prim_matrix_of(CUDA_R_32F, NULL, (size_t)1 << 31, 4, 0),
                                           NULL, asking()),
               PRIM_ERROR_VALUE, "2^31");
    cr_assert(guarded_untouched(&out));
    guarded_free(&out);
    forget_sent(&d_ell);
    forget_sent(&d);
    forget(&ell);
    forget(&k);
}
