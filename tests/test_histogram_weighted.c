/* histogram of weighted samples: every variant, sample type and type of weights against sums of 128
 * bits, bit by bit. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/histogram.h>

#include "calls.h"
#include "histogram_calls.h"
#include "skews.h"
#include "support.h"

__extension__ typedef __int128 wide;

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { OUTSIDE = 3, POLICIES = 3, MOST_SAMPLES = 4099 };

static const cudaDataType_t types[] = {CUDA_R_8I,  CUDA_R_8U,   CUDA_R_16I, CUDA_R_16U,
                                       CUDA_R_32I, CUDA_R_32U,  CUDA_R_64I, CUDA_R_64U,
                                       CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F};
static const cudaDataType_t weight_types[] = {CUDA_R_32F, CUDA_R_64F};

typedef struct weighted_case {
    prim_histogram_variant variant;
    int threads; /* 0: on the device */
    cudaDataType_t type, weight_type;
    unsigned flags;
    prim_outside outside;
    prim_histogram_range range;
    size_t count, bins, offset;
    const void *h_samples, *h_weights;
    double largest; /* that is given; negative: none is */
} weighted_case;

/* ---- the oracle ---- */

/* A bin, or bins + 0, 1, 2 for below, above and NaN. */
static size_t place_of(const weighted_case *c, size_t i)
{
    const prim_histogram_range *r = &c->range;
    if (!type_is_float(c->type)) {
        const uint64_t bits = read_integer(c->type, c->h_samples, i);
        const wide x = type_is_signed(c->type) ? (wide)(int64_t)bits : (wide)bits;
        if (x < r->lower || x >= r->upper)
            return c->bins + (x >= r->upper);
        return (size_t)((x - r->lower) * (wide)c->bins / ((wide)r->upper - r->lower));
    }
    const double x = read_float(c->type, c->h_samples, i);
    const bool is_open = (c->flags & PRIM_HISTOGRAM_LAST_BIN_OPEN) != 0;
    if (isnan(x))
        return c->bins + 2;
    if (x < r->real_lower || x > r->real_upper || (is_open && x == r->real_upper))
        return c->bins + (x >= r->real_upper);
    const double span = r->real_upper - r->real_lower;
    const int scale = isinf(span * (double)c->bins) ? -64 : 0; /* as if doubles had no largest */
    const volatile double difference = ldexp(x - r->real_lower, scale);
    const volatile double product = difference * (double)c->bins;
    const volatile double quotient = product / ldexp(span, scale);
    return quotient >= (double)c->bins ? c->bins - 1 : (size_t)quotient;
}

/* The sum's place by the policy; SIZE_MAX: none. */
static size_t sum_of(const weighted_case *c, size_t place)
{
    if (place < c->bins || c->outside == PRIM_OUTSIDE_COUNT)
        return place;
    if (c->outside == PRIM_OUTSIDE_DROP || place == c->bins + 2)
        return SIZE_MAX;
    return place == c->bins ? 0 : c->bins - 1;
}

static double weight_of(const weighted_case *c, size_t i)
{
    return read_float(c->weight_type, c->h_weights, i);
}

/* "2^e the smallest power of two above the largest weight, 2^c the smallest that is not below
 * count": u = 2^(e + c − 62), and this is its exponent. */
static int exponent_of_u(const weighted_case *c, double largest)
{
    int e = 0, log2_count = 0;
    while (largest > 0 && ldexpl(1, e) > (long double)largest)
        e--;
    while (largest > 0 && ldexpl(1, e) <= (long double)largest)
        e++;
    while (ldexpl(1, log2_count) < (long double)c->count)
        log2_count++;
    return e + log2_count - 62;
}

/* Adds to sums of multiples of u, of all bins and of what lies outside; false: a weight is unfit.
 */
static bool add_weights(const weighted_case *c, wide *sums, int *u)
{
    double largest = 0;
    bool fits = true;
    for (size_t i = 0; i < c->count; i++) {
        const double magnitude = fabs(weight_of(c, i));
        fits = fits && isfinite(magnitude) && (c->largest < 0 || magnitude <= c->largest);
        largest = magnitude > largest ? magnitude : largest;
    }
    if (!fits)
        return false;
    *u = exponent_of_u(c, c->largest < 0 ? largest : c->largest);
    for (size_t i = 0; i < c->count; i++) {
        const size_t at = sum_of(c, place_of(c, i));
        if (at != SIZE_MAX)
            sums[at] += (wide)rintl(ldexpl((long double)weight_of(c, i), -*u));
    }
    return true;
}

/* Rounded to the type's digits, and then scaled. */
static double rounded_sum(const weighted_case *c, wide sum, int u)
{
    return c->weight_type == CUDA_R_32F ? (double)ldexpf((float)(int64_t)sum, u)
                                        : ldexp((double)(int64_t)sum, u);
}

/* What stands there before the call. */
static double earlier_sum(size_t i)
{
    return i % 3 == 0 ? 0.25 * (double)i : -1.5;
}

static double expected_sum(const weighted_case *c, size_t i, wide sum, int u, bool fits)
{
    const bool adds = (c->flags & PRIM_HISTOGRAM_ADD) != 0;
    if (c->count == 0)
        return adds ? earlier_sum(i) : 0;
    if (!fits)
        return NAN;
    const double rounded = rounded_sum(c, sum, u);
    if (!adds)
        return rounded;
    return c->weight_type == CUDA_R_32F ? (double)((float)earlier_sum(i) + (float)rounded)
                                        : earlier_sum(i) + rounded;
}

/* ---- one case ---- */

/* The case's counters, where they are to go. */
static prim_counters counters_of(const weighted_case *c, void *data, void *outside)
{
    return (prim_counters){.data = data,
                           .bins = c->bins,
                           .type = c->weight_type,
                           .flags = c->flags,
                           .outside = c->outside,
                           .outside_data = outside};
}

static void run(const weighted_case *c, char *sums)
{
    const size_t each = type_bytes(c->weight_type), sample = type_bytes(c->type);
    char *const outside = sums + c->bins * each;
    const float largest_f32 = (float)c->largest;
    const void *const largest = c->largest < 0                 ? NULL
                                : c->weight_type == CUDA_R_32F ? (const void *)&largest_f32
                                                               : (const void *)&c->largest;
    if (c->threads > 0) {
        cr_prim(prim_histogram_even_weighted_host(c->range, c->type, c->h_samples, c->count,
                                                  c->h_weights, largest,
                                                  counters_of(c, sums, outside), c->threads));
        return;
    }
    size_t bytes;
    cr_prim(
        asked_bytes(prim_histogram_even_weighted(c->variant, c->range, c->type, NULL, c->count,
                                                 NULL, NULL, counters_of(c, NULL, NULL), asking()),
                    &bytes));
    cr_assert_eq(bytes, 8 * (c->bins + 5));
    guarded in = guarded_copy(c->h_samples, c->count * sample, c->offset * sample),
            weights = guarded_copy(c->h_weights, c->count * each, c->offset % 5 * each),
            bins = guarded_copy(sums, c->bins * each, c->offset % 2 * each),
            apart = guarded_copy(outside, OUTSIDE * each, c->offset % 3 * each),
            workspace = guarded_new(bytes, 0);
    cr_prim(prim_histogram_even_weighted(
        c->variant, c->range, c->type, in.data, c->count, weights.data, largest,
        counters_of(c, bins.data, c->outside == PRIM_OUTSIDE_COUNT ? apart.data : NULL),
        with(0, workspace.data, bytes)));
    guarded_read(&bins, sums);
    guarded_read(&apart, outside);
    guarded_free(&in);
    guarded_free(&weights);
    guarded_free(&bins);
    guarded_free(&apart);
    guarded_free(&workspace);
}

static char *earlier_sums(const weighted_case *c)
{
    char *const sums = malloc((c->bins + OUTSIDE) * 8);
    for (size_t i = 0; i < c->bins + OUTSIDE; i++)
        write_float(c->weight_type, sums, i, earlier_sum(i));
    return sums;
}

static void check(const weighted_case *c)
{
    wide *expected = calloc(c->bins + OUTSIDE, sizeof *expected);
    char *const sums = earlier_sums(c);
    const size_t all = c->bins + (c->outside == PRIM_OUTSIDE_COUNT ? OUTSIDE : 0);
    int u = 0;
    const bool fits = add_weights(c, expected, &u);
    run(c, sums);
    for (size_t i = 0; i < all; i++) {
        const double is = read_float(c->weight_type, sums, i),
                     wanted = expected_sum(c, i, expected[i], u, fits);
        cr_assert((isnan(is) && isnan(wanted)) || (is == wanted && signbit(is) == signbit(wanted)),
                  "%s (threads %d), %s by %s, %zu samples, %zu bins, flags %u, outside %d, largest "
                  "%g, offset %zu: sum %zu is %a, not %a",
                  prim_histogram_variant_info(c->variant)->name, c->threads, type_name(c->type),
                  type_name(c->weight_type), c->count, c->bins, c->flags, (int)c->outside,
                  c->largest, c->offset, i, is, wanted);
    }
    free(sums);
    free(expected);
}

static bool has_threads(void)
{
    float sum;
    const prim_histogram_range range = prim_integer_range(0, 1);
    return prim_histogram_even_weighted_host(
               range, CUDA_R_8U, NULL, 0, NULL, NULL,
               (prim_counters){.data = &sum, .bins = 1, .type = CUDA_R_32F}, 2) == PRIM_OK;
}

/* On the device by each variant, and on the host. */
static void check_everywhere(weighted_case *c, size_t turn)
{
    c->threads = 0;
    for (size_t v = 0; histogram_weighted_variant_at(v) != NULL; v++) {
        c->variant = histogram_weighted_variant_at(v)->value;
        if (runs(prim_histogram_even_weighted(c->variant, c->range, c->type, NULL, c->count, NULL,
                                              NULL, counters_of(c, NULL, NULL), asking())))
            check(c);
        else /* 48 KB at least hold these */
            cr_assert(c->variant == PRIM_HISTOGRAM_WEIGHTED_MULTI_COPY && c->bins + 3 > 6144);
    }
    c->variant = PRIM_HISTOGRAM_AUTO;
    c->threads = has_threads() && turn % 2 == 0 ? 3 : 1;
    check(c);
}

/* ---- inputs ---- */

static const prim_histogram_range ranges[] = {
    {.lower = -1000, .upper = 900, .real_lower = -900.5, .real_upper = 1000},
    {.lower = 0, .upper = 256, .real_lower = -0.1, .real_upper = 0.3},
    {.lower = 97, .upper = 125, .real_lower = 0.0, .real_upper = 1.0},
    {.lower = INT32_MIN, .upper = (int64_t)INT32_MAX + 1, .real_lower = -1, .real_upper = 1},
    {.lower = INT64_MIN, .upper = INT64_MAX, .real_lower = -1e308, .real_upper = 7e307},
    {.lower = -30000, .upper = 30011, .real_lower = -0x1p-20, .real_upper = 0x1p20},
};

typedef enum weight_kind {
    IN_UNIT,
    SPREAD,   /* over many magnitudes */
    ZEROS,    /* of both signs */
    TINY,     /* the smallest subnormal and a few of it */
    HUGE_SUM, /* the largest number, and its negative: many sums are beyond */
    EQUAL,    /* just below a power of two */
    ONE_NAN,
    ONE_INFINITE,
    WEIGHT_KINDS
} weight_kind;

static double weight(cudaDataType_t type, weight_kind kind, size_t i, double random)
{
    const bool is_f32 = type == CUDA_R_32F;
    const double most = is_f32 ? FLT_MAX : DBL_MAX, least = is_f32 ? 0x1p-149 : 0x1p-1074;
    switch (kind) {
    case ZEROS:
        return i % 2 ? 0.0 : -0.0;
    case TINY:
        return least * (double)(i % 7) * (i % 5 ? 1 : -1);
    case HUGE_SUM:
        return i % 3 ? most : -most;
    case EQUAL:
        return is_f32 ? 1 - 0x1p-24 : 1 - 0x1p-53;
    default:
        return random;
    }
}

static void make_weights(const weighted_case *c, void *h_weights, weight_kind kind, size_t turn)
{
    fill(c->weight_type, h_weights, c->count, kind == SPREAD ? EXTREMES : UNIFORM, turn + 1000);
    for (size_t i = 0; i < c->count; i++)
        write_float(c->weight_type, h_weights, i,
                    weight(c->weight_type, kind, i, read_float(c->weight_type, h_weights, i)));
    if (kind >= ONE_NAN && c->count > 0)
        write_float(c->weight_type, h_weights, turn % c->count,
                    kind == ONE_NAN ? (double)NAN
                    : turn % 2      ? INFINITY
                                    : -INFINITY);
}

static void check_type(cudaDataType_t type)
{
    static double h_samples[MOST_SAMPLES], h_weights[MOST_SAMPLES];
    static const size_t counts[] = {0, 1, 2, 31, 64, 257, 1024, MOST_SAMPLES},
                        bin_counts[] = {1, 2, 7, 64, 256, 1000};
    static const double given[] = {-1, -1, 1, 2.5, 0, 0.9, -1, 1e30},
                        specials[] = {NAN, INFINITY, -INFINITY, -0.0, 0.3, 1};
    static const size_t steps[] = {[LEVEL_QUICK] = 7, [LEVEL_NORMAL] = 3, [LEVEL_FULL] = 1};
    const size_t step = steps[get_test_level()];
    size_t turn = (size_t)type;
    for (size_t w = 0; w < COUNT_OF(weight_types); w++)
        for (size_t n = 0; n < COUNT_OF(counts); n++)
            for (size_t b = 0; b < COUNT_OF(bin_counts); b++)
                for (int kind = 0; kind < WEIGHT_KINDS; kind++, turn++) {
                    weighted_case c = {.type = type,
                                       .weight_type = weight_types[w],
                                       .flags = (unsigned)(turn / 5 % 4),
                                       .outside = (prim_outside)(turn / 3 % POLICIES),
                                       .range = ranges[turn / 2 % COUNT_OF(ranges)],
                                       .count = counts[n],
                                       .bins = bin_counts[b],
                                       .offset = turn % 17,
                                       .h_samples = h_samples,
                                       .h_weights = h_weights,
                                       .largest = given[turn / 4 % COUNT_OF(given)]};
                    if (turn % step != 0)
                        continue;
                    c.largest = c.weight_type == CUDA_R_32F ? (float)c.largest : c.largest;
                    fill(type, h_samples, c.count, (distribution)(turn % DISTRIBUTION_COUNT), turn);
                    for (size_t i = turn % 5; i < c.count && type_is_float(type); i += 5)
                        write_float(type, h_samples, i, specials[i / 5 % COUNT_OF(specials)]);
                    make_weights(&c, h_weights, (weight_kind)kind, turn);
                    check_everywhere(&c, turn);
                }
}

/* Many samples in few bins, and so many that threads take several. */
Test(histogram_weighted, skewed_samples)
{
    static const size_t bins[] = {3, 300, 30011}, counts[] = {40, 1001, 20003};
    static double h_samples[20003], h_weights[20003];
    const size_t step = get_test_level() == LEVEL_QUICK ? 5 : 1;
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int kind = 0; kind < SKEWS; kind++, turn++) {
            weighted_case c = {.type = types[t],
                               .weight_type = weight_types[turn / 3 % 2],
                               .outside = (prim_outside)(turn % POLICIES),
                               .range = SKEWED_RANGE,
                               .count = counts[turn / 5 % COUNT_OF(counts)],
                               .bins = bins[turn / 2 % COUNT_OF(bins)],
                               .offset = turn % 17,
                               .h_samples = h_samples,
                               .h_weights = h_weights,
                               .largest = turn % 4 == 0 ? 2 : -1};
            if (turn % step != 0)
                continue;
            fill_skewed(c.type, h_samples, c.count, (skew)kind);
            make_weights(&c, h_weights, turn % 3 == 0 ? SPREAD : IN_UNIT, turn);
            if (turn % 3 == 0)
                c.largest = -1;
            check_everywhere(&c, turn);
        }
}

Test(histogram_weighted, integers)
{
    for (size_t t = 0; t < COUNT_OF(types); t++)
        if (!type_is_float(types[t]))
            check_type(types[t]);
}

Test(histogram_weighted, floats)
{
    for (size_t t = 0; t < COUNT_OF(types); t++)
        if (type_is_float(types[t]))
            check_type(types[t]);
}

/* Several blocks and vectors to a thread; low words carry many times. */
Test(histogram_weighted, many_samples)
{
    enum { COUNT = 300001 };
    double *const h_samples = malloc(COUNT * 8), *const h_weights = malloc(COUNT * 8);
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        weighted_case c = {.type = types[t],
                           .weight_type = weight_types[t % 2],
                           .outside = (prim_outside)(t % POLICIES),
                           .range = {-(1ll << 31), 1ll << 31, -1, 0.9},
                           .count = COUNT - t,
                           .bins = t % 3 == 0 ? 1 : 100,
                           .offset = t,
                           .h_samples = h_samples,
                           .h_weights = h_weights,
                           .largest = t % 4 == 0 ? 1 : -1};
        if (get_test_level() == LEVEL_QUICK && t % 3 != 0)
            continue;
        fill(types[t], h_samples, c.count, UNIFORM, t);
        make_weights(&c, h_weights, t % 2 == 0 ? EQUAL : IN_UNIT, t);
        check_everywhere(&c, t);
    }
    free(h_samples);
    free(h_weights);
}

/* More bins than shared memory holds, and just as many. */
Test(histogram_weighted, many_bins)
{
    static double h_samples[1000], h_weights[1000];
    static const size_t bin_counts[] = {6141, 29053, 70001};
    for (size_t b = 0; b < COUNT_OF(bin_counts); b++)
        for (size_t t = b; t < COUNT_OF(types); t += 5) {
            weighted_case c = {.type = types[t],
                               .weight_type = weight_types[b % 2],
                               .outside = PRIM_OUTSIDE_COUNT,
                               .range = {-100, 70000, -1, 0.9},
                               .count = 1000,
                               .bins = bin_counts[b],
                               .h_samples = h_samples,
                               .h_weights = h_weights,
                               .largest = -1};
            fill(types[t], h_samples, c.count, UNIFORM, t);
            make_weights(&c, h_weights, SPREAD, t);
            check_everywhere(&c, t);
        }
}

/* ---- what the header says of sums ---- */

/* The same bits backwards; and ones are counted. */
Test(histogram_weighted, sums_do_not_depend_on_the_order)
{
    enum { COUNT = 5000, BINS = 9 };
    static int32_t h_samples[2][COUNT];
    static float h_weights[2][COUNT], ones[COUNT];
    const prim_histogram_range range = prim_integer_range(-(1ll << 31), 1ll << 31);
    float sums[2][BINS];
    uint32_t counters[BINS];
    fill(CUDA_R_32I, h_samples[0], COUNT, UNIFORM, 1);
    fill(CUDA_R_32F, h_weights[0], COUNT, EXTREMES, 2);
    for (size_t i = 0; i < COUNT; i++) {
        h_samples[1][i] = h_samples[0][COUNT - 1 - i];
        h_weights[1][i] = h_weights[0][COUNT - 1 - i];
        ones[i] = 1;
    }
    for (int i = 0; i < 2; i++)
        cr_prim(prim_histogram_even_weighted_host(
            range, CUDA_R_32I, h_samples[i], COUNT, h_weights[i], NULL,
            (prim_counters){.data = sums[i], .bins = BINS, .type = CUDA_R_32F}, 1));
    cr_assert_arr_eq(sums[0], sums[1], sizeof sums[0]);
    cr_prim(prim_histogram_even_weighted_host(
        range, CUDA_R_32I, h_samples[0], COUNT, ones, NULL,
        (prim_counters){.data = sums[0], .bins = BINS, .type = CUDA_R_32F}, 1));
    cr_prim(prim_histogram_even_host(
        range, CUDA_R_32I, h_samples[0], COUNT,
        (prim_counters){.data = counters, .bins = BINS, .type = CUDA_R_32U}, 1));
    for (size_t b = 0; b < BINS; b++)
        cr_assert_eq(sums[0][b], (float)counters[b]);
}

/* "off by n · count · largest · 2^-61 at most" */
Test(histogram_weighted, errors_are_bounded)
{
    enum { COUNT = 4000, BINS = 3 };
    static uint8_t h_samples[COUNT];
    static double h_weights[COUNT];
    const prim_histogram_range range = prim_integer_range(0, 256);
    double sums[BINS], largest = 0;
    long double exact[BINS] = {0}, n[BINS] = {0};
    fill(CUDA_R_8U, h_samples, COUNT, UNIFORM, 3);
    fill(CUDA_R_64F, h_weights, COUNT, UNIFORM, 4);
    for (size_t i = 0; i < COUNT; i++) {
        h_weights[i] *= ldexp(1, -(int)(i % 40));
        exact[h_samples[i] * BINS / 256] += (long double)h_weights[i];
        n[h_samples[i] * BINS / 256]++;
        largest = fmax(largest, fabs(h_weights[i]));
    }
    cr_prim(prim_histogram_even_weighted_host(
        range, CUDA_R_8U, h_samples, COUNT, h_weights, NULL,
        (prim_counters){.data = sums, .bins = BINS, .type = CUDA_R_64F}, 1));
    for (size_t b = 0; b < BINS; b++) {
        const long double bound =
            n[b] * COUNT * (long double)largest * 0x1p-61L + fabsl(exact[b]) * 0x1p-53L;
        cr_assert(fabsl((long double)sums[b] - exact[b]) <= bound * 1.001L);
        cr_assert(sums[b] != 0);
    }
}

/* ---- what is refused ---- */

Test(histogram_weighted, what_is_refused)
{
    uint8_t samples[4] = {1, 2, 3, 4};
    float weights[4] = {1, 2, 3, 4}, sums[8], largest = 4;
    const prim_histogram_range range = prim_integer_range(0, 8), empty = prim_integer_range(1, 1);
#define HOST(policy, r, bins, type, h_weights, h_largest, h_sums, h_outside)                     \
    prim_histogram_even_weighted_host(r, CUDA_R_8U, samples, 4, h_weights, h_largest,            \
                                      (prim_counters){h_sums, bins, type, 0, policy, h_outside}, \
                                      1)
    const prim_outside drop = PRIM_OUTSIDE_DROP;
    const cudaDataType_t f32 = CUDA_R_32F;
    cr_assert_eq(HOST(drop, range, 2, f32, weights, &largest, sums, NULL), PRIM_OK);
    cr_assert(sums[0] == 6 && sums[1] == 4);
    cr_refused(HOST(drop, range, 2, CUDA_R_16F, weights, NULL, sums, NULL), PRIM_ERROR_TYPE,
               "weight_type");
    cr_assert_eq(HOST(drop, range, 2, CUDA_R_32U, weights, NULL, sums, NULL), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(drop, empty, 2, f32, weights, NULL, sums, NULL), PRIM_ERROR_VALUE);
    cr_assert_eq(HOST(drop, range, 0, f32, weights, NULL, sums, NULL), PRIM_ERROR_VALUE);
    cr_refused(HOST(drop, range, 2, f32, NULL, NULL, sums, NULL), PRIM_ERROR_NULL, "h_weights");
    cr_assert_eq(HOST(drop, range, 2, f32, weights, NULL, NULL, NULL), PRIM_ERROR_NULL);
    cr_assert_eq(HOST(drop, range, 2, f32, weights, NULL, weights + 2, NULL), PRIM_ERROR_OVERLAP);
    cr_assert_eq(HOST(PRIM_OUTSIDE_COUNT, range, 2, f32, weights, NULL, sums, sums + 1),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(HOST(PRIM_OUTSIDE_COUNT, range, 2, f32, weights, NULL, sums, weights + 1),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(HOST(drop, range, 2, f32, weights, (char *)&largest + 1, sums, NULL),
                 PRIM_ERROR_MISALIGNED);
    for (int i = 0; i < 3; i++) {
        largest = (float[]){-1, INFINITY, NAN}[i];
        cr_refused(HOST(drop, range, 2, f32, weights, &largest, sums, NULL), PRIM_ERROR_VALUE,
                   "h_largest");
    }
    size_t bytes;
    cr_assert_eq(
        asked_bytes(prim_histogram_even_weighted(
                        PRIM_HISTOGRAM_AUTO, range, CUDA_R_8U, NULL, 4, NULL, NULL,
                        (prim_counters){.bins = SIZE_MAX / 8 - 4, .type = CUDA_R_32F}, asking()),
                    &bytes),
        PRIM_ERROR_SIZE);
    cr_assert_eq(
        asked_bytes(prim_histogram_even_weighted(
                        PRIM_HISTOGRAM_AUTO, range, CUDA_R_8U, NULL, 4, NULL, NULL,
                        (prim_counters){.bins = SIZE_MAX / 8 - 5, .type = CUDA_R_32F}, asking()),
                    &bytes),
        PRIM_OK);
}

Test(histogram_weighted, variants_have_names_and_ideas)
{
    cr_assert_eq(histogram_weighted_variant_at(0)->value, PRIM_HISTOGRAM_AUTO);
    cr_assert_str_eq(prim_histogram_variant_info(PRIM_HISTOGRAM_WEIGHTED_MULTI_COPY)->name,
                     "weighted_multi_copy");
    cr_assert_null(histogram_weighted_variant_at(3));
    cr_assert_eq(PRIM_HISTOGRAM_WEIGHTED_GLOBAL_ATOMIC, 60);
    cr_assert_eq(PRIM_HISTOGRAM_WEIGHTED_MULTI_COPY, 61);
}
