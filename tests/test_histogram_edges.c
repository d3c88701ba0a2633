/* histogram between edges: every variant and sample type against a count edge by edge. */
#include <criterion/criterion.h>
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

enum { OUTSIDE = 3, POLICIES = 3, MOST_SAMPLES = 5003 };

static const struct {
    cudaDataType_t sample, edge;
} types[] = {{CUDA_R_8I, CUDA_R_32I},   {CUDA_R_8U, CUDA_R_32I},  {CUDA_R_16I, CUDA_R_32I},
             {CUDA_R_16U, CUDA_R_32I},  {CUDA_R_32I, CUDA_R_32I}, {CUDA_R_32U, CUDA_R_32U},
             {CUDA_R_64I, CUDA_R_64I},  {CUDA_R_64U, CUDA_R_64U}, {CUDA_R_16F, CUDA_R_32F},
             {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F}};

typedef struct edges_case {
    prim_histogram_variant variant;
    int threads; /* 0: on the device */
    cudaDataType_t type, edge_type;
    unsigned flags;
    prim_outside outside;
    size_t count, bins, offset;
    const void *h_samples, *h_edges;
    bool wide; /* u64 counters */
} edges_case;

/* ---- the oracle ---- */

/* An exact number: an integer, or a float that a double holds. */
typedef struct number {
    wide integer;
    double real;
} number;

static number read_number(cudaDataType_t type, const void *data, size_t i)
{
    number x = {0};
    if (type_is_float(type))
        x.real = read_float(type, data, i);
    else if (type_is_signed(type))
        x.integer = (int64_t)read_integer(type, data, i);
    else
        x.integer = (wide)read_integer(type, data, i);
    return x;
}

/* The field that is not in use is 0 in both. */
static bool is_less(number a, number b)
{
    return a.integer < b.integer || a.real < b.real;
}

static void expect(const edges_case *c, uint64_t *counters)
{
    number *edges = malloc((c->bins + 1) * sizeof *edges);
    for (size_t e = 0; e <= c->bins; e++)
        edges[e] = read_number(c->edge_type, c->h_edges, e);
    for (size_t i = 0; i < c->count; i++) {
        const number x = read_number(c->type, c->h_samples, i);
        size_t passed = 0, at;
        while (passed <= c->bins && !is_less(x, edges[passed]))
            passed++;
        const bool is_last = passed > c->bins && !is_less(edges[c->bins], x);
        if (isnan(x.real))
            at = c->bins + 2;
        else if (passed == 0)
            at = c->bins;
        else if (passed > c->bins && (!is_last || (c->flags & PRIM_HISTOGRAM_LAST_BIN_OPEN)))
            at = c->bins + 1;
        else
            at = passed > c->bins ? c->bins - 1 : passed - 1;
        if (at >= c->bins && c->outside == PRIM_OUTSIDE_CLAMP && at < c->bins + 2)
            at = at == c->bins ? 0 : c->bins - 1;
        if (at < c->bins || c->outside == PRIM_OUTSIDE_COUNT)
            counters[at]++;
    }
    free(edges);
}

/* ---- one case ---- */

static cudaDataType_t counter_type(const edges_case *c)
{
    return c->wide ? CUDA_R_64U : CUDA_R_32U;
}

/* Counters and what lies outside, 3 and 4 and … before the call. */
static char *make_counters(const edges_case *c)
{
    char *counters = malloc((c->bins + OUTSIDE) * 8);
    for (size_t b = 0; b < c->bins + OUTSIDE; b++)
        write_integer(counter_type(c), counters, b, b + 3);
    return counters;
}

/* The case's counters, where they are to go. */
static prim_counters counters_of(const edges_case *c, void *data, void *outside)
{
    return (prim_counters){.data = data,
                           .bins = c->bins,
                           .type = counter_type(c),
                           .flags = c->flags,
                           .outside = c->outside,
                           .outside_data = outside};
}

static void run(const edges_case *c, char *counters)
{
    const size_t each = c->wide ? 8 : 4, sample = type_bytes(c->type),
                 edge = type_bytes(c->edge_type);
    char *const outside = counters + c->bins * each;
    if (c->threads > 0) {
        cr_prim(prim_histogram_edges_host(c->type, c->h_samples, c->count, c->edge_type, c->h_edges,
                                          counters_of(c, counters, outside), c->threads));
        return;
    }
    guarded samples = guarded_copy(c->h_samples, c->count * sample, c->offset * sample),
            edges = guarded_copy(c->h_edges, (c->bins + 1) * edge, c->offset % 3 * edge),
            bins = guarded_copy(counters, c->bins * each, c->offset % 2 * each),
            apart = guarded_copy(outside, OUTSIDE * each, 0);
    size_t bytes = 1;
    cr_prim(asked_bytes(prim_histogram_edges(c->variant, c->type, NULL, c->count, c->edge_type,
                                             NULL, counters_of(c, NULL, NULL), asking()),
                        &bytes));
    cr_assert_eq(bytes, 0);
    cr_prim(prim_histogram_edges(
        c->variant, c->type, samples.data, c->count, c->edge_type, edges.data,
        counters_of(c, bins.data, c->outside == PRIM_OUTSIDE_COUNT ? apart.data : NULL), NULL));
    guarded_read(&bins, counters);
    guarded_read(&apart, outside);
    guarded_free(&samples);
    guarded_free(&edges);
    guarded_free(&bins);
    guarded_free(&apart);
}

static void check(const edges_case *c)
{
    uint64_t *expected = calloc(c->bins + OUTSIDE, sizeof *expected);
    char *const counters = make_counters(c);
    run(c, counters);
    for (size_t b = 0; b < c->bins + OUTSIDE && (c->flags & PRIM_HISTOGRAM_ADD); b++)
        expected[b] = b + 3;
    expect(c, expected);
    for (size_t b = 0; b < c->bins + (c->outside == PRIM_OUTSIDE_COUNT ? OUTSIDE : 0); b++)
        cr_assert_eq(
            read_integer(counter_type(c), counters, b), expected[b],
            "%s (threads %d), %s, %zu samples, %zu bins, flags %u, outside %d, offset %zu: "
            "counter %zu is %llu, not %llu",
            prim_histogram_variant_info(c->variant)->name, c->threads, type_name(c->type), c->count,
            c->bins, c->flags, (int)c->outside, c->offset, b,
            (unsigned long long)read_integer(counter_type(c), counters, b),
            (unsigned long long)expected[b]);
    free(counters);
    free(expected);
}

/* ---- edges ---- */

static cudaDataType_t sorted_type;

static int compare(const void *a, const void *b)
{
    const number x = read_number(sorted_type, a, 0), y = read_number(sorted_type, b, 0);
    return is_less(x, y) ? -1 : is_less(y, x) ? 1 : 0;
}

typedef enum edge_kind { RANDOM, SAMPLES, EVEN, LOGARITHMIC, ALL_EQUAL, EDGE_KINDS } edge_kind;

/* Ascending. Of samples: some of their values, with repetitions. */
static char *make_edges(cudaDataType_t type, cudaDataType_t sample_type, const void *h_samples,
                        size_t count, size_t bins, edge_kind kind)
{
    char *edges = malloc((bins + 1) * 8);
    fill(type, edges, bins + 1, UNIFORM, 5);
    for (size_t e = 0; e <= bins; e++) {
        const double t = (double)e / (double)bins;
        if (kind == SAMPLES && count > 0) {
            const size_t i = random_bits(e) % count;
            if (!type_is_float(type))
                write_integer(type, edges, e, read_integer(sample_type, h_samples, i));
            else if (!isnan(read_float(sample_type, h_samples, i)))
                write_float(type, edges, e, read_float(sample_type, h_samples, i));
        }
        if (kind == EVEN && type_is_float(type))
            write_float(type, edges, e, round_to_type(type, 1.5L * t - 0.7L));
        else if (kind == EVEN)
            write_integer(type, edges, e, e * 3);
        if (kind == LOGARITHMIC && type_is_float(type))
            write_float(type, edges, e, round_to_type(type, powl(10, 8 * t - 8)));
        else if (kind == LOGARITHMIC)
            write_integer(type, edges, e, (uint64_t)exp(20 * t));
        if (kind == ALL_EQUAL && type_is_float(type))
            write_float(type, edges, e, 0);
        else if (kind == ALL_EQUAL)
            write_integer(type, edges, e, 7);
    }
    sorted_type = type;
    qsort(edges, bins + 1, type_bytes(type), compare);
    return edges;
}

static void check_type(size_t t, size_t turn, size_t count, size_t bins, edge_kind kind,
                       distribution d)
{
    static double h_samples[MOST_SAMPLES];
    const bool has_threads =
        prim_histogram_edges_host(CUDA_R_8U, NULL, 0, CUDA_R_32I, (int32_t[]){0, 1},
                                  (prim_counters){.data = h_samples, .bins = 1, .type = CUDA_R_32U},
                                  2) == PRIM_OK;
    edges_case c = {.type = types[t].sample,
                    .edge_type = types[t].edge,
                    .flags = (unsigned)turn % 4,
                    .outside = (prim_outside)(turn % POLICIES),
                    .count = count,
                    .bins = bins,
                    .offset = turn % 5,
                    .h_samples = h_samples,
                    .wide = turn % 7 == 3};
    fill(c.type, h_samples, count, d, turn);
    for (size_t i = turn % 11; i < count && type_is_float(c.type); i += 11)
        write_float(c.type, h_samples, i,
                    (double[]){NAN, INFINITY, -INFINITY, -0.0, 0.0}[i / 11 % 5]);
    char *h_edges = make_edges(c.edge_type, c.type, h_samples, count, bins, kind);
    c.h_edges = h_edges;
    cr_prim(prim_histogram_check_edges_host(bins, c.edge_type, h_edges, NULL));
    for (size_t v = 0; histogram_edges_variant_at(v) != NULL; v++) {
        c.variant = histogram_edges_variant_at(v)->value;
        if (runs(prim_histogram_edges(c.variant, c.type, NULL, c.count, c.edge_type, NULL,
                                      counters_of(&c, NULL, NULL), asking())))
            check(&c);
        else /* 48 KB at least hold these */
            cr_assert(c.variant == PRIM_HISTOGRAM_EDGES_TABLE && c.bins > 3000);
    }
    c.threads = has_threads && turn % 2 == 0 ? 3 : 1;
    check(&c);
    free(h_edges);
}

Test(histogram_edges, every_type_and_kind_of_edges)
{
    static const size_t counts[] = {0, 1, 17, 257, 1000, MOST_SAMPLES},
                        bin_counts[] = {1, 2, 3, 64, 255, 1000};
    const size_t step = get_test_level() == LEVEL_QUICK ? 5 : 1;
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t n = 0; n < COUNT_OF(counts); n++)
            for (size_t b = 0; b < COUNT_OF(bin_counts); b++)
                for (int kind = 0; kind < EDGE_KINDS; kind++, turn++)
                    if (turn % step == 0)
                        check_type(t, turn, counts[n], bin_counts[b], (edge_kind)kind,
                                   (distribution)(turn / 3 % DISTRIBUTION_COUNT));
}

/* More bins than slots of the table, and more than shared memory holds. */
Test(histogram_edges, many_bins)
{
    static const size_t bin_counts[] = {2999, 20011, 70001};
    for (size_t b = 0; b < COUNT_OF(bin_counts); b++)
        for (size_t t = b % 2; t < COUNT_OF(types); t += get_test_level() == LEVEL_QUICK ? 5 : 2)
            check_type(t, t + b, 300, bin_counts[b], (edge_kind)(t % 2), UNIFORM);
}

Test(histogram_edges, skewed_samples)
{
    static const size_t bins[] = {1, 50, 777}, counts[] = {40, 1001, 20003};
    static double h_samples[20003];
    const size_t step = get_test_level() == LEVEL_QUICK ? 5 : 1;
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int kind = 0; kind < SKEWS; kind++, turn++) {
            edges_case c = {.type = types[t].sample,
                            .edge_type = types[t].edge,
                            .outside = (prim_outside)(turn % POLICIES),
                            .count = counts[turn / 3 % COUNT_OF(counts)],
                            .bins = bins[turn / 2 % COUNT_OF(bins)],
                            .offset = turn % 5,
                            .h_samples = h_samples,
                            .wide = turn % 7 == 3};
            if (turn % step != 0)
                continue;
            double h_edges[778];
            for (size_t e = 0; e <= c.bins; e++) {
                const size_t edge = SKEWED_LOWER + e * (SKEWED_UPPER - SKEWED_LOWER) / c.bins;
                if (type_is_float(c.edge_type))
                    write_float(c.edge_type, h_edges, e, (double)edge);
                else
                    write_integer(c.edge_type, h_edges, e, edge);
            }
            c.h_edges = h_edges;
            fill_skewed(c.type, h_samples, c.count, (skew)kind);
            for (size_t v = 0; histogram_edges_variant_at(v) != NULL; v++) {
                c.variant = histogram_edges_variant_at(v)->value;
                check(&c);
            }
        }
}

/* ---- next to edges ---- */

/* Edges by which floats are cut in every way that a table of them can be: round and other numbers,
 * around 0 and far from it, ends that are infinite, ranges too wide or too narrow to be scaled. */
typedef enum spacing {
    TENTHS,
    POWERS,
    AROUND_0,
    BEHIND_0,
    FAR,
    IN_A_ROW,
    TINY,
    HUGE_ONES,
    INFINITE_ENDS,
    PAIRS,
    SPACINGS
} spacing;

static double edge_at(spacing kind, size_t e, size_t bins, bool is_double)
{
    const double t = (double)e / (double)bins, largest = is_double ? 1.7e308 : 3e38;
    switch (kind) {
    case TENTHS:
        return ((double)e - (double)(bins / 2)) * 0.1;
    case POWERS:
        return ldexp(1, (int)(t * 60) - 40) * (1 + fmod(t * 60, 1));
    case AROUND_0:
        return ((double)e - (double)(bins / 3)) / 64;
    case BEHIND_0:
        return (double)e / 64;
    case FAR:
        return 1e6 + t;
    case IN_A_ROW:
        return 1 + (double)e * (is_double ? 0x1p-52 : 0x1p-23);
    case TINY:
        return (double)e * (is_double ? 5e-324 : 1.4e-45);
    case HUGE_ONES:
        return (2 * t - 1) * largest;
    case INFINITE_ENDS:
        return e == 0 ? -INFINITY : e == bins ? INFINITY : (double)e;
    default:
        return (double)(e / 2);
    }
}

static double next_in(cudaDataType_t type, double x, double towards)
{
    return type == CUDA_R_64F ? nextafter(x, towards) : nextafterf((float)x, (float)towards);
}

/* Every edge and its neighbours, and some in the bins. */
static size_t fill_next_to(const edges_case *c, void *h_samples)
{
    size_t count = 0;
    for (size_t e = 0; e <= c->bins; e++) {
        const double edge = read_float(c->edge_type, c->h_edges, e),
                     around[] = {edge, next_in(c->edge_type, edge, -INFINITY),
                                 next_in(c->edge_type, edge, INFINITY), edge * 1.0001, -edge};
        for (size_t i = 0; i < COUNT_OF(around); i++)
            write_float(c->type, h_samples, count++, around[i]);
    }
    return count;
}

Test(histogram_edges, samples_next_to_edges)
{
    static const cudaDataType_t floats[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F};
    static const size_t bin_counts[] = {1, 7, 100, 256, 1500};
    const size_t most = 1501;
    double *const h_edges = malloc(most * sizeof *h_edges), *const h_samples = malloc(
                                                                5 * most * sizeof *h_samples);
    const size_t step = get_test_level() == LEVEL_QUICK ? 3 : 1;
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(floats); t++)
        for (int kind = 0; kind < SPACINGS; kind++)
            for (size_t b = 0; b < COUNT_OF(bin_counts); b++, turn++) {
                edges_case c = {.type = floats[t],
                                .edge_type = floats[t] == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F,
                                .flags = turn % 2 == 0 ? PRIM_HISTOGRAM_LAST_BIN_OPEN : 0,
                                .outside = (prim_outside)(turn / 2 % POLICIES),
                                .bins = bin_counts[b],
                                .offset = turn % 3,
                                .h_samples = h_samples,
                                .h_edges = h_edges};
                if (turn % step != 0)
                    continue;
                for (size_t e = 0; e <= c.bins; e++)
                    write_float(c.edge_type, h_edges, e,
                                edge_at((spacing)kind, e, c.bins, c.type == CUDA_R_64F));
                c.count = fill_next_to(&c, h_samples);
                for (size_t v = 0; histogram_edges_variant_at(v) != NULL; v++) {
                    c.variant = histogram_edges_variant_at(v)->value;
                    check(&c);
                }
            }
    free(h_edges);
    free(h_samples);
}

/* ---- the ends of types ---- */

/* The least or the largest number of a type, as bits; of floats, infinity. */
static uint64_t end_of(cudaDataType_t type, bool is_largest)
{
    const unsigned bits = 8 * (unsigned)type_bytes(type);
    const uint64_t sign = 1ull << (bits - 1);
    if (type == CUDA_R_64F)
        return is_largest ? 0x7ff0ull << 48 : 0xfff0ull << 48;
    if (type == CUDA_R_32F)
        return is_largest ? 0x7f800000 : 0xff800000;
    if (type_is_signed(type))
        return is_largest ? sign - 1 : 0 - sign;
    return is_largest ? sign - 1 + sign : 0;
}

enum { ENDS_SAMPLES = 300, ENDS_BINS = 17 };

/* Edges of both ends of the type and, in between, of numbers next to either and of all sizes. */
static void fill_edges_to_ends(cudaDataType_t type, size_t bins, bool are_equal, void *h_edges)
{
    fill(type, h_edges, bins + 1, EXTREMES, bins);
    for (size_t e = 0; e <= bins && type_is_float(type); e++)
        if (isnan(read_float(type, h_edges, e)))
            write_float(type, h_edges, e, (double)e);
    if (type_is_float(type)) {
        const double least = -INFINITY, largest = INFINITY;
        write_float(type, h_edges, 0, least);
        write_float(type, h_edges, bins, largest);
    } else {
        write_integer(type, h_edges, 0, end_of(type, false));
        write_integer(type, h_edges, bins, end_of(type, true));
    }
    sorted_type = type;
    qsort(h_edges, bins + 1, type_bytes(type), compare);
    for (size_t e = 0; e < bins && are_equal; e++)
        memcpy((char *)h_edges + e * type_bytes(type), (char *)h_edges + bins * type_bytes(type),
               type_bytes(type));
}

/* Of the samples' type: both ends, edges where it has them, their neighbours, and all sizes. */
static void fill_to_ends(const edges_case *c, void *h_samples)
{
    fill(c->type, h_samples, c->count, EXTREMES, c->bins);
    if (type_is_float(c->type)) {
        for (size_t e = 0; e <= c->bins; e++)
            for (size_t n = 0; n < 2; n++) {
                const double edge = read_float(c->edge_type, c->h_edges, e);
                write_float(c->type, h_samples, 2 * e + n,
                            round_to_type(c->type, (long double)nextafter(edge, n ? 0 : edge)));
            }
        return;
    }
    for (size_t e = 0; e <= c->bins; e++)
        for (uint64_t n = 0; n < 3; n++)
            write_integer(c->type, h_samples, 3 * e + n,
                          read_integer(c->edge_type, c->h_edges, e) + n - 1);
    for (uint64_t n = 0; n < 3; n++) {
        write_integer(c->type, h_samples, 100 + n, end_of(c->type, false) + n);
        write_integer(c->type, h_samples, 200 + n, end_of(c->type, true) - n);
    }
}

Test(histogram_edges, edges_and_samples_at_the_ends_of_types)
{
    static const size_t bin_counts[] = {1, 2, 3, ENDS_BINS};
    uint64_t h_edges[ENDS_BINS + 1], h_samples[ENDS_SAMPLES];
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t b = 0; b < COUNT_OF(bin_counts); b++)
            for (unsigned flags = 0; flags < 4; flags++)
                for (int are_equal = 0; are_equal < 2; are_equal++, turn++) {
                    edges_case c = {.type = types[t].sample,
                                    .edge_type = types[t].edge,
                                    .flags = flags,
                                    .outside = (prim_outside)(turn % POLICIES),
                                    .count = ENDS_SAMPLES,
                                    .bins = bin_counts[b],
                                    .h_samples = h_samples,
                                    .h_edges = h_edges};
                    fill_edges_to_ends(c.edge_type, c.bins, are_equal, h_edges);
                    fill_to_ends(&c, h_samples);
                    for (size_t v = 0; histogram_edges_variant_at(v) != NULL; v++) {
                        c.variant = histogram_edges_variant_at(v)->value;
                        check(&c);
                    }
                }
}

/* Whatever the edges are: nothing beside the counters is written, and no sample is counted twice.
 */
Test(histogram_edges, edges_out_of_order_lead_nowhere)
{
    enum { COUNT = 2000, BINS = 100 };
    static float h_samples[COUNT], h_edges[BINS + 1];
    fill(CUDA_R_32F, h_samples, COUNT, UNIFORM, 1);
    for (size_t round = 0; round < 12; round++) {
        fill(CUDA_R_32F, h_edges, BINS + 1, round % 2 ? EXTREMES : UNIFORM, round);
        h_edges[round * 9 % BINS] = NAN;
        if (round == 6)
            h_edges[0] = INFINITY;
        if (round > 6) { /* a wide span, and all out of order in it */
            h_edges[0] = -2;
            h_edges[BINS] = 2;
        }
        for (size_t v = 0; histogram_edges_variant_at(v) != NULL; v++) {
            uint32_t counters[BINS], outside[OUTSIDE], sum = 0;
            guarded samples = guarded_copy(h_samples, sizeof h_samples, 0),
                    edges = guarded_copy(h_edges, sizeof h_edges, 0),
                    bins = guarded_new(sizeof counters, 4), apart = guarded_new(sizeof outside, 4);
            cr_prim(prim_histogram_edges(
                histogram_edges_variant_at(v)->value, CUDA_R_32F, samples.data, COUNT, CUDA_R_32F,
                edges.data, (prim_counters){.data = bins.data, .bins = BINS, .type = CUDA_R_32U},
                NULL));
            cr_prim(prim_histogram_edges(histogram_edges_variant_at(v)->value, CUDA_R_32F,
                                         samples.data, COUNT, CUDA_R_32F, edges.data,
                                         (prim_counters){.data = bins.data,
                                                         .bins = BINS,
                                                         .type = CUDA_R_32U,
                                                         .outside = PRIM_OUTSIDE_COUNT,
                                                         .outside_data = apart.data},
                                         NULL));
            guarded_read(&bins, counters);
            guarded_read(&apart, outside);
            for (size_t b = 0; b < BINS; b++)
                sum += counters[b];
            cr_assert_eq(sum + outside[0] + outside[1] + outside[2], COUNT);
            guarded_free(&samples);
            guarded_free(&edges);
            guarded_free(&bins);
            guarded_free(&apart);
        }
    }
}

Test(histogram_edges, where_edges_descend)
{
    const float falling[] = {0, 1, 1, 0.5f, 2}, nan[] = {0, 1, NAN, 3, 4};
    const uint32_t large[] = {1, 0x7fffffff, 0x80000000, UINT32_MAX};
    const int32_t same_bits[] = {1, 0x7fffffff, INT32_MIN, -1};
    size_t where = 99;
    cr_assert_eq(prim_histogram_check_edges_host(4, CUDA_R_32F, falling, &where), PRIM_ERROR_VALUE);
    cr_assert_eq(where, 3);
    cr_assert(strstr(prim_last_error(NULL), "edge 3") != NULL);
    cr_assert_eq(prim_histogram_check_edges_host(4, CUDA_R_32F, nan, &where), PRIM_ERROR_VALUE);
    cr_assert_eq(where, 2);
    cr_assert_eq(prim_histogram_check_edges_host(2, CUDA_R_32F, falling, &where), PRIM_OK);
    cr_assert_eq(prim_histogram_check_edges_host(3, CUDA_R_32U, large, NULL), PRIM_OK);
    cr_assert_eq(prim_histogram_check_edges_host(3, CUDA_R_32I, same_bits, &where),
                 PRIM_ERROR_VALUE);
    cr_assert_eq(where, 2);
    cr_assert_eq(prim_histogram_check_edges_host(3, CUDA_R_16F, falling, NULL), PRIM_ERROR_TYPE);
    cr_assert_eq(prim_histogram_check_edges_host(3, CUDA_R_32F, NULL, NULL), PRIM_ERROR_NULL);
    cr_assert_eq(prim_histogram_check_edges_host(SIZE_MAX, CUDA_R_32F, falling, NULL),
                 PRIM_ERROR_SIZE);
    cr_assert_eq(prim_histogram_check_edges_host(3, CUDA_R_32F, (char *)falling + 1, NULL),
                 PRIM_ERROR_MISALIGNED);
}

Test(histogram_edges, what_is_refused)
{
    float samples[4] = {0}, edges[3] = {0, 1, 2};
    uint32_t counters[8], outside[3];
#define HOST(policy, sample_type, bins, edge_type, h_edges, h_counters)                          \
    prim_histogram_edges_host(sample_type, samples, 4, edge_type, h_edges,                       \
                              (prim_counters){h_counters, bins, CUDA_R_32U, 0, policy, outside}, \
                              1)
    const prim_outside drop = PRIM_OUTSIDE_DROP;
    cr_assert_eq(HOST(drop, CUDA_R_32F, 2, CUDA_R_32F, edges, counters), PRIM_OK);
    cr_assert_eq(HOST(drop, CUDA_R_32F, 2, CUDA_R_64F, edges, counters), PRIM_ERROR_TYPE);
    cr_assert_eq(HOST(drop, CUDA_R_8U, 2, CUDA_R_8U, edges, counters), PRIM_ERROR_TYPE);
    cr_refused(HOST(drop, CUDA_R_16F, 2, CUDA_R_16F, edges, counters), PRIM_ERROR_TYPE, "f32");
    cr_assert_eq(HOST(drop, CUDA_R_32F, 0, CUDA_R_32F, edges, counters), PRIM_ERROR_VALUE);
    cr_refused(HOST(drop, CUDA_R_32F, 2, CUDA_R_32F, NULL, counters), PRIM_ERROR_NULL, "edges");
    cr_assert_eq(HOST(drop, CUDA_R_32F, 2, CUDA_R_32F, edges, edges + 2), PRIM_ERROR_OVERLAP);
    cr_assert_eq(HOST(drop, CUDA_R_32F, 2, CUDA_R_32F, samples + 1, counters), PRIM_OK,
                 "edges may be samples");
    cr_assert_eq(HOST(PRIM_OUTSIDE_COUNT, CUDA_R_32F, 2, CUDA_R_32F, outside, counters),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(HOST((prim_outside)3, CUDA_R_32F, 2, CUDA_R_32F, edges, counters),
                 PRIM_ERROR_ENUM);
    cr_assert_eq(prim_histogram_edges((prim_histogram_variant)9, CUDA_R_32F, NULL, 4, CUDA_R_32F,
                                      NULL, (prim_counters){.bins = 2, .type = CUDA_R_32U},
                                      asking()),
                 PRIM_ERROR_ENUM);
    cr_assert_eq(prim_histogram_edges(PRIM_HISTOGRAM_AUTO, CUDA_R_8U, NULL, 4, CUDA_R_32I, NULL,
                                      (prim_counters){.bins = SIZE_MAX, .type = CUDA_R_32U},
                                      asking()),
                 PRIM_ERROR_SIZE);
}

Test(histogram_edges, variants_have_names_and_ideas)
{
    cr_assert_eq(histogram_edges_variant_at(0)->value, PRIM_HISTOGRAM_AUTO);
    cr_assert_str_eq(prim_histogram_variant_info(PRIM_HISTOGRAM_EDGES_TABLE)->name, "edges_table");
    cr_assert_null(histogram_edges_variant_at(3));
    cr_assert_eq(PRIM_HISTOGRAM_EDGES_SEARCH, 20);
    cr_assert_eq(PRIM_HISTOGRAM_EDGES_TABLE, 21);
}
