/* reduce: every variant and every pair of types against an independent oracle, and the one order in
 * which AUTO and the host combine, to the bit. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/reduce.h>

#include "calls.h"
#include "reductions.h"
#include "rungs.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

/* ---- one vector ---- */

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
    cr_prim(asked_bytes(prim_reduce(c->variant, c->op, c->transform, c->types.in, NULL, c->count,
                                    c->types.out, NULL, asking()),
                        &bytes));
    const size_t in_bytes = type_bytes(c->types.in), out_bytes = type_bytes(c->types.out);
    guarded in = guarded_copy(c->h_in, c->count * in_bytes, c->offset * in_bytes);
    guarded out = guarded_new(out_bytes, c->offset * out_bytes);
    guarded workspace = guarded_new(bytes, 0);
    cr_prim(prim_reduce(c->variant, c->op, c->transform, c->types.in, in.data, c->count,
                        c->types.out, out.data, with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&out, h_result);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
}

static void describe(const reduce_case *c, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s %s(%s) %s → %s, %zu elements at offset %zu",
             prim_reduce_variant_info(c->variant)->name, op_names[c->op],
             transform_names[c->transform], type_name(c->types.in), type_name(c->types.out),
             c->count, c->offset);
}

static void check_right(const reduce_case *c, const void *result)
{
    const expected e = expect(c->op, c->transform, c->types, c->h_in, c->count, 1);
    char text[160];
    describe(c, text, sizeof text);
    cr_assert(right(&e, c->types, result), "%s: %.17g or %llu, not %.17g … %.17g or %llu", text,
              type_is_float(c->types.out) ? read_float(c->types.out, result, 0) : 0.0,
              type_is_float(c->types.out)
                  ? 0ull
                  : (unsigned long long)read_integer(c->types.out, result, 0),
              e.low, e.high, (unsigned long long)e.integer);
}

/* Right, and in the one order the host's bits. */
static void check_device(const reduce_case *c)
{
    unsigned char result[8], on_host[8];
    char text[160];
    run_on_device(c, result);
    check_right(c, result);
    if (!reduce_rung_has(c->variant, HAS_HOST_ORDER))
        return;
    describe(c, text, sizeof text);
    cr_prim(prim_reduce_host(c->op, c->transform, c->types.in, c->h_in, c->count, c->types.out,
                             on_host, 1));
    cr_assert_arr_eq(result, on_host, type_bytes(c->types.out), "%s: other bits than the host's",
                     text);
}

/* ---- every variant and pair of types, one test each ---- */

typedef struct combination {
    prim_reduce_variant variant;
    type_pair types;
} combination;

typedef bool pair_filter(size_t pair);

static bool any_pair(size_t pair)
{
    (void)pair;
    return true;
}

static bool float_pair(size_t pair)
{
    return type_is_float(type_pairs[pair].in);
}

/* What a variant has at all, as the header says, and one pair where it has none, which is skipped
 * with its name. On the CPU backend AUTO is VECTORIZED, which is tested in full. */
static bool worth_a_test(prim_reduce_variant variant, type_pair types)
{
    const bool f32 = types.in == CUDA_R_32F && types.out == CUDA_R_32F;
    const bool i32 = types.in == CUDA_R_32I && types.out == CUDA_R_32I;
    switch (variant) {
    case PRIM_REDUCE_AUTO:
        return !on_cpu_backend() || f32 || i32;
    case PRIM_REDUCE_SINGLE_PASS:
        return !on_cpu_backend() || f32;
    default:
        return reduce_rung_has(variant, TAKES_ALL_TYPES) || f32 || i32 ||
               (types.in == CUDA_R_64F && types.out == CUDA_R_64F) ||
               (types.in == CUDA_R_8U && types.out == CUDA_R_64U);
    }
}

static struct criterion_test_params combinations(pair_filter *wanted)
{
    static combination rows[256];
    size_t count = 0;
    for (size_t v = 0; prim_reduce_variant_at(v) != NULL; v++)
        for (size_t p = 0; p < PAIRS; p++)
            if (wanted(p) && worth_a_test(prim_reduce_variant_at(v)->value, type_pairs[p]))
                rows[count++] = (combination){prim_reduce_variant_at(v)->value, type_pairs[p]};
    return cr_make_param_array(combination, rows, count);
}

static bool supports(const combination *k, prim_op op, size_t count)
{
    return has_op(k->types.in, op) &&
           runs(prim_reduce(k->variant, op, PRIM_TRANSFORM_NONE, k->types.in, NULL, count,
                            k->types.out, NULL, asking()));
}

static void skip_unless_supported(const combination *k)
{
    if (!supports(k, PRIM_OP_SUM, 1))
        cr_skip_test("%s has no %s → %s here", prim_reduce_variant_info(k->variant)->name,
                     type_name(k->types.in), type_name(k->types.out));
}

/* Around a thread's, a warp's, a block's and a tile's share of every rung: tiles have 16 KiB, so
 * from 2048 to 16384 elements. */
static const size_t small_sizes[] = {0,   1,    2,    3,    5,    8,    15,   16,   17,  31,  32,
                                     33,  63,   127,  128,  129,  255,  256,  257,  511, 512, 513,
                                     767, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 3967};
static const size_t large_sizes[] = {4095,  4096,  4097,  4099,  8191,  8192,  8193,
                                     16384, 16385, 65535, 65536, 65537, 262145};
/* Third passes begin beyond 2^22 of f64, and beyond 2^24 of f32. */
static const size_t huge_sizes[] = {(1 << 22) + 1, (1 << 24) - 1, (1 << 24) + 4097,
                                    (1 << 27) + 12345};

ParameterizedTestParameters(reduce, small_sizes_in_full)
{
    return combinations(any_pair);
}

ParameterizedTest(combination *k, reduce, small_sizes_in_full)
{
    skip_unless_supported(k);
    const bool quick = get_test_level() == LEVEL_QUICK;
    double h_in[4096];
    for (size_t s = 0; s < COUNT_OF(small_sizes); s++)
        for (int op = 0; op < OPS; op++)
            for (int t = 0; t < TRANSFORMS; t++) {
                const distribution d = (distribution)((s + (size_t)op) % DISTRIBUTION_COUNT);
                if (!supports(k, (prim_op)op, small_sizes[s]) ||
                    (quick && (s + (size_t)op + (size_t)t) % 3 != 0))
                    continue;
                fill_for((prim_op)op, k->types.in, h_in, small_sizes[s], d, 31 * s);
                const reduce_case c = {k->variant,
                                       (prim_op)op,
                                       (prim_transform)t,
                                       k->types,
                                       small_sizes[s],
                                       h_in,
                                       (s + (size_t)op + (size_t)t) % 3};
                check_device(&c);
            }
}

static void check_large(const combination *k, size_t count, size_t s)
{
    void *h_in = malloc(count * type_bytes(k->types.in));
    for (int op = 0; op < OPS; op++) {
        if (!supports(k, (prim_op)op, count))
            continue;
        fill_for((prim_op)op, k->types.in, h_in, count,
                 (distribution)((s + (size_t)op) % DISTRIBUTION_COUNT), s);
        const reduce_case c = {k->variant, (prim_op)op, (prim_transform)((s + 1) % TRANSFORMS),
                               k->types,   count,       h_in,
                               s % 2};
        check_device(&c);
    }
    if (supports(k, PRIM_OP_SUM, count)) {
        const reduce_case whole = {
            k->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, k->types, count, h_in, 0};
        fill(k->types.in, h_in, count, INTEGERS, s + 7);
        check_device(&whole);
    }
    free(h_in);
}

ParameterizedTestParameters(reduce, large_sizes)
{
    return combinations(any_pair);
}

ParameterizedTest(combination *k, reduce, large_sizes)
{
    skip_unless_supported(k);
    const size_t step = get_test_level() == LEVEL_QUICK ? 4 : 1;
    for (size_t s = 0; s < COUNT_OF(large_sizes); s += step)
        check_large(k, large_sizes[s], s);
    for (size_t s = 0; get_test_level() == LEVEL_FULL && s < COUNT_OF(huge_sizes); s++)
        check_large(k, huge_sizes[s], s);
}

/* Three passes, which fewer elements of f64 need than of any other type. */
Test(reduce, third_pass)
{
    if (get_test_level() == LEVEL_QUICK)
        cr_skip_test("2^22 elements: from PRIM_TEST_LEVEL=normal on, in reverse order at full");
    const combination k = {PRIM_REDUCE_VECTORIZED, {CUDA_R_64F, CUDA_R_64F}};
    const size_t count = (1 << 22) + 4099;
    double *h_in = malloc(count * sizeof *h_in);
    fill(CUDA_R_64F, h_in, count, UNIFORM, 3);
    const reduce_case c = {k.variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, k.types, count, h_in, 0};
    check_device(&c);
    free(h_in);
}

/* ---- one special element at places where an index error would lose it ---- */

static const size_t places[] = {0,   1,   3,   4,   31,   32,   127,  128,  255,
                                256, 257, 511, 512, 1022, 1023, 1024, 4095, 4099};
enum { SPECIAL_COUNT = 4100 };

/* The element that decides among others near the identity. */
static void set_special(prim_op op, cudaDataType_t type, void *h_in, size_t i)
{
    const bool least = op == PRIM_OP_MIN || op == PRIM_OP_AND;
    if (type_is_float(type))
        write_float(type, h_in, i, least ? -5e3 : 5e3);
    else if (least)
        write_integer(type, h_in, i,
                      op == PRIM_OP_AND || !type_is_signed(type)
                          ? 0
                          : (uint64_t)1 << (8 * type_bytes(type) - 1));
    else
        write_integer(type, h_in, i, op == PRIM_OP_OR ? 0x40 : empty_integer(PRIM_OP_MIN, type));
}

ParameterizedTestParameters(reduce, special_element_anywhere)
{
    return combinations(any_pair);
}

ParameterizedTest(combination *k, reduce, special_element_anywhere)
{
    static const prim_op deciding[] = {PRIM_OP_MIN, PRIM_OP_MAX, PRIM_OP_AND, PRIM_OP_OR};
    skip_unless_supported(k);
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (size_t o = 0; o < COUNT_OF(deciding); o++) {
            double h_in[SPECIAL_COUNT];
            if (!supports(k, deciding[o], SPECIAL_COUNT))
                continue;
            for (size_t i = 0; i < SPECIAL_COUNT; i++)
                if (type_is_float(k->types.in))
                    write_float(k->types.in, h_in, i, (double)(1 + i % 120));
                else
                    write_integer(k->types.in, h_in, i,
                                  deciding[o] == PRIM_OP_AND  ? UINT64_MAX
                                  : deciding[o] == PRIM_OP_OR ? i & 3
                                                              : 1 + i % 120);
            set_special(deciding[o], k->types.in, h_in, places[p]);
            const reduce_case c = {
                k->variant, deciding[o], PRIM_TRANSFORM_NONE, k->types, SPECIAL_COUNT, h_in, p % 2};
            check_device(&c);
        }
}

ParameterizedTestParameters(reduce, nan_and_infinity_anywhere)
{
    return combinations(float_pair);
}

ParameterizedTest(combination *k, reduce, nan_and_infinity_anywhere)
{
    static const double specials[] = {NAN, -NAN, INFINITY, -INFINITY};
    skip_unless_supported(k);
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (size_t s = 0; s < COUNT_OF(specials); s++)
            for (int op = 0; op <= PRIM_OP_MAX; op++) {
                double h_in[SPECIAL_COUNT];
                fill(k->types.in, h_in, SPECIAL_COUNT, UNIFORM, p);
                write_float(k->types.in, h_in, places[p], specials[s]);
                const reduce_case c = {k->variant, (prim_op)op,   (prim_transform)(p % TRANSFORMS),
                                       k->types,   SPECIAL_COUNT, h_in,
                                       s % 2};
                check_device(&c);
            }
}

ParameterizedTestParameters(reduce, one_zero_of_the_other_sign)
{
    return combinations(float_pair);
}

/* -0 is less than +0. */
ParameterizedTest(combination *k, reduce, one_zero_of_the_other_sign)
{
    skip_unless_supported(k);
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (int op = PRIM_OP_MIN; op <= PRIM_OP_MAX; op++) {
            double h_in[SPECIAL_COUNT];
            for (size_t i = 0; i < SPECIAL_COUNT; i++)
                write_float(k->types.in, h_in, i,
                            (op == PRIM_OP_MIN) == (i == places[p]) ? -0.0 : 0.0);
            const reduce_case c = {
                k->variant, (prim_op)op, PRIM_TRANSFORM_NONE, k->types, SPECIAL_COUNT, h_in, p % 2};
            check_device(&c);
        }
}

/* ---- determinism ---- */

ParameterizedTestParameters(reduce, same_bits_in_every_run)
{
    return combinations(any_pair);
}

ParameterizedTest(combination *k, reduce, same_bits_in_every_run)
{
    enum { COUNT = 30011 };
    skip_unless_supported(k);
    if (!supports(k, PRIM_OP_SUM, COUNT))
        return;
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

/* The order as src/reduce/order.cuh tells it, once more and plainly, for sums of f32. */
static float sum_in_the_one_order(const float *h_in, size_t count)
{
    enum { WIDTH = 4, LANES = 256, TILE = 4 * LANES * WIDTH };
    const size_t tiles = count == 0 ? 1 : (count + TILE - 1) / TILE;
    float *sums = malloc(tiles * sizeof *sums);
    for (size_t tile = 0; tile < tiles; tile++) {
        float lane[LANES] = {0};
        for (size_t i = tile * TILE; i < count && i < (tile + 1) * TILE; i++)
            lane[i / WIDTH % LANES] += h_in[i];
        for (size_t half = LANES / 2; half > 0; half /= 2)
            for (size_t l = 0; l < half; l++)
                lane[l] += lane[l + half];
        sums[tile] = lane[0];
    }
    const float sum = tiles == 1 ? sums[0] : sum_in_the_one_order(sums, tiles);
    free(sums);
    return sum;
}

Test(reduce, order_is_the_documented_one)
{
    static const size_t sizes[] = {0, 1, 5, 1000, 4096, 4097, 65536, 65537, 300007};
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t v = 0; prim_reduce_variant_at(v) != NULL; v++) {
            const combination k = {prim_reduce_variant_at(v)->value, {CUDA_R_32F, CUDA_R_32F}};
            float *h_in = malloc((sizes[s] + 1) * sizeof *h_in), result;
            fill(CUDA_R_32F, h_in, sizes[s], UNIFORM, s);
            const float sum = sum_in_the_one_order(h_in, sizes[s]);
            const reduce_case c = {k.variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, k.types, sizes[s],
                                   h_in,      s % 3};
            if (reduce_rung_has(k.variant, HAS_HOST_ORDER) && supports(&k, PRIM_OP_SUM, sizes[s])) {
                run_on_device(&c, &result);
                cr_assert_arr_eq(&result, &sum, sizeof sum, "%s, %zu elements",
                                 prim_reduce_variant_info(k.variant)->name, sizes[s]);
            }
            free(h_in);
        }
}

/* ---- an array in pieces ---- */

/* The values of some whole tiles, or of one that may be shorter, in device memory. */
static void put_values(const reduce_case *c, size_t first, size_t tiles, size_t elements,
                       char *d_values)
{
    const size_t bytes = type_bytes(c->types.in), begin = first * (PRIM_REDUCE_TILE_BYTES / bytes);
    guarded piece =
        guarded_copy((const char *)c->h_in + begin * bytes, tiles * elements * bytes, bytes);
    cr_prim(prim_reduce_rows(c->variant, c->op, c->transform,
                             prim_matrix_of(c->types.in, piece.data, tiles, elements, 0),
                             c->types.out, d_values + first * type_bytes(c->types.out), NULL));
    guarded_free(&piece);
}

/* As the header says: two pieces of whole tiles, the later one first, and the rest. */
static void reduce_in_pieces(const reduce_case *c, void *h_result)
{
    const size_t tile = PRIM_REDUCE_TILE_BYTES / type_bytes(c->types.in), whole = c->count / tile,
                 half = whole / 2, rest = c->count - whole * tile, all = whole + (rest > 0);
    guarded values = guarded_new(all * type_bytes(c->types.out), 0);
    guarded out = guarded_new(type_bytes(c->types.out), 0);
    put_values(c, half, whole - half, tile, values.data);
    put_values(c, 0, half, tile, values.data);
    if (rest > 0)
        put_values(c, whole, 1, rest, values.data);
    cr_prim(prim_reduce(c->variant, c->op, PRIM_TRANSFORM_NONE, c->types.out, values.data, all,
                        c->types.out, out.data, NULL));
    guarded_read(&out, h_result);
    guarded_free(&values);
    guarded_free(&out);
}

ParameterizedTestParameters(reduce, pieces_have_the_bits_of_the_whole)
{
    static type_pair pairs[PAIRS];
    memcpy(pairs, type_pairs, sizeof pairs);
    return cr_make_param_array(type_pair, pairs, PAIRS);
}

ParameterizedTest(type_pair *types, reduce, pieces_have_the_bits_of_the_whole)
{
    if (types->out == CUDA_R_16F || types->out == CUDA_R_16BF)
        cr_skip_test("values of tiles are f32 where elements are halves");
    const size_t bytes = type_bytes(types->in), tile = PRIM_REDUCE_TILE_BYTES / bytes;
    const size_t counts[] = {5 * tile + 77, 4 * tile, tile + 1};
    void *h_in = malloc(6 * PRIM_REDUCE_TILE_BYTES);
    for (int op = 0; op < OPS; op++) {
        if (!has_op(types->in, (prim_op)op))
            continue;
        fill_for((prim_op)op, types->in, h_in, 6 * tile, UNIFORM, (uint64_t)op + 3);
        const reduce_case c = {.variant = PRIM_REDUCE_AUTO,
                               .op = (prim_op)op,
                               .transform = (prim_transform)(op % TRANSFORMS),
                               .types = *types,
                               .count = counts[op % 3],
                               .h_in = h_in};
        unsigned char in_pieces[8] = {0}, at_once[8] = {0};
        reduce_in_pieces(&c, in_pieces);
        cr_prim(
            prim_reduce_host(c.op, c.transform, types->in, h_in, c.count, types->out, at_once, 1));
        cr_assert_arr_eq(in_pieces, at_once, type_bytes(types->out), "%s(%s) %s → %s", op_names[op],
                         transform_names[c.transform], type_name(types->in), type_name(types->out));
    }
    free(h_in);
}

/* ---- rows and columns of a matrix ---- */

typedef struct matrix {
    size_t rows, columns, ld;
} matrix;

static size_t elements_of(const matrix *m)
{
    return m->rows == 0 ? 0 : (m->rows - 1) * m->ld + m->columns;
}

/* Fills the matrix, its gaps with the type's extremes, which no result may show. */
static char *make_matrix(prim_op op, cudaDataType_t type, const matrix *m, distribution d)
{
    const size_t bytes = type_bytes(type);
    char *h_in = malloc((m->rows + 1) * m->ld * bytes + 1);
    fill(type, h_in, m->rows * m->ld, EXTREMES, 99);
    for (size_t r = 0; r < m->rows; r++)
        fill_for(op, type, h_in + r * m->ld * bytes, m->columns, d, 1000 * r);
    return h_in;
}

static void run_rows(const combination *k, prim_op op, prim_transform transform, const matrix *m,
                     const void *h_in, char *h_out)
{
    const size_t in_bytes = type_bytes(k->types.in), out_bytes = type_bytes(k->types.out);
    size_t bytes;
    cr_prim(asked_bytes(prim_reduce_rows(k->variant, op, transform,
                                         prim_matrix_of(k->types.in, NULL, m->rows, m->columns, 0),
                                         k->types.out, NULL, asking()),
                        &bytes));
    /* An offset of one element, unless the rows are to be read by vectors. */
    const size_t offset = m->ld * in_bytes % 16 == 0 ? 0 : in_bytes;
    guarded in = guarded_copy(h_in, elements_of(m) * in_bytes, offset);
    guarded out = guarded_new(m->rows * out_bytes, out_bytes);
    guarded workspace = guarded_new(bytes, 0);
    cr_prim(prim_reduce_rows(
        k->variant, op, transform, prim_matrix_of(k->types.in, in.data, m->rows, m->columns, m->ld),
        k->types.out, out.data, with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&out, h_out);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
}

static void check_rows(const combination *k, prim_op op, prim_transform transform, const matrix *m,
                       distribution d)
{
    const size_t in_bytes = type_bytes(k->types.in), out_bytes = type_bytes(k->types.out);
    char *h_in = make_matrix(op, k->types.in, m, d), *h_out = malloc(m->rows * out_bytes + 1);
    run_rows(k, op, transform, m, h_in, h_out);
    for (size_t row = 0; row < m->rows; row++) {
        const reduce_case c = {
            k->variant, op, transform, k->types, m->columns, h_in + row * m->ld * in_bytes, 0};
        unsigned char alone[8];
        check_right(&c, h_out + row * out_bytes);
        if (!reduce_rung_has(k->variant, HAS_HOST_ORDER))
            continue;
        cr_prim(prim_reduce_host(op, transform, k->types.in, c.h_in, m->columns, k->types.out,
                                 alone, 1));
        cr_assert_arr_eq(h_out + row * out_bytes, alone, out_bytes,
                         "row %zu of %zu × %zu, ld %zu, %s(%s) %s: other bits than alone", row,
                         m->rows, m->columns, m->ld, op_names[op], transform_names[transform],
                         type_name(k->types.in));
    }
    free(h_in);
    free(h_out);
}

/* Around the widths where rows go to parts of a warp, to warps, to a block and to several. */
static const matrix row_shapes[] = {
    {0, 5, 5},       {1, 1, 1},       {1, 1000, 1000},   {3, 0, 2},         {7, 1, 1},
    {7, 1, 3},       {33, 31, 31},    {300, 3, 4},       {1000, 17, 17},    {70, 64, 64},
    {41, 63, 64},    {19, 130, 144},  {16, 256, 256},    {16, 257, 300},    {5, 512, 512},
    {5, 513, 514},   {9, 1024, 1024}, {6, 1025, 1040},   {5, 2000, 2000},   {40, 4200, 4208},
    {3, 4097, 4112}, {2, 4099, 5000}, {2, 16400, 16400}, {3, 66000, 66001}, {3, 262145, 262145}};

ParameterizedTestParameters(reduce, rows)
{
    return combinations(any_pair);
}

ParameterizedTest(combination *k, reduce, rows)
{
    skip_unless_supported(k);
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t s = 0; s < COUNT_OF(row_shapes) - (quick ? 2 : 0); s++)
        for (int o = 0; o < (quick ? 2 : 4); o++) {
            const prim_op op = (prim_op)((s * 2 + (size_t)o) % OPS);
            const matrix *m = &row_shapes[s];
            if (has_op(k->types.in, op) &&
                runs(prim_reduce_rows(k->variant, op, PRIM_TRANSFORM_NONE,
                                      prim_matrix_of(k->types.in, NULL, m->rows, m->columns, 0),
                                      k->types.out, NULL, asking())))
                check_rows(k, op, (prim_transform)((s + (size_t)o) % TRANSFORMS), m,
                           (distribution)((s + (size_t)op) % DISTRIBUTION_COUNT));
        }
}

static void check_columns(const combination *k, prim_op op, prim_transform transform,
                          const matrix *m, distribution d)
{
    const size_t in_bytes = type_bytes(k->types.in), out_bytes = type_bytes(k->types.out);
    char *h_in = make_matrix(op, k->types.in, m, d);
    char *h_out = malloc(m->columns * out_bytes + 1), *on_host = malloc(m->columns * out_bytes + 1);
    size_t bytes;
    cr_prim(
        asked_bytes(prim_reduce_columns(k->variant, op, transform,
                                        prim_matrix_of(k->types.in, NULL, m->rows, m->columns, 0),
                                        k->types.out, NULL, asking()),
                    &bytes));
    guarded in =
        guarded_copy(h_in, elements_of(m) * in_bytes, m->ld * in_bytes % 16 == 0 ? 0 : in_bytes);
    guarded out = guarded_new(m->columns * out_bytes, out_bytes);
    guarded workspace = guarded_new(bytes, 0);
    cr_prim(prim_reduce_columns(
        k->variant, op, transform, prim_matrix_of(k->types.in, in.data, m->rows, m->columns, m->ld),
        k->types.out, out.data, with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&out, h_out);
    cr_prim(prim_reduce_columns_host(op, transform,
                                     prim_matrix_of(k->types.in, h_in, m->rows, m->columns, m->ld),
                                     k->types.out, on_host, 1));
    for (size_t j = 0; j < m->columns; j++) {
        const expected e = expect(op, transform, k->types, h_in + j * in_bytes, m->rows, m->ld);
        cr_assert(right(&e, k->types, h_out + j * out_bytes),
                  "column %zu of %zu × %zu, ld %zu, %s(%s) %s → %s", j, m->rows, m->columns, m->ld,
                  op_names[op], transform_names[transform], type_name(k->types.in),
                  type_name(k->types.out));
    }
    cr_assert_arr_eq(h_out, on_host, m->columns * out_bytes,
                     "%zu × %zu: other bits than the host's", m->rows, m->columns);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
    free(h_in);
    free(h_out);
    free(on_host);
}

/* Few rows and many, narrow and wide, one pass, two and three. */
static const matrix column_shapes[] = {
    {5, 0, 2},        {0, 7, 7},     {1, 1, 1},     {1, 300, 300}, {2, 33, 40},     {127, 5, 5},
    {128, 16, 16},    {129, 17, 19}, {300, 64, 64}, {1000, 3, 3},  {1024, 20, 20},  {1025, 20, 20},
    {1025, 130, 144}, {2600, 9, 16}, {9000, 1, 1},  {8200, 2, 3},  {600, 257, 272}, {70001, 1, 1}};

ParameterizedTestParameters(reduce, columns)
{
    return combinations(any_pair);
}

ParameterizedTest(combination *k, reduce, columns)
{
    if (!runs(prim_reduce_columns(k->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                  prim_matrix_of(k->types.in, NULL, 1, 1, 0), k->types.out, NULL,
                                  asking())))
        cr_skip_test("%s has no columns of %s → %s", prim_reduce_variant_info(k->variant)->name,
                     type_name(k->types.in), type_name(k->types.out));
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t s = 0; s < COUNT_OF(column_shapes) - (quick ? 1 : 0); s++)
        for (int o = 0; o < (quick ? 1 : 3); o++) {
            const prim_op op = (prim_op)((s * 3 + (size_t)o) % OPS);
            if (has_op(k->types.in, op) &&
                runs(prim_reduce_columns(k->variant, op, PRIM_TRANSFORM_NONE,
                                         prim_matrix_of(k->types.in, NULL, column_shapes[s].rows,
                                                        column_shapes[s].columns, 0),
                                         k->types.out, NULL, asking())))
                check_columns(k, op, (prim_transform)((s + (size_t)o) % TRANSFORMS),
                              &column_shapes[s],
                              (distribution)((s + (size_t)op) % DISTRIBUTION_COUNT));
        }
}

/* ---- wherever a row begins ---- */

/* What is not to be read of the gaps between rows cannot be under AddressSanitizer: for columns
 * all, and for rows what is more than 15 bytes away from one, where gaps have 128 bytes or more. */
static void forbid_gaps(const guarded *in, const matrix *m, size_t bytes, bool by_rows, bool forbid)
{
#if defined(__SANITIZE_ADDRESS__)
    const size_t gap = (m->ld - m->columns) * bytes, beside = by_rows ? 15 : 0;
    if (by_rows && gap < 128)
        return;
    for (size_t r = 0; r + 1 < m->rows; r++) {
        const char *const first = (const char *)in->data + (r * m->ld + m->columns) * bytes;
        if (forbid)
            __asan_poison_memory_region(first + beside, gap - 2 * beside);
        else
            __asan_unpoison_memory_region(first + beside, gap - 2 * beside);
    }
#else
    (void)in, (void)m, (void)bytes, (void)by_rows, (void)forbid;
#endif
}

/* The bits of the host's version, of which other tests say that they are right. */
static void check_at_offset(type_pair types, bool by_rows, const matrix *m, size_t offset,
                            prim_op op, prim_transform transform, const char *h_in)
{
    const size_t in_bytes = type_bytes(types.in), out_bytes = type_bytes(types.out);
    const size_t results = by_rows ? m->rows : m->columns;
    char *on_device = malloc(results * out_bytes + 1), *on_host = malloc(results * out_bytes + 1);
    guarded in = guarded_copy(h_in, elements_of(m) * in_bytes, offset * in_bytes);
    guarded out = guarded_new(results * out_bytes, offset % 3 * out_bytes);
    prim_matrix d_matrix = prim_matrix_of(types.in, in.data, m->rows, m->columns, m->ld),
                h_matrix = d_matrix;
    h_matrix.data = (void *)(uintptr_t)h_in;
    size_t bytes;
    cr_prim(asked_bytes((by_rows ? prim_reduce_rows : prim_reduce_columns)(
                            PRIM_REDUCE_AUTO, op, transform, d_matrix, types.out, NULL, asking()),
                        &bytes));
    guarded workspace = guarded_new(bytes, 0);
    void *const d_workspace = bytes > 0 ? workspace.data : NULL;
    forbid_gaps(&in, m, in_bytes, by_rows, true);
    cr_prim((by_rows ? prim_reduce_rows : prim_reduce_columns)(PRIM_REDUCE_AUTO, op, transform,
                                                               d_matrix, types.out, out.data,
                                                               with(0, d_workspace, bytes)));
    cr_prim((by_rows ? prim_reduce_rows_host : prim_reduce_columns_host)(op, transform, h_matrix,
                                                                         types.out, on_host, 1));
    guarded_read(&out, on_device);
    forbid_gaps(&in, m, in_bytes, by_rows, false);
    cr_assert_arr_eq(on_device, on_host, results * out_bytes,
                     "%s of %zu × %zu, ld %zu, %zu elements past 256 bytes, %s(%s) %s → %s",
                     by_rows ? "rows" : "columns", m->rows, m->columns, m->ld, offset, op_names[op],
                     transform_names[transform], type_name(types.in), type_name(types.out));
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
    free(on_device);
    free(on_host);
}

ParameterizedTestParameters(reduce, any_offset_and_pitch)
{
    return cr_make_param_array(type_pair, (type_pair *)type_pairs, PAIRS);
}

/* Rows of every length around one and two vectors, of some odd lengths up to several tiles; without
 * gaps, with gaps of less than a vector and of more; few rows and many. */
ParameterizedTest(type_pair *types, reduce, any_offset_and_pitch)
{
    static const size_t lengths[] = {37, 101, 255, 511, 1027, 4101, 8203, 16411},
                        gaps[] = {0, 1, 3, 8, 16, 21}, heights[] = {2, 3, 8, 9, 41, 301};
    const size_t width = 16 / type_bytes(types->in), few = 2 * width + 2;
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t l = 0; l < few + COUNT_OF(lengths) - (quick ? 2 : 0); l++)
        for (size_t g = quick ? l % 2 : 0; g < COUNT_OF(gaps); g += quick ? 2 : 1) {
            const size_t columns = l < few ? l + 1 : lengths[l - few];
            const size_t rows = heights[(l + g) % COUNT_OF(heights)];
            const matrix m = {columns < 1000 ? rows : rows % 5 + 2, columns, columns + gaps[g]};
            const prim_op op = (prim_op)((l + g) % 4);
            const prim_transform transform = (prim_transform)(l % 4 == 3 ? g % TRANSFORMS : 0);
            char *h_in = make_matrix(op, types->in, &m, UNIFORM);
            const size_t offset = (l * 5 + g) % width;
            check_at_offset(*types, true, &m, offset, op, transform, h_in);
            check_at_offset(*types, false, &m, (offset + 1) % width, op, transform, h_in);
            free(h_in);
        }
}

/* The last block's rows hold less than a vector: the block before it may not read a whole one. */
Test(reduce, few_bytes_behind_a_block)
{
    const type_pair bytes = {CUDA_R_8U, CUDA_R_8U};
    for (size_t rows = 60; rows < 220; rows++) {
        const matrix m = {rows, 5 + rows % 4, 5 + rows % 4};
        char *h_in = make_matrix(PRIM_OP_SUM, CUDA_R_8U, &m, UNIFORM);
        check_at_offset(bytes, true, &m, rows % 3, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, h_in);
        free(h_in);
    }
}

/* So many that a block has more rows than threads: each thread has several rows, or their ends. */
Test(reduce, many_short_rows)
{
    static const matrix many[] = {{400001, 5, 7}, {300007, 9, 10},  {400001, 3, 3},
                                  {500009, 2, 2}, {300007, 16, 16}, {200003, 37, 41}};
    const type_pair bytes = {CUDA_R_8U, CUDA_R_8U};
    for (size_t i = 0; i < COUNT_OF(many); i++) {
        char *h_in = make_matrix(PRIM_OP_SUM, CUDA_R_8U, &many[i], UNIFORM);
        check_at_offset(bytes, true, &many[i], 1 + i, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, h_in);
        free(h_in);
    }
}

/* Of up to four vectors of wide elements, which begin at vectors or not; and longer ones, with
 * small gaps and large ones, which begin anywhere. */
Test(reduce, rows_with_gaps)
{
    static const type_pair types[] = {{CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F},
                                      {CUDA_R_32I, CUDA_R_64I}, {CUDA_R_16F, CUDA_R_16F},
                                      {CUDA_R_16U, CUDA_R_16U}, {CUDA_R_16BF, CUDA_R_32F}};
    static const size_t shapes[][2] = {{3, 4},       {5, 8},      {6, 8},   {7, 8},     {8, 12},
                                       {8, 9},       {10, 12},    {37, 41}, {37, 44},   {13, 16},
                                       {16, 20},     {65, 81},    {37, 60}, {128, 131}, {255, 257},
                                       {1021, 1027}, {1025, 1229}};
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t s = 0; s < COUNT_OF(shapes); s++, turn++) {
            const matrix m = {3001 - shapes[s][0] / 2, shapes[s][0], shapes[s][1]};
            const prim_op op = turn % 4 == 3 ? PRIM_OP_MAX : PRIM_OP_SUM;
            char *h_in = make_matrix(op, types[t].in, &m, UNIFORM);
            for (size_t offset = 0; offset < 2; offset++)
                check_at_offset(types[t], true, &m, offset, op,
                                turn % 5 == 2 ? PRIM_TRANSFORM_SQUARE : PRIM_TRANSFORM_NONE, h_in);
            free(h_in);
        }
}

/* Of so many rows a warp takes those a little longer than a tile too, and combines their tiles. */
Test(reduce, many_rows_longer_than_a_tile)
{
    static const struct {
        type_pair types;
        matrix m;
    } many[] = {{{CUDA_R_32F, CUDA_R_32F}, {2049, 4099, 4099}},
                {{CUDA_R_8U, CUDA_R_64U}, {2048, 24576, 24581}},
                {{CUDA_R_64F, CUDA_R_64F}, {2048, 2049, 2051}},
                {{CUDA_R_16F, CUDA_R_32F}, {2050, 12287, 12287}}};
    for (size_t i = 0; i < COUNT_OF(many) - (get_test_level() == LEVEL_QUICK ? 3 : 0); i++) {
        char *h_in = make_matrix(PRIM_OP_SUM, many[i].types.in, &many[i].m, UNIFORM);
        check_at_offset(many[i].types, true, &many[i].m, 1 + i, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                        h_in);
        free(h_in);
    }
}

/* Integers without gaps, of 4 MiB and a little more, whose rows do not begin at vectors: their
 * columns are reduced in another order, and in the first and the last row from and up to a place in
 * a vector. */
Test(reduce, long_columns_without_gaps)
{
    static const type_pair types[] = {{CUDA_R_8U, CUDA_R_8U},   {CUDA_R_8U, CUDA_R_64U},
                                      {CUDA_R_8I, CUDA_R_8I},   {CUDA_R_16I, CUDA_R_16I},
                                      {CUDA_R_32I, CUDA_R_64I}, {CUDA_R_64U, CUDA_R_64U}};
    static const size_t columns[] = {1, 2, 3, 7, 16, 37, 250, 1027};
    const bool quick = get_test_level() == LEVEL_QUICK;
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t c = 0; c < COUNT_OF(columns); c++, turn++) {
            const size_t bytes = type_bytes(types[t].in), width = 16 / bytes,
                         offset = turn % 3 == 0 ? 0 : turn * 5 % width,
                         rows = (((size_t)1 << 22) / bytes + turn) / columns[c] + 1;
            const matrix m = {rows, columns[c], columns[c]};
            const prim_op op = (prim_op)(turn % OPS);
            if (quick && turn % 5 != 0)
                continue;
            char *h_in = make_matrix(op, types[t].in, &m, UNIFORM);
            check_at_offset(types[t], false, &m, offset, op,
                            turn % 4 == 1 ? PRIM_TRANSFORM_SQUARE : PRIM_TRANSFORM_NONE, h_in);
            free(h_in);
        }
}

/* Whole tiles of folded rows where they begin at a vector: elsewhere they are one tile more, whose
 * values have room, too. */
Test(reduce, long_columns_of_whole_tiles_from_each_place)
{
    static const type_pair types[] = {{CUDA_R_8U, CUDA_R_8U},
                                      {CUDA_R_16I, CUDA_R_16I},
                                      {CUDA_R_32I, CUDA_R_64I},
                                      {CUDA_R_64U, CUDA_R_64U}};
    static const size_t columns[] = {7, 5, 6, 3};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        const size_t bytes = type_bytes(types[t].in), width = 16 / bytes,
                     folded = columns[t] % 2 == 0 ? width / 2 : width,
                     tile = folded * 256 * 32 / 8, /* rows of 8 vectors at most */
            least = ((size_t)1 << 22) / bytes / columns[t];
        const matrix m = {(least / tile + 1) * tile, columns[t], columns[t]};
        char *h_in = make_matrix(PRIM_OP_SUM, types[t].in, &m, UNIFORM);
        for (size_t place = 0; place < 3; place++)
            check_at_offset(types[t], false, &m, (size_t[]){0, 1, width - 1}[place], PRIM_OP_SUM,
                            PRIM_TRANSFORM_NONE, h_in);
        free(h_in);
    }
}

/* So many rows of values that a second pass leaves some for a third one. */
Test(reduce, columns_of_three_passes)
{
    const matrix m = {((size_t)1 << 20) + 1, 9, 9};
    char *h_in = make_matrix(PRIM_OP_SUM, CUDA_R_8U, &m, UNIFORM);
    check_at_offset((type_pair){CUDA_R_8U, CUDA_R_64U}, false, &m, 1, PRIM_OP_SUM,
                    PRIM_TRANSFORM_NONE, h_in);
    free(h_in);
}

/* Columns of 16-bit floats that are read as an array: around the rows of a step, of a tile, and of
 * the tiles of a block; from each element of a vector on. */
Test(reduce, few_columns_of_halves)
{
    static const type_pair types[] = {{CUDA_R_16F, CUDA_R_16F},
                                      {CUDA_R_16BF, CUDA_R_16BF},
                                      {CUDA_R_16F, CUDA_R_32F},
                                      {CUDA_R_16BF, CUDA_R_32F}};
    static const size_t rows[] = {9, 255, 257, 1024, 1031, 8191, 8193, 16384, 65537};
    const bool quick = get_test_level() == LEVEL_QUICK;
    size_t turn = 0;
    for (size_t columns = 1; columns <= 8; columns++)
        for (size_t r = 0; r < COUNT_OF(rows) - (quick ? 1 : 0); r++, turn++) {
            const matrix m = {rows[r], columns, columns};
            const type_pair *const t = &types[turn % COUNT_OF(types)];
            const prim_op op = (prim_op)(turn / 3 % 4);
            char *h_in = make_matrix(op, t->in, &m, UNIFORM);
            for (size_t offset = turn % 3; offset < 8; offset += quick ? 5 : 3)
                check_at_offset(*t, false, &m, offset, op,
                                turn % 5 == 1 ? PRIM_TRANSFORM_SQUARE : PRIM_TRANSFORM_NONE, h_in);
            free(h_in);
        }
}

/* Wide and low: whole lanes although the rows are few. */
Test(reduce, wide_columns)
{
    const matrix wide = {3, 32 * 512 * 4 + 5, 32 * 512 * 4 + 8};
    const combination k = {PRIM_REDUCE_AUTO, {CUDA_R_32F, CUDA_R_32F}};
    check_columns(&k, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, &wide, UNIFORM);
}

/* ---- the first extreme element ---- */

static bool better(prim_op op, cudaDataType_t type, const void *h, size_t a, size_t b,
                   prim_transform transform)
{
    if (!type_is_float(type)) {
        const uint64_t x = transform_integer(transform, type, read_integer(type, h, a));
        const uint64_t y = transform_integer(transform, type, read_integer(type, h, b));
        return op == PRIM_OP_MIN ? integer_less(type, x, y) : integer_less(type, y, x);
    }
    const double x = transform_float(transform, type, read_float(type, h, a));
    const double y = transform_float(transform, type, read_float(type, h, b));
    if (isnan(x) || isnan(y))
        return isnan(x) && !isnan(y);
    return op == PRIM_OP_MIN ? float_less(x, y) : float_less(y, x);
}

typedef struct found {
    unsigned char value[8];
    uint64_t index;
} found;

static found run_arg(prim_reduce_variant variant, prim_op op, prim_transform transform,
                     cudaDataType_t type, const void *h_in, size_t count, size_t offset)
{
    const size_t element_bytes = type_bytes(type);
    size_t bytes;
    found f = {{0}, 0};
    cr_prim(asked_bytes(
        prim_arg_reduce(variant, op, transform, type, NULL, count, NULL, NULL, asking()), &bytes));
    guarded in = guarded_copy(h_in, count * element_bytes, offset * element_bytes);
    guarded value = guarded_new(element_bytes, offset * element_bytes);
    guarded index = guarded_new(sizeof f.index, 8 * offset);
    guarded workspace = guarded_new(bytes, 0);
    cr_prim(prim_arg_reduce(variant, op, transform, type, in.data, count, value.data, index.data,
                            with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&value, f.value);
    guarded_read(&index, &f.index);
    guarded_free(&in);
    guarded_free(&value);
    guarded_free(&index);
    guarded_free(&workspace);
    return f;
}

/* The value: as the first element of a reduction of that element alone. */
static void check_arg(prim_reduce_variant variant, prim_op op, prim_transform transform,
                      cudaDataType_t type, const void *h_in, size_t count, size_t offset)
{
    size_t first = 0;
    for (size_t i = 1; i < count; i++)
        if (better(op, type, h_in, i, first, transform))
            first = i;
    const type_pair types = {type, type};
    const expected e =
        expect(PRIM_OP_MIN, transform, types, (const char *)h_in + first * type_bytes(type), 1, 1);
    const found f = run_arg(variant, op, transform, type, h_in, count, offset);
    found on_host = {{0}, 0};
    cr_assert_eq(f.index, first, "arg%s(%s) of %zu %s at offset %zu: %llu, not %zu", op_names[op],
                 transform_names[transform], count, type_name(type), offset,
                 (unsigned long long)f.index, first);
    cr_assert(right(&e, types, f.value), "arg%s(%s) of %zu %s: the value", op_names[op],
              transform_names[transform], count, type_name(type));
    cr_prim(
        prim_arg_reduce_host(op, transform, type, h_in, count, on_host.value, &on_host.index, 1));
    cr_assert_arr_eq(&f, &on_host, sizeof f, "the host finds another one");
}

static bool same_type_pair(size_t pair)
{
    return pair < SAME_TYPES;
}

ParameterizedTestParameters(reduce, first_extreme_element)
{
    return combinations(same_type_pair);
}

ParameterizedTest(combination *k, reduce, first_extreme_element)
{
    const cudaDataType_t type = k->types.in;
    if (!runs(prim_arg_reduce(k->variant, PRIM_OP_MIN, PRIM_TRANSFORM_NONE, type, NULL, 1, NULL,
                              NULL, asking())))
        cr_skip_test("%s finds no extreme element of %s",
                     prim_reduce_variant_info(k->variant)->name, type_name(type));
    const size_t step = get_test_level() == LEVEL_QUICK ? 3 : 1;
    double *h_in = malloc(65537 * sizeof *h_in);
    for (size_t s = 1; s < COUNT_OF(small_sizes) + COUNT_OF(large_sizes) - 1; s += step) {
        const size_t count =
            s < COUNT_OF(small_sizes) ? small_sizes[s] : large_sizes[s - COUNT_OF(small_sizes)];
        for (int op = PRIM_OP_MIN; op <= PRIM_OP_MAX; op++) { /* ties abound in EXTREMES */
            const distribution d = (distribution)((s + (size_t)op) % DISTRIBUTION_COUNT);
            fill(type, h_in, count, d, s);
            check_arg(k->variant, (prim_op)op, (prim_transform)(s % TRANSFORMS), type, h_in, count,
                      s % 2);
        }
    }
    free(h_in);
}

ParameterizedTestParameters(reduce, first_nan_wins)
{
    return combinations(float_pair);
}

ParameterizedTest(combination *k, reduce, first_nan_wins)
{
    enum { COUNT = 5000 };
    static const size_t at[][2] = {{0, 1},       {3, 4},     {4099, 17},
                                   {4999, 4998}, {255, 256}, {31, 1024}};
    const cudaDataType_t type = k->types.in;
    double h_in[COUNT];
    if (k->types.in != k->types.out ||
        !runs(prim_arg_reduce(k->variant, PRIM_OP_MIN, PRIM_TRANSFORM_NONE, type, NULL, 1, NULL,
                              NULL, asking())))
        cr_skip_test("nothing to find");
    for (size_t p = 0; p < COUNT_OF(at); p++)
        for (int op = PRIM_OP_MIN; op <= PRIM_OP_MAX; op++) {
            fill(type, h_in, COUNT, UNIFORM, p);
            write_float(type, h_in, at[p][0], NAN);
            write_float(type, h_in, at[p][1], -NAN);
            check_arg(k->variant, (prim_op)op, (prim_transform)(p % TRANSFORMS), type, h_in, COUNT,
                      p % 2);
            for (size_t i = 0; i < COUNT; i++) /* zeros of both signs */
                write_float(type, h_in, i, i % 3 == 1 ? -0.0 : 0.0);
            check_arg(k->variant, (prim_op)op, PRIM_TRANSFORM_NONE, type, h_in, COUNT, p % 2);
        }
}

/* Many equal elements over several tiles, and all elements the least there is. */
Test(reduce, first_of_equals)
{
    enum { COUNT = 40000 };
    static int32_t h_in[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        h_in[i] = INT32_MIN;
    check_arg(PRIM_REDUCE_AUTO, PRIM_OP_MIN, PRIM_TRANSFORM_NONE, CUDA_R_32I, h_in, COUNT, 0);
    check_arg(PRIM_REDUCE_AUTO, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_32I, h_in, COUNT, 1);
    h_in[0] = h_in[1] = 7;
    for (size_t i = 33333; i < COUNT; i++)
        h_in[i] = 8;
    check_arg(PRIM_REDUCE_AUTO, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_32I, h_in, COUNT, 0);
}

/* An array between elements that would win, wherever it begins in a vector: up to a tile, one
 * element more and less, and two tiles. */
static void check_arg_between(prim_op op, cudaDataType_t type, size_t count, size_t offset)
{
    const size_t element_bytes = type_bytes(type), all = count + 32;
    char *h_in = malloc(all * element_bytes);
    for (size_t i = 0; i < all; i++) {
        const size_t inside = i - offset; /* wraps in front of it */
        const int value = inside >= count ? (op == PRIM_OP_MIN ? 0 : 100) : 20 + (int)(i * 7 % 61);
        if (type_is_float(type))
            write_float(type, h_in, i, value);
        else
            write_integer(type, h_in, i, (uint64_t)value);
    }
    guarded in = guarded_copy(h_in, all * element_bytes, 0);
    guarded value = guarded_new(element_bytes, 0), index = guarded_new(sizeof(uint64_t), 0);
    found f = {{0}, 0}, on_host = {{0}, 0};
    cr_prim(prim_arg_reduce(PRIM_REDUCE_AUTO, op, PRIM_TRANSFORM_NONE, type,
                            (char *)in.data + offset * element_bytes, count, value.data, index.data,
                            NULL));
    cr_prim(prim_arg_reduce_host(op, PRIM_TRANSFORM_NONE, type, h_in + offset * element_bytes,
                                 count, on_host.value, &on_host.index, 1));
    guarded_read(&value, f.value);
    guarded_read(&index, &f.index);
    cr_assert_arr_eq(&f, &on_host, sizeof f, "arg%s of %zu %s from element %zu on: %llu, not %llu",
                     op_names[op], count, type_name(type), offset, (unsigned long long)f.index,
                     (unsigned long long)on_host.index);
    guarded_free(&in);
    guarded_free(&value);
    guarded_free(&index);
    free(h_in);
}

Test(reduce, first_extreme_element_of_a_part)
{
    static const cudaDataType_t types[] = {CUDA_R_8U, CUDA_R_16F, CUDA_R_32F, CUDA_R_64I};
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        const size_t width = 16 / type_bytes(types[t]), tile = 1024 * width;
        const size_t counts[] = {1,        2,    width,    width + 1, tile - width + 1,
                                 tile - 1, tile, tile + 1, 2 * tile};
        for (size_t offset = 0; offset <= width; offset++)
            for (size_t c = offset % 3; c < COUNT_OF(counts); c += 3) {
                check_arg_between(PRIM_OP_MIN, types[t], counts[c], offset);
                check_arg_between(PRIM_OP_MAX, types[t], counts[(c + 1) % COUNT_OF(counts)],
                                  offset);
            }
    }
}

/* ---- dot products ---- */

static expected expect_dot(type_pair types, const void *h_x, const void *h_y, size_t count)
{
    uint64_t integer = 0;
    float_sums floats = no_floats;
    for (size_t i = 0; i < count; i++)
        if (type_is_float(types.in))
            add_to(&floats, round_to_type(working_type(types.out),
                                          (long double)read_float(types.in, h_x, i) *
                                              read_float(types.in, h_y, i)));
        else
            integer += read_integer(types.in, h_x, i) * read_integer(types.in, h_y, i);
    return type_is_float(types.in) ? judge_floats(&floats, PRIM_OP_SUM, types.out, count)
                                   : (expected){.integer = wrap_integer(types.out, integer)};
}

static void check_dot(const combination *k, size_t count, distribution d, size_t offset)
{
    const size_t in_bytes = type_bytes(k->types.in), out_bytes = type_bytes(k->types.out);
    void *h_x = malloc(count * in_bytes + 1), *h_y = malloc(count * in_bytes + 1);
    unsigned char result[8] = {0}, on_host[8] = {0};
    size_t bytes;
    fill(k->types.in, h_x, count, d, count);
    fill(k->types.in, h_y, count, d, count + 12345);
    const expected e = expect_dot(k->types, h_x, h_y, count);
    cr_prim(asked_bytes(
        prim_dot(k->variant, k->types.in, NULL, NULL, count, k->types.out, NULL, asking()),
        &bytes));
    guarded x = guarded_copy(h_x, count * in_bytes, offset % 2 * in_bytes);
    guarded y = guarded_copy(h_y, count * in_bytes, offset / 2 * in_bytes);
    guarded out = guarded_new(out_bytes, 0), workspace = guarded_new(bytes, 0);
    cr_prim(prim_dot(k->variant, k->types.in, x.data, y.data, count, k->types.out, out.data,
                     with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&out, result);
    cr_assert(right(&e, k->types, result), "dot of %zu %s → %s at offsets %zu", count,
              type_name(k->types.in), type_name(k->types.out), offset);
    cr_prim(prim_dot_host(k->types.in, h_x, h_y, count, k->types.out, on_host, 1));
    cr_assert_arr_eq(result, on_host, out_bytes, "dot of %zu %s: other bits than the host's", count,
                     type_name(k->types.in));
    guarded_free(&x);
    guarded_free(&y);
    guarded_free(&out);
    guarded_free(&workspace);
    free(h_x);
    free(h_y);
}

ParameterizedTestParameters(reduce, dot)
{
    return combinations(any_pair);
}

ParameterizedTest(combination *k, reduce, dot)
{
    if (!runs(prim_dot(k->variant, k->types.in, NULL, NULL, 1, k->types.out, NULL, asking())))
        cr_skip_test("%s has no dot product of %s → %s", prim_reduce_variant_info(k->variant)->name,
                     type_name(k->types.in), type_name(k->types.out));
    const size_t step = get_test_level() == LEVEL_QUICK ? 3 : 1;
    for (size_t s = 0; s < COUNT_OF(small_sizes); s += step)
        check_dot(k, small_sizes[s], (distribution)(s % DISTRIBUTION_COUNT), s % 4);
    for (size_t s = 0; s < COUNT_OF(large_sizes); s += 2 * step)
        check_dot(k, large_sizes[s], (distribution)(s / 2 % DISTRIBUTION_COUNT), s / 2 % 4);
}

/* One vector twice: its squares, in the order and with the bits of the transform. */
Test(reduce, dot_with_itself)
{
    enum { COUNT = 10007 };
    static float h_in[COUNT];
    float squares, dot;
    fill(CUDA_R_32F, h_in, COUNT, UNIFORM, 1);
    guarded in = guarded_copy(h_in, sizeof h_in, 0), out = guarded_new(sizeof dot, 0);
    cr_prim(prim_dot(PRIM_REDUCE_AUTO, CUDA_R_32F, in.data, in.data, COUNT, CUDA_R_32F, out.data,
                     NULL));
    guarded_read(&out, &dot);
    cr_prim(prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_SQUARE, CUDA_R_32F, in.data,
                        COUNT, CUDA_R_32F, out.data, NULL));
    guarded_read(&out, &squares);
    cr_assert_arr_eq(&dot, &squares, sizeof dot);
    guarded_free(&in);
    guarded_free(&out);
}

/* ---- more than 2^31 elements, where the device has the memory ---- */

Test(reduce, beyond_two_to_the_31)
{
    if (on_cpu_backend() || get_test_level() != LEVEL_FULL)
        cr_skip_test("more than 2^31 elements: on a GPU at PRIM_TEST_LEVEL=full only");
    const size_t count = ((size_t)1 << 31) + (1 << 20) + 7;
    uint8_t *h_in = malloc(count);
    uint64_t sum = 0, result;
    for (size_t i = 0; i < count; i++) {
        h_in[i] = (uint8_t)(i * 167 >> 5) % 100;
        sum += h_in[i];
    }
    sum += 200u - h_in[count - 1];
    h_in[count - 1] = 200; /* the maximum lies beyond 2^31 */
    guarded in = guarded_copy(h_in, count, 0), out = guarded_new(8, 0), value = guarded_new(1, 0);
    for (size_t v = 0; prim_reduce_variant_at(v) != NULL; v++) {
        const prim_reduce_variant variant = prim_reduce_variant_at(v)->value;
        if (!runs(prim_reduce(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, NULL, count,
                              CUDA_R_64U, NULL, asking())))
            continue;
        cr_prim(prim_reduce(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, in.data, count,
                            CUDA_R_64U, out.data, NULL));
        guarded_read(&out, &result);
        cr_assert_eq(result, sum, "%s", prim_reduce_variant_info(variant)->name);
        cr_prim(prim_reduce(variant, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_8U, in.data, count,
                            CUDA_R_64U, out.data, NULL));
        guarded_read(&out, &result);
        cr_assert_eq(result, 200, "%s", prim_reduce_variant_info(variant)->name);
    }
    cr_prim(prim_arg_reduce(PRIM_REDUCE_AUTO, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_8U, in.data,
                            count, value.data, out.data, NULL));
    guarded_read(&out, &result);
    cr_assert_eq(result, count - 1);
    cr_prim(prim_reduce_columns(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                prim_matrix_of(CUDA_R_8U, in.data, count, 1, 0), CUDA_R_64U,
                                out.data, NULL));
    guarded_read(&out, &result);
    cr_assert_eq(result, sum, "one column");
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&value);
    free(h_in);
}

/* ---- sizes whose bytes do not fit size_t ---- */

static void check_size(prim_status promised, prim_status status, const char *words)
{
    cr_assert_eq(status, promised, "%s instead of %s: %s", prim_status_string(status),
                 prim_status_string(promised), prim_last_error(NULL));
    cr_assert(strstr(prim_last_error(NULL), words) != NULL, "\"%s\" without \"%s\"",
              prim_last_error(NULL), words);
}

/* Inputs that fit, being empty or narrow, can have results that do not. The queries say so too: a
 * success would tell the workspace of a call that cannot be. */
Test(reduce, queries_say_size_where_the_call_does)
{
    const prim_reduce_variant automatic = PRIM_REDUCE_AUTO;
    const prim_op sum = PRIM_OP_SUM;
    const prim_transform none = PRIM_TRANSFORM_NONE;
    const cudaDataType_t u8 = CUDA_R_8U, u64 = CUDA_R_64U, i32 = CUDA_R_32I, i64 = CUDA_R_64I;
    const size_t many = (size_t)1 << 61; /* of 8 bytes */
    size_t bytes;
    check_size(
        PRIM_ERROR_SIZE,
        asked_bytes(prim_reduce_rows(automatic, sum, none, prim_matrix_of(u8, NULL, many, 0, 0),
                                     u64, NULL, asking()),
                    &bytes),
        "elements of 8 bytes in d_out");
    check_size(PRIM_ERROR_SIZE,
               prim_reduce_rows(automatic, sum, none, prim_matrix_of(u8, NULL, many, 0, 0), u64,
                                NULL, NULL),
               "elements of 8 bytes in d_out");
    check_size(
        PRIM_ERROR_SIZE,
        asked_bytes(prim_reduce_columns(automatic, sum, none, prim_matrix_of(u8, NULL, 0, many, 0),
                                        u64, NULL, asking()),
                    &bytes),
        "elements of 8 bytes in d_out");
    check_size(PRIM_ERROR_SIZE,
               prim_reduce_columns(automatic, sum, none, prim_matrix_of(u8, NULL, 0, many, 0), u64,
                                   NULL, NULL),
               "elements of 8 bytes in d_out");
    check_size(
        PRIM_ERROR_SIZE,
        asked_bytes(prim_reduce_segments(automatic, sum, none, u8, NULL, 5,
                                         (prim_segments){NULL, many, i32}, u64, NULL, asking()),
                    &bytes),
        "elements of 8 bytes in d_out");
    check_size(
        PRIM_ERROR_SIZE,
        asked_bytes(prim_reduce_segments(automatic, sum, none, u8, NULL, 5,
                                         (prim_segments){NULL, many, i64}, u8, NULL, asking()),
                    &bytes),
        "elements of 8 bytes in d_offsets");
    check_size(
        PRIM_ERROR_SIZE,
        asked_bytes(prim_reduce_segments(automatic, sum, none, u8, NULL, 5,
                                         (prim_segments){NULL, SIZE_MAX, i64}, u8, NULL, asking()),
                    &bytes),
        "(size_t)-1 segments");
    cr_assert_not(runs(prim_reduce_rows(automatic, sum, none, prim_matrix_of(u8, NULL, many, 0, 0),
                                        u64, NULL, asking())));
    cr_assert_not(runs(prim_reduce_columns(
        automatic, sum, none, prim_matrix_of(u8, NULL, 0, many, 0), u64, NULL, asking())));
    cr_assert_not(runs(prim_reduce_segments(
        automatic, sum, none, u8, NULL, 5, (prim_segments){NULL, many, i32}, u64, NULL, asking())));
    check_size(PRIM_ERROR_SIZE,
               prim_reduce_rows_host(sum, none, prim_matrix_of(u8, NULL, many, 0, 0), u64, NULL, 1),
               "elements of 8 bytes in h_out");
    /* one less fits, though no grid may hold it */
    cr_assert_neq(
        asked_bytes(prim_reduce_rows(automatic, sum, none, prim_matrix_of(u8, NULL, many - 1, 0, 0),
                                     u64, NULL, asking()),
                    &bytes),
        PRIM_ERROR_SIZE);
    cr_assert_neq(asked_bytes(prim_reduce_columns(automatic, sum, none,
                                                  prim_matrix_of(u8, NULL, 0, many - 1, 0), u64,
                                                  NULL, asking()),
                              &bytes),
                  PRIM_ERROR_SIZE);
    cr_assert_neq(
        asked_bytes(prim_reduce_segments(automatic, sum, none, u8, NULL, 5,
                                         (prim_segments){NULL, many - 2, i64}, u64, NULL, asking()),
                    &bytes),
        PRIM_ERROR_SIZE);
}

/* ---- the host's versions ---- */

static bool has_threads(void)
{
    int32_t out;
    return prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, NULL, 0, CUDA_R_32I, &out,
                            2) == PRIM_OK;
}

/* The checks of the device compare with one thread; more must not change a bit. */
Test(reduce, host_results_do_not_depend_on_the_threads)
{
    static const int threads[] = {2, 3, 7, 33, 1024};
    const size_t count = 100003;
    if (!has_threads())
        cr_skip_test("built without OpenMP");
    double *h_in = malloc(count * sizeof *h_in), one[100], many[100];
    uint64_t index, other_index;
    for (size_t p = 0; p < PAIRS; p++) {
        const type_pair types = type_pairs[p];
        const size_t out_bytes = type_bytes(types.out);
        if (!runs(prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, types.in, NULL,
                              count, types.out, NULL, asking())))
            continue; /* trimmed */
        fill(types.in, h_in, count, EXTREMES, p);
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            memset(one, 0, sizeof one);
            memset(many, 0, sizeof many);
            cr_prim(prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_ABS, types.in, h_in, count,
                                     types.out, one, 1));
            cr_prim(prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_ABS, types.in, h_in, count,
                                     types.out, many, threads[t]));
            cr_assert_arr_eq(one, many, out_bytes);
            cr_prim(prim_reduce_rows_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                          prim_matrix_of(types.in, h_in, 97, 1000, 1001), types.out,
                                          one, 1));
            cr_prim(prim_reduce_rows_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                          prim_matrix_of(types.in, h_in, 97, 1000, 1001), types.out,
                                          many, threads[t]));
            cr_assert_arr_eq(one, many, 97 * out_bytes);
            cr_prim(prim_reduce_columns_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                             prim_matrix_of(types.in, h_in, 1000, 97, 99),
                                             types.out, one, 1));
            cr_prim(prim_reduce_columns_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                             prim_matrix_of(types.in, h_in, 1000, 97, 99),
                                             types.out, many, threads[t]));
            cr_assert_arr_eq(one, many, 97 * out_bytes);
            cr_prim(prim_dot_host(types.in, h_in, h_in, count, types.out, one, 1));
            cr_prim(prim_dot_host(types.in, h_in, h_in, count, types.out, many, threads[t]));
            cr_assert_arr_eq(one, many, out_bytes);
            if (!runs(prim_arg_reduce(PRIM_REDUCE_AUTO, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, types.in,
                                      NULL, count, NULL, NULL, asking())))
                continue;
            cr_prim(prim_arg_reduce_host(PRIM_OP_MAX, PRIM_TRANSFORM_NONE, types.in, h_in, count,
                                         one, &index, 1));
            cr_prim(prim_arg_reduce_host(PRIM_OP_MAX, PRIM_TRANSFORM_NONE, types.in, h_in, count,
                                         many, &other_index, threads[t]));
            cr_assert_eq(index, other_index);
        }
    }
    free(h_in);
}

/* A tile of elements more than a tile has values, which are wider: so a third level has two. */
Test(reduce, host_sums_of_three_levels)
{
    enum { TILE = 4096, VALUES = 2048, COUNT = TILE * VALUES + 1 };
    int32_t *h_in = malloc(COUNT * sizeof *h_in);
    for (size_t i = 0; i < COUNT; i++)
        h_in[i] = 3;
    for (int threads = 1; threads <= (has_threads() ? 2 : 1); threads++) {
        int64_t sum = 0;
        cr_prim(prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, h_in, COUNT,
                                 CUDA_R_64I, &sum, threads));
        cr_assert_eq(sum, 3 * COUNT, "%lld with %d threads", (long long)sum, threads);
    }
    free(h_in);
}

Test(reduce, host_refuses_what_it_cannot_do)
{
    float in[4] = {1, 2, 3, 4}, out;
    uint64_t index;
    const prim_op sum = PRIM_OP_SUM;
    const prim_transform none = PRIM_TRANSFORM_NONE;
    cr_refused(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, &out, 0),
               PRIM_ERROR_VALUE, "threads");
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, &out, 1025),
                 PRIM_ERROR_VALUE);
    cr_refused(prim_reduce_host(sum, none, CUDA_R_32F, NULL, 4, CUDA_R_32F, &out, 1),
               PRIM_ERROR_NULL, "h_in");
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, NULL, 1),
                 PRIM_ERROR_NULL);
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, &in[2], 1),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_16F, &out, 1),
                 PRIM_ERROR_TYPE);
    cr_assert_eq(prim_reduce_host(PRIM_OP_XOR, none, CUDA_R_32F, in, 4, CUDA_R_32F, &out, 1),
                 PRIM_ERROR_TYPE);
    cr_assert_eq(prim_reduce_host((prim_op)77, none, CUDA_R_32F, in, 4, CUDA_R_32F, &out, 1),
                 PRIM_ERROR_ENUM);
    cr_assert_eq(prim_arg_reduce_host(PRIM_OP_MIN, none, CUDA_R_32F, in, 0, &out, &index, 1),
                 PRIM_ERROR_SIZE);
    cr_assert_eq(prim_arg_reduce_host(sum, none, CUDA_R_32F, in, 4, &out, &index, 1),
                 PRIM_ERROR_ENUM);
    cr_refused(prim_dot_host(CUDA_R_32F, in, NULL, 4, CUDA_R_32F, &out, 1), PRIM_ERROR_NULL, "h_y");
    if (!has_threads())
        cr_assert_eq(prim_reduce_host(sum, none, CUDA_R_32F, in, 4, CUDA_R_32F, &out, 2),
                     PRIM_ERROR_UNSUPPORTED);
}

/* ---- routes of VECTORIZED ---- */

typedef struct routed {
    const char *route;
    cudaDataType_t type;
    bool by_rows;
    matrix m;
    size_t offset; /* elements past a vector's beginning */
    prim_op op;
    prim_transform transform;
} routed;

static const routed routes[] = {
    {"tiles", CUDA_R_32F, true, {3, 5000, 5000}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"tiles", CUDA_R_32F, true, {2, 513, 513}, 1, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    /* one vector: a thread for each row */
    {"staged_parts", CUDA_R_32F, true, {300, 0, 2}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_32F, true, {300, 3, 4}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_32F, true, {300, 4, 7}, 3, PRIM_OP_MIN, PRIM_TRANSFORM_ABS},
    {"staged_parts", CUDA_R_64F, true, {300, 1, 1}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_8U, true, {300, 1, 2}, 1, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_8U, true, {300, 7, 8}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_8U, true, {300, 7, 7}, 5, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_16F, true, {300, 8, 9}, 1, PRIM_OP_MAX, PRIM_TRANSFORM_SQUARE},
    {"staged_parts", CUDA_R_16F, true, {300, 8, 8}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_32F, true, {300, 2, 40}, 1, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    /* narrow integers: lanes have parts */
    {"staged_parts", CUDA_R_16U, true, {300, 17, 17}, 1, PRIM_OP_XOR, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_8U, true, {300, 257, 263}, 1, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_8U, true, {300, 257, 1027}, 2, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_16U, true, {300, 515, 515}, 0, PRIM_OP_MAX, PRIM_TRANSFORM_SQUARE},
    /* vectors, that begin at 16 bytes, as far past it, or anywhere; with small and large gaps */
    {"staged_vectors", CUDA_R_32F, true, {300, 16, 20}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_vectors", CUDA_R_32F, true, {300, 7, 8}, 1, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_vectors", CUDA_R_32F, true, {300, 37, 41}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_vectors", CUDA_R_32F, true, {300, 37, 101}, 1, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_vectors", CUDA_R_64F, true, {300, 37, 100}, 1, PRIM_OP_MAX, PRIM_TRANSFORM_NONE},
    {"staged_vectors", CUDA_R_16F, true, {300, 17, 17}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_vectors", CUDA_R_16F, true, {300, 17, 64}, 3, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_vectors", CUDA_R_8U, true, {300, 128, 128}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_vectors", CUDA_R_8U, true, {300, 120, 400}, 7, PRIM_OP_MAX, PRIM_TRANSFORM_NONE},
    {"staged_vectors", CUDA_R_32F, true, {2100, 5000, 5001}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"few_rows", CUDA_R_32F, false, {8, 100, 100}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"few_rows", CUDA_R_16F, false, {8, 3, 3}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"few_columns", CUDA_R_16F, false, {9, 3, 3}, 1, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"few_columns", CUDA_R_16F, false, {8, 7, 7}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_SQUARE},
    {"folded", CUDA_R_8U, false, {600000, 7, 7}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"folded", CUDA_R_8U, false, {1 << 18, 16, 16}, 1, PRIM_OP_MAX, PRIM_TRANSFORM_NONE},
    {"walk", CUDA_R_8U, false, {1 << 18, 16, 16}, 0, PRIM_OP_MAX, PRIM_TRANSFORM_NONE},
    {"walk", CUDA_R_8U, false, {500000, 7, 7}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"walk", CUDA_R_32F, false, {8, 100, 100}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_SQUARE},
    {"walk", CUDA_R_16F, false, {300, 3, 4}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"walk", CUDA_R_16F, false, {300, 8, 8}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    /* lines of one element each are columns as well as rows */
    {"staged_parts", CUDA_R_32F, false, {1, 300, 300}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_8U, false, {1, 300, 300}, 0, PRIM_OP_MAX, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_8U, false, {1, 300, 300}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_SQUARE},
    {"few_rows", CUDA_R_8U, false, {1, 300, 300}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"few_rows", CUDA_R_8U, true, {300, 1, 1}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE},
    {"staged_parts", CUDA_R_16F, true, {300, 1, 1}, 0, PRIM_OP_SUM, PRIM_TRANSFORM_NONE}};

/* Each of these calls takes its route, and has the bits of the host's version. */
Test(reduce, routes)
{
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        const routed *const r = &routes[i];
        const type_pair types = {r->type, r->type};
        char *h_in = make_matrix(r->op, r->type, &r->m, UNIFORM);
        check_at_offset(types, r->by_rows, &r->m, r->offset, r->op, r->transform, h_in);
        cr_assert_str_eq(asked()->route, r->route, "case %zu", i);
        free(h_in);
    }
}

Test(reduce, routes_of_vectors)
{
    static float h_in[5000];
    const combination k = {PRIM_REDUCE_VECTORIZED, {CUDA_R_32F, CUDA_R_32F}};
    const size_t counts[] = {0, 1, 5000};
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        fill(CUDA_R_32F, h_in, counts[c], UNIFORM, c);
        check_device(&(reduce_case){.variant = k.variant,
                                    .op = PRIM_OP_SUM,
                                    .types = k.types,
                                    .count = counts[c],
                                    .h_in = h_in,
                                    .offset = c});
        cr_assert_str_eq(asked()->route, "tiles");
    }
    check_arg(k.variant, PRIM_OP_MIN, PRIM_TRANSFORM_NONE, CUDA_R_32F, h_in, 5000, 1);
    cr_assert_str_eq(asked()->route, "candidates");
    check_dot(&k, 5000, UNIFORM, 1);
    cr_assert_str_eq(asked()->route, "products");
}

/* Where operands are yet to come they are aligned. */
Test(reduce, routes_of_calls_without_operands)
{
    const prim_matrix rows = prim_matrix_of(CUDA_R_32F, NULL, 300, 7, 8),
                      columns = prim_matrix_of(CUDA_R_8U, NULL, 1 << 18, 16, 0),
                      none = prim_matrix_of(CUDA_R_32F, NULL, 0, 7, 0),
                      empty = prim_matrix_of(CUDA_R_32F, NULL, 7, 0, 0);
    cr_prim(
        prim_reduce_rows(PRIM_REDUCE_VECTORIZED, PRIM_OP_SUM, 0, rows, CUDA_R_32F, NULL, asking()));
    cr_assert_str_eq(asked()->route, "staged_vectors");
    cr_prim(prim_reduce_columns(PRIM_REDUCE_VECTORIZED, PRIM_OP_SUM, 0, columns, CUDA_R_8U, NULL,
                                asking()));
    cr_assert_str_eq(asked()->route, "walk");
    cr_prim(
        prim_reduce_rows(PRIM_REDUCE_VECTORIZED, PRIM_OP_SUM, 0, none, CUDA_R_32F, NULL, asking()));
    cr_assert_null(asked()->route, "no rows have no results");
    cr_prim(prim_reduce_columns(PRIM_REDUCE_VECTORIZED, PRIM_OP_SUM, 0, empty, CUDA_R_32F, NULL,
                                asking()));
    cr_assert_null(asked()->route, "no columns have no results");
    cr_prim(
        prim_reduce_rows(PRIM_REDUCE_SHUFFLE, PRIM_OP_SUM, 0, rows, CUDA_R_32F, NULL, asking()));
    cr_assert_null(asked()->route, "SHUFFLE has one way");
}

/* ---- the table ---- */

Test(reduce, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_reduce_variant_at(0)->value, PRIM_REDUCE_AUTO);
    cr_assert_not_null(prim_reduce_variant_at(2));
    for (size_t v = 0; prim_reduce_variant_at(v) != NULL; v++) {
        const char *name = prim_reduce_variant_at(v)->name;
        cr_assert(name != NULL && strlen(name) > 0);
        cr_assert(strlen(prim_reduce_variant_at(v)->idea) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(name, prim_reduce_variant_at(w)->name);
    }
    cr_assert_null(prim_reduce_variant_info((prim_reduce_variant)9999));
}
