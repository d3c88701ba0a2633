/* sparse: COO sorted, and its duplicates added up. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "calls.h"
#include "sparse_matrices.h"
#include "support.h"

static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF};

/* COO in host memory; entry e's row and column are picked by `place`. */
typedef struct triplets {
    size_t rows, columns, entries;
    cudaDataType_t type;
    int32_t *row, *column;
    char *values;
} triplets;

static triplets new_triplets(size_t rows, size_t columns, size_t entries, cudaDataType_t type)
{
    triplets t = {rows, columns, entries, type, NULL, NULL, NULL};
    t.row = allocate(entries * sizeof *t.row);
    t.column = allocate(entries * sizeof *t.column);
    t.values = allocate(entries * type_bytes(type));
    for (size_t e = 0; e < entries; e++)
        write_float(type, t.values, e, number(REAL, random_bits(e + entries)));
    return t;
}

static void forget_triplets(triplets *t)
{
    free(t->row);
    free(t->column);
    free(t->values);
}

static prim_sparse matrix_of(const triplets *t)
{
    return (prim_sparse){.format = PRIM_SPARSE_COO,
                         .rows = t->rows,
                         .columns = t->columns,
                         .entries = t->entries,
                         .value_type = t->type,
                         .row_indices = t->row,
                         .column_indices = t->column,
                         .values = t->values};
}

/* ---- by hand ---- */

static const triplets *compared;

static int compare(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const triplets *t = compared;
    if (t->row[x] != t->row[y])
        return t->row[x] < t->row[y] ? -1 : 1;
    if (t->column[x] != t->column[y])
        return t->column[x] < t->column[y] ? -1 : 1;
    return x < y ? -1 : x > y; /* stable */
}

static size_t *order_of(const triplets *t)
{
    size_t *order = allocate(t->entries * sizeof *order);
    for (size_t e = 0; e < t->entries; e++)
        order[e] = e;
    compared = t;
    if (t->entries > 0)
        qsort(order, t->entries, sizeof *order, compare);
    return order;
}

/* a + b as values of this type are added. */
static double add(cudaDataType_t type, double a, double b)
{
    return type == CUDA_R_64F ? a + b : (double)((float)a + (float)b);
}

/* 32 sums of every 32nd value, and then these, halves first. */
static double sum_by_lanes(cudaDataType_t type, const double *values, size_t count)
{
    double lanes[32] = {0};
    for (size_t i = 0; i < count; i++)
        lanes[i % 32] = add(type, lanes[i % 32], values[i]);
    for (size_t stride = 16; stride > 0; stride /= 2)
        for (size_t l = 0; l < stride; l++)
            lanes[l] = add(type, lanes[l], lanes[l + stride]);
    return lanes[0];
}

static double sum_of_run(cudaDataType_t type, const double *values, size_t count)
{
    enum { FEW = 16, PIECE = 1024 };
    if (count <= FEW) {
        double sum = values[0];
        for (size_t i = 1; i < count; i++)
            sum = add(type, sum, values[i]);
        return sum;
    }
    if (count <= PIECE)
        return sum_by_lanes(type, values, count);
    const size_t pieces = (count + PIECE - 1) / PIECE;
    double *sums = allocate(pieces * sizeof *sums);
    for (size_t p = 0; p < pieces; p++)
        sums[p] =
            sum_by_lanes(type, values + p * PIECE, p + 1 < pieces ? PIECE : count - p * PIECE);
    const double sum = sum_by_lanes(type, sums, pieces);
    free(sums);
    return sum;
}

/* In order; with `summed`, an entry for each place. */
static triplets sorted_by_hand(const triplets *t, bool summed)
{
    const size_t bytes = type_bytes(t->type);
    size_t *order = order_of(t);
    triplets right = new_triplets(t->rows, t->columns, t->entries, t->type);
    double *values = allocate((t->entries + 1) * sizeof *values);
    right.entries = 0;
    for (size_t e = 0; e < t->entries;) {
        const size_t to = right.entries++;
        size_t end = e + 1;
        right.row[to] = t->row[order[e]];
        right.column[to] = t->column[order[e]];
        while (summed && end < t->entries && t->row[order[end]] == right.row[to] &&
               t->column[order[end]] == right.column[to])
            end++;
        memcpy(right.values + to * bytes, t->values + order[e] * bytes, bytes);
        for (size_t i = e; i < end; i++)
            values[i - e] = read_float(t->type, t->values, order[i]);
        if (end - e > 1)
            write_float(t->type, right.values, to, sum_of_run(t->type, values, end - e));
        e = end;
    }
    free(values);
    free(order);
    return right;
}

/* ---- the check ---- */

static void check_array(const void *got, const void *right, size_t count, size_t element_bytes,
                        size_t room, const char *name, const char *what)
{
    cr_assert(memcmp(got, right, count * element_bytes) == 0, "%s: %s", name, what);
    for (size_t b = count * element_bytes; b < room * element_bytes; b++)
        cr_assert(((const unsigned char *)got)[b] == GUARD_PATTERN, "%s: behind %s", name, what);
}

static void check_sorted(const triplets *t, bool summed, const char *name)
{
    const prim_sparse from = matrix_of(t);
    sent d = send_matrix(&from);
    triplets right = sorted_by_hand(t, summed);
    size_t bytes, workspace_bytes;
    prim_sparse to;
    uint64_t entries;
    cr_prim(asked_output(prim_sparse_sort(d.m, NULL, 0, NULL, NULL, asking()), &bytes));
    cr_prim(asked_bytes(prim_sparse_sort(d.m, NULL, 0, NULL, NULL, asking()), &workspace_bytes));
    guarded memory = guarded_new(bytes, 0), workspace = guarded_new(workspace_bytes, 0),
            count = guarded_new(sizeof entries, 0);
    cr_own(prim_sparse_sort(
        d.m, bytes > 0 ? memory.data : NULL, bytes, &to, summed ? count.data : NULL,
        with(own_stream(), workspace_bytes > 0 ? workspace.data : NULL, workspace_bytes)));
    char *h = allocate(bytes);
    guarded_read(&memory, h);
    guarded_read(&count, &entries);
    cr_assert(summed ? entries == right.entries : guarded_untouched(&count), "%s: %llu entries",
              name, (unsigned long long)entries);
    cr_assert(to.format == PRIM_SPARSE_COO && to.rows == t->rows && to.columns == t->columns &&
              to.entries == t->entries && to.value_type == t->type);
    if (t->entries > 0) {
        to = prim_sparse_moved(to, memory.data, h);
        check_array(to.row_indices, right.row, right.entries, 4, t->entries, name, "rows");
        check_array(to.column_indices, right.column, right.entries, 4, t->entries, name, "columns");
        check_array(to.values, right.values, right.entries, type_bytes(t->type), t->entries, name,
                    "values");
        to.entries = right.entries;
        cr_prim(prim_sparse_check_host(to));
    }
    free(h);
    guarded_free(&count);
    guarded_free(&workspace);
    guarded_free(&memory);
    forget_triplets(&right);
    forget_sent(&d);
}

static void check_both(const triplets *t, const char *name)
{
    check_sorted(t, false, name);
    check_sorted(t, true, name);
}

/* ---- tests ---- */

/* Scattered, with few and with many duplicates; on both sides of a tile and of another pass. */
Test(sparse_sort, scattered)
{
    static const struct {
        size_t rows, columns, entries;
    } cases[] = {{1, 1, 1},
                 {1, 1, 40},
                 {3, 1, 100},
                 {1, 5, 1023},
                 {7, 11, 1025},
                 {16, 16, 5000},
                 {257, 255, 4096},
                 {65537, 3, 3000},
                 {3, 65537, 7001},
                 {INT32_MAX, INT32_MAX, 2500},
                 {1 << 20, 1 << 12, 9000},
                 {5, 4, 20000},
                 {70001, 300, 70000}}; /* more entries that are alone than 16 bits count */
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        triplets t = new_triplets(cases[c].rows, cases[c].columns, cases[c].entries,
                                  types[c % COUNT_OF(types)]);
        for (size_t e = 0; e < t.entries; e++) {
            t.row[e] = (int32_t)(random_bits(3 * e) % t.rows);
            t.column[e] = (int32_t)(random_bits(3 * e + 1) % t.columns);
        }
        check_both(&t, "scattered");
        forget_triplets(&t);
    }
}

/* The ends of the indices, of which a word has every bit. */
Test(sparse_sort, first_and_last_places)
{
    triplets t = new_triplets(INT32_MAX, INT32_MAX, 2000, CUDA_R_32F);
    for (size_t e = 0; e < t.entries; e++) {
        t.row[e] = e % 3 == 0 ? 0 : INT32_MAX - 1 - (int32_t)(e % 2);
        t.column[e] = e % 5 < 2 ? INT32_MAX - 1 : (int32_t)(e % 5);
    }
    check_both(&t, "ends");
    forget_triplets(&t);
}

/* Runs of lengths around those where the order of a sum changes, side by side, from an entry on
 * that lies anywhere in a piece. */
Test(sparse_sort, runs)
{
    static const size_t lengths[] = {1,    2,    15,   16, 17,   31,   32, 33,   1023,
                                     1024, 1025, 2047, 1,  2048, 2049, 1,  4000, 1026};
    for (size_t shift = 0; shift < 4 * 341; shift += 341)
        for (size_t type = 0; type < COUNT_OF(types); type++) {
            if (get_test_level() == LEVEL_QUICK && type != shift / 341)
                continue;
            size_t entries = shift, e = 0;
            for (size_t r = 0; r < COUNT_OF(lengths); r++)
                entries += lengths[r];
            triplets t = new_triplets(300, 9, entries, types[type]);
            for (; e < shift; e++) { /* one by one */
                t.row[e] = (int32_t)(e / 9);
                t.column[e] = (int32_t)(e % 9);
            }
            for (size_t r = 0; r < COUNT_OF(lengths); r++)
                for (size_t i = 0; i < lengths[r]; i++, e++) {
                    t.row[e] = (int32_t)(r * 7 + 150);
                    t.column[e] = (int32_t)(r % 9);
                }
            check_both(&t, "runs");
            for (size_t i = 0; i < t.entries / 2; i++) { /* the last run comes first */
                const int32_t row = t.row[i], column = t.column[i];
                t.row[i] = t.row[t.entries - 1 - i];
                t.column[i] = t.column[t.entries - 1 - i];
                t.row[t.entries - 1 - i] = row;
                t.column[t.entries - 1 - i] = column;
            }
            check_both(&t, "runs backwards");
            forget_triplets(&t);
        }
}

/* One place has everything, beside one entry before and one after it. */
Test(sparse_sort, one_long_run)
{
    triplets t = new_triplets(5, 6, get_test_level() == LEVEL_QUICK ? 34000 : 70000, CUDA_R_32F);
    for (size_t e = 0; e < t.entries; e++) {
        t.row[e] = e == 777 ? 0 : e == 9 ? 4 : 2;
        t.column[e] = 5;
    }
    check_both(&t, "one place");
    forget_triplets(&t);
}

/* NaN, infinities and both zeros keep their bits where they are alone; a sum of 0 stays. */
Test(sparse_sort, values_that_are_alone)
{
    static const uint32_t bits[] = {0x7fc12345, 0x7f812345, 0xff800000, 0x80000000, 1, 0x3f800000};
    triplets t = new_triplets(4, 4, COUNT_OF(bits) + 1, CUDA_R_32F);
    memcpy(t.values, bits, sizeof bits);
    write_float(t.type, t.values, COUNT_OF(bits), -1.0);
    for (size_t e = 0; e < t.entries; e++) {
        t.row[e] = e < COUNT_OF(bits) ? (int32_t)(3 - e % 4) : 2;
        t.column[e] = e < 4 ? 0 : 3;
    }
    check_both(&t, "alone");
    forget_triplets(&t);
}

Test(sparse_sort, nothing)
{
    triplets t = new_triplets(7, 5, 0, CUDA_R_16F), none = new_triplets(0, 0, 0, CUDA_R_64F);
    check_both(&t, "no entries");
    check_both(&none, "no rows");
    forget_triplets(&none);
    forget_triplets(&t);
}

Test(sparse_sort, what_is_refused)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I), coo = classic_as(PRIM_SPARSE_COO);
    sent d = send_matrix(&coo.m);
    prim_sparse many = d.m, to;
    size_t needed, workspace_bytes;
    cr_refused(prim_sparse_sort(without_arrays(csr.m), NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_UNSUPPORTED, "COO");
    many.entries = (size_t)1 << 32;
    cr_refused(prim_sparse_sort(many, NULL, 0, NULL, NULL, asking()), PRIM_ERROR_UNSUPPORTED,
               "2^32");
    cr_refused(prim_sparse_sort(many, NULL, 0, NULL, NULL, asking()), PRIM_ERROR_UNSUPPORTED,
               "2^32");
    cr_prim(asked_output(prim_sparse_sort(d.m, NULL, 0, NULL, NULL, asking()), &needed));
    cr_prim(asked_bytes(prim_sparse_sort(d.m, NULL, 0, NULL, NULL, asking()), &workspace_bytes));
    guarded memory = guarded_new(needed, 0), workspace = guarded_new(workspace_bytes, 0);
    cr_refused(prim_sparse_sort(d.m, memory.data, needed, NULL, NULL,
                                with(0, workspace.data, workspace_bytes)),
               PRIM_ERROR_NULL, "to");
    cr_refused(prim_sparse_sort(d.m, memory.data, needed - 1, &to, NULL,
                                with(0, workspace.data, workspace_bytes)),
               PRIM_ERROR_WORKSPACE, "bytes");
    cr_refused(prim_sparse_sort(d.m, memory.data, needed, &to, (uint64_t *)memory.data,
                                with(0, workspace.data, workspace_bytes)),
               PRIM_ERROR_OVERLAP, "entries");
    cr_refused(prim_sparse_sort(d.m, memory.data, needed, &to, (uint64_t *)(uintptr_t)4,
                                with(0, workspace.data, workspace_bytes)),
               PRIM_ERROR_MISALIGNED, "entries");
    cr_assert(guarded_untouched(&memory) && guarded_untouched(&workspace));
    guarded_free(&workspace);
    guarded_free(&memory);
    forget_sent(&d);
    forget(&coo);
    forget(&csr);
}
