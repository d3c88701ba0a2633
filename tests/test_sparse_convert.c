/* sparse: conversions on the device make what those on the host make, and no more. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "calls.h"
#include "sparse_matrices.h"
#include "support.h"

static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF};

/* ---- a conversion on the device ---- */

typedef struct request {
    prim_sparse_format format;
    cudaDataType_t offset_type;
    int64_t width; /* HYB's, and SELL's sigma */
} request;

typedef struct converted {
    prim_sparse m; /* on the device, but for the groups of `host` */
    guarded memory;
    kept host; /* a copy in host memory */
    uint64_t missing;
} converted;

static uint64_t size_on_device(const prim_sparse *from, request r)
{
    size_t bytes;
    uint64_t size;
    cr_prim(
        asked_bytes(prim_sparse_convert_size(*from, r.format, r.width, NULL, asking()), &bytes));
    guarded d_size = guarded_new(sizeof size, 0), workspace = guarded_new(bytes, 0);
    cr_own(prim_sparse_convert_size(*from, r.format, r.width, d_size.data,
                                    with(own_stream(), bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&d_size, &size);
    guarded_free(&workspace);
    guarded_free(&d_size);
    return size;
}

static converted convert_on_device(const prim_sparse *from, request r, size_t size)
{
    converted c;
    size_t bytes;
    cr_prim(asked_output(prim_sparse_convert(*from, r.format, r.offset_type, r.width, size, NULL, 0,
                                             NULL, NULL, asking()),
                         &c.host.bytes));
    cr_prim(
        asked_bytes(prim_sparse_convert_size(*from, r.format, r.width, NULL, asking()), &bytes));
    guarded missing = guarded_new(sizeof c.missing, 0), workspace = guarded_new(bytes, 0);
    c.memory = guarded_new(c.host.bytes, 0);
    cr_own(prim_sparse_convert(*from, r.format, r.offset_type, r.width, size, c.memory.data,
                               c.host.bytes, &c.m, missing.data,
                               with(own_stream(), bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&missing, &c.missing);
    guarded_free(&workspace);
    guarded_free(&missing);
    c.host.memory = allocate(c.host.bytes);
    guarded_read(&c.memory, c.host.memory);
    c.host.m = prim_sparse_moved(c.m, c.memory.data, c.host.memory);
    if (r.format == PRIM_SPARSE_JDS)
        c.m.h_groups = c.host.m.h_groups =
            (const prim_jds_group *)(c.host.memory +
                                     ((const char *)c.m.h_groups - (const char *)c.memory.data));
    return c;
}

static void forget_converted(converted *c)
{
    forget(&c->host);
    guarded_free(&c->memory);
}

/* ---- comparisons ---- */

static bool same_bytes(const void *a, const void *b, size_t bytes)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, bytes) == 0);
}

/* Where the arrays lie, and what is in them. */
static void expect_same(const kept *is, const kept *right, const char *what)
{
    const prim_sparse *a = &is->m, *b = &right->m;
    const size_t value = type_bytes(b->value_type), places = b->ell_width * b->ell_ld;
    const bool offsets = b->format == PRIM_SPARSE_CSR || b->format == PRIM_SPARSE_SELL;
    const size_t offset = offsets ? type_bytes(b->offset_type) : 0, slices = (b->rows + 31) / 32;
    const prim_sparse moved = prim_sparse_moved(*a, is->memory, right->memory);
    cr_assert_eq(is->bytes, right->bytes, "%s: %zu bytes, not %zu", what, is->bytes, right->bytes);
    cr_assert(a->format == b->format && a->rows == b->rows && a->columns == b->columns &&
                  a->entries == b->entries && a->value_type == b->value_type &&
                  a->ell_width == b->ell_width && a->ell_ld == b->ell_ld &&
                  a->group_count == b->group_count &&
                  (!offsets || a->offset_type == b->offset_type),
              "%s", what);
    cr_assert(moved.row_offsets == b->row_offsets && moved.slice_offsets == b->slice_offsets &&
                  moved.row_indices == b->row_indices && moved.values == b->values &&
                  moved.column_indices == b->column_indices &&
                  moved.ell_columns == b->ell_columns && moved.ell_values == b->ell_values &&
                  moved.permutation == b->permutation,
              "%s: arrays lie elsewhere", what);
    if (b->format == PRIM_SPARSE_JDS)
        cr_assert((const char *)a->h_groups - is->memory ==
                          (const char *)b->h_groups - right->memory &&
                      same_bytes(a->h_groups, b->h_groups, b->group_count * sizeof *b->h_groups),
                  "%s: groups", what);
    cr_assert(same_bytes(a->row_offsets, b->row_offsets, (b->rows + 1) * offset), "%s: rows", what);
    cr_assert(same_bytes(a->slice_offsets, b->slice_offsets, (slices + 1) * offset), "%s: slices",
              what);
    cr_assert(same_bytes(a->permutation, b->permutation, b->rows * 4), "%s: order", what);
    cr_assert(same_bytes(a->row_indices, b->row_indices, b->entries * 4), "%s: rows", what);
    cr_assert(same_bytes(a->column_indices, b->column_indices, b->entries * 4), "%s: columns",
              what);
    cr_assert(same_bytes(a->values, b->values, b->entries * value), "%s: values", what);
    cr_assert(same_bytes(a->ell_columns, b->ell_columns, places * 4), "%s: columns", what);
    cr_assert(same_bytes(a->ell_values, b->ell_values, places * value), "%s: values", what);
}

/* ---- there and back, beside the host's ---- */

static const request requests[] = {
    {PRIM_SPARSE_CSR, CUDA_R_64I, 0},     {PRIM_SPARSE_CSR, CUDA_R_32I, -5},
    {PRIM_SPARSE_COO, CUDA_R_32I, 0},     {PRIM_SPARSE_ELL, CUDA_R_64I, 0},
    {PRIM_SPARSE_SELL, CUDA_R_32I, 1},    {PRIM_SPARSE_SELL, CUDA_R_64I, 2},
    {PRIM_SPARSE_SELL, CUDA_R_32I, 50},   {PRIM_SPARSE_SELL, CUDA_R_64I, INT64_MAX},
    {PRIM_SPARSE_SELL, CUDA_R_32I, 1024}, {PRIM_SPARSE_SELL, CUDA_R_64I, 1500},
    {PRIM_SPARSE_HYB, CUDA_R_32I, 0},     {PRIM_SPARSE_HYB, CUDA_R_64I, 1},
    {PRIM_SPARSE_HYB, CUDA_R_32I, 7},     {PRIM_SPARSE_HYB, CUDA_R_32I, 5000},
    {PRIM_SPARSE_JDS, CUDA_R_32I, -7},    {PRIM_SPARSE_JDS, CUDA_R_64I, 1024},
};

/* With a kernel for HYB's part in COO, and with groups. */
static const request parts[] = {{PRIM_SPARSE_HYB, CUDA_R_32I, 1}, {PRIM_SPARSE_JDS, CUDA_R_32I, 0}};

/* What the size of a target says. */
static size_t size_of(const prim_sparse *m)
{
    return m->format == PRIM_SPARSE_ELL   ? m->ell_width
           : m->format == PRIM_SPARSE_JDS ? m->group_count
                                          : m->entries;
}

/* more: columns of ELL beside those that are needed. */
static void check_there_and_back(const kept *csr, request r, size_t more, const char *name)
{
    const bool ell = r.format == PRIM_SPARSE_ELL;
    sent d_csr = send_matrix(&csr->m);
    const size_t size = size_on_device(&d_csr.m, r) + more;
    kept right = convert(&csr->m, r.format, r.offset_type,
                         ell           ? (int64_t)size
                         : r.width < 0 ? 1
                                       : r.width);
    converted there = convert_on_device(&d_csr.m, r, size);
    cr_assert_eq(size, size_of(&right.m), "%s: size", name);
    cr_assert_eq(there.missing, 0, "%s", name);
    expect_same(&there.host, &right, name);

    const request home = {PRIM_SPARSE_CSR, csr->m.offset_type, 1};
    cr_assert_eq(size_on_device(&there.m, home), csr->m.entries, "%s: entries", name);
    converted back = convert_on_device(&there.m, home, csr->m.entries);
    kept again = convert(&right.m, PRIM_SPARSE_CSR, csr->m.offset_type, 0);
    cr_assert_eq(back.missing, 0, "%s", name);
    expect_same(&back.host, &again, name);
    cr_assert(same_bytes(back.host.m.values, csr->m.values,
                         csr->m.entries * type_bytes(csr->m.value_type)),
              "%s: not what it was", name);
    forget(&again);
    forget_converted(&back);
    forget_converted(&there);
    forget(&right);
    forget_sent(&d_csr);
}

ParameterizedTestParameters(sparse_convert, there_and_back)
{
    return cr_make_param_array(request, (request *)requests, COUNT_OF(requests));
}

ParameterizedTest(request *r, sparse_convert, there_and_back)
{
    const size_t step = get_test_level() == LEVEL_QUICK ? 3 : 1;
    for (size_t s = (size_t)r->format % step; s < shape_count; s += step) {
        kept csr = make(&shapes[s], types[(s + (size_t)r->format) % COUNT_OF(types)],
                        s / 2 % 2 == 0 ? CUDA_R_32I : CUDA_R_64I, REAL);
        check_there_and_back(&csr, *r, 0, shapes[s].name);
        if (r->format == PRIM_SPARSE_ELL)
            check_there_and_back(&csr, *r, 3, shapes[s].name);
        forget(&csr);
    }
}

Test(sparse_convert, every_type)
{
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t r = 0; r < COUNT_OF(requests); r++)
            for (int o = 0; o < 2; o++) {
                kept csr = classic(types[t], o == 0 ? CUDA_R_32I : CUDA_R_64I);
                check_there_and_back(&csr, requests[r], 0, "classic");
                forget(&csr);
            }
}

/* More blocks of lengths than a block has threads. */
Test(sparse_convert, many_rows)
{
    static const shape lines = {"600000 rows", 600000, 7, all_n, 0, false};
    if (get_test_level() == LEVEL_QUICK)
        return;
    kept csr = make(&lines, CUDA_R_16F, CUDA_R_32I, WHOLE),
         some = new_csr(600000, 7, 4, CUDA_R_32F, CUDA_R_64I);
    check_there_and_back(&csr, requests[3], 1, "no entries");
    for (size_t row = 1; row <= 600000; row++)
        set_offset(&some.m, row, (row > 3) + (row > 2047) + (row > 524288) + (row == 600000));
    check_there_and_back(&some, requests[3], 0, "four entries");
    check_there_and_back(&some, requests[2], 0, "four entries");
    check_there_and_back(&some, parts[0], 0, "four entries");
    check_there_and_back(&some, parts[1], 0, "four entries");
    forget(&some);
    forget(&csr);
}

static size_t all_lengths(const shape *s, size_t row)
{
    return row * 37 % s->n;
}

static size_t one_full(const shape *s, size_t row)
{
    return row == s->rows / 3 ? s->n : row % 2;
}

static size_t power_law(const shape *s, size_t row)
{
    return s->n / (1 + row * 37 % s->rows);
}

/* More groups than a launch has among its parameters, a power law, a full row among many. */
Test(sparse_convert, lengths_of_all_kinds)
{
    static const shape these[] = {
        {"900 lengths", 1000, 900, all_lengths, 900, false},
        {"193 lengths", 193, 200, all_lengths, 193, false},
        {"192 lengths", 192, 200, all_lengths, 192, false},
        {"a power law", 3000, 20000, power_law, 20000, false},
        {"a full row", 1 << 16, 1 << 16, one_full, 1 << 16, false},
        {"more rows than 2^20, one full", (1 << 20) + 3, 1 << 20, one_full, 1 << 20, false},
    };
    const size_t count = COUNT_OF(these) - (get_test_level() == LEVEL_FULL ? 0 : 1);
    for (size_t i = 0; i < count * COUNT_OF(parts); i++) {
        const shape *the = &these[i / COUNT_OF(parts)];
        kept csr = make(the, CUDA_R_32F, CUDA_R_32I, REAL);
        check_there_and_back(&csr, parts[i % COUNT_OF(parts)], 0, the->name);
        forget(&csr);
    }
}

/* Rows, and the places of their entries, that 16 bits cannot count. */
Test(sparse_convert, more_rows_than_16_bits_count)
{
    enum { ROWS = 65600 };
    kept csr = new_csr(ROWS, 7, 5, CUDA_R_32F, CUDA_R_32I);
    for (size_t row = 1; row <= ROWS; row++)
        set_offset(&csr.m, row, (row > 3) + 2 * (row > 65535) + (row > 65540) + (row == ROWS));
    check_there_and_back(&csr, (request){PRIM_SPARSE_COO, CUDA_R_32I, 0}, 0, "COO");
    check_there_and_back(&csr, (request){PRIM_SPARSE_SELL, CUDA_R_32I, 1}, 0, "SELL");
    forget(&csr);
}

/* ---- the layout, by hand ---- */

static void expect_integers(const int32_t *is, const int32_t *right, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(is[i], right[i], "[%zu] is %d, not %d", i, is[i], right[i]);
}

Test(sparse_convert, the_classic_example)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I);
    sent d_csr = send_matrix(&csr.m);
    converted coo = convert_on_device(&d_csr.m, (request){PRIM_SPARSE_COO, CUDA_R_32I, 0}, 0);
    expect_integers(coo.host.m.row_indices, (int32_t[]){0, 0, 2, 2, 2, 3, 3}, 7);
    expect_integers(coo.host.m.column_indices, (int32_t[]){0, 2, 1, 2, 3, 0, 3}, 7);
    converted ell = convert_on_device(&d_csr.m, (request){PRIM_SPARSE_ELL, CUDA_R_32I, 0}, 3);
    expect_integers(ell.host.m.ell_columns, (int32_t[]){0, -1, 1, 0, 2, -1, 2, 3, -1, -1, 3, -1},
                    12);
    converted sell = convert_on_device(&d_csr.m, (request){PRIM_SPARSE_SELL, CUDA_R_32I, 3}, 96);
    expect_integers(sell.host.m.slice_offsets, (int32_t[]){0, 96}, 2);
    expect_integers(sell.host.m.permutation, (int32_t[]){2, 0, 1, 3}, 4);
    expect_integers(sell.host.m.column_indices, (int32_t[]){1, 0, -1, 0, -1}, 5);
    expect_integers(sell.host.m.column_indices + 64, (int32_t[]){3, -1, -1, -1, -1}, 5);
    converted back = convert_on_device(&sell.m, (request){PRIM_SPARSE_CSR, CUDA_R_32I, 0}, 7);
    expect_integers(back.host.m.row_offsets, (int32_t[]){0, 2, 2, 5, 7}, 5);
    forget_converted(&back);
    forget_converted(&sell);
    forget_converted(&ell);
    forget_converted(&coo);
    forget_sent(&d_csr);
    forget(&csr);
}

static void expect_groups(const prim_sparse *m, const prim_jds_group *right, size_t count)
{
    cr_assert_eq(m->group_count, count);
    for (size_t g = 0; g < count; g++)
        cr_assert(same_bytes(&m->h_groups[g], &right[g], sizeof *right),
                  "group %zu is {%zu, %zu, %zu, %zu}", g, m->h_groups[g].first_row,
                  m->h_groups[g].rows, m->h_groups[g].width, m->h_groups[g].first_entry);
    cr_prim(prim_sparse_check_host(*m));
}

Test(sparse_convert, the_classic_example_in_groups)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I);
    sent d_csr = send_matrix(&csr.m);
    const request to_jds = {PRIM_SPARSE_JDS, CUDA_R_32I, 0};
    cr_assert_eq(size_on_device(&d_csr.m, to_jds), 3);
    converted jds = convert_on_device(&d_csr.m, to_jds, 3);
    expect_groups(&jds.host.m, (prim_jds_group[]){{0, 1, 3, 0}, {1, 2, 2, 3}, {3, 1, 0, 7}}, 3);
    expect_integers(jds.host.m.permutation, (int32_t[]){2, 0, 3, 1}, 4);
    expect_integers(jds.host.m.column_indices, (int32_t[]){1, 2, 3, 0, 0, 2, 3}, 7);
    converted many = convert_on_device(&d_csr.m, to_jds, 6);
    cr_assert_eq(many.missing, 0);
    expect_groups(
        &many.host.m,
        (prim_jds_group[]){
            {0, 1, 3, 0}, {1, 2, 2, 3}, {3, 1, 0, 7}, {4, 0, 0, 7}, {4, 0, 0, 7}, {4, 0, 0, 7}},
        6);
    converted two = convert_on_device(&d_csr.m, to_jds, 2);
    cr_assert_eq(two.missing, 1);
    expect_groups(&two.host.m, (prim_jds_group[]){{0, 1, 3, 0}, {1, 3, 0, 3}}, 2);
    converted one = convert_on_device(&d_csr.m, to_jds, 1);
    cr_assert_eq(one.missing, 2);
    expect_groups(&one.host.m, (prim_jds_group[]){{0, 4, 0, 0}}, 1);
    forget_converted(&one);
    forget_converted(&two);
    forget_converted(&many);
    forget_converted(&jds);
    forget_sent(&d_csr);
    forget(&csr);
}

Test(sparse_convert, the_classic_example_in_two_parts)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I);
    sent d_csr = send_matrix(&csr.m);
    const request to_hyb = {PRIM_SPARSE_HYB, CUDA_R_32I, 1};
    cr_assert_eq(size_on_device(&d_csr.m, to_hyb), 4);
    converted hyb = convert_on_device(&d_csr.m, to_hyb, 4);
    expect_integers(hyb.host.m.ell_columns, (int32_t[]){0, -1, 1, 0}, 4);
    expect_integers(hyb.host.m.row_indices, (int32_t[]){0, 2, 2, 3}, 4);
    expect_integers(hyb.host.m.column_indices, (int32_t[]){2, 2, 3, 3}, 4);
    converted few = convert_on_device(&d_csr.m, to_hyb, 2);
    cr_assert_eq(few.missing, 2);
    expect_integers(few.host.m.row_indices, (int32_t[]){0, 2}, 2);
    forget_converted(&few);
    forget_converted(&hyb);
    forget_sent(&d_csr);
    forget(&csr);
}

/* Rows of ELL that have places left, and entries in COO. */
Test(sparse_convert, a_row_in_coo_before_ell_is_full)
{
    int32_t ell_columns[] = {0, -1, 1, 7, 2, -1, -1, 7}, rows[] = {0, 0, 1}, columns[] = {3, 4, 0};
    float ell_values[] = {1, 77, 2, 77, 3, 77, 77, 77}, values[] = {4, 5, 6};
    const prim_sparse m = {.format = PRIM_SPARSE_HYB,
                           .rows = 3,
                           .columns = 5,
                           .entries = 3,
                           .value_type = CUDA_R_32F,
                           .row_indices = rows,
                           .column_indices = columns,
                           .values = values,
                           .ell_width = 2,
                           .ell_ld = 4,
                           .ell_columns = ell_columns,
                           .ell_values = ell_values};
    sent d = send_matrix(&m);
    const request r = {PRIM_SPARSE_CSR, CUDA_R_64I, 0};
    cr_assert_eq(size_on_device(&d.m, r), 6);
    converted csr = convert_on_device(&d.m, r, 6);
    kept right = convert(&m, PRIM_SPARSE_CSR, CUDA_R_64I, 0);
    expect_same(&csr.host, &right, "HYB");
    expect_integers(csr.host.m.column_indices, (int32_t[]){0, 2, 3, 4, 0, 1}, 6);
    forget(&right);
    forget_converted(&csr);
    forget_sent(&d);
}

/* Groups that are empty, or neither in the order of their widths nor of their entries; entries of
 * two groups, and of none. */
Test(sparse_convert, any_groups_to_csr)
{
    static const prim_jds_group groups[] = {{0, 0, 9, 0}, {0, 2, 1, 7}, {2, 1, 0, 10},
                                            {3, 3, 2, 1}, {6, 0, 0, 0}, {6, 1, 4, 0}};
    int32_t order[] = {5, 0, 3, 6, 1, 4, 2}, columns[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const prim_sparse m = {.format = PRIM_SPARSE_JDS,
                           .rows = 7,
                           .columns = 10,
                           .entries = 10,
                           .value_type = CUDA_R_64F,
                           .column_indices = columns,
                           .values = values,
                           .permutation = order,
                           .h_groups = groups,
                           .group_count = COUNT_OF(groups)};
    sent d = send_matrix(&m);
    const request r = {PRIM_SPARSE_CSR, CUDA_R_32I, 0};
    cr_assert_eq(size_on_device(&d.m, r), 12);
    converted csr = convert_on_device(&d.m, r, 0);
    kept right = convert(&m, PRIM_SPARSE_CSR, CUDA_R_32I, 0);
    expect_same(&csr.host, &right, "JDS");
    cr_assert_eq(csr.missing, 0);
    forget(&right);
    forget_converted(&csr);
    forget_sent(&d);
}

/* Rows of ELL that lie further apart than there are rows. */
Test(sparse_convert, places_between_columns_of_ell_are_left_out)
{
    int32_t columns[] = {0, 1, 7, 1, -1, 9};
    float values[] = {1, 2, 77, 3, 78, 79};
    const prim_sparse m = {.format = PRIM_SPARSE_ELL,
                           .rows = 2,
                           .columns = 2,
                           .value_type = CUDA_R_32F,
                           .ell_width = 2,
                           .ell_ld = 3,
                           .ell_columns = columns,
                           .ell_values = values};
    sent d = send_matrix(&m);
    const request r = {PRIM_SPARSE_CSR, CUDA_R_32I, 0};
    cr_assert_eq(size_on_device(&d.m, r), 3);
    converted csr = convert_on_device(&d.m, r, 3);
    expect_integers(csr.host.m.row_offsets, (int32_t[]){0, 2, 3}, 3);
    expect_integers(csr.host.m.column_indices, (int32_t[]){0, 1, 1}, 3);
    const float right[] = {1, 3, 2};
    cr_assert_arr_eq(csr.host.m.values, right, sizeof right);
    forget_converted(&csr);
    forget_sent(&d);
}

/* ---- in a graph ---- */

/* A graph keeps the groups of its capture, which the host may free. */
Test(sparse_convert, groups_in_a_graph)
{
    static const shape the = {"400 lengths", 500, 400, all_lengths, 400, false};
    const request to_jds = {PRIM_SPARSE_JDS, CUDA_R_32I, 0},
                  to_csr = {PRIM_SPARSE_CSR, CUDA_R_32I, 0};
    kept csr = make(&the, CUDA_R_64F, CUDA_R_32I, REAL);
    sent d_csr = send_matrix(&csr.m);
    converted jds = convert_on_device(&d_csr.m, to_jds, 400);
    size_t bytes, workspace_bytes;
    prim_sparse to;
    cr_prim(asked_output(
        prim_sparse_convert(jds.m, to_csr.format, CUDA_R_32I, 0, 0, NULL, 0, NULL, NULL, asking()),
        &bytes));
    cr_prim(asked_bytes(prim_sparse_convert_size(jds.m, to_csr.format, 0, NULL, asking()),
                        &workspace_bytes));
    guarded memory = guarded_new(bytes, 0), workspace = guarded_new(workspace_bytes, 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_prim(prim_sparse_convert(jds.m, to_csr.format, CUDA_R_32I, 0, 0, memory.data, bytes, &to,
                                NULL, with(stream, workspace.data, workspace_bytes)));
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    memset((void *)jds.m.h_groups, GUARD_PATTERN, jds.m.group_count * sizeof *jds.m.h_groups);
    for (int replay = 0; replay < 2; replay++) {
        cr_cuda(cudaMemset(memory.data, replay, bytes));
        cr_cuda(cudaStreamSynchronize(0));
        cr_cuda(cudaGraphLaunch(exec, stream));
        cr_cuda(cudaStreamSynchronize(stream));
        kept is = {.memory = allocate(bytes), .bytes = bytes};
        guarded_read(&memory, is.memory);
        is.m = prim_sparse_moved(to, memory.data, is.memory);
        kept right = convert(&csr.m, PRIM_SPARSE_CSR, CUDA_R_32I, 0);
        expect_same(&is, &right, "replayed");
        forget(&right);
        forget(&is);
    }
    cr_cuda(cudaGraphExecDestroy(exec));
    cr_cuda(cudaGraphDestroy(graph));
    cr_cuda(cudaStreamDestroy(stream));
    guarded_free(&workspace);
    guarded_free(&memory);
    forget_converted(&jds);
    forget_sent(&d_csr);
    forget(&csr);
}

/* ---- sizes that are too small ---- */

/* The entries of a row, in turn, are the first of those in CSR. */
static void expect_beginnings(const prim_sparse *csr, const prim_sparse *m)
{
    const size_t value = type_bytes(csr->value_type);
    kept cut = convert(m, PRIM_SPARSE_CSR, CUDA_R_64I, 0);
    for (size_t row = 0; row < csr->rows; row++) {
        const size_t a = offset_of(csr, row), b = offset_of(&cut.m, row),
                     length = offset_of(&cut.m, row + 1) - b;
        cr_assert_leq(length, offset_of(csr, row + 1) - a);
        cr_assert_arr_eq(cut.m.column_indices + b, csr->column_indices + a, length * 4);
        cr_assert_arr_eq((const char *)cut.m.values + b * value,
                         (const char *)csr->values + a * value, length * value);
    }
    forget(&cut);
}

static size_t beyond(const prim_sparse *csr, size_t width)
{
    size_t missing = 0;
    for (size_t row = 0; row < csr->rows; row++) {
        const size_t length = offset_of(csr, row + 1) - offset_of(csr, row);
        missing += length > width ? length - width : 0;
    }
    return missing;
}

static void check_cut(const kept *csr, request r, size_t size, size_t needed)
{
    sent d_csr = send_matrix(&csr->m);
    if (r.format == PRIM_SPARSE_JDS && size == 0)
        size = 1;
    converted c = convert_on_device(&d_csr.m, r, size);
    cr_assert_eq(c.missing, r.format == PRIM_SPARSE_ELL ? beyond(&csr->m, size) : needed - size);
    cr_prim(prim_sparse_check_host(c.host.m));
    expect_beginnings(&csr->m, &c.host.m);
    forget_converted(&c);
    forget_sent(&d_csr);
}

/* Back to CSR with too few entries: the first ones. */
static void check_cut_back(const kept *csr, request r, size_t needed, size_t entries)
{
    if (r.format == PRIM_SPARSE_JDS) /* its entries are known */
        return;
    sent d_csr = send_matrix(&csr->m);
    converted there = convert_on_device(&d_csr.m, r, needed),
              c = convert_on_device(&there.m, (request){PRIM_SPARSE_CSR, CUDA_R_32I, 0}, entries);
    cr_assert_eq(c.missing, csr->m.entries - entries);
    cr_prim(prim_sparse_check_host(c.host.m));
    cr_assert(same_bytes(c.host.m.column_indices, csr->m.column_indices, entries * 4));
    expect_beginnings(&csr->m, &c.host.m);
    forget_converted(&c);
    forget_converted(&there);
    forget_sent(&d_csr);
}

Test(sparse_convert, what_does_not_fit_is_missing)
{
    static const char *const names[] = {"skewed", "gaps", "long row between others", "33 a row"};
    for (size_t s = 0; s < shape_count * COUNT_OF(names); s++) {
        const shape *the = &shapes[s / COUNT_OF(names)];
        if (strcmp(the->name, names[s % COUNT_OF(names)]) != 0)
            continue;
        kept csr = make(the, CUDA_R_16BF, CUDA_R_32I, REAL);
        sent d_csr = send_matrix(&csr.m);
        for (size_t i = 3; i < COUNT_OF(requests); i++) {
            const request r = requests[i];
            const size_t needed = size_on_device(&d_csr.m, r);
            const size_t least = r.format == PRIM_SPARSE_SELL ? 32 : 1;
            check_cut(&csr, r, needed - (needed > 0 ? least : 0), needed);
            check_cut(&csr, r, needed / least / 3 * least, needed);
            check_cut(&csr, r, 0, needed);
            check_cut_back(&csr, r, needed, csr.m.entries - 1);
            check_cut_back(&csr, r, needed, csr.m.entries / 2);
            check_cut_back(&csr, r, needed, 0);
        }
        forget_sent(&d_csr);
        forget(&csr);
    }
}

/* The target is not sound then, and the check says so; nothing beside it is written. */
Test(sparse_convert, a_size_that_is_too_large_shows)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I);
    sent d_csr = send_matrix(&csr.m);
    converted sell = convert_on_device(&d_csr.m, (request){PRIM_SPARSE_SELL, CUDA_R_32I, 1}, 128);
    cr_assert_eq(sell.missing, 0);
    cr_refused(prim_sparse_check_host(sell.host.m), PRIM_ERROR_VALUE, "slice_offsets[1] is 96");
    converted ell = convert_on_device(&d_csr.m, (request){PRIM_SPARSE_ELL, CUDA_R_32I, 0}, 3),
              wide = convert_on_device(&ell.m, (request){PRIM_SPARSE_CSR, CUDA_R_64I, 0}, 9);
    cr_assert_eq(wide.missing, 0);
    cr_refused(prim_sparse_check_host(wide.host.m), PRIM_ERROR_VALUE, "row_offsets[4] is 7");
    converted hyb = convert_on_device(&d_csr.m, (request){PRIM_SPARSE_HYB, CUDA_R_32I, 2}, 3);
    cr_assert_eq(hyb.missing, 0);
    cr_refused(prim_sparse_check_host(hyb.host.m), PRIM_ERROR_VALUE, "row_indices[1] is -1");
    forget_converted(&hyb);
    forget_converted(&wide);
    forget_converted(&ell);
    forget_converted(&sell);
    forget_sent(&d_csr);
    forget(&csr);
}

/* ---- what is refused ---- */

/* `to` need not be there, and is not written; with memory, its bytes count. */
Test(sparse_convert, asked)
{
    kept k = classic(CUDA_R_32F, CUDA_R_32I);
    sent d = send_matrix(&k.m);
    prim_sparse to = {.rows = 77};
    size_t needed, bytes;
    cr_prim(asked_output(
        prim_sparse_convert(d.m, PRIM_SPARSE_COO, CUDA_R_32I, 0, 0, NULL, 0, NULL, NULL, asking()),
        &needed));
    cr_assert_eq(needed, 2 * 32 + 28); /* three arrays of 7 entries, each aligned to 16 bytes */
    guarded memory = guarded_new(needed, 0);
    cr_prim(asked_output(prim_sparse_convert(d.m, PRIM_SPARSE_COO, CUDA_R_32I, 0, 0, memory.data,
                                             needed, &to, NULL, asking()),
                         &bytes));
    cr_assert_eq(bytes, needed);
    cr_refused(prim_sparse_convert(d.m, PRIM_SPARSE_COO, CUDA_R_32I, 0, 0, memory.data, needed - 1,
                                   &to, NULL, asking()),
               PRIM_ERROR_WORKSPACE, "bytes");
    cr_assert_eq(asked()->output_bytes, 0);
    cr_assert_eq(to.rows, 77);
    cr_assert(guarded_untouched(&memory));
    cr_prim(
        asked_output(prim_sparse_convert_size(d.m, PRIM_SPARSE_ELL, 0, NULL, asking()), &bytes));
    cr_assert_eq(bytes, 0, "it fills no memory");
    prim_sparse jds = {.format = PRIM_SPARSE_JDS,
                       .rows = 4,
                       .columns = 4,
                       .entries = 7,
                       .value_type = CUDA_R_32F,
                       .group_count = 2};
    cr_refused(prim_sparse_convert_size(jds, PRIM_SPARSE_CSR, 0, NULL, asking()), PRIM_ERROR_NULL,
               "h_groups");
    guarded_free(&memory);
    forget_sent(&d);
    forget(&k);
}

Test(sparse_convert, what_is_refused)
{
    const prim_sparse_format csr = PRIM_SPARSE_CSR, coo = PRIM_SPARSE_COO, ell = PRIM_SPARSE_ELL,
                             hyb = PRIM_SPARSE_HYB, jds = PRIM_SPARSE_JDS, sell = PRIM_SPARSE_SELL;
    const cudaDataType_t i32 = CUDA_R_32I, i64 = CUDA_R_64I;
    kept k = classic(CUDA_R_32F, i32);
    sent d = send_matrix(&k.m);
    size_t bytes;
    cr_refused(
        prim_sparse_convert(d.m, (prim_sparse_format)6, i32, 0, 0, NULL, 0, NULL, NULL, asking()),
        PRIM_ERROR_ENUM, "format");
    cr_refused(prim_sparse_convert(d.m, csr, CUDA_R_32F, 0, 0, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_TYPE, "offset_type is f32");
    cr_refused(prim_sparse_convert(d.m, sell, CUDA_R_32F, 1, 0, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_TYPE, "offset_type is f32");
    cr_refused(prim_sparse_convert(d.m, sell, i32, 1, 33, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_VALUE, "a multiple of 32");
    cr_refused(prim_sparse_convert(d.m, sell, i32, 0, 32, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_VALUE, "width is 0");
    cr_refused(prim_sparse_convert(d.m, sell, i32, PRIM_SPARSE_WIDTH_AUTO, 32, NULL, 0, NULL, NULL,
                                   asking()),
               PRIM_ERROR_VALUE, "width is -1");
    cr_refused(
        prim_sparse_convert(d.m, sell, i32, 1, (size_t)1 << 31, NULL, 0, NULL, NULL, asking()),
        PRIM_ERROR_VALUE, "i32");
    cr_prim(asked_output(
        prim_sparse_convert(d.m, sell, i64, 1, (size_t)1 << 31, NULL, 0, NULL, NULL, asking()),
        &bytes));
    cr_prim(
        asked_output(prim_sparse_convert(d.m, coo, i32, 0, SIZE_MAX, NULL, 0, NULL, NULL, asking()),
                     &bytes)); /* the entries are known */
    cr_prim(asked_output(
        prim_sparse_convert(d.m, csr, i32, 0, SIZE_MAX, NULL, 0, NULL, NULL, asking()), &bytes));
    cr_prim(asked_output(prim_sparse_convert(d.m, sell, i32, 1, ((size_t)1 << 31) - 32, NULL, 0,
                                             NULL, NULL, asking()),
                         &bytes));
    kept wide = classic_as(ell); /* its entries are not known */
    cr_prim(asked_output(prim_sparse_convert(without_arrays(wide.m), csr, i32, 0, INT32_MAX, NULL,
                                             0, NULL, NULL, asking()),
                         &bytes));
    cr_refused(prim_sparse_convert(without_arrays(wide.m), csr, i32, 0, (size_t)INT32_MAX + 1, NULL,
                                   0, NULL, NULL, asking()),
               PRIM_ERROR_VALUE, "i32");
    forget(&wide);
    cr_refused(prim_sparse_convert(d.m, ell, i32, 2, 3, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_VALUE, "width is 2 and size 3");
    cr_refused(prim_sparse_convert(d.m, ell, i32, PRIM_SPARSE_WIDTH_AUTO, 3, NULL, 0, NULL, NULL,
                                   asking()),
               PRIM_ERROR_VALUE, "width is -1 and size 3");
    cr_prim(asked_output(prim_sparse_convert(d.m, ell, i32, 3, 3, NULL, 0, NULL, NULL, asking()),
                         &bytes));
    cr_refused(prim_sparse_convert(d.m, ell, i32, 0, SIZE_MAX / 2, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_SIZE, "size_t");
    cr_refused(prim_sparse_convert(d.m, ell, i32, 0, SIZE_MAX / 16, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_SIZE, "size_t");
    cr_refused(prim_sparse_convert(d.m, ell, i32, 0, SIZE_MAX >> 16, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_UNSUPPORTED, "grid");
    cr_refused(prim_sparse_convert(d.m, hyb, i32, PRIM_SPARSE_WIDTH_AUTO, 0, NULL, 0, NULL, NULL,
                                   asking()),
               PRIM_ERROR_VALUE, "width is -1");
    cr_refused(prim_sparse_convert_size(d.m, hyb, INT64_MIN, NULL, asking()), PRIM_ERROR_VALUE,
               "width is -9223372036854775808");
    cr_refused(prim_sparse_convert(d.m, hyb, i32, INT64_MAX, 0, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_SIZE, "size_t");
    cr_refused(prim_sparse_convert(d.m, hyb, i32, 0, SIZE_MAX / 4, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_SIZE, "size_t");
    cr_refused(
        prim_sparse_convert(d.m, hyb, i32, INT64_MAX >> 16, 0, NULL, 0, NULL, NULL, asking()),
        PRIM_ERROR_UNSUPPORTED, "grid");
    cr_refused(prim_sparse_convert(d.m, hyb, i32, 0, SIZE_MAX >> 16, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_UNSUPPORTED, "grid");
    cr_refused(prim_sparse_convert(d.m, jds, i32, 0, 0, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_VALUE, "size is 0");
    cr_refused(prim_sparse_convert(d.m, jds, i32, 0, SIZE_MAX / 32, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_SIZE, "size_t");
    cr_refused(prim_sparse_convert(d.m, jds, i32, 0, SIZE_MAX / 64, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_UNSUPPORTED, "grid");
    prim_sparse large = d.m;
    large.entries = (size_t)1 << 32;
    cr_refused(prim_sparse_convert(large, jds, i32, 0, 3, NULL, 0, NULL, NULL, asking()),
               PRIM_ERROR_UNSUPPORTED, "2^32");
    for (int format = 0; format <= PRIM_SPARSE_SELL; format++) {
        kept there = classic_as((prim_sparse_format)format);
        cr_prim(asked_bytes(
            prim_sparse_convert_size(without_arrays(there.m), csr, 0, NULL, asking()), &bytes));
        cr_assert_eq(
            asked_bytes(prim_sparse_convert_size(without_arrays(there.m), coo, 0, NULL, asking()),
                        &bytes),
            (prim_sparse_format)format == csr ? PRIM_OK : PRIM_ERROR_UNSUPPORTED);
        forget(&there);
        forget(&there);
    }
    kept grouped = classic_as(jds); /* and its entries are known */
    cr_prim(asked_output(prim_sparse_convert(without_arrays(grouped.m), csr, i32, 0, SIZE_MAX, NULL,
                                             0, NULL, NULL, asking()),
                         &bytes));
    prim_jds_group shared[9]; /* all entries are those of each group */
    for (size_t g = 0; g < COUNT_OF(shared); g++)
        shared[g] = (prim_jds_group){g, 1, (size_t)1 << 61, 0};
    grouped.m.h_groups = shared;
    grouped.m.group_count = grouped.m.rows = COUNT_OF(shared);
    grouped.m.entries = (size_t)1 << 61;
    cr_refused(prim_sparse_convert(without_arrays(grouped.m), csr, i64, 0, 0, NULL, 0, NULL, NULL,
                                   asking()),
               PRIM_ERROR_SIZE, "size_t");
    cr_refused(prim_sparse_convert_size(without_arrays(grouped.m), csr, 0, NULL, asking()),
               PRIM_ERROR_UNSUPPORTED, "grid");
    forget(&grouped);
    cr_refused(prim_sparse_convert(d.m, coo, i32, 0, 0, NULL, 0, NULL, NULL, NULL), PRIM_ERROR_NULL,
               "to is NULL");
    forget_sent(&d);
    forget(&k);
}
