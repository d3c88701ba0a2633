/* sparse: products of every format, variant and type against an independent oracle. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <primitives/sparse.h>

#include "../examples/matrix_market.h"
#include "calls.h"
#include "sparse/sparse_args.h"
#include "sparse_matrices.h"
#include "support.h"

static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F};

/* ---- products ---- */

typedef struct product {
    const char *name;
    const prim_sparse *csr; /* what the oracle reads */
    const kept *matrix;     /* the same in the format that is tested */
    prim_spmv_variant variant;
    int threads; /* 0: on the device */
    double alpha, beta;
    size_t offset; /* elements by which the operands miss their 256-byte boundary */
    const void *h_x, *h_before;
    bool wide; /* x and y are f32, the values halves */
} product;

/* Of x and y. */
static cudaDataType_t vector_type(const product *p)
{
    return p->wide ? CUDA_R_32F : p->csr->value_type;
}

/* What the product would say, wherever the matrix lies. */
static prim_status ask_product(prim_spmv_variant variant, const prim_sparse *m, cudaDataType_t type)
{
    return prim_spmv(variant, 1, without_arrays(*m), prim_vector_of(type, NULL, m->columns), 0,
                     prim_vector_of(type, NULL, m->rows), asking());
}

static void run_on_device(const product *p, void *h_after)
{
    const prim_sparse *m = &p->matrix->m;
    const cudaDataType_t type = vector_type(p);
    const size_t size = type_bytes(type);
    size_t bytes;
    cr_prim(asked_bytes(ask_product(p->variant, m, type), &bytes));
    guarded arrays = guarded_copy(p->matrix->memory, p->matrix->bytes, 8 * p->offset);
    guarded x = guarded_copy(p->h_x, m->columns * size, p->offset * size);
    guarded y = guarded_copy(p->h_before, m->rows * size, p->offset * size);
    guarded workspace = guarded_new(bytes, 0);
    cr_own(prim_spmv(p->variant, p->alpha, prim_sparse_moved(*m, p->matrix->memory, arrays.data),
                     prim_vector_of(type, x.data, m->columns), p->beta,
                     prim_vector_of(type, y.data, m->rows),
                     with(own_stream(), bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&y, h_after);
    guarded_free(&arrays);
    guarded_free(&x);
    guarded_free(&y);
    guarded_free(&workspace);
}

static void run(const product *p, void *h_after)
{
    const prim_sparse *m = &p->matrix->m;
    if (p->threads == 0) {
        run_on_device(p, h_after);
        return;
    }
    const cudaDataType_t type = vector_type(p);
    memcpy(h_after, p->h_before, m->rows * type_bytes(type));
    cr_prim(prim_spmv_host(p->alpha, *m, prim_vector_of(type, p->h_x, m->columns), p->beta,
                           prim_vector_of(type, h_after, m->rows), p->threads));
}

/* A row of the result, from CSR: what is 0 is not read. */
typedef struct expected {
    long double value;
    double magnitude, terms;
    bool halves; /* all terms are multiples of 1/2 */
} expected;

static void add_term(expected *e, long double term)
{
    e->value += term;
    e->magnitude += fabs((double)term);
    e->terms++;
    e->halves = e->halves && floor(2 * (double)term) == 2 * (double)term;
}

static expected expect_row(const product *p, size_t row)
{
    const cudaDataType_t type = p->csr->value_type, wide = vector_type(p);
    expected e = {.halves = true};
    const size_t end = p->alpha != 0 ? offset_of(p->csr, row + 1) : 0;
    for (size_t i = offset_of(p->csr, row); i < end; i++)
        add_term(&e, (long double)p->alpha * read_float(type, p->csr->values, i) *
                         read_float(wide, p->h_x, (size_t)p->csr->column_indices[i]));
    if (p->beta != 0)
        add_term(&e, (long double)p->beta * read_float(wide, p->h_before, row));
    return e;
}

static bool right(const product *p, const expected *e, double value)
{
    const cudaDataType_t type = vector_type(p);
    const double u = unit_roundoff(type), height = e->terms + 3;
    const bool rounded = type == CUDA_R_16F || type == CUDA_R_16BF;
    const double sum_u = type == CUDA_R_64F ? u : unit_roundoff(CUDA_R_32F);
    const prim_sparse_format format = p->matrix->m.format;
    if (isnan(e->value))
        return isnan(value);
    if (isinf(e->value))
        return value == (double)e->value;
    if (e->halves && 2 * e->magnitude * u <= 1)
        return value == (double)e->value;
    double bound = height * sum_u / (1 - height * sum_u) * e->magnitude;
    if (rounded) /* once, or, where parts of it are, up to three times; and below normal numbers */
        bound += (format == PRIM_SPARSE_COO || format == PRIM_SPARSE_HYB
                      ? 3 * u * e->magnitude
                      : u * (fabs((double)e->value) + bound)) +
                 0x1p-24;
    return fabs((double)(value - e->value)) <= bound; /* false for NaN */
}

static void check_product(const product *p)
{
    const prim_sparse *m = &p->matrix->m;
    const cudaDataType_t type = vector_type(p);
    void *h_after = allocate(m->rows * type_bytes(type));
    run(p, h_after);
    for (size_t row = 0; row < m->rows; row++) {
        const expected e = expect_row(p, row);
        const double value = read_float(type, h_after, row);
        cr_assert(right(p, &e, value),
                  "%s as %s (width %zu), %s, %d threads, %s, %g·A·x + %g·y: row %zu is %.17g, not "
                  "%.17g",
                  p->name, format_names[m->format], m->ell_width,
                  prim_spmv_variant_info(p->variant)->name, p->threads, type_name(m->value_type),
                  p->alpha, p->beta, row, value, (double)e.value);
    }
    free(h_after);
}

static const struct {
    double alpha, beta;
} scales[] = {{1, 0}, {-1, 0.5}, {0, 1}, {2, 0}, {0, 0}};

/* x and y; NaN where they must not be read. */
typedef struct vectors {
    void *h_x, *h_before;
} vectors;

static void fill_vector(cudaDataType_t type, void *h, size_t count, numbers n, bool read,
                        uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        write_float(type, h, i, read ? number(n, random_bits(seed + i)) : NAN);
}

static vectors make_vectors_of(cudaDataType_t type, const prim_sparse *m, numbers n, double alpha,
                               double beta)
{
    const vectors v = {allocate(m->columns * type_bytes(type)),
                       allocate(m->rows * type_bytes(type))};
    fill_vector(type, v.h_x, m->columns, n, alpha != 0, 100);
    fill_vector(type, v.h_before, m->rows, n, beta != 0, 200);
    return v;
}

static vectors make_vectors(const prim_sparse *m, numbers n, double alpha, double beta)
{
    return make_vectors_of(m->value_type, m, n, alpha, beta);
}

static void free_vectors(vectors *v)
{
    free(v->h_x);
    free(v->h_before);
}

/* Does this variant take the matrix, in a time that a test has? */
static bool takes(prim_spmv_variant variant, const prim_sparse *m)
{
    const double most = get_test_level() == LEVEL_QUICK ? 0x1p20 : 0x1p24;
    return runs(ask_product(variant, m, m->value_type)) &&
           (variant != PRIM_SPMV_COO_SCAN_ALL || (double)m->rows * (double)m->entries <= most);
}

/* Every variant that takes it, for each pair of scales of `pairs`, a bit for each. */
static void check_matrix(const char *name, const prim_sparse *csr, const kept *matrix, numbers n,
                         unsigned pairs)
{
    for (size_t i = 0; i < COUNT_OF(scales); i++) {
        if ((pairs >> i & 1) == 0)
            continue;
        vectors x_y = make_vectors(csr, n, scales[i].alpha, scales[i].beta);
        product p = {name,           csr,   matrix,  PRIM_SPMV_AUTO, 0,    scales[i].alpha,
                     scales[i].beta, i % 2, x_y.h_x, x_y.h_before,   false};
        for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++) {
            p.variant = prim_spmv_variant_at(v)->value;
            if (takes(p.variant, &matrix->m))
                check_product(&p);
        }
        p.threads = 1;
        check_product(&p);
        free_vectors(&x_y);
    }
}

/* ---- every format and type, one test each ---- */

static void check_shape(const combination *k, const shape *s, size_t turn, numbers n,
                        unsigned pairs)
{
    kept csr = make(s, k->type, turn % 2 == 0 ? CUDA_R_32I : CUDA_R_64I, n);
    kept matrix = in_form(&csr.m, &k->f);
    check_matrix(s->name, &csr.m, &matrix, n, pairs);
    forget(&matrix);
    forget(&csr);
}

ParameterizedTestParameters(sparse, small_matrices)
{
    return combinations();
}

ParameterizedTest(combination *k, sparse, small_matrices)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t s = 0; s < shape_count; s++)
        for (int n = 0; n < (quick ? 1 : NUMBERS_COUNT); n++) {
            const numbers kind = quick && s % 4 == 3 ? REAL : (numbers)n;
            check_shape(k, &shapes[s], s + (size_t)n, kind, quick ? 1u | 2u << s % 4 : 31u);
        }
}

ParameterizedTestParameters(sparse, large_matrices)
{
    return combinations();
}

ParameterizedTest(combination *k, sparse, large_matrices)
{
    const size_t count = get_test_level() == LEVEL_QUICK ? 4 : large_shape_count;
    for (size_t s = 0; s < count; s++)
        check_shape(k, &large_shapes[s], s, s % 3 == 2 ? REAL : WHOLE, 1u << s % 2);
    for (size_t s = 0; get_test_level() == LEVEL_FULL && s < huge_shape_count; s++)
        check_shape(k, &huge_shapes[s], s, WHOLE, 2u);
}

ParameterizedTestParameters(sparse, the_classic_example)
{
    return combinations();
}

/* The product with (1, 2, 3, 4), in figures. */
ParameterizedTest(combination *k, sparse, the_classic_example)
{
    static const double right_y[] = {6, 0, 20, 5};
    kept csr = classic(k->type, CUDA_R_32I), matrix = in_form(&csr.m, &k->f);
    unsigned char x[4 * 8], y[4 * 8], after[4 * 8];
    for (size_t i = 0; i < 4; i++) {
        write_float(k->type, x, i, (double)i + 1);
        write_float(k->type, y, i, NAN);
    }
    for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++) {
        const product p = {"classic", &csr.m, &matrix, prim_spmv_variant_at(v)->value, 0, 1, 0, 1,
                           x,         y,      false};
        if (!takes(p.variant, &matrix.m))
            continue;
        run_on_device(&p, after);
        for (size_t row = 0; row < 4; row++)
            cr_assert_eq(read_float(k->type, after, row), right_y[row], "%s, row %zu",
                         prim_spmv_variant_info(p.variant)->name, row);
    }
    forget(&matrix);
    forget(&csr);
}

/* Each of these products takes its route, and is right. */
Test(sparse, routes)
{
    static const shape few = {"100 rows of 5", 100, 90, all_n, 5, false},
                       long_rows = {"10 rows of 1000", 10, 900, all_n, 1000, false},
                       many = {"33000 rows of 1", 33000, 70000, all_n, 1, false},
                       near = {"66 rows, one of 40000", 66, 65536, middle_n, 40000, false},
                       wide = {"66 rows, one of 40000", 66, 65537, middle_n, 40000, false},
                       one = {"a row of 8193", 1, 90, all_n, 8193, false};
    static const struct {
        const char *route;
        const shape *s;
        form f;
    } routes[] = {{"rows", &few, {PRIM_SPARSE_CSR, 0, false}},
                  {"rows", &long_rows, {PRIM_SPARSE_CSR, 0, false}},
                  {"rows", &near, {PRIM_SPARSE_CSR, 0, false}},
                  {"tiles", &wide, {PRIM_SPARSE_CSR, 0, false}},
                  {"tiles", &one, {PRIM_SPARSE_CSR, 0, false}},
                  {"tiles", &many, {PRIM_SPARSE_CSR, 0, false}},
                  {"whole_rows", &few, {PRIM_SPARSE_ELL, 5, false}},
                  {"parts", &long_rows, {PRIM_SPARSE_ELL, 1000, false}},
                  {"whole_rows", &few, {PRIM_SPARSE_HYB, 2, false}},
                  {"parts", &long_rows, {PRIM_SPARSE_HYB, 700, false}},
                  {"whole_rows", &few, {PRIM_SPARSE_JDS, 0, false}},
                  {"parts", &long_rows, {PRIM_SPARSE_JDS, 0, false}}};
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        kept csr = make(routes[i].s, CUDA_R_32F, CUDA_R_32I, WHOLE),
             matrix = in_form(&csr.m, &routes[i].f);
        check_matrix(routes[i].s->name, &csr.m, &matrix, WHOLE, 1);
        cr_prim(ask_product(PRIM_SPMV_AUTO, &matrix.m, CUDA_R_32F));
        cr_assert_str_eq(asked()->route, routes[i].route, "case %zu", i);
        forget(&matrix);
        forget(&csr);
    }
}

/* Row r of a matrix with every kind of row: 0 to 69 entries, about a piece and some pieces. */
static size_t of_each_length(const shape *s, size_t row)
{
    static const size_t lengths[] = {511, 512, 513, 1024, 1025, 2047, 2048, 2049, 4000};
    return row == s->rows / 2 ? s->n
           : row % 23 == 5    ? lengths[row / 23 % COUNT_OF(lengths)]
                              : row * 7 % 70;
}

/* A matrix goes by rows, and by tiles once it has more columns. The blocks have 1, 7, 18 and 49
 * rows; 140,000 entries are more pieces than a block has places for. */
Test(sparse, rows_and_tiles_have_the_same_bits)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF};
    static const shape shapes_of[] = {
        {"of each length, 250", 250, 9000, of_each_length, 140000, false},
        {"of each length, 1600", 1600, 9000, of_each_length, 700, false},
        {"of each length, 4500", 4500, 9000, of_each_length, 3000, false},
        {"12930 rows, one of 40000", 12930, 9000, middle_n, 40000, false}};
    for (size_t i = 0; i < COUNT_OF(shapes_of) * COUNT_OF(types); i++) {
        const shape *const s = &shapes_of[i % COUNT_OF(shapes_of)];
        const cudaDataType_t type = types[i / COUNT_OF(shapes_of)];
        kept csr = make(s, type, i % 2 == 0 ? CUDA_R_32I : CUDA_R_64I, REAL), wide = csr;
        wide.m.columns = 70000;
        vectors v = make_vectors(&wide.m, REAL, 0.3, 0.7);
        const size_t bytes = s->rows * type_bytes(type);
        void *const by_rows = allocate(bytes), *const by_tiles = allocate(bytes);
        product p = {s->name, &csr.m, &csr,  PRIM_SPMV_CSR_MERGE, 0,    0.3,
                     0.7,     i % 2,  v.h_x, v.h_before,          false};
        cr_prim(ask_product(p.variant, &csr.m, type));
        cr_assert_str_eq(asked()->route, "rows", "%s", s->name);
        run_on_device(&p, by_rows);
        p.csr = &wide.m;
        p.matrix = &wide;
        cr_prim(ask_product(p.variant, &wide.m, type));
        cr_assert_str_eq(asked()->route, "tiles", "%s", s->name);
        run_on_device(&p, by_tiles);
        cr_assert_arr_eq(by_rows, by_tiles, bytes, "%s", s->name);
        free(by_rows);
        free(by_tiles);
        free_vectors(&v);
        forget(&csr);
    }
}

Test(sparse, products_without_a_route)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I);
    const prim_sparse m = without_arrays(csr.m);
    const prim_vector x = prim_vector_of(CUDA_R_32F, NULL, 4);
    cr_prim(prim_spmv(PRIM_SPMV_CSR_MERGE, 1e-60, m, x, 1, x, asking()));
    cr_assert_null(asked()->route, "y is only scaled");
    cr_prim(prim_spmv(PRIM_SPMV_CSR_VECTOR, 1, m, x, 1, x, asking()));
    cr_assert_null(asked()->route, "CSR_VECTOR has one way");
    forget(&csr);
}

/* On the CPU backend a block at a time: in reverse order that shows where a level of the segmented
 * sum writes over what it reads. */
Test(sparse, levels_have_memory_of_their_own)
{
    static const shape s = {"16385 rows of 2", 16385, 100, all_n, 2, false};
    cr_assert_eq(setenv("SIMT_WORKERS", "1", 1), 0);
    cr_assert_eq(setenv("SIMT_RESIDENT", "1", 1), 0);
    kept csr = make(&s, CUDA_R_32F, CUDA_R_32I, WHOLE),
         coo = convert(&csr.m, PRIM_SPARSE_COO, CUDA_R_32I, 0);
    check_matrix(s.name, &csr.m, &coo, WHOLE, 1);
    forget(&coo);
    forget(&csr);
}

/* Halves with x and y in f32. */
Test(sparse, halves_with_wide_vectors)
{
    static const cudaDataType_t halves[] = {CUDA_R_16F, CUDA_R_16BF};
    static const shape some[] = {{"skewed", 300, 600, skewed, 700, false},
                                 {"gaps", 300, 1000, gaps, 5, false},
                                 {"9 a row", 500, 90, all_n, 9, false}};
    for (size_t i = 0; i < COUNT_OF(halves) * COUNT_OF(some) * FORMS; i++) {
        const shape *s = &some[i / COUNT_OF(halves) % COUNT_OF(some)];
        const form *f = &forms[i / COUNT_OF(halves) / COUNT_OF(some)];
        kept csr = make(s, halves[i % COUNT_OF(halves)], i % 4 < 2 ? CUDA_R_32I : CUDA_R_64I, REAL),
             matrix = in_form(&csr.m, f);
        vectors x_y = make_vectors_of(CUDA_R_32F, &csr.m, REAL, 1, 1);
        size_t variants = 0;
        for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++) {
            product p = {s->name, &csr.m,       &matrix, prim_spmv_variant_at(v)->value,
                         0,       0.3,          0.7,     i % 2,
                         x_y.h_x, x_y.h_before, true};
            if (!runs(ask_product(p.variant, &matrix.m, CUDA_R_32F)))
                continue;
            check_product(&p);
            variants++;
            p.threads = 1;
            check_product(&p);
        }
        cr_assert_eq(variants, 2, "AUTO and the rung that it takes");
        free_vectors(&x_y);
        forget(&matrix);
        forget(&csr);
    }
}

/* ---- NaN and infinity ---- */

/* Some columns of x are special; entries lie in columns of all kinds, or in none of the special
 * ones. */
static void check_specials(const combination *k, const shape *s, double special, bool in_use)
{
    kept csr = make(s, k->type, CUDA_R_32I, REAL);
    for (size_t e = 0; e < csr.m.entries && !in_use; e++)
        ((int32_t *)csr.m.column_indices)[e] |= 1; /* only even columns are special */
    kept matrix = in_form(&csr.m, &k->f);
    vectors x_y = make_vectors(&csr.m, REAL, 1, 1);
    for (size_t column = 0; column < s->columns; column += in_use ? 64 : 2)
        write_float(k->type, x_y.h_x, column, special);
    for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++) {
        const product p = {
            s->name, &csr.m,       &matrix, prim_spmv_variant_at(v)->value, 0, 1, 0.5, 0,
            x_y.h_x, x_y.h_before, false};
        if (takes(p.variant, &matrix.m))
            check_product(&p);
    }
    free_vectors(&x_y);
    forget(&matrix);
    forget(&csr);
}

ParameterizedTestParameters(sparse, nan_and_infinity_stay_in_their_rows)
{
    return combinations();
}

ParameterizedTest(combination *k, sparse, nan_and_infinity_stay_in_their_rows)
{
    static const shape few = {"skewed", 300, 600, skewed, 300, false},
                       many = {"gaps", 300, 1000, gaps, 5, false};
    static const double specials[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT_OF(specials); i++) {
        check_specials(k, &few, specials[i], true);
        check_specials(k, &many, specials[i], true);
        check_specials(k, &many, specials[i], false);
    }
}

/* ---- matrices that no conversion makes ---- */

/* ELL's columns `more` elements further apart; what lies between them leads out of x. */
static kept spread(const kept *from, size_t more)
{
    const prim_sparse *m = &from->m;
    const size_t ld = m->ell_ld + more, count = ld * m->ell_width, size = type_bytes(m->value_type);
    kept k = {.m = *m, .bytes = from->bytes + 16 + count * (size + sizeof(int32_t))};
    k.memory = allocate(k.bytes);
    memcpy(k.memory, from->memory, from->bytes);
    k.m = prim_sparse_moved(*m, from->memory, k.memory);
    char *values = k.memory + (from->bytes + 15) / 16 * 16;
    int32_t *columns = (int32_t *)(values + count * size);
    for (size_t i = 0; i < count; i++) {
        const size_t row = i % ld, old = i / ld * m->ell_ld + row;
        const bool inside = row < m->rows;
        columns[i] = inside ? m->ell_columns[old] : INT32_MAX;
        write_float(m->value_type, values, i,
                    inside ? read_float(m->value_type, m->ell_values, old) : NAN);
    }
    k.m.ell_ld = ld;
    k.m.ell_values = values;
    k.m.ell_columns = columns;
    return k;
}

Test(sparse, ell_with_room_between_its_columns)
{
    static const shape s = {"skewed", 300, 200, skewed, 60, false};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t f = 0; f < FORMS; f++) {
            if (forms[f].format != PRIM_SPARSE_ELL && forms[f].format != PRIM_SPARSE_HYB)
                continue;
            kept csr = make(&s, types[t], CUDA_R_32I, WHOLE), tight = in_form(&csr.m, &forms[f]),
                 wide = spread(&tight, 1 + 7 * f);
            cr_prim(prim_sparse_check_host(wide.m));
            check_matrix("spread", &csr.m, &wide, WHOLE, 31);
            kept back = convert(&wide.m, PRIM_SPARSE_CSR, CUDA_R_32I, 0);
            check_matrix("spread and back", &csr.m, &back, WHOLE, 2);
            forget(&back);
            forget(&wide);
            forget(&tight);
            forget(&csr);
        }
}

/* Groups of no rows, two groups of one length, entries that belong to no group, and an order of the
 * rows that no sorting gives. */
Test(sparse, jds_by_hand)
{
    static const prim_jds_group groups[] = {{0, 0, 9, 0}, {0, 1, 3, 1}, {1, 1, 2, 5}, {2, 0, 0, 9},
                                            {2, 1, 2, 7}, {3, 1, 0, 2}, {4, 0, 5, 4}};
    static const struct {
        int32_t permutation[4], columns[9];
        float values[9];
    } arrays = {{2, 3, 0, 1}, {3, 1, 2, 3, 3, 0, 3, 0, 2}, {NAN, 2, 4, 1, NAN, 1, 1, 3, 1}};
    kept csr = classic(CUDA_R_32F, CUDA_R_32I), jds = {.bytes = sizeof arrays};
    jds.memory = allocate(sizeof arrays);
    memcpy(jds.memory, &arrays, sizeof arrays);
    const prim_sparse here = {.format = PRIM_SPARSE_JDS,
                              .rows = 4,
                              .columns = 4,
                              .entries = 9,
                              .value_type = CUDA_R_32F,
                              .permutation = arrays.permutation,
                              .column_indices = arrays.columns,
                              .values = arrays.values,
                              .h_groups = groups,
                              .group_count = COUNT_OF(groups)};
    jds.m = prim_sparse_moved(here, &arrays, jds.memory);
    cr_assert_eq(jds.m.h_groups, groups, "h_groups stays where it is");
    cr_prim(prim_sparse_check_host(jds.m));
    check_matrix("by hand", &csr.m, &jds, WHOLE, 31);
    kept back = convert(&jds.m, PRIM_SPARSE_CSR, CUDA_R_64I, 0);
    cr_assert_eq(back.m.entries, 7);
    check_matrix("by hand and back", &csr.m, &back, WHOLE, 31);
    forget(&back);
    forget(&jds);
    forget(&csr);
}

Test(sparse, empty_arrays_may_be_null)
{
    const int32_t offsets[4] = {0};
    float y[3] = {1, 2, 3};
    prim_sparse m = {.format = PRIM_SPARSE_CSR,
                     .rows = 3,
                     .value_type = CUDA_R_32F,
                     .offset_type = CUDA_R_32I,
                     .row_offsets = offsets};
    cr_prim(prim_sparse_check_host(m));
    cr_prim(prim_spmv_host(1, m, prim_vector_of(CUDA_R_32F, NULL, m.columns), 2,
                           prim_vector_of(CUDA_R_32F, y, m.rows), 1));
    cr_assert(y[0] == 2 && y[1] == 4 && y[2] == 6);
    m.format = PRIM_SPARSE_COO;
    m.rows = 0;
    cr_prim(prim_sparse_check_host(m));
    cr_prim(prim_spmv_host(1, m, prim_vector_of(CUDA_R_32F, NULL, m.columns), 2,
                           prim_vector_of(CUDA_R_32F, NULL, m.rows), 1));
    for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++)
        if (takes(prim_spmv_variant_at(v)->value, &m))
            cr_own(prim_spmv(prim_spmv_variant_at(v)->value, 1, m,
                             prim_vector_of(CUDA_R_32F, NULL, m.columns), 0,
                             prim_vector_of(CUDA_R_32F, NULL, m.rows), into(own_stream())));
}

/* Both scalars are 0 in f32: neither x nor y is read. */
Test(sparse, scalars_count_in_the_type_of_y)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I);
    for (size_t f = 0; f < FORMS; f++) {
        kept matrix = in_form(&csr.m, &forms[f]);
        vectors nan = make_vectors(&csr.m, WHOLE, 0, 0);
        for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++)
            for (int threads = 0; threads < 2; threads++) {
                const product p = {"classic", &csr.m,       &matrix, prim_spmv_variant_at(v)->value,
                                   threads,   1e-60,        -1e-60,  0,
                                   nan.h_x,   nan.h_before, false};
                float after[4];
                if (!takes(p.variant, &matrix.m))
                    continue;
                run(&p, after);
                for (size_t row = 0; row < 4; row++)
                    cr_assert_eq(after[row], 0, "%s", prim_spmv_variant_info(p.variant)->name);
            }
        free_vectors(&nan);
        forget(&matrix);
    }
    forget(&csr);
}

/* ---- determinism ---- */

Test(sparse, same_bits_in_every_run)
{
    static const shape s = {"skewed", 1800, 700, skewed, 900, false};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t f = 0; f < FORMS; f++) {
            kept csr = make(&s, types[t], CUDA_R_32I, REAL), matrix = in_form(&csr.m, &forms[f]);
            vectors x_y = make_vectors(&csr.m, REAL, 1, 1);
            const size_t bytes = s.rows * type_bytes(types[t]);
            void *first = allocate(bytes), *again = allocate(bytes);
            for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++)
                for (size_t turn = 0; turn < 3; turn++) {
                    const product p = {
                        s.name,  &csr.m,       &matrix, prim_spmv_variant_at(v)->value,
                        0,       0.3,          0.7,     turn,
                        x_y.h_x, x_y.h_before, false};
                    if (!takes(p.variant, &matrix.m))
                        continue;
                    run_on_device(&p, turn == 0 ? first : again);
                    if (turn > 0)
                        cr_assert_arr_eq(again, first, bytes, "%s",
                                         prim_spmv_variant_info(p.variant)->name);
                }
            free(first);
            free(again);
            free_vectors(&x_y);
            forget(&matrix);
            forget(&csr);
        }
}

/* A row by itself: a matrix with one row. */
static kept row_of(const prim_sparse *csr, size_t row, cudaDataType_t offset_type)
{
    const size_t first = offset_of(csr, row), count = offset_of(csr, row + 1) - first,
                 size = type_bytes(csr->value_type);
    kept k = new_csr(1, csr->columns, count, csr->value_type, offset_type);
    set_offset(&k.m, 1, count);
    memcpy((void *)k.m.column_indices, csr->column_indices + first, count * sizeof(int32_t));
    memcpy((void *)k.m.values, (const char *)csr->values + first * size, count * size);
    return k;
}

/* AUTO for CSR: a row's bits follow from the row alone, be it in a tile or in a small matrix. */
Test(sparse, a_row_has_its_bits_wherever_it_lies)
{
    static const shape s = {"skewed", 600, 700, skewed, 3000, false};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        const size_t size = type_bytes(types[t]);
        kept csr = make(&s, types[t], CUDA_R_32I, REAL);
        vectors x_y = make_vectors(&csr.m, REAL, 1, 1);
        char *all = allocate(s.rows * size), one[8];
        product p = {s.name, &csr.m, &csr,    PRIM_SPMV_AUTO, 0,    0.3,
                     0.7,    0,      x_y.h_x, x_y.h_before,   false};
        run_on_device(&p, all);
        for (size_t row = 0; row < s.rows; row++) {
            kept alone = row_of(&csr.m, row, row % 2 == 0 ? CUDA_R_32I : CUDA_R_64I);
            p.matrix = &alone;
            p.h_before = (const char *)x_y.h_before + row * size;
            run_on_device(&p, one);
            cr_assert_arr_eq(one, all + row * size, size, "row %zu of %zu entries", row,
                             alone.m.entries);
            forget(&alone);
        }
        free(all);
        free_vectors(&x_y);
        forget(&csr);
    }
}

/* ---- the host's version ---- */

static bool has_threads(void)
{
    const prim_sparse empty = {.format = PRIM_SPARSE_COO, .value_type = CUDA_R_32F};
    return prim_spmv_host(1, empty, prim_vector_of(CUDA_R_32F, NULL, empty.columns), 0,
                          prim_vector_of(CUDA_R_32F, NULL, empty.rows), 2) == PRIM_OK;
}

Test(sparse, host_threads_give_the_same_bits)
{
    static const shape some[] = {{"skewed", 500, 700, skewed, 300, false},
                                 {"gaps", 33, 20, gaps, 4, false},
                                 {"2 rows", 2, 20, all_n, 9, false}};
    static const int threads[] = {2, 3, 7};
    if (!has_threads())
        cr_skip_test("built without OpenMP");
    for (size_t i = 0; i < COUNT_OF(some) * FORMS; i++) {
        const shape *s = &some[i % COUNT_OF(some)];
        const cudaDataType_t type = types[i % 2];
        kept csr = make(s, type, CUDA_R_64I, REAL),
             matrix = in_form(&csr.m, &forms[i / COUNT_OF(some)]);
        vectors x_y = make_vectors(&csr.m, REAL, 1, 1);
        const size_t bytes = s->rows * type_bytes(type);
        void *one = allocate(bytes), *more = allocate(bytes);
        product p = {s->name, &csr.m, &matrix, PRIM_SPMV_AUTO, 1,    0.3,
                     0.7,     0,      x_y.h_x, x_y.h_before,   false};
        run(&p, one);
        check_product(&p);
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            p.threads = threads[t];
            run(&p, more);
            cr_assert_arr_eq(more, one, bytes, "%s, %d threads", s->name, p.threads);
        }
        free(one);
        free(more);
        free_vectors(&x_y);
        forget(&matrix);
        forget(&csr);
    }
}

Test(sparse, host_refuses_what_it_cannot_do)
{
    kept k = classic(CUDA_R_32F, CUDA_R_32I);
    const cudaDataType_t f = CUDA_R_32F;
    float x[4] = {0}, y[4] = {0};
    const prim_vector h_x = prim_vector_of(f, x, 4), h_y = prim_vector_of(f, y, 4);
    cr_refused(prim_spmv_host(1, k.m, h_x, 0, h_y, 0), PRIM_ERROR_VALUE, "threads");
    cr_assert_eq(prim_spmv_host(1, k.m, h_x, 0, h_y, 1025), PRIM_ERROR_VALUE);
    cr_refused(prim_spmv_host(1, k.m, prim_vector_of(f, NULL, 4), 0, h_y, 1), PRIM_ERROR_NULL,
               "h_x");
    cr_refused(prim_spmv_host(1, k.m, h_x, 0, prim_vector_of(f, NULL, 4), 1), PRIM_ERROR_NULL,
               "h_y");
    cr_assert_eq(prim_spmv_host(1, k.m, h_x, 0, prim_vector_of(f, x + 3, 4), 1),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_spmv_host(1, k.m, h_x, 0, prim_vector_of(f, (void *)k.m.values, 4), 1),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_spmv_host(1, k.m, prim_vector_of(CUDA_R_64F, x, 4), 0, h_y, 1),
                 PRIM_ERROR_TYPE);
    cr_assert_eq(prim_spmv_host(1, k.m, h_x, 0, prim_vector_of(CUDA_R_64F, y, 4), 1),
                 PRIM_ERROR_TYPE);
    cr_assert_eq(prim_spmv_host(1, k.m, prim_vector_of(f, (char *)x + 1, 4), 0, h_y, 1),
                 PRIM_ERROR_MISALIGNED);
    cr_refused(prim_spmv_host(1, k.m, prim_vector_of(f, x, 3), 0, h_y, 1), PRIM_ERROR_VALUE,
               "x.count is 3");
    cr_refused(prim_spmv_host(1, k.m, h_x, 0, prim_vector_of(f, y, 3), 1), PRIM_ERROR_VALUE,
               "y.count is 3");
    k.m.values = NULL;
    cr_refused(prim_spmv_host(1, k.m, h_x, 0, h_y, 1), PRIM_ERROR_NULL, "h_values");
    k.m.format = (prim_sparse_format)9;
    cr_assert_eq(prim_spmv_host(1, k.m, h_x, 0, h_y, 1), PRIM_ERROR_ENUM);
    forget(&k);
    if (!has_threads()) {
        k = classic(CUDA_R_32F, CUDA_R_32I);
        cr_assert_eq(prim_spmv_host(1, k.m, h_x, 0, h_y, 2), PRIM_ERROR_UNSUPPORTED);
        forget(&k);
    }
}

/* Fields of other formats are not looked at. */
Test(sparse, fields_of_other_formats_do_not_matter)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I);
    for (size_t f = 0; f < FORMS; f++) {
        kept k = in_form(&csr.m, &forms[f]);
        const prim_sparse_format format = k.m.format;
        const bool has_ell = format == PRIM_SPARSE_ELL || format == PRIM_SPARSE_HYB;
        if (format != PRIM_SPARSE_CSR && format != PRIM_SPARSE_SELL)
            k.m.offset_type = (cudaDataType_t)9999;
        if (format != PRIM_SPARSE_CSR)
            k.m.row_offsets = (const void *)1;
        if (format != PRIM_SPARSE_SELL)
            k.m.slice_offsets = (const void *)1;
        if (format != PRIM_SPARSE_JDS && format != PRIM_SPARSE_SELL)
            k.m.permutation = (const void *)1;
        if (format != PRIM_SPARSE_JDS) {
            k.m.h_groups = (const void *)1;
            k.m.group_count = SIZE_MAX;
        }
        if (!has_ell)
            k.m.ell_width = SIZE_MAX;
        if (format == PRIM_SPARSE_ELL)
            k.m.entries = SIZE_MAX;
        cr_prim(prim_sparse_check_host(k.m));
        check_matrix("classic", &csr.m, &k, WHOLE, 2);
        forget(&k);
    }
    forget(&csr);
}

/* ---- which variants take what ---- */

static bool is_of(prim_spmv_variant variant, prim_sparse_format format)
{
    const char *name = format_names[format];
    return variant == PRIM_SPMV_AUTO ||
           strncmp(prim_spmv_variant_info(variant)->name, name, strlen(name)) == 0;
}

Test(sparse, variants_take_their_own_format_only)
{
    const cudaDataType_t f = CUDA_R_32F;
    for (int format = 0; format < (int)COUNT_OF(format_names); format++)
        for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++) {
            kept k = classic_as((prim_sparse_format)format);
            const prim_spmv_variant variant = prim_spmv_variant_at(v)->value;
            const bool own = is_of(variant, (prim_sparse_format)format);
            size_t bytes;
            float x[4] = {0}, y[4] = {0}; /* nothing is read before the variant is refused */
            cr_assert_eq(runs(ask_product(variant, &k.m, f)), own, "%s as %s",
                         prim_spmv_variant_info(variant)->name, format_names[format]);
            cr_assert_eq(asked_bytes(ask_product(variant, &k.m, f), &bytes),
                         own ? PRIM_OK : PRIM_ERROR_UNSUPPORTED);
            if (variant != PRIM_SPMV_CSR_MERGE &&
                (variant != PRIM_SPMV_AUTO || format != PRIM_SPARSE_CSR))
                cr_assert_eq(bytes, 0, "few entries need no workspace");
            if (!own)
                cr_refused(prim_spmv(variant, 1, k.m, prim_vector_of(f, x, k.m.columns), 0,
                                     prim_vector_of(f, y, k.m.rows), NULL),
                           PRIM_ERROR_UNSUPPORTED, prim_spmv_variant_info(variant)->name);
            forget(&k);
        }
}

/* The last that it takes, and the first that it does not. */
static void check_limit(prim_spmv_variant variant, prim_sparse m, size_t most)
{
    m.entries = most;
    cr_assert(runs(ask_product(variant, &m, CUDA_R_64F)));
    m.entries++;
    cr_assert_not(runs(ask_product(variant, &m, CUDA_R_64F)));
    cr_assert_eq(runs(ask_product(PRIM_SPMV_AUTO, &m, CUDA_R_64F)), m.format != PRIM_SPARSE_HYB,
                 "another rung does, but for HYB");
}

Test(sparse, more_blocks_than_a_grid_has_are_refused)
{
    const size_t blocks = 0x7fffffff;
    prim_sparse m = {.format = PRIM_SPARSE_COO, .rows = 5, .columns = 5};
    m.value_type = CUDA_R_64F;
    m.offset_type = CUDA_R_64I;
    check_limit(PRIM_SPMV_COO_SEGMENTED, m, blocks * 256);
    check_limit(PRIM_SPMV_COO_TILED, m, blocks * 8192);
    m.entries = blocks * 8192 + 1;
    cr_assert(runs(ask_product(PRIM_SPMV_COO_SCAN_ALL, &m, CUDA_R_64F)));
    m.format = PRIM_SPARSE_HYB;
    m.ell_ld = 5;
    check_limit(PRIM_SPMV_HYB, m, blocks * 8192);
    m.format = PRIM_SPARSE_CSR;
    check_limit(PRIM_SPMV_CSR_MERGE, m, blocks * 3072 - 5);
}

Test(sparse, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_spmv_variant_at(0)->value, PRIM_SPMV_AUTO);
    cr_assert_not_null(prim_spmv_variant_at(10));
    for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++) {
        const char *name = prim_spmv_variant_at(v)->name;
        cr_assert(name != NULL && strlen(name) > 0);
        cr_assert(strlen(prim_spmv_variant_at(v)->idea) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(name, prim_spmv_variant_at(w)->name);
    }
    cr_assert_null(prim_spmv_variant_info((prim_spmv_variant)9999));
}

/* ---- entries from the 2^32nd on, in address space with no memory after it ---- */

enum { VAST_ROWS = 40, VAST_COLUMNS = 5 };

static const size_t vast_begin = (size_t)1 << 32;

/* Entries that nobody ever wrote: of value 0 in column 0. `right` is what the others add up to. */
typedef struct vast {
    size_t entries;
    int32_t *columns;
    float *values;
    float x[VAST_COLUMNS], right[VAST_ROWS];
} vast;

static void *unused_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        cr_skip_test("no address space for more than 2^32 entries");
    return memory;
}

static vast make_vast(size_t entries)
{
    return (vast){.entries = entries,
                  .columns = unused_memory(entries * sizeof(int32_t)),
                  .values = unused_memory(entries * sizeof(float)),
                  .x = {1, 2, 3, 5, 7}};
}

/* An entry of that row; and, where 32 bits would put it, another one, which counts for more. */
static void put_vast(vast *v, size_t row, size_t place)
{
    v->columns[place] = 1 + (int32_t)(place % (VAST_COLUMNS - 1));
    v->values[place] = 1 + (float)(place % 7);
    v->right[row] += v->values[place] * v->x[v->columns[place]];
    if (place >= vast_begin)
        v->values[(uint32_t)place] = 1000;
}

static void check_vast(const vast *v, const prim_sparse *m, const float *y, const char *by)
{
    for (size_t row = 0; row < m->rows; row++)
        cr_assert_eq(y[row], v->right[row], "%s by %s: row %zu is %g, not %g",
                     format_names[m->format], by, row, (double)y[row], (double)v->right[row]);
}

/* On the host; and by those rungs that go straight to a row's entries, on the CPU backend: its
 * kernels reach the host's memory, which the call would refuse. `named` is how many entries these
 * rungs are told of: a rung that divides all entries among blocks takes its one launch for few. */
static void multiply_vast(vast *v, prim_sparse m, size_t named)
{
    float y[VAST_ROWS] = {0};
    m.columns = VAST_COLUMNS;
    m.entries = v->entries;
    m.value_type = CUDA_R_32F;
    m.offset_type = CUDA_R_64I;
    m.column_indices = m.ell_columns = v->columns;
    m.values = m.ell_values = v->values;
    cr_prim(prim_spmv_host(1, m, prim_vector_of(CUDA_R_32F, v->x, m.columns), 0,
                           prim_vector_of(CUDA_R_32F, y, m.rows), 1));
    check_vast(v, &m, y, "the host");
    m.entries = named;
    const prim_spmv_args here =
        prim_spmv_args_of("spmv", PRIM_SPMV_AUTO, 1, m, prim_vector_of(CUDA_R_32F, v->x, m.columns),
                          0, prim_vector_of(CUDA_R_32F, memset(y, -1, sizeof y), m.rows));
    size_t launched = 0;
    for (size_t r = 0; on_cpu_backend() && prim_spmv_rungs[r] != NULL; r++) {
        const prim_rung *const rung = prim_spmv_rungs[r];
        if (rung->why_not(&here) != NULL)
            continue;
        prim_spmv_args args = here;
        args.call.workspace_bytes =
            rung->workspace_bytes != NULL ? rung->workspace_bytes(&args) : 0;
        cr_cuda(cudaMalloc(&args.call.workspace, args.call.workspace_bytes));
        cr_cuda(rung->launch(&args));
        cr_cuda(cudaDeviceSynchronize());
        check_vast(v, &m, y, rung->variant.name);
        cr_cuda(cudaFree(args.call.workspace));
        launched++;
    }
    cr_assert(launched > 0 || !on_cpu_backend());
    munmap(v->columns, v->entries * sizeof *v->columns);
    munmap(v->values, v->entries * sizeof *v->values);
}

Test(sparse, csr_beyond_two_to_the_32)
{
    const int64_t b = (int64_t)vast_begin, offsets[] = {b, b + 3, b + 5};
    vast v = make_vast(vast_begin + 5);
    for (size_t e = 0; e < 5; e++)
        put_vast(&v, e < 3 ? 0 : 1, vast_begin + e);
    multiply_vast(&v, (prim_sparse){.format = PRIM_SPARSE_CSR, .rows = 2, .row_offsets = offsets},
                  5);
}

/* Two slices, of two columns and of one. */
Test(sparse, sell_beyond_two_to_the_32)
{
    const int64_t b = (int64_t)vast_begin, offsets[] = {b, b + 64, b + 96};
    vast v = make_vast(vast_begin + 96);
    for (size_t row = 0; row < VAST_ROWS; row++)
        for (size_t s = 0; s < (row < 32 ? 2 : 1); s++)
            put_vast(&v, row, vast_begin + row / 32 * 64 + s * 32 + row % 32);
    multiply_vast(
        &v, (prim_sparse){.format = PRIM_SPARSE_SELL, .rows = VAST_ROWS, .slice_offsets = offsets},
        96);
}

static const size_t vast_widths[] = {3, 70}; /* of rows that have one thread, and two */

Test(sparse, ell_beyond_two_to_the_32)
{
    for (size_t w = 0; w < COUNT_OF(vast_widths); w++) {
        const size_t width = vast_widths[w], ld = vast_begin / (width / 2) + 2;
        vast v = make_vast(width * ld);
        for (size_t s = 0; s < width; s++)
            for (size_t row = 0; row < 2; row++)
                put_vast(&v, row, s * ld + row);
        multiply_vast(
            &v,
            (prim_sparse){.format = PRIM_SPARSE_ELL, .rows = 2, .ell_width = width, .ell_ld = ld},
            0);
    }
}

Test(sparse, jds_beyond_two_to_the_32)
{
    static const int32_t permutation[] = {1, 0};
    for (size_t w = 0; w < COUNT_OF(vast_widths); w++) {
        const prim_jds_group group = {0, 2, vast_widths[w], vast_begin};
        vast v = make_vast(vast_begin + 2 * group.width);
        for (size_t e = 0; e < 2 * group.width; e++)
            put_vast(&v, (size_t)permutation[e % 2], vast_begin + e);
        multiply_vast(&v,
                      (prim_sparse){.format = PRIM_SPARSE_JDS,
                                    .rows = 2,
                                    .permutation = permutation,
                                    .h_groups = &group,
                                    .group_count = 1},
                      v.entries);
    }
}

/* ---- more than 2^31 entries, where the device has the memory ---- */

/* Rows of one length whose entries are 0 in column 0, but for the first row's first, which is 3,
 * and the last row's last, which is 5. */
typedef struct deep {
    size_t rows, width;
    char *d_offsets, *d_row_indices, *d_columns, *d_values, *d_x, *d_y;
} deep;

static char *zeros(size_t bytes)
{
    void *d;
    cr_cuda(cudaMalloc(&d, bytes));
    cr_cuda(cudaMemset(d, 0, bytes));
    return d;
}

static void put(char *d, size_t i, float value)
{
    cr_cuda(cudaMemcpy(d + i * sizeof value, &value, sizeof value, cudaMemcpyHostToDevice));
}

/* Offsets, and row numbers a row at a time. */
static void fill_deep(deep *d)
{
    int64_t *h_offsets = allocate((d->rows + 1) * sizeof *h_offsets);
    int32_t *h_row = allocate(d->width * sizeof *h_row);
    for (size_t row = 0; row <= d->rows; row++)
        h_offsets[row] = (int64_t)(row * d->width);
    cr_cuda(cudaMemcpy(d->d_offsets, h_offsets, (d->rows + 1) * sizeof *h_offsets,
                       cudaMemcpyHostToDevice));
    for (size_t row = 0; row < d->rows; row++) {
        for (size_t s = 0; s < d->width; s++)
            h_row[s] = (int32_t)row;
        cr_cuda(cudaMemcpy(d->d_row_indices + row * d->width * sizeof *h_row, h_row,
                           d->width * sizeof *h_row, cudaMemcpyHostToDevice));
    }
    free(h_offsets);
    free(h_row);
}

static void check_deep(const deep *d, prim_sparse m)
{
    float *h_y = allocate(d->rows * sizeof *h_y);
    m.rows = d->rows;
    m.columns = 1;
    m.value_type = CUDA_R_32F;
    m.row_offsets = d->d_offsets;
    m.row_indices = (int32_t *)d->d_row_indices;
    m.column_indices = m.ell_columns = (int32_t *)d->d_columns;
    m.values = m.ell_values = d->d_values;
    m.offset_type = CUDA_R_64I;
    for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++) {
        if (!takes(prim_spmv_variant_at(v)->value, &m))
            continue;
        cr_own(prim_spmv(prim_spmv_variant_at(v)->value, 1, m,
                         prim_vector_of(CUDA_R_32F, d->d_x, m.columns), 0,
                         prim_vector_of(CUDA_R_32F, d->d_y, m.rows), into(own_stream())));
        cr_cuda(cudaMemcpy(h_y, d->d_y, d->rows * sizeof *h_y, cudaMemcpyDeviceToHost));
        for (size_t row = 0; row < d->rows; row++)
            cr_assert_eq(h_y[row],
                         row == 0             ? 3
                         : row + 1 == d->rows ? 5
                                              : 0,
                         "%s, row %zu: %g", prim_spmv_variant_at(v)->name, row, (double)h_y[row]);
    }
    free(h_y);
}

/* On a GPU at level full; a small one everywhere, so that the test itself is known to run. */
Test(sparse, beyond_two_to_the_31)
{
    const bool in_full = !on_cpu_backend() && get_test_level() == LEVEL_FULL;
    deep d = {.rows = in_full ? (size_t)1 << 20 : 64, .width = in_full ? 2049 : 33};
    const size_t entries = d.rows * d.width;
    const prim_jds_group group = {0, d.rows, d.width, 0};
    int32_t *h_permutation = allocate(d.rows * sizeof *h_permutation);
    d.d_offsets = zeros((d.rows + 1) * sizeof(int64_t));
    d.d_row_indices = zeros(entries * sizeof(int32_t));
    d.d_columns = zeros(entries * sizeof(int32_t));
    d.d_values = zeros(entries * sizeof(float));
    d.d_x = zeros(sizeof(float));
    d.d_y = zeros(d.rows * sizeof(float));
    fill_deep(&d);
    put(d.d_x, 0, 1);
    put(d.d_values, 0, 3); /* the first of each order and the last of each order */
    put(d.d_values, entries - 1, 5);
    check_deep(&d, (prim_sparse){.format = PRIM_SPARSE_CSR, .entries = entries});
    check_deep(&d, (prim_sparse){.format = PRIM_SPARSE_COO, .entries = entries});
    check_deep(&d,
               (prim_sparse){.format = PRIM_SPARSE_ELL, .ell_width = d.width, .ell_ld = d.rows});
    check_deep(&d,
               (prim_sparse){.format = PRIM_SPARSE_HYB, .ell_width = d.width, .ell_ld = d.rows});
    /* Slices of 32 rows in the place of the rows' offsets. */
    int64_t *h_slices = allocate((d.rows / 32 + 1) * sizeof *h_slices);
    for (size_t slice = 0; slice <= d.rows / 32; slice++)
        h_slices[slice] = (int64_t)(slice * 32 * d.width);
    cr_cuda(cudaMemcpy(d.d_offsets, h_slices, (d.rows / 32 + 1) * sizeof *h_slices,
                       cudaMemcpyHostToDevice));
    free(h_slices);
    check_deep(&d, (prim_sparse){.format = PRIM_SPARSE_SELL,
                                 .entries = entries,
                                 .slice_offsets = d.d_offsets});
    /* The permutation in the place of the row numbers, which JDS does not look at. */
    for (size_t row = 0; row < d.rows; row++)
        h_permutation[row] = (int32_t)row;
    cr_cuda(cudaMemcpy(d.d_row_indices, h_permutation, d.rows * sizeof *h_permutation,
                       cudaMemcpyHostToDevice));
    check_deep(&d, (prim_sparse){.format = PRIM_SPARSE_JDS,
                                 .entries = entries,
                                 .permutation = (int32_t *)d.d_row_indices,
                                 .h_groups = &group,
                                 .group_count = 1});
    free(h_permutation);
    char *const all[] = {d.d_offsets, d.d_row_indices, d.d_columns, d.d_values, d.d_x, d.d_y};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        cr_cuda(cudaFree(all[i]));
}

/* ---- real matrices ---- */

static kept in_type(const prim_sparse *from, cudaDataType_t type)
{
    kept k = new_csr(from->rows, from->columns, from->entries, type, CUDA_R_32I);
    for (size_t row = 0; row <= from->rows; row++)
        set_offset(&k.m, row, offset_of(from, row));
    memcpy((void *)k.m.column_indices, from->column_indices, from->entries * sizeof(int32_t));
    for (size_t e = 0; e < from->entries; e++)
        write_float(type, (void *)k.m.values, e, read_float(from->value_type, from->values, e));
    return k;
}

static void check_file(const char *folder, const char *name)
{
    char path[4096], sentence[MATRIX_MARKET_SENTENCE];
    prim_sparse from;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert(matrix_market_read(path, &from, sentence), "%s", sentence);
    const bool in_full = get_test_level() == LEVEL_FULL;
    for (size_t f = 0; f < FORMS; f++) {
        if (forms[f].behind_longest && !in_full)
            continue;
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            if ((f + t) % 2 != 0 && !in_full)
                continue;
            kept csr = in_type(&from, types[t]), matrix = in_form(&csr.m, &forms[f]);
            check_matrix(name, &csr.m, &matrix, REAL, 1u << f % 2);
            forget(&matrix);
            forget(&csr);
        }
    }
    matrix_market_free(&from);
}

Test(sparse, real_matrices)
{
    const char *data = getenv("PRIM_TEST_DATA");
    if (data == NULL || *data == '\0')
        cr_skip_test("PRIM_TEST_DATA names no folder with matrices/*.mtx");
    char folder[2048];
    snprintf(folder, sizeof folder, "%s/matrices", data);
    DIR *directory = opendir(folder);
    cr_assert_not_null(directory, "cannot read %s", folder);
    size_t found = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".mtx") != 0)
            continue;
        check_file(folder, entry->d_name);
        found++;
    }
    closedir(directory);
    cr_assert_gt(found, 0, "there is no *.mtx in %s", folder);
}
