/* scan: every variant and type against an independent oracle, as vectors, rows and in 2-D. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/scan.h>

#include "support.h"

static const cudaDataType_t types[] = {CUDA_R_32I, CUDA_R_32F, CUDA_R_64F};
static const char *const op_names[] = {"sum", "min", "max"};
enum { TYPES = 3, OPS = 3, TRANSFORMS = 3, KINDS = 2 };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef enum form { VECTOR, ROWS, BOTH_DIRECTIONS } form;

typedef struct scan_case {
    prim_scan_variant variant;
    int threads; /* 0: on the device */
    form form;
    prim_scan_kind kind;
    prim_op op;
    prim_transform transform;
    cudaDataType_t type;
    size_t rows, columns, in_ld, out_ld, offset;
    bool in_place, with_initial;
    const void *h_in;
} scan_case;

/* ---- the oracle ---- */

/* All that is known of the elements so far. */
typedef struct so_far {
    uint64_t integer;
    long double sum;
    double magnitude, extreme;
    bool fractions, nan;
} so_far;

static so_far nothing(const scan_case *c)
{
    so_far s = {.extreme = c->op == PRIM_OP_MIN ? INFINITY : -INFINITY};
    if (c->op != PRIM_OP_SUM)
        s.integer = (uint64_t)(int64_t)(c->op == PRIM_OP_MIN ? INT32_MAX : INT32_MIN);
    return s;
}

static so_far element(const scan_case *c, prim_transform transform, const void *h, size_t i)
{
    so_far s = {0};
    if (!type_is_float(c->type)) {
        const int64_t v = (int64_t)read_integer(c->type, h, i);
        const uint64_t u = (uint64_t)v;
        s.integer = wrap_integer(c->type, transform == PRIM_TRANSFORM_SQUARE         ? u * u
                                          : transform == PRIM_TRANSFORM_ABS && v < 0 ? 0 - u
                                                                                     : u);
        return s;
    }
    double v = read_float(c->type, h, i);
    if (transform == PRIM_TRANSFORM_SQUARE) {
        const volatile double square = v * v; /* exact for f32 before it is rounded */
        v = c->type == CUDA_R_32F ? (double)(float)square : square;
    } else if (transform == PRIM_TRANSFORM_ABS) {
        v = fabs(v);
    }
    return (so_far){0, v, fabs(v), v, v != floor(v), isnan(v)};
}

static bool float_less(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

static void take(const scan_case *c, so_far *s, so_far e)
{
    const int64_t a = (int64_t)s->integer, b = (int64_t)e.integer;
    if (c->op == PRIM_OP_SUM)
        s->integer = wrap_integer(CUDA_R_32I, s->integer + e.integer);
    else if (c->op == PRIM_OP_MIN ? b < a : a < b)
        s->integer = e.integer;
    if (c->op == PRIM_OP_MIN ? float_less(e.extreme, s->extreme)
                             : float_less(s->extreme, e.extreme))
        s->extreme = e.extreme;
    s->sum += e.sum;
    s->magnitude += e.magnitude;
    s->fractions |= e.fractions;
    s->nan |= e.nan;
}

/* height: the longest chain of additions that an element goes through. */
static bool right(const scan_case *c, const so_far *s, double height, const void *h, size_t i)
{
    if (!type_is_float(c->type))
        return read_integer(c->type, h, i) == s->integer;
    const double value = read_float(c->type, h, i), u = unit_roundoff(c->type);
    const double sum = (double)s->sum;
    if (s->nan || (c->op == PRIM_OP_SUM && isnan(sum)))
        return isnan(value);
    if (c->op != PRIM_OP_SUM)
        return value == s->extreme && signbit(value) == signbit(s->extreme);
    if (isinf(sum))
        return value == sum;
    const bool exact = !s->fractions && s->magnitude * u <= 1;
    const double bound = exact ? 0 : (height * u / (1 - height * u) + u) * s->magnitude;
    return fabs(value - sum) <= bound; /* false for NaN */
}

/* ---- one case ---- */

static const int32_t initial_i32 = -3;
static const float initial_f32 = 5;
static const double initial_f64 = 5;

static const void *initial_of(const scan_case *c)
{
    return !c->with_initial        ? NULL
           : c->type == CUDA_R_32I ? (const void *)&initial_i32
           : c->type == CUDA_R_32F ? (const void *)&initial_f32
                                   : (const void *)&initial_f64;
}

static size_t extent(const scan_case *c, size_t ld)
{
    return c->rows == 0 || c->columns == 0 ? 0 : (c->rows - 1) * ld + c->columns;
}

static prim_status ask(const scan_case *c, size_t *bytes)
{
    switch (c->form) {
    case VECTOR:
        return prim_scan_workspace_bytes(c->variant, c->kind, c->op, c->transform, c->type,
                                         c->columns, c->type, bytes);
    case ROWS:
        return prim_scan_rows_workspace_bytes(c->variant, c->kind, c->op, c->transform, c->type,
                                              c->rows, c->columns, c->type, bytes);
    default:
        return prim_scan_2d_workspace_bytes(c->variant, c->op, c->transform, c->type, c->rows,
                                            c->columns, c->type, bytes);
    }
}

static prim_status call_device(const scan_case *c, const void *d_in, void *d_out, void *d_workspace,
                               size_t bytes)
{
    switch (c->form) {
    case VECTOR:
        return prim_scan(c->variant, c->kind, c->op, c->transform, initial_of(c), c->type, d_in,
                         c->columns, c->type, d_out, d_workspace, bytes, 0);
    case ROWS:
        return prim_scan_rows(c->variant, c->kind, c->op, c->transform, initial_of(c), c->type,
                              d_in, c->rows, c->columns, c->in_ld, c->type, d_out, c->out_ld,
                              d_workspace, bytes, 0);
    default:
        return prim_scan_2d(c->variant, c->op, c->transform, c->type, d_in, c->rows, c->columns,
                            c->in_ld, c->type, d_out, c->out_ld, d_workspace, bytes, 0);
    }
}

static prim_status call_host(const scan_case *c, const void *h_in, void *h_out)
{
    switch (c->form) {
    case VECTOR:
        return prim_scan_host(c->kind, c->op, c->transform, initial_of(c), c->type, h_in,
                              c->columns, c->type, h_out, c->threads);
    case ROWS:
        return prim_scan_rows_host(c->kind, c->op, c->transform, initial_of(c), c->type, h_in,
                                   c->rows, c->columns, c->in_ld, c->type, h_out, c->out_ld,
                                   c->threads);
    default:
        return prim_scan_2d_host(c->op, c->transform, c->type, h_in, c->rows, c->columns, c->in_ld,
                                 c->type, h_out, c->out_ld, c->threads);
    }
}

/* h_before: what stands in the output before the call; h_after: afterwards. */
static void run(const scan_case *c, void *h_before, void *h_after)
{
    const size_t size = type_bytes(c->type), in_bytes = extent(c, c->in_ld) * size,
                 out_bytes = extent(c, c->out_ld) * size;
    memset(h_before, 0xA5, out_bytes);
    if (c->in_place)
        memcpy(h_before, c->h_in, in_bytes);
    if (c->threads > 0) {
        memcpy(h_after, h_before, out_bytes);
        cr_prim(call_host(c, c->in_place ? h_after : c->h_in, h_after));
        return;
    }
    size_t bytes;
    cr_prim(ask(c, &bytes));
    guarded in = guarded_copy(c->h_in, in_bytes, c->offset * size);
    guarded out = guarded_new(c->in_place ? 0 : out_bytes, c->offset * size);
    guarded workspace = guarded_new(bytes, 0);
    guarded *result = c->in_place ? &in : &out;
    cr_prim(call_device(c, in.data, result->data, bytes > 0 ? workspace.data : NULL, bytes));
    guarded_read(result, h_after);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
}

static void check(const scan_case *c)
{
    const size_t size = type_bytes(c->type), count = extent(c, c->out_ld);
    char *h_before = malloc(count * size + 1), *h_after = malloc(count * size + 1);
    so_far *above = malloc((c->columns + 1) * sizeof *above);
    run(c, h_before, h_after);
    const double length = (double)c->rows * (double)c->columns;
    const double height = c->threads > 0 ? length + 1100 : 2 * log2(length + 1) + 16;
    for (size_t row = 0; row < c->rows; row++) {
        so_far line = nothing(c);
        if (c->with_initial)
            take(c, &line, element(c, PRIM_TRANSFORM_NONE, initial_of(c), 0));
        for (size_t i = 0; i < c->columns; i++) {
            so_far e = line;
            take(c, &line, element(c, c->transform, c->h_in, row * c->in_ld + i));
            if (c->kind == PRIM_SCAN_INCLUSIVE)
                e = line;
            if (c->form == BOTH_DIRECTIONS && row > 0)
                take(c, &e, above[i]);
            above[i] = e;
            cr_assert(right(c, &e, height, h_after, row * c->out_ld + i),
                      "%s form %d kind %d %s transform %d %s, %zu × %zu (ld %zu, %zu), offset %zu, "
                      "in place %d, initial %d, threads %d: wrong at %zu, %zu",
                      prim_scan_variant_name(c->variant), c->form, c->kind, op_names[c->op],
                      c->transform, type_name(c->type), c->rows, c->columns, c->in_ld, c->out_ld,
                      c->offset, c->in_place, c->with_initial, c->threads, row, i);
        }
        const size_t gap = (row * c->out_ld + c->columns) * size;
        if (row + 1 < c->rows && c->columns > 0 && c->out_ld > c->columns)
            cr_assert_arr_eq(
                h_after + gap, h_before + gap, (c->out_ld - c->columns) * size,
                "the gap behind row %zu was written to: %zu x %zu ld %zu %zu in place %d", row,
                c->rows, c->columns, c->in_ld, c->out_ld, c->in_place);
    }
    free(above);
    free(h_before);
    free(h_after);
}

/* ---- every variant and type, one test each ---- */

typedef struct combination {
    prim_scan_variant variant;
    cudaDataType_t type;
} combination;

static struct criterion_test_params combinations(void)
{
    static combination rows[256];
    size_t count = 0;
    for (size_t v = 0; v < prim_scan_variant_count(); v++)
        for (size_t p = 0; p < TYPES; p++)
            rows[count++] = (combination){prim_scan_variant_at(v), types[p]};
    return cr_make_param_array(combination, rows, count);
}

/* All kinds, operators and transforms; place and initial value take turns. */
static void check_all(scan_case c, size_t turn, bool thin)
{
    for (size_t k = 0; k < KINDS * OPS * TRANSFORMS; k++) {
        c.kind = (prim_scan_kind)(k % KINDS);
        c.op = (prim_op)(k / KINDS % OPS);
        c.transform = (prim_transform)(k / KINDS / OPS);
        if (c.form == BOTH_DIRECTIONS && c.kind == PRIM_SCAN_EXCLUSIVE)
            continue;
        if (thin && (k + turn) % 7 != 0)
            continue;
        const size_t bits = (size_t)random_bits(turn * 64 + k);
        c.in_place = bits & 1 && c.in_ld == c.out_ld;
        c.with_initial = bits & 2 && c.form != BOTH_DIRECTIONS;
        c.offset = bits >> 2 & 1;
        check(&c);
    }
}

static scan_case vector(const combination *k, size_t count, const void *h_in)
{
    return (scan_case){.variant = k->variant,
                       .type = k->type,
                       .rows = 1,
                       .columns = count,
                       .in_ld = count,
                       .out_ld = count,
                       .h_in = h_in};
}

static const size_t small_sizes[] = {0,   1,   2,   3,   31,  32,   33,  255,
                                     256, 257, 511, 512, 513, 1025, 4099};
static const size_t large_sizes[] = {65537, 131073, 262145};

ParameterizedTestParameters(scan, small_sizes)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, small_sizes)
{
    double h_in[4099];
    for (size_t s = 0; s < COUNT_OF(small_sizes); s++)
        for (size_t d = 0; d < DISTRIBUTION_COUNT; d++) {
            fill(k->type, h_in, small_sizes[s], (distribution)d, 31 * s);
            check_all(vector(k, small_sizes[s], h_in), 3 * s + d,
                      small_sizes[s] > 1025 || get_test_level() == LEVEL_QUICK);
        }
}

ParameterizedTestParameters(scan, large_sizes)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, large_sizes)
{
    void *h_in = malloc(large_sizes[2] * type_bytes(k->type));
    const size_t sizes = get_test_level() == LEVEL_QUICK ? 1 : COUNT_OF(large_sizes);
    for (size_t s = 0; s < sizes; s++)
        for (size_t d = 0; d < (get_test_level() == LEVEL_FULL ? 3 : 1); d++) {
            fill(k->type, h_in, large_sizes[s], (distribution)((s + d) % 3), s);
            check_all(vector(k, large_sizes[s], h_in), s, get_test_level() != LEVEL_FULL);
        }
    free(h_in);
}

static const size_t shapes[][4] = {
    {1, 700, 700, 700},    {700, 1, 1, 1},       {700, 1, 3, 2},
    {0, 5, 5, 5},          {5, 0, 0, 2},         {5, 513, 515, 515},
    {3, 1025, 1025, 1030}, {300, 257, 259, 259}, {3, 70000, 70001, 70003}};

static void check_shapes(const combination *k, form f)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        const size_t rows = shapes[s][0], columns = shapes[s][1], in_ld = shapes[s][2];
        void *h_in = malloc(rows * in_ld * type_bytes(k->type) + 1);
        fill(k->type, h_in, rows * in_ld, (distribution)(s % 3), s);
        check_all((scan_case){.variant = k->variant,
                              .type = k->type,
                              .form = f,
                              .rows = rows,
                              .columns = columns,
                              .in_ld = in_ld,
                              .out_ld = shapes[s][3],
                              .h_in = h_in},
                  s, rows * columns > 3000 && get_test_level() != LEVEL_FULL);
        free(h_in);
    }
}

ParameterizedTestParameters(scan, rows)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, rows)
{
    check_shapes(k, ROWS);
}

ParameterizedTestParameters(scan, both_directions)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, both_directions)
{
    check_shapes(k, BOTH_DIRECTIONS);
}

ParameterizedTestParameters(scan, nan_and_infinity_anywhere)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, nan_and_infinity_anywhere)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY};
    static const size_t places[] = {0, 1, 31, 255, 256, 511, 512, 1022, 1023};
    for (size_t p = 0; type_is_float(k->type) && p < COUNT_OF(places); p++)
        for (size_t s = 0; s < COUNT_OF(specials); s++) {
            double h_in[1024];
            fill(k->type, h_in, 1024, UNIFORM, p);
            write_float(k->type, h_in, places[p], specials[s]);
            check_all(vector(k, 1024, h_in), p + s, true);
        }
}

ParameterizedTestParameters(scan, same_bits_in_every_run)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, same_bits_in_every_run)
{
    enum { COUNT = 30011 };
    const size_t bytes = COUNT * type_bytes(k->type);
    void *h_in = malloc(bytes), *h_before = malloc(bytes), *h_first = malloc(bytes),
         *h_again = malloc(bytes);
    fill(k->type, h_in, COUNT, EXTREMES, 5);
    scan_case c = vector(k, COUNT, h_in);
    for (c.offset = 0; c.offset < 4; c.offset++) {
        c.in_place = c.offset % 2;
        run(&c, h_before, c.offset == 0 ? h_first : h_again);
        if (c.offset > 0)
            cr_assert_arr_eq(h_again, h_first, bytes);
    }
    free(h_in);
    free(h_before);
    free(h_first);
    free(h_again);
}

/* ---- the host's versions ---- */

Test(scan, host_versions)
{
    static const int threads[] = {1, 2, 3, 7};
    const bool has_threads =
        prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, NULL, CUDA_R_32I,
                       NULL, 0, CUDA_R_32I, NULL, 2) == PRIM_OK;
    double h_in[4099];
    for (size_t p = 0; p < TYPES; p++)
        for (size_t t = 0; t < (has_threads ? COUNT_OF(threads) : 1); t++)
            for (size_t d = 0; d < DISTRIBUTION_COUNT; d++) {
                const combination k = {PRIM_SCAN_AUTO, types[p]};
                fill(types[p], h_in, 4099, (distribution)d, t);
                for (size_t s = 0; s < COUNT_OF(small_sizes); s++) {
                    scan_case c = vector(&k, small_sizes[s], h_in);
                    c.threads = threads[t];
                    check_all(c, s, small_sizes[s] > 33);
                }
                for (int f = ROWS; f <= BOTH_DIRECTIONS; f++) {
                    scan_case c = {.threads = threads[t],
                                   .form = (form)f,
                                   .type = types[p],
                                   .rows = 37,
                                   .columns = 50,
                                   .in_ld = 53,
                                   .out_ld = 53,
                                   .h_in = h_in};
                    check_all(c, t, false);
                    c.out_ld = 51;
                    check_all(c, t, true);
                }
            }
}

Test(scan, operands_that_may_and_may_not_meet)
{
    float h[64] = {0};
#define MEET(out, rows, columns, in_ld, out_ld)                                                  \
    prim_scan_rows_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, NULL, CUDA_R_32F, \
                        h, rows, columns, in_ld, CUDA_R_32F, out, out_ld, 1)
    cr_assert_eq(MEET(h, 4, 4, 10, 10), PRIM_OK);
    cr_assert_eq(MEET(h + 4, 4, 4, 10, 10), PRIM_OK, "side by side");
    cr_assert_eq(MEET(h + 6, 4, 4, 10, 10), PRIM_OK);
    cr_assert_eq(MEET(h + 3, 4, 4, 10, 10), PRIM_ERROR_OVERLAP);
    cr_assert_eq(MEET(h + 7, 4, 4, 10, 10), PRIM_ERROR_OVERLAP, "its row meets the next one");
    cr_assert_eq(MEET(h + 10, 4, 4, 10, 10), PRIM_ERROR_OVERLAP);
    cr_assert_eq(MEET(h + 27, 3, 4, 10, 10), PRIM_OK, "there is no next row");
    cr_assert_eq(MEET(h + 34, 3, 4, 10, 10), PRIM_OK);
    cr_assert_eq(MEET(h, 4, 4, 10, 9), PRIM_ERROR_OVERLAP);
    cr_assert_eq(MEET(h, 4, 4, 3, 10), PRIM_ERROR_VALUE);
}

/* ---- the table ---- */

Test(scan, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_scan_variant_at(0), PRIM_SCAN_AUTO);
    cr_assert(prim_scan_variant_count() >= 3);
    for (size_t v = 0; v < prim_scan_variant_count(); v++) {
        cr_assert(strlen(prim_scan_variant_name(prim_scan_variant_at(v))) > 0);
        cr_assert(strlen(prim_scan_variant_idea(prim_scan_variant_at(v))) > 0);
    }
    cr_assert_null(prim_scan_variant_name((prim_scan_variant)9999));
}
