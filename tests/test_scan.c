/* scan: every variant and pair of types against an independent oracle, as vectors, rows and in
 * 2-D. */
#define _GNU_SOURCE

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/scan.h>

#include "calls.h"
#include "rungs.h"
#include "support.h"
#include "type_pairs.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const char *const op_names[] = {"sum", "min", "max", "product"};
enum { OPS = COUNT_OF(op_names), TRANSFORMS = 3, KINDS = 2 };

typedef enum form { VECTOR, ROWS, BOTH_DIRECTIONS } form;

typedef struct scan_case {
    prim_scan_variant variant;
    int threads; /* 0: on the device */
    form form;
    prim_scan_kind kind;
    prim_op op;
    prim_transform transform;
    type_pair types;
    size_t rows, columns, in_ld, out_ld;
    size_t offset, out_offset; /* elements past a whole vector, of input and output */
    bool in_place, with_initial, initial_on_device, with_total;
    const double *zero; /* the initial value, a float of either sign; NULL: another one */
    const char *route;  /* that the call takes; NULL: any */
    const void *h_in;
} scan_case;

/* ---- the oracle ---- */

/* The type that floats are combined in. */
static cudaDataType_t working_type(cudaDataType_t out)
{
    return out == CUDA_R_16F || out == CUDA_R_16BF ? CUDA_R_32F : out;
}

/* All that is known of the elements so far. */
typedef struct so_far {
    uint64_t integer;
    long double sum, product;
    double magnitude, extreme;
    bool fractions, nan;
} so_far;

static bool integer_less(cudaDataType_t type, uint64_t a, uint64_t b)
{
    return type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t least_integer(cudaDataType_t type)
{
    return type_is_signed(type) ? wrap_integer(type, (uint64_t)1 << (8 * type_bytes(type) - 1)) : 0;
}

static so_far nothing(const scan_case *c)
{
    const uint64_t least = least_integer(c->types.out);
    so_far s = {.product = 1, .extreme = c->op == PRIM_OP_MIN ? INFINITY : -INFINITY};
    s.integer = c->op == PRIM_OP_MIN   ? wrap_integer(c->types.out, ~least)
                : c->op == PRIM_OP_MAX ? least
                                       : c->op == PRIM_OP_PRODUCT;
    return s;
}

static so_far float_element(double v)
{
    return (so_far){0, v, v, fabs(v), v, v != floor(v), isnan(v)};
}

/* Element i of an array of `type`, as the scan takes it. */
static so_far element(const scan_case *c, cudaDataType_t type, prim_transform transform,
                      const void *h, size_t i)
{
    const cudaDataType_t out = c->types.out;
    if (!type_is_float(type)) {
        const uint64_t v = wrap_integer(out, read_integer(type, h, i));
        const bool negative = type_is_signed(out) && (int64_t)v < 0;
        return (so_far){.integer =
                            wrap_integer(out, transform == PRIM_TRANSFORM_SQUARE            ? v * v
                                              : transform == PRIM_TRANSFORM_ABS && negative ? 0 - v
                                                                                            : v)};
    }
    const double v = read_float(type, h, i);
    return float_element(transform == PRIM_TRANSFORM_SQUARE
                             ? round_to_type(working_type(out), (long double)v * v)
                         : transform == PRIM_TRANSFORM_ABS ? fabs(v)
                                                           : v);
}

static bool float_less(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

static void take(const scan_case *c, so_far *s, so_far e)
{
    const cudaDataType_t out = c->types.out;
    if (c->op == PRIM_OP_SUM)
        s->integer = wrap_integer(out, s->integer + e.integer);
    else if (c->op == PRIM_OP_PRODUCT)
        s->integer = wrap_integer(out, s->integer * e.integer);
    else if (c->op == PRIM_OP_MIN ? integer_less(out, e.integer, s->integer)
                                  : integer_less(out, s->integer, e.integer))
        s->integer = e.integer;
    if (c->op == PRIM_OP_MIN ? float_less(e.extreme, s->extreme)
                             : float_less(s->extreme, e.extreme))
        s->extreme = e.extreme;
    s->sum += e.sum;
    s->product *= e.product;
    s->magnitude += e.magnitude;
    s->fractions |= e.fractions;
    s->nan |= e.nan;
}

/* On the host, the rows of a 2-D scan are rounded before the columns of that are scanned. */
static bool rounded_between(const scan_case *c)
{
    return c->form == BOTH_DIRECTIONS && c->threads > 0 &&
           working_type(c->types.out) != c->types.out;
}

/* height: the longest chain of additions that an element goes through. Products of the inputs here
 * are exact. */
static bool right_float(const scan_case *c, const so_far *s, double height, double value)
{
    const double u = unit_roundoff(working_type(c->types.out));
    const bool exact = !s->fractions && s->magnitude * u <= 1 && !rounded_between(c);
    const double bound = exact ? 0 : (height * u / (1 - height * u) + u) * s->magnitude;
    if (s->nan || (c->op == PRIM_OP_SUM && isnan((double)s->sum)))
        return isnan(value);
    if (c->op == PRIM_OP_SUM && !isinf((double)s->sum))
        return round_to_type(c->types.out, s->sum - bound) <= value &&
               value <= round_to_type(c->types.out, s->sum + bound);
    const double expected = round_to_type(c->types.out, c->op == PRIM_OP_SUM       ? s->sum
                                                        : c->op == PRIM_OP_PRODUCT ? s->product
                                                                                   : s->extreme);
    return value == expected && signbit(value) == signbit(expected);
}

static bool right(const scan_case *c, const so_far *s, double height, const void *h, size_t i)
{
    return type_is_float(c->types.out) ? right_float(c, s, height, read_float(c->types.out, h, i))
                                       : read_integer(c->types.out, h, i) == s->integer;
}

/* ---- inputs ---- */

/* In a product no element may hide the others: odd integers, and powers of two that keep it within
 * range. */
static void suit_to_product(cudaDataType_t type, void *h_in, size_t count)
{
    const size_t rare = count / 64 + 2;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(i * 3 + count);
        const double magnitude = bits % rare != 0 ? 1 : bits & 0x10000 ? 2 : 0.5;
        if (type_is_float(type))
            write_float(type, h_in, i, bits & 0x20000 ? -magnitude : magnitude);
        else
            write_integer(type, h_in, i, read_integer(type, h_in, i) | 1);
    }
}

/* ---- one case ---- */

/* An initial value that is small in every type, and exact. */
static const void *initial_of(const scan_case *c, void *space)
{
    if (!c->with_initial)
        return NULL;
    if (type_is_float(c->types.out))
        write_float(c->types.out, space, 0,
                    c->zero != NULL            ? *c->zero
                    : c->op == PRIM_OP_PRODUCT ? -2
                                               : 5);
    else
        write_integer(c->types.out, space, 0, (uint64_t)-3);
    return space;
}

static size_t extent(const scan_case *c, size_t ld)
{
    return c->rows == 0 || c->columns == 0 ? 0 : (c->rows - 1) * ld + c->columns;
}

static prim_status ask(const scan_case *c, size_t *bytes)
{
    switch (c->form) {
    case VECTOR:
        return asked_bytes(prim_scan(c->variant, c->kind, c->op, c->transform, c->types.in, NULL,
                                     c->columns, c->types.out, NULL, NULL, asking()),
                           bytes);
    case ROWS:
        return asked_bytes(
            prim_scan_rows(c->variant, c->kind, c->op, c->transform,
                           prim_matrix_of(c->types.in, NULL, c->rows, c->columns, 0),
                           prim_matrix_of(c->types.out, NULL, c->rows, c->columns, 0), NULL,
                           asking()),
            bytes);
    default:
        return asked_bytes(prim_scan_2d(c->variant, c->op, c->transform,
                                        prim_matrix_of(c->types.in, NULL, c->rows, c->columns, 0),
                                        prim_matrix_of(c->types.out, NULL, c->rows, c->columns, 0),
                                        asking()),
                           bytes);
    }
}

/* d_initial: the initial value's place on the device, NULL where it is given by value. */
static prim_status call_device(const scan_case *c, const void *d_initial, const void *d_in,
                               void *d_out, void *d_total, const prim_call *call)
{
    double space;
    const void *h_initial = d_initial == NULL ? initial_of(c, &space) : NULL;
    const cudaDataType_t in = c->types.in, out = c->types.out;
    switch (c->form) {
    case VECTOR:
        return prim_scan(
            c->variant, c->kind, c->op, c->transform, in, d_in, c->columns, out, d_out,
            &(prim_scan_ends){.h_initial = h_initial, .d_initial = d_initial, .total = d_total},
            call);
    case ROWS:
        return prim_scan_rows(c->variant, c->kind, c->op, c->transform,
                              prim_matrix_of(in, d_in, c->rows, c->columns, c->in_ld),
                              prim_matrix_of(out, d_out, c->rows, c->columns, c->out_ld),
                              &(prim_scan_ends){.h_initial = h_initial, .d_initial = d_initial},
                              call);
    default:
        return prim_scan_2d(c->variant, c->op, c->transform,
                            prim_matrix_of(in, d_in, c->rows, c->columns, c->in_ld),
                            prim_matrix_of(out, d_out, c->rows, c->columns, c->out_ld), call);
    }
}

static prim_status call_host(const scan_case *c, const void *h_in, void *h_out, void *h_total)
{
    double space;
    const void *h_initial = initial_of(c, &space);
    const cudaDataType_t in = c->types.in, out = c->types.out;
    switch (c->form) {
    case VECTOR:
        return prim_scan_host(c->kind, c->op, c->transform, in, h_in, c->columns, out, h_out,
                              &(prim_scan_ends){.h_initial = h_initial, .total = h_total},
                              c->threads);
    case ROWS:
        return prim_scan_rows_host(c->kind, c->op, c->transform,
                                   prim_matrix_of(in, h_in, c->rows, c->columns, c->in_ld),
                                   prim_matrix_of(out, h_out, c->rows, c->columns, c->out_ld),
                                   &(prim_scan_ends){.h_initial = h_initial}, c->threads);
    default:
        return prim_scan_2d_host(
            c->op, c->transform, prim_matrix_of(in, h_in, c->rows, c->columns, c->in_ld),
            prim_matrix_of(out, h_out, c->rows, c->columns, c->out_ld), c->threads);
    }
}

#define CASE_FORMAT                                                                              \
    "%s form %d kind %d %s transform %d %s → %s, %zu × %zu (ld %zu, %zu), offsets %zu, %zu, " \
    "in place %d, initial %d (on the device %d), threads %d: "
#define CASE_VALUES(c)                                                                      \
    prim_scan_variant_info((c)->variant)->name, (c)->form, (c)->kind, op_names[(c)->op],    \
        (c)->transform, type_name((c)->types.in), type_name((c)->types.out), (c)->rows,     \
        (c)->columns, (c)->in_ld, (c)->out_ld, (c)->offset, (c)->out_offset, (c)->in_place, \
        (c)->with_initial, (c)->initial_on_device, (c)->threads

/* h_before: what stands in the output before the call; h_after: afterwards; h_total: 8 bytes. */
static void run(const scan_case *c, void *h_before, void *h_after, void *h_total)
{
    const size_t in_size = type_bytes(c->types.in), out_size = type_bytes(c->types.out);
    const size_t in_bytes = extent(c, c->in_ld) * in_size,
                 out_bytes = extent(c, c->out_ld) * out_size;
    memset(h_before, 0xA5, out_bytes);
    if (c->in_place)
        memcpy(h_before, c->h_in, in_bytes);
    if (c->threads > 0) {
        memcpy(h_after, h_before, out_bytes);
        cr_prim(
            call_host(c, c->in_place ? h_after : c->h_in, h_after, c->with_total ? h_total : NULL));
        return;
    }
    size_t bytes;
    cr_prim(ask(c, &bytes));
    guarded in = guarded_copy(c->h_in, in_bytes, c->offset * in_size);
    guarded out = guarded_new(c->in_place ? 0 : out_bytes, c->out_offset * out_size);
    guarded total = guarded_new(out_size, c->out_offset * out_size);
    guarded workspace = guarded_new(bytes, 0);
    guarded *result = c->in_place ? &in : &out;
    const void *d_initial = NULL;
    double space;
    if (c->initial_on_device && c->with_initial && c->form != BOTH_DIRECTIONS) {
        cr_cuda(cudaMemcpy(total.data, initial_of(c, &space), out_size, cudaMemcpyHostToDevice));
        d_initial = total.data; /* the total takes its place, where one is wanted */
    }
    void *const d_total = c->with_total ? total.data : NULL;
    if (c->route != NULL) {
        cr_prim(call_device(c, d_initial, in.data, result->data, d_total, asking()));
        cr_assert_str_eq(asked()->route, c->route, CASE_FORMAT "%s, not %s", CASE_VALUES(c),
                         asked()->route, c->route);
    }
    cr_prim(call_device(c, d_initial, in.data, result->data, d_total,
                        with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(result, h_after);
    guarded_read(&total, h_total);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&total);
    guarded_free(&workspace);
}

/* A chain over the elements on the host; above tiles of 1024 elements and more on the device, and
 * trees over runs of up to 32. */
static double chain(const scan_case *c)
{
    const double length = (double)c->rows * (double)c->columns;
    const double between = rounded_between(c) ? 2 * unit_roundoff(c->types.out) /
                                                    unit_roundoff(working_type(c->types.out))
                                              : 0;
    return c->threads > 0 ? length + 1100 + between : 2 * log2(length + 1) + 80 + length / 1024;
}

static void check_row(const scan_case *c, size_t row, so_far *above, double height,
                      const void *h_after, const void *h_total)
{
    double space;
    so_far line = nothing(c);
    if (c->with_initial)
        take(c, &line, element(c, c->types.out, PRIM_TRANSFORM_NONE, initial_of(c, &space), 0));
    for (size_t i = 0; i < c->columns; i++) {
        so_far e = line;
        take(c, &line, element(c, c->types.in, c->transform, c->h_in, row * c->in_ld + i));
        if (c->kind == PRIM_SCAN_INCLUSIVE)
            e = line;
        if (c->form == BOTH_DIRECTIONS && row > 0)
            take(c, &e, above[i]);
        above[i] = e;
        if (!right(c, &e, height, h_after, row * c->out_ld + i))
            cr_assert_fail(CASE_FORMAT "wrong at %zu, %zu", CASE_VALUES(c), row, i);
    }
    if (c->with_total)
        cr_assert(right(c, &line, height, h_total, 0), CASE_FORMAT "wrong total", CASE_VALUES(c));
}

static void check(const scan_case *c)
{
    if (!is_of_share())
        return;
    const size_t size = type_bytes(c->types.out), count = extent(c, c->out_ld);
    char *h_before = malloc(count * size + 1), *h_after = malloc(count * size + 1);
    so_far *above = malloc((c->columns + 1) * sizeof *above);
    double total;
    run(c, h_before, h_after, &total);
    for (size_t row = 0; row < c->rows; row++) {
        check_row(c, row, above, chain(c), h_after, &total);
        const size_t gap = (row * c->out_ld + c->columns) * size;
        if (row + 1 < c->rows && c->columns > 0 && c->out_ld > c->columns)
            cr_assert_arr_eq(h_after + gap, h_before + gap, (c->out_ld - c->columns) * size,
                             CASE_FORMAT "the gap behind row %zu was written to", CASE_VALUES(c),
                             row);
    }
    free(above);
    free(h_before);
    free(h_after);
}

/* ---- every variant and pair of types, one test each ---- */

typedef struct combination {
    prim_scan_variant variant;
    type_pair types;
} combination;

/* What a variant has at all, as the header says, and one pair where it has none, which is skipped
 * with its name. On the CPU backend AUTO is REDUCE_THEN_SCAN, LOOKBACK or CHAINED, which are tested
 * in full. */
static bool worth_a_test(prim_scan_variant variant, type_pair types)
{
    const bool f32 = types.in == CUDA_R_32F && types.out == CUDA_R_32F;
    const bool i32 = types.in == CUDA_R_32I && types.out == CUDA_R_32I;
    switch (variant) {
    case PRIM_SCAN_AUTO:
        return !on_cpu_backend() || f32 || i32;
    case PRIM_SCAN_CHAINED:
        return type_is_float(types.in) || i32;
    case PRIM_SCAN_CLUSTER:
        return !on_cpu_backend() || f32;
    default:
        return scan_rung_has(variant, TAKES_ALL_TYPES) || f32 || i32 ||
               (types.in == CUDA_R_64F && types.out == CUDA_R_64F);
    }
}

static struct criterion_test_params combinations_of(bool (*worth)(prim_scan_variant, type_pair))
{
    static combination rows[256];
    size_t count = 0;
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++)
        for (size_t p = 0; p < PAIRS; p++)
            if (worth(prim_scan_variant_at(v)->value, type_pairs[p]))
                rows[count++] = (combination){prim_scan_variant_at(v)->value, type_pairs[p]};
    return cr_make_param_array(combination, rows, count);
}

static struct criterion_test_params combinations(void)
{
    return combinations_of(worth_a_test);
}

/* CHAINED makes tables of integers, too. */
static bool worth_a_table(prim_scan_variant variant, type_pair types)
{
    return variant == PRIM_SCAN_CHAINED || worth_a_test(variant, types);
}

static bool supports(const scan_case *c)
{
    size_t bytes;
    return ask(c, &bytes) == PRIM_OK;
}

static scan_case vector(const combination *k, size_t count, const void *h_in)
{
    return (scan_case){.variant = k->variant,
                       .types = k->types,
                       .rows = 1,
                       .columns = count,
                       .in_ld = count,
                       .out_ld = count,
                       .h_in = h_in};
}

static void skip_unless_supported(const combination *k, form f)
{
    scan_case c = vector(k, 1, NULL);
    c.form = f;
    c.rows = f == VECTOR ? 1 : 2;
    if (!supports(&c))
        cr_skip_test("%s does not do this with %s → %s here",
                     prim_scan_variant_info(k->variant)->name, type_name(k->types.in),
                     type_name(k->types.out));
}

/* How many of the 24 combinations of kind, operator and transform: one of so many. */
enum { NONE = 0, ALL = 1, SOME = 5, FEW = 11, ONE = 24 };

/* Variants and types start at different combinations where not all are tested. */
static size_t turn_of(const combination *k)
{
    size_t pair = 0;
    while (memcmp(&type_pairs[pair], &k->types, sizeof k->types) != 0)
        pair++;
    return (size_t)k->variant * 5 + pair;
}

/* Kinds, operators and transforms; place, initial value and total take turns. */
static void check_all(scan_case c, size_t turn, size_t one_of)
{
    const size_t in_bytes = extent(&c, c.in_ld) * type_bytes(c.types.in);
    void *h_product = malloc(in_bytes + 1);
    const void *h_in = c.h_in;
    memcpy(h_product, h_in, in_bytes);
    suit_to_product(c.types.in, h_product, extent(&c, c.in_ld));
    for (size_t k = turn % one_of; k < KINDS * OPS * TRANSFORMS; k += one_of) {
        c.kind = (prim_scan_kind)(k % KINDS);
        c.op = (prim_op)(k / KINDS % OPS);
        c.transform = (prim_transform)(k / KINDS / OPS);
        if (c.form == BOTH_DIRECTIONS)
            c.kind = PRIM_SCAN_INCLUSIVE;
        const size_t bits = (size_t)random_bits(turn * 64 + k);
        c.in_place = bits & 1 && c.in_ld == c.out_ld && c.types.in == c.types.out;
        c.with_initial = bits & 2 && c.form != BOTH_DIRECTIONS;
        c.with_total = bits & 8 && c.form == VECTOR;
        c.offset = bits >> 2 & 1;
        c.out_offset = bits >> 4 & 1;
        c.initial_on_device = bits >> 5 & 1;
        c.h_in = c.op == PRIM_OP_PRODUCT ? h_product : h_in;
        if (supports(&c)) /* AUTO does what the host does */
            check(&c);
    }
    free(h_product);
}

/* Around a lane's, a warp's, a block's and a tile's share of every rung: chunks have from 256 to
 * 2048 elements, tiles of four to sixteen of them from 1024 to 32768. */
static const size_t small_sizes[] = {0,   1,   2,    3,    15,   16,   17,   31,   32,  33,  127,
                                     128, 129, 255,  256,  257,  383,  384,  385,  511, 512, 513,
                                     767, 769, 1023, 1024, 1025, 2049, 3071, 3072, 3073};
static const size_t large_sizes[] = {4096,  4097,  6145,  8191,  8192,  8193,  12289,  16384,
                                     16385, 32767, 32768, 32769, 65536, 65537, 131073, 262145};
enum { LARGEST = 262145 };

ParameterizedTestParameters(scan, small_sizes)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, small_sizes)
{
    skip_unless_supported(k, VECTOR);
    const bool quick = get_test_level() == LEVEL_QUICK;
    double h_in[3073];
    for (size_t s = 0; s < COUNT_OF(small_sizes); s++)
        for (size_t d = quick ? s % DISTRIBUTION_COUNT : 0; d < DISTRIBUTION_COUNT;
             d += quick ? DISTRIBUTION_COUNT : 1) {
            fill(k->types.in, h_in, small_sizes[s], (distribution)d, 31 * s);
            check_all(vector(k, small_sizes[s], h_in), 3 * s + d + turn_of(k), quick ? FEW : SOME);
        }
}

ParameterizedTestParameters(scan, large_sizes)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, large_sizes)
{
    skip_unless_supported(k, VECTOR);
    const test_level level = get_test_level();
    void *h_in = malloc(LARGEST * type_bytes(k->types.in));
    for (size_t s = 0; s < COUNT_OF(large_sizes); s++) {
        if ((s + turn_of(k)) % (level == LEVEL_QUICK ? 4 : level == LEVEL_NORMAL ? 2 : 1) != 0)
            continue;
        fill(k->types.in, h_in, large_sizes[s], (distribution)(s % DISTRIBUTION_COUNT), s);
        check_all(vector(k, large_sizes[s], h_in), s + turn_of(k),
                  level == LEVEL_FULL    ? SOME
                  : level == LEVEL_QUICK ? ONE
                                         : FEW);
    }
    free(h_in);
}

/* More tiles than a block looks back at. */
Test(scan, many_tiles)
{
    if (get_test_level() == LEVEL_QUICK)
        cr_skip_test("2^20 elements: from PRIM_TEST_LEVEL=normal on, in reverse order at full");
    static const type_pair types[] = {{CUDA_R_64F, CUDA_R_64F}, {CUDA_R_8U, CUDA_R_64U}};
    const size_t count = (1 << 20) + 4099;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++) {
            const combination k = {prim_scan_variant_at(v)->value, types[t]};
            void *h_in = malloc(count * type_bytes(types[t].in));
            fill(types[t].in, h_in, count, INTEGERS, 3);
            scan_case c = vector(&k, count, h_in);
            c.kind = (prim_scan_kind)(v % KINDS);
            c.with_total = true;
            if (supports(&c))
                check(&c);
            free(h_in);
        }
}

/* Two tiles more than those whose aggregates a block of REDUCE_THEN_SCAN combines by itself: the
 * last one has one more before it, and there is a launch more. */
Test(scan, more_tiles_than_a_block_combines)
{
    enum { TILE = 4096, AT_ONCE = 512, COUNT = (AT_ONCE + 1) * TILE + 1 };
    static const combination k = {PRIM_SCAN_REDUCE_THEN_SCAN, {CUDA_R_8U, CUDA_R_64U}};
    static unsigned char h_in[COUNT];
    fill(k.types.in, h_in, COUNT, UNIFORM, 5);
    scan_case c = vector(&k, COUNT, h_in);
    c.with_total = true;
    c.route = "three_launches";
    check(&c);
}

/* rows, columns, in_ld, out_ld. */
static const size_t shapes[][4] = {
    {1, 300, 300, 300},     {7, 1, 1, 1},          {7, 1, 3, 2},           {0, 5, 5, 5},
    {5, 0, 0, 2},           {5, 513, 515, 515},    {19, 1024, 1024, 1024}, {9, 384, 400, 416},
    {11, 2047, 2048, 2052}, {5, 4100, 4112, 4112}, {3, 9000, 9008, 9024},  {270, 257, 259, 259},
    {513, 2, 5, 4},         {130, 300, 304, 304},  {65, 1025, 1025, 1040}, {2, 65537, 65540, 65539},
    {1300, 3, 3, 3},        {301, 17, 17, 17},     {90, 37, 37, 40},       {41, 129, 131, 129},
    {70, 100, 100, 100},    {2600, 1, 1, 1}};

/* On the textbook's rungs each line takes blocks of its own, so that time goes by lines; elsewhere
 * by tiles. */
static size_t how_many(prim_scan_variant variant, size_t lines, size_t columns)
{
    const test_level level = get_test_level();
    const bool by_lines = !scan_rung_has(variant, GOES_BY_TILES);
    const bool large = (by_lines && lines >= 20) || columns >= 10000;
    if (level == LEVEL_FULL)
        return SOME;
    if (lines > 10000 && (by_lines || level == LEVEL_QUICK))
        return NONE;
    if (level == LEVEL_QUICK)
        return !large ? FEW : variant == PRIM_SCAN_AUTO ? NONE : ONE;
    return lines >= 1000 ? ONE : large ? FEW : SOME;
}

static void check_shapes(const combination *k, form f)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        const size_t rows = shapes[s][0], columns = shapes[s][1], in_ld = shapes[s][2];
        const size_t lines = f == BOTH_DIRECTIONS ? rows + columns : rows;
        const size_t one_of = how_many(k->variant, lines, columns);
        const size_t turns = (get_test_level() == LEVEL_QUICK ? 3 : 1) * (f == ROWS ? 1 : 2);
        if (one_of == NONE || (s + turn_of(k)) % turns != 0)
            continue;
        void *h_in = malloc(rows * in_ld * type_bytes(k->types.in) + 1);
        fill(k->types.in, h_in, rows * in_ld, (distribution)(s % DISTRIBUTION_COUNT), s);
        check_all((scan_case){.variant = k->variant,
                              .types = k->types,
                              .form = f,
                              .rows = rows,
                              .columns = columns,
                              .in_ld = in_ld,
                              .out_ld = shapes[s][3],
                              .h_in = h_in},
                  s + turn_of(k), one_of);
        free(h_in);
    }
}

ParameterizedTestParameters(scan, rows)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, rows)
{
    skip_unless_supported(k, ROWS);
    check_shapes(k, ROWS);
}

/* Which operators the shapes above meet is chance. */
static void check_every_operator(const combination *k)
{
    char h_in[7 * 41 * 8];
    fill(k->types.in, h_in, 7 * 41, INTEGERS, 3);
    check_all((scan_case){.variant = k->variant,
                          .types = k->types,
                          .form = BOTH_DIRECTIONS,
                          .rows = 7,
                          .columns = 40,
                          .in_ld = 41,
                          .out_ld = 41,
                          .h_in = h_in},
              0, ALL);
}

ParameterizedTestParameters(scan, both_directions)
{
    return combinations_of(worth_a_table);
}

ParameterizedTest(combination *k, scan, both_directions)
{
    skip_unless_supported(k, BOTH_DIRECTIONS);
    check_shapes(k, BOTH_DIRECTIONS);
    check_every_operator(k);
}

/* More tiles than run at once, and anti-diagonals that end at the right and at the bottom. A GPU
 * runs more at once than the CPU backend. */
Test(scan, tables_of_many_tiles)
{
    static const type_pair types[] = {
        {CUDA_R_32I, CUDA_R_32I}, {CUDA_R_64F, CUDA_R_64F}, {CUDA_R_8U, CUDA_R_32U}};
    static const size_t sizes[][2] = {{1000, 1100}, {300, 2500}, {2500, 300}, {3000, 3100}};
    const size_t shapes_here = COUNT_OF(sizes) - on_cpu_backend();
    static const prim_scan_variant variants[] = {PRIM_SCAN_CHAINED, PRIM_SCAN_REDUCE_THEN_SCAN};
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t s = 0; s < shapes_here; s++)
            for (size_t v = 0; v < COUNT_OF(variants) - quick; v++) {
                const combination k = {variants[v], types[t]};
                const size_t rows = sizes[s][0], columns = sizes[s][1];
                void *h_in = malloc(rows * columns * type_bytes(types[t].in));
                fill(types[t].in, h_in, rows * columns, INTEGERS, s);
                scan_case c = vector(&k, columns, h_in);
                c.form = BOTH_DIRECTIONS;
                c.rows = rows;
                c.in_place = types[t].in == types[t].out && s % 2 == 0;
                check(&c);
                free(h_in);
            }
}

/* ---- routes ---- */

typedef struct routed {
    const char *route;
    prim_scan_variant variant;
    form form;
    cudaDataType_t in, out;
    size_t rows, columns, in_ld, out_ld, offset;
} routed;

static const routed routes[] = {
    {"warp_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_32F, CUDA_R_32F, 41, 129, 129, 129, 0},
    {"warp_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_32F, CUDA_R_32F, 300, 2, 2, 2, 0},
    {"warp_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_32F, CUDA_R_32F, 300, 12, 12, 12, 1},
    {"warp_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_16F, CUDA_R_16F, 70, 100, 103, 103, 0},
    {"warp_rows", PRIM_SCAN_LOOKBACK, ROWS, CUDA_R_32I, CUDA_R_32I, 300, 16, 16, 16, 0},
    /* the last warp has one row, so that the vector behind the others reaches beyond the matrix */
    {"warp_rows", PRIM_SCAN_LOOKBACK, ROWS, CUDA_R_8U, CUDA_R_8U, 1345, 3, 3, 3, 1},
    {"lane_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_32F, CUDA_R_32F, 301, 17, 17, 17, 1},
    {"lane_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_32F, CUDA_R_32F, 300, 12, 12, 12, 0},
    {"lane_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_8U, CUDA_R_32U, 300, 7, 9, 9, 0},
    {"lane_rows", PRIM_SCAN_CHAINED, ROWS, CUDA_R_32F, CUDA_R_32F, 301, 3, 3, 3, 0},
    {"lane_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_8U, CUDA_R_8U, 300, 7, 9, 9, 0},
    {"lane_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_8U, CUDA_R_8U, 300, 16, 20, 20, 0},
    {"lane_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_8U, CUDA_R_8U, 60, 129, 3000, 3000, 0},
    {"lane_rows", PRIM_SCAN_CHAINED, ROWS, CUDA_R_16F, CUDA_R_16F, 300, 5, 9, 5, 0},
    {"lane_rows", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_8U, CUDA_R_32U, 300, 2, 5, 2, 0},
    {"warp_rows", PRIM_SCAN_LOOKBACK, ROWS, CUDA_R_8U, CUDA_R_8U, 300, 1, 2, 2, 0},
    {"one_tile", PRIM_SCAN_REDUCE_THEN_SCAN, VECTOR, CUDA_R_32F, CUDA_R_32F, 1, 8192, 8192, 8192,
     0},
    {"one_tile", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_32F, CUDA_R_32F, 5, 257, 257, 257, 0},
    {"one_tile", PRIM_SCAN_LOOKBACK, ROWS, CUDA_R_32I, CUDA_R_32I, 3, 2051, 2060, 2060, 1},
    {"one_tile", PRIM_SCAN_CHAINED, VECTOR, CUDA_R_32F, CUDA_R_32F, 1, 100, 100, 100, 0},
    {"two_launches", PRIM_SCAN_REDUCE_THEN_SCAN, VECTOR, CUDA_R_32F, CUDA_R_32F, 1, 8193, 8193,
     8193, 0},
    {"two_launches", PRIM_SCAN_REDUCE_THEN_SCAN, ROWS, CUDA_R_64F, CUDA_R_64F, 3, 9000, 9008, 9000,
     1},
    {"look_back", PRIM_SCAN_LOOKBACK, VECTOR, CUDA_R_32I, CUDA_R_32I, 1, 8193, 8193, 8193, 0},
    {"chain", PRIM_SCAN_CHAINED, VECTOR, CUDA_R_32F, CUDA_R_32F, 1, 8193, 8193, 8193, 0},
    {"wide_tiles", PRIM_SCAN_REDUCE_THEN_SCAN, BOTH_DIRECTIONS, CUDA_R_32F, CUDA_R_32F, 5, 100, 100,
     100, 0},
    {"wide_tiles", PRIM_SCAN_REDUCE_THEN_SCAN, BOTH_DIRECTIONS, CUDA_R_32F, CUDA_R_32F, 100, 3, 3,
     3, 0},
    {"low_tiles", PRIM_SCAN_REDUCE_THEN_SCAN, BOTH_DIRECTIONS, CUDA_R_32F, CUDA_R_32F, 4, 1000,
     1000, 1000, 0},
    {"narrow_tiles", PRIM_SCAN_REDUCE_THEN_SCAN, BOTH_DIRECTIONS, CUDA_R_32F, CUDA_R_32F, 40000, 3,
     3, 3, 0},
    {"diagonals", PRIM_SCAN_CHAINED, BOTH_DIRECTIONS, CUDA_R_32I, CUDA_R_32I, 65, 129, 129, 129,
     0}};

/* Each of these calls takes its route, and is right. The tests of whole rows and of more tiles than
 * a block combines have the two routes that are not here. Operands that are yet to come are
 * aligned. */
Test(scan, routes)
{
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        const routed *const r = &routes[i];
        char *const h_in = malloc(r->rows * r->in_ld * type_bytes(r->in));
        fill(r->in, h_in, r->rows * r->in_ld, INTEGERS, i);
        scan_case c = {.variant = r->variant,
                       .form = r->form,
                       .types = {r->in, r->out},
                       .rows = r->rows,
                       .columns = r->columns,
                       .in_ld = r->in_ld,
                       .out_ld = r->out_ld,
                       .offset = r->offset,
                       .out_offset = r->offset,
                       .route = r->route,
                       .h_in = h_in};
        check(&c);
        if (r->offset == 0) {
            cr_prim(call_device(&c, NULL, NULL, NULL, NULL, asking()));
            cr_assert_str_eq(asked()->route, r->route, "case %zu", i);
        }
        free(h_in);
    }
}

Test(scan, calls_without_routes)
{
    const combination empty = {PRIM_SCAN_REDUCE_THEN_SCAN, {CUDA_R_32F, CUDA_R_32F}},
                      textbook = {PRIM_SCAN_SHUFFLE, {CUDA_R_32F, CUDA_R_32F}};
    size_t bytes;
    scan_case c = vector(&empty, 0, NULL);
    cr_prim(ask(&c, &bytes));
    cr_assert_null(asked()->route, "without elements there is no route");
    c = vector(&textbook, 1000, NULL);
    cr_prim(ask(&c, &bytes));
    cr_assert_null(asked()->route, "SHUFFLE has one way");
}

/* A workspace may hold anything, words that look like those of a tile, too. */
Test(scan, words_from_before_are_cleared)
{
    enum { ROWS = 200, COLUMNS = 6600, TILES = 52, COUNT = ROWS * COLUMNS };
    const cudaDataType_t u32 = CUDA_R_32U;
    uint32_t *const h_in = malloc(COUNT * sizeof *h_in), *const h_out =
                                                             malloc(COUNT * sizeof *h_out);
    uint32_t *const above = calloc(COLUMNS, sizeof *above);
    size_t bytes;
    cr_prim(asked_bytes(prim_scan_2d(PRIM_SCAN_CHAINED, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                     prim_matrix_of(u32, NULL, ROWS, COLUMNS, 0),
                                     prim_matrix_of(u32, NULL, ROWS, COLUMNS, 0), asking()),
                        &bytes));
    uint64_t *const words = malloc(bytes);
    for (size_t w = 0; w < bytes / 8; w++)
        words[w] = (uint64_t)(1 + w % TILES) << 32 | 12345;
    for (size_t i = 0; i < COUNT; i++)
        h_in[i] = (uint32_t)i * 2654435761u;
    guarded in = guarded_copy(h_in, COUNT * sizeof *h_in, 0);
    guarded workspace = guarded_copy(words, bytes / 8 * 8, 0);
    guarded out = guarded_new(COUNT * sizeof *h_out, 0);
    cr_prim(prim_scan_2d(PRIM_SCAN_CHAINED, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                         prim_matrix_of(u32, in.data, ROWS, COLUMNS, 0),
                         prim_matrix_of(u32, out.data, ROWS, COLUMNS, 0),
                         with(0, workspace.data, bytes)));
    guarded_read(&out, h_out);
    for (size_t row = 0; row < ROWS; row++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < COLUMNS; i++) {
            sum += h_in[row * COLUMNS + i];
            above[i] += sum;
            cr_assert_eq(h_out[row * COLUMNS + i], above[i], "wrong at %zu, %zu", row, i);
        }
    }
    guarded_free(&in);
    guarded_free(&workspace);
    guarded_free(&out);
    free(h_in);
    free(h_out);
    free(above);
    free(words);
}

/* ---- every alignment of input and output ---- */

ParameterizedTestParameters(scan, every_alignment)
{
    return combinations();
}

/* Rows that share a warp, rows of several chunks, and arrays of several tiles; dense and with gaps,
 * so that rows begin anywhere, too. */
ParameterizedTest(combination *k, scan, every_alignment)
{
    static const size_t all[][4] = {
        {1, 9001, 9001, 9001}, {1, 13, 13, 13},       {77, 5, 5, 5},        {40, 67, 67, 67},
        {19, 131, 133, 132},   {3, 2051, 2051, 2051}, {3, 1111, 1113, 1112}};
    const size_t in_vector = 16 / type_bytes(k->types.in),
                 out_vector = 16 / type_bytes(k->types.out);
    const bool quick = get_test_level() == LEVEL_QUICK;
    skip_unless_supported(k, VECTOR);
    if (!scan_rung_has(k->variant, GOES_BY_TILES))
        cr_skip_test("it goes element by element");
    void *h_in = malloc(9001 * type_bytes(k->types.in));
    fill(k->types.in, h_in, 9001, INTEGERS, 7);
    for (size_t s = 0; s < COUNT_OF(all); s++)
        for (size_t i = 0; i < in_vector * out_vector; i++) {
            const size_t turn = i + s + turn_of(k);
            if (turn % (quick ? in_vector * out_vector / 2 : in_vector * out_vector / 4) != 0 &&
                get_test_level() != LEVEL_FULL)
                continue;
            scan_case c = {.variant = k->variant,
                           .types = k->types,
                           .form = all[s][0] == 1 ? VECTOR
                                   : i % 3 == 2   ? BOTH_DIRECTIONS
                                                  : ROWS,
                           .rows = all[s][0],
                           .columns = all[s][1],
                           .in_ld = all[s][2],
                           .out_ld = all[s][3],
                           .offset = i % in_vector,
                           .out_offset = i / in_vector,
                           .op = (prim_op)(turn % 3),
                           .transform = (prim_transform)(turn / 3 % TRANSFORMS),
                           .h_in = h_in};
            c.kind = c.form == BOTH_DIRECTIONS ? PRIM_SCAN_INCLUSIVE
                                               : (prim_scan_kind)(turn / 2 % KINDS);
            c.with_total = c.form == VECTOR;
            if (supports(&c))
                check(&c);
            c.in_place = true;
            c.out_ld = c.in_ld;
            if (k->types.in == k->types.out && supports(&c))
                check(&c);
        }
    free(h_in);
}

/* Short rows with gaps between them, of input and output that lie equally far past vectors: their
 * ends are copied in pieces. */
ParameterizedTestParameters(scan, rows_with_equal_gaps)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, rows_with_equal_gaps)
{
    static const size_t lengths[] = {1,  2,  3,  5,   7,   8,   15,  16,
                                     17, 33, 37, 100, 131, 255, 511, 1021},
                        gaps[] = {1, 3, 4, 8, 11, 16, 37};
    const size_t in_vector = 16 / type_bytes(k->types.in);
    const bool quick = get_test_level() == LEVEL_QUICK;
    skip_unless_supported(k, ROWS);
    if (!scan_rung_has(k->variant, GOES_BY_TILES))
        cr_skip_test("it goes element by element");
    void *h_in = malloc(200 * 1058 * type_bytes(k->types.in));
    fill(k->types.in, h_in, (size_t)200 * 1058, INTEGERS, 7);
    size_t turn = turn_of(k);
    for (size_t l = 0; l < COUNT_OF(lengths); l++)
        for (size_t g = 0; g < COUNT_OF(gaps); g++, turn++) {
            const size_t ld = lengths[l] + gaps[g];
            if (quick && turn % 5 != 0)
                continue;
            scan_case c = {.variant = k->variant,
                           .types = k->types,
                           .form = ROWS,
                           .kind = (prim_scan_kind)(turn % KINDS),
                           .rows = lengths[l] < 20    ? 199
                                   : lengths[l] < 300 ? 41
                                                      : 5,
                           .columns = lengths[l],
                           .in_ld = ld,
                           .out_ld = ld + turn / 4 % 3 * in_vector,
                           .offset = turn % in_vector,
                           .out_offset = turn % in_vector,
                           .op = (prim_op)(turn % 3),
                           .in_place = turn % 4 == 0 && k->types.in == k->types.out,
                           .h_in = h_in};
            if (c.in_place)
                c.out_ld = ld;
            if (supports(&c))
                check(&c);
        }
    free(h_in);
}

/* Rows of up to 16 bytes, of which those of one side begin at words, and those of the other do not:
 * by their pitch, or from the first one on. */
Test(scan, thin_rows_that_begin_at_words_on_one_side)
{
    static const cudaDataType_t types[] = {CUDA_R_8I, CUDA_R_8U, CUDA_R_16I, CUDA_R_16U,
                                           CUDA_R_16F};
    enum { ROWS_HERE = 37, WORDS = 24, ODD = 21 };
    static uint64_t h_in[ROWS_HERE * WORDS];
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t turn = 0; turn < 4; turn++) {
            scan_case c = {.types = {types[t], types[t]},
                           .form = ROWS,
                           .kind = (prim_scan_kind)(turn / 2),
                           .rows = ROWS_HERE,
                           .columns = 16 / type_bytes(types[t]) - turn,
                           .in_ld = turn == 0 ? ODD : WORDS,
                           .out_ld = turn == 1 ? ODD : WORDS,
                           .offset = turn == 2,
                           .out_offset = turn == 3,
                           .h_in = h_in};
            fill(types[t], h_in, ROWS_HERE * WORDS, INTEGERS, t + turn);
            if (supports(&c))
                check(&c);
        }
}

/* Rows of two chunks of 2 KiB of the wider type, the last one a few elements short or one over: it
 * ends before the last vectors that a whole chunk would reach into. Rows begin anywhere. */
ParameterizedTestParameters(scan, chunks_that_are_almost_whole)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, chunks_that_are_almost_whole)
{
    enum { ROWS_HERE = 5, CHUNKS = 2, MOST = ROWS_HERE * (CHUNKS * 2048 + 2) };
    const size_t in_bytes = type_bytes(k->types.in), out_bytes = type_bytes(k->types.out);
    const size_t wider = in_bytes > out_bytes ? in_bytes : out_bytes;
    const size_t whole = CHUNKS * 2048 / wider, vectors = 2 * 16 / wider;
    const bool quick = get_test_level() == LEVEL_QUICK;
    skip_unless_supported(k, ROWS);
    if (!scan_rung_has(k->variant, GOES_BY_TILES))
        cr_skip_test("it goes element by element");
    void *h_in = malloc(MOST * in_bytes);
    fill(k->types.in, h_in, MOST, INTEGERS, 7);
    for (size_t missing = 0; missing <= vectors; missing++) {
        const size_t turn = missing + turn_of(k), columns = whole + 1 - missing;
        if (quick && wider < 4 && turn % 3 != 0)
            continue;
        scan_case c = {.variant = k->variant,
                       .types = k->types,
                       .form = ROWS,
                       .kind = (prim_scan_kind)(turn % KINDS),
                       .rows = ROWS_HERE,
                       .columns = columns,
                       .in_ld = columns + turn % 2,
                       .out_ld = columns + 1,
                       .offset = turn % (16 / in_bytes),
                       .out_offset = turn % (16 / out_bytes),
                       .op = (prim_op)(turn % 3),
                       .h_in = h_in};
        if (supports(&c))
            check(&c);
    }
    free(h_in);
}

/* Arrays so large that what is misaligned is shifted, and not loaded one by one, by the rungs that
 * do so. A test for each type, since these are long. */
static const cudaDataType_t large_types[] = {CUDA_R_32F, CUDA_R_32I, CUDA_R_32U};

ParameterizedTestParameters(scan, large_misaligned_arrays)
{
    static int indices[] = {0, 1, 2};
    return cr_make_param_array(int, indices, COUNT_OF(indices));
}

ParameterizedTest(int *index, scan, large_misaligned_arrays)
{
    static const prim_scan_variant variants[] = {PRIM_SCAN_AUTO, PRIM_SCAN_LOOKBACK,
                                                 PRIM_SCAN_CHAINED};
    static const size_t offsets[][2] = {{1, 0}, {2, 3}, {3, 3}};
    const size_t t = (size_t)*index, count = on_cpu_backend() ? 9601 : ((size_t)1 << 25) + 77;
    const cudaDataType_t type = large_types[t];
    void *h_in = malloc(count * type_bytes(type));
    fill(type, h_in, count, INTEGERS, 7);
    for (size_t v = 0; v < COUNT_OF(variants); v++) {
        const size_t *const offset = offsets[(t + v) % COUNT_OF(offsets)];
        scan_case c = {.variant = variants[v],
                       .types = {type, type},
                       .form = VECTOR,
                       .rows = 1,
                       .columns = count,
                       .in_ld = count,
                       .out_ld = count,
                       .offset = offset[0],
                       .out_offset = offset[1],
                       .kind = (prim_scan_kind)((v + t) % KINDS),
                       .op = PRIM_OP_SUM,
                       .with_total = true,
                       .in_place = offset[0] == offset[1],
                       .h_in = h_in};
        if (supports(&c))
            check(&c);
    }
    free(h_in);
}

/* A row has the bits that it has alone, whichever kernel takes it together with others; but for
 * LOOKBACK, whose tiles follow from the number of rows. */
ParameterizedTestParameters(scan, rows_have_the_bits_of_arrays)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, rows_have_the_bits_of_arrays)
{
    static const size_t lengths[] = {1,   5,   16,  17,   33,   100,  129,
                                     256, 300, 513, 1030, 3000, 8193, 20000};
    enum { ROWS_OF = 5, MOST = 20000 };
    skip_unless_supported(k, ROWS);
    if (!type_is_float(k->types.in))
        cr_skip_test("integers have only one result");
    const size_t in_size = type_bytes(k->types.in), out_size = type_bytes(k->types.out);
    char *h_in = malloc(ROWS_OF * MOST * in_size), *h_before = malloc(ROWS_OF * MOST * out_size),
         *h_rows = malloc(ROWS_OF * MOST * out_size), *h_alone = malloc(MOST * out_size);
    double total;
    fill(k->types.in, h_in, ROWS_OF * MOST, EXTREMES, 11);
    for (size_t l = 0; l < COUNT_OF(lengths); l++) {
        const size_t length = lengths[l];
        if (k->variant == PRIM_SCAN_LOOKBACK && length > 3000)
            continue;
        scan_case c = {.variant = k->variant,
                       .types = k->types,
                       .form = ROWS,
                       .rows = ROWS_OF,
                       .columns = length,
                       .in_ld = length,
                       .out_ld = length,
                       .kind = (prim_scan_kind)(l % KINDS),
                       .with_initial = l % 3 == 1,
                       .h_in = h_in};
        if (!supports(&c))
            continue;
        run(&c, h_before, h_rows, &total);
        for (size_t row = 0; row < ROWS_OF; row++) {
            scan_case alone = c;
            alone.form = VECTOR;
            alone.rows = 1;
            alone.h_in = h_in + row * length * in_size;
            run(&alone, h_before, h_alone, &total);
            cr_assert_arr_eq(h_rows + row * length * out_size, h_alone, length * out_size,
                             CASE_FORMAT "row %zu", CASE_VALUES(&c), row);
        }
    }
    free(h_in);
    free(h_before);
    free(h_rows);
    free(h_alone);
}

/* Tables of few columns or few rows share warps among tiles; their results have the bits that they
 * have as the first columns and rows of a larger table. */
static void check_corner(const scan_case *large, const char *h_large, size_t rows, size_t columns,
                         bool dense)
{
    const size_t in_size = type_bytes(large->types.in), out_size = type_bytes(large->types.out);
    char *h_in = malloc(rows * large->in_ld * in_size),
         *h_before = malloc(rows * large->in_ld * out_size),
         *h_corner = malloc(rows * large->in_ld * out_size);
    double total;
    scan_case c = *large;
    c.rows = rows;
    c.columns = columns;
    c.in_ld = c.out_ld = dense ? columns : large->in_ld;
    c.offset = columns % 3;
    c.out_offset = columns % 2;
    c.h_in = h_in;
    for (size_t row = 0; row < rows; row++)
        memcpy(h_in + row * c.in_ld * in_size,
               (const char *)large->h_in + row * large->in_ld * in_size, columns * in_size);
    run(&c, h_before, h_corner, &total);
    for (size_t row = 0; row < rows; row++)
        cr_assert_arr_eq(h_corner + row * c.out_ld * out_size,
                         h_large + row * large->out_ld * out_size, columns * out_size,
                         CASE_FORMAT "row %zu", CASE_VALUES(&c), row);
    free(h_in);
    free(h_before);
    free(h_corner);
}

static void check_corners(type_pair types, size_t rows, size_t columns, const size_t (*corners)[2],
                          size_t count)
{
    const size_t elements = rows * columns;
    char *h_in = malloc(elements * type_bytes(types.in)),
         *h_before = malloc(elements * type_bytes(types.out)),
         *h_large = malloc(elements * type_bytes(types.out));
    double total;
    const scan_case large = {.variant = PRIM_SCAN_REDUCE_THEN_SCAN,
                             .types = types,
                             .form = BOTH_DIRECTIONS,
                             .rows = rows,
                             .columns = columns,
                             .in_ld = columns,
                             .out_ld = columns,
                             .h_in = h_in};
    fill(types.in, h_in, elements, UNIFORM, 17);
    run(&large, h_before, h_large, &total);
    for (size_t i = 0; i < 2 * count; i++)
        if (corners[i / 2][1] <= columns)
            check_corner(&large, h_large, corners[i / 2][0], corners[i / 2][1], i % 2 != 0);
    free(h_in);
    free(h_before);
    free(h_large);
}

Test(scan, small_tables_have_the_bits_of_large_ones)
{
    static const size_t narrow[][2] = {{1100, 1}, {1099, 2}, {1100, 3},  {1050, 4},
                                       {900, 5},  {1100, 7}, {1001, 16}, {1100, 17},
                                       {600, 31}, {777, 37}, {600, 63},  {1100, 64}};
    static const size_t low[][2] = {{1, 5000}, {2, 4999}, {3, 5000},
                                    {4, 4097}, {5, 5000}, {9, 3001}};
    for (size_t p = 0; p < PAIRS; p++) {
        if (!type_is_float(type_pairs[p].in))
            continue; /* integers have only one result */
        check_corners(type_pairs[p], 1100, type_bytes(type_pairs[p].out) == 8 ? 64 : 128, narrow,
                      COUNT_OF(narrow));
        check_corners(type_pairs[p], 10, 5000, low, COUNT_OF(low));
    }
}

/* ---- one order: of CLUSTER, CHAINED, REDUCE_THEN_SCAN, AUTO and the host ---- */

static bool has_threads(void);

ParameterizedTestParameters(scan, the_host_has_the_same_bits)
{
    return combinations();
}

/* Around runs, chunks and tiles, whose sizes follow from the types. */
ParameterizedTest(combination *k, scan, the_host_has_the_same_bits)
{
    static const size_t counts[] = {1,    15,   17,   255,   511,   513,   4095,  4097,
                                    8191, 8192, 8193, 16385, 20001, 32769, 70001, 131072};
    enum { MOST = 131072 };
    skip_unless_supported(k, VECTOR);
    if (!type_is_float(k->types.in))
        cr_skip_test("integers have only one result");
    if (!scan_rung_has(k->variant, HAS_HOST_ORDER))
        cr_skip_test("it has an order of its own");
    const size_t in_size = type_bytes(k->types.in), out_size = type_bytes(k->types.out);
    char *h_in = malloc(MOST * in_size), *h_before = malloc(MOST * out_size),
         *h_device = malloc(MOST * out_size), *h_host = malloc(MOST * out_size);
    fill(k->types.in, h_in, MOST, UNIFORM, 17);
    for (size_t s = 0; s < COUNT_OF(counts); s++) {
        if (get_test_level() == LEVEL_QUICK && counts[s] > 20001 && (s + turn_of(k)) % 3 != 0)
            continue;
        double total[2] = {0};
        scan_case c = vector(k, counts[s], h_in);
        c.kind = (prim_scan_kind)(s % KINDS);
        c.op = s % 5 == 4 ? PRIM_OP_MIN : PRIM_OP_SUM;
        c.transform = (prim_transform)(s % TRANSFORMS);
        c.with_initial = s % 3 == 2;
        c.initial_on_device = true;
        c.with_total = true;
        if (!supports(&c))
            continue;
        run(&c, h_before, h_device, &total[0]);
        for (c.threads = 1; c.threads < 8 && (c.threads == 1 || has_threads()); c.threads += 3) {
            run(&c, h_before, h_host, &total[1]);
            cr_assert_arr_eq(h_host, h_device, counts[s] * out_size, CASE_FORMAT "other bits",
                             CASE_VALUES(&c));
            cr_assert_arr_eq(&total[1], &total[0], out_size, CASE_FORMAT "another total",
                             CASE_VALUES(&c));
        }
    }
    free(h_in);
    free(h_before);
    free(h_device);
    free(h_host);
}

/* Rows of up to five runs of 64 bytes, and an element less or more: lanes take several rows, whole
 * ones or runs of them. */
ParameterizedTestParameters(scan, short_rows_have_the_bits_of_the_host)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, short_rows_have_the_bits_of_the_host)
{
    enum { ROWS_HERE = 37, RUNS = 5, MOST = ROWS_HERE * (RUNS * 64 + 4) };
    const size_t in_size = type_bytes(k->types.in), out_size = type_bytes(k->types.out);
    const size_t in_run = 64 / (in_size > out_size ? in_size : out_size);
    skip_unless_supported(k, ROWS);
    if (!scan_rung_has(k->variant, HAS_HOST_ORDER_IN_SHORT_ROWS))
        cr_skip_test("it has an order of its own");
    char *h_in = malloc(MOST * in_size), *h_before = malloc(MOST * out_size),
         *h_device = malloc(MOST * out_size), *h_host = malloc(MOST * out_size);
    fill(k->types.in, h_in, MOST, UNIFORM, 17);
    for (size_t s = 0; s < (size_t)3 * RUNS; s++) {
        const size_t turn = s + turn_of(k), columns = (s / 3 + 1) * in_run + s % 3 - 1;
        double no_total;
        scan_case c = {.variant = k->variant,
                       .types = k->types,
                       .form = ROWS,
                       .kind = (prim_scan_kind)(turn % KINDS),
                       .op = turn % 5 == 4 ? PRIM_OP_MAX : PRIM_OP_SUM,
                       .rows = ROWS_HERE,
                       .columns = columns,
                       .in_ld = columns + turn % 4,
                       .out_ld = columns + turn / 2 % 4,
                       .h_in = h_in};
        if (!supports(&c))
            continue;
        run(&c, h_before, h_device, &no_total);
        c.threads = 1;
        run(&c, h_before, h_host, &no_total);
        cr_assert_arr_eq(h_host, h_device, extent(&c, c.out_ld) * out_size,
                         CASE_FORMAT "other bits", CASE_VALUES(&c));
    }
    free(h_in);
    free(h_before);
    free(h_device);
    free(h_host);
}

/* Of so many tiles that AUTO takes what reads each element once. */
Test(scan, auto_has_the_order_of_the_host_in_long_arrays)
{
    enum { TILE = 4096, COUNT = 400 * TILE + 77 };
    const cudaDataType_t type = CUDA_R_64F;
    const size_t bytes = COUNT * sizeof(double);
    double *h_in = malloc(bytes), *h_device = malloc(bytes), *h_host = malloc(bytes);
    fill(type, h_in, COUNT, UNIFORM, 29);
    cr_prim(prim_scan(PRIM_SCAN_AUTO, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type,
                      NULL, COUNT, type, NULL, NULL, asking()));
    cr_assert_eq(asked()->variant->value, PRIM_SCAN_CHAINED);
    cr_prim(prim_scan(PRIM_SCAN_AUTO, PRIM_SCAN_INCLUSIVE, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, type,
                      NULL, COUNT, type, NULL, NULL, asking()));
    cr_assert_eq(asked()->variant->value, PRIM_SCAN_LOOKBACK);
    guarded in = guarded_copy(h_in, bytes, 0), out = guarded_new(bytes, 0);
    cr_prim(prim_scan(PRIM_SCAN_AUTO, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type,
                      in.data, COUNT, type, out.data, NULL, NULL));
    guarded_read(&out, h_device);
    cr_prim(prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type, h_in, COUNT,
                           type, h_host, NULL, 1));
    cr_assert_arr_eq(h_device, h_host, bytes);
    guarded_free(&in);
    guarded_free(&out);
    free(h_in);
    free(h_device);
    free(h_host);
}

/* Whether a block takes a whole row; then the rung has no words. */
static bool goes_by_block_rows(prim_scan_variant variant, cudaDataType_t type, size_t rows,
                               size_t columns)
{
    cr_prim(prim_scan_rows(variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                           prim_matrix_of(type, NULL, rows, columns, 0),
                           prim_matrix_of(type, NULL, rows, columns, 0), NULL, asking()));
    const bool does = strcmp(asked()->route, "block_rows") == 0;
    cr_assert(does ||
              strcmp(asked()->route, variant == PRIM_SCAN_CHAINED ? "chain" : "look_back") == 0);
    cr_assert_eq(does, asked()->workspace_bytes == 0);
    return does;
}

/* From two rows on. */
static size_t fewest_block_rows(prim_scan_variant variant, cudaDataType_t type, size_t columns)
{
    size_t rows = 2;
    while (rows < 10000 && !goes_by_block_rows(variant, type, rows, columns))
        rows++;
    cr_assert(rows < 10000, "blocks never take whole rows");
    return rows;
}

/* Three tiles each, the last one of three elements; with gaps between the rows. */
static void check_whole_rows(prim_scan_variant variant, cudaDataType_t type, size_t rows,
                             size_t columns, prim_scan_kind kind)
{
    const size_t ld = columns + 5, bytes = rows * ld * type_bytes(type);
    char *h_in = malloc(bytes), *h_device = calloc(1, bytes), *h_host = calloc(1, bytes);
    fill(type, h_in, rows * ld, UNIFORM, 41);
    guarded in = guarded_copy(h_in, bytes, 0), out = guarded_copy(h_device, bytes, 0),
            initial = guarded_copy(h_in, type_bytes(type), 0);
    cr_prim(prim_scan_rows(variant, kind, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                           prim_matrix_of(type, in.data, rows, columns, ld),
                           prim_matrix_of(type, out.data, rows, columns, ld),
                           &(prim_scan_ends){.d_initial = initial.data}, NULL));
    guarded_read(&out, h_device);
    cr_prim(prim_scan_rows_host(
        kind, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, prim_matrix_of(type, h_in, rows, columns, ld),
        prim_matrix_of(type, h_host, rows, columns, ld), &(prim_scan_ends){.h_initial = h_in}, 1));
    cr_assert_arr_eq(h_device, h_host, bytes, "variant %d, %s, %zu rows, kind %d", (int)variant,
                     type_name(type), rows, (int)kind);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&initial);
    free(h_in);
    free(h_device);
    free(h_host);
}

/* One row too few, as few as it takes, and two or three for each block. */
Test(scan, whole_rows_have_the_bits_of_the_host)
{
    static const struct {
        prim_scan_variant variant;
        cudaDataType_t type;
    } calls[] = {{PRIM_SCAN_CHAINED, CUDA_R_32F},
                 {PRIM_SCAN_CHAINED, CUDA_R_64F},
                 {PRIM_SCAN_CHAINED, CUDA_R_16F},
                 {PRIM_SCAN_LOOKBACK, CUDA_R_32I},
                 {PRIM_SCAN_LOOKBACK, CUDA_R_8U}};
    for (size_t c = 0; c < COUNT_OF(calls); c++) {
        const prim_scan_variant variant = calls[c].variant;
        const cudaDataType_t type = calls[c].type;
        const size_t columns = 2 * (32768 / type_bytes(type)) + 3;
        const size_t fewest = fewest_block_rows(variant, type, columns);
        const size_t rows[] = {fewest - 1, fewest, 2 * fewest, 3 * fewest + 1};
        for (size_t r = 0; r < COUNT_OF(rows); r++)
            check_whole_rows(variant, type, rows[r], columns, (prim_scan_kind)(r % KINDS));
    }
}

/* On the CPU backend a block at a time: those that wait for others have to go on by themselves. */
Test(scan, a_device_that_holds_one_block)
{
    enum { ROWS = 3, COLUMNS = 5 * 8192 + 5, COUNT = ROWS * COLUMNS };
    static const prim_scan_variant variants[] = {PRIM_SCAN_CHAINED, PRIM_SCAN_LOOKBACK};
    const cudaDataType_t type = CUDA_R_32F;
    const size_t bytes = COUNT * sizeof(float);
    cr_assert_eq(setenv("SIMT_WORKERS", "1", 1), 0);
    cr_assert_eq(setenv("SIMT_RESIDENT", "1", 1), 0);
    float *h_in = malloc(bytes), *h_device = malloc(bytes), *h_host = malloc(bytes);
    float initial = 7, total = 0, total_on_host = 0;
    fill(type, h_in, COUNT, INTEGERS, 37);
    guarded in = guarded_copy(h_in, bytes, 0), out = guarded_new(bytes, 0),
            carry = guarded_copy(&initial, sizeof initial, 0);
    for (size_t v = 0; v < COUNT_OF(variants); v++) {
        cr_prim(prim_scan_rows(variants[v], PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                               prim_matrix_of(type, in.data, ROWS, COLUMNS, 0),
                               prim_matrix_of(type, out.data, ROWS, COLUMNS, 0),
                               &(prim_scan_ends){.h_initial = &initial}, NULL));
        guarded_read(&out, h_device);
        cr_prim(prim_scan_rows_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                    prim_matrix_of(type, h_in, ROWS, COLUMNS, 0),
                                    prim_matrix_of(type, h_host, ROWS, COLUMNS, 0),
                                    &(prim_scan_ends){.h_initial = &initial}, 1));
        cr_assert_arr_eq(h_device, h_host, bytes, "rows, variant %d", variants[v]);
    }
    cr_prim(prim_scan(PRIM_SCAN_CHAINED, PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                      type, in.data, COUNT, type, out.data,
                      &(prim_scan_ends){.d_initial = carry.data, .total = carry.data}, NULL));
    guarded_read(&out, h_device);
    guarded_read(&carry, &total);
    cr_prim(prim_scan_host(PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type, h_in, COUNT,
                           type, h_host,
                           &(prim_scan_ends){.h_initial = &initial, .total = &total_on_host}, 1));
    cr_assert_arr_eq(h_device, h_host, bytes, "an array");
    cr_assert_eq(total, total_on_host);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&carry);
    free(h_in);
    free(h_device);
    free(h_host);
}

/* Pieces of whole tiles have the bits of the whole, where the total is not rounded. */
ParameterizedTestParameters(scan, pieces_of_whole_tiles_have_the_bits_of_the_whole)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, pieces_of_whole_tiles_have_the_bits_of_the_whole)
{
    static const size_t tiles[] = {2, 1, 3, 9, 1}; /* and a part of one */
    const cudaDataType_t out_type = k->types.out;
    const size_t in_size = type_bytes(k->types.in), out_size = type_bytes(out_type);
    const size_t tile = 32768 / (in_size > out_size ? in_size : out_size);
    const size_t count = 16 * tile + 11;
    skip_unless_supported(k, VECTOR);
    if ((out_type != CUDA_R_32F && out_type != CUDA_R_64F) ||
        !scan_rung_has(k->variant, HAS_HOST_ORDER))
        cr_skip_test("it has an order of its own, or only one result");
    char *h_in = malloc(count * in_size), *h_pieces = malloc(count * out_size),
         *h_host = malloc(count * out_size);
    double totals[3] = {0}, carry = 0;
    fill(k->types.in, h_in, count, UNIFORM, 31);
    cr_prim(prim_scan_host(PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, k->types.in, h_in,
                           count, out_type, h_host, &(prim_scan_ends){.total = &totals[0]}, 1));
    guarded in = guarded_copy(h_in, count * in_size, 0), out = guarded_new(count * out_size, 0),
            total = guarded_new(out_size, 0);
    size_t first = 0;
    for (size_t p = 0; p <= COUNT_OF(tiles); p++) {
        const size_t length = p < COUNT_OF(tiles) ? tiles[p] * tile : count - first;
        const prim_scan_variant variant =
            runs(prim_scan(k->variant, PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                           k->types.in, NULL, length, out_type, NULL, NULL, asking()))
                ? k->variant
                : PRIM_SCAN_AUTO;
        cr_prim(prim_scan(
            variant, PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, k->types.in,
            (char *)in.data + first * in_size, length, out_type,
            (char *)out.data + first * out_size,
            &(prim_scan_ends){.d_initial = p > 0 ? total.data : NULL, .total = total.data}, NULL));
        guarded_read(&total, &totals[1]);
        cr_prim(prim_scan_host(
            PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, k->types.in,
            h_in + first * in_size, length, out_type, h_pieces + first * out_size,
            &(prim_scan_ends){.h_initial = p > 0 ? &carry : NULL, .total = &totals[2]}, 1));
        cr_assert_arr_eq(&totals[1], &totals[2], out_size, "piece %zu: total", p);
        memcpy(&carry, &totals[2], sizeof carry);
        first += length;
    }
    cr_assert_eq(first, count);
    cr_assert_arr_eq(h_pieces, h_host, count * out_size, "on the host");
    guarded_read(&out, h_pieces);
    cr_assert_arr_eq(h_pieces, h_host, count * out_size, "on the device");
    cr_assert_arr_eq(&totals[1], &totals[0], out_size, "the total");
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&total);
    free(h_in);
    free(h_pieces);
    free(h_host);
}

/* Pieces of an array, each of which takes the total of the one before where it lies, and leaves its
 * own there. */
ParameterizedTestParameters(scan, pieces_are_chained)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, pieces_are_chained)
{
    static const size_t pieces[] = {1, 700, 9001, 33000, 5};
    enum { COUNT = 1 + 700 + 9001 + 33000 + 5 };
    skip_unless_supported(k, VECTOR);
    const size_t in_size = type_bytes(k->types.in), out_size = type_bytes(k->types.out);
    char *h_in = malloc(COUNT * in_size), *h_whole = malloc(COUNT * out_size),
         *h_pieces = malloc(COUNT * out_size);
    double total[2] = {0};
    fill(k->types.in, h_in, COUNT, INTEGERS, 23);
    scan_case c = vector(k, COUNT, h_in);
    c.kind = (prim_scan_kind)(turn_of(k) % KINDS);
    c.op = type_bytes(k->types.out) < 4 && type_is_float(k->types.out) ? PRIM_OP_MAX : PRIM_OP_SUM;
    c.threads = 1; /* the whole */
    c.with_total = true;
    run(&c, h_pieces, h_whole, &total[0]);
    guarded in = guarded_copy(h_in, COUNT * in_size, 0), out = guarded_new(COUNT * out_size, 0),
            carry = guarded_new(out_size, 0);
    size_t first = 0;
    for (size_t p = 0; p < COUNT_OF(pieces); p++) {
        c.columns = pieces[p];
        c.threads = 0;
        prim_scan_variant taken = supports(&c) ? c.variant : PRIM_SCAN_REDUCE_THEN_SCAN;
        cr_prim(prim_scan(
            taken, c.kind, c.op, c.transform, c.types.in, (char *)in.data + first * in_size,
            pieces[p], c.types.out, (char *)out.data + first * out_size,
            &(prim_scan_ends){.d_initial = p > 0 ? carry.data : NULL, .total = carry.data}, NULL));
        first += pieces[p];
    }
    guarded_read(&out, h_pieces);
    guarded_read(&carry, &total[1]);
    cr_assert_arr_eq(h_pieces, h_whole, COUNT * out_size);
    cr_assert_arr_eq(&total[1], &total[0], out_size);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&carry);
    free(h_in);
    free(h_whole);
    free(h_pieces);
}

/* ---- what lies outside the operands ---- */

#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif

#ifdef WATCHED
void __asan_poison_memory_region(const volatile void *, size_t);
void __asan_unpoison_memory_region(const volatile void *, size_t);

/* From here on, AddressSanitizer ends the program where an access touches what is no element. */
static void watch(const guarded *g, size_t rows, size_t columns, size_t ld, bool on)
{
    char *const data = g->data;
    if (!on) {
        __asan_unpoison_memory_region(g->base, g->lead + g->bytes + g->tail);
        return;
    }
    __asan_poison_memory_region(g->base, g->lead);
    for (size_t row = 0; row + 1 < rows; row++)
        __asan_poison_memory_region(data + row * ld + columns, ld - columns);
    __asan_poison_memory_region(data + g->bytes, g->tail);
}

ParameterizedTestParameters(scan, nothing_else_is_touched)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, nothing_else_is_touched)
{
    static const size_t all[][3] = {{1, 9001, 9001}, {1, 3, 3},     {50, 7, 7},    {50, 7, 9},
                                    {50, 7, 44},     {9, 150, 157}, {9, 150, 183}, {3, 999, 1003}};
    const size_t in = type_bytes(k->types.in), out = type_bytes(k->types.out);
    skip_unless_supported(k, VECTOR);
    if (!scan_rung_has(k->variant, GOES_BY_TILES) || k->variant == PRIM_SCAN_AUTO)
        cr_skip_test("it goes element by element, or is another rung");
    for (size_t s = 0; s < COUNT_OF(all); s++)
        for (int f = ROWS; f <= BOTH_DIRECTIONS; f++)
            for (size_t turn = 0, offset = 0; offset < 16 / in; offset += turn++ % 2 * 7) {
                const size_t rows = all[s][0], columns = all[s][1], ld = all[s][2];
                const size_t extent = (rows - 1) * ld + columns;
                scan_case c = {.variant = k->variant,
                               .types = k->types,
                               .form = (form)f,
                               .rows = rows,
                               .columns = columns,
                               .in_ld = ld,
                               .out_ld = ld};
                size_t bytes;
                if (ask(&c, &bytes) != PRIM_OK)
                    continue;
                guarded d_in = guarded_new(extent * in, offset * in),
                        d_out = guarded_new(extent * out, (offset + turn % 2) * out),
                        workspace = guarded_new(bytes, 0);
                /* small gaps between rows may be read */
                const bool reads_gaps = f == ROWS && (ld - columns) * in <= 32;
                watch(&d_in, reads_gaps ? 1 : rows, columns * in, ld * in, true);
                watch(&d_out, rows, columns * out, ld * out, true);
                const prim_status status =
                    call_device(&c, NULL, d_in.data, d_out.data, NULL,
                                with(0, bytes > 0 ? workspace.data : NULL, bytes));
                const cudaError_t error = cudaDeviceSynchronize();
                watch(&d_in, 0, 0, 0, false);
                watch(&d_out, 0, 0, 0, false);
                cr_prim(status);
                cr_cuda(error);
                guarded_free(&d_in);
                guarded_free(&d_out);
                guarded_free(&workspace);
            }
}
#endif

ParameterizedTestParameters(scan, nan_and_infinity_anywhere)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, nan_and_infinity_anywhere)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY};
    static const size_t places[] = {0, 1, 31, 255, 256, 511, 512, 1022, 1023, 3072, 8200};
    enum { COUNT = 8300 };
    static double h_in[COUNT];
    skip_unless_supported(k, VECTOR);
    if (!type_is_float(k->types.in))
        cr_skip_test("integers have none");
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (size_t s = 0; s < COUNT_OF(specials); s++) {
            if (get_test_level() == LEVEL_QUICK && (p + s) % 3 != 0)
                continue;
            fill(k->types.in, h_in, COUNT, UNIFORM, p);
            write_float(k->types.in, h_in, places[p], specials[s]);
            scan_case c = vector(k, COUNT, h_in);
            c.op = (prim_op)((p + s) % 3); /* a product's signs are another test's */
            if (k->variant == PRIM_SCAN_CHAINED && c.op != PRIM_OP_SUM)
                continue; /* it takes what depends on the order */
            c.kind = (prim_scan_kind)(p % KINDS);
            c.with_total = true;
            check(&c);
        }
}

ParameterizedTestParameters(scan, zeros_of_both_signs)
{
    return combinations();
}

/* -0 is less than +0: from the first zero of the other sign on, it is the extreme. */
ParameterizedTest(combination *k, scan, zeros_of_both_signs)
{
    static const size_t places[] = {1, 31, 255, 511, 1023, 3072, 8200};
    enum { COUNT = 8300 };
    static double h_in[COUNT];
    skip_unless_supported(k, VECTOR);
    if (!type_is_float(k->types.in) || k->variant == PRIM_SCAN_CHAINED)
        cr_skip_test("integers have none, and CHAINED no extremes");
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (int op = PRIM_OP_MIN; op <= PRIM_OP_MAX; op++) {
            for (size_t i = 0; i < COUNT; i++) {
                const bool other = i == places[p] || (i > places[p] && i % 3 == 0);
                write_float(k->types.in, h_in, i, (op == PRIM_OP_MIN) == other ? -0.0 : 0.0);
            }
            scan_case c = vector(k, COUNT, h_in);
            c.op = (prim_op)op;
            c.kind = (prim_scan_kind)(p % KINDS);
            c.with_total = true;
            check(&c);
        }
}

/* An array, or rows that share a chunk, fill it, or have some. */
static const size_t zero_shapes[][2] = {{1, 1},  {1, 33}, {1, 300}, {1, 9000}, {40, 1},
                                        {40, 3}, {9, 17}, {5, 64},  {7, 257},  {3, 2100}};

/* Elements and initial value are zeros: the sum of these has a sign that each route gets by itself,
 * with the identities that it adds. */
static void check_zeros(scan_case *c, char *h_in, bool *negative)
{
    enum { MOST = 9000 * 8 };
    static const double zeros[] = {0.0, -0.0};
    static char h_before[MOST], h_device[MOST], h_host[MOST];
    const size_t size = type_bytes(c->types.out), count = c->rows * c->columns;
    double device_total = 0, host_total = 0;
    for (int sign = 0; sign < 3; sign++) { /* of the elements: +, -, and one + among many - */
        for (size_t i = 0; i < count; i++)
            write_float(c->types.in, h_in, i,
                        sign == 0 || (sign == 2 && i == count / 2) ? 0.0 : -0.0);
        for (int initial = 0; initial < 3; initial++) {
            c->zero = &zeros[initial % 2];
            c->with_initial = initial < 2;
            c->initial_on_device = sign % 2;
            c->threads = 0;
            run(c, h_before, h_device, &device_total);
            c->threads = 1;
            run(c, h_before, h_host, &host_total);
            cr_assert_arr_eq(h_device, h_host, count * size,
                             CASE_FORMAT "elements of sign %d, initial %d: a zero has another sign",
                             CASE_VALUES(c), sign, initial);
            cr_assert_arr_eq(&device_total, &host_total, c->with_total ? size : 0,
                             CASE_FORMAT "elements of sign %d, initial %d: the total's sign",
                             CASE_VALUES(c), sign, initial);
            *negative = *negative || signbit(read_float(c->types.out, h_host, count - 1));
        }
    }
}

ParameterizedTestParameters(scan, a_sum_of_zeros_has_the_sign_that_the_host_gives_it)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, a_sum_of_zeros_has_the_sign_that_the_host_gives_it)
{
    if (!type_is_float(k->types.in) || !scan_rung_has(k->variant, HAS_HOST_ORDER_IN_SHORT_ROWS))
        cr_skip_test("integers have one zero, and other rungs add more identities");
    skip_unless_supported(k, VECTOR);
    const bool has_order = scan_rung_has(k->variant, HAS_HOST_ORDER);
    char *h_in = malloc(9000 * 8);
    bool negative = false; /* any result was */
    for (size_t s = 0; s < COUNT_OF(zero_shapes); s++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int op = PRIM_OP_SUM; op <= PRIM_OP_PRODUCT; op += PRIM_OP_PRODUCT) {
                const size_t rows = zero_shapes[s][0], columns = zero_shapes[s][1];
                scan_case c = {.variant = k->variant,
                               .types = k->types,
                               .form = rows == 1 ? VECTOR : ROWS,
                               .kind = (prim_scan_kind)kind,
                               .op = (prim_op)op,
                               .rows = rows,
                               .columns = columns,
                               .in_ld = columns,
                               .out_ld = columns,
                               .with_total = rows == 1,
                               .h_in = h_in};
                if (supports(&c) && (has_order || (rows > 1 && columns <= 64)))
                    check_zeros(&c, h_in, &negative);
            }
    cr_assert(negative);
    free(h_in);
}

ParameterizedTestParameters(scan, same_bits_in_every_run)
{
    return combinations();
}

/* In place or not, at any alignment, several tiles and rows. */
ParameterizedTest(combination *k, scan, same_bits_in_every_run)
{
    static const size_t shapes[][2] = {{1, 30009}, {3, 10003}, {130, 230}};
    enum { COUNT = 30009 };
    skip_unless_supported(k, VECTOR);
    if (!type_is_float(k->types.in))
        cr_skip_test("integers have only one result");
    const size_t in_bytes = COUNT * type_bytes(k->types.in),
                 bytes = COUNT * type_bytes(k->types.out);
    void *h_in = malloc(in_bytes), *h_before = malloc(bytes), *h_first = malloc(bytes),
         *h_again = malloc(bytes);
    double total[2] = {0};
    fill(k->types.in, h_in, COUNT, EXTREMES, 5);
    for (int f = VECTOR; f <= BOTH_DIRECTIONS; f++) {
        scan_case c = vector(k, COUNT, h_in);
        c.form = (form)f;
        c.rows = shapes[f][0];
        c.columns = c.in_ld = c.out_ld = shapes[f][1];
        c.with_total = f == VECTOR;
        const size_t used = c.rows * c.columns * type_bytes(k->types.out);
        for (c.offset = 0; supports(&c) && c.offset < 4; c.offset++) {
            c.out_offset = c.offset;
            c.in_place = c.offset % 2 && k->types.in == k->types.out;
            run(&c, h_before, c.offset == 0 ? h_first : h_again, &total[c.offset > 0]);
            if (c.offset == 0)
                continue;
            cr_assert_arr_eq(h_again, h_first, used);
            cr_assert_arr_eq(&total[1], &total[0], f == VECTOR ? type_bytes(k->types.out) : 0);
        }
    }
    free(h_in);
    free(h_before);
    free(h_first);
    free(h_again);
}

/* ---- what a call reads and when ---- */

static cudaGraphExec_t captured(const scan_case *c, const int32_t *h_initial, const guarded *in,
                                const guarded *out, const guarded *workspace)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_prim(prim_scan_rows(
        c->variant, c->kind, c->op, c->transform,
        prim_matrix_of(c->types.in, in->data, c->rows, c->columns, c->in_ld),
        prim_matrix_of(c->types.out, out->data, c->rows, c->columns, c->out_ld),
        &(prim_scan_ends){.h_initial = h_initial},
        with(stream, workspace->bytes > 0 ? workspace->data : NULL, workspace->bytes)));
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    cr_cuda(cudaGraphDestroy(graph));
    cr_cuda(cudaStreamDestroy(stream));
    return exec;
}

static void check_initial_is_read_at_once(const scan_case *c)
{
    size_t bytes;
    int32_t h_out[1200], *h_initial = malloc(sizeof *h_initial);
    cr_prim(ask(c, &bytes));
    guarded in = guarded_copy(c->h_in, sizeof h_out, 0), out = guarded_new(sizeof h_out, 0),
            workspace = guarded_new(bytes, 0);
    *h_initial = 1000;
    cudaGraphExec_t exec = captured(c, h_initial, &in, &out, &workspace);
    *(volatile int32_t *)h_initial = -77; /* or the compiler drops it, since free() follows */
    free(h_initial);
    cr_cuda(cudaGraphLaunch(exec, 0));
    cr_cuda(cudaStreamSynchronize(0));
    guarded_read(&out, h_out);
    for (int i = 0; i < 1200; i++)
        cr_assert_eq(h_out[i], 1000 + i % 600 + (c->kind == PRIM_SCAN_INCLUSIVE));
    cr_cuda(cudaGraphExecDestroy(exec));
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
}

Test(scan, the_initial_value_is_read_during_the_call)
{
    int32_t ones[1200];
    for (size_t i = 0; i < COUNT_OF(ones); i++)
        ones[i] = 1;
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++)
        for (int kind = 0; kind < KINDS; kind++) {
            const scan_case c = {.variant = prim_scan_variant_at(v)->value,
                                 .form = ROWS,
                                 .kind = (prim_scan_kind)kind,
                                 .types = {CUDA_R_32I, CUDA_R_32I},
                                 .rows = 2,
                                 .columns = 600,
                                 .in_ld = 600,
                                 .out_ld = 600,
                                 .h_in = ones};
            if (supports(&c))
                check_initial_is_read_at_once(&c);
        }
}

/* LOOKBACK asks for an allowance of shared memory that is the kernel's, not the launch's. */
typedef struct scanner {
    pthread_t thread;
    size_t count;
    int32_t last;
} scanner;

static void *scan_ones(void *any)
{
    scanner *s = any;
    const size_t bytes = s->count * sizeof(int32_t);
    const int repetitions = on_cpu_backend() ? 2 : 200;
    int32_t *h_ones = malloc(bytes), *d_in = NULL, *d_out = NULL;
    cudaStream_t stream = NULL;
    for (size_t i = 0; i < s->count; i++)
        h_ones[i] = 1;
    bool failed = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ||
                  cudaMalloc((void **)&d_in, bytes) || cudaMalloc((void **)&d_out, bytes) ||
                  cudaMemcpy(d_in, h_ones, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < repetitions && !failed; i++)
        failed =
            prim_scan(PRIM_SCAN_LOOKBACK, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                      CUDA_R_32I, d_in, s->count, CUDA_R_32I, d_out, NULL, into(stream)) != PRIM_OK;
    if (failed || cudaStreamSynchronize(stream) ||
        cudaMemcpy(&s->last, d_out + s->count - 1, sizeof s->last, cudaMemcpyDeviceToHost))
        s->last = -1;
    cudaFree(d_in);
    cudaFree(d_out);
    if (stream != NULL)
        cudaStreamDestroy(stream);
    free(h_ones);
    return NULL;
}

Test(scan, threads_scan_arrays_of_unlike_sizes)
{
    scanner scanners[] = {{.count = 20000}, {.count = on_cpu_backend() ? 50000 : 10000000}};
    for (size_t i = 0; i < COUNT_OF(scanners); i++)
        cr_assert_eq(pthread_create(&scanners[i].thread, NULL, scan_ones, &scanners[i]), 0);
    for (size_t i = 0; i < COUNT_OF(scanners); i++)
        pthread_join(scanners[i].thread, NULL);
    for (size_t i = 0; i < COUNT_OF(scanners); i++)
        cr_assert_eq(scanners[i].last, (int32_t)scanners[i].count);
}

Test(scan, total_of_nothing_is_the_initial_value)
{
    static const type_pair pairs[] = {
        {CUDA_R_8I, CUDA_R_8I},   {CUDA_R_16U, CUDA_R_16U}, {CUDA_R_32I, CUDA_R_32I},
        {CUDA_R_8U, CUDA_R_64U},  {CUDA_R_16F, CUDA_R_16F}, {CUDA_R_16BF, CUDA_R_32F},
        {CUDA_R_32F, CUDA_R_32F}, {CUDA_R_32F, CUDA_R_64F}, {CUDA_R_16BF, CUDA_R_16BF},
        {CUDA_R_64I, CUDA_R_64I}, {CUDA_R_8U, CUDA_R_32U},
    };
    static const uint64_t no_element;
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++)
        for (size_t p = 0; p < COUNT_OF(pairs); p++)
            for (int op = PRIM_OP_SUM; op <= PRIM_OP_PRODUCT; op++)
                for (int initial = 0; initial < 3; initial++) { /* none, by value, on the device */
                    scan_case c = {.variant = prim_scan_variant_at(v)->value,
                                   .types = pairs[p],
                                   .op = (prim_op)op,
                                   .rows = 1,
                                   .with_initial = initial > 0,
                                   .initial_on_device = initial == 2,
                                   .with_total = true,
                                   .h_in = &no_element};
                    if (supports(&c))
                        check(&c);
                    c.threads = 1;
                    if (initial < 2)
                        check(&c);
                }
}

Test(scan, without_elements_no_pointer_is_needed)
{
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++)
        for (int f = VECTOR; f <= BOTH_DIRECTIONS; f++) {
            scan_case c = {.variant = prim_scan_variant_at(v)->value,
                           .form = (form)f,
                           .types = {CUDA_R_32F, CUDA_R_32F},
                           .threads = 1};
            c.rows = f == VECTOR ? 1 : 3; /* without columns */
            if (!supports(&c))
                continue;
            cr_prim(call_device(&c, NULL, NULL, NULL, NULL, into(0)));
            cr_prim(call_host(&c, NULL, NULL, NULL));
            c.rows = f == VECTOR ? 1 : 0;
            c.columns = c.in_ld = c.out_ld = f == VECTOR ? 0 : 3;
            cr_prim(call_device(&c, NULL, NULL, NULL, NULL, into(0)));
            cr_prim(call_host(&c, NULL, NULL, NULL));
        }
}

/* ---- more than 2^31 elements, where the device has the memory ---- */

Test(scan, beyond_two_to_the_31)
{
    if (on_cpu_backend() || get_test_level() != LEVEL_FULL)
        cr_skip_test("more than 2^31 elements: on a GPU at PRIM_TEST_LEVEL=full only");
    const size_t count = ((size_t)1 << 31) + (1 << 20) + 7;
    uint32_t *h = malloc(count * sizeof *h);
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++) {
        if (!runs(prim_scan(prim_scan_variant_at(v)->value, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                            PRIM_TRANSFORM_NONE, CUDA_R_32I, NULL, count, CUDA_R_32I, NULL, NULL,
                            asking())))
            continue;
        for (size_t i = 0; i < count; i++)
            h[i] = (uint32_t)(i * 167 >> 5);
        guarded data = guarded_copy(h, count * sizeof *h, 0);
        cr_prim(prim_scan(prim_scan_variant_at(v)->value, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                          PRIM_TRANSFORM_NONE, CUDA_R_32I, data.data, count, CUDA_R_32I, data.data,
                          NULL, NULL));
        guarded_read(&data, h);
        guarded_free(&data);
        uint32_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += (uint32_t)(i * 167 >> 5);
            if (h[i] != sum)
                cr_assert_fail("%s: wrong at %zu", prim_scan_variant_at(v)->name, i);
        }
    }
    free(h);
}

/* ---- the host's versions ---- */

static bool has_threads(void)
{
    return prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, NULL,
                          0, CUDA_R_32I, NULL, NULL, 2) == PRIM_OK;
}

enum { HOST_ROWS = 37, HOST_COLUMNS = 50 };

static void check_host_matrices(type_pair types, const void *h_in, int threads, size_t turn,
                                size_t one_of)
{
    for (int f = ROWS; f <= BOTH_DIRECTIONS; f++) {
        scan_case c = {.threads = threads,
                       .form = (form)f,
                       .types = types,
                       .rows = HOST_ROWS,
                       .columns = HOST_COLUMNS,
                       .in_ld = 53,
                       .out_ld = 53,
                       .h_in = h_in};
        check_all(c, turn, one_of);
        c.out_ld = 51;
        check_all(c, turn + 4, FEW);
        c.columns = 2; /* less than threads */
        check_all(c, turn + 8, FEW);
    }
}

/* instances.h lists types for both. */
static bool is_built(type_pair types)
{
    const bool on_device =
        runs(prim_scan(PRIM_SCAN_LOOKBACK, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                       types.in, NULL, 1, types.out, NULL, NULL, asking()));
    const bool on_host = prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                        types.in, NULL, 0, types.out, NULL, NULL, 1) == PRIM_OK;
    cr_assert_eq(on_host, on_device, "%s → %s", type_name(types.in), type_name(types.out));
    return on_host;
}

Test(scan, host_with_one_thread)
{
    double h_in[4099];
    for (size_t p = 0; p < PAIRS; p++)
        for (size_t d = 0; is_built(type_pairs[p]) && d < DISTRIBUTION_COUNT; d++) {
            const combination k = {PRIM_SCAN_AUTO, type_pairs[p]};
            fill(type_pairs[p].in, h_in, 4099, (distribution)d, p);
            for (size_t s = 0; s < COUNT_OF(small_sizes); s++) {
                scan_case c = vector(&k, small_sizes[s], h_in);
                c.threads = 1;
                check_all(c, s + d, small_sizes[s] > 33 ? SOME : ALL);
            }
            check_host_matrices(type_pairs[p], h_in, 1, d, ALL);
        }
}

/* Few of many: where cores are fewer than threads, each call waits for its slowest one. */
Test(scan, host_with_threads)
{
    static const int threads[] = {2, 3, 7};
    static const size_t sizes[] = {0, 1, 2, 6, 33, 513, 1025, 4099};
    double h_in[4099];
    if (!has_threads())
        cr_skip_test("built without OpenMP");
    for (size_t p = 0; p < PAIRS; p++)
        for (size_t t = 0; is_built(type_pairs[p]) && t < COUNT_OF(threads); t++) {
            const combination k = {PRIM_SCAN_AUTO, type_pairs[p]};
            fill(type_pairs[p].in, h_in, 4099, (distribution)((p + t) % DISTRIBUTION_COUNT), t);
            for (size_t s = 0; s < COUNT_OF(sizes); s++) {
                scan_case c = vector(&k, sizes[s], h_in);
                c.threads = threads[t];
                check_all(c, 7 * s + 5 * p + t, get_test_level() == LEVEL_QUICK ? ONE : FEW);
            }
            check_host_matrices(type_pairs[p], h_in, threads[t], p + t, FEW);
        }
    scan_case most = vector(&(combination){PRIM_SCAN_AUTO, {CUDA_R_32I, CUDA_R_32I}}, 1500, h_in);
    most.threads = 1024;
    check(&most);
}

Test(scan, host_matrices_do_not_depend_on_the_threads)
{
    enum { CELLS = HOST_ROWS * HOST_COLUMNS };
    float h_in[CELLS], h_one[CELLS], h_many[CELLS];
    if (!has_threads())
        cr_skip_test("built without OpenMP");
    fill(CUDA_R_32F, h_in, CELLS, UNIFORM, 8);
    for (int f = ROWS; f <= BOTH_DIRECTIONS; f++) {
        scan_case c = {.form = (form)f,
                       .types = {CUDA_R_32F, CUDA_R_32F},
                       .rows = HOST_ROWS,
                       .columns = HOST_COLUMNS,
                       .in_ld = HOST_COLUMNS,
                       .out_ld = HOST_COLUMNS,
                       .threads = 1};
        cr_prim(call_host(&c, h_in, h_one, NULL));
        c.threads = 7;
        cr_prim(call_host(&c, h_in, h_many, NULL));
        cr_assert_arr_eq(h_many, h_one, sizeof h_one);
    }
}

Test(scan, host_refuses_what_it_cannot_do)
{
    float in[4] = {1, 2, 3, 4}, out[4];
#define HOST(kind, op, transform, h_initial, h_in, count, out_type, h_out, threads)                \
    prim_scan_host((prim_scan_kind)(kind), (prim_op)(op), (prim_transform)(transform), CUDA_R_32F, \
                   h_in, count, out_type, h_out, &(prim_scan_ends){h_initial, NULL, NULL},         \
                   threads)
    cr_refused(HOST(0, 0, 0, NULL, in, 4, CUDA_R_32F, out, 0), PRIM_ERROR_VALUE, "threads");
    cr_assert_eq(HOST(0, 0, 0, NULL, in, 4, CUDA_R_32F, out, 1025), PRIM_ERROR_VALUE);
    cr_refused(HOST(0, 0, 0, NULL, NULL, 4, CUDA_R_32F, out, 1), PRIM_ERROR_NULL, "h_in");
    cr_refused(HOST(0, 0, 0, NULL, in, 4, CUDA_R_32F, NULL, 1), PRIM_ERROR_NULL, "h_out");
    cr_refused(HOST(0, 0, 0, (char *)in + 1, in, 4, CUDA_R_32F, out, 1), PRIM_ERROR_MISALIGNED,
               "h_initial");
    cr_assert_eq(HOST(0, 0, 0, NULL, (char *)in + 2, 3, CUDA_R_32F, out, 1), PRIM_ERROR_MISALIGNED);
    cr_assert_eq(HOST(0, 0, 0, NULL, in, 3, CUDA_R_32F, in + 1, 1), PRIM_ERROR_OVERLAP);
    cr_refused(HOST(0, 0, 0, NULL, in, SIZE_MAX / 2, CUDA_R_32F, out, 1), PRIM_ERROR_SIZE, "h_in");
    cr_refused(HOST(0, 0, 0, NULL, in, SIZE_MAX / 4, CUDA_R_64F, out, 1), PRIM_ERROR_SIZE, "h_out");
    cr_assert_eq(HOST(0, 0, 0, NULL, in, 4, CUDA_R_16F, out, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                                in, 4, CUDA_R_32F, out, &(prim_scan_ends){.total = &in[3]}, 1),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(HOST(2, 0, 0, NULL, in, 4, CUDA_R_32F, out, 1), PRIM_ERROR_ENUM);
    cr_assert_eq(HOST(0, 77, 0, NULL, in, 4, CUDA_R_32F, out, 1), PRIM_ERROR_ENUM);
    cr_assert_eq(HOST(0, 0, 77, NULL, in, 4, CUDA_R_32F, out, 1), PRIM_ERROR_ENUM);
    if (!has_threads())
        cr_assert_eq(HOST(0, 0, 0, NULL, in, 4, CUDA_R_32F, out, 2), PRIM_ERROR_UNSUPPORTED);
}

Test(scan, operands_that_may_and_may_not_meet)
{
    float h[64] = {0};
#define MEET(out, rows, columns, in_ld, out_ld)                                \
    prim_scan_rows_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, \
                        prim_matrix_of(CUDA_R_32F, h, rows, columns, in_ld),   \
                        prim_matrix_of(CUDA_R_32F, out, rows, columns, out_ld), NULL, 1)
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
#undef MEET
}

/* A matrix goes into one of its shape, rows have no total, and the host reads no device memory. */
Test(scan, host_refuses_what_its_structs_may_not_say)
{
    float in[4] = {1, 2, 3, 4}, out[4], one = 5;
    const cudaDataType_t f32 = CUDA_R_32F;
    const prim_matrix square = prim_matrix_of(f32, in, 2, 2, 0);
    const prim_matrix flat = prim_matrix_of(f32, out, 1, 2, 0);
    const prim_matrix slim = prim_matrix_of(f32, out, 2, 1, 0);
    const prim_matrix same = prim_matrix_of(f32, out, 2, 2, 0);
    const prim_scan_ends to_total = {.total = &one}, from_device = {.d_initial = &one};
    cr_refused(prim_scan_rows_host(0, 0, 0, square, flat, NULL, 1), PRIM_ERROR_VALUE,
               "h_out is 1 × 2, but h_in is 2 × 2");
    cr_refused(prim_scan_rows_host(0, 0, 0, square, slim, NULL, 1), PRIM_ERROR_VALUE, "2 × 1");
    cr_refused(prim_scan_2d_host(0, 0, square, slim, 1), PRIM_ERROR_VALUE, "2 × 1");
    cr_refused(prim_scan_rows_host(0, 0, 0, square, same, &to_total, 1), PRIM_ERROR_VALUE,
               "h_total");
    cr_refused(prim_scan_rows_host(0, 0, 0, square, same, &from_device, 1), PRIM_ERROR_VALUE,
               "d_initial");
    cr_refused(prim_scan_host(0, 0, 0, f32, in, 4, f32, out, &from_device, 1), PRIM_ERROR_VALUE,
               "d_initial");
}

/* An element would be read after a result that has been written over it. */
Test(scan, in_place_is_for_one_type)
{
    uint32_t h[64] = {0};
    const prim_scan_kind kind = PRIM_SCAN_INCLUSIVE;
    cr_assert_eq(prim_scan_rows_host(kind, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                     prim_matrix_of(CUDA_R_8U, h, 3, 8, 64),
                                     prim_matrix_of(CUDA_R_32U, h, 3, 8, 16), NULL, 1),
                 PRIM_ERROR_OVERLAP, "rows as many bytes apart");
    cr_assert_eq(prim_scan_2d_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                   prim_matrix_of(CUDA_R_8U, h, 3, 8, 64),
                                   prim_matrix_of(CUDA_R_32U, h, 3, 8, 16), 1),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_scan_host(kind, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, h, 8, CUDA_R_32U,
                                h, NULL, 1),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_scan_rows_host(kind, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                     prim_matrix_of(CUDA_R_8U, (char *)h + 32, 3, 8, 64),
                                     prim_matrix_of(CUDA_R_32U, h, 3, 8, 16), NULL, 1),
                 PRIM_OK, "side by side");
}

/* LOOKBACK and CHAINED have a word of 8 bytes for each tile; these rows have 65,536 and more in
 * all, and are too few for blocks that take whole ones. */
static void check_words_of_many_tiles(prim_scan_variant variant)
{
    const size_t rows = 2, tiles = 70000;
    size_t bytes = 0;
    cr_prim(asked_bytes(
        prim_scan_rows(variant, 0, 0, 0, prim_matrix_of(CUDA_R_32F, NULL, rows, tiles * 10000, 0),
                       prim_matrix_of(CUDA_R_32F, NULL, rows, tiles * 10000, 0), NULL, asking()),
        &bytes));
    cr_assert_geq(bytes, rows * tiles * 8, "variant %d: %zu bytes", (int)variant, bytes);
}

/* Blocks that no grid holds, and nothing to do at all. */
static void check_queries_of_matrices(prim_scan_variant variant)
{
    const size_t most = (size_t)1 << 31;
    const cudaDataType_t f32 = CUDA_R_32F;
    size_t bytes;
    cr_assert(runs(prim_scan_rows(variant, 0, 0, 0, prim_matrix_of(f32, NULL, 5, 5000, 0),
                                  prim_matrix_of(f32, NULL, 5, 5000, 0), NULL, asking())));
    cr_assert_not(runs(prim_scan_rows(variant, 0, 0, 0, prim_matrix_of(f32, NULL, most, 1, 0),
                                      prim_matrix_of(f32, NULL, most, 1, 0), NULL, asking())));
    cr_assert(runs(prim_scan_rows(variant, 0, 0, 0, prim_matrix_of(f32, NULL, 0, SIZE_MAX / 64, 0),
                                  prim_matrix_of(f32, NULL, 0, SIZE_MAX / 64, 0), NULL, asking())));
    cr_assert_eq(asked_bytes(prim_scan_rows(variant, 0, 0, 0, prim_matrix_of(f32, NULL, most, 1, 0),
                                            prim_matrix_of(f32, NULL, most, 1, 0), NULL, asking()),
                             &bytes),
                 PRIM_ERROR_UNSUPPORTED);
    if (variant == PRIM_SCAN_LOOKBACK) {
        cr_assert_not(runs(prim_scan_2d(variant, 0, 0, prim_matrix_of(f32, NULL, 5, 5000, 0),
                                        prim_matrix_of(f32, NULL, 5, 5000, 0), asking())));
        return;
    }
    cr_assert(runs(prim_scan_2d(variant, 0, 0, prim_matrix_of(f32, NULL, 5, 5000, 0),
                                prim_matrix_of(f32, NULL, 5, 5000, 0), asking())));
    cr_assert_not(
        runs(prim_scan_2d(variant, 0, 0, prim_matrix_of(f32, NULL, (size_t)1 << 40, 1 << 20, 0),
                          prim_matrix_of(f32, NULL, (size_t)1 << 40, 1 << 20, 0), asking())));
    cr_assert(runs(prim_scan_2d(variant, 0, 0, prim_matrix_of(f32, NULL, SIZE_MAX / 64, 0, 0),
                                prim_matrix_of(f32, NULL, SIZE_MAX / 64, 0, 0), asking())));
}

Test(scan, queries_say_what_calls_would)
{
    const cudaDataType_t f32 = CUDA_R_32F;
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++) {
        const prim_scan_variant variant = prim_scan_variant_at(v)->value;
        size_t bytes;
        if (variant == PRIM_SCAN_CLUSTER)
            cr_assert_not(
                runs(prim_scan_rows(variant, 0, 0, 0, prim_matrix_of(f32, NULL, 5, 5000, 0),
                                    prim_matrix_of(f32, NULL, 5, 5000, 0), NULL, asking())));
        else
            check_queries_of_matrices(variant);
        if (variant == PRIM_SCAN_LOOKBACK || variant == PRIM_SCAN_CHAINED)
            check_words_of_many_tiles(variant);
        cr_assert(variant == PRIM_SCAN_CLUSTER ||
                  runs(prim_scan(variant, 0, 0, 0, f32, NULL, 5000, f32, NULL, NULL, asking())));
        cr_assert_not(
            runs(prim_scan(variant, 0, 0, 0, f32, NULL, 5000, CUDA_R_16F, NULL, NULL, asking())));
        cr_assert(strstr(prim_last_error(NULL), "prim_scan: ") != NULL);
        cr_assert_not(runs(prim_scan(variant, 0, PRIM_OP_XOR, 0, CUDA_R_32I, NULL, 5, CUDA_R_32I,
                                     NULL, NULL, asking())));
        cr_assert_eq(asked_bytes(prim_scan(variant, 0, 0, 0, f32, NULL, SIZE_MAX / 2, f32, NULL,
                                           NULL, asking()),
                                 &bytes),
                     PRIM_ERROR_SIZE);
        cr_assert_eq(
            asked_bytes(prim_scan(variant, 2, 0, 0, f32, NULL, 5, f32, NULL, NULL, asking()),
                        &bytes),
            PRIM_ERROR_ENUM);
    }
}

/* An operator that a call does not have is the same error everywhere, whatever else is right. */
static void check_no_operator(prim_op op, const char *words, prim_status status)
{
    cr_assert_eq(status, PRIM_ERROR_ENUM, "op %d: %s", op, prim_status_string(status));
    cr_assert(strstr(prim_last_error(NULL), words) != NULL, "\"%s\" without \"%s\"",
              prim_last_error(NULL), words);
}

/* "SUM, PRODUCT, MIN or MAX" */
Test(scan, no_bit_operator_is_scanned)
{
    static const char *const names[] = {"op is and", "op is or", "op is xor"};
    const cudaDataType_t type = CUDA_R_32U;
    uint32_t h[4] = {1, 2, 3, 4};
    guarded g = guarded_copy(h, sizeof h, 0);
    for (int i = 0; i < 3; i++) {
        const prim_op op = (prim_op)(PRIM_OP_AND + i);
        for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++) {
            const prim_scan_variant variant = prim_scan_variant_at(v)->value;
            check_no_operator(
                op, names[i],
                prim_scan(variant, 0, op, 0, type, g.data, 4, type, g.data, NULL, NULL));
            check_no_operator(op, names[i],
                              prim_scan_rows(variant, 0, op, 0,
                                             prim_matrix_of(type, g.data, 2, 2, 0),
                                             prim_matrix_of(type, g.data, 2, 2, 0), NULL, NULL));
            check_no_operator(op, names[i],
                              prim_scan_2d(variant, op, 0, prim_matrix_of(type, g.data, 2, 2, 0),
                                           prim_matrix_of(type, g.data, 2, 2, 0), NULL));
        }
        check_no_operator(op, names[i], prim_scan_host(0, op, 0, type, h, 4, type, h, NULL, 1));
        check_no_operator(op, names[i],
                          prim_scan_rows_host(0, op, 0, prim_matrix_of(type, h, 2, 2, 0),
                                              prim_matrix_of(type, h, 2, 2, 0), NULL, 1));
        check_no_operator(op, names[i],
                          prim_scan_2d_host(op, 0, prim_matrix_of(type, h, 2, 2, 0),
                                            prim_matrix_of(type, h, 2, 2, 0), 1));
    }
    guarded_free(&g);
}

/* "with op SUM, MIN or MAX": not on the host either, which has no launches that it would lack. */
Test(scan, no_table_is_made_of_products)
{
    const cudaDataType_t type = CUDA_R_32F;
    float h[4] = {1, 2, 3, 4};
    guarded g = guarded_copy(h, sizeof h, 0);
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++)
        check_no_operator(PRIM_OP_PRODUCT, "prim_scan_2d: op is product",
                          prim_scan_2d(prim_scan_variant_at(v)->value, PRIM_OP_PRODUCT, 0,
                                       prim_matrix_of(type, g.data, 2, 2, 0),
                                       prim_matrix_of(type, g.data, 2, 2, 0), NULL));
    check_no_operator(PRIM_OP_PRODUCT, "prim_scan_2d_host: op is product",
                      prim_scan_2d_host(PRIM_OP_PRODUCT, 0, prim_matrix_of(type, h, 2, 2, 0),
                                        prim_matrix_of(type, h, 2, 2, 0), 1));
    cr_assert_eq(h[3], 4, "a refused call wrote");
    guarded_free(&g);
}

/* ---- the table ---- */

Test(scan, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_scan_variant_at(0)->value, PRIM_SCAN_AUTO);
    cr_assert_not_null(prim_scan_variant_at(2));
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++) {
        const char *name = prim_scan_variant_at(v)->name;
        cr_assert(name != NULL && strlen(name) > 0);
        cr_assert(strlen(prim_scan_variant_at(v)->idea) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(name, prim_scan_variant_at(w)->name);
    }
    cr_assert_null(prim_scan_variant_info((prim_scan_variant)9999));
}
