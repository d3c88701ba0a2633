/* merge, convolution and sparse: no operand that is written may overlap another one. A row for each
 * operand of each call; overlaps.c moves them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/convolution.h>
#include <primitives/merge.h>
#include <primitives/sparse.h>

#include "calls.h"
#include "overlaps.h"
#include "sparse_matrices.h"
#include "support.h"
#include "weights.h"

#define INPUT(name, bytes, unit)            \
    {                                       \
        name, (bytes), unit, NULL, false, 0 \
    }
#define OUTPUT(name, bytes, unit)          \
    {                                      \
        name, (bytes), unit, NULL, true, 0 \
    }
/* `place` says which operand it may be. */
#define IN_PLACE(name, bytes, unit, place)           \
    {                                                \
        name, (bytes), unit, NULL, true, (place) + 1 \
    }

/* Where a call needs none, it is given some. */
enum { SOME_WORKSPACE = 256 };

static size_t at_least_some(size_t bytes)
{
    return bytes > 0 ? bytes : SOME_WORKSPACE;
}

/* ---- merge ---- */

enum { A = 90, B = 60, BOTH = A + B, VALUE = 8, SORTED = 5000, FOUND = 12 };

static prim_status merge(const void *args, char *const *at)
{
    (void)args;
    return prim_merge(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, at[0], A, at[1], B, at[2],
                      with(0, at[3], SOME_WORKSPACE));
}

static prim_status merge_pairs(const void *args, char *const *at)
{
    (void)args;
    return prim_merge_pairs(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, VALUE,
                            (prim_keys){at[0], at[1], A}, (prim_keys){at[2], at[3], B}, at[4],
                            at[5], with(0, at[6], SOME_WORKSPACE));
}

static prim_status merge_sort(const void *bytes, char *const *at)
{
    return prim_merge_sort(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, at[0], SORTED, at[1],
                           with(0, at[2], *(const size_t *)bytes));
}

static prim_status merge_sort_pairs(const void *bytes, char *const *at)
{
    return prim_merge_sort_pairs(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, VALUE,
                                 (prim_keys){at[0], at[1], SORTED}, at[2], at[3],
                                 with(0, at[4], *(const size_t *)bytes));
}

static prim_status permutation(const void *bytes, char *const *at)
{
    return prim_merge_sort_permutation(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, at[0], SORTED,
                                       CUDA_R_32U, at[1], with(0, at[2], *(const size_t *)bytes));
}

static prim_status co_rank(const void *args, char *const *at)
{
    (void)args;
    return prim_co_rank(PRIM_ASCENDING, CUDA_R_32I, at[0], A, at[1], B, (const uint64_t *)at[2],
                        FOUND, (uint64_t *)at[3], NULL);
}

static prim_status co_ranks(const void *args, char *const *at)
{
    const void *const runs[] = {at[0], at[1]};
    static const size_t counts[] = {A, B};
    (void)args;
    return prim_co_ranks(PRIM_ASCENDING, CUDA_R_32I, 2, runs, counts, (const uint64_t *)at[2],
                         FOUND, (uint64_t *)at[3], NULL);
}

static prim_status gather(const void *args, char *const *at)
{
    (void)args;
    return prim_gather(VALUE, at[0], A, CUDA_R_32U, at[1], B, at[2], NULL);
}

static prim_status is_sorted(const void *args, char *const *at)
{
    (void)args;
    return prim_is_sorted(PRIM_ASCENDING, CUDA_R_32I, at[0], A, (uint32_t *)at[1], NULL);
}

Test(overlaps, merge)
{
    size_t keys, pairs, indices;
    cr_prim(asked_bytes(
        prim_merge_sort(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, NULL, SORTED, NULL, asking()),
        &keys));
    cr_prim(
        asked_bytes(prim_merge_sort_pairs(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, VALUE,
                                          (prim_keys){NULL, NULL, SORTED}, NULL, NULL, asking()),
                    &pairs));
    cr_prim(asked_bytes(prim_merge_sort_permutation(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I,
                                                    NULL, SORTED, CUDA_R_32U, NULL, asking()),
                        &indices));
    const overlap_case cases[] = {
        {"prim_merge",
         NULL,
         merge,
         4,
         {INPUT("d_a", 4 * A, 4), INPUT("d_b", 4 * B, 4), OUTPUT("d_out", 4 * BOTH, 4),
          OUTPUT("d_workspace", SOME_WORKSPACE, 256)}},
        {"prim_merge_pairs",
         NULL,
         merge_pairs,
         7,
         {INPUT("d_a", 4 * A, 4), INPUT("d_a_values", VALUE * A, VALUE), INPUT("d_b", 4 * B, 4),
          INPUT("d_b_values", VALUE * B, VALUE), OUTPUT("d_out", 4 * BOTH, 4),
          OUTPUT("d_out_values", VALUE * BOTH, VALUE), OUTPUT("d_workspace", SOME_WORKSPACE, 256)}},
        {"prim_merge_sort",
         &keys,
         merge_sort,
         3,
         {INPUT("d_in", 4 * SORTED, 4), IN_PLACE("d_out", 4 * SORTED, 4, 0),
          OUTPUT("d_workspace", keys, 256)}},
        {"prim_merge_sort_pairs",
         &pairs,
         merge_sort_pairs,
         5,
         {INPUT("d_in", 4 * SORTED, 4), INPUT("d_values", VALUE * SORTED, VALUE),
          IN_PLACE("d_out", 4 * SORTED, 4, 0), IN_PLACE("d_out_values", VALUE * SORTED, VALUE, 1),
          OUTPUT("d_workspace", pairs, 256)}},
        {"prim_merge_sort_permutation",
         &indices,
         permutation,
         3,
         {INPUT("d_in", 4 * SORTED, 4), OUTPUT("d_indices", 4 * SORTED, 4),
          OUTPUT("d_workspace", indices, 256)}},
        {"prim_co_rank",
         NULL,
         co_rank,
         4,
         {INPUT("d_a", 4 * A, 4), INPUT("d_b", 4 * B, 4), INPUT("d_diagonals", 8 * FOUND, 8),
          OUTPUT("d_ranks", 8 * FOUND, 8)}},
        {"prim_co_ranks",
         NULL,
         co_ranks,
         4,
         {INPUT("h_runs[0]", 4 * A, 4), INPUT("h_runs[1]", 4 * B, 4),
          INPUT("d_diagonals", 8 * FOUND, 8), OUTPUT("d_ranks", 16 * FOUND, 8)}},
        {"prim_gather",
         NULL,
         gather,
         3,
         {INPUT("d_values", VALUE * A, 1), INPUT("d_indices", 4 * B, 4),
          OUTPUT("d_out", VALUE * B, 1)}},
        {"prim_is_sorted", NULL, is_sorted, 2, {INPUT("d_in", 4 * A, 4), OUTPUT("d_answer", 4, 4)}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_overlaps(&cases[i]);
}

/* ---- convolution: rows with gaps, whose last one ends an image ---- */

enum { WIDTH = 20, HEIGHT = 12, PITCH = 96, IMAGE = (HEIGHT - 1) * PITCH + 4 * WIDTH };

static prim_image image_at(char *d_data)
{
    return (prim_image){d_data, WIDTH, HEIGHT, PITCH, 1, CUDA_R_32F};
}

static prim_mask mask_at(const char *d_values, size_t width, size_t height)
{
    return (prim_mask){.d_values = d_values, .width = width, .height = height, .type = CUDA_R_32F};
}

static prim_status convolve_1d(const void *args, char *const *at)
{
    (void)args;
    return prim_convolve_1d(PRIM_CONVOLUTION_AUTO, 0, PRIM_BOUNDARY_CLAMP, NULL, CUDA_R_32F, at[0],
                            WIDTH, mask_at(at[1], 3, 1), at[2], with(0, at[3], SOME_WORKSPACE));
}

static prim_status convolve_2d(const void *args, char *const *at)
{
    (void)args;
    return prim_convolve_2d(PRIM_CONVOLUTION_AUTO, 0, PRIM_BOUNDARY_CLAMP, NULL, image_at(at[0]),
                            mask_at(at[1], 3, 5), image_at(at[2]), with(0, at[3], SOME_WORKSPACE));
}

static prim_status convolve_separable(const void *bytes, char *const *at)
{
    return prim_convolve_separable(PRIM_CONVOLUTION_AUTO, 0, PRIM_BOUNDARY_CLAMP, NULL,
                                   image_at(at[0]), mask_at(at[1], 3, 1), mask_at(at[2], 1, 5),
                                   image_at(at[3]), with(0, at[4], *(const size_t *)bytes));
}

Test(overlaps, convolution)
{
    const char *const d_weights = weights_to_ask_with();
    prim_image image = image_at(NULL);
    size_t bytes;
    cr_prim(asked_bytes(prim_convolve_separable(PRIM_CONVOLUTION_AUTO, 0, PRIM_BOUNDARY_CLAMP, NULL,
                                                image, mask_at(d_weights, 3, 1),
                                                mask_at(d_weights, 1, 5), image, asking()),
                        &bytes));
    bytes = at_least_some(bytes);
    const overlap_case cases[] = {
        {"prim_convolve_1d",
         NULL,
         convolve_1d,
         4,
         {INPUT("d_in", 4 * WIDTH, 4), INPUT("mask", 12, 4), OUTPUT("d_out", 4 * WIDTH, 4),
          OUTPUT("d_workspace", SOME_WORKSPACE, 256)}},
        {"prim_convolve_2d",
         NULL,
         convolve_2d,
         4,
         {INPUT("in", IMAGE, 4), INPUT("mask", 60, 4), OUTPUT("out", IMAGE, 4),
          OUTPUT("d_workspace", SOME_WORKSPACE, 256)}},
        {"prim_convolve_separable",
         &bytes,
         convolve_separable,
         5,
         {INPUT("in", IMAGE, 4), INPUT("mask_x", 12, 4), INPUT("mask_y", 20, 4),
          OUTPUT("out", IMAGE, 4), OUTPUT("d_workspace", bytes, 256)}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_overlaps(&cases[i]);
}

/* ---- sparse: the arrays of a matrix, each an operand, and after them the call's others ---- */

typedef struct sparse_call {
    prim_sparse m; /* its arrays in host memory */
    size_t arrays; /* so many of the operands are arrays of the matrix */
    size_t fields[8];
    size_t bytes, memory_bytes, size;
    prim_sparse_format to;
} sparse_call;

/* The pointers of a matrix to memory of the device. */
static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    {"row_offsets", offsetof(prim_sparse, row_offsets)},
    {"row_indices", offsetof(prim_sparse, row_indices)},
    {"column_indices", offsetof(prim_sparse, column_indices)},
    {"values", offsetof(prim_sparse, values)},
    {"ell_columns", offsetof(prim_sparse, ell_columns)},
    {"ell_values", offsetof(prim_sparse, ell_values)},
    {"permutation", offsetof(prim_sparse, permutation)},
    {"slice_offsets", offsetof(prim_sparse, slice_offsets)},
};

static const void *pointer_of(const prim_sparse *m, size_t field)
{
    const void *pointer;
    memcpy(&pointer, (const char *)m + fields[field].offset, sizeof pointer);
    return pointer;
}

static size_t bytes_of(const prim_sparse *m, size_t field)
{
    const size_t value = type_bytes(m->value_type), places = m->ell_width * m->ell_ld;
    const size_t slices = (m->rows + PRIM_SPARSE_SLICE_ROWS - 1) / PRIM_SPARSE_SLICE_ROWS;
    const size_t bytes[] = {(m->rows + 1) * 4, m->entries * 4, m->entries * 4, m->entries * value,
                            places * 4,        places * value, m->rows * 4,    (slices + 1) * 4};
    return bytes[field];
}

static prim_sparse matrix_at(const sparse_call *s, char *const *at)
{
    prim_sparse m = s->m;
    for (size_t i = 0; i < s->arrays; i++)
        memcpy((char *)&m + fields[s->fields[i]].offset, &at[i], sizeof at[i]);
    return m;
}

/* The matrix's arrays as the first operands. */
static overlap_case case_of(const char *name, sparse_call *s,
                            prim_status (*make)(const void *, char *const *))
{
    overlap_case c = {.call = name, .args = s, .make = make};
    for (size_t f = 0; f < COUNT_OF(fields); f++) {
        const void *const h = pointer_of(&s->m, f);
        const bool is_value = f == 3 || f == 5;
        if (h == NULL || bytes_of(&s->m, f) == 0)
            continue;
        s->fields[c.count] = f;
        c.operands[c.count++] = (operand){fields[f].name,
                                          bytes_of(&s->m, f),
                                          is_value ? type_bytes(s->m.value_type) : 4,
                                          h,
                                          false,
                                          0};
    }
    s->arrays = c.count;
    return c;
}

static void add_input(overlap_case *c, const char *name, size_t bytes, size_t unit)
{
    c->operands[c->count++] = (operand)INPUT(name, bytes, unit);
}

static void add_output(overlap_case *c, const char *name, size_t bytes, size_t unit)
{
    c->operands[c->count++] = (operand)OUTPUT(name, bytes, unit);
}

/* After the others comes the workspace. */
static void check_with_workspace(overlap_case *c, sparse_call *s, size_t bytes)
{
    s->bytes = at_least_some(bytes);
    add_output(c, "d_workspace", s->bytes, 256);
    check_overlaps(c);
}

static prim_status spmv(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    char *const *const others = at + s->arrays;
    return prim_spmv(PRIM_SPMV_AUTO, 1, matrix_at(s, at),
                     prim_vector_of(s->m.value_type, others[0], s->m.columns), 1,
                     prim_vector_of(s->m.value_type, others[1], s->m.rows),
                     with(0, others[2], s->bytes));
}

static prim_status check(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    char *const *const others = at + s->arrays;
    return prim_sparse_check(matrix_at(s, at), (prim_sparse_finding *)others[0],
                             with(0, others[1], s->bytes));
}

static prim_status convert_size(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    char *const *const others = at + s->arrays;
    return prim_sparse_convert_size(matrix_at(s, at), s->to, 1, (uint64_t *)others[0],
                                    with(0, others[1], s->bytes));
}

static prim_status convert_matrix(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    char *const *const others = at + s->arrays;
    prim_sparse to;
    return prim_sparse_convert(matrix_at(s, at), s->to, CUDA_R_32I, s->to != PRIM_SPARSE_ELL,
                               s->size, others[0], s->memory_bytes, &to, (uint64_t *)others[1],
                               with(0, others[2], s->bytes));
}

static prim_status transpose(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    char *const *const others = at + s->arrays;
    prim_sparse to;
    return prim_sparse_transpose(matrix_at(s, at), CUDA_R_32I, others[0], s->memory_bytes, &to,
                                 with(0, others[1], s->bytes));
}

static prim_status sort(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    char *const *const others = at + s->arrays;
    prim_sparse to;
    return prim_sparse_sort(matrix_at(s, at), others[0], s->memory_bytes, &to,
                            (uint64_t *)others[1], with(0, others[2], s->bytes));
}

static prim_status to_dense(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    return prim_sparse_to_dense(
        matrix_at(s, at),
        prim_matrix_of(s->m.value_type, at[s->arrays], s->m.rows, s->m.columns, s->m.columns + 3),
        NULL);
}

static prim_status make_plan(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    char *const *const others = at + s->arrays;
    return prim_spmv_plan(matrix_at(s, at), others[0], s->memory_bytes,
                          with(0, others[1], s->bytes));
}

static prim_status multiply_planned(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    char *const *const others = at + s->arrays;
    return prim_spmv_planned(1, matrix_at(s, at), others[0], s->memory_bytes,
                             prim_vector_of(s->m.value_type, others[1], s->m.columns), 1,
                             prim_vector_of(s->m.value_type, others[2], s->m.rows),
                             with(0, others[3], s->bytes));
}

enum { SPARSE_COLUMNS = 70 };
static const shape scattered = {"scattered", 100, SPARSE_COLUMNS, skewed, 9, false};

static void check_products(const kept *k)
{
    sparse_call s = {.m = k->m};
    const size_t value = type_bytes(s.m.value_type);
    size_t bytes;
    overlap_case c = case_of("prim_spmv", &s, spmv);
    add_input(&c, "d_x", s.m.columns * value, value);
    add_output(&c, "d_y", s.m.rows * value, value);
    cr_prim(asked_bytes(prim_spmv(PRIM_SPMV_AUTO, 1, without_arrays(s.m),
                                  prim_vector_of(s.m.value_type, NULL, s.m.columns), 0,
                                  prim_vector_of(s.m.value_type, NULL, s.m.rows), asking()),
                        &bytes));
    check_with_workspace(&c, &s, bytes);

    c = case_of("prim_sparse_check", &s, check);
    add_output(&c, "d_finding", sizeof(prim_sparse_finding), 8);
    sent d = send_matrix(&s.m); /* with the permutation */
    cr_prim(asked_bytes(prim_sparse_check(d.m, NULL, asking()), &bytes));
    forget_sent(&d);
    check_with_workspace(&c, &s, bytes);
}

static void check_conversion(const kept *k, prim_sparse_format to)
{
    sparse_call s = {.m = k->m, .to = to, .size = 1024};
    size_t bytes;
    cr_prim(
        asked_bytes(prim_sparse_convert_size(without_arrays(s.m), to, 1, NULL, asking()), &bytes));
    cr_prim(
        asked_output(prim_sparse_convert(without_arrays(s.m), to, CUDA_R_32I, to != PRIM_SPARSE_ELL,
                                         s.size, NULL, 0, NULL, NULL, asking()),
                     &s.memory_bytes));
    overlap_case c = case_of("prim_sparse_convert_size", &s, convert_size);
    add_output(&c, "d_size", 8, 8);
    check_with_workspace(&c, &s, bytes);

    c = case_of("prim_sparse_convert", &s, convert_matrix);
    add_output(&c, "d_memory", s.memory_bytes, 16);
    add_output(&c, "d_missing", 8, 8);
    check_with_workspace(&c, &s, bytes);
}

Test(overlaps, sparse_products_and_conversions)
{
    kept csr = make(&scattered, CUDA_R_64F, CUDA_R_32I, WHOLE);
    /* One of each format, with all its arrays: entries of HYB in COO, and SELL permuted. */
    static const form full[] = {{PRIM_SPARSE_CSR, 0, false}, {PRIM_SPARSE_COO, 0, false},
                                {PRIM_SPARSE_ELL, 0, true},  {PRIM_SPARSE_HYB, 1, false},
                                {PRIM_SPARSE_JDS, 0, false}, {PRIM_SPARSE_SELL, 50, false}};
    for (size_t f = 0; f < COUNT_OF(full); f++) {
        kept k = in_form(&csr.m, &full[f]);
        check_products(&k);
        check_conversion(&csr, full[f].format);
        check_conversion(&k, PRIM_SPARSE_CSR);
        forget(&k);
    }
    forget(&csr);
}

Test(overlaps, sparse_matrices_of_other_shapes)
{
    kept csr = make(&scattered, CUDA_R_64F, CUDA_R_32I, WHOLE);
    kept coo = convert(&csr.m, PRIM_SPARSE_COO, CUDA_R_32I, 0);
    sparse_call s = {.m = csr.m};
    size_t bytes;
    overlap_case c = case_of("prim_sparse_transpose", &s, transpose);
    cr_prim(asked_output(
        prim_sparse_transpose(without_arrays(s.m), CUDA_R_32I, NULL, 0, NULL, asking()),
        &s.memory_bytes));
    cr_prim(asked_bytes(
        prim_sparse_transpose(without_arrays(s.m), CUDA_R_64I, NULL, 0, NULL, asking()), &bytes));
    add_output(&c, "d_memory", s.memory_bytes, 16);
    check_with_workspace(&c, &s, bytes);

    c = case_of("prim_sparse_to_dense", &s, to_dense);
    add_output(&c, "d_out", ((s.m.rows - 1) * (s.m.columns + 3) + s.m.columns) * 8, 8);
    check_overlaps(&c);

    s.m = coo.m;
    c = case_of("prim_sparse_sort", &s, sort);
    cr_prim(asked_output(prim_sparse_sort(without_arrays(s.m), NULL, 0, NULL, NULL, asking()),
                         &s.memory_bytes));
    cr_prim(
        asked_bytes(prim_sparse_sort(without_arrays(s.m), NULL, 0, NULL, NULL, asking()), &bytes));
    add_output(&c, "d_memory", s.memory_bytes, 16);
    add_output(&c, "d_entries", 8, 8);
    check_with_workspace(&c, &s, bytes);
    forget(&coo);
    forget(&csr);
}

enum { DENSE_ROWS = 30, DENSE_COLUMNS = 20, DENSE_LD = 23 };

static prim_status from_dense_size(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    return prim_sparse_from_dense_size(
        prim_matrix_of(CUDA_R_32F, at[0], DENSE_ROWS, DENSE_COLUMNS, DENSE_LD), (uint64_t *)at[1],
        with(0, at[2], s->bytes));
}

static prim_status from_dense(const void *any, char *const *at)
{
    const sparse_call *const s = any;
    prim_sparse to;
    return prim_sparse_from_dense(
        prim_matrix_of(CUDA_R_32F, at[0], DENSE_ROWS, DENSE_COLUMNS, DENSE_LD), CUDA_R_32I, s->size,
        at[1], s->memory_bytes, &to, (uint64_t *)at[2], with(0, at[3], s->bytes));
}

Test(overlaps, dense_matrices)
{
    const size_t in_bytes = 4 * ((DENSE_ROWS - 1) * DENSE_LD + DENSE_COLUMNS);
    sparse_call s = {.size = 100};
    size_t bytes;
    cr_prim(asked_bytes(
        prim_sparse_from_dense_size(prim_matrix_of(CUDA_R_32F, NULL, DENSE_ROWS, DENSE_COLUMNS, 0),
                                    NULL, asking()),
        &bytes));
    cr_prim(asked_output(
        prim_sparse_from_dense(prim_matrix_of(CUDA_R_32F, NULL, DENSE_ROWS, DENSE_COLUMNS, 0),
                               CUDA_R_32I, s.size, NULL, 0, NULL, NULL, asking()),
        &s.memory_bytes));
    overlap_case c = {.call = "prim_sparse_from_dense_size", .args = &s, .make = from_dense_size};
    add_input(&c, "d_in", in_bytes, 4);
    add_output(&c, "d_size", 8, 8);
    check_with_workspace(&c, &s, bytes);

    c = (overlap_case){.call = "prim_sparse_from_dense", .args = &s, .make = from_dense};
    add_input(&c, "d_in", in_bytes, 4);
    add_output(&c, "d_memory", s.memory_bytes, 16);
    add_output(&c, "d_missing", 8, 8);
    check_with_workspace(&c, &s, bytes);
}

/* A plan has bytes only for larger matrices. */
Test(overlaps, plans)
{
    const shape large = {"large", 300, 500, all_n, 150, false};
    kept csr = make(&large, CUDA_R_32F, CUDA_R_32I, WHOLE);
    sparse_call s = {.m = csr.m};
    size_t bytes;
    s.m.values = NULL; /* not looked at */
    overlap_case c = case_of("prim_spmv_plan", &s, make_plan);
    cr_prim(asked_output(prim_spmv_plan(without_arrays(s.m), NULL, 0, asking()), &s.memory_bytes));
    cr_prim(asked_bytes(prim_spmv_plan(without_arrays(s.m), NULL, 0, asking()), &bytes));
    add_output(&c, "d_plan", s.memory_bytes, 16);
    check_with_workspace(&c, &s, bytes);

    sent d = send_matrix(&csr.m);
    guarded plan = guarded_new(s.memory_bytes, 0);
    char *const h_plan = allocate(s.memory_bytes);
    cr_prim(prim_spmv_plan(d.m, plan.data, s.memory_bytes, NULL));
    guarded_read(&plan, h_plan);
    s.m = csr.m;
    c = case_of("prim_spmv_planned", &s, multiply_planned);
    cr_prim(asked_bytes(prim_spmv_planned(1, without_arrays(s.m), NULL, 0,
                                          prim_vector_of(CUDA_R_32F, NULL, s.m.columns), 0,
                                          prim_vector_of(CUDA_R_32F, NULL, s.m.rows), asking()),
                        &bytes));
    add_input(&c, "d_plan", s.memory_bytes, 16);
    c.operands[c.count - 1].h_content = h_plan;
    add_input(&c, "d_x", s.m.columns * 4, 4);
    add_output(&c, "d_y", s.m.rows * 4, 4);
    check_with_workspace(&c, &s, bytes);
    free(h_plan);
    guarded_free(&plan);
    forget_sent(&d);
    forget(&csr);
}
