/* gemm: every variant and type against an independent oracle, A and B taken in all four ways. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/gemm.h>

#include "calls.h"
#include "gemm_variants.h"
#include "products.h"
#include "rungs.h"
#include "stored.h"

/* Of A and B, and of C. */
static const struct type_pair {
    cudaDataType_t in, out;
} types[] = {{CUDA_R_32F, CUDA_R_32F},  {CUDA_R_64F, CUDA_R_64F}, {CUDA_R_32I, CUDA_R_32I},
             {CUDA_R_16F, CUDA_R_16F},  {CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF},
             {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_8I, CUDA_R_32I}};
enum { TYPES = sizeof types / sizeof *types };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define N PRIM_NOT_TRANSPOSED
#define T PRIM_TRANSPOSED

/* ---- one case ---- */

typedef struct gemm_case {
    prim_gemm_variant variant;
    int threads;             /* 0: on the device */
    cudaDataType_t in, type; /* of A and B, and of C */
    prim_transpose op_a, op_b;
    size_t m, n, k;
    size_t gaps[3]; /* by which the leading dimensions of A, B and C exceed the columns */
    size_t offset;  /* elements by which the operands miss the 256-byte boundary */
    double alpha, beta;
    distribution d;
    uint64_t seed;
    victim special_in;
    double special;
    size_t place;
} gemm_case;

static factors make_matrices(const gemm_case *c)
{
    const size_t a_rows = c->op_a == N ? c->m : c->k, a_columns = c->op_a == N ? c->k : c->m;
    const size_t b_rows = c->op_b == N ? c->k : c->n, b_columns = c->op_b == N ? c->n : c->k;
    factors x = {.a = matrix_new(c->in, a_rows, a_columns, a_columns + c->gaps[0], c->offset),
                 .b = matrix_new(c->in, b_rows, b_columns, b_columns + c->gaps[1], 3 * c->offset),
                 .before = matrix_of_pattern(c->type, c->m, c->n, c->n + c->gaps[2]),
                 .after = matrix_of_pattern(c->type, c->m, c->n, c->n + c->gaps[2])};
    factors_fill(&x, &(contents){c->d, c->seed, c->special_in, c->special, c->place}, c->beta);
    return x;
}

static void run_on_host(const gemm_case *c, factors *x)
{
    memcpy(x->after.base, x->before.base, matrix_bytes(&x->before));
    cr_prim(prim_gemm_host(c->op_a, c->op_b, c->alpha,
                           stored(c->op_a, c->in, matrix_data(&x->a), c->m, c->k, x->a.ld),
                           stored(c->op_b, c->in, matrix_data(&x->b), c->k, c->n, x->b.ld), c->beta,
                           prim_matrix_of(c->type, matrix_data(&x->after), c->m, c->n, x->after.ld),
                           PRIM_COMPUTE_DEFAULT, c->threads));
}

static void run_on_device(const gemm_case *c, factors *x)
{
    const bool none = c->offset > 0; /* in every other case */
    size_t bytes;
    cr_prim(asked_bytes(prim_gemm(c->variant, c->op_a, c->op_b, 1,
                                  stored(c->op_a, c->in, NULL, c->m, c->k, x->a.ld),
                                  stored(c->op_b, c->in, NULL, c->k, c->n, x->b.ld), 0,
                                  prim_matrix_of(c->type, NULL, c->m, c->n, 0),
                                  PRIM_COMPUTE_DEFAULT, asking()),
                        &bytes));
    guarded a = matrix_to_device(&x->a), b = matrix_to_device(&x->b),
            out = guarded_copy(x->before.base, matrix_bytes(&x->before),
                               c->offset * type_bytes(c->type)),
            workspace = guarded_new(bytes, 0);
    cr_prim(prim_gemm(
        c->variant, c->op_a, c->op_b, c->alpha,
        stored(c->op_a, c->in, or_null(none, &x->a, data_of(&a, &x->a)), c->m, c->k, x->a.ld),
        stored(c->op_b, c->in, or_null(none, &x->b, data_of(&b, &x->b)), c->k, c->n, x->b.ld),
        c->beta,
        prim_matrix_of(c->type, or_null(none, &x->before, out.data), c->m, c->n, x->before.ld),
        PRIM_COMPUTE_DEFAULT, with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&out, x->after.base);
    matrix_check_unchanged(&a, &x->a, "A");
    matrix_check_unchanged(&b, &x->b, "B");
    guarded_free(&a);
    guarded_free(&b);
    guarded_free(&out);
    guarded_free(&workspace);
}

static void run(const gemm_case *c, factors *x)
{
    if (c->threads > 0)
        run_on_host(c, x);
    else
        run_on_device(c, x);
}

static void check(const gemm_case *c)
{
    char text[280];
    const bool is_small = c->m * c->n * c->k < 3000; /* quick, and most of it is at an end */
    if (!is_of_share() && !is_small)
        return;
    factors x = make_matrices(c);
    run(c, &x);
    snprintf(
        text, sizeof text,
        "%s (threads %d) %s to %s %c%c, %zu × %zu × %zu, gaps %zu %zu %zu, offset %zu, alpha %g, "
        "beta %g, inputs %d seed %llu, special %g in %d at %zu",
        prim_gemm_variant_info(c->variant)->name, c->threads, type_name(c->in), type_name(c->type),
        c->op_a == N ? 'N' : 'T', c->op_b == N ? 'N' : 'T', c->m, c->n, c->k, c->gaps[0],
        c->gaps[1], c->gaps[2], c->offset, c->alpha, c->beta, c->d, (unsigned long long)c->seed,
        c->special, c->special_in, c->place);
    const product p = {c->type,  c->op_a, c->op_b, c->m, c->n,      c->k,
                       c->alpha, c->beta, &x.a,    &x.b, &x.before, c->d == INTEGERS};
    const double work = (double)c->m * (double)c->n * (double)c->k;
    product_check(&p, &x.after, work > 1e8 ? 257 : 1, text);
    factors_free(&x);
}

/* ---- every variant and type ---- */

typedef struct combination {
    prim_gemm_variant variant;
    cudaDataType_t in, type;
} combination;

/* A test of every variant, which calls check_NAME() with every type. */
#define FOR_EACH_VARIANT(test, floats_only)                                        \
    ParameterizedTestParameters(gemm, test)                                        \
    {                                                                              \
        return gemm_variants();                                                    \
    }                                                                              \
    ParameterizedTest(prim_gemm_variant *variant, gemm, test)                      \
    {                                                                              \
        for (size_t t = 0; t < TYPES; t++)                                         \
            if (gemm_rung_takes(*variant, types[t].in) &&                          \
                (type_is_float(types[t].in) || !(floats_only)))                    \
                check_##test(&(combination){*variant, types[t].in, types[t].out}); \
    }

static const double float_scalars[][2] = {{1, 0},  {2, 0},    {0, 1},     {0, 0},
                                          {-1, 1}, {0.5, -2}, {0.1, 0.3}, {-1, 0}};
/* Multiplied modulo 2^32: 2^32 + 3 is 3, and 2^62 + 2^10 is 2^10. */
static const double whole_scalars[][2] = {{1, 0},
                                          {2, 0},
                                          {0, 1},
                                          {0, 0},
                                          {-1, 1},
                                          {0x1p32 + 3, -7},
                                          {-5, 0x1p62 + 0x1p10},
                                          {-0x1p63 + 0x1p10, 1234567890123}};

/* Scalars, inputs, gaps and offsets take turns. */
static gemm_case varied(const combination *k, size_t m, size_t n, size_t inner, int ops,
                        uint64_t turn)
{
    const uint64_t bits = random_bits(turn * 4 + (uint64_t)ops);
    const size_t s = bits % COUNT_OF(float_scalars);
    return (gemm_case){.variant = k->variant,
                       .in = k->in,
                       .type = k->type,
                       .op_a = ops & 1 ? T : N,
                       .op_b = ops & 2 ? T : N,
                       .m = m,
                       .n = n,
                       .k = inner,
                       .gaps = {bits >> 8 & 1 ? bits >> 9 & 7 : 0,
                                bits >> 16 & 1 ? bits >> 17 & 7 : 0,
                                bits >> 24 & 1 ? bits >> 25 & 7 : 0},
                       .offset = bits >> 32 & 1 ? 1 + (bits >> 33 & 3) : 0,
                       .alpha = type_is_float(k->type) ? float_scalars[s][0] : whole_scalars[s][0],
                       .beta = type_is_float(k->type) ? float_scalars[s][1] : whole_scalars[s][1],
                       .d = (distribution)((bits >> 40) % DISTRIBUTION_COUNT),
                       .seed = bits >> 48};
}

/* Every pair of these as (m, n), (m, k) and (n, k). */
static const size_t tails[] = {0, 1, 2, 15, 16, 17, 31, 32, 33};

static void check_tails(const combination *k, int threads, size_t rarity)
{
    for (size_t i = 0; i < COUNT_OF(tails); i++)
        for (size_t j = 0; j < COUNT_OF(tails); j++)
            for (int ops = 0; ops < 4; ops++) {
                const size_t turn = i * COUNT_OF(tails) + j;
                if ((turn + turn / COUNT_OF(tails) + (size_t)ops) % rarity != 0)
                    continue;
                gemm_case c = varied(k, tails[i], tails[j], tails[(i + 2 * j) % COUNT_OF(tails)],
                                     ops, turn + 1000 * (uint64_t)k->type);
                c.threads = threads;
                check(&c);
            }
}

static void check_tails_in_pairs(const combination *k)
{
    const test_level level = get_test_level();
    check_tails(k, 0, level == LEVEL_QUICK ? 5 : level == LEVEL_NORMAL ? 2 : 1);
}

FOR_EACH_VARIANT(tails_in_pairs, false)

/* Rows of A come into shared memory 1024 elements at a time, for 256 columns of C at a time. */
static const size_t shapes[][3] = {
    {1, 1, 1023},   {2, 3, 1024},   {3, 2, 1025},   {2, 35, 2049},  {5, 1, 1040},  {1, 300, 65},
    {255, 1, 16},   {257, 3, 17},   {3, 255, 31},   {2, 257, 40},   {1, 1025, 3},  {1025, 1, 3},
    {100, 100, 1},  {100, 100, 50}, {65, 129, 0},   {1, 600, 1},    {47, 49, 200}, {1, 300, 1025},
    {2, 513, 1024}, {128, 256, 16}, {129, 260, 24}, {132, 516, 36}, {300, 64, 12}, {250, 257, 61},
};
static const size_t large_shapes[][3] = {
    {257, 255, 1025}, {1021, 1000, 1031}, {2000, 33, 5000}, {2051, 4100, 37}, {4096, 4096, 64}};

static void check_shapes(const combination *k)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t s = 0; s < COUNT_OF(shapes); s++)
        for (int ops = 0; ops < 4; ops++) {
            if ((s + (size_t)ops) % (quick ? 4 : 2) != 0)
                continue;
            gemm_case c = varied(k, shapes[s][0], shapes[s][1], shapes[s][2], ops,
                                 500 + s + 1000 * (uint64_t)k->type);
            if (c.alpha == 0)
                c.alpha = 3;
            check(&c);
        }
    for (size_t s = 0;
         get_test_level() == LEVEL_FULL && !on_cpu_backend() && s < COUNT_OF(large_shapes); s++)
        for (int ops = 0; ops < 4; ops++) {
            const gemm_case c =
                varied(k, large_shapes[s][0], large_shapes[s][1], large_shapes[s][2], ops, 900 + s);
            check(&c);
        }
}

FOR_EACH_VARIANT(shapes, false)

/* Rows of halves that begin at 16 bytes, as the rungs of wgmma want them; around their boxes and
 * tiles, with several of these, and with more steps of k than stages. */
static const size_t shapes_of_boxes[][3] = {
    {1, 1, 1},       {63, 65, 64},  {64, 64, 128}, {65, 40, 63},    {128, 256, 64},
    {129, 257, 100}, {200, 72, 65}, {40, 136, 8},  {257, 130, 192}, {300, 300, 0},
    {70, 513, 72},   {16, 24, 520}, {64, 64, 1032}};

static size_t up_to_eight(size_t columns)
{
    return (8 - columns % 8) % 8;
}

static void check_halves_that_copies_reach(const combination *k)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t s = 0; s < COUNT_OF(shapes_of_boxes); s++)
        for (int ops = 0; ops < 4; ops++) {
            const size_t *const x = shapes_of_boxes[s];
            if (quick && (s + (size_t)ops + (size_t)k->type) % 2 != 0)
                continue;
            gemm_case c = varied(k, x[0], x[1], x[2], ops, 1300 + s + 1000 * (uint64_t)k->type);
            c.offset = 0;
            c.gaps[0] = up_to_eight(c.op_a == N ? c.k : c.m);
            c.gaps[1] = 8 + up_to_eight(c.op_b == N ? c.n : c.k);
            c.gaps[2] = s % 3 == 0 ? up_to_eight(c.n) : c.gaps[2];
            if (c.alpha == 0)
                c.alpha = 2;
            check(&c);
        }
}

ParameterizedTestParameters(gemm, halves_that_copies_reach)
{
    return gemm_variants();
}
ParameterizedTest(prim_gemm_variant *variant, gemm, halves_that_copies_reach)
{
    for (size_t t = 0; t < TYPES; t++)
        if (gemm_rung_has(*variant, TAKES_HALVES_ONLY) && gemm_rung_takes(*variant, types[t].in))
            check_halves_that_copies_reach(&(combination){*variant, types[t].in, types[t].out});
}

/* Around tiles; with a k that is cut; and small enough that MMA loads elements. */
static const size_t shapes_to_realign[][3] = {{65, 71, 67},  {130, 259, 72}, {1, 257, 100},
                                              {33, 18, 130}, {9, 11, 2100},  {20, 30, 9}};

/* What A's and B's lines have beyond a multiple of 8 elements; and where the operands begin: at 16
 * bytes, where one of them has nothing beyond. */
static const size_t misaligned[][3] = {{1, 0, 0}, {0, 3, 0}, {5, 2, 0}, {6, 4, 0},
                                       {7, 1, 1}, {2, 6, 2}, {4, 4, 3}, {3, 7, 5}};

static gemm_case with_lines(gemm_case c, size_t a_beyond, size_t b_beyond)
{
    c.gaps[0] = up_to_eight(c.op_a == N ? c.k : c.m) + a_beyond;
    c.gaps[1] = up_to_eight(c.op_b == N ? c.n : c.k) + b_beyond;
    return c;
}

static void check_bits_of_misaligned(const gemm_case *c, const matrix *expected, size_t i)
{
    gemm_case one = with_lines(*c, misaligned[i][0], misaligned[i][1]);
    one.offset = misaligned[i][2];
    factors got = make_matrices(&one);
    run(&one, &got);
    cr_assert_arr_eq(got.after.base, expected->base, matrix_bytes(expected),
                     "%s %s, %d%d, %zu × %zu × %zu, %zu and %zu beyond",
                     prim_gemm_variant_info(c->variant)->name, type_name(c->in), c->op_a, c->op_b,
                     c->m, c->n, c->k, misaligned[i][0], misaligned[i][1]);
    factors_free(&got);
}

/* The bits are those of lines that begin at 16 bytes. */
static void check_lines_that_copies_reach_once_realigned(const combination *k)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t s = 0; s < COUNT_OF(shapes_to_realign); s++)
        for (size_t ops = 0; ops < 4; ops++) {
            const size_t *const x = shapes_to_realign[s], turn = s + ops + (size_t)k->type;
            const gemm_case c = {.variant = k->variant,
                                 .in = k->in,
                                 .type = k->type,
                                 .op_a = ops & 1 ? T : N,
                                 .op_b = ops & 2 ? T : N,
                                 .m = x[0],
                                 .n = x[1],
                                 .k = x[2],
                                 .alpha = 0.7,
                                 .beta = s % 2 ? 0.3 : 0,
                                 .d = UNIFORM,
                                 .seed = 40 + s};
            const gemm_case reached = with_lines(c, 0, 0);
            if (quick && turn % 4 != 0)
                continue;
            check(&reached);
            factors expected = make_matrices(&reached);
            run(&reached, &expected);
            for (size_t i = 0; i < COUNT_OF(misaligned); i++)
                if (!quick || i == (s + turn / 4) % COUNT_OF(misaligned))
                    check_bits_of_misaligned(&c, &expected.after, i);
            factors_free(&expected);
        }
}

ParameterizedTestParameters(gemm, lines_that_copies_reach_once_realigned)
{
    return gemm_variants();
}
ParameterizedTest(prim_gemm_variant *variant, gemm, lines_that_copies_reach_once_realigned)
{
    for (size_t t = 0; t < TYPES; t++)
        if (gemm_rung_has(*variant, TAKES_HALVES_ONLY) && gemm_rung_takes(*variant, types[t].in))
            check_lines_that_copies_reach_once_realigned(
                &(combination){*variant, types[t].in, types[t].out});
}

/* All pairs of scalars, for all ways to take the operands, at one shape with tails everywhere. */
static void check_alpha_and_beta(const combination *k)
{
    for (size_t s = 0; s < COUNT_OF(float_scalars); s++)
        for (int ops = 0; ops < 4; ops++)
            for (int empty = 0; empty < 2; empty++) {
                gemm_case c = varied(k, 7, 19, empty ? 0 : 18, ops, 3 * s);
                c.alpha = type_is_float(k->type) ? float_scalars[s][0] : whole_scalars[s][0];
                c.beta = type_is_float(k->type) ? float_scalars[s][1] : whole_scalars[s][1];
                check(&c);
            }
}

FOR_EACH_VARIANT(alpha_and_beta, false)

/* ---- NaN and infinity ---- */

static void check_nan_and_infinity_go_through(const combination *k)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY};
    for (size_t place = 0; place < 17; place++)
        for (size_t s = 0; s < COUNT_OF(specials); s++) {
            gemm_case c = varied(k, 18, 19, 35, (int)(place % 4), place);
            c.d = place % 2 ? UNIFORM : INTEGERS;
            c.special = specials[s];
            c.special_in = (victim)(IN_A + place % 3);
            c.place = 37 * place;
            c.alpha = s == 1 ? -2 : 1;
            c.beta = c.special_in == IN_C || place % 2 ? 1 : 0;
            check(&c);
        }
}

FOR_EACH_VARIANT(nan_and_infinity_go_through, true)

static void check_what_is_not_read_does_not_matter(const combination *k)
{
    static const double zeros[] = {0.0, -0.0, 1e-60}; /* the last one as f32 */
    const int count = k->type == CUDA_R_64F ? 2 : 3;
    for (int ops = 0; ops < 4; ops++)
        for (int zero = 0; zero < count; zero++)
            for (int beta = 0; beta < 2; beta++) {
                gemm_case c = varied(k, 17, 33, 34, ops, 11);
                c.special_in = EVERYWHERE_IN_A_AND_B;
                c.alpha = zeros[zero];
                c.beta = beta ? -1.5 : zeros[(zero + 1) % 2];
                check(&c); /* A and B are NaN, and C too where beta is 0 */
                c.special_in = NONE;
                c.alpha = 1.5;
                c.beta = zeros[zero];
                check(&c);
            }
}

FOR_EACH_VARIANT(what_is_not_read_does_not_matter, true)

/* An infinite factor is no special case. */
static void check_scalars_that_are_not_finite(const combination *k)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY};
    for (size_t s = 0; s < COUNT_OF(specials); s++) {
        gemm_case c = varied(k, 3, 5, 7, (int)s, 21);
        c.alpha = specials[s];
        c.beta = 1;
        check(&c);
        c.alpha = 1;
        c.beta = specials[s];
        check(&c);
    }
}

FOR_EACH_VARIANT(scalars_that_are_not_finite, true)

/* ---- determinism ---- */

static void check_same_bits_in_every_run(const combination *k)
{
    gemm_case c = varied(k, 21, 37, 1100, 0, 1);
    void *first = NULL;
    c.d = EXTREMES;
    c.alpha = type_is_float(k->type) ? 0.7 : 7;
    c.beta = 3;
    c.gaps[2] = 0;
    for (c.offset = 0; c.offset < 3; c.offset++) {
        factors x = make_matrices(&c);
        run(&c, &x);
        if (first == NULL) {
            first = malloc(matrix_bytes(&x.after));
            memcpy(first, x.after.base, matrix_bytes(&x.after));
        }
        cr_assert_arr_eq(x.after.base, first, matrix_bytes(&x.after));
        factors_free(&x);
    }
    free(first);
}

FOR_EACH_VARIANT(same_bits_in_every_run, false)

/* ---- the host's version ---- */

static bool has_threads(void)
{
    return prim_gemm_host(N, N, 1, prim_matrix_of(CUDA_R_32I, NULL, 0, 0, 0),
                          prim_matrix_of(CUDA_R_32I, NULL, 0, 0, 0), 0,
                          prim_matrix_of(CUDA_R_32I, NULL, 0, 0, 0), PRIM_COMPUTE_DEFAULT,
                          2) == PRIM_OK;
}

Test(gemm, host_version)
{
    static const int threads[] = {1, 2, 3, 7};
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t p = 0; p < TYPES; p++)
        for (size_t t = 0; t < (has_threads() ? COUNT_OF(threads) : 1); t++) {
            const combination k = {PRIM_GEMM_AUTO, types[p].in, types[p].out};
            check_tails(&k, threads[t], t == 0 && !quick ? 1 : 7);
            for (size_t s = 0; s < COUNT_OF(shapes); s++)
                for (int ops = 0; ops < 4; ops++) {
                    gemm_case c =
                        varied(&k, shapes[s][0], shapes[s][1], shapes[s][2], ops, 700 + s);
                    c.threads = threads[t];
                    if (!quick || (s + t + (size_t)ops) % 7 == 0)
                        check(&c);
                }
            for (int ops = 0; type_is_float(types[p].in) && ops < 4; ops++) {
                gemm_case c = varied(&k, 9, 11, 13, ops, t);
                c.threads = threads[t];
                c.special_in = EVERYWHERE_IN_A_AND_B;
                c.alpha = 0;
                c.beta = ops % 2;
                check(&c);
                c.special_in = (victim)(IN_A + ops % 3);
                c.special = ops % 2 ? INFINITY : NAN;
                c.place = 5;
                c.alpha = c.beta = 1;
                check(&c);
            }
        }
}

/* The same bits, whatever the number of threads. */
Test(gemm, host_version_does_not_depend_on_the_threads)
{
    if (!has_threads())
        cr_skip_test("built without OpenMP");
    for (size_t p = 0; p < TYPES; p++) {
        const combination k = {PRIM_GEMM_AUTO, types[p].in, types[p].out};
        gemm_case c = varied(&k, 23, 29, 301, 0, 2);
        c.alpha = c.beta = 3;
        c.threads = 1;
        factors one = make_matrices(&c), many = make_matrices(&c);
        run(&c, &one);
        c.threads = 7;
        run(&c, &many);
        cr_assert_arr_eq(many.after.base, one.after.base, matrix_bytes(&one.after));
        factors_free(&one);
        factors_free(&many);
    }
}

/* ---- whole numbers ---- */

#define I32(alpha, beta)                                                \
    prim_gemm_host(N, N, alpha, prim_matrix_of(CUDA_R_32I, h, 1, 1, 0), \
                   prim_matrix_of(CUDA_R_32I, h, 1, 1, 0), beta,        \
                   prim_matrix_of(CUDA_R_32I, h + 1, 1, 1, 0), PRIM_COMPUTE_DEFAULT, 1)

Test(gemm, i32_wants_whole_scalars)
{
    static const double bad[] = {0.5, -1.25, NAN, INFINITY, -INFINITY, 0x1p63, 1e300, -1e19};
    int32_t h[2] = {1, 1};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        cr_assert_eq(I32(bad[i], 0), PRIM_ERROR_VALUE, "alpha %g", bad[i]);
        cr_assert(strstr(prim_last_error(NULL), "alpha") != NULL);
        cr_assert_eq(I32(1, bad[i]), PRIM_ERROR_VALUE, "beta %g", bad[i]);
        cr_assert(strstr(prim_last_error(NULL), "beta") != NULL);
        for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++)
            cr_assert_eq(prim_gemm(prim_gemm_variant_at(v)->value, N, N, bad[i],
                                   prim_matrix_of(CUDA_R_32I, NULL, 0, 0, 0),
                                   prim_matrix_of(CUDA_R_32I, NULL, 0, 0, 0), 0,
                                   prim_matrix_of(CUDA_R_32I, NULL, 0, 0, 0), PRIM_COMPUTE_DEFAULT,
                                   NULL),
                         PRIM_ERROR_VALUE, "alpha %g without elements", bad[i]);
    }
    cr_assert_eq(h[1], 1);
    cr_assert_eq(I32(0x1p32 + 5, -0x1p33 - 1), PRIM_OK);
    cr_assert_eq(h[1], 4, "5 · 1 · 1 - 1 · 1 modulo 2^32");
    cr_assert_eq(I32(0x1p63 - 0x1p10, 0x1p53), PRIM_OK);
    cr_assert_eq(h[1], -1024);
}

/* ---- what may overlap, and what not ---- */

#define MEET(op_a, op_b, m, n, k, a, lda, b, ldb, c, ldc)                 \
    prim_gemm_host(op_a, op_b, 1, stored(op_a, CUDA_R_32F, a, m, k, lda), \
                   stored(op_b, CUDA_R_32F, b, k, n, ldb), 0,             \
                   prim_matrix_of(CUDA_R_32F, c, m, n, ldc), PRIM_COMPUTE_DEFAULT, 1)

Test(gemm, operands_that_may_and_may_not_meet)
{
    float h[200] = {0}, apart[200] = {0};
    const prim_status overlap = PRIM_ERROR_OVERLAP;
    /* A of 4 × 3 at the upper left of a matrix of 10 columns */
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 3, 10), PRIM_OK, "side by side");
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 6, 10), PRIM_OK, "at the right end");
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 7, 10), overlap, "round the end");
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 2, 10), overlap);
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h, 10), overlap, "the same");
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 40, 10), PRIM_OK, "below");
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 30, 10), overlap, "its last row");
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 37, 10), PRIM_OK, "no next row");
    cr_assert_eq(MEET(N, N, 4, 4, 3, h + 43, 10, apart, 4, h, 10), PRIM_OK, "A below");
    cr_assert_eq(MEET(N, N, 4, 4, 3, h + 33, 10, apart, 4, h, 10), overlap);
    cr_assert_eq(MEET(N, N, 4, 4, 3, h + 34, 10, apart, 4, h, 10), PRIM_OK);
    /* as ranges where the leading dimensions differ */
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 4, 9), overlap);
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 32, 9), overlap);
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, apart, 4, h + 33, 9), PRIM_OK);
    /* B of 3 × 4, likewise */
    cr_assert_eq(MEET(N, N, 4, 4, 3, apart, 3, h, 10, h + 4, 10), PRIM_OK);
    cr_assert_eq(MEET(N, N, 4, 4, 3, apart, 3, h, 10, h + 3, 10), overlap);
    cr_assert_eq(MEET(N, N, 4, 4, 3, apart, 3, h, 10, h + 30, 10), PRIM_OK, "B has three rows");
    cr_assert_eq(MEET(N, N, 4, 4, 3, apart, 3, h, 10, h + 20, 10), overlap);
    /* transposed, the shape as it is stored counts: A 3 × 4, B 4 × 3 */
    cr_assert_eq(MEET(T, N, 4, 4, 3, h, 10, apart, 4, h + 3, 10), overlap);
    cr_assert_eq(MEET(T, N, 4, 4, 3, h, 10, apart, 4, h + 4, 10), PRIM_OK);
    cr_assert_eq(MEET(T, N, 4, 4, 3, h, 10, apart, 4, h + 30, 10), PRIM_OK);
    cr_assert_eq(MEET(N, T, 4, 4, 3, apart, 3, h, 10, h + 3, 10), PRIM_OK);
    cr_assert_eq(MEET(N, T, 4, 4, 3, apart, 3, h, 10, h + 30, 10), overlap);
    /* A and B may be the same or meet */
    cr_assert_eq(MEET(N, T, 4, 4, 3, h, 10, h, 10, apart, 4), PRIM_OK);
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 10, h + 1, 9, apart, 4), PRIM_OK);
    /* empty ones meet nothing */
    cr_assert_eq(MEET(N, N, 4, 4, 0, h, 10, h, 10, h, 10), PRIM_OK);
    cr_assert_eq(MEET(N, N, 0, 4, 3, h, 10, h, 10, h, 10), PRIM_OK);
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 2, apart, 4, h + 60, 10), PRIM_ERROR_VALUE);
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 3, apart, 3, h + 60, 10), PRIM_ERROR_VALUE);
    cr_assert_eq(MEET(N, N, 4, 4, 3, h, 3, apart, 4, h + 60, 3), PRIM_ERROR_VALUE);
    cr_assert_eq(MEET(T, N, 4, 4, 3, h, 3, apart, 4, h + 60, 4), PRIM_ERROR_VALUE);
    cr_assert_eq(MEET(N, T, 4, 4, 3, h, 3, apart, 2, h + 60, 4), PRIM_ERROR_VALUE);
    cr_assert_eq(MEET(N, T, 4, 4, 3, h, 3, apart, 3, h + 60, 4), PRIM_OK);
}

/* A, B and C as blocks of one matrix, and A · Aᵀ. */
Test(gemm, blocks_of_one_matrix)
{
    enum { ROWS = 40, LD = 100, M = 33, K = 20, COLUMNS = 30 };
    float h[ROWS * LD], h_after[ROWS * LD];
    for (size_t i = 0; i < ROWS * LD; i++)
        h[i] = (float)(random_bits(i) % 17) - 8;
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++) {
        if (!gemm_rung_takes(prim_gemm_variant_at(v)->value, CUDA_R_32F))
            continue;
        guarded g = guarded_copy(h, sizeof h, 0);
        float *const d = g.data;
        cr_prim(prim_gemm(prim_gemm_variant_at(v)->value, N, N, 1,
                          prim_matrix_of(CUDA_R_32F, d, M, K, LD),
                          prim_matrix_of(CUDA_R_32F, d + K, K, COLUMNS, LD), 1,
                          prim_matrix_of(CUDA_R_32F, d + K + COLUMNS, M, COLUMNS, LD),
                          PRIM_COMPUTE_DEFAULT, NULL));
        guarded_read(&g, h_after);
        for (size_t row = 0; row < ROWS; row++)
            for (size_t column = 0; column < LD; column++) {
                float expected = h[row * LD + column];
                const bool in_c =
                    row < M && column >= K + COLUMNS && column < K + 2 * (size_t)COLUMNS;
                for (size_t i = 0; in_c && i < K; i++)
                    expected += h[row * LD + i] * h[i * LD + column - COLUMNS];
                cr_assert_eq(h_after[row * LD + column], expected, "%s: %zu, %zu",
                             prim_gemm_variant_at(v)->name, row, column);
            }
        guarded out = guarded_new(M * M * sizeof(float), 0);
        float h_square[M * M];
        cr_prim(prim_gemm(
            prim_gemm_variant_at(v)->value, N, T, 1, prim_matrix_of(CUDA_R_32F, d, M, K, LD),
            prim_matrix_of(CUDA_R_32F, d, M, K, LD), 0,
            prim_matrix_of(CUDA_R_32F, out.data, M, M, 0), PRIM_COMPUTE_DEFAULT, NULL));
        guarded_read(&out, h_square);
        for (size_t i = 0; i < M * M; i++) {
            float expected = 0;
            for (size_t j = 0; j < K; j++)
                expected += h[i / M * LD + j] * h[i % M * LD + j];
            cr_assert_eq(h_square[i], expected, "A · Aᵀ at %zu", i);
        }
        guarded_free(&g);
        guarded_free(&out);
    }
}

/* ---- batches ---- */

/* Whole numbers in f32, so that any order of sums gives them exactly. */
typedef struct batch_case {
    prim_gemm_variant variant;
    prim_transpose op_a, op_b;
    size_t m, n, k, batches;
    size_t lda, ldb, ldc, a_stride, b_stride, c_stride;
    double alpha, beta;
    bool aligned; /* the first products' matrices */
} batch_case;

static size_t reach(size_t rows, size_t columns, size_t ld, size_t stride, size_t batches)
{
    return rows == 0 || columns == 0 || batches == 0
               ? 0
               : (batches - 1) * stride + (rows - 1) * ld + columns;
}

static size_t a_count(const batch_case *c)
{
    return c->op_a == N ? reach(c->m, c->k, c->lda, c->a_stride, c->batches)
                        : reach(c->k, c->m, c->lda, c->a_stride, c->batches);
}

static size_t b_count(const batch_case *c)
{
    return c->op_b == N ? reach(c->k, c->n, c->ldb, c->b_stride, c->batches)
                        : reach(c->n, c->k, c->ldb, c->b_stride, c->batches);
}

static float *whole_numbers(size_t count, uint64_t seed)
{
    float *h = malloc((count + 1) * sizeof *h);
    for (size_t i = 0; i < count; i++)
        h[i] = (float)(random_bits(seed + i) % 15) - 7;
    return h;
}

static void expect_batch(const batch_case *c, const float *a, const float *b, float *h_c)
{
    for (size_t i = 0; i < c->batches; i++)
        for (size_t at = 0; at < c->m * c->n; at++) {
            const size_t row = at / c->n, column = at % c->n;
            float sum = 0;
            for (size_t j = 0; j < c->k; j++)
                sum +=
                    a[i * c->a_stride + (c->op_a == N ? row * c->lda + j : j * c->lda + row)] *
                    b[i * c->b_stride + (c->op_b == N ? j * c->ldb + column : column * c->ldb + j)];
            float *const x = &h_c[i * c->c_stride + row * c->ldc + column];
            *x = (float)c->alpha * sum + (c->beta == 0 ? 0 : (float)c->beta * *x);
        }
}

/* Of A and B; C has floats. */
static cudaDataType_t factors_of(const batch_case *c)
{
    return gemm_rung_has(c->variant, TAKES_HALVES_ONLY) ? CUDA_R_16F : CUDA_R_32F;
}

/* On the device, where it lies `past` bytes past 256. */
static guarded factor_on_device(const batch_case *c, const float *h, size_t count, size_t past)
{
    if (factors_of(c) == CUDA_R_32F)
        return guarded_copy(h, count * sizeof *h, past);
    uint16_t *halves = malloc((count + 1) * sizeof *halves);
    for (size_t i = 0; i < count; i++)
        write_float(CUDA_R_16F, halves, i, h[i]);
    guarded copy = guarded_copy(halves, count * sizeof *halves, past);
    free(halves);
    return copy;
}

/* The pointers backwards, so that no stride would do. */
static void **pointers_to(char *d, size_t stride_bytes, size_t batches)
{
    void **d_pointers, **h = malloc((batches + 1) * sizeof *h);
    for (size_t i = 0; i < batches; i++)
        h[i] = d + (batches - 1 - i) * stride_bytes;
    cr_cuda(cudaMalloc((void **)&d_pointers, (batches + 1) * sizeof *h));
    cr_cuda(cudaMemcpy(d_pointers, h, batches * sizeof *h, cudaMemcpyHostToDevice));
    free(h);
    return d_pointers;
}

static prim_status call_pointers(const batch_case *c, void *d_a, void *d_b, void *d_c)
{
    const cudaDataType_t in = factors_of(c);
    void **a = pointers_to(d_a, c->a_stride * type_bytes(in), c->batches),
         **b = pointers_to(d_b, c->b_stride * type_bytes(in), c->batches),
         **x = pointers_to(d_c, c->c_stride * sizeof(float), c->batches);
    const prim_status status = prim_gemm_pointers(
        c->variant, c->op_a, c->op_b, c->alpha, stored(c->op_a, in, a, c->m, c->k, c->lda),
        stored(c->op_b, in, b, c->k, c->n, c->ldb), c->beta,
        prim_matrix_of(CUDA_R_32F, x, c->m, c->n, c->ldc), c->batches, PRIM_COMPUTE_DEFAULT, NULL);
    cr_cuda(cudaDeviceSynchronize());
    cr_cuda(cudaFree(a));
    cr_cuda(cudaFree(b));
    cr_cuda(cudaFree(x));
    return status;
}

static prim_status call_strided(const batch_case *c, void *d_a, void *d_b, void *d_c)
{
    const cudaDataType_t in = factors_of(c);
    size_t bytes;
    cr_prim(asked_bytes(
        prim_gemm_batched(c->variant, c->op_a, c->op_b, 1,
                          in_batch(stored(c->op_a, in, NULL, c->m, c->k, c->lda), c->a_stride),
                          in_batch(stored(c->op_b, in, NULL, c->k, c->n, c->ldb), c->b_stride), 0,
                          in_batch(prim_matrix_of(CUDA_R_32F, NULL, c->m, c->n, 0), c->m * c->n),
                          c->batches, PRIM_COMPUTE_DEFAULT, asking()),
        &bytes));
    guarded workspace = guarded_new(bytes, 0);
    const prim_status status = prim_gemm_batched(
        c->variant, c->op_a, c->op_b, c->alpha,
        in_batch(stored(c->op_a, in, d_a, c->m, c->k, c->lda), c->a_stride),
        in_batch(stored(c->op_b, in, d_b, c->k, c->n, c->ldb), c->b_stride), c->beta,
        in_batch(prim_matrix_of(CUDA_R_32F, d_c, c->m, c->n, c->ldc), c->c_stride), c->batches,
        PRIM_COMPUTE_DEFAULT, with(0, bytes > 0 ? workspace.data : NULL, bytes));
    guarded_free(&workspace);
    return status;
}

static void check_batch(const batch_case *c, bool pointers)
{
    if (pointers && gemm_rung_has(c->variant, TAKES_NO_POINTERS))
        return;
    const size_t c_count = reach(c->m, c->n, c->ldc, c->c_stride, c->batches);
    float *a = whole_numbers(a_count(c), 1), *b = whole_numbers(b_count(c), 2000000),
          *expected = whole_numbers(c_count, 4000000), *got = whole_numbers(c_count, 4000000);
    const size_t past = c->aligned ? 0 : 4;
    guarded d_a = factor_on_device(c, a, a_count(c), past),
            d_b = factor_on_device(c, b, b_count(c), 2 * past),
            d_c = guarded_copy(got, c_count * sizeof *got, 3 * past);
    cr_prim((pointers ? call_pointers : call_strided)(c, d_a.data, d_b.data, d_c.data));
    guarded_read(&d_c, got);
    expect_batch(c, a, b, expected);
    for (size_t i = 0; i < c_count; i++)
        cr_assert_eq(got[i], expected[i], "%s%s, %zu of %zu × %zu × %zu, %d%d: element %zu",
                     prim_gemm_variant_info(c->variant)->name, pointers ? " by pointers" : "",
                     c->batches, c->m, c->n, c->k, c->op_a, c->op_b, i);
    memcpy(got, expected, c_count * sizeof *got); /* and once more on the host */
    cr_prim(prim_gemm_batched_host(
        c->op_a, c->op_b, c->alpha,
        in_batch(stored(c->op_a, CUDA_R_32F, a, c->m, c->k, c->lda), c->a_stride),
        in_batch(stored(c->op_b, CUDA_R_32F, b, c->k, c->n, c->ldb), c->b_stride), c->beta,
        in_batch(prim_matrix_of(CUDA_R_32F, got, c->m, c->n, c->ldc), c->c_stride), c->batches,
        PRIM_COMPUTE_DEFAULT, 1));
    expect_batch(c, a, b, expected);
    for (size_t i = 0; i < c_count; i++)
        cr_assert_eq(got[i], expected[i], "on the host: element %zu", i);
    guarded_free(&d_a);
    guarded_free(&d_b);
    guarded_free(&d_c);
    free(a);
    free(b);
    free(expected);
    free(got);
}

static void check_batches(prim_gemm_variant v, prim_transpose op_a, prim_transpose op_b, size_t m,
                          size_t n, size_t k, double beta)
{
    const size_t lda = op_a == N ? k : m, ldb = op_b == N ? n : k;
    const batch_case packed = {v,   op_a, op_b,  m,     n,     k,  4,    lda,
                               ldb, n,    m * k, k * n, m * n, -2, beta, false};
    batch_case apart = packed, beside = packed, one_a = packed;
    apart.lda += 3; /* rows and matrices apart, all odd */
    apart.ldb += 1;
    apart.ldc += 5;
    apart.a_stride = apart.lda * (op_a == N ? m : k) + 1;
    apart.b_stride = apart.ldb * (op_b == N ? k : n) + 7;
    apart.c_stride = apart.ldc * m + 3;
    beside.ldc = 5 * n; /* side by side in C, and one A for all */
    beside.c_stride = n;
    one_a.a_stride = 0;
    one_a.batches = 3;
    const batch_case *const all[] = {&packed, &apart, &beside, &one_a};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        check_batch(all[i], false);
        if (all[i]->a_stride > 0)
            check_batch(all[i], true);
    }
}

ParameterizedTestParameters(gemm, batches)
{
    return gemm_variants();
}
ParameterizedTest(prim_gemm_variant *variant, gemm, batches)
{
    if (gemm_rung_has(*variant, TAKES_HALVES_ONLY) && !gemm_rung_takes(*variant, CUDA_R_16F))
        cr_skip_test("before compute capability 8.0");
    for (int ops = 0; ops < 4; ops++) {
        const prim_transpose op_a = ops & 1 ? T : N, op_b = ops & 2 ? T : N;
        check_batches(*variant, op_a, op_b, 5, 7, 9, 0);
        check_batches(*variant, op_a, op_b, 33, 66, 40, 1);
        check_batches(*variant, op_a, op_b, 8, 12, 0, 3);
        if (get_test_level() != LEVEL_QUICK || ops == 0)
            check_batches(*variant, op_a, op_b, 68, 132, 100, 0);
    }
}

/* Two products of whole vectors, the first of which begins at one; so does the other, or its A, B
 * or C does not. */
static void check_vectors(prim_gemm_variant v, prim_transpose op, size_t m, size_t n, size_t k)
{
    for (size_t odd = 0; odd < 4; odd++) {
        const batch_case c = {.variant = v,
                              .op_a = op,
                              .op_b = op,
                              .m = m,
                              .n = n,
                              .k = k,
                              .batches = 2,
                              .lda = op == N ? k : m,
                              .ldb = op == N ? n : k,
                              .ldc = n,
                              .a_stride = m * k + (odd == 1),
                              .b_stride = k * n + (odd == 2),
                              .c_stride = m * n + (odd == 3),
                              .alpha = 1,
                              .beta = odd % 2 ? 2 : 0,
                              .aligned = true};
        check_batch(&c, false);
        if (m < 256)
            check_batch(&c, true);
    }
}

ParameterizedTestParameters(gemm, batches_of_vectors)
{
    return gemm_variants();
}
ParameterizedTest(prim_gemm_variant *variant, gemm, batches_of_vectors)
{
    if (gemm_rung_has(*variant, TAKES_HALVES_ONLY) && !gemm_rung_takes(*variant, CUDA_R_16F))
        cr_skip_test("before compute capability 8.0");
    check_vectors(*variant, N, 128, 132, 20);
    check_vectors(*variant, T, 128, 132, 20);
}

/* Rows, and the matrices of a batch, that begin at 16 bytes; A, or B, is one for all. */
ParameterizedTestParameters(gemm, batches_that_copies_reach)
{
    return gemm_variants();
}
ParameterizedTest(prim_gemm_variant *variant, gemm, batches_that_copies_reach)
{
    if (!gemm_rung_takes(*variant, CUDA_R_16F) || !gemm_rung_has(*variant, TAKES_HALVES_ONLY))
        cr_skip_test("not of halves only");
    for (int i = 0; i < 4; i++) {
        const batch_case c = {.variant = *variant,
                              .op_a = i & 1 ? T : N,
                              .op_b = i & 2 ? T : N,
                              .m = 70,
                              .n = 150,
                              .k = 72,
                              .batches = 3,
                              .lda = i & 1 ? 72 : 80,
                              .ldb = i & 2 ? 72 : 160,
                              .ldc = 151,
                              .a_stride = i == 1 ? 0 : 72 * 80,
                              .b_stride = i == 2 ? 0 : 150 * 160,
                              .c_stride = 70 * 151,
                              .alpha = 1,
                              .beta = i % 2 ? -1 : 0,
                              .aligned = true};
        check_batch(&c, false);
    }
}

/* Rows, and the matrices of a batch, that begin anywhere. */
ParameterizedTestParameters(gemm, batches_that_copies_reach_once_realigned)
{
    return gemm_variants();
}
ParameterizedTest(prim_gemm_variant *variant, gemm, batches_that_copies_reach_once_realigned)
{
    static const struct {
        size_t lda, ldb, a_stride, b_stride;
    } batches[] = {
        {81, 151, 81 * 81, 151 * 151}, /* both */
        {80, 152, 80 * 81 + 1, 152 * 151},
        {80, 152, 80 * 81, 152 * 151 + 6},
        {81, 152, 0, 152 * 151}, /* one for all */
        {81, 151, 81 * 81 + 5, 0},
        {83, 151, 83, 151 * 151}, /* matrices that overlap */
        {80, 151, 1, 80 * 151},
        {3 * 81, 3 * 151, 81, 151}, /* side by side */
    };
    if (!gemm_rung_takes(*variant, CUDA_R_16F) || !gemm_rung_has(*variant, TAKES_HALVES_ONLY))
        cr_skip_test("not of halves only");
    for (size_t i = 0; i < COUNT_OF(batches); i++)
        for (int ops = 0; ops < 4; ops++) {
            if (get_test_level() == LEVEL_QUICK && (i / 4 + i + (size_t)ops) % 4 != 0)
                continue;
            const batch_case c = {.variant = *variant,
                                  .op_a = ops & 1 ? T : N,
                                  .op_b = ops & 2 ? T : N,
                                  .m = 70,
                                  .n = 150,
                                  .k = 79,
                                  .batches = 3,
                                  .lda = batches[i].lda,
                                  .ldb = batches[i].ldb,
                                  .ldc = 151,
                                  .a_stride = batches[i].a_stride,
                                  .b_stride = batches[i].b_stride,
                                  .c_stride = 70 * 151,
                                  .alpha = 1,
                                  .beta = i % 2 ? -1 : 0,
                                  .aligned = ops != 2};
            check_batch(&c, false);
        }
}

/* Of f16 to f32, not transposed. */
static size_t bytes_of_halves(prim_gemm_variant variant, const batch_case *c)
{
    size_t bytes;
    cr_prim(asked_bytes(
        prim_gemm_batched(variant, N, N, c->alpha,
                          (prim_matrix){NULL, c->m, c->k, c->lda, CUDA_R_16F, c->a_stride},
                          (prim_matrix){NULL, c->k, c->n, c->ldb, CUDA_R_16F, c->b_stride}, c->beta,
                          (prim_matrix){NULL, c->m, c->n, 0, CUDA_R_32F, c->m * c->n}, c->batches,
                          PRIM_COMPUTE_DEFAULT, asking()),
        &bytes));
    return bytes;
}

static const prim_gemm_variant rungs_that_realign[] = {PRIM_GEMM_MMA, PRIM_GEMM_WGMMA,
                                                       PRIM_GEMM_WGMMA_SPECIALIZED};

/* The workspace of a call that realigns has the matrices in it, each line up to 16 bytes. Here k is
 * not cut. */
Test(gemm, workspaces_of_what_is_realigned)
{
    const size_t a = 300 * 408 * 2, b = 401 * 504 * 2; /* 300 × 401 and 401 × 500 */
    const size_t many = (size_t)1 << 20;
    const struct {
        batch_case c;
        size_t bytes;
    } cases[] = {
        {{.batches = 1, .lda = 401, .ldb = 500, .alpha = 1}, a + b},
        {{.batches = 1, .lda = 407, .ldb = 504, .alpha = 1}, a},
        {{.batches = 1, .lda = 408, .ldb = 1001, .alpha = 1}, b},
        {{.batches = 1, .lda = 408, .ldb = 504, .alpha = 1}, 0},
        {{.batches = 1, .lda = 408, .ldb = 504, .a_stride = 1, .b_stride = 3, .alpha = 1}, 0},
        {{.batches = 1, .lda = 401, .ldb = 500, .alpha = 0}, a + b}, /* scalars do not matter */
        {{.batches = 5, .lda = 401, .ldb = 500, .alpha = 1}, a + b}, /* one for all */
        {{.batches = 5, .lda = 401, .ldb = 500, .a_stride = 300 * 401, .alpha = 1}, 5 * a + b},
        {{.batches = 5, .lda = 408, .ldb = 504, .b_stride = 401 * 504 + 1, .alpha = 1}, 5 * b},
        {{.batches = 5, .lda = 401, .ldb = 504, .a_stride = 300 * 401 - 1, .alpha = 1}, 0},
        {{.batches = 5, .lda = 5 * 401, .ldb = 504, .a_stride = 401, .alpha = 1}, 5 * a},
        {{.batches = 5, .lda = 5 * 401, .ldb = 504, .a_stride = 400, .alpha = 1}, 0},
        {{.batches = 0, .lda = 401, .ldb = 500, .alpha = 1}, 0},
        {{.m = many,
          .n = 8,
          .k = 8 * many + 1,
          .batches = 1,
          .lda = 8 * many + 1,
          .ldb = 8,
          .alpha = 1},
         0},
    };
    for (size_t v = 0; v < COUNT_OF(rungs_that_realign); v++)
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            const prim_gemm_variant variant = rungs_that_realign[v];
            batch_case c = cases[i].c;
            if (!gemm_rung_takes(variant, CUDA_R_16F))
                continue;
            if (c.m == 0) {
                c.m = 300;
                c.n = 500;
                c.k = 401;
            }
            batch_case reached = c;
            reached.lda = reached.lda / 8 * 8 + 8;
            reached.ldb = reached.ldb / 8 * 8 + 8;
            reached.a_stride = reached.b_stride = 0;
            cr_assert_eq(bytes_of_halves(variant, &c),
                         cases[i].bytes + bytes_of_halves(variant, &reached), "%s, case %zu: %zu",
                         prim_gemm_variant_info(variant)->name, i, bytes_of_halves(variant, &c));
        }
}

/* Loading elements takes less time than a launch; and AUTO takes no rung that would be another. */
Test(gemm, what_is_not_worth_to_be_realigned)
{
    const batch_case few = {
        .m = 20, .n = 30, .k = 9, .batches = 1, .lda = 9, .ldb = 30, .alpha = 1};
    if (!gemm_rung_takes(PRIM_GEMM_WGMMA, CUDA_R_16F))
        cr_skip_test("before compute capability 9.0");
    cr_assert_eq(bytes_of_halves(PRIM_GEMM_MMA, &few), 0);
    cr_assert_eq(bytes_of_halves(PRIM_GEMM_WGMMA, &few), 20 * 16 * 2 + 9 * 32 * 2);
    const prim_matrix overlapping = {NULL, 300, 401, 401, CUDA_R_16F, 401},
                      b = {NULL, 401, 500, 504, CUDA_R_16F, 0},
                      c = {NULL, 300, 500, 0, CUDA_R_32F, 300 * 500};
    cr_assert_eq(chosen(prim_gemm_batched(PRIM_GEMM_AUTO, N, N, 1, overlapping, b, 0, c, 5,
                                          PRIM_COMPUTE_DEFAULT, asking())),
                 PRIM_GEMM_MMA);
}

/* 33 × 17 with k 401 in f16, from elements of 1; the workspace has so many bytes. C's first element
 * is returned. */
static prim_status ones(prim_gemm_variant variant, size_t lda, size_t ldb, size_t past,
                        const guarded *workspace, size_t bytes, float *first)
{
    uint16_t *h = malloc(500 * 500 * sizeof *h);
    for (size_t i = 0; i < 500 * 500; i++)
        h[i] = 0x3c00;
    guarded x = guarded_copy(h, 500 * 500 * sizeof *h, past), c = guarded_new(33 * 17 * 4, 0);
    const prim_status status =
        prim_gemm(variant, N, N, 1, prim_matrix_of(CUDA_R_16F, x.data, 33, 401, lda),
                  prim_matrix_of(CUDA_R_16F, x.data, 401, 17, ldb), 0,
                  prim_matrix_of(CUDA_R_32F, c.data, 33, 17, 0), PRIM_COMPUTE_DEFAULT,
                  with(0, workspace->data, bytes));
    float got[33 * 17];
    guarded_read(&c, got);
    *first = got[0];
    guarded_free(&x);
    guarded_free(&c);
    free(h);
    return status;
}

/* It is filled if the lines are realigned, and otherwise not needed; a byte less is refused. */
Test(gemm, workspaces_that_are_filled)
{
    for (size_t v = 0; v < COUNT_OF(rungs_that_realign); v++) {
        const prim_gemm_variant variant = rungs_that_realign[v];
        const size_t needed = 33 * 408 * 2 + 401 * 24 * 2;
        float first = 0;
        if (!gemm_rung_takes(variant, CUDA_R_16F))
            continue;
        guarded workspace = guarded_new(needed, 0);
        cr_refused(ones(variant, 403, 19, 0, &workspace, needed - 1, &first), PRIM_ERROR_WORKSPACE,
                   "are needed");
        cr_assert(guarded_untouched(&workspace));
        cr_prim(ones(variant, 408, 24, 0, &workspace, needed, &first));
        cr_assert(first == 401 && guarded_untouched(&workspace), "nothing is realigned");
        cr_refused(ones(variant, 408, 19, 2, &workspace, 401 * 24 * 2 - 1, &first),
                   PRIM_ERROR_WORKSPACE, "are needed"); /* by ld alone */
        cr_prim(ones(variant, 408, 19, 2, &workspace, needed, &first));
        cr_assert(first == 401 && guarded_untouched(&workspace), "A's address");
        cr_prim(ones(variant, 403, 19, 2, &workspace, needed, &first));
        cr_assert(first == 401 && !guarded_untouched(&workspace));
        guarded_free(&workspace);
    }
}

/* So large that WARP_TILED takes a tile with a kernel of its own for vectors. */
Test(gemm, large_tiles_of_vectors)
{
    check_vectors(PRIM_GEMM_WARP_TILED, N, 384, 256, 20);
}

/* For so many products: a block of a tile meets at barriers, at each of which the CPU backend
 * switches all its threads. */
static bool takes_too_long(prim_gemm_variant variant)
{
    return on_cpu_backend() &&
           (variant == PRIM_GEMM_TILED_16 || variant == PRIM_GEMM_TILED_32 ||
            variant == PRIM_GEMM_REGISTER_TILED_1D || variant == PRIM_GEMM_REGISTER_TILED ||
            variant == PRIM_GEMM_VECTORIZED || gemm_rung_has(variant, TAKES_HALVES_ONLY));
}

/* More products than a grid has blocks along y. */
Test(gemm, many_products)
{
    const batch_case c = {PRIM_GEMM_AUTO, N, N, 1, 1, 2, 70001, 2, 1, 1, 2, 2, 1, 1, 0, false};
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++) {
        batch_case mine = c;
        mine.variant = prim_gemm_variant_at(v)->value;
        if (!takes_too_long(mine.variant) && gemm_rung_takes(mine.variant, factors_of(&mine)))
            check_batch(&mine, false);
    }
}

/* A, B and C of each product in one matrix of 12 rows: what is side by side or below each other. */
Test(gemm, batches_that_may_and_may_not_meet)
{
    float h[600] = {0}, apart[600] = {0};
#define BATCH(a, lda, a_stride, c, ldc, c_stride, batches)                                        \
    prim_gemm_batched_host(N, N, 1, in_batch(prim_matrix_of(CUDA_R_32F, a, 2, 4, lda), a_stride), \
                           prim_matrix_of(CUDA_R_32F, apart, 4, 3, 0), 0,                         \
                           in_batch(prim_matrix_of(CUDA_R_32F, c, 2, 3, ldc), c_stride), batches, \
                           PRIM_COMPUTE_DEFAULT, 1)
    cr_assert_eq(BATCH(apart + 20, 4, 8, h, 3, 6, 3), PRIM_OK);
    cr_refused(BATCH(apart + 20, 4, 8, h, 3, 5, 3), PRIM_ERROR_VALUE, "c_stride");
    cr_assert_eq(BATCH(apart + 20, 4, 8, h, 3, 0, 2), PRIM_ERROR_VALUE);
    cr_assert_eq(BATCH(apart + 20, 4, 8, h, 3, 0, 1), PRIM_OK, "of one product it does not matter");
    cr_assert_eq(BATCH(apart + 20, 4, 8, h, 9, 3, 3), PRIM_OK, "side by side");
    cr_assert_eq(BATCH(apart + 20, 4, 8, h, 8, 3, 3), PRIM_ERROR_VALUE);
    cr_assert_eq(BATCH(apart + 20, 4, 8, h, 10, 2, 3), PRIM_ERROR_VALUE);
    /* A_i of 2 × 4 at the left, C_i of 2 × 3 beside it, below each other in rows of 10 */
    cr_assert_eq(BATCH(h, 10, 20, h + 4, 10, 20, 5), PRIM_OK);
    cr_assert_eq(BATCH(h, 10, 20, h + 3, 10, 20, 5), PRIM_ERROR_OVERLAP);
    cr_assert_eq(BATCH(h, 10, 20, h + 7, 10, 20, 5), PRIM_OK);
    cr_assert_eq(BATCH(h, 10, 20, h + 8, 10, 20, 5), PRIM_ERROR_OVERLAP);
    cr_assert_eq(BATCH(h, 10, 20, h + 104, 10, 20, 5), PRIM_OK);
    cr_assert_eq(BATCH(h, 10, 20, h + 80, 10, 20, 5), PRIM_ERROR_OVERLAP, "the last A");
    /* side by side in rows of 40: 5 of A, then 5 of C */
    cr_assert_eq(BATCH(h, 40, 4, h + 20, 40, 3, 5), PRIM_OK);
    cr_assert_eq(BATCH(h, 40, 4, h + 19, 40, 3, 5), PRIM_ERROR_OVERLAP);
    /* otherwise as ranges */
    cr_assert_eq(BATCH(h, 10, 25, h + 4, 10, 25, 5), PRIM_ERROR_OVERLAP);
    cr_assert_eq(BATCH(h, 10, 25, h + 114, 10, 25, 5), PRIM_OK);
    cr_assert_eq(BATCH(h, 10, 25, h + 113, 10, 25, 5), PRIM_ERROR_OVERLAP);
    cr_assert_eq(BATCH(h, 10, SIZE_MAX / 4, h + 113, 10, 25, 5), PRIM_ERROR_SIZE);
    cr_assert_eq(BATCH(h, 10, SIZE_MAX / 8, h + 113, 10, 25, 3), PRIM_ERROR_SIZE);
    cr_assert_eq(BATCH(NULL, 4, 8, NULL, 3, 0, 0), PRIM_OK, "no product");
    cr_assert_eq(BATCH(NULL, 3, 8, NULL, 3, 0, 0), PRIM_ERROR_VALUE, "lda");
}

Test(gemm, pointers_refuse_what_they_can_see)
{
    void **d;
    cr_cuda(cudaMalloc((void **)&d, 64));
#define POINTERS(a, lda, b, ldb, c, ldc, batches)                                                 \
    prim_gemm_pointers(PRIM_GEMM_AUTO, N, N, 1, prim_matrix_of(CUDA_R_32F, (a), 2, 4, lda),       \
                       prim_matrix_of(CUDA_R_32F, (b), 4, 3, ldb), 0,                             \
                       prim_matrix_of(CUDA_R_32F, (c), 2, 3, ldc), batches, PRIM_COMPUTE_DEFAULT, \
                       NULL)
    cr_assert_eq(POINTERS(NULL, 4, d, 3, d, 3, 1), PRIM_ERROR_NULL);
    cr_assert_eq(POINTERS(d, 4, NULL, 3, d, 3, 1), PRIM_ERROR_NULL);
    cr_refused(POINTERS(d, 4, d, 3, NULL, 3, 1), PRIM_ERROR_NULL, "prim_gemm_pointers: d_c");
    cr_assert_eq(POINTERS((char *)d + 4, 4, d, 3, d, 3, 1), PRIM_ERROR_MISALIGNED);
    cr_assert_eq(POINTERS(d, 3, d, 3, d, 3, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(POINTERS(d, 4, d, 2, d, 3, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(POINTERS(d, 4, d, 3, d, 2, 1), PRIM_ERROR_VALUE);
    cr_assert_eq(POINTERS(d, SIZE_MAX / 4, d, 3, d, 3, 1), PRIM_ERROR_SIZE);
    cr_assert_eq(POINTERS(NULL, 4, NULL, 3, NULL, 3, 0), PRIM_OK, "no product");
    cr_cuda(cudaFree(d));
}

/* ---- what is refused ---- */

Test(gemm, host_refuses_what_it_cannot_do)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 4}, c[4] = {5, 6, 7, 8};
#define HOST(op_a, op_b, a_type, a, b_type, b, c_type, c, compute, threads) \
    prim_gemm_host((prim_transpose)(op_a), (prim_transpose)(op_b), 1,       \
                   stored((prim_transpose)(op_a), a_type, a, 2, 2, 2),      \
                   stored((prim_transpose)(op_b), b_type, b, 2, 2, 2), 0,   \
                   prim_matrix_of(c_type, c, 2, 2, 0), (prim_compute)(compute), threads)
#define F CUDA_R_32F
#define D CUDA_R_64F
    cr_refused(HOST(N, N, F, a, F, b, F, c, 0, 0), PRIM_ERROR_VALUE, "threads");
    cr_assert_eq(HOST(N, N, F, a, F, b, F, c, 0, -1), PRIM_ERROR_VALUE);
    cr_refused(HOST(2, N, F, a, F, b, F, c, 0, 1), PRIM_ERROR_ENUM, "op_a");
    cr_refused(HOST(N, -1, F, a, F, b, F, c, 0, 1), PRIM_ERROR_ENUM, "op_b");
    cr_refused(HOST(N, N, F, a, F, b, F, c, 2, 1), PRIM_ERROR_ENUM, "compute");
    cr_assert_eq(HOST(N, N, D, a, F, b, F, c, 0, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, N, F, a, D, b, F, c, 0, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, N, F, a, F, b, D, c, 0, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, N, CUDA_R_8I, a, CUDA_R_8I, b, CUDA_R_8I, c, 0, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, N, CUDA_R_8U, a, CUDA_R_8U, b, CUDA_R_32I, c, 0, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, N, CUDA_R_16F, a, CUDA_R_16BF, b, F, c, 0, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, N, CUDA_R_16F, a, CUDA_R_16F, b, CUDA_R_16BF, c, 0, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(N, N, F, a, F, b, CUDA_R_16F, c, 0, 1), PRIM_ERROR_TYPE);
    cr_refused(HOST(N, N, F, NULL, F, b, F, c, 0, 1), PRIM_ERROR_NULL, "h_a");
    cr_refused(HOST(N, N, F, a, F, NULL, F, c, 0, 1), PRIM_ERROR_NULL, "h_b");
    cr_refused(HOST(N, N, F, a, F, b, F, NULL, 0, 1), PRIM_ERROR_NULL, "h_c");
    cr_assert_eq(HOST(N, N, F, (char *)a + 1, F, b, F, c, 0, 1), PRIM_ERROR_MISALIGNED);
    cr_assert_eq(HOST(N, N, F, a, F, b, F, a, 0, 1), PRIM_ERROR_OVERLAP);
    if (!has_threads())
        cr_assert_eq(HOST(N, N, F, a, F, b, F, c, 0, 2), PRIM_ERROR_UNSUPPORTED);
    cr_assert(c[0] == 5 && c[3] == 8);
#undef F
#undef D
}

/* C is 2 × 3 and k 4, but for one side. */
Test(gemm, matrices_that_do_not_fit_are_refused)
{
    float h[12] = {0}, h_c[6] = {5, 5, 5, 5, 5, 5};
#define FIT(op_a, a_rows, a_columns, op_b, b_rows, b_columns, c_rows, c_columns)       \
    prim_gemm_host(op_a, op_b, 1, prim_matrix_of(CUDA_R_32F, h, a_rows, a_columns, 0), \
                   prim_matrix_of(CUDA_R_32F, h, b_rows, b_columns, 0), 0,             \
                   prim_matrix_of(CUDA_R_32F, h_c, c_rows, c_columns, 0), PRIM_COMPUTE_DEFAULT, 1)
    cr_refused(FIT(N, 2, 3, N, 4, 3, 2, 3), PRIM_ERROR_VALUE,
               "prim_gemm_host: op_a(A) is 2 × 3, op_b(B) 4 × 3 and C 2 × 3");
    cr_refused(FIT(T, 3, 2, T, 3, 4, 2, 3), PRIM_ERROR_VALUE,
               "op_a(A) is 2 × 3, op_b(B) 4 × 3 and C 2 × 3");
    cr_assert_eq(FIT(N, 1, 4, N, 4, 3, 2, 3), PRIM_ERROR_VALUE);
    cr_assert_eq(FIT(N, 4, 2, N, 4, 3, 2, 3), PRIM_ERROR_VALUE, "not transposed");
    cr_assert_eq(FIT(N, 2, 4, N, 3, 4, 2, 3), PRIM_ERROR_VALUE, "not transposed");
    cr_assert_eq(FIT(N, 2, 4, N, 4, 2, 2, 3), PRIM_ERROR_VALUE);
    cr_assert_eq(FIT(N, 2, 4, N, 4, 3, 3, 2), PRIM_ERROR_VALUE);
    cr_assert_eq(FIT(N, 2, 4, N, 4, 3, 0, 3), PRIM_ERROR_VALUE, "C is empty");
    cr_assert_eq(h_c[0], 5);
    cr_assert_eq(FIT(N, 2, 4, N, 4, 3, 2, 3), PRIM_OK);
    cr_assert_eq(FIT(T, 4, 2, T, 3, 4, 2, 3), PRIM_OK);
    cr_assert_eq(h_c[0], 0);
#undef FIT
}

Test(gemm, nothing_takes_no_time)
{
    const size_t many = (size_t)1 << 60;
    cr_prim(prim_gemm_host(N, N, 1, prim_matrix_of(CUDA_R_32F, NULL, many, 0, 0),
                           prim_matrix_of(CUDA_R_32F, NULL, 0, 0, 0), 0,
                           prim_matrix_of(CUDA_R_32F, NULL, many, 0, 0), PRIM_COMPUTE_DEFAULT, 1));
}

Test(gemm, a_single_row_has_no_next_one)
{
    float h[4] = {1, 2, 3, 4}, h_c[4] = {0};
    const size_t far = SIZE_MAX / 2;
    cr_prim(prim_gemm_host(N, N, 1, prim_matrix_of(CUDA_R_32F, h, 1, 1, far),
                           prim_matrix_of(CUDA_R_32F, h, 1, 4, far), 0,
                           prim_matrix_of(CUDA_R_32F, h_c, 1, 4, far), PRIM_COMPUTE_DEFAULT, 1));
    cr_assert_eq(h_c[3], 4);
    cr_assert_eq(prim_gemm_host(N, N, 1, prim_matrix_of(CUDA_R_32F, h, 2, 1, far),
                                prim_matrix_of(CUDA_R_32F, h, 1, 4, 0), 0,
                                prim_matrix_of(CUDA_R_32F, h_c, 2, 4, 0), PRIM_COMPUTE_DEFAULT, 1),
                 PRIM_ERROR_SIZE);
}

Test(gemm, queries_judge_like_the_call)
{
    size_t bytes;
#define ASK(variant, op_a, type, compute)                                                     \
    asked_bytes(prim_gemm((prim_gemm_variant)(variant), (prim_transpose)(op_a), N, 1,         \
                          stored((prim_transpose)(op_a), type, NULL, 5, 7, 0),                \
                          prim_matrix_of(CUDA_R_32F, NULL, 7, 6, 0), 0,                       \
                          prim_matrix_of(CUDA_R_32F, NULL, 5, 6, 0), (prim_compute)(compute), \
                          asking()),                                                          \
                &bytes)
    cr_assert_eq(ASK(9999, N, CUDA_R_32F, 0), PRIM_ERROR_ENUM);
    cr_assert_eq(ASK(0, 2, CUDA_R_32F, 0), PRIM_ERROR_ENUM);
    cr_assert_eq(ASK(0, N, CUDA_R_32F, 7), PRIM_ERROR_ENUM);
    cr_assert_eq(ASK(0, N, CUDA_R_64F, 0), PRIM_ERROR_TYPE);
    cr_assert_eq(ASK(0, N, CUDA_R_32F, 0), PRIM_OK);
    cr_assert(!runs(prim_gemm(PRIM_GEMM_AUTO, N, N, 1, prim_matrix_of(CUDA_R_32F, NULL, 1, 1, 0),
                              prim_matrix_of(CUDA_R_32F, NULL, 1, 1, 0), 0,
                              prim_matrix_of(CUDA_R_32I, NULL, 1, 1, 0), PRIM_COMPUTE_DEFAULT,
                              asking())));
    cr_assert(strncmp(prim_last_error(NULL), "prim_gemm", 9) == 0);
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++)
        for (size_t t = 0; t < TYPES; t++)
            for (int ops = 0; ops < 4; ops++)
                cr_assert_eq(
                    runs(prim_gemm(prim_gemm_variant_at(v)->value, ops & 1 ? T : N, ops & 2 ? T : N,
                                   1, stored(ops & 1 ? T : N, types[t].in, NULL, 1000, 1000, 0),
                                   stored(ops & 2 ? T : N, types[t].in, NULL, 1000, 1000, 0), 0,
                                   prim_matrix_of(types[t].out, NULL, 1000, 1000, 0),
                                   PRIM_COMPUTE_DEFAULT, asking())),
                    gemm_rung_takes(prim_gemm_variant_at(v)->value, types[t].in));
}

/* ---- more than 2^31 elements, where the device has the memory ---- */

enum { LONG_SIDE = 65539, SHORT_SIDE = 32769 }; /* their product is more than 2^31 */

static void check_long(prim_gemm_variant variant, size_t m, size_t n, size_t k)
{
    const size_t a_count = m * k, b_count = k * n, c_count = m * n;
    float *d_a, *d_b, *d_c, result[2];
    const float three = 3, one = 1;
    cr_cuda(cudaMalloc((void **)&d_a, a_count * 4));
    cr_cuda(cudaMalloc((void **)&d_b, b_count * 4));
    cr_cuda(cudaMalloc((void **)&d_c, c_count * 4));
    cr_cuda(cudaMemset(d_a, 0, a_count * 4));
    cr_cuda(cudaMemset(d_b, 0, b_count * 4));
    cr_cuda(cudaMemset(d_c, 0xff, c_count * 4));
    cr_cuda(cudaMemcpy(d_a + a_count - 1, &three, 4, cudaMemcpyHostToDevice));
    cr_cuda(cudaMemcpy(d_b + b_count - 1, &one, 4, cudaMemcpyHostToDevice));
    cr_prim(prim_gemm(variant, N, N, 1, prim_matrix_of(CUDA_R_32F, d_a, m, k, 0),
                      prim_matrix_of(CUDA_R_32F, d_b, k, n, 0), 0,
                      prim_matrix_of(CUDA_R_32F, d_c, m, n, 0), PRIM_COMPUTE_DEFAULT, NULL));
    cr_cuda(cudaMemcpy(result, d_c + c_count - 1, 4, cudaMemcpyDeviceToHost));
    cr_cuda(cudaMemcpy(result + 1, d_c + c_count / 2, 4, cudaMemcpyDeviceToHost));
    cr_assert_eq(result[0], 3, "%s, %zu × %zu × %zu", prim_gemm_variant_info(variant)->name, m, n,
                 k);
    cr_assert(result[1] == 0 || c_count == 1);
    cr_cuda(cudaFree(d_a));
    cr_cuda(cudaFree(d_b));
    cr_cuda(cudaFree(d_c));
}

Test(gemm, beyond_two_to_the_31)
{
    if (on_cpu_backend() || get_test_level() != LEVEL_FULL)
        cr_skip_test("more than 2^31 elements: on a GPU at PRIM_TEST_LEVEL=full only");
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++) {
        if (!gemm_rung_takes(prim_gemm_variant_at(v)->value, CUDA_R_32F))
            continue;
        check_long(prim_gemm_variant_at(v)->value, LONG_SIDE, 1, SHORT_SIDE);
        check_long(prim_gemm_variant_at(v)->value, 1, LONG_SIDE, SHORT_SIDE);
        check_long(prim_gemm_variant_at(v)->value, LONG_SIDE, SHORT_SIDE, 1);
        check_long(prim_gemm_variant_at(v)->value, (1 << 20) + 17, 3,
                   2); /* many rows: beyond grid.y */
        check_long(prim_gemm_variant_at(v)->value, 3, (1 << 21) + 33, 2);
    }
}

/* ---- the table ---- */

/* Each of these calls takes its route, and is right. */
Test(gemm, routes)
{
    static const struct {
        const char *route;
        size_t gap;
    } routes[] = {{"tensor_copies", 0}, {"tensor_copies", 8}, {"realigned", 1}, {"realigned", 4}};
    static const prim_gemm_variant variants[] = {PRIM_GEMM_WGMMA, PRIM_GEMM_WGMMA_SPECIALIZED};
    const cudaDataType_t type = CUDA_R_16F;
    for (size_t v = 0; v < COUNT_OF(variants); v++)
        for (size_t r = 0; r < COUNT_OF(routes); r++) {
            const gemm_case c = {.variant = variants[v],
                                 .in = type,
                                 .type = type,
                                 .op_a = N,
                                 .op_b = T,
                                 .m = 130,
                                 .n = 72,
                                 .k = 136,
                                 .gaps = {0, routes[r].gap, 0},
                                 .alpha = 1};
            const prim_matrix a = stored(N, type, NULL, c.m, c.k, 0),
                              b = stored(T, type, NULL, c.k, c.n, c.k + routes[r].gap),
                              out = prim_matrix_of(type, NULL, c.m, c.n, 0);
            if (!runs(prim_gemm(c.variant, N, T, 1, a, b, 0, out, PRIM_COMPUTE_DEFAULT, asking())))
                cr_skip_test("no %s here", prim_gemm_variant_info(c.variant)->name);
            cr_assert_str_eq(asked()->route, routes[r].route, "gap %zu", routes[r].gap);
            check(&c);
        }
}

/* The way of A · Bᵀ, with gaps after B's rows and so many elements before it. */
static const char *way_of(prim_gemm_variant variant, size_t side, size_t k, size_t gap,
                          const uint16_t *d_b)
{
    const cudaDataType_t type = CUDA_R_16F;
    const prim_matrix a = stored(N, type, NULL, side, k, 0),
                      b = stored(T, type, (void *)(uintptr_t)d_b, k, side, k + gap),
                      out = prim_matrix_of(type, NULL, side, side, 0);
    return runs(prim_gemm(variant, N, T, 1, a, b, 0, out, PRIM_COMPUTE_DEFAULT, asking()))
               ? asked()->route
               : "not here";
}

/* Rows that begin anywhere are realigned where that pays; an address alone changes the kernels. */
Test(gemm, routes_of_elements)
{
    uint16_t *d_b = NULL;
    cr_cuda(cudaMalloc((void **)&d_b, (64 * 64 + 1) * sizeof *d_b));
    if (strcmp(way_of(PRIM_GEMM_MMA, 64, 64, 0, d_b), "not here") == 0)
        cr_skip_test("no mma here");
    cr_assert_str_eq(way_of(PRIM_GEMM_MMA, 64, 64, 0, d_b), "copies");
    cr_assert_str_eq(way_of(PRIM_GEMM_MMA, 64, 64, 0, d_b + 1), "elements");
    cr_assert_str_eq(way_of(PRIM_GEMM_MMA, 64, 8, 1, NULL), "elements");
    cr_assert_str_eq(way_of(PRIM_GEMM_MMA, 4096, 4096, 1, NULL), "realigned");
    if (strcmp(way_of(PRIM_GEMM_WGMMA, 64, 64, 0, d_b), "not here") == 0)
        cr_skip_test("no wgmma here");
    cr_assert_str_eq(way_of(PRIM_GEMM_WGMMA, 64, 64, 0, d_b), "tensor_copies");
    cr_assert_str_eq(way_of(PRIM_GEMM_WGMMA, 64, 64, 0, d_b + 1), "mma");
    cudaFree(d_b);
}

Test(gemm, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_gemm_variant_at(0)->value, PRIM_GEMM_AUTO);
    cr_assert_not_null(prim_gemm_variant_at(5));
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++) {
        const char *name = prim_gemm_variant_at(v)->name;
        cr_assert(name != NULL && strlen(name) > 0);
        cr_assert(strlen(prim_gemm_variant_at(v)->idea) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(name, prim_gemm_variant_at(w)->name);
    }
    cr_assert_str_eq(prim_gemm_variant_info(PRIM_GEMM_AUTO)->name, "auto");
    cr_assert_str_eq(prim_gemm_variant_info(PRIM_GEMM_ROW_PER_BLOCK)->name, "row_per_block");
    cr_assert_null(prim_gemm_variant_info((prim_gemm_variant)9999));
}
