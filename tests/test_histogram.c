/* histogram: every variant and sample type against an independent oracle. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/histogram.h>

#include "calls.h"
#include "histogram_calls.h"
#include "rungs.h"
#include "skews.h"
#include "support.h"

__extension__ typedef __int128 wide;

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { OUTSIDE = 3, POLICIES = 3, TEXTBOOK_TYPES = 3 };

static const cudaDataType_t sample_types[] = {CUDA_R_8U,  CUDA_R_32I, CUDA_R_32F,  CUDA_R_8I,
                                              CUDA_R_16I, CUDA_R_16U, CUDA_R_32U,  CUDA_R_64I,
                                              CUDA_R_64U, CUDA_R_16F, CUDA_R_16BF, CUDA_R_64F};

/* ---- the oracle: in 128 bits for integers, in plain double for floats ---- */

typedef struct histogram_case {
    prim_histogram_variant variant;
    cudaDataType_t type;
    unsigned flags;
    prim_outside outside;
    prim_histogram_range range;
    size_t count, bins;
    const void *h_samples;
    size_t offset; /* elements by which d_samples misses the 256-byte boundary */
    bool wide;     /* u64 counters */
} histogram_case;

typedef enum place { IN_RANGE, BELOW, ABOVE, NEITHER } place;

static place place_integer(const histogram_case *c, uint64_t bits, size_t *bin)
{
    const wide x = type_is_signed(c->type) ? (wide)(int64_t)bits : (wide)bits;
    const wide span = (wide)c->range.upper - c->range.lower;
    if (x < c->range.lower)
        return BELOW;
    if (x >= c->range.upper)
        return ABOVE;
    *bin = (size_t)((x - c->range.lower) * (wide)c->bins / span);
    return IN_RANGE;
}

static place place_float(const histogram_case *c, double x, size_t *bin)
{
    const double lower = c->range.real_lower, upper = c->range.real_upper;
    if (isnan(x))
        return NEITHER;
    if (x < lower)
        return BELOW;
    if (x > upper || (x == upper && (c->flags & PRIM_HISTOGRAM_LAST_BIN_OPEN)))
        return ABOVE;
    const bool is_wide =
        isinf((upper - lower) * (double)c->bins); /* as if doubles had no largest */
    const volatile double difference = is_wide ? ldexp(x - lower, -64) : x - lower;
    const volatile double product = difference * (double)c->bins;
    const volatile double quotient =
        product / (is_wide ? ldexp(upper - lower, -64) : upper - lower);
    *bin = quotient >= (double)c->bins ? c->bins - 1 : (size_t)floor(quotient);
    return IN_RANGE;
}

/* Adds to counters[0 … bins-1] and, after them, three for below, above and NaN. */
static void expect(const histogram_case *c, uint64_t *counters)
{
    for (size_t i = 0; i < c->count; i++) {
        size_t bin = 0;
        const place p = type_is_float(c->type)
                            ? place_float(c, read_float(c->type, c->h_samples, i), &bin)
                            : place_integer(c, read_integer(c->type, c->h_samples, i), &bin);
        if (p == IN_RANGE)
            counters[bin]++;
        else if (c->outside == PRIM_OUTSIDE_COUNT)
            counters[c->bins + (size_t)p - BELOW]++;
        else if (c->outside == PRIM_OUTSIDE_CLAMP && p != NEITHER)
            counters[p == BELOW ? 0 : c->bins - 1]++;
    }
}

/* ---- one case ---- */

static cudaDataType_t counter_type(const histogram_case *c)
{
    return c->wide ? CUDA_R_64U : CUDA_R_32U;
}

static size_t counter_bytes(const histogram_case *c)
{
    return c->wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

/* What the counters hold before the call: it must vanish, or stay with PRIM_HISTOGRAM_ADD. */
static uint64_t earlier_count(const histogram_case *c, size_t i)
{
    const uint64_t some = i % 7 == 0 ? UINT32_MAX - 1 : 3 * i + 1; /* some wrap in 32 bits */
    return c->wide ? some : (uint32_t)some;
}

/* That of all bins and, after them, of what lies outside. */
static void *earlier_counts(const histogram_case *c)
{
    char *const counts = malloc((c->bins + OUTSIDE) * counter_bytes(c));
    for (size_t b = 0; b < c->bins + OUTSIDE; b++)
        write_integer(counter_type(c), counts, b, earlier_count(c, b));
    return counts;
}

static void check_equal(const histogram_case *c, const void *counters, const void *outside,
                        const char *who)
{
    uint64_t *expected = calloc(c->bins + OUTSIDE, sizeof *expected);
    const bool add = (c->flags & PRIM_HISTOGRAM_ADD) != 0;
    for (size_t b = 0; b < c->bins + OUTSIDE && add; b++)
        expected[b] = earlier_count(c, b);
    expect(c, expected);
    for (size_t b = 0; b < c->bins + OUTSIDE; b++) {
        const bool is_bin = b < c->bins;
        if (!is_bin && c->outside != PRIM_OUTSIDE_COUNT)
            continue;
        const uint64_t found = read_integer(counter_type(c), is_bin ? counters : outside,
                                            is_bin ? b : b - c->bins),
                       wanted = c->wide ? expected[b] : (uint32_t)expected[b];
        cr_assert_eq(found, wanted,
                     "%s %s, %zu samples in %zu bins, flags %u, outside %d, range %lld %lld %g %g, "
                     "offset %zu: counter %zu is %llu, not %llu",
                     who, type_name(c->type), c->count, c->bins, c->flags, (int)c->outside,
                     (long long)c->range.lower, (long long)c->range.upper, c->range.real_lower,
                     c->range.real_upper, c->offset, b, (unsigned long long)found,
                     (unsigned long long)wanted);
    }
    free(expected);
}

/* The case's counters, where they are to go. */
static prim_counters counters_of(const histogram_case *c, void *data, void *outside)
{
    return (prim_counters){.data = data,
                           .bins = c->bins,
                           .type = counter_type(c),
                           .flags = c->flags,
                           .outside = c->outside,
                           .outside_data = outside};
}

static void check_device(const histogram_case *c)
{
    const size_t sample_bytes = type_bytes(c->type), bytes_each = counter_bytes(c);
    char *const earlier = earlier_counts(c);
    char *const counters = malloc(c->bins * bytes_each);
    uint64_t outside[OUTSIDE];
    size_t bytes;
    cr_prim(asked_bytes(prim_histogram_even(c->variant, c->range, c->type, NULL, c->count,
                                            counters_of(c, NULL, NULL), asking()),
                        &bytes));
    guarded in = guarded_copy(c->h_samples, c->count * sample_bytes, c->offset * sample_bytes);
    guarded out = guarded_copy(earlier, c->bins * bytes_each, bytes_each * (c->offset % 3));
    guarded apart = guarded_copy(earlier + c->bins * bytes_each, OUTSIDE * bytes_each,
                                 bytes_each * (c->offset % 3));
    guarded workspace = guarded_new(bytes, 0);
    const bool counted = c->outside == PRIM_OUTSIDE_COUNT;
    cr_prim(prim_histogram_even(c->variant, c->range, c->type, in.data, c->count,
                                counters_of(c, out.data, counted ? apart.data : NULL),
                                with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&out, counters);
    guarded_read(&apart, outside);
    check_equal(c, counters, outside, prim_histogram_variant_info(c->variant)->name);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&apart);
    guarded_free(&workspace);
    free(earlier);
    free(counters);
}

static bool has_threads(void)
{
    uint32_t counter;
    const prim_histogram_range range = prim_integer_range(0, 1);
    return prim_histogram_even_host(
               range, CUDA_R_8U, NULL, 0,
               (prim_counters){.data = &counter, .bins = 1, .type = CUDA_R_32U}, 2) == PRIM_OK;
}

static void check_host(const histogram_case *c, int threads)
{
    char *const counters = earlier_counts(c);
    char *const outside = counters + c->bins * counter_bytes(c);
    cr_prim(prim_histogram_even_host(c->range, c->type, c->h_samples, c->count,
                                     counters_of(c, counters, outside), threads));
    check_equal(c, counters, outside, "host");
    free(counters);
}

/* ---- inputs ---- */

/* Ranges that cut off samples at both ends, that hold all of them, and that are very wide. The span
 * of the last one fits 32 bits, and times the bins it does not. */
static const prim_histogram_range ranges[] = {
    {.lower = -1000, .upper = 900, .real_lower = -900.5, .real_upper = 1000},
    {.lower = 97, .upper = 125, .real_lower = 0.0, .real_upper = 1.0},
    {.lower = 0, .upper = 256, .real_lower = -0.1, .real_upper = 0.3},
    {.lower = INT32_MIN, .upper = (int64_t)INT32_MAX + 1, .real_lower = -2048, .real_upper = 2047},
    {.lower = INT64_MIN, .upper = INT64_MAX, .real_lower = -1e308, .real_upper = 7e307},
    {.lower = 5, .upper = 6, .real_lower = 5, .real_upper = 5.0000001},
    {.lower = -(1 << 30), .upper = 1 << 30, .real_lower = -0x1p-20, .real_upper = 0x1p20},
};

static const size_t bin_counts[] = {1, 2, 3, 7, 100, 256, 1000, 12288};

static const size_t sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 1023, 4000};

/* Some samples on the bounds, some NaN and infinite. */
static void add_specials(histogram_case *c, void *h_samples)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, -0.0};
    for (size_t i = 0; i < c->count && type_is_float(c->type); i += 5)
        write_float(c->type, h_samples, i,
                    i % 2 == 0   ? specials[i / 5 % 4]
                    : i % 3 == 0 ? c->range.real_lower
                                 : c->range.real_upper);
}

typedef struct combination {
    prim_histogram_variant variant;
    cudaDataType_t type;
} combination;

static struct criterion_test_params combinations(void)
{
    static combination rows[128];
    size_t count = 0;
    for (size_t v = 0; histogram_even_variant_at(v) != NULL; v++)
        for (size_t t = 0; t < COUNT_OF(sample_types); t++) {
            const prim_histogram_variant variant = histogram_even_variant_at(v)->value;
            if (t < TEXTBOOK_TYPES || histogram_rung_has(variant, TAKES_ALL_TYPES))
                rows[count++] = (combination){variant, sample_types[t]};
        }
    return cr_make_param_array(combination, rows, count);
}

static bool supported(const histogram_case *c)
{
    return runs(prim_histogram_even(c->variant, c->range, c->type, NULL, c->count,
                                    counters_of(c, NULL, NULL), asking()));
}

/* Every range, number of bins and policy, at sizes, distributions and flags in turn. */
ParameterizedTestParameters(histogram, ranges_bins_and_policies)
{
    return combinations();
}

ParameterizedTest(combination *k, histogram, ranges_bins_and_policies)
{
    static double h_samples[4096];
    const size_t step = get_test_level() == LEVEL_QUICK ? 3 : 1;
    size_t turn = 0, run = 0;
    for (size_t r = 0; r < COUNT_OF(ranges); r++)
        for (size_t b = 0; b < COUNT_OF(bin_counts); b += step)
            for (int policy = 0; policy < POLICIES; policy++)
                for (unsigned flags = 0; flags < 4; flags++, turn++) {
                    histogram_case c = {k->variant,    k->type,
                                        flags,         (prim_outside)policy,
                                        ranges[r],     sizes[turn % COUNT_OF(sizes)],
                                        bin_counts[b], h_samples,
                                        turn % 17,     turn % 5 == 0};
                    fill(k->type, h_samples, c.count, (distribution)(turn % DISTRIBUTION_COUNT),
                         turn);
                    add_specials(&c, h_samples);
                    if (!supported(&c))
                        continue;
                    check_device(&c);
                    run++;
                }
    cr_assert(run > 0);
}

ParameterizedTestParameters(histogram, many_samples)
{
    return combinations();
}

ParameterizedTest(combination *k, histogram, many_samples)
{
    static const size_t counts[] = {65537, 300001};
    for (size_t s = 0; s < (get_test_level() == LEVEL_QUICK ? 1 : COUNT_OF(counts)); s++)
        for (int equal = 0; equal < 2; equal++) {
            double *h_samples = calloc(counts[s], sizeof *h_samples);
            if (!equal)
                fill(k->type, h_samples, counts[s], UNIFORM, s);
            const histogram_case c = {.variant = k->variant,
                                      .type = k->type,
                                      .outside = PRIM_OUTSIDE_COUNT,
                                      .range = {-(1ll << 31), 1ll << 31, -1, 0.9},
                                      .count = counts[s],
                                      .bins = 4096,
                                      .h_samples = h_samples};
            check_device(&c);
            free(h_samples);
        }
}

/* So many floats that a table of each bin's first one pays: on edges, next to them, and anywhere.
 */
static void fill_around_edges(const histogram_case *c, void *h_samples)
{
    const double lower = c->range.real_lower, upper = c->range.real_upper;
    for (size_t i = 0; i < c->count; i++) {
        const uint64_t bits = random_bits(i);
        const double u = (double)(bits >> 11) * 0x1p-53;
        double x = lower + (upper - lower) * (1.02 * u - 0.01);
        if (bits % 4 != 0) /* as near to an edge as the type has it */
            x = lower + (upper - lower) * (double)(bits >> 20 & 0xffff) / (double)c->bins;
        if (bits % 4 == 2)
            x = x * (1 + 0x1p-23) + 1e-30;
        if (bits % 4 == 3)
            x = x * (1 - 0x1p-23) - 1e-30;
        write_float(c->type, h_samples, i, round_to_type(c->type, (long double)x));
    }
}

Test(histogram, floats_on_edges)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF};
    static const struct {
        size_t bins;
        double lower, upper;
    } grids[] = {{300, -1, 1},         {100, -0.1, 0.3}, {333, -0.001, 0.002}, /* bf16: unsettled */
                 {4096, 0, 1},         {2048, -1, 1},    {1000, 5, 5.00001},   {7, -1e30, 7e30},
                 {333, -0.3, 0.7}, /* f16: unsettled */
                 {333, -1e-20, 2e-20}, {64, 1000, 1001}, {3, 0, 3 + 0x1p-51},  {128, 0, 3}};
    histogram_case c = {.variant = PRIM_HISTOGRAM_MULTI_COPY, .count = (1 << 21) + 5};
    void *h_samples = malloc(c.count * sizeof(float));
    const size_t most = get_test_level() == LEVEL_QUICK ? 3 : COUNT_OF(grids);
    c.h_samples = h_samples;
    for (size_t g = 0; g < most; g++)
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            if (get_test_level() != LEVEL_FULL && t != g % 3)
                continue;
            c.type = types[t];
            c.bins = grids[g].bins;
            c.outside = (prim_outside)(g / 3 % POLICIES); /* types go by threes */
            c.flags = (g + 1) % 2 * PRIM_HISTOGRAM_LAST_BIN_OPEN;
            c.range = prim_real_range(grids[g].lower, grids[g].upper);
            fill_around_edges(&c, h_samples);
            check_device(&c);
        }
    free(h_samples);
}

/* Bins as wide as a power of two, between multiples of that. Samples on edges and next to them, and
 * negative ones so near to 0 that the lower bound's distance from both is the same double. */
static size_t fill_around_multiples(const histogram_case *c, void *h_samples)
{
    const double lower = c->range.real_lower, upper = c->range.real_upper;
    const size_t step = c->bins / 50 + 1;
    size_t count = 0;
    for (size_t k = 0; k <= c->bins; k += k + step > c->bins && k < c->bins ? c->bins - k : step) {
        const float edge = (float)(lower + (upper - lower) * (double)k / (double)c->bins);
        const float around[] = {edge, nextafterf(edge, INFINITY), nextafterf(edge, -INFINITY),
                                edge * (1 + 0x1p-7f), edge * (1 - 0x1p-7f)};
        for (size_t a = 0; a < COUNT_OF(around); a++)
            write_float(c->type, h_samples, count++, round_to_type(c->type, around[a]));
    }
    for (int e = 40; e < 70; e++)
        for (int m = 8; m < 16; m++)
            write_float(c->type, h_samples, count++,
                        round_to_type(c->type, (long double)(m * lower) * powl(2, -e)));
    static const float others[] = {0,         -0.0f, 1e-45f, -1e-45f, INFINITY,
                                   -INFINITY, NAN,   3e38f,  -3e38f};
    for (size_t o = 0; o < COUNT_OF(others); o++)
        write_float(c->type, h_samples, count++, round_to_type(c->type, others[o]));
    return count;
}

Test(histogram, bins_of_powers_of_two)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF};
    static const struct {
        size_t bins;
        double lower, upper;
    } grids[] = {{256, -1, 1},
                 {1, 0, 1},
                 {8, -3, 5},
                 {5, -0.25, 1},
                 {12, 4, 7},
                 {4, -1, 0},
                 {6, -6, 0},
                 {65536, -1, 1},
                 {7, -3 * 0x1p-80, 4 * 0x1p-80},
                 {3, -0x1p90, 0x1p91},
                 {1 << 20, -0.5, 0.5},
                 {100, -50, 50}};
    float h_samples[1024];
    for (size_t v = 0; histogram_even_variant_at(v) != NULL; v++)
        for (size_t g = 0; g < COUNT_OF(grids); g++)
            for (size_t t = 0; t < COUNT_OF(types); t++) {
                histogram_case c = {
                    .variant = histogram_even_variant_at(v)->value,
                    .type = types[t],
                    .flags = (g + t) % 2 * PRIM_HISTOGRAM_LAST_BIN_OPEN,
                    .outside = (prim_outside)((g / 2 + t) % POLICIES),
                    .range = {.real_lower = grids[g].lower, .real_upper = grids[g].upper},
                    .bins = grids[g].bins,
                    .h_samples = h_samples};
                c.count = fill_around_multiples(&c, h_samples);
                cr_assert(c.count <= COUNT_OF(h_samples));
                if (supported(&c))
                    check_device(&c);
                c.flags ^= PRIM_HISTOGRAM_LAST_BIN_OPEN;
                if (supported(&c))
                    check_device(&c);
            }
}

/* ---- the ends of types and ranges ---- */

static void check_variants(histogram_case *c)
{
    for (size_t v = 0; histogram_even_variant_at(v) != NULL; v++) {
        c->variant = histogram_even_variant_at(v)->value;
        if (supported(c))
            check_device(c);
    }
    check_host(c, 1);
}

/* A double in whose range no product with the number of bins is: the first and last ones that are
 * finite, and so small ones that they are no normal numbers. */
Test(histogram, ranges_of_all_doubles)
{
    static const prim_histogram_range ends[] = {
        {.real_lower = -8e307, .real_upper = 8e307},
        {.real_lower = 0, .real_upper = 0x1.fffffffffffffp1023},
        {.real_lower = -0x1.fffffffffffffp1023},
        {.real_lower = 1e308, .real_upper = 1.5e308},
        {.real_lower = -3e-324, .real_upper = 4e-323},
        {.real_lower = 0, .real_upper = 0x1p-1022}};
    static const size_t counts[] = {1, 4, 7, 1000, 1 << 20};
    enum { SAMPLES = 700 };
    double h_samples[SAMPLES];
    for (size_t r = 0; r < COUNT_OF(ends); r++)
        for (size_t b = 0; b < COUNT_OF(counts); b++) {
            const double lower = ends[r].real_lower, span = ends[r].real_upper - lower;
            for (size_t i = 0; i < SAMPLES; i++) /* most of them on an edge, or next to it */
                h_samples[i] = nextafter(lower + (double)(random_bits(i) % (counts[b] + 1)) *
                                                     (span / (double)counts[b]),
                                         (double[]){-INFINITY, 0, INFINITY}[i % 3]);
            check_variants(
                &(histogram_case){.type = CUDA_R_64F,
                                  .flags = (unsigned)(r % 2) * PRIM_HISTOGRAM_LAST_BIN_OPEN,
                                  .outside = PRIM_OUTSIDE_COUNT,
                                  .range = ends[r],
                                  .count = SAMPLES,
                                  .bins = counts[b],
                                  .h_samples = h_samples});
        }
}

/* "counters 0 1 1 1", known and not computed. */
Test(histogram, a_wide_range_of_doubles)
{
    static const double samples[] = {-4e307, 0, 4e307};
    uint32_t counters[4];
    cr_prim(prim_histogram_even_host(
        prim_real_range(-8e307, 8e307), CUDA_R_64F, samples, 3,
        (prim_counters){.data = counters, .bins = 4, .type = CUDA_R_32U}, 1));
    cr_assert(counters[0] == 0 && counters[1] == 1 && counters[2] == 1 && counters[3] == 1);
}

/* The least and the largest integer of up to 32 bits. */
static int64_t least_of(cudaDataType_t type)
{
    return type_is_signed(type) ? -((int64_t)1 << (8 * type_bytes(type) - 1)) : 0;
}

static int64_t largest_of(cudaDataType_t type)
{
    return least_of(type) + ((int64_t)1 << 8 * type_bytes(type)) - 1;
}

/* All that 16 bits hold, or around each edge of a bin and both ends of type and range. */
static size_t fill_around_bins(const histogram_case *c, void *h_samples, size_t most)
{
    const int64_t least = least_of(c->type), largest = largest_of(c->type);
    const wide span = (wide)c->range.upper - c->range.lower;
    size_t count = 0;
    if (type_bytes(c->type) <= 2) {
        for (int64_t x = least; x <= largest; x++)
            write_integer(c->type, h_samples, count++, (uint64_t)x);
        return count;
    }
    for (int64_t past = 0; past < 4; past++) {
        write_integer(c->type, h_samples, count++, (uint64_t)(least + past));
        write_integer(c->type, h_samples, count++, (uint64_t)(largest - past));
    }
    for (size_t k = 0; k <= c->bins && count + 3 <= most; k++)
        for (int64_t past = -1; past < 2; past++) {
            const int64_t x = c->range.lower + (int64_t)((span * (wide)k) / (wide)c->bins) + past;
            if (x >= least && x <= largest)
                write_integer(c->type, h_samples, count++, (uint64_t)x);
        }
    return count;
}

/* Spans around powers of two, at both ends of the type, beyond them, and nowhere near. */
Test(histogram, integers_at_the_ends_of_types_and_ranges)
{
    static const cudaDataType_t types[] = {CUDA_R_8I,  CUDA_R_8U,  CUDA_R_16I,
                                           CUDA_R_16U, CUDA_R_32I, CUDA_R_32U};
    static const int64_t spans[] = {
        1,        255,    256,       65535,           65536,     65537,
        131071,   131072, 1ll << 31, (1ll << 32) - 1, 1ll << 32, (1ll << 32) + 1,
        1ll << 40};
    static const size_t counts[] = {100, 256, 4096, 7};
    enum { MOST = 1 << 16 };
    int32_t *h_samples = malloc(MOST * sizeof *h_samples);
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t s = 0; s < COUNT_OF(spans); s++)
            for (int end = 0; end < 5; end++, turn++) {
                const int64_t least = least_of(types[t]), largest = largest_of(types[t]);
                const int64_t lowers[] = {least, largest + 1 - spans[s], least - 1, -7,
                                          -(1ll << 32)};
                histogram_case c = {.type = types[t],
                                    .outside = (prim_outside)(turn % POLICIES),
                                    .range = {lowers[end], lowers[end] + spans[s], 0, 0},
                                    .bins = counts[(s + (size_t)end) % COUNT_OF(counts)],
                                    .h_samples = h_samples,
                                    .offset = turn % 17};
                if (!is_of_share())
                    continue;
                c.count = fill_around_bins(&c, h_samples, MOST);
                c.variant = PRIM_HISTOGRAM_MULTI_COPY;
                check_device(&c);
                if (turn % 7 == 0)
                    check_variants(&c);
            }
    free(h_samples);
}

/* Every half, as often as it pays to look whether halves are settled; both ends of the range are
 * samples then. */
Test(histogram, all_halves)
{
    static const cudaDataType_t types[] = {CUDA_R_16F, CUDA_R_16BF};
    static const prim_histogram_range ends[] = {{.real_lower = 0, .real_upper = 1},
                                                {.real_lower = -1, .real_upper = 0.5},
                                                {.real_lower = -3, .real_upper = 7},
                                                {.real_lower = -65504, .real_upper = 65504},
                                                {.real_lower = 0.1, .real_upper = 100.3}};
    static const size_t counts[] = {10, 100, 64, 1000};
    enum { ALL = 1 << 16, TIMES = 4 };
    uint16_t *h_samples = malloc(TIMES * ALL * sizeof *h_samples);
    for (size_t i = 0; i < TIMES * ALL; i++)
        h_samples[i] = (uint16_t)i;
    for (size_t turn = 0; turn < COUNT_OF(types) * COUNT_OF(ends) * POLICIES; turn++) {
        if (is_of_share())
            check_device(&(histogram_case){.variant = PRIM_HISTOGRAM_MULTI_COPY,
                                           .type = types[turn % 2],
                                           .flags = turn / 2 % 2 * PRIM_HISTOGRAM_LAST_BIN_OPEN,
                                           .outside = (prim_outside)(turn % POLICIES),
                                           .range = ends[turn % COUNT_OF(ends)],
                                           .count = TIMES * ALL,
                                           .bins = counts[turn % COUNT_OF(counts)],
                                           .h_samples = h_samples});
    }
    free(h_samples);
}

/* More bins than fit into shared memory: for those that take them, others say no. */
ParameterizedTestParameters(histogram, many_bins)
{
    return combinations();
}

ParameterizedTest(combination *k, histogram, many_bins)
{
    static double h_samples[4000];
    histogram_case c = {.variant = k->variant,
                        .type = k->type,
                        .outside = PRIM_OUTSIDE_CLAMP,
                        .range = {-100, 70000, -1, 1},
                        .count = 4000,
                        .bins = 70100,
                        .h_samples = h_samples};
    fill(k->type, h_samples, c.count, INTEGERS, 3);
    if (supported(&c)) {
        check_device(&c);
        return;
    }
    cr_assert(k->variant == PRIM_HISTOGRAM_PRIVATIZED || k->variant == PRIM_HISTOGRAM_MULTI_COPY ||
              k->variant == PRIM_HISTOGRAM_PACKED);
    cr_assert(strstr(prim_last_error(NULL), prim_histogram_variant_info(k->variant)->name) != NULL);
    cr_assert_eq(prim_histogram_even(c.variant, c.range, c.type, NULL, 0,
                                     (prim_counters){.data = (void *)256,
                                                     .bins = c.bins,
                                                     .type = CUDA_R_32U,
                                                     .outside = c.outside},
                                     NULL),
                 PRIM_ERROR_UNSUPPORTED);
}

/* Many samples in few bins, in memory of either kind, and in so many that threads take several. */
ParameterizedTestParameters(histogram, skewed_samples)
{
    return combinations();
}

ParameterizedTest(combination *k, histogram, skewed_samples)
{
    static const size_t bins[] = {3, 13001, 70100}, counts[] = {40, 4001, 40003};
    static double h_samples[40003];
    const size_t step = get_test_level() == LEVEL_QUICK ? 4 : 1;
    size_t turn = (size_t)k->type;
    for (int kind = 0; kind < SKEWS; kind++)
        for (size_t b = 0; b < COUNT_OF(bins); b++)
            for (size_t n = 0; n < COUNT_OF(counts); n++, turn++) {
                const histogram_case c = {.variant = k->variant,
                                          .type = k->type,
                                          .outside = (prim_outside)(turn % POLICIES),
                                          .range = SKEWED_RANGE,
                                          .count = counts[n],
                                          .bins = bins[b],
                                          .h_samples = h_samples,
                                          .offset = turn % 5,
                                          .wide = turn % 7 == 0};
                if (turn % step != 0 || !supported(&c))
                    continue;
                fill_skewed(k->type, h_samples, c.count, (skew)kind);
                check_device(&c);
            }
}

/* More vectors than 16 bits count. */
Test(histogram, many_vectors)
{
    static const struct {
        cudaDataType_t type;
        int64_t lower, upper;
    } kinds[] = {{CUDA_R_8U, 0, 256}, {CUDA_R_32I, INT32_MIN, (int64_t)INT32_MAX + 1}};
    static const prim_histogram_variant variants[] = {
        PRIM_HISTOGRAM_AUTO, PRIM_HISTOGRAM_MULTI_COPY, PRIM_HISTOGRAM_COARSENED};
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        const size_t bytes = type_bytes(kinds[k].type), count = 16 / bytes * 65536 + 4099;
        void *h_samples = malloc(count * bytes);
        fill(kinds[k].type, h_samples, count, UNIFORM, k);
        for (size_t v = 0; v < COUNT_OF(variants); v++)
            check_device(
                &(histogram_case){.variant = variants[v],
                                  .type = kinds[k].type,
                                  .outside = PRIM_OUTSIDE_DROP,
                                  .range = {.lower = kinds[k].lower, .upper = kinds[k].upper},
                                  .count = count,
                                  .bins = 256,
                                  .h_samples = h_samples,
                                  .offset = 3});
        free(h_samples);
    }
}

/* "2.02 bytes for each sample and 13 KB, 270 MB at most" */
Test(histogram, the_workspace_of_partitioned)
{
    static const size_t counts[] = {0,       1,       6144,    6145,    100000,
                                    1 << 22, 3145729, 1 << 27, 1 << 28, (size_t)1 << 40};
    for (size_t n = 0; n < COUNT_OF(counts); n++) {
        size_t bytes;
        cr_prim(asked_bytes(
            prim_histogram_even(PRIM_HISTOGRAM_PARTITIONED, prim_integer_range(0, 9), CUDA_R_32I,
                                NULL, counts[n], (prim_counters){.bins = 1000, .type = CUDA_R_32U},
                                asking()),
            &bytes));
        cr_assert_leq((double)bytes, 2.02 * (double)counts[n] + 13000);
        cr_assert_leq(bytes, 270000000);
    }
}

/* Each of these calls takes its route, and is right. */
Test(histogram, routes)
{
    static const struct {
        prim_histogram_variant variant;
        cudaDataType_t type;
        size_t bins;
        const char *route; /* NULL: the rung has one way */
    } routes[] = {{PRIM_HISTOGRAM_COARSENED, CUDA_R_32F, 1, "shared_memory"},
                  {PRIM_HISTOGRAM_COARSENED, CUDA_R_8U, 12285, "shared_memory"},
                  {PRIM_HISTOGRAM_COARSENED, CUDA_R_8U, 12286, "global_memory"},
                  {PRIM_HISTOGRAM_COARSENED, CUDA_R_64I, 70100, "global_memory"},
                  {PRIM_HISTOGRAM_MULTI_COPY, CUDA_R_8U, 256, "values"},
                  {PRIM_HISTOGRAM_MULTI_COPY, CUDA_R_8I, 70100, "values"},
                  {PRIM_HISTOGRAM_MULTI_COPY, CUDA_R_16U, 256, "bins"},
                  {PRIM_HISTOGRAM_MULTI_COPY, CUDA_R_64F, 3, "bins"},
                  {PRIM_HISTOGRAM_AUTO, CUDA_R_8U, 70100, "values"},
                  {PRIM_HISTOGRAM_AUTO, CUDA_R_32I, 256, "shared_memory"},
                  {PRIM_HISTOGRAM_PRIVATIZED, CUDA_R_8U, 256, NULL},
                  {PRIM_HISTOGRAM_PACKED, CUDA_R_8U, 256, NULL}};
    static double h_samples[4001];
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        histogram_case c = {.variant = routes[i].variant,
                            .type = routes[i].type,
                            .outside = PRIM_OUTSIDE_COUNT,
                            .range = {-100, 70000, -1, 0.9},
                            .count = COUNT_OF(h_samples),
                            .bins = routes[i].bins,
                            .h_samples = h_samples,
                            .offset = i};
        fill(c.type, h_samples, c.count, UNIFORM, i);
        check_device(&c);
        cr_assert_eq(asked()->route == NULL, routes[i].route == NULL, "case %zu", i);
        if (routes[i].route != NULL)
            cr_assert_str_eq(asked()->route, routes[i].route, "case %zu", i);
        c.count = 0;
        check_device(&c);
        cr_assert_null(asked()->route, "nothing is counted, case %zu", i);
    }
}

/* More samples of one bin in each block than 16 bits count, and from half of all samples at the
 * array's begin more and more of them to its end, so that a counter is nearly full in one round and
 * overflows in the next if it is not emptied in between. */
Test(histogram, packed_counters_are_emptied_where_skew_grows)
{
    const size_t count = 1600013;
    uint16_t *h_samples = malloc(count * sizeof *h_samples);
    for (size_t i = 0; i < count; i++)
        h_samples[i] = random_bits(i) % count < count / 2 + i / 2 ? 700 : (uint16_t)(i % 1000);
    check_device(&(histogram_case){.variant = PRIM_HISTOGRAM_PACKED,
                                   .type = CUDA_R_16U,
                                   .range = {.lower = 0, .upper = 1000},
                                   .count = count,
                                   .bins = 1000,
                                   .h_samples = h_samples});
    free(h_samples);
}

/* More samples of one bin in each block than 16 bits count, among them some in no bin; neighbours
 * differ, so that none are added together. */
Test(histogram, packed_counters_are_emptied)
{
    const size_t count = 1600013;
    int32_t *h_samples = malloc(count * sizeof(int32_t));
    for (size_t i = 0; i < count; i++)
        h_samples[i] = random_bits(i) % 64 == 0 ? (int32_t)(i % 9) - 1 : i % 2 == 0 ? 3 : 8;
    for (size_t bins = 6; bins <= 7; bins++)
        for (unsigned swapped = 0; swapped < 2; swapped++) {
            for (size_t i = 0; i < count; i++)
                h_samples[i] = 4 - h_samples[i];
            check_device(&(histogram_case){.variant = PRIM_HISTOGRAM_PACKED,
                                           .type = CUDA_R_32I,
                                           .outside = (prim_outside)(swapped * 2),
                                           .range = {.lower = 0, .upper = (int64_t)bins},
                                           .count = count,
                                           .bins = bins,
                                           .h_samples = h_samples});
        }
    free(h_samples);
}

/* Ranges that leave every sample to the exact bins. */
Test(histogram, skewed_samples_without_quick_bins)
{
    static const cudaDataType_t exact[] = {CUDA_R_64U, CUDA_R_64F};
    static double h_samples[9001];
    for (size_t t = 0; t < COUNT_OF(exact); t++)
        for (int kind = 0; kind < SKEWS; kind++)
            for (int policy = 0; policy < POLICIES; policy++) {
                const histogram_case c = {.variant = PRIM_HISTOGRAM_COARSENED,
                                          .type = exact[t],
                                          .outside = (prim_outside)policy,
                                          .range = {-5, 195, 10, 1.7e308},
                                          .count = COUNT_OF(h_samples),
                                          .bins = 20000,
                                          .h_samples = h_samples};
                fill_skewed(exact[t], h_samples, c.count, (skew)kind);
                check_device(&c);
            }
}

/* ---- known answers ---- */

Test(histogram, letters_in_groups_of_four)
{
    static const char text[] = "the quick brown fox jumps over the lazy dog";
    static const uint32_t expected[7] = {4, 7, 4, 7, 6, 5, 2}; /* counted by hand */
    uint32_t counters[7], sum = 0;
    const prim_histogram_range letters = prim_integer_range('a', 'a' + 28);
    guarded in = guarded_copy(text, sizeof text - 1, 1), out = guarded_new(sizeof counters, 0);
    for (size_t v = 0; histogram_even_variant_at(v) != NULL; v++) {
        cr_prim(prim_histogram_even(
            histogram_even_variant_at(v)->value, letters, CUDA_R_8U, in.data, sizeof text - 1,
            (prim_counters){.data = out.data, .bins = 7, .type = CUDA_R_32U}, NULL));
        guarded_read(&out, counters);
        sum = 0;
        for (int i = 0; i < 7; i++)
            sum += counters[i];
        cr_assert_eq(sum, 35, "35 letters, not %u", sum);
        cr_assert_arr_eq(counters, expected, sizeof counters, "%u %u %u %u %u %u %u", counters[0],
                         counters[1], counters[2], counters[3], counters[4], counters[5],
                         counters[6]);
    }
    guarded_free(&in);
    guarded_free(&out);
}

/* The upper bound of floats belongs to the last bin, unless the flag says otherwise. */
Test(histogram, the_last_bin_is_closed_or_open)
{
    static const float samples[] = {0, 0.25f, 0.5f, 0.75f, 1, 1};
    const prim_histogram_range unit = prim_real_range(0, 1);
    guarded in = guarded_copy(samples, sizeof samples, 0), out = guarded_new(8, 0);
    for (size_t v = 0; histogram_even_variant_at(v) != NULL; v++)
        for (unsigned open = 0; open < 2; open++) {
            uint32_t counters[2];
            cr_prim(prim_histogram_even(
                histogram_even_variant_at(v)->value, unit, CUDA_R_32F, in.data, 6,
                (prim_counters){.data = out.data,
                                .bins = 2,
                                .type = CUDA_R_32U,
                                .flags = open * PRIM_HISTOGRAM_LAST_BIN_OPEN},
                NULL));
            guarded_read(&out, counters);
            cr_assert_eq(counters[0], 2);
            cr_assert_eq(counters[1], open ? 2 : 4);
        }
    guarded_free(&in);
    guarded_free(&out);
}

/* 2 · 3 / (3 + 2^-51) is the last double before 2: in bin 1, however close bin 2 may be. */
Test(histogram, a_hair_below_a_bin)
{
    static const float sample = 2;
    const prim_histogram_range range = prim_real_range(0, 3 + 0x1p-51);
    guarded in = guarded_copy(&sample, sizeof sample, 0), out = guarded_new(12, 0);
    for (size_t v = 0; histogram_even_variant_at(v) != NULL; v++) {
        uint32_t counters[3];
        cr_prim(prim_histogram_even(
            histogram_even_variant_at(v)->value, range, CUDA_R_32F, in.data, 1,
            (prim_counters){.data = out.data, .bins = 3, .type = CUDA_R_32U}, NULL));
        guarded_read(&out, counters);
        cr_assert(counters[0] == 0 && counters[1] == 1 && counters[2] == 0);
    }
    guarded_free(&in);
    guarded_free(&out);
}

/* ---- the host's versions ---- */

Test(histogram, host_versions)
{
    static double h_samples[4096];
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(sample_types); t++)
        for (size_t r = 0; r < COUNT_OF(ranges); r++)
            for (size_t b = 0; b < COUNT_OF(bin_counts); b++)
                for (int threads = 1; threads <= (has_threads() ? 3 : 1); threads++, turn++) {
                    histogram_case c = {.type = sample_types[t],
                                        .flags = (unsigned)(turn / 3 % 4),
                                        .outside = (prim_outside)(turn / 5 % POLICIES),
                                        .range = ranges[r],
                                        .count = sizes[turn % COUNT_OF(sizes)],
                                        .bins = bin_counts[b],
                                        .h_samples = h_samples,
                                        .wide = turn % 4 == 0};
                    fill(c.type, h_samples, c.count, (distribution)(turn % DISTRIBUTION_COUNT),
                         turn);
                    add_specials(&c, h_samples);
                    check_host(&c, threads);
                }
}

Test(histogram, host_refuses_what_it_cannot_do)
{
    uint8_t in[4] = {1, 2, 3, 4};
    uint32_t counters[4];
    const prim_histogram_range range = prim_integer_range(0, 4), empty = prim_integer_range(4, 4);
    const cudaDataType_t u8 = CUDA_R_8U;
    prim_counters out = {.data = counters, .bins = 4, .type = CUDA_R_32U};
    cr_assert_eq(prim_histogram_even_host(range, u8, in, 4, out, 0), PRIM_ERROR_VALUE);
    cr_assert_eq(prim_histogram_even_host(range, u8, in, 4, out, 1025), PRIM_ERROR_VALUE);
    cr_assert_eq(prim_histogram_even_host(empty, u8, in, 4, out, 1), PRIM_ERROR_VALUE);
    cr_refused(prim_histogram_even_host(range, u8, NULL, 4, out, 1), PRIM_ERROR_NULL, "h_samples");
    cr_assert_eq(prim_histogram_even_host(range, u8, counters, 4, out, 1), PRIM_ERROR_OVERLAP);
    out.outside = PRIM_OUTSIDE_COUNT;
    cr_assert_eq(prim_histogram_even_host(range, u8, in, 4, out, 1), PRIM_ERROR_NULL);
    out = (prim_counters){.data = counters, .bins = 4, .type = u8};
    cr_assert_eq(prim_histogram_even_host(range, u8, in, 4, out, 1), PRIM_ERROR_TYPE);
}

/* A range for samples of the other kind is empty for these. */
Test(histogram, an_empty_range_says_which_bounds_count)
{
    uint64_t in[1] = {1};
    uint32_t counter;
    const prim_counters out = {.data = &counter, .bins = 1, .type = CUDA_R_32U};
    const prim_histogram_range whole = prim_integer_range(-5, 4), real = prim_real_range(-0.5, 2);
    cr_assert(whole.lower == -5 && whole.upper == 4 && whole.real_lower == 0 &&
              whole.real_upper == 0);
    cr_assert(real.lower == 0 && real.upper == 0 && real.real_lower == -0.5 &&
              real.real_upper == 2);
    cr_refused(prim_histogram_even_host(real, CUDA_R_16U, in, 1, out, 1), PRIM_ERROR_VALUE,
               "(lower and upper count for u16 samples)");
    cr_refused(prim_histogram_even_host(whole, CUDA_R_64F, in, 1, out, 1), PRIM_ERROR_VALUE,
               "(real_lower and real_upper count for f64 samples)");
}

/* ---- the table ---- */

Test(histogram, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_histogram_variant_at(0)->value, PRIM_HISTOGRAM_AUTO);
    cr_assert_eq(prim_histogram_variant_at(1)->value, PRIM_HISTOGRAM_GLOBAL_ATOMIC);
    for (size_t v = 0; prim_histogram_variant_at(v) != NULL; v++) {
        const prim_histogram_variant variant = prim_histogram_variant_at(v)->value;
        cr_assert(strlen(prim_histogram_variant_info(variant)->name) > 0);
        cr_assert(strlen(prim_histogram_variant_info(variant)->idea) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(prim_histogram_variant_info(variant)->name,
                              prim_histogram_variant_at(w)->name);
    }
    cr_assert_null(prim_histogram_variant_info((prim_histogram_variant)9999));
}
