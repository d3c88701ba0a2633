/* gemv: every variant and type against an independent oracle, A taken both ways. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/gemv.h>

#include "calls.h"
#include "products.h"
#include "rungs.h"
#include "stored.h"

static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F};
enum { TYPES = 2 };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define N PRIM_NOT_TRANSPOSED
#define T PRIM_TRANSPOSED

/* ---- one case ---- */

typedef struct gemv_case {
    prim_gemv_variant variant;
    int threads; /* 0: on the device */
    cudaDataType_t type;
    prim_transpose op;
    size_t length, inner; /* of y and of x */
    size_t gap;           /* by which the leading dimension exceeds the columns */
    size_t offset;        /* elements by which the operands miss the 256-byte boundary */
    double alpha, beta;
    distribution d;
    uint64_t seed;
    victim special_in;
    double special;
    size_t place;
} gemv_case;

static size_t rows_of(const gemv_case *c)
{
    return c->op == N ? c->length : c->inner;
}

static size_t columns_of(const gemv_case *c)
{
    return c->op == N ? c->inner : c->length;
}

/* x and y are matrices of one column. */
static factors make_operands(const gemv_case *c)
{
    const size_t rows = rows_of(c), columns = columns_of(c);
    factors o = {.a = matrix_new(c->type, rows, columns, columns + c->gap, c->offset),
                 .b = matrix_new(c->type, c->inner, 1, 1, 3 * c->offset),
                 .before = matrix_of_pattern(c->type, c->length, 1, 1),
                 .after = matrix_of_pattern(c->type, c->length, 1, 1)};
    factors_fill(&o, &(contents){c->d, c->seed, c->special_in, c->special, c->place}, c->beta);
    return o;
}

static void run_on_host(const gemv_case *c, factors *o)
{
    memcpy(o->after.base, o->before.base, matrix_bytes(&o->before));
    cr_prim(prim_gemv_host(
        c->op, c->alpha,
        prim_matrix_of(c->type, matrix_data(&o->a), rows_of(c), columns_of(c), o->a.ld),
        x_of(c->op, c->type, matrix_data(&o->b), rows_of(c), columns_of(c)), c->beta,
        y_of(c->op, c->type, matrix_data(&o->after), rows_of(c), columns_of(c)), c->threads));
}

static void run_on_device(const gemv_case *c, factors *o)
{
    const bool none = c->offset > 0; /* in every other case */
    size_t bytes;
    cr_prim(asked_bytes(prim_gemv(c->variant, c->op, 1,
                                  prim_matrix_of(c->type, NULL, rows_of(c), columns_of(c), 0),
                                  x_of(c->op, c->type, NULL, rows_of(c), columns_of(c)), 0,
                                  y_of(c->op, c->type, NULL, rows_of(c), columns_of(c)), asking()),
                        &bytes));
    guarded a = matrix_to_device(&o->a), x = matrix_to_device(&o->b),
            y = guarded_copy(o->before.base, matrix_bytes(&o->before),
                             c->offset * type_bytes(c->type)),
            workspace = guarded_new(bytes, 0);
    cr_prim(prim_gemv(
        c->variant, c->op, c->alpha,
        prim_matrix_of(c->type, or_null(none, &o->a, data_of(&a, &o->a)), rows_of(c), columns_of(c),
                       o->a.ld),
        x_of(c->op, c->type, or_null(none, &o->b, data_of(&x, &o->b)), rows_of(c), columns_of(c)),
        c->beta, y_of(c->op, c->type, or_null(none, &o->before, y.data), rows_of(c), columns_of(c)),
        with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&y, o->after.base);
    matrix_check_unchanged(&a, &o->a, "A");
    matrix_check_unchanged(&x, &o->b, "x");
    guarded_free(&a);
    guarded_free(&x);
    guarded_free(&y);
    guarded_free(&workspace);
}

/* As the header has it. */
static bool is_refused(prim_gemv_variant variant, prim_transpose op)
{
    return variant == PRIM_GEMV_WARP_PER_ROW && op == T;
}

static void run(const gemv_case *c, factors *o)
{
    if (c->threads > 0)
        run_on_host(c, o);
    else
        run_on_device(c, o);
}

static void check(const gemv_case *c)
{
    char text[240];
    if ((c->threads == 0 && is_refused(c->variant, c->op)) || !is_of_share())
        return;
    factors o = make_operands(c);
    run(c, &o);
    snprintf(text, sizeof text,
             "%s (threads %d) %s %c, %zu × %zu, gap %zu, offset %zu, alpha %g, beta %g, inputs %d "
             "seed %llu, special %g in %d at %zu",
             prim_gemv_variant_info(c->variant)->name, c->threads, type_name(c->type),
             c->op == N ? 'N' : 'T', rows_of(c), columns_of(c), c->gap, c->offset, c->alpha,
             c->beta, c->d, (unsigned long long)c->seed, c->special, c->special_in, c->place);
    const product p = {c->type,  c->op,   N,    c->length, 1,         c->inner,
                       c->alpha, c->beta, &o.a, &o.b,      &o.before, c->d == INTEGERS};
    product_check(&p, &o.after, 1, text);
    factors_free(&o);
}

/* ---- every variant and type ---- */

typedef struct combination {
    prim_gemv_variant variant;
    cudaDataType_t type;
} combination;

static struct criterion_test_params variants(void)
{
    static prim_gemv_variant rows[64];
    size_t count = 0;
    for (size_t v = 0; prim_gemv_variant_at(v) != NULL; v++)
        rows[count++] = prim_gemv_variant_at(v)->value;
    return cr_make_param_array(prim_gemv_variant, rows, count);
}

/* A test of every variant, which calls check_NAME() with every type. */
#define FOR_EACH_VARIANT(test)                                \
    ParameterizedTestParameters(gemv, test)                   \
    {                                                         \
        return variants();                                    \
    }                                                         \
    ParameterizedTest(prim_gemv_variant *variant, gemv, test) \
    {                                                         \
        for (size_t t = 0; t < TYPES; t++)                    \
            check_##test(&(combination){*variant, types[t]}); \
    }

static const double scalars[][2] = {{1, 0},  {2, 0},    {0, 1},     {0, 0},
                                    {-1, 1}, {0.5, -2}, {0.1, 0.3}, {-1, 0}};

/* Scalars, inputs, gaps and offsets take turns. */
static gemv_case varied(const combination *k, size_t length, size_t inner, prim_transpose op,
                        uint64_t turn)
{
    const uint64_t bits = random_bits(turn * 2 + op + 100000 * (uint64_t)k->type);
    const size_t s = bits % COUNT_OF(scalars);
    return (gemv_case){.variant = k->variant,
                       .type = k->type,
                       .op = op,
                       .length = length,
                       .inner = inner,
                       .gap = bits >> 8 & 1 ? bits >> 9 & 7 : 0,
                       .offset = bits >> 32 & 1 ? 1 + (bits >> 33 & 3) : 0,
                       .alpha = scalars[s][0],
                       .beta = scalars[s][1],
                       .d = (distribution)((bits >> 40) % DISTRIBUTION_COUNT),
                       .seed = bits >> 48};
}

static const size_t tails[] = {0,  1,  2,   3,   15,  16,  17,  31,  32,  33,
                               63, 64, 127, 128, 129, 255, 256, 257, 300, 513};

/* Every pair as the lengths of y and x. */
static void check_pairs(const combination *k, int threads, size_t rarity)
{
    for (size_t i = 0; i < COUNT_OF(tails); i++)
        for (size_t j = 0; j < COUNT_OF(tails); j++)
            for (int op = 0; op < 2; op++) {
                if ((i + j / rarity + j + (size_t)op) % rarity != 0)
                    continue;
                gemv_case c = varied(k, tails[i], tails[j], op ? T : N, i * COUNT_OF(tails) + j);
                c.threads = threads;
                check(&c);
            }
}

static void check_tails_in_pairs(const combination *k)
{
    const test_level level = get_test_level();
    check_pairs(k, 0, level == LEVEL_QUICK ? 7 : level == LEVEL_NORMAL ? 2 : 1);
}

FOR_EACH_VARIANT(tails_in_pairs)

/* Constant memory takes 16384 floats or 8192 doubles of x at a time; shared memory takes fewer. */
static const size_t inner_sizes[] = {1000,  1023,  1024,  1025,  2047,  2048,  2049,
                                     4097,  8191,  8192,  8193,  12289, 16383, 16384,
                                     16385, 24577, 32768, 33001, 49153};
static const size_t few[] = {1, 2, 3, 33};

/* The CPU backend switches threads at each barrier and shuffle: only the rungs to which the longer
 * sizes matter see them there. */
static size_t longest(prim_gemv_variant variant)
{
    if (!on_cpu_backend() || get_test_level() == LEVEL_FULL || variant == PRIM_GEMV_ROW_PER_THREAD)
        return SIZE_MAX;
    if (variant == PRIM_GEMV_CONSTANT)
        return get_test_level() == LEVEL_QUICK ? 24577 : SIZE_MAX;
    if (variant == PRIM_GEMV_SHARED)
        return 8193;
    return variant == PRIM_GEMV_SHUFFLE ? 1025 : 4097;
}

static void check_long_rows(const combination *k)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t i = 0; i < COUNT_OF(inner_sizes) && inner_sizes[i] <= longest(k->variant); i++)
        for (size_t j = 0; j < COUNT_OF(few); j++)
            for (int op = 0; op < 2; op++) {
                if ((i + j + (size_t)op) % (quick ? 4 : 2) != 0)
                    continue;
                gemv_case c = varied(k, few[j], inner_sizes[i], op ? T : N, 1000 + 10 * i + j);
                if (c.alpha == 0)
                    c.alpha = 3;
                check(&c);
            }
}

FOR_EACH_VARIANT(long_rows)

/* Long y, over several blocks. */
static void check_many_rows(const combination *k)
{
    static const size_t lengths[] = {1000, 1023, 1024, 1025, 4099};
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t i = quick ? 3 : 0; i < COUNT_OF(lengths); i++)
        for (int op = 0; op < 2; op++) {
            const gemv_case c = varied(k, lengths[i], 1 + 9 * i, op ? T : N, 2000 + i);
            check(&c);
        }
    static const size_t large[][2] = {{100003, 77}, {513, 100001}, {5000, 5000}};
    for (size_t i = 0; get_test_level() == LEVEL_FULL && i < (on_cpu_backend() ? 1 : 3); i++)
        for (int op = 0; op < 2; op++) {
            const gemv_case c = varied(k, large[i][0], large[i][1], op ? T : N, 3000 + i);
            check(&c);
        }
}

FOR_EACH_VARIANT(many_rows)

/* All pairs of scalars, at shapes with and without products. */
static void check_alpha_and_beta(const combination *k)
{
    for (size_t s = 0; s < COUNT_OF(scalars); s++)
        for (int op = 0; op < 2; op++)
            for (int empty = 0; empty < 2; empty++) {
                gemv_case c = varied(k, 35, empty ? 0 : 37, op ? T : N, 5 * s);
                c.alpha = scalars[s][0];
                c.beta = scalars[s][1];
                check(&c);
            }
}

FOR_EACH_VARIANT(alpha_and_beta)

/* ---- NaN and infinity ---- */

static void check_nan_and_infinity_go_through(const combination *k)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY};
    for (size_t place = 0; place < 18; place++)
        for (size_t s = 0; s < COUNT_OF(specials); s++) {
            gemv_case c = varied(k, 34, 67, place % 2 ? T : N, place);
            c.d = place % 4 < 2 ? UNIFORM : INTEGERS;
            c.special = specials[s];
            c.special_in = (victim)(IN_A + place % 3);
            c.place = 37 * place;
            c.alpha = s == 1 ? -2 : 1;
            c.beta = c.special_in == IN_C || place % 4 == 0 ? 1 : 0;
            check(&c);
        }
    for (size_t s = 0; s < COUNT_OF(specials); s++) {
        gemv_case c = varied(k, 3, 7, s % 2 ? T : N, 21);
        c.alpha = specials[s];
        c.beta = 1;
        check(&c);
        c.alpha = 1;
        c.beta = specials[s];
        check(&c);
    }
}

FOR_EACH_VARIANT(nan_and_infinity_go_through)

static void check_what_is_not_read_does_not_matter(const combination *k)
{
    static const double zeros[] = {0.0, -0.0, 1e-60}; /* the last one as f32 */
    const int count = k->type == CUDA_R_64F ? 2 : 3;
    for (int op = 0; op < 2; op++)
        for (int zero = 0; zero < count; zero++)
            for (int beta = 0; beta < 2; beta++) {
                gemv_case c = varied(k, 35, 34, op ? T : N, 11);
                c.special_in = EVERYWHERE_IN_A_AND_B;
                c.alpha = zeros[zero];
                c.beta = beta ? -1.5 : zeros[(zero + 1) % 2];
                check(&c); /* A and x are NaN, and y too where beta is 0 */
                c.special_in = NONE;
                c.alpha = 1.5;
                c.beta = zeros[zero];
                check(&c);
            }
}

FOR_EACH_VARIANT(what_is_not_read_does_not_matter)

/* SPLIT has a block for each row, which takes the CPU backend long. */
static bool takes_too_long(prim_gemv_variant variant, prim_transpose op, size_t rows)
{
    return variant == PRIM_GEMV_SPLIT && op == N && rows > 2000 && on_cpu_backend() &&
           get_test_level() != LEVEL_FULL;
}

/* The same in several pieces: neither A nor x is there. */
Test(gemv, without_products_nothing_is_read_in_any_piece)
{
    static const size_t shapes[][2] = {{5000, 3}, {3, 9000}, {4100, 70}, {1, 20000}, {20000, 1}};
    for (size_t v = 0; prim_gemv_variant_at(v) != NULL; v++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++)
            for (int op = 0; op < 2; op++) {
                gemv_case c = {.variant = prim_gemv_variant_at(v)->value,
                               .type = types[s % TYPES],
                               .op = op ? T : N,
                               .length = shapes[s][op],
                               .inner = shapes[s][1 - op],
                               .alpha = 0,
                               .beta = s % 2 ? 3 : 0,
                               .special_in = EVERYWHERE_IN_A_AND_B};
                if (!takes_too_long(c.variant, c.op, c.length))
                    check(&c);
            }
}

/* ---- determinism ---- */

static void check_same_bits_in_every_run(const combination *k)
{
    gemv_case c = varied(k, 71, k->variant == PRIM_GEMV_CONSTANT ? 8300 : 1050, N, 1);
    c.d = EXTREMES;
    c.alpha = 0.7;
    c.beta = 3;
    for (int op = 0; op < 2; op++) {
        void *first = NULL;
        c.op = op ? T : N;
        if (is_refused(c.variant, c.op))
            continue;
        for (c.offset = 0; c.offset < 3; c.offset++) {
            factors o = make_operands(&c);
            run(&c, &o);
            if (first == NULL) {
                first = malloc(matrix_bytes(&o.after));
                memcpy(first, o.after.base, matrix_bytes(&o.after));
            }
            cr_assert_arr_eq(o.after.base, first, matrix_bytes(&o.after));
            factors_free(&o);
        }
        free(first);
    }
}

FOR_EACH_VARIANT(same_bits_in_every_run)

/* ---- AUTO's order ---- */

/* The host's bits, and those of other alignments and gaps. */
static void check_bits_of_host(gemv_case c)
{
    c.threads = 1;
    factors host = make_operands(&c), device = make_operands(&c);
    run(&c, &host);
    c.threads = 0;
    run(&c, &device);
    for (size_t i = 0; i < c.length * type_bytes(c.type); i++)
        cr_assert_eq(((char *)device.after.base)[i], ((char *)host.after.base)[i],
                     "%s %c, %zu × %zu, gap %zu, offset %zu: byte %zu of y", type_name(c.type),
                     c.op == N ? 'N' : 'T', rows_of(&c), columns_of(&c), c.gap, c.offset, i);
    factors_free(&host);
    factors_free(&device);
}

static void check_all_gaps_and_offsets(gemv_case c)
{
    static const size_t gaps[] = {0, 1, 2, 4, 7};
    const size_t one_in = get_test_level() == LEVEL_QUICK ? 15 : 5;
    for (size_t g = 0; g < COUNT_OF(gaps); g++)
        for (c.offset = 0; c.offset < 4; c.offset++) {
            c.gap = gaps[g];
            if (get_test_level() == LEVEL_FULL ||
                (g + 5 * c.offset + c.length + c.inner) % one_in == 0)
                check_bits_of_host(c);
        }
}

/* Lines of every length around a few vectors, and around pieces; few and many of them. */
Test(gemv, auto_has_the_bits_of_the_host)
{
    static const size_t lines[] = {1,   2,    3,    4,    5,    6,    7,    8,    9,    13,
                                   31,  37,   63,   65,   127,  128,  129,  255,  257,  511,
                                   513, 1021, 1025, 1027, 2047, 2051, 4097, 5003, 8191, 9001},
                        counts[] = {1, 2, 3, 4, 5, 33};
    const bool all =
        get_test_level() == LEVEL_FULL || (get_test_level() == LEVEL_NORMAL && !on_cpu_backend());
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < COUNT_OF(lines); i++)
            for (size_t j = (all ? 0 : i % 3); j < COUNT_OF(counts); j += all ? 1 : 3)
                for (int op = 0; op < 2; op++)
                    for (int along = 0; along < 2; along++)
                        check_all_gaps_and_offsets(
                            (gemv_case){.variant = PRIM_GEMV_AUTO,
                                        .type = types[t],
                                        .op = op ? T : N,
                                        .length = along ? counts[j] : lines[i],
                                        .inner = along ? lines[i] : counts[j],
                                        .alpha = 0.7,
                                        .beta = i % 2 ? 0 : -3,
                                        .d = UNIFORM,
                                        .seed = i});
}

/* Rows so many that a lane has four of them, and pieces that are longer than the least. */
Test(gemv, many_and_long_lines_have_the_bits_of_the_host)
{
    static const size_t shapes[][2] = {{17003, 1},   {1, 17003}, {17003, 3}, {16897, 7},
                                       {17001, 37},  {9001, 33}, {2, 60001}, {1, 200003},
                                       {8200, 2051}, {3, 33333}, {70003, 2}};
    const size_t count = get_test_level() == LEVEL_QUICK ? 5 : COUNT_OF(shapes);
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < count; i++)
            for (int op = 0; op < 2; op++)
                check_bits_of_host((gemv_case){.variant = PRIM_GEMV_AUTO,
                                               .type = types[t],
                                               .op = op ? T : N,
                                               .length = shapes[i][op],
                                               .inner = shapes[i][1 - op],
                                               .gap = i % 3 == 2,
                                               .offset = i % 2,
                                               .alpha = 1,
                                               .d = UNIFORM,
                                               .seed = i});
}

/* ---- the other types ---- */

static const struct {
    cudaDataType_t in, out;
} narrow_pairs[] = {{CUDA_R_32I, CUDA_R_32I},   {CUDA_R_8I, CUDA_R_32I},
                    {CUDA_R_16F, CUDA_R_16F},   {CUDA_R_16F, CUDA_R_32F},
                    {CUDA_R_16BF, CUDA_R_16BF}, {CUDA_R_16BF, CUDA_R_32F}};

/* Small whole numbers, whose sums are exact in every type but the narrowest result's. */
static void *make_whole_numbers(cudaDataType_t type, size_t count, uint64_t seed)
{
    char *numbers = malloc(count * type_bytes(type) + 1);
    for (size_t i = 0; i < count; i++) {
        const int value = (int)(random_bits(seed + i) % 7) - 3;
        if (type_is_float(type))
            write_float(type, numbers, i, value);
        else
            write_integer(type, numbers, i, (uint64_t)value);
    }
    return numbers;
}

static double number(cudaDataType_t type, const void *numbers, size_t i)
{
    return type_is_float(type) ? read_float(type, numbers, i)
                               : (double)(int64_t)read_integer(type, numbers, i);
}

/* 2 · op(A) · x - y against whole numbers, on the host and by every variant that takes it. */
static void check_narrow(size_t pair, prim_transpose op, size_t rows, size_t columns, size_t gap,
                         size_t offset)
{
    const cudaDataType_t in = narrow_pairs[pair].in, out = narrow_pairs[pair].out;
    const size_t ld = columns + gap, length = op == N ? rows : columns,
                 inner = op == N ? columns : rows, bytes = type_bytes(out);
    char *h_a = make_whole_numbers(in, rows * ld, 1), *h_x = make_whole_numbers(in, inner, 99),
         *h_before = make_whole_numbers(out, length, 7), *h_host = malloc(length * bytes + 1),
         *h_y = malloc(length * bytes + 1);
    memcpy(h_host, h_before, length * bytes);
    cr_prim(prim_gemv_host(op, 2, prim_matrix_of(in, h_a, rows, columns, ld),
                           x_of(op, in, h_x, rows, columns), -1,
                           y_of(op, out, h_host, rows, columns), 1));
    for (size_t o = 0; o < length; o++) {
        double expected = 0;
        for (size_t i = 0; i < inner; i++)
            expected += number(in, h_a, op == N ? o * ld + i : i * ld + o) * number(in, h_x, i);
        expected = 2 * expected - number(out, h_before, o);
        const double rounding = out == CUDA_R_16BF ? 0x1p-8 : out == CUDA_R_16F ? 0x1p-11 : 0;
        cr_assert(fabs(number(out, h_host, o) - expected) <= rounding * fabs(expected),
                  "%s -> %s %c %zu × %zu: %g at %zu, not %g", type_name(in), type_name(out),
                  op == N ? 'N' : 'T', rows, columns, number(out, h_host, o), o, expected);
    }
    for (size_t v = 0; prim_gemv_variant_at(v) != NULL; v++) {
        const prim_gemv_variant variant = prim_gemv_variant_at(v)->value;
        const bool takes = gemv_rung_has(variant, TAKES_ALL_TYPES) && !is_refused(variant, op);
        cr_assert_eq(runs(prim_gemv(variant, op, 1, prim_matrix_of(in, NULL, rows, columns, 0),
                                    x_of(op, in, NULL, rows, columns), 0,
                                    y_of(op, out, NULL, rows, columns), asking())),
                     takes);
        if (!takes || takes_too_long(variant, op, rows))
            continue;
        guarded a = guarded_copy(h_a, rows * ld * type_bytes(in), offset * type_bytes(in)),
                x = guarded_copy(h_x, inner * type_bytes(in), 0),
                y = guarded_copy(h_before, length * bytes, offset * bytes);
        cr_prim(prim_gemv(variant, op, 2, prim_matrix_of(in, a.data, rows, columns, ld),
                          x_of(op, in, x.data, rows, columns), -1,
                          y_of(op, out, y.data, rows, columns), NULL));
        guarded_read(&y, h_y);
        cr_assert_arr_eq(h_y, h_host, length * bytes); /* the sums are exact */
        guarded_free(&a);
        guarded_free(&x);
        guarded_free(&y);
    }
    free(h_a);
    free(h_x);
    free(h_before);
    free(h_host);
    free(h_y);
}

Test(gemv, halves_and_integers)
{
    static const size_t shapes[][2] = {{0, 3},  {3, 0},    {1, 1},   {5, 7},     {33, 15},
                                       {9, 16}, {70, 37},  {3, 129}, {2, 1031},  {130, 257},
                                       {40, 8}, {2, 9001}, {1, 700}, {18001, 5}, {2100, 24}};
    for (size_t p = 0; p < COUNT_OF(narrow_pairs); p++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++) {
            const bool large = shapes[s][0] * shapes[s][1] > 10000;
            if (large && get_test_level() != LEVEL_FULL && p != s % COUNT_OF(narrow_pairs))
                continue;
            for (int op = 0; op < 2; op++)
                for (size_t gap = 0; gap < (large ? 1 : 2); gap++)
                    check_narrow(p, op ? T : N, shapes[s][op], shapes[s][1 - op], 3 * gap,
                                 (s + gap) % 3);
        }
}

/* Random halves and integers: AUTO's order is the host's. */
Test(gemv, halves_have_the_bits_of_the_host)
{
    enum { ROWS = 37, COLUMNS = 2500, COUNT = ROWS * COLUMNS };
    for (size_t p = 2; p < COUNT_OF(narrow_pairs); p++)
        for (int op = 0; op < 2; op++) {
            const cudaDataType_t in = narrow_pairs[p].in, out = narrow_pairs[p].out;
            const size_t length = op ? COLUMNS : ROWS, bytes = type_bytes(out);
            char *h_a = malloc(COUNT * 2), *h_host = malloc(length * bytes),
                 *h_y = malloc(length * bytes);
            for (size_t i = 0; i < COUNT; i++)
                write_float(in, h_a, i, (double)(random_bits(i) % 100000) / 7e3 - 7);
            cr_prim(prim_gemv_host(op ? T : N, 0.3, prim_matrix_of(in, h_a, ROWS, COLUMNS, 0),
                                   x_of(op ? T : N, in, h_a, ROWS, COLUMNS), 0,
                                   y_of(op ? T : N, out, h_host, ROWS, COLUMNS), 1));
            guarded a = guarded_copy(h_a, COUNT * 2, 2), y = guarded_new(length * bytes, 0);
            cr_prim(prim_gemv(PRIM_GEMV_AUTO, op ? T : N, 0.3,
                              prim_matrix_of(in, a.data, ROWS, COLUMNS, 0),
                              x_of(op ? T : N, in, a.data, ROWS, COLUMNS), 0,
                              y_of(op ? T : N, out, y.data, ROWS, COLUMNS), NULL));
            guarded_read(&y, h_y);
            cr_assert_arr_eq(h_y, h_host, length * bytes);
            guarded_free(&a);
            guarded_free(&y);
            free(h_a);
            free(h_host);
            free(h_y);
        }
}

/* Multiples of 2^-24 below the smallest normal half, of both signs. */
Test(gemv, subnormal_halves)
{
    static const uint16_t h_a[] = {0x8001, 0x0001, 0x83ff, 0x03ff}, one = 0x3c00;
    static const float expected[] = {-0x1p-24f, 0x1p-24f, -1023 * 0x1p-24f, 1023 * 0x1p-24f};
    enum { ROWS = 4 };
    const cudaDataType_t half = CUDA_R_16F, out = CUDA_R_32F;
    float h_y[ROWS];
    cr_prim(prim_gemv_host(N, 1, prim_matrix_of(half, h_a, ROWS, 1, 0),
                           prim_vector_of(half, &one, 1), 0, prim_vector_of(out, h_y, ROWS), 1));
    cr_assert_arr_eq(h_y, expected, sizeof expected);
    for (size_t v = 0; prim_gemv_variant_at(v) != NULL; v++) {
        const prim_gemv_variant variant = prim_gemv_variant_at(v)->value;
        if (!runs(prim_gemv(variant, N, 1, prim_matrix_of(half, NULL, ROWS, 1, 0),
                            prim_vector_of(half, NULL, 1), 0, prim_vector_of(out, NULL, ROWS),
                            asking())))
            continue;
        guarded a = guarded_copy(h_a, sizeof h_a, 0), x = guarded_copy(&one, sizeof one, 0),
                y = guarded_new(sizeof h_y, 0);
        cr_prim(prim_gemv(variant, N, 1, prim_matrix_of(half, a.data, ROWS, 1, 0),
                          prim_vector_of(half, x.data, 1), 0, prim_vector_of(out, y.data, ROWS),
                          NULL));
        guarded_read(&y, h_y);
        cr_assert_arr_eq(h_y, expected, sizeof expected, "%s", prim_gemv_variant_at(v)->name);
        guarded_free(&a);
        guarded_free(&x);
        guarded_free(&y);
    }
}

/* ---- the host's version ---- */

static bool has_threads(void)
{
    return prim_gemv_host(N, 1, prim_matrix_of(CUDA_R_32F, NULL, 0, 0, 0),
                          prim_vector_of(CUDA_R_32F, NULL, 0), 0,
                          prim_vector_of(CUDA_R_32F, NULL, 0), 2) == PRIM_OK;
}

Test(gemv, host_version)
{
    static const int threads[] = {1, 2, 3, 7};
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t p = 0; p < TYPES; p++)
        for (size_t t = 0; t < (has_threads() ? COUNT_OF(threads) : 1); t++) {
            const combination k = {PRIM_GEMV_AUTO, types[p]};
            check_pairs(&k, threads[t], t == 0 ? (quick ? 11 : 1) : (quick ? 43 : 11));
            for (size_t s = 0; s < COUNT_OF(inner_sizes); s++)
                for (int op = 0; op < 2; op++) {
                    gemv_case c = varied(&k, few[(s + t) % COUNT_OF(few)], inner_sizes[s],
                                         op ? T : N, 700 + s);
                    c.threads = threads[t];
                    if (!quick || (s + t) % 4 == 0)
                        check(&c);
                }
            for (int op = 0; op < 2; op++) {
                gemv_case c = varied(&k, 11, 13, op ? T : N, t);
                c.threads = threads[t];
                c.special_in = EVERYWHERE_IN_A_AND_B;
                c.alpha = 0;
                c.beta = op;
                check(&c);
                c.special_in = (victim)(IN_A + op);
                c.special = op ? INFINITY : NAN;
                c.place = 5;
                c.alpha = c.beta = 1;
                check(&c);
            }
        }
}

/* More elements than 16 bits count, along rows and down columns; in f64, where an error of so many
 * roundings still is less than any of them. */
Test(gemv, host_version_of_long_vectors)
{
    const combination k = {PRIM_GEMV_AUTO, CUDA_R_64F};
    for (int op = 0; op < 2; op++) {
        gemv_case c = varied(&k, 2, 70001, op ? T : N, 3);
        c.threads = 1;
        check(&c);
    }
}

/* The same bits, whatever the number of threads. */
Test(gemv, host_version_does_not_depend_on_the_threads)
{
    if (!has_threads())
        cr_skip_test("built without OpenMP");
    for (size_t p = 0; p < TYPES; p++)
        for (int op = 0; op < 2; op++) {
            const combination k = {PRIM_GEMV_AUTO, types[p]};
            gemv_case c = varied(&k, 37, 2001, op ? T : N, 2);
            c.alpha = c.beta = 3;
            c.threads = 1;
            factors one = make_operands(&c), many = make_operands(&c);
            run(&c, &one);
            c.threads = 7;
            run(&c, &many);
            cr_assert_arr_eq(many.after.base, one.after.base, matrix_bytes(&one.after));
            factors_free(&one);
            factors_free(&many);
        }
}

/* ---- what is refused ---- */

#define HOST(op, rows, columns, a_type, a, lda, x_type, x, y_type, y, threads)             \
    prim_gemv_host((prim_transpose)(op), 1, prim_matrix_of(a_type, a, rows, columns, lda), \
                   x_of((prim_transpose)(op), x_type, x, rows, columns), 0,                \
                   y_of((prim_transpose)(op), y_type, y, rows, columns), threads)
#define F CUDA_R_32F
#define D CUDA_R_64F

Test(gemv, operands_that_may_and_may_not_meet)
{
    float h[64] = {0}, apart[64] = {0};
    const prim_status overlap = PRIM_ERROR_OVERLAP;
    /* A of 4 × 3 in rows of 10: its bytes end after element 32 */
    cr_assert_eq(HOST(N, 4, 3, F, h, 10, F, apart, F, h + 33, 1), PRIM_OK);
    cr_assert_eq(HOST(N, 4, 3, F, h, 10, F, apart, F, h + 32, 1), overlap);
    cr_assert_eq(HOST(N, 4, 3, F, h, 10, F, apart, F, h + 4, 1), overlap, "in a gap");
    cr_assert_eq(HOST(N, 4, 3, F, h + 4, 10, F, apart, F, h, 1), PRIM_OK);
    cr_assert_eq(HOST(N, 4, 3, F, h + 3, 10, F, apart, F, h, 1), overlap);
    cr_assert_eq(HOST(T, 4, 3, F, h + 3, 10, F, apart, F, h, 1), PRIM_OK, "y has 3 elements");
    /* x of 3, or 4 transposed */
    cr_assert_eq(HOST(N, 4, 3, F, h, 10, F, apart, F, apart + 3, 1), PRIM_OK);
    cr_assert_eq(HOST(N, 4, 3, F, h, 10, F, apart, F, apart + 2, 1), overlap);
    cr_assert_eq(HOST(T, 4, 3, F, h, 10, F, apart, F, apart + 3, 1), overlap);
    cr_assert_eq(HOST(N, 4, 3, F, h, 10, F, apart, F, apart, 1), overlap, "the same");
    cr_assert_eq(HOST(N, 4, 3, F, h, 10, F, h + 1, F, apart, 1), PRIM_OK, "A and x may meet");
    cr_assert_eq(HOST(N, 4, 0, F, h, 10, F, h, F, h, 1), PRIM_OK, "empty ones meet nothing");
    cr_assert_eq(HOST(N, 0, 3, F, h, 10, F, h, F, h, 1), PRIM_OK);
    cr_refused(HOST(N, 4, 3, F, h, 2, F, apart, F, apart + 8, 1), PRIM_ERROR_VALUE, "h_a");
    cr_assert_eq(HOST(T, 4, 3, F, h, 2, F, apart, F, apart + 8, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(HOST(T, 4, 3, F, h, 3, F, apart, F, apart + 8, 1), PRIM_OK);
}

Test(gemv, host_refuses_what_it_cannot_do)
{
    float a[6] = {1, 2, 3, 4, 5, 6}, x[3] = {1, 2, 3}, y[3] = {5, 6, 7};
    cr_refused(HOST(N, 2, 3, F, a, 3, F, x, F, y, 0), PRIM_ERROR_VALUE, "threads");
    cr_refused(HOST(2, 2, 3, F, a, 3, F, x, F, y, 1), PRIM_ERROR_ENUM, "op");
    cr_assert_eq(HOST(-1, 2, 3, F, a, 3, F, x, F, y, 1), PRIM_ERROR_ENUM);
    cr_assert_eq(HOST(N, 2, 3, D, a, 3, F, x, F, y, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, 2, 3, F, a, 3, D, x, F, y, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, 2, 3, F, a, 3, F, x, D, y, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, 2, 3, CUDA_R_32U, a, 3, CUDA_R_32U, x, CUDA_R_32U, y, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, 2, 3, CUDA_R_32F, a, 3, CUDA_R_32F, x, CUDA_R_16F, y, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(prim_gemv_host(N, 0.5, prim_matrix_of(CUDA_R_32I, a, 2, 3, 0),
                                prim_vector_of(CUDA_R_32I, x, 3), 0,
                                prim_vector_of(CUDA_R_32I, y, 2), 1),
                 PRIM_ERROR_VALUE);
    cr_refused(HOST(N, 2, 3, F, NULL, 3, F, x, F, y, 1), PRIM_ERROR_NULL, "h_a");
    cr_refused(HOST(N, 2, 3, F, a, 3, F, NULL, F, y, 1), PRIM_ERROR_NULL, "h_x");
    cr_refused(HOST(N, 2, 3, F, a, 3, F, x, F, NULL, 1), PRIM_ERROR_NULL, "h_y");
    cr_assert_eq(HOST(N, 2, 3, F, (char *)a + 1, 3, F, x, F, y, 1), PRIM_ERROR_MISALIGNED);
    cr_assert_eq(HOST(N, 2, 3, F, a, 3, F, (char *)x + 2, F, y, 1), PRIM_ERROR_MISALIGNED);
    if (!has_threads())
        cr_assert_eq(HOST(N, 2, 3, F, a, 3, F, x, F, y, 2), PRIM_ERROR_UNSUPPORTED);
    cr_assert(y[0] == 5 && y[1] == 6 && y[2] == 7);
    cr_assert_eq(HOST(T, 2, 3, F, a, 3, F, x, F, y, 1), PRIM_OK);
    cr_assert(y[0] == 9 && y[1] == 12 && y[2] == 15);
}

Test(gemv, lengths_that_do_not_fit_are_refused)
{
    float a[6] = {1, 2, 3, 4, 5, 6}, x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
#define FIT(op, x_count, y_count)                                                          \
    prim_gemv_host(op, 1, prim_matrix_of(F, a, 2, 3, 0), prim_vector_of(F, x, x_count), 0, \
                   prim_vector_of(F, y, y_count), 1)
    cr_refused(FIT(N, 4, 2), PRIM_ERROR_VALUE,
               "prim_gemv_host: op(A) is 2 × 3, but x has 4 elements and y has 2");
    cr_refused(FIT(T, 3, 2), PRIM_ERROR_VALUE, "op(A) is 3 × 2, but x has 3 elements and y has 2");
    cr_assert_eq(FIT(N, 2, 2), PRIM_ERROR_VALUE);
    cr_assert_eq(FIT(N, 3, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(FIT(N, 3, 3), PRIM_ERROR_VALUE);
    cr_assert_eq(FIT(N, 3, 0), PRIM_ERROR_VALUE, "y is empty");
    cr_assert_eq(y[0], 5);
    cr_assert_eq(FIT(N, 3, 2), PRIM_OK);
    cr_assert_eq(FIT(T, 2, 3), PRIM_OK);
#undef FIT
}

Test(gemv, queries_judge_like_the_call)
{
    size_t bytes;
#define ASK(variant, op, type)                                                   \
    asked_bytes(prim_gemv((prim_gemv_variant)(variant), (prim_transpose)(op), 1, \
                          prim_matrix_of(type, NULL, 5, 6, 0),                   \
                          x_of((prim_transpose)(op), F, NULL, 5, 6), 0,          \
                          y_of((prim_transpose)(op), F, NULL, 5, 6), asking()),  \
                &bytes)
    cr_assert_eq(ASK(9999, N, F), PRIM_ERROR_ENUM);
    cr_assert_eq(ASK(0, 2, F), PRIM_ERROR_ENUM);
    cr_assert_eq(ASK(0, N, D), PRIM_ERROR_TYPE);
    cr_assert_eq(ASK(0, N, F), PRIM_OK);
    cr_assert(
        !runs(prim_gemv(PRIM_GEMV_AUTO, N, 1, prim_matrix_of(F, NULL, 1, 1, 0),
                        prim_vector_of(F, NULL, 1), 0, prim_vector_of(D, NULL, 1), asking())));
    cr_assert(strncmp(prim_last_error(NULL), "prim_gemv", 9) == 0);
    for (size_t v = 0; prim_gemv_variant_at(v) != NULL; v++)
        for (size_t t = 0; t < TYPES; t++)
            for (int op = 0; op < 2; op++)
                cr_assert_eq(
                    runs(prim_gemv(prim_gemv_variant_at(v)->value, op ? T : N, 1,
                                   prim_matrix_of(types[t], NULL, 1000, 100000, 0),
                                   x_of(op ? T : N, types[t], NULL, 1000, 100000), 0,
                                   y_of(op ? T : N, types[t], NULL, 1000, 100000), asking())),
                    !is_refused(prim_gemv_variant_at(v)->value, op ? T : N));
}

/* ---- constant memory ---- */

/* Each call finds its own x there, whatever the last one left. */
Test(gemv, calls_of_constant_in_a_row)
{
    enum { LENGTH = 5, CALLS = 6, INNER = 20000 };
    float *h_a = malloc(LENGTH * INNER * sizeof *h_a), *h_x = malloc(CALLS * INNER * sizeof *h_x);
    float h_y[CALLS * LENGTH];
    for (size_t i = 0; i < LENGTH * INNER; i++)
        h_a[i] = (float)(random_bits(i) % 5) - 2;
    for (size_t i = 0; i < CALLS * INNER; i++)
        h_x[i] = (float)(random_bits(i + 7) % 5) - 2;
    guarded a = guarded_copy(h_a, LENGTH * INNER * sizeof *h_a, 0),
            x = guarded_copy(h_x, CALLS * INNER * sizeof *h_x, 0), y = guarded_new(sizeof h_y, 0);
    for (size_t call = 0; call < CALLS; call++)
        cr_prim(prim_gemv(PRIM_GEMV_CONSTANT, N, 1,
                          prim_matrix_of(F, a.data, LENGTH, INNER - call, INNER),
                          prim_vector_of(F, (float *)x.data + call * INNER, INNER - call), 0,
                          prim_vector_of(F, (float *)y.data + call * LENGTH, LENGTH), NULL));
    guarded_read(&y, h_y);
    for (size_t call = 0; call < CALLS; call++)
        for (size_t i = 0; i < LENGTH; i++) {
            double expected = 0;
            for (size_t j = 0; j < INNER - call; j++)
                expected += (double)h_a[i * INNER + j] * h_x[call * INNER + j];
            cr_assert_eq(h_y[call * LENGTH + i], expected, "call %zu, element %zu", call, i);
        }
    guarded_free(&a);
    guarded_free(&x);
    guarded_free(&y);
    free(h_a);
    free(h_x);
}

/* ---- more than 2^31 elements, where the device has the memory ---- */

static void check_beyond(prim_gemv_variant variant, prim_transpose op, size_t rows, size_t columns)
{
    const size_t count = rows * columns, inner = op == N ? columns : rows,
                 length = op == N ? rows : columns;
    float *d_a, *d_x, *d_y, result[2];
    const float three = 3, two = 2;
    cr_cuda(cudaMalloc((void **)&d_a, count * 4));
    cr_cuda(cudaMalloc((void **)&d_x, inner * 4));
    cr_cuda(cudaMalloc((void **)&d_y, length * 4));
    cr_cuda(cudaMemset(d_a, 0, count * 4));
    cr_cuda(cudaMemset(d_x, 0, inner * 4));
    cr_cuda(cudaMemcpy(d_a + count - 1, &three, 4, cudaMemcpyHostToDevice));
    cr_cuda(cudaMemcpy(d_x + inner - 1, &two, 4, cudaMemcpyHostToDevice));
    cr_prim(prim_gemv(variant, op, 1, prim_matrix_of(F, d_a, rows, columns, 0),
                      x_of(op, F, d_x, rows, columns), 0, y_of(op, F, d_y, rows, columns), NULL));
    cr_cuda(cudaMemcpy(result, d_y + length - 1, 4, cudaMemcpyDeviceToHost));
    cr_cuda(cudaMemcpy(result + 1, d_y + length / 2, 4, cudaMemcpyDeviceToHost));
    cr_assert_eq(result[0], 6, "%s, %zu × %zu", prim_gemv_variant_info(variant)->name, rows,
                 columns);
    cr_assert(result[1] == 0 || length == 1);
    cr_cuda(cudaFree(d_a));
    cr_cuda(cudaFree(d_x));
    cr_cuda(cudaFree(d_y));
}

Test(gemv, beyond_two_to_the_31)
{
    if (on_cpu_backend() || get_test_level() != LEVEL_FULL)
        cr_skip_test("more than 2^31 elements: on a GPU at PRIM_TEST_LEVEL=full only");
    for (size_t v = 0; prim_gemv_variant_at(v) != NULL; v++)
        for (int op = 0; op < 2; op++) {
            if (is_refused(prim_gemv_variant_at(v)->value, op ? T : N))
                continue;
            check_beyond(prim_gemv_variant_at(v)->value, op ? T : N, 65539, 32769);
            check_beyond(prim_gemv_variant_at(v)->value, op ? T : N, 3, ((size_t)1 << 23) + 5);
            check_beyond(prim_gemv_variant_at(v)->value, op ? T : N, ((size_t)1 << 23) + 5, 3);
        }
}

Test(gemv, queries_see_what_x_and_y_need)
{
    size_t bytes;
    cr_assert_eq(asked_bytes(prim_gemv(PRIM_GEMV_AUTO, T, 1,
                                       prim_matrix_of(CUDA_R_32F, NULL, SIZE_MAX / 2, 0, 0),
                                       prim_vector_of(CUDA_R_32F, NULL, SIZE_MAX / 2), 0,
                                       prim_vector_of(CUDA_R_32F, NULL, 0), asking()),
                             &bytes),
                 PRIM_ERROR_SIZE);
    cr_assert_eq(asked_bytes(prim_gemv(PRIM_GEMV_AUTO, N, 1,
                                       prim_matrix_of(CUDA_R_32F, NULL, SIZE_MAX / 2, 0, 0),
                                       prim_vector_of(CUDA_R_32F, NULL, 0), 0,
                                       prim_vector_of(CUDA_R_32F, NULL, SIZE_MAX / 2), asking()),
                             &bytes),
                 PRIM_ERROR_SIZE);
}

/* ---- batches ---- */

typedef struct batch {
    prim_transpose op;
    size_t rows, columns, lda, batches;
    size_t a_stride, x_stride, y_stride;
    cudaDataType_t in, out;
    size_t a_past, x_past; /* elements by which A and x miss the 256-byte boundary */
    bool overwrites;       /* beta = 0, and y is NaN before */
} batch;

static double beta_of(const batch *b)
{
    return b->overwrites ? 0 : 3;
}

static size_t x_length(const batch *b)
{
    return b->op == N ? b->columns : b->rows;
}

static size_t y_length(const batch *b)
{
    return b->op == N ? b->rows : b->columns;
}

/* Elements from the first of product 0 to the last of the last product. */
static size_t all_elements(size_t batches, size_t stride, size_t of_one)
{
    return batches == 0 || of_one == 0 ? 0 : (batches - 1) * stride + of_one;
}

typedef struct batch_memory {
    size_t a, x, y; /* elements */
    char *h_a, *h_x, *h_before, *h_expected, *h_found;
} batch_memory;

static char *filled(cudaDataType_t type, size_t count, uint64_t seed)
{
    char *const h = malloc(count * type_bytes(type) + 1);
    fill(type, h, count, UNIFORM, seed);
    return h;
}

/* What is expected: product by product, by the host's version of one. */
static batch_memory make_batch(const batch *b)
{
    const size_t of_a = b->rows == 0 ? 0 : (b->rows - 1) * b->lda + b->columns;
    const size_t in = type_bytes(b->in), out = type_bytes(b->out);
    batch_memory m = {all_elements(b->batches, b->a_stride, b->columns == 0 ? 0 : of_a),
                      all_elements(b->batches, b->x_stride, x_length(b)),
                      all_elements(b->batches, b->y_stride, y_length(b)),
                      0,
                      0,
                      0,
                      0,
                      0};
    m.h_a = filled(b->in, m.a, 1);
    m.h_x = filled(b->in, m.x, 2);
    m.h_before = filled(b->out, m.y, 3);
    if (b->overwrites)
        memset(m.h_before, 0xff, m.y * out); /* NaN of any float */
    m.h_expected = malloc(m.y * out + 1);
    m.h_found = malloc(m.y * out + 1);
    memcpy(m.h_expected, m.h_before, m.y * out);
    for (size_t i = 0; i < b->batches; i++)
        cr_prim(prim_gemv_host(
            b->op, 2,
            prim_matrix_of(b->in, m.h_a + i * b->a_stride * in, b->rows, b->columns, b->lda),
            x_of(b->op, b->in, m.h_x + i * b->x_stride * in, b->rows, b->columns), beta_of(b),
            y_of(b->op, b->out, m.h_expected + i * b->y_stride * out, b->rows, b->columns), 1));
    return m;
}

static void free_batch(batch_memory *m)
{
    free(m->h_a);
    free(m->h_x);
    free(m->h_before);
    free(m->h_expected);
    free(m->h_found);
}

static void check_found(const batch *b, const batch_memory *m, const char *who)
{
    cr_assert_eq(memcmp(m->h_found, m->h_expected, m->y * type_bytes(b->out)), 0,
                 "%s: %zu × (%zu × %zu), op %d, lda %zu, strides %zu, %zu, %zu, past %zu and %zu, "
                 "%s -> %s",
                 who, b->batches, b->rows, b->columns, b->op, b->lda, b->a_stride, b->x_stride,
                 b->y_stride, b->a_past, b->x_past, type_name(b->in), type_name(b->out));
}

static void check_batch_on_host(const batch *b, batch_memory *m)
{
    memcpy(m->h_found, m->h_before, m->y * type_bytes(b->out));
    cr_prim(prim_gemv_batched_host(
        b->op, 2, in_batch(prim_matrix_of(b->in, m->h_a, b->rows, b->columns, b->lda), b->a_stride),
        vector_in_batch(x_of(b->op, b->in, m->h_x, b->rows, b->columns), b->x_stride), beta_of(b),
        vector_in_batch(y_of(b->op, b->out, m->h_found, b->rows, b->columns), b->y_stride),
        b->batches, 1));
    check_found(b, m, "host");
}

static void check_batch_on_device(const batch *b, batch_memory *m)
{
    const size_t in = type_bytes(b->in), out = type_bytes(b->out);
    size_t bytes;
    cr_assert(runs(prim_gemv_batched(
        PRIM_GEMV_AUTO, b->op, 1, prim_matrix_of(b->in, NULL, b->rows, b->columns, 0),
        x_of(b->op, b->in, NULL, b->rows, b->columns), 0,
        one_behind_the_other(y_of(b->op, b->out, NULL, b->rows, b->columns)), b->batches,
        asking())));
    cr_prim(asked_bytes(
        prim_gemv_batched(PRIM_GEMV_AUTO, b->op, 1,
                          prim_matrix_of(b->in, NULL, b->rows, b->columns, 0),
                          x_of(b->op, b->in, NULL, b->rows, b->columns), 0,
                          one_behind_the_other(y_of(b->op, b->out, NULL, b->rows, b->columns)),
                          b->batches, asking()),
        &bytes));
    guarded a = guarded_copy(m->h_a, m->a * in, b->a_past * in),
            x = guarded_copy(m->h_x, m->x * in, b->x_past * in),
            y = guarded_copy(m->h_before, m->y * out, out), workspace = guarded_new(bytes, 0);
    const prim_matrix d_a =
        in_batch(prim_matrix_of(b->in, a.data, b->rows, b->columns, b->lda), b->a_stride);
    const prim_vector d_x = vector_in_batch(x_of(b->op, b->in, x.data, b->rows, b->columns),
                                            b->x_stride),
                      d_y = vector_in_batch(y_of(b->op, b->out, y.data, b->rows, b->columns),
                                            b->y_stride);
    cr_prim(prim_gemv_batched(PRIM_GEMV_AUTO, b->op, 2, d_a, d_x, beta_of(b), d_y, b->batches,
                              asking())); /* asked() is then what this call would do */
    cr_prim(prim_gemv_batched(PRIM_GEMV_AUTO, b->op, 2, d_a, d_x, beta_of(b), d_y, b->batches,
                              with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&y, m->h_found);
    check_found(b, m, "device");
    guarded_free(&a);
    guarded_free(&x);
    guarded_free(&y);
    guarded_free(&workspace);
}

static void check_batch(const batch *b)
{
    batch_memory m = make_batch(b);
    check_batch_on_host(b, &m);
    check_batch_on_device(b, &m);
    free_batch(&m);
}

static const cudaDataType_t batch_pairs[][2] = {
    {CUDA_R_32F, CUDA_R_32F},  {CUDA_R_64F, CUDA_R_64F}, {CUDA_R_32I, CUDA_R_32I},
    {CUDA_R_16F, CUDA_R_16F},  {CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF},
    {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_8I, CUDA_R_32I}};

/* One after the other, with gaps between rows or between matrices, far apart, overlapping, and one
 * for all; aligned and not. */
static void lay_out(batch *b, size_t turn)
{
    static const size_t gaps[] = {0, 0, 1, 4, 0, 16, 0, 3};
    const uint64_t bits = random_bits(turn);
    b->lda = b->columns + gaps[bits % COUNT_OF(gaps)];
    const size_t span = (b->rows - 1) * b->lda + b->columns, x = x_length(b);
    const size_t a_strides[] = {b->rows * b->lda, b->rows * b->lda, span, span + 3,
                                5 * span + 16,    5 * span + 7,     0,    1};
    const size_t x_strides[] = {x, x, x, x + 1, 4 * x + 4, 4 * x + 1, 0, 1};
    b->a_stride = a_strides[bits >> 8 & 7];
    b->x_stride = x_strides[bits >> 16 & 7];
    b->y_stride = y_length(b) + (bits >> 24 & 1) * 2;
    b->a_past = bits >> 25 & 1 ? bits >> 26 & 7 : 0;
    b->x_past = bits >> 29 & 1 ? bits >> 30 & 7 : 0;
    b->overwrites = bits >> 33 & 1;
}

static void check_small(size_t rows, size_t columns, size_t batches, size_t turn)
{
    for (int op = 0; op < 2; op++) {
        const size_t pair = (turn * 2 + (size_t)op) % COUNT_OF(batch_pairs);
        batch b = {.op = op ? T : N,
                   .rows = rows,
                   .columns = columns,
                   .batches = batches,
                   .in = batch_pairs[pair][0],
                   .out = batch_pairs[pair][1]};
        lay_out(&b, 2 * turn + (size_t)op);
        check_batch(&b);
    }
}

typedef struct routed {
    const char *route;
    prim_transpose op;
    size_t rows, columns, batches;
    cudaDataType_t in;
} routed;

static const routed routes[] = {{"rows", N, 100, 37, 1, CUDA_R_32F}, /* WARP_PER_ROW */
                                {"rows", N, 100, 1000, 3, CUDA_R_32F},
                                {"rows", N, 3, 5000, 1, CUDA_R_32F}, /* SPLIT */
                                {"rows", T, 5000, 1, 1, CUDA_R_64F},
                                {"columns", T, 3000, 70, 1, CUDA_R_32F},
                                {"columns", N, 70, 1, 1, CUDA_R_32F},
                                {"columns", T, 100, 20000, 1, CUDA_R_16F},
                                {"few_rows", T, 100, 300, 600, CUDA_R_32F},
                                {"small_products", T, 5, 7, 3, CUDA_R_16F},
                                {"small_products", N, 3, 32, 6001, CUDA_R_32F},
                                {"small_products", N, 40, 1, 3, CUDA_R_64F}};

/* Each of these calls takes its route, and is right. */
Test(gemv, routes)
{
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        const routed *const r = &routes[i];
        batch b = {.op = r->op,
                   .rows = r->rows,
                   .columns = r->columns,
                   .lda = r->columns,
                   .batches = r->batches,
                   .a_stride = r->rows * r->columns,
                   .in = r->in,
                   .out = r->in};
        b.x_stride = x_length(&b);
        b.y_stride = y_length(&b);
        check_batch(&b);
        cr_assert_str_eq(asked()->route, r->route, "case %zu", i);
    }
    cr_prim(prim_gemv(PRIM_GEMV_SHUFFLE, N, 1, prim_matrix_of(CUDA_R_32F, NULL, 3, 4, 0),
                      prim_vector_of(CUDA_R_32F, NULL, 4), 0, prim_vector_of(CUDA_R_32F, NULL, 3),
                      asking()));
    cr_assert_null(asked()->route, "SHUFFLE has one way");
    cr_prim(prim_gemv(PRIM_GEMV_SPLIT, N, 1, prim_matrix_of(CUDA_R_32F, NULL, 0, 4, 0),
                      prim_vector_of(CUDA_R_32F, NULL, 4), 0, prim_vector_of(CUDA_R_32F, NULL, 0),
                      asking()));
    cr_assert_null(asked()->route, "y has no elements");
}

/* Several products a block, and more than one fits shared memory. */
Test(gemv, small_products_of_a_batch_have_the_bits_of_single_ones)
{
    static const size_t sides[] = {1,  2,  3,  4,  5,  7,  8,  9,  15, 16,
                                   17, 31, 32, 33, 37, 40, 63, 64, 65, 70};
    static const size_t counts[] = {2, 3, 33, 40, 65};
    const size_t rarity = get_test_level() == LEVEL_FULL ? 1 : 3;
    size_t turn = 0;
    for (size_t i = 0; i < COUNT_OF(sides); i++)
        for (size_t j = 0; j < COUNT_OF(sides); j++, turn++)
            for (size_t again = turn % rarity == 0 ? 0 : 2; again < 2; again++)
                check_small(sides[i], sides[j], counts[turn % COUNT_OF(counts)], 2 * turn + again);
}

/* Rows and x of whole vectors, which begin at one in the first product; in the others too, or A or
 * x does not. */
Test(gemv, small_products_of_vectors)
{
    for (size_t pair = 0; pair < COUNT_OF(batch_pairs); pair++)
        for (size_t odd = 0; odd < 3; odd++) {
            const size_t columns = 32, rows = 3;
            const batch b = {.op = N,
                             .rows = rows,
                             .columns = columns,
                             .lda = columns,
                             .batches = 601,
                             .a_stride = rows * columns + (odd == 1),
                             .x_stride = columns + (odd == 2),
                             .y_stride = rows,
                             .in = batch_pairs[pair][0],
                             .out = batch_pairs[pair][1]};
            check_batch(&b);
        }
}

/* So many that a block takes several, and the last one fewer. */
Test(gemv, blocks_of_small_products)
{
    static const size_t shapes[][3] = {{3, 5, 601}, {1, 1, 5003},  {1, 37, 601},  {37, 1, 401},
                                       {7, 5, 707}, {16, 16, 157}, {2, 100, 203}, {100, 2, 203}};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (size_t again = 0; again < (get_test_level() == LEVEL_QUICK ? 2 : 6); again++)
            check_small(shapes[i][0], shapes[i][1], shapes[i][2], 1000 + 10 * i + again);
}

/* Teams of lanes for a row, orders of many leaves, and sizes around what a block takes. */
Test(gemv, long_lines_of_a_batch)
{
    static const size_t shapes[][2] = {
        {1, 128},   {1, 129},  {1, 500},  {1, 1027},  {1, 2048}, {1, 2049}, {1, 4100},  {1, 9000},
        {1, 300},   {2, 640},  {3, 1500}, {4, 260},   {5, 1024}, {8, 257},  {2, 1025},  {9, 700},
        {100, 100}, {90, 130}, {12, 999}, {20, 1023}, {40, 600}, {128, 80}, {256, 129}, {64, 161}};
    const size_t again = get_test_level() == LEVEL_FULL ? 16 : 4;
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (size_t turn = 0; turn < again; turn++) {
            check_small(shapes[i][0], shapes[i][1], 2 + turn % 3, 3000 + 40 * i + turn);
            check_small(shapes[i][1], shapes[i][0], 2 + turn % 3, 6000 + 40 * i + turn);
        }
}

/* Few rows across memory, in batches that are many blocks: wide ones. */
Test(gemv, few_rows_across_memory_in_many_blocks)
{
    static const size_t shapes[][3] = {{129, 130, 110}, {70, 257, 260}, {200, 260, 57},
                                       {1024, 36, 257}, {1, 16400, 2},  {33, 8197, 2}};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (size_t turn = 0; turn < 8; turn++) {
            batch b = {.op = T,
                       .rows = shapes[i][0],
                       .columns = shapes[i][1],
                       .batches = shapes[i][2],
                       .in = batch_pairs[turn % 3][0],
                       .out = batch_pairs[turn % 3][1]};
            if (on_cpu_backend() && get_test_level() != LEVEL_FULL && (i + turn) % 4 != 0)
                continue;
            lay_out(&b, 9000 + 10 * i + turn);
            b.lda = b.columns + (turn % 2 == 0 ? 3 : 4 - b.columns % 4);
            b.a_stride = turn < 4 ? b.rows * b.lda : 0;
            b.a_past = turn % 4 == 3;
            check_batch(&b);
        }
}

/* Each way that AUTO goes: a warp or a part of one for a row, pieces of rows, and of columns. */
Test(gemv, products_of_a_batch_have_the_bits_of_single_ones)
{
    static const size_t shapes[][2] = {{5, 3}, {1, 1}, {70, 33}, {3, 9001}, {5000, 7}, {2, 0}};
    for (size_t p = 0; p < COUNT_OF(batch_pairs); p++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++)
            for (int op = 0; op < 2; op++) {
                const size_t rows = shapes[s][0], columns = shapes[s][1];
                batch b = {.op = op ? T : N,
                           .rows = rows,
                           .columns = columns,
                           .lda = columns + 1,
                           .batches = 3,
                           .in = batch_pairs[p][0],
                           .out = batch_pairs[p][1],
                           .a_past = 1};
                b.a_stride = s % 3 == 1 ? 0 : rows * b.lda + 3;
                b.x_stride = s % 3 == 2 ? 0 : x_length(&b) + s % 2;
                b.y_stride = y_length(&b) + 1;
                check_batch(&b);
            }
}

Test(gemv, batches_of_none_and_of_more_than_a_grid_has_rows)
{
    check_batch(&(batch){N, 4, 5, 5, 0, 20, 5, 4, CUDA_R_32F, CUDA_R_32F, 1, 0, false});
    check_batch(&(batch){N, 2, 3, 3, 65535 + 2, 1, 1, 2, CUDA_R_32F, CUDA_R_32F, 1, 0, false});
    check_batch(&(batch){T, 2, 3, 3, 65535 + 2, 1, 1, 3, CUDA_R_64F, CUDA_R_64F, 1, 0, false});
    /* rows so far apart that each product has blocks of its own */
    check_batch(&(batch){N, 2, 3, 9, 65535 + 2, 1, 1, 2, CUDA_R_32F, CUDA_R_32F, 1, 0, false});
    check_batch(&(batch){T, 2, 3, 9, 65535 + 2, 1, 1, 3, CUDA_R_64F, CUDA_R_64F, 1, 0, false});
}

/* What AUTO takes for products with four rows of so many columns. */
static int taken(size_t columns, size_t batches)
{
    cr_prim(prim_gemv_batched(PRIM_GEMV_AUTO, N, 1, prim_matrix_of(F, NULL, 4, columns, 0),
                              prim_vector_of(F, NULL, columns), 0,
                              one_behind_the_other(prim_vector_of(F, NULL, 4)), batches, asking()));
    return asked()->variant->value;
}

Test(gemv, a_batch_that_cannot_be_is_refused)
{
    size_t bytes;
    float *d;
    cr_cuda(cudaMalloc((void **)&d, 4000));
#define CALL(variant, y, y_stride, batches)                                       \
    prim_gemv_batched(variant, N, 1, in_batch(prim_matrix_of(F, d, 4, 5, 0), 20), \
                      vector_in_batch(prim_vector_of(F, d + 100, 5), 5), 0,       \
                      vector_in_batch(prim_vector_of(F, y, 4), y_stride), batches, NULL)
    cr_expect_eq(CALL(PRIM_GEMV_AUTO, d + 500, 3, 2), PRIM_ERROR_VALUE);
    cr_expect_eq(CALL(PRIM_GEMV_AUTO, d + 500, 3, 1), PRIM_OK);
    cr_expect_eq(CALL(PRIM_GEMV_AUTO, d + 30, 4, 2), PRIM_ERROR_OVERLAP);
    cr_expect_eq(CALL(PRIM_GEMV_AUTO, d + 109, 4, 2), PRIM_ERROR_OVERLAP);
    cr_expect_eq(CALL(PRIM_GEMV_COLUMN, d + 500, 4, 2), PRIM_ERROR_UNSUPPORTED);
    cr_expect_eq(CALL(PRIM_GEMV_COLUMN, d + 500, 4, 1), PRIM_OK);
#undef CALL
    cr_expect_eq(
        asked_bytes(prim_gemv_batched(PRIM_GEMV_AUTO, N, 1, prim_matrix_of(F, NULL, 100, 1, 0),
                                      prim_vector_of(F, NULL, 1), 0,
                                      one_behind_the_other(prim_vector_of(F, NULL, 100)),
                                      SIZE_MAX / 200, asking()),
                    &bytes),
        PRIM_ERROR_SIZE);
    cr_expect(!runs(prim_gemv_batched(
        PRIM_GEMV_SHUFFLE, N, 1, prim_matrix_of(F, NULL, 4, 5, 0), prim_vector_of(F, NULL, 5), 0,
        one_behind_the_other(prim_vector_of(F, NULL, 4)), 2, asking())));
    cr_expect_eq(taken(5, 7), taken(5, 1));
    cr_expect_eq(taken(2, 1), PRIM_GEMV_WARP_PER_ROW);
    cr_expect_eq(taken(1, 1), PRIM_GEMV_SPLIT, "one column is a vector");
    cr_cuda(cudaFree(d));
}

/* ---- the table ---- */

Test(gemv, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_gemv_variant_at(0)->value, PRIM_GEMV_AUTO);
    cr_assert_not_null(prim_gemv_variant_at(5));
    for (size_t v = 0; prim_gemv_variant_at(v) != NULL; v++) {
        const char *name = prim_gemv_variant_at(v)->name;
        cr_assert(name != NULL && strlen(name) > 0);
        cr_assert(strlen(prim_gemv_variant_at(v)->idea) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(name, prim_gemv_variant_at(w)->name);
    }
    cr_assert_str_eq(prim_gemv_variant_info(PRIM_GEMV_AUTO)->name, "auto");
    cr_assert_str_eq(prim_gemv_variant_info(PRIM_GEMV_ROW_PER_THREAD)->name, "row_per_thread");
    cr_assert_null(prim_gemv_variant_info((prim_gemv_variant)9999));
}
