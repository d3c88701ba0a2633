/* reduce: every variant and every pair of types against an independent oracle. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/reduce.h>

#include "support.h"

typedef struct type_pair {
    cudaDataType_t in, out;
} type_pair;

static const type_pair type_pairs[] = {
    {CUDA_R_32I, CUDA_R_32I},
    {CUDA_R_32F, CUDA_R_32F},
    {CUDA_R_64F, CUDA_R_64F},
    {CUDA_R_8U, CUDA_R_64U},
};
enum { PAIRS = sizeof type_pairs / sizeof *type_pairs };

static const char *const op_names[] = {"sum", "min", "max"};
static const char *const transform_names[] = {"none", "square", "abs"};
enum { OPS = 3, TRANSFORMS = 3 };

/* ---- the oracle ---- */

typedef struct expected {
    uint64_t integer;
    double value;     /* of a float result */
    double magnitude; /* the sum of |elements| */
    bool whole;       /* float elements are whole numbers */
} expected;

static uint64_t transform_integer(prim_transform transform, cudaDataType_t type, uint64_t value)
{
    if (transform == PRIM_TRANSFORM_SQUARE)
        value *= value;
    else if (transform == PRIM_TRANSFORM_ABS && type_is_signed(type) && (int64_t)value < 0)
        value = 0 - value;
    return wrap_integer(type, value);
}

static bool integer_less(cudaDataType_t type, uint64_t a, uint64_t b)
{
    return type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t empty_integer(prim_op op, cudaDataType_t type)
{
    const uint64_t smallest =
        type_is_signed(type) ? wrap_integer(type, (uint64_t)1 << (8 * type_bytes(type) - 1)) : 0;
    return op == PRIM_OP_SUM ? 0 : op == PRIM_OP_MAX ? smallest : wrap_integer(type, ~smallest);
}

static expected expect_integer(prim_op op, prim_transform transform, type_pair types,
                               const void *h_in, size_t count)
{
    uint64_t result = empty_integer(op, types.out);
    for (size_t i = 0; i < count; i++) {
        const uint64_t v = transform_integer(transform, types.out, read_integer(types.in, h_in, i));
        if (op == PRIM_OP_SUM)
            result += v;
        else if (op == PRIM_OP_MIN ? integer_less(types.out, v, result)
                                   : integer_less(types.out, result, v))
            result = v;
    }
    return (expected){.integer = wrap_integer(types.out, result)};
}

static double transform_float(prim_transform transform, cudaDataType_t type, double value)
{
    if (transform == PRIM_TRANSFORM_SQUARE) {
        const volatile double square = value * value; /* exact for f32 before it is rounded */
        return type == CUDA_R_32F ? (double)(float)square : square;
    }
    return transform == PRIM_TRANSFORM_ABS ? fabs(value) : value;
}

static bool float_less(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

static expected expect_float(prim_op op, prim_transform transform, type_pair types,
                             const void *h_in, size_t count)
{
    expected e = {.whole = true};
    long double sum = 0;
    double extreme = op == PRIM_OP_MIN ? INFINITY : -INFINITY;
    bool nan = false;
    for (size_t i = 0; i < count; i++) {
        const double v = transform_float(transform, types.out, read_float(types.in, h_in, i));
        sum += v;
        e.magnitude += fabs(v);
        e.whole = e.whole && v == floor(v);
        nan = nan || isnan(v);
        if (op == PRIM_OP_MIN ? float_less(v, extreme) : float_less(extreme, v))
            extreme = v;
    }
    e.value = nan ? NAN : op == PRIM_OP_SUM ? (double)sum : extreme;
    return e;
}

static expected expect(prim_op op, prim_transform transform, type_pair types, const void *h_in,
                       size_t count)
{
    return type_is_float(types.out) ? expect_float(op, transform, types, h_in, count)
                                    : expect_integer(op, transform, types, h_in, count);
}

/* Is the result right? height: the longest chain of additions that an element goes through. */
static bool right(const expected *e, prim_op op, type_pair types, double height, const void *result)
{
    if (!type_is_float(types.out))
        return read_integer(types.out, result, 0) == e->integer;
    const double value = read_float(types.out, result, 0), u = unit_roundoff(types.out);
    if (isnan(e->value))
        return isnan(value);
    if (op != PRIM_OP_SUM)
        return value == e->value && signbit(value) == signbit(e->value);
    if (isinf(e->value))
        return value == e->value;
    const bool exact = e->whole && e->magnitude * u <= 1;
    const double bound = exact ? 0 : (height * u / (1 - height * u) + u) * e->magnitude;
    return fabs(value - e->value) <= bound; /* false for NaN */
}

/* ---- one case ---- */

typedef struct reduce_case {
    prim_reduce_variant variant;
    prim_op op;
    prim_transform transform;
    type_pair types;
    size_t count;
    const void *h_in;
    size_t offset; /* elements by which d_in misses the 256-byte boundary */
} reduce_case;

static void run_on_device(const reduce_case *c, void *h_result)
{
    size_t bytes;
    cr_prim(prim_reduce_workspace_bytes(c->variant, c->op, c->transform, c->types.in, c->count,
                                        c->types.out, &bytes));
    const size_t in_bytes = type_bytes(c->types.in), out_bytes = type_bytes(c->types.out);
    guarded in = guarded_copy(c->h_in, c->count * in_bytes, c->offset * in_bytes);
    guarded out = guarded_new(out_bytes, c->offset * out_bytes);
    guarded workspace = guarded_new(bytes, 0);
    cr_prim(prim_reduce(c->variant, c->op, c->transform, c->types.in, in.data, c->count,
                        c->types.out, out.data, bytes > 0 ? workspace.data : NULL, bytes, 0));
    guarded_read(&out, h_result);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
}

static void describe(const reduce_case *c, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s %s(%s) %s → %s, %zu elements at offset %zu",
             prim_reduce_variant_name(c->variant), op_names[c->op], transform_names[c->transform],
             type_name(c->types.in), type_name(c->types.out), c->count, c->offset);
}

static void check_device(const reduce_case *c)
{
    unsigned char result[8];
    char text[160];
    const expected e = expect(c->op, c->transform, c->types, c->h_in, c->count);
    run_on_device(c, result);
    describe(c, text, sizeof text);
    const double height = log2((double)c->count + 1) + 4;
    cr_assert(right(&e, c->op, c->types, height, result), "%s: %.17g or %llu, not %.17g or %llu",
              text, type_is_float(c->types.out) ? read_float(c->types.out, result, 0) : 0.0,
              type_is_float(c->types.out)
                  ? 0ull
                  : (unsigned long long)read_integer(c->types.out, result, 0),
              e.value, (unsigned long long)e.integer);
}

/* ---- every variant and pair of types, one test each ---- */

typedef struct combination {
    prim_reduce_variant variant;
    type_pair types;
} combination;

static struct criterion_test_params combinations(bool floats_only)
{
    static combination rows[256];
    size_t count = 0;
    for (size_t v = 0; v < prim_reduce_variant_count(); v++)
        for (size_t p = 0; p < PAIRS; p++)
            if (type_is_float(type_pairs[p].in) || !floats_only)
                rows[count++] = (combination){prim_reduce_variant_at(v), type_pairs[p]};
    return cr_make_param_array(combination, rows, count);
}

/* Does the table say that this variant takes these types at all? Then it takes every operator. */
static bool supported(const combination *k)
{
    return prim_reduce_supports(k->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, k->types.in, 1,
                                k->types.out);
}

static void skip_unless_supported(const combination *k)
{
    if (!supported(k))
        cr_skip_test("%s has no %s → %s", prim_reduce_variant_name(k->variant),
                     type_name(k->types.in), type_name(k->types.out));
}

static const size_t small_sizes[] = {0,   1,    2,    3,    31,   32,   33,  127,
                                     128, 129,  255,  256,  257,  511,  512, 513,
                                     767, 1000, 1023, 1024, 1025, 3071, 3967};
/* A third pass begins behind 256^2 elements in one rung, and behind 512^2 in the other. */
static const size_t large_sizes[] = {4099, 65535, 65536, 65537, 262144, 262145};
static const size_t huge_sizes[] = {1000003, (1 << 24) - 1, 1 << 24, (1 << 24) + 1,
                                    (1 << 27) + 12345};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

ParameterizedTestParameters(reduce, small_sizes_in_full)
{
    return combinations(false);
}

ParameterizedTest(combination *k, reduce, small_sizes_in_full)
{
    skip_unless_supported(k);
    const bool quick = get_test_level() == LEVEL_QUICK;
    double h_in[4096];
    for (size_t s = 0; s < COUNT_OF(small_sizes); s++)
        for (int d = 0; d < DISTRIBUTION_COUNT; d++) {
            const size_t count = small_sizes[s];
            fill(k->types.in, h_in, count, (distribution)d, 31 * s);
            for (int op = 0; op < OPS; op++)
                for (int t = 0; t < TRANSFORMS; t++) {
                    if (quick && (s + (size_t)d + (size_t)op + (size_t)t) % 3 != 0)
                        continue;
                    const reduce_case c = {k->variant, (prim_op)op, (prim_transform)t,   k->types,
                                           count,      h_in,        (s + (size_t)op) % 2};
                    check_device(&c);
                }
        }
}

static void check_large(const combination *k, size_t count, size_t s)
{
    void *h_in = malloc(count * type_bytes(k->types.in));
    for (int op = 0; op < OPS; op++) {
        const int d = (int)((s + (size_t)op) % DISTRIBUTION_COUNT);
        fill(k->types.in, h_in, count, (distribution)d, s);
        const reduce_case c = {k->variant, (prim_op)op, (prim_transform)((s + 1) % TRANSFORMS),
                               k->types,   count,       h_in,
                               s % 2};
        check_device(&c);
    }
    const reduce_case whole = {k->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, k->types, count, h_in,
                               1};
    fill(k->types.in, h_in, count, INTEGERS, s + 7);
    check_device(&whole);
    free(h_in);
}

ParameterizedTestParameters(reduce, large_sizes)
{
    return combinations(false);
}

ParameterizedTest(combination *k, reduce, large_sizes)
{
    skip_unless_supported(k);
    const size_t sizes = get_test_level() == LEVEL_QUICK ? 2 : COUNT_OF(large_sizes);
    for (size_t s = 0; s < sizes; s++)
        check_large(k, large_sizes[s], s);
    for (size_t s = 0; get_test_level() == LEVEL_FULL && s < COUNT_OF(huge_sizes); s++)
        check_large(k, huge_sizes[s], s);
}

/* ---- one special element at places where an index error would lose it ---- */

static const size_t places[] = {0, 1, 31, 32, 127, 128, 255, 256, 257, 511, 512, 513, 1022, 1023};

static void set_special(cudaDataType_t type, void *h_in, size_t i, prim_op op)
{
    static const uint64_t ones = UINT64_MAX, zero = 0;
    if (type_is_float(type))
        write_float(type, h_in, i, op == PRIM_OP_MIN ? -5e9 : 5e9);
    else if (type == CUDA_R_32I)
        ((int32_t *)h_in)[i] = op == PRIM_OP_MIN ? INT32_MIN : INT32_MAX;
    else
        memcpy((char *)h_in + i * type_bytes(type), op == PRIM_OP_MIN ? &zero : &ones,
               type_bytes(type));
}

ParameterizedTestParameters(reduce, extreme_element_anywhere)
{
    return combinations(false);
}

ParameterizedTest(combination *k, reduce, extreme_element_anywhere)
{
    skip_unless_supported(k);
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (int op = PRIM_OP_MIN; op <= PRIM_OP_MAX; op++) {
            double h_in[1024];
            for (size_t i = 0; i < 1024; i++) /* 1 … 250 in every type */
                if (type_is_float(k->types.in))
                    write_float(k->types.in, h_in, i, (double)(1 + i % 250));
                else if (k->types.in == CUDA_R_32I)
                    ((int32_t *)h_in)[i] = (int32_t)(1 + i % 250);
                else
                    ((uint8_t *)h_in)[i] = (uint8_t)(1 + i % 250);
            set_special(k->types.in, h_in, places[p], (prim_op)op);
            const reduce_case c = {
                k->variant, (prim_op)op, PRIM_TRANSFORM_NONE, k->types, 1024, h_in, 0};
            check_device(&c);
        }
}

ParameterizedTestParameters(reduce, nan_and_infinity_anywhere)
{
    return combinations(true);
}

ParameterizedTest(combination *k, reduce, nan_and_infinity_anywhere)
{
    skip_unless_supported(k);
    static const double specials[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (size_t s = 0; s < COUNT_OF(specials); s++)
            for (int op = 0; op < OPS; op++) {
                double h_in[1024];
                fill(k->types.in, h_in, 1024, UNIFORM, p);
                write_float(k->types.in, h_in, places[p], specials[s]);
                const reduce_case c = {k->variant, (prim_op)op, (prim_transform)(p % TRANSFORMS),
                                       k->types,   1024,        h_in,
                                       0};
                check_device(&c);
            }
}

/* ---- determinism ---- */

ParameterizedTestParameters(reduce, same_bits_in_every_run)
{
    return combinations(false);
}

ParameterizedTest(combination *k, reduce, same_bits_in_every_run)
{
    skip_unless_supported(k);
    enum { COUNT = 30011 };
    void *h_in = malloc(COUNT * type_bytes(k->types.in));
    fill(k->types.in, h_in, COUNT, EXTREMES, 5);
    unsigned char first[8] = {0}, again[8] = {0};
    for (size_t run = 0; run < 4; run++) {
        const reduce_case c = {k->variant, PRIM_OP_SUM, PRIM_TRANSFORM_SQUARE, k->types, COUNT,
                               h_in,       run};
        run_on_device(&c, run == 0 ? first : again);
        if (run > 0)
            cr_assert_arr_eq(again, first, type_bytes(k->types.out));
    }
    free(h_in);
}

/* ---- rows of a matrix ---- */

typedef struct rows_case {
    size_t rows, columns, ld;
} rows_case;

static const rows_case row_shapes[] = {
    {0, 5, 5},       {1, 1, 1},      {1, 1000, 1000},   {3, 0, 2},
    {7, 1, 1},       {7, 1, 3},      {33, 31, 31},      {16, 256, 256},
    {16, 257, 300},  {5, 512, 512},  {5, 513, 514},     {300, 3, 4},
    {2, 4099, 5000}, {1000, 17, 17}, {3, 66000, 66001}, {3, 262145, 262145}};

/* Fills the matrix, its gaps with the type's extremes, which no result may show. */
static void fill_matrix(cudaDataType_t type, char *h_in, const rows_case *m, distribution d)
{
    const size_t bytes = type_bytes(type);
    fill(type, h_in, m->rows * m->ld, EXTREMES, 99);
    for (size_t r = 0; r < m->rows; r++)
        fill(type, h_in + r * m->ld * bytes, m->columns, d, 1000 * r);
}

static void check_row(const combination *k, prim_op op, prim_transform transform,
                      const rows_case *m, size_t row, const char *h_in, const char *h_out,
                      double height)
{
    const expected e =
        expect(op, transform, k->types, h_in + row * m->ld * type_bytes(k->types.in), m->columns);
    cr_assert(right(&e, op, k->types, height, h_out + row * type_bytes(k->types.out)),
              "%s %s(%s) %s, row %zu of %zu × %zu, ld %zu", prim_reduce_variant_name(k->variant),
              op_names[op], transform_names[transform], type_name(k->types.in), row, m->rows,
              m->columns, m->ld);
}

static void check_rows(const combination *k, prim_op op, prim_transform transform,
                       const rows_case *m, distribution d)
{
    const size_t in_bytes = type_bytes(k->types.in), out_bytes = type_bytes(k->types.out);
    const size_t count = m->rows == 0 ? 0 : (m->rows - 1) * m->ld + m->columns;
    char *h_in = malloc(m->rows * m->ld * in_bytes + 1), *h_out = malloc(m->rows * out_bytes + 1);
    size_t bytes;
    fill_matrix(k->types.in, h_in, m, d);
    cr_prim(prim_reduce_rows_workspace_bytes(k->variant, op, transform, k->types.in, m->rows,
                                             m->columns, k->types.out, &bytes));
    guarded in = guarded_copy(h_in, count * in_bytes, in_bytes);
    guarded out = guarded_new(m->rows * out_bytes, out_bytes);
    guarded workspace = guarded_new(bytes, 0);
    cr_prim(prim_reduce_rows(k->variant, op, transform, k->types.in, in.data, m->rows, m->columns,
                             m->ld, k->types.out, out.data, bytes > 0 ? workspace.data : NULL,
                             bytes, 0));
    guarded_read(&out, h_out);
    for (size_t row = 0; row < m->rows; row++)
        check_row(k, op, transform, m, row, h_in, h_out, log2((double)m->columns + 1) + 4);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
    free(h_in);
    free(h_out);
}

ParameterizedTestParameters(reduce, rows)
{
    return combinations(false);
}

ParameterizedTest(combination *k, reduce, rows)
{
    skip_unless_supported(k);
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t s = 0; s < COUNT_OF(row_shapes) - (quick ? 2 : 0); s++)
        for (int op = 0; op < OPS; op++)
            check_rows(k, (prim_op)op, (prim_transform)((s + (size_t)op) % TRANSFORMS),
                       &row_shapes[s], (distribution)((s + (size_t)op) % DISTRIBUTION_COUNT));
}

static void check_rows_host(const combination *k, prim_op op, const rows_case *m, int threads)
{
    char *h_in = malloc(m->rows * m->ld * type_bytes(k->types.in) + 1);
    char *h_out = malloc(m->rows * type_bytes(k->types.out) + 1);
    fill_matrix(k->types.in, h_in, m, UNIFORM);
    cr_prim(prim_reduce_rows_host(op, PRIM_TRANSFORM_ABS, k->types.in, h_in, m->rows, m->columns,
                                  m->ld, k->types.out, h_out, threads));
    for (size_t row = 0; row < m->rows; row++)
        check_row(k, op, PRIM_TRANSFORM_ABS, m, row, h_in, h_out, (double)m->columns + 1025);
    free(h_in);
    free(h_out);
}

static bool has_threads(void)
{
    int32_t out;
    return prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, NULL, 0, CUDA_R_32I, &out,
                            2) == PRIM_OK;
}

Test(reduce, host_rows)
{
    for (size_t p = 0; p < PAIRS; p++)
        for (size_t s = 0; s < COUNT_OF(row_shapes) - 2; s++)
            for (int op = 0; op < OPS; op++)
                for (int threads = 1; threads <= (has_threads() ? 3 : 1); threads++) {
                    const combination k = {PRIM_REDUCE_AUTO, type_pairs[p]};
                    check_rows_host(&k, (prim_op)op, &row_shapes[s], threads);
                }
}

/* One row too: what several threads give is what one gives, to the bit. */
Test(reduce, host_rows_do_not_depend_on_the_threads)
{
    enum { COUNT = 5003 };
    static float h_in[COUNT];
    float one, many;
    if (!has_threads())
        cr_skip_test("built without OpenMP");
    fill(CUDA_R_32F, h_in, COUNT, UNIFORM, 8);
    cr_prim(prim_reduce_rows_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, h_in, 1, COUNT,
                                  COUNT, CUDA_R_32F, &one, 1));
    cr_prim(prim_reduce_rows_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, h_in, 1, COUNT,
                                  COUNT, CUDA_R_32F, &many, 7));
    cr_assert_arr_eq(&one, &many, sizeof one);
}

/* ---- more than 2^31 elements, where the device has the memory ---- */

Test(reduce, beyond_two_to_the_31)
{
    if (on_cpu_backend() || get_test_level() != LEVEL_FULL)
        cr_skip_test("more than 2^31 elements: on a GPU at PRIM_TEST_LEVEL=full only");
    const size_t count = ((size_t)1 << 31) + (1 << 20) + 7;
    uint8_t *h_in = malloc(count);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        h_in[i] = (uint8_t)(i * 167 >> 5) % 100;
        sum += h_in[i];
    }
    sum += 200u - h_in[count - 1];
    h_in[count - 1] = 200; /* the maximum lies beyond 2^31 */
    guarded in = guarded_copy(h_in, count, 0), out = guarded_new(8, 0);
    for (size_t v = 0; v < prim_reduce_variant_count(); v++) {
        const prim_reduce_variant variant = prim_reduce_variant_at(v);
        if (!prim_reduce_supports(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, count,
                                  CUDA_R_64U))
            continue;
        uint64_t result;
        cr_prim(prim_reduce(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, in.data, count,
                            CUDA_R_64U, out.data, NULL, 0, 0));
        guarded_read(&out, &result);
        cr_assert_eq(result, sum, "%s", prim_reduce_variant_name(variant));
        cr_prim(prim_reduce(variant, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_8U, in.data, count,
                            CUDA_R_64U, out.data, NULL, 0, 0));
        guarded_read(&out, &result);
        cr_assert_eq(result, 200, "%s", prim_reduce_variant_name(variant));
    }
    guarded_free(&in);
    guarded_free(&out);
    free(h_in);
}

/* ---- the host's versions ---- */

static void check_host(type_pair types, size_t count, distribution d, int threads)
{
    void *h_in = malloc(count * type_bytes(types.in) + 1);
    fill(types.in, h_in, count, d, count);
    for (int op = 0; op < OPS; op++)
        for (int t = 0; t < TRANSFORMS; t++) {
            unsigned char result[8];
            const expected e = expect((prim_op)op, (prim_transform)t, types, h_in, count);
            cr_prim(prim_reduce_host((prim_op)op, (prim_transform)t, types.in, h_in, count,
                                     types.out, result, threads));
            const double height = (double)count / threads + threads + 1;
            cr_assert(right(&e, (prim_op)op, types, height, result),
                      "host %s(%s) %s, %zu elements, %d threads", op_names[op], transform_names[t],
                      type_name(types.in), count, threads);
        }
    free(h_in);
}

Test(reduce, host_versions)
{
    static const int threads[] = {1, 2, 3, 7, 33};
    static const size_t sizes[] = {0, 1, 2, 6, 63, 1000, 100003};
    const size_t thread_counts = has_threads() ? COUNT_OF(threads) : 1;
    for (size_t p = 0; p < PAIRS; p++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            for (int d = 0; d < DISTRIBUTION_COUNT; d++)
                for (size_t t = 0; t < thread_counts; t++)
                    check_host(type_pairs[p], sizes[s], (distribution)d, threads[t]);
    if (has_threads())
        check_host(type_pairs[0], 1500, UNIFORM, 1024);
}

Test(reduce, host_refuses_what_it_cannot_do)
{
    float in[4] = {1, 2, 3, 4}, out;
    const prim_op sum = PRIM_OP_SUM;
    const prim_transform none = PRIM_TRANSFORM_NONE;
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, &out, 0),
                 PRIM_ERROR_VALUE);
    cr_assert(strstr(prim_last_error(NULL), "threads") != NULL);
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, &out, 1025),
                 PRIM_ERROR_VALUE);
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, NULL, 4, CUDA_R_32F, &out, 1),
                 PRIM_ERROR_NULL);
    cr_assert(strstr(prim_last_error(NULL), "h_in") != NULL);
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, NULL, 1),
                 PRIM_ERROR_NULL);
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, &in[2], 1),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_64F, &out, 1),
                 PRIM_ERROR_TYPE);
    cr_assert_eq(prim_reduce_host((prim_op)77, none, CUDA_R_32F, in, 4, CUDA_R_32F, &out, 1),
                 PRIM_ERROR_ENUM);
    if (!has_threads())
        cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, &out, 2),
                     PRIM_ERROR_UNSUPPORTED);
}

/* ---- the table ---- */

Test(reduce, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_reduce_variant_at(0), PRIM_REDUCE_AUTO);
    cr_assert(prim_reduce_variant_count() >= 3);
    for (size_t v = 0; v < prim_reduce_variant_count(); v++) {
        const char *name = prim_reduce_variant_name(prim_reduce_variant_at(v));
        cr_assert(name != NULL && strlen(name) > 0);
        cr_assert(strlen(prim_reduce_variant_idea(prim_reduce_variant_at(v))) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(name, prim_reduce_variant_name(prim_reduce_variant_at(w)));
    }
    cr_assert_null(prim_reduce_variant_name((prim_reduce_variant)9999));
    cr_assert_null(prim_reduce_variant_idea((prim_reduce_variant)9999));
}
