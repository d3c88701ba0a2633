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
            cr_assert_arr_eq(h_after + gap, h_before + gap, (c->out_ld - c->columns) * size,
                             "%zu × %zu (ld %zu, %zu), in place %d: the gap behind row %zu was "
                             "written to",
                             c->rows, c->columns, c->in_ld, c->out_ld, c->in_place, row);
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

/* How many of the 18 combinations of kind, operator and transform: one of so many. */
enum { NONE = 0, ALL = 1, SOME = 5, FEW = 9, ONE = 18 };

/* Variants and types start at different combinations where not all are tested. */
static size_t turn_of(const combination *k)
{
    size_t type = 0;
    while (types[type] != k->type)
        type++;
    return (size_t)k->variant * TYPES + type;
}

/* Kinds, operators and transforms; place and initial value take turns. */
static void check_all(scan_case c, size_t turn, size_t one_of)
{
    for (size_t k = turn % one_of; k < KINDS * OPS * TRANSFORMS; k += one_of) {
        c.kind = (prim_scan_kind)(k % KINDS);
        c.op = (prim_op)(k / KINDS % OPS);
        c.transform = (prim_transform)(k / KINDS / OPS);
        if (c.form == BOTH_DIRECTIONS)
            c.kind = PRIM_SCAN_INCLUSIVE;
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
/* Three levels of 256 elements a block from 65537 on, of 512 from 262145 on. */
static const size_t large_sizes[] = {65537, 131073, 262145};
enum { LARGEST = 262145 };

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
                      small_sizes[s] > 1025 || get_test_level() == LEVEL_QUICK ? SOME : ALL);
        }
}

ParameterizedTestParameters(scan, large_sizes)
{
    return combinations();
}

ParameterizedTest(combination *k, scan, large_sizes)
{
    const test_level level = get_test_level();
    void *h_in = malloc(LARGEST * type_bytes(k->type));
    for (size_t s = 0; s < COUNT_OF(large_sizes); s++)
        for (size_t d = 0; d < (level == LEVEL_FULL ? DISTRIBUTION_COUNT : 1); d++) {
            if (level == LEVEL_QUICK && (s < 2 || k->variant == PRIM_SCAN_AUTO))
                continue; /* rows has 65537 */
            fill(k->type, h_in, large_sizes[s], (distribution)((s + d) % DISTRIBUTION_COUNT), s);
            check_all(vector(k, large_sizes[s], h_in), s + turn_of(k),
                      level == LEVEL_FULL    ? ALL
                      : level == LEVEL_QUICK ? ONE
                                             : FEW);
        }
    free(h_in);
}

/* rows, columns, in_ld, out_ld. */
static const size_t shapes[][4] = {{1, 300, 300, 300},   {7, 1, 1, 1},   {7, 1, 3, 2},
                                   {0, 5, 5, 5},         {5, 0, 0, 2},   {5, 513, 515, 515},
                                   {270, 257, 259, 259}, {513, 2, 5, 4}, {2, 65537, 65540, 65539}};

/* Each line takes blocks of its own, so that time goes by lines. AUTO is one of the others. */
static size_t how_many(prim_scan_variant variant, size_t lines, size_t columns)
{
    const test_level level = get_test_level();
    if (level == LEVEL_FULL || (lines < 20 && columns < 10000))
        return ALL;
    if (lines > 10000 || (level == LEVEL_QUICK && variant == PRIM_SCAN_AUTO))
        return NONE;
    return level == LEVEL_QUICK ? ONE : FEW;
}

static void check_shapes(const combination *k, form f)
{
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        const size_t rows = shapes[s][0], columns = shapes[s][1], in_ld = shapes[s][2];
        const size_t lines = f == BOTH_DIRECTIONS ? rows + columns : rows;
        const size_t one_of = how_many(k->variant, lines, columns);
        if (one_of == NONE)
            continue;
        void *h_in = malloc(rows * in_ld * type_bytes(k->type) + 1);
        fill(k->type, h_in, rows * in_ld, (distribution)(s % DISTRIBUTION_COUNT), s);
        check_all((scan_case){.variant = k->variant,
                              .type = k->type,
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
            check_all(vector(k, 1024, h_in), p + s, SOME);
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

/* ---- what a call reads and when ---- */

static cudaGraphExec_t captured(const scan_case *c, const int32_t *h_initial, const guarded *in,
                                const guarded *out, const guarded *workspace)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_prim(prim_scan_rows(c->variant, c->kind, c->op, c->transform, h_initial, c->type, in->data,
                           c->rows, c->columns, c->in_ld, c->type, out->data, c->out_ld,
                           workspace->bytes > 0 ? workspace->data : NULL, workspace->bytes,
                           stream));
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
    for (size_t v = 0; v < prim_scan_variant_count(); v++)
        for (int kind = 0; kind < KINDS; kind++)
            check_initial_is_read_at_once(&(scan_case){.variant = prim_scan_variant_at(v),
                                                       .form = ROWS,
                                                       .kind = (prim_scan_kind)kind,
                                                       .type = CUDA_R_32I,
                                                       .rows = 2,
                                                       .columns = 600,
                                                       .in_ld = 600,
                                                       .out_ld = 600,
                                                       .h_in = ones});
}

Test(scan, without_elements_no_pointer_is_needed)
{
    for (size_t v = 0; v < prim_scan_variant_count(); v++)
        for (int f = VECTOR; f <= BOTH_DIRECTIONS; f++) {
            scan_case c = {.variant = prim_scan_variant_at(v), .form = (form)f, .threads = 1};
            c.rows = f == VECTOR ? 1 : 3; /* without columns */
            cr_prim(call_device(&c, NULL, NULL, NULL, 0));
            cr_prim(call_host(&c, NULL, NULL));
            c.rows = 0;
            c.columns = c.in_ld = c.out_ld = f == VECTOR ? 0 : 3;
            cr_prim(call_device(&c, NULL, NULL, NULL, 0));
            cr_prim(call_host(&c, NULL, NULL));
        }
}

/* ---- more than 2^31 elements, where the device has the memory ---- */

Test(scan, beyond_two_to_the_31)
{
    if (on_cpu_backend() || get_test_level() != LEVEL_FULL)
        cr_skip_test("more than 2^31 elements: on a GPU at PRIM_TEST_LEVEL=full only");
    const size_t count = ((size_t)1 << 31) + (1 << 20) + 7;
    uint32_t *h = malloc(count * sizeof *h);
    for (size_t v = 0; v < prim_scan_variant_count(); v++) {
        for (size_t i = 0; i < count; i++)
            h[i] = (uint32_t)(i * 167 >> 5);
        guarded data = guarded_copy(h, count * sizeof *h, 0);
        cr_prim(prim_scan(prim_scan_variant_at(v), PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                          PRIM_TRANSFORM_NONE, NULL, CUDA_R_32I, data.data, count, CUDA_R_32I,
                          data.data, NULL, 0, 0));
        guarded_read(&data, h);
        guarded_free(&data);
        uint32_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += (uint32_t)(i * 167 >> 5);
            if (h[i] != sum)
                cr_assert_fail("%s: wrong at %zu", prim_scan_variant_name(prim_scan_variant_at(v)),
                               i);
        }
    }
    free(h);
}

/* ---- the host's versions ---- */

static bool has_threads(void)
{
    return prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, NULL, CUDA_R_32I,
                          NULL, 0, CUDA_R_32I, NULL, 2) == PRIM_OK;
}

enum { HOST_ROWS = 37, HOST_COLUMNS = 50 };

static void check_host_matrices(cudaDataType_t type, const void *h_in, int threads, size_t turn,
                                size_t one_of)
{
    for (int f = ROWS; f <= BOTH_DIRECTIONS; f++) {
        scan_case c = {.threads = threads,
                       .form = (form)f,
                       .type = type,
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

Test(scan, host_with_one_thread)
{
    double h_in[4099];
    for (size_t p = 0; p < TYPES; p++)
        for (size_t d = 0; d < DISTRIBUTION_COUNT; d++) {
            const combination k = {PRIM_SCAN_AUTO, types[p]};
            fill(types[p], h_in, 4099, (distribution)d, p);
            for (size_t s = 0; s < COUNT_OF(small_sizes); s++) {
                scan_case c = vector(&k, small_sizes[s], h_in);
                c.threads = 1;
                check_all(c, s + d, small_sizes[s] > 33 ? SOME : ALL);
            }
            check_host_matrices(types[p], h_in, 1, d, ALL);
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
    for (size_t p = 0; p < TYPES; p++)
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            const combination k = {PRIM_SCAN_AUTO, types[p]};
            fill(types[p], h_in, 4099, (distribution)((p + t) % DISTRIBUTION_COUNT), t);
            for (size_t s = 0; s < COUNT_OF(sizes); s++) {
                scan_case c = vector(&k, sizes[s], h_in);
                c.threads = threads[t];
                check_all(c, 7 * s + 5 * p + t, get_test_level() == LEVEL_QUICK ? ONE : FEW);
            }
            check_host_matrices(types[p], h_in, threads[t], p + t, FEW);
        }
    scan_case most = vector(&(combination){PRIM_SCAN_AUTO, CUDA_R_32I}, 1500, h_in);
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
                       .type = CUDA_R_32F,
                       .rows = HOST_ROWS,
                       .columns = HOST_COLUMNS,
                       .in_ld = HOST_COLUMNS,
                       .out_ld = HOST_COLUMNS,
                       .threads = 1};
        cr_prim(call_host(&c, h_in, h_one));
        c.threads = 7;
        cr_prim(call_host(&c, h_in, h_many));
        cr_assert_arr_eq(h_many, h_one, sizeof h_one);
    }
}

Test(scan, host_refuses_what_it_cannot_do)
{
    float in[4] = {1, 2, 3, 4}, out[4];
#define HOST(kind, op, transform, h_initial, h_in, count, out_type, h_out, threads)               \
    prim_scan_host((prim_scan_kind)(kind), (prim_op)(op), (prim_transform)(transform), h_initial, \
                   CUDA_R_32F, h_in, count, out_type, h_out, threads)
    cr_assert_eq(HOST(0, 0, 0, NULL, in, 4, CUDA_R_32F, out, 0), PRIM_ERROR_VALUE);
    cr_assert(strstr(prim_last_error(NULL), "threads") != NULL);
    cr_assert_eq(HOST(0, 0, 0, NULL, in, 4, CUDA_R_32F, out, 1025), PRIM_ERROR_VALUE);
    cr_assert_eq(HOST(0, 0, 0, NULL, NULL, 4, CUDA_R_32F, out, 1), PRIM_ERROR_NULL);
    cr_assert(strstr(prim_last_error(NULL), "h_in") != NULL);
    cr_assert_eq(HOST(0, 0, 0, NULL, in, 4, CUDA_R_32F, NULL, 1), PRIM_ERROR_NULL);
    cr_assert(strstr(prim_last_error(NULL), "h_out") != NULL);
    cr_assert_eq(HOST(0, 0, 0, (char *)in + 1, in, 4, CUDA_R_32F, out, 1), PRIM_ERROR_MISALIGNED);
    cr_assert(strstr(prim_last_error(NULL), "h_initial") != NULL);
    cr_assert_eq(HOST(0, 0, 0, NULL, (char *)in + 2, 3, CUDA_R_32F, out, 1), PRIM_ERROR_MISALIGNED);
    cr_assert_eq(HOST(0, 0, 0, NULL, in, 3, CUDA_R_32F, in + 1, 1), PRIM_ERROR_OVERLAP);
    cr_assert_eq(HOST(0, 0, 0, NULL, in, SIZE_MAX / 2, CUDA_R_32F, out, 1), PRIM_ERROR_SIZE);
    cr_assert_eq(HOST(0, 0, 0, NULL, in, 4, CUDA_R_64F, out, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(2, 0, 0, NULL, in, 4, CUDA_R_32F, out, 1), PRIM_ERROR_ENUM);
    cr_assert_eq(HOST(0, 77, 0, NULL, in, 4, CUDA_R_32F, out, 1), PRIM_ERROR_ENUM);
    cr_assert_eq(HOST(0, 0, 77, NULL, in, 4, CUDA_R_32F, out, 1), PRIM_ERROR_ENUM);
    if (!has_threads())
        cr_assert_eq(HOST(0, 0, 0, NULL, in, 4, CUDA_R_32F, out, 2), PRIM_ERROR_UNSUPPORTED);
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

Test(scan, queries_say_what_calls_would)
{
    const size_t most = (size_t)1 << 31; /* blocks that no grid holds */
    const cudaDataType_t f32 = CUDA_R_32F;
    for (size_t v = 0; v < prim_scan_variant_count(); v++) {
        const prim_scan_variant variant = prim_scan_variant_at(v);
        size_t bytes;
        cr_assert(prim_scan_supports(variant, 0, 0, 0, f32, 5000, f32));
        cr_assert(prim_scan_rows_supports(variant, 0, 0, 0, f32, 5, 5000, f32));
        cr_assert(prim_scan_2d_supports(variant, 0, 0, f32, 5, 5000, f32));
        cr_assert_not(prim_scan_supports(variant, 0, 0, 0, f32, 5000, CUDA_R_64F));
        cr_assert(strstr(prim_last_error(NULL), "prim_scan_supports") != NULL);
        cr_assert(prim_scan_supports(PRIM_SCAN_AUTO, 0, 0, 0, f32, ((size_t)1 << 39) + 512, f32),
                  "where the chosen rung has no grid, another one may");
        cr_assert_not(prim_scan_rows_supports(variant, 0, 0, 0, f32, most, 1, f32));
        cr_assert_not(prim_scan_2d_supports(variant, 0, 0, f32, 1, most, f32));
        cr_assert(prim_scan_rows_supports(variant, 0, 0, 0, f32, 0, SIZE_MAX / 64, f32),
                  "nothing to do");
        cr_assert(prim_scan_2d_supports(variant, 0, 0, f32, SIZE_MAX / 64, 0, f32),
                  "nothing to do");
        cr_assert_eq(prim_scan_rows_workspace_bytes(variant, 0, 0, 0, f32, most, 1, f32, &bytes),
                     PRIM_ERROR_UNSUPPORTED);
        cr_assert_eq(prim_scan_workspace_bytes(variant, 0, 0, 0, f32, SIZE_MAX / 2, f32, &bytes),
                     PRIM_ERROR_SIZE);
        cr_assert_eq(prim_scan_workspace_bytes(variant, 2, 0, 0, f32, 5, f32, &bytes),
                     PRIM_ERROR_ENUM);
    }
}

/* ---- the table ---- */

Test(scan, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_scan_variant_at(0), PRIM_SCAN_AUTO);
    cr_assert(prim_scan_variant_count() >= 3);
    for (size_t v = 0; v < prim_scan_variant_count(); v++) {
        const char *name = prim_scan_variant_name(prim_scan_variant_at(v));
        cr_assert(name != NULL && strlen(name) > 0);
        cr_assert(strlen(prim_scan_variant_idea(prim_scan_variant_at(v))) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(name, prim_scan_variant_name(prim_scan_variant_at(w)));
    }
    cr_assert_null(prim_scan_variant_name((prim_scan_variant)9999));
    cr_assert_null(prim_scan_variant_idea((prim_scan_variant)9999));
}
