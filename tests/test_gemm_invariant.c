/* gemm with PRIM_COMPUTE_BATCH_INVARIANT: a row's bits, whatever stands beside it and however the
 * operands lie.
 *
 * A case has A of some hundred rows, B and C. A first call computes all rows of C, and the oracle
 * checks their values. Then other calls compute some of these rows in other company, and must give
 * the same bits. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/gemm.h>

#include "calls.h"
#include "gemm_variants.h"
#include "products.h"
#include "rungs.h"
#include "stored.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define N PRIM_NOT_TRANSPOSED
#define T PRIM_TRANSPOSED
#define INVARIANT PRIM_COMPUTE_BATCH_INVARIANT

/* Of A and B, and of C. */
static const struct type_pair {
    cudaDataType_t in, out;
} types[] = {{CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F},   {CUDA_R_16F, CUDA_R_16F},
             {CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF}, {CUDA_R_16BF, CUDA_R_32F},
             {CUDA_R_32I, CUDA_R_32I}, {CUDA_R_8I, CUDA_R_32I}};

static bool is_half(cudaDataType_t type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF;
}

/* Those that give one and the same bits where there is wgmma. */
static const prim_gemm_variant by_wgmma[] = {PRIM_GEMM_AUTO, PRIM_GEMM_WGMMA,
                                             PRIM_GEMM_WGMMA_SPECIALIZED};

/* "Of f16 and bf16 AUTO takes WGMMA or WGMMA_SPECIALIZED where there is that". */
static bool is_by_wgmma(prim_gemm_variant variant, cudaDataType_t in)
{
    return is_half(in) && gemm_rung_takes(PRIM_GEMM_WGMMA, in) &&
           (variant == PRIM_GEMM_AUTO || variant == PRIM_GEMM_WGMMA ||
            variant == PRIM_GEMM_WGMMA_SPECIALIZED);
}

static int capability_of(int device)
{
    int major = 0, minor = 0;
    cr_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    cr_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    return 10 * major + minor;
}

/* From device 0 on, of its compute capability. */
static size_t count_devices(void)
{
    int all = 1, alike = 1;
    cr_cuda(cudaGetDeviceCount(&all));
    while (alike < all && capability_of(alike) == capability_of(0))
        alike++;
    return (size_t)alike;
}

/* ---- a case, and the company that its rows are in ---- */

typedef struct product_case {
    prim_gemm_variant variant;
    cudaDataType_t in, out;
    size_t rows, n, k;
    double alpha, beta;
    uint64_t seed;
} product_case;

/* Products 0, 1, … of a batch take m rows of A each, from `first`, first + apart, … on. */
typedef struct company {
    prim_gemm_variant variant; /* the case's, or another one with its bits */
    size_t first, m, apart;
    size_t batches; /* 0: prim_gemm() */
    bool by_pointers;
    bool one_a, one_b; /* A's matrices overlap in memory; all products share a B */
    prim_transpose op_a, op_b;
    size_t gaps[3], offsets[3]; /* of A, B and C: after a line, before the first */
    int device;
} company;

static size_t count_of(const company *w)
{
    return w->batches > 0 ? w->batches : 1;
}

static size_t draw(uint64_t *state, size_t below)
{
    return random_bits((*state)++) % below;
}

/* Lines packed, up to 8 elements, or odd; operands that begin at 256 bytes, or anywhere. */
static void draw_lines(uint64_t *state, const size_t lengths[3], company *w)
{
    for (int i = 0; i < 3; i++) {
        const size_t kind = draw(state, 4), up = (8 - lengths[i] % 8) % 8;
        w->gaps[i] = kind == 0 ? 0 : kind < 3 ? up + 8 * draw(state, 2) : 1 + draw(state, 9);
        w->offsets[i] = draw(state, 2) == 0 ? 0 : 1 + draw(state, 9);
    }
}

/* Of m rows; 0: any number. */
static company draw_company(const product_case *c, size_t m, uint64_t *state)
{
    const size_t few = c->rows < 4 ? c->rows : 4;
    company w = {.m = m > 0 ? m : 1 + draw(state, draw(state, 2) == 0 ? few : c->rows),
                 .op_a = draw(state, 2) ? T : N,
                 .op_b = draw(state, 2) ? T : N,
                 .one_a = draw(state, 3) == 0,
                 .one_b = draw(state, 2) == 0,
                 .device = (int)draw(state, count_devices())};
    const size_t left = c->rows - w.m;
    w.batches = draw(state, 2) == 0 ? 0 : 1 + draw(state, 3);
    w.by_pointers = w.batches > 0 && draw(state, 3) == 0;
    w.apart = w.batches > 1 ? draw(state, left / (w.batches - 1) + 1) : 0;
    w.first = draw(state, left - (count_of(&w) - 1) * w.apart + 1);
    w.variant =
        is_by_wgmma(c->variant, c->in) ? by_wgmma[draw(state, COUNT_OF(by_wgmma))] : c->variant;
    draw_lines(state, (size_t[]){w.op_a == N ? c->k : w.m, w.op_b == N ? c->n : c->k, c->n}, &w);
    return w;
}

/* ---- the operands of a call ---- */

/* Matrices in memory, the first of them. */
typedef struct placed {
    guarded memory;
    prim_matrix first;
} placed;

/* So many matrices of `rows` rows, from row i · apart of `from` on. After lines stand NaNs. */
static placed place(const matrix *from, size_t apart, size_t count, size_t rows, prim_transpose op,
                    size_t gap, size_t offset)
{
    const size_t bytes = type_bytes(from->type), columns = from->columns;
    prim_matrix x = stored(op, from->type, NULL, rows, columns, 0);
    x.ld = x.columns + gap;
    x.stride = x.rows * x.ld + gap;
    char *const h = malloc(count * x.stride * bytes + 1);
    memset(h, 0xff, count * x.stride * bytes);
    for (size_t i = 0; i < count; i++)
        for (size_t row = 0; row < rows; row++)
            for (size_t column = 0; column < columns; column++) {
                const size_t at = op == T ? column * x.ld + row : row * x.ld + column;
                memcpy(h + (i * x.stride + at) * bytes,
                       (char *)matrix_data(from) + ((i * apart + row) * columns + column) * bytes,
                       bytes);
            }
    placed all = {guarded_copy(h, count * x.stride * bytes, offset * bytes), x};
    all.first.data = all.memory.data;
    free(h);
    return all;
}

static matrix rows_from(const matrix *x, size_t first)
{
    matrix y = *x;
    y.base += first * x->columns * type_bytes(x->type);
    return y;
}

/* Overlapping matrices are one that has all rows, a row or more apart. */
static placed place_a(const factors *x, const company *w)
{
    const matrix from = rows_from(&x->a, w->first);
    const size_t count = count_of(w);
    if (!w->one_a)
        return place(&from, w->apart, count, w->m, w->op_a, w->gaps[0], w->offsets[0]);
    placed a =
        place(&from, 0, 1, (count - 1) * w->apart + w->m, w->op_a, w->gaps[0], w->offsets[0]);
    a.first.stride = w->op_a == N ? w->apart * a.first.ld : w->apart;
    *(w->op_a == N ? &a.first.rows : &a.first.columns) = w->m;
    return a;
}

static placed place_b(const factors *x, const company *w)
{
    placed b =
        place(&x->b, 0, w->one_b ? 1 : count_of(w), x->b.rows, w->op_b, w->gaps[1], w->offsets[1]);
    if (w->one_b)
        b.first.stride = 0;
    return b;
}

static placed place_c(const factors *x, const company *w)
{
    const matrix from = rows_from(&x->before, w->first);
    return place(&from, w->apart, count_of(w), w->m, N, w->gaps[2], w->offsets[2]);
}

/* The matrix as prim_gemm_pointers() takes it: its data a device array. */
static prim_matrix by_pointers(prim_matrix x, size_t count)
{
    void **d, **h = malloc(count * sizeof *h);
    for (size_t i = 0; i < count; i++)
        h[i] = (char *)x.data + i * x.stride * type_bytes(x.type);
    cr_cuda(cudaMalloc((void **)&d, count * sizeof *h));
    cr_cuda(cudaMemcpy(d, h, count * sizeof *h, cudaMemcpyHostToDevice));
    free(h);
    x.data = d;
    return x;
}

/* ---- the call ---- */

static prim_status submit(const product_case *c, const company *w, const prim_matrix x[3],
                          prim_compute compute, const prim_call *how)
{
    if (w->batches == 0)
        return prim_gemm(w->variant, w->op_a, w->op_b, c->alpha, x[0], x[1], c->beta, x[2], compute,
                         how);
    return (w->by_pointers ? prim_gemm_pointers
                           : prim_gemm_batched)(w->variant, w->op_a, w->op_b, c->alpha, x[0], x[1],
                                                c->beta, x[2], w->batches, compute, how);
}

/* With a workspace of just the bytes that it answers. Calls remember a plan: not that of another
 * way to sum. */
static void run_with_workspace(const product_case *c, const company *w, const prim_matrix x[3])
{
    size_t bytes;
    if (w->by_pointers && is_by_wgmma(c->variant, c->in)) {
        cr_assert_eq(submit(c, w, x, INVARIANT, NULL), PRIM_ERROR_UNSUPPORTED);
        return;
    }
    cr_prim(submit(c, w, x, PRIM_COMPUTE_DEFAULT, asking()));
    cr_prim(asked_bytes(submit(c, w, x, INVARIANT, asking()), &bytes));
    guarded workspace = guarded_new(bytes, 0);
    cr_prim(submit(c, w, x, INVARIANT, with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_free(&workspace);
}

static void run_by_pointers(const product_case *c, const company *w, const prim_matrix x[3])
{
    const prim_matrix p[3] = {by_pointers(x[0], w->batches), by_pointers(x[1], w->batches),
                              by_pointers(x[2], w->batches)};
    run_with_workspace(c, w, p);
    for (int i = 0; i < 3; i++)
        cr_cuda(cudaFree((void *)p[i].data));
}

static void expect_rows(const product_case *c, const company *w, const matrix *expected,
                        const placed *got)
{
    const size_t bytes = type_bytes(c->out), line = c->n * bytes;
    char *const h = malloc(got->memory.bytes + 1);
    guarded_read(&got->memory, h);
    for (size_t i = 0; i < count_of(w); i++)
        for (size_t row = 0; row < w->m; row++)
            cr_assert(
                memcmp(h + (i * got->first.stride + row * got->first.ld) * bytes,
                       (char *)matrix_data(expected) + (w->first + i * w->apart + row) * line,
                       line) == 0,
                "%s %s to %s, %zu × %zu × %zu of seed %llu: row %zu of product %zu of %zu (%s), "
                "rows %zu + %zu, %zu apart, ops %d%d, gaps %zu %zu %zu, offsets %zu %zu %zu, "
                "one A %d, B %d, device %d",
                prim_gemm_variant_info(w->variant)->name, type_name(c->in), type_name(c->out), w->m,
                c->n, c->k, (unsigned long long)c->seed, row, i, w->batches,
                w->by_pointers ? "pointers" : "strides", w->first, w->m, w->apart, w->op_a, w->op_b,
                w->gaps[0], w->gaps[1], w->gaps[2], w->offsets[0], w->offsets[1], w->offsets[2],
                w->one_a, w->one_b, w->device);
    free(h);
}

static void check_company(const product_case *c, const factors *x, const company *w)
{
    cr_cuda(cudaSetDevice(w->device));
    placed all[3] = {place_a(x, w), place_b(x, w), place_c(x, w)};
    const prim_matrix matrices[3] = {all[0].first, all[1].first, all[2].first};
    (w->by_pointers ? run_by_pointers : run_with_workspace)(c, w, matrices);
    if (!w->by_pointers || !is_by_wgmma(c->variant, c->in))
        expect_rows(c, w, &x->after, &all[2]);
    for (int i = 0; i < 3; i++)
        guarded_free(&all[i].memory);
    cr_cuda(cudaSetDevice(0));
}

/* ---- the first call ---- */

static factors make_factors(const product_case *c)
{
    factors x = {.a = matrix_new(c->in, c->rows, c->k, c->k, 0),
                 .b = matrix_new(c->in, c->k, c->n, c->n, 0),
                 .before = matrix_new(c->out, c->rows, c->n, c->n, 0),
                 .after = matrix_new(c->out, c->rows, c->n, c->n, 0)};
    factors_fill(&x, &(contents){.d = UNIFORM, .seed = c->seed}, c->beta);
    return x;
}

static factors first_call(const product_case *c)
{
    factors x = make_factors(c);
    const company all = {.variant = c->variant, .m = c->rows};
    placed a = place_a(&x, &all), b = place_b(&x, &all), out = place_c(&x, &all);
    cr_prim(submit(c, &all, (prim_matrix[]){a.first, b.first, out.first}, INVARIANT, NULL));
    guarded_read(&out.memory, matrix_data(&x.after));
    guarded_free(&a.memory);
    guarded_free(&b.memory);
    guarded_free(&out.memory);
    const product p = {c->out,   N,       N,    c->rows, c->n,      c->k,
                       c->alpha, c->beta, &x.a, &x.b,    &x.before, false};
    product_check(&p, &x.after, 7, prim_gemm_variant_info(c->variant)->name);
    return x;
}

/* ---- every variant and type ---- */

static const size_t numbers_of_rows[] = {1, 2, 3, 8, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129};

/* n and k: thin, odd, with a k of one slab, of several, and one that is cut. */
static const size_t shapes[][2] = {{1, 1},    {5, 7},    {40, 64},  {130, 800},
                                   {1, 1000}, {19, 800}, {9, 2500}, {35, 4200}};

static void check_shape(prim_gemm_variant variant, const struct type_pair *type, size_t s)
{
    enum { LONG = 1000 };
    const bool is_long = shapes[s][1] > LONG, quick = get_test_level() == LEVEL_QUICK;
    const product_case c = {.variant = variant,
                            .in = type->in,
                            .out = type->out,
                            .rows = is_long ? 100 : 150,
                            .n = shapes[s][0],
                            .k = shapes[s][1],
                            .alpha = s % 2 ? 3 : 1,
                            .beta = s % 3 ? 0 : -2,
                            .seed = 100 * s + 7 * (uint64_t)type->in};
    uint64_t state = 1000 * (s + 10 * (uint64_t)type->out + 100 * (uint64_t)variant);
    factors x = first_call(&c);
    for (size_t i = 0; i < COUNT_OF(numbers_of_rows); i++)
        if (numbers_of_rows[i] <= c.rows && (!quick || (i + s) % (is_long ? 5 : 3) == 0)) {
            const company w = draw_company(&c, numbers_of_rows[i], &state);
            check_company(&c, &x, &w);
        }
    factors_free(&x);
}

/* Those whose order of additions m decides. */
static bool refuses(prim_gemm_variant variant, const struct type_pair *t)
{
    return variant == PRIM_GEMM_THIN && type_is_float(t->in);
}

ParameterizedTestParameters(gemm_invariant, rows)
{
    return gemm_variants();
}
ParameterizedTest(prim_gemm_variant *variant, gemm_invariant, rows)
{
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++) {
            const size_t rarity = get_test_level() != LEVEL_QUICK ? 1
                                  : is_half(types[t].in)          ? 4
                                                                  : 2;
            if (gemm_rung_takes(*variant, types[t].in) && !refuses(*variant, &types[t]) &&
                (s + t) % rarity == 0 && is_of_share())
                check_shape(*variant, &types[t], s);
        }
}

/* ---- drawn cases ---- */

/* Log-uniform, about. */
static size_t draw_size(uint64_t *state, size_t most)
{
    const size_t below = draw(state, 8);
    return 1 + draw(state, (most >> below) + 1);
}

static product_case draw_case(const struct type_pair *type, uint64_t seed, uint64_t *state)
{
    static const double scalars[] = {1, 1, -0.7, 2};
    const bool is_long = draw(state, 4) == 0;
    const product_case c = {.variant = PRIM_GEMM_AUTO,
                            .in = type->in,
                            .out = type->out,
                            .rows = 1 + draw(state, is_long ? 100 : 200),
                            .n = draw_size(state, is_long ? 40 : 200),
                            .k = is_long ? 700 + draw(state, 4000) : draw_size(state, 300),
                            .alpha = type_is_float(type->out) ? scalars[draw(state, 4)] : 3,
                            .beta = draw(state, 2) == 0 ? 0 : -3,
                            .seed = seed};
    return c;
}

enum { COMPANIES = 8 }; /* of a drawn case */

/* Pairs of calls of AUTO, over all types: 10^3; at level full 10^4, and on a GPU 10^5. */
static size_t drawn_cases(void)
{
    const size_t pairs = get_test_level() != LEVEL_FULL ? 1000 : on_cpu_backend() ? 10000 : 100000;
    return pairs / COMPANIES / COUNT_OF(types);
}

ParameterizedTestParameters(gemm_invariant, drawn)
{
    static size_t rows[COUNT_OF(types)];
    for (size_t t = 0; t < COUNT_OF(types); t++)
        rows[t] = t;
    return cr_make_param_array(size_t, rows, COUNT_OF(types));
}
ParameterizedTest(size_t *type, gemm_invariant, drawn)
{
    const size_t cases = drawn_cases();
    for (size_t i = 0; i <= cases; i++) {
        uint64_t state = (i * COUNT_OF(types) + *type) << 32;
        const product_case c = draw_case(&types[*type], i, &state);
        if (!is_of_share())
            continue;
        factors x = first_call(&c);
        for (int j = 0; j < COMPANIES; j++) {
            const company w = draw_company(&c, 0, &state);
            check_company(&c, &x, &w);
        }
        factors_free(&x);
    }
}

/* ---- what AUTO takes, what is refused, and workspaces ---- */

/* A call that is asked, whose A may be anywhere. */
static prim_status ask(prim_gemm_variant variant, const struct type_pair *type, size_t m, size_t n,
                       size_t k, size_t batches, const void *d_a)
{
    const prim_matrix a = prim_matrix_of(type->in, d_a, m, k, 0),
                      b = prim_matrix_of(type->in, NULL, k, n, 0),
                      c = prim_matrix_of(type->out, NULL, m, n, 0);
    return prim_gemm_batched(variant, N, N, 1, in_batch(a, m * k), in_batch(b, k * n), 0,
                             in_batch(c, m * n), batches, INVARIANT, asking());
}

/* Where wgmma sums, AUTO takes one of two rungs. WGMMA_SPECIALIZED needs no room for the sums of
 * all parts, but for a tile of each block. */
static void check_choice_of_wgmma(const struct type_pair *type, size_t m, size_t n, size_t k,
                                  size_t batches)
{
    const int rung = chosen(ask(PRIM_GEMM_AUTO, type, m, n, k, batches, NULL));
    const size_t bytes = asked()->workspace_bytes;
    cr_prim(ask((prim_gemm_variant)rung, type, m, n, k, batches, NULL));
    cr_assert_eq(bytes, asked()->workspace_bytes);
    cr_prim(ask(PRIM_GEMM_WGMMA, type, 1, n, k, 1, NULL));
    const bool is_cut = asked()->workspace_bytes > 0;
    cr_assert(rung == PRIM_GEMM_WGMMA || rung == PRIM_GEMM_WGMMA_SPECIALIZED);
    if (rung == PRIM_GEMM_WGMMA_SPECIALIZED) {
        cr_assert_eq(bytes > 0, is_cut, "%zu of %zu × %zu × %zu", batches, m, n, k);
        cr_assert_leq(bytes, (size_t)1024 * 128 * 256 * sizeof(float));
    }
}

static void check_choices_of_wgmma(const struct type_pair *type, size_t n, size_t k)
{
    static const size_t ms[] = {1, 64, 129, 1000, 4096, 100000};
    for (size_t m = 0; m < COUNT_OF(ms); m++)
        for (size_t batches = 1; batches < 1000; batches += 300)
            check_choice_of_wgmma(type, ms[m], n, k, batches);
}

/* The rung goes by the types, n and k, and so does the number of parts of k: their sums are the
 * workspace, where no operand has to be realigned. */
static void check_choice(prim_gemm_variant variant, const struct type_pair *type, size_t n,
                         size_t k)
{
    static const size_t ms[] = {1, 2, 8, 64, 1000, 4096, 100000};
    const int devices = (int)count_devices();
    const int rung = chosen(ask(variant, type, 1, n, k, 1, NULL));
    const size_t bytes = asked()->workspace_bytes;
    for (size_t m = 0; m < COUNT_OF(ms); m++)
        for (size_t batches = 1; batches < 1000; batches += 300)
            for (int d = 0; d < devices; d++) {
                cr_cuda(cudaSetDevice(d));
                cr_assert_eq(chosen(ask(variant, type, ms[m], n, k, batches, NULL)), rung);
                cr_assert_eq(asked()->workspace_bytes, bytes * ms[m] * batches,
                             "%s: %zu products of %zu × %zu × %zu", asked()->variant->name, batches,
                             ms[m], n, k);
            }
    cr_cuda(cudaSetDevice(0));
    if (variant != PRIM_GEMM_AUTO)
        return;
    if (is_half(type->in) && gemm_rung_takes(PRIM_GEMM_MMA, type->in))
        cr_assert_eq(rung, PRIM_GEMM_MMA);
    else
        cr_assert_eq(rung, bytes > 0 ? PRIM_GEMM_SPLIT_K : PRIM_GEMM_WARP_TILED);
}

ParameterizedTestParameters(gemm_invariant, choices)
{
    return gemm_variants();
}
ParameterizedTest(prim_gemm_variant *variant, gemm_invariant, choices)
{
    static const size_t sides[] = {8, 24, 104, 1000, 5000, 20000};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t n = 0; n < COUNT_OF(sides); n++)
            for (size_t k = 0; k < COUNT_OF(sides); k++)
                if (type_is_float(types[t].in) && gemm_rung_takes(*variant, types[t].in) &&
                    !refuses(*variant, &types[t])) {
                    if (*variant == PRIM_GEMM_WGMMA || !is_by_wgmma(*variant, types[t].in))
                        check_choice(*variant, &types[t], sides[n], sides[k]);
                    else
                        check_choices_of_wgmma(&types[t], sides[n], sides[k]);
                }
}

Test(gemm_invariant, empty)
{
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        cr_prim(ask(PRIM_GEMM_AUTO, &types[t], 0, 5, 5000, 1, NULL));
        cr_prim(ask(PRIM_GEMM_AUTO, &types[t], 5, 0, 5000, 1, NULL));
        cr_prim(ask(PRIM_GEMM_AUTO, &types[t], 5, 5, 0, 1, NULL));
        cr_prim(ask(PRIM_GEMM_AUTO, &types[t], 5, 5, 5000, 0, NULL));
        const product_case c = {PRIM_GEMM_AUTO, types[t].in, types[t].out, 5, 5, 0, 1, 3, t};
        factors x = first_call(&c);
        factors_free(&x);
    }
}

/* Room for A where its address is odd, and only then. */
Test(gemm_invariant, workspaces)
{
    const struct type_pair half = {CUDA_R_16F, CUDA_R_16F};
    enum { M = 100, SIDE = 64, BYTES = M * SIDE * 2 };
    guarded memory = guarded_new(BYTES + 16, 0);
    char *const d = memory.data;
    if (!is_by_wgmma(PRIM_GEMM_AUTO, CUDA_R_16F))
        cr_skip_test("no wgmma here");
    cr_prim(ask(PRIM_GEMM_AUTO, &half, M, SIDE, SIDE, 1, NULL));
    cr_assert_eq(asked()->workspace_bytes, 0);
    cr_assert_str_eq(asked()->route, "tensor_copies");
    cr_prim(ask(PRIM_GEMM_AUTO, &half, M, SIDE, SIDE, 1, d + 2));
    cr_assert_eq(asked()->workspace_bytes, BYTES);
    cr_assert_str_eq(asked()->route, "realigned");
    cr_prim(ask(PRIM_GEMM_AUTO, &half, M, SIDE, SIDE, 1, d + 16));
    cr_assert_eq(asked()->workspace_bytes, 0);
    guarded_free(&memory);
}

Test(gemm_invariant, wgmma_refuses_what_it_does_not_reach)
{
    const struct type_pair half = {CUDA_R_16F, CUDA_R_16F};
    const size_t most = ((size_t)1 << 31) - 2048, many = (size_t)1 << 31;
    if (!is_by_wgmma(PRIM_GEMM_AUTO, CUDA_R_16F))
        cr_skip_test("no wgmma here");
    cr_prim(ask(PRIM_GEMM_AUTO, &half, 8, 8, most, 1, NULL));
    cr_assert_eq(asked()->variant->value, PRIM_GEMM_WGMMA);
    cr_assert_eq(ask(PRIM_GEMM_WGMMA, &half, 8, 8, many, 1, NULL), PRIM_ERROR_UNSUPPORTED);
    cr_assert_eq(ask(PRIM_GEMM_AUTO, &half, 8, 8, many, 1, NULL), PRIM_ERROR_UNSUPPORTED);
    cr_assert(strstr(prim_last_error(NULL), "tensor copies cannot read these operands") != NULL);
    cr_prim(ask(PRIM_GEMM_MMA, &half, 8, 8, many, 1, NULL));
}

Test(gemm_invariant, what_m_decides_refuses)
{
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++)
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            const prim_gemm_variant variant = (prim_gemm_variant)prim_gemm_variant_at(v)->value;
            if (!gemm_rung_takes(variant, types[t].in) || !refuses(variant, &types[t]))
                continue;
            cr_assert_eq(ask(variant, &types[t], 8, 8, 8, 1, NULL), PRIM_ERROR_UNSUPPORTED);
            cr_assert(strstr(prim_last_error(NULL), "its bits depend on m") != NULL);
        }
}

/* Sums of integers are the same in any order: AUTO takes what it takes by default. */
Test(gemm_invariant, integers)
{
    const prim_matrix i32 = prim_matrix_of(CUDA_R_32I, NULL, 4, 4, 0);
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++)
        for (size_t m = 1; m <= 4; m++) {
            const prim_matrix a = prim_matrix_of(CUDA_R_32I, NULL, m, 4, 0);
            const int variant = (int)prim_gemm_variant_at(v)->value,
                      otherwise = chosen(prim_gemm(variant, N, N, 1, a, i32, 0, a,
                                                   PRIM_COMPUTE_DEFAULT, asking()));
            cr_assert_eq(chosen(prim_gemm(variant, N, N, 1, a, i32, 0, a, INVARIANT, asking())),
                         otherwise);
        }
}

/* The host's version adds from front to back anyway. */
Test(gemm_invariant, host_version)
{
    const product_case c = {
        .in = CUDA_R_32F, .out = CUDA_R_32F, .rows = 7, .n = 9, .k = 100, .alpha = 1};
    factors x = make_factors(&c);
    float by_default[7 * 9], invariant[7 * 9];
    const prim_matrix a = prim_matrix_of(c.in, matrix_data(&x.a), c.rows, c.k, 0),
                      b = prim_matrix_of(c.in, matrix_data(&x.b), c.k, c.n, 0);
    cr_prim(prim_gemm_host(N, N, 1, a, b, 0, prim_matrix_of(c.out, by_default, c.rows, c.n, 0),
                           PRIM_COMPUTE_DEFAULT, 1));
    cr_prim(prim_gemm_host(N, N, 1, a, b, 0, prim_matrix_of(c.out, invariant, c.rows, c.n, 0),
                           INVARIANT, 1));
    cr_assert_arr_eq(invariant, by_default, sizeof by_default);
    factors_free(&x);
}
