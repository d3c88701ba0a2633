/* histogram of an image's channels: every variant, sample type and number of channels against a
 * count sample by sample. */
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

enum { OUTSIDE = 3, POLICIES = 3, MOST_CHANNELS = 4 };

static const cudaDataType_t types[] = {CUDA_R_8I,  CUDA_R_8U,   CUDA_R_16I, CUDA_R_16U,
                                       CUDA_R_32I, CUDA_R_32U,  CUDA_R_64I, CUDA_R_64U,
                                       CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F};

typedef struct channels_case {
    prim_histogram_variant variant;
    int threads; /* 0: on the device */
    unsigned flags;
    prim_outside outside;
    prim_histogram_range ranges[MOST_CHANNELS];
    prim_image image; /* its data on the host */
    size_t bins, offset;
    bool wide; /* u64 counters */
} channels_case;

static size_t channels_of(const channels_case *c)
{
    return (size_t)c->image.channels;
}

/* ---- the oracle: in 128 bits for integers, in plain double for floats ---- */

/* A bin, or bins + 0, 1, 2 for below, above and NaN. */
static size_t place_integer(const channels_case *c, const prim_histogram_range *r, uint64_t bits)
{
    const wide x = type_is_signed(c->image.type) ? (wide)(int64_t)bits : (wide)bits;
    if (x < r->lower || x >= r->upper)
        return c->bins + (x >= r->upper);
    return (size_t)((x - r->lower) * (wide)c->bins / ((wide)r->upper - r->lower));
}

static size_t place_float(const channels_case *c, const prim_histogram_range *r, double x)
{
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

/* Adds to the channel's counters and to what lies outside. */
static void count_sample(const channels_case *c, size_t channel, const char *row, size_t at,
                         uint64_t *counters, uint64_t *outside)
{
    const prim_histogram_range *r = &c->ranges[channel];
    const cudaDataType_t type = c->image.type;
    const size_t place = type_is_float(type) ? place_float(c, r, read_float(type, row, at))
                                             : place_integer(c, r, read_integer(type, row, at));
    if (place < c->bins)
        counters[channel * c->bins + place]++;
    else if (c->outside == PRIM_OUTSIDE_COUNT)
        outside[channel * OUTSIDE + place - c->bins]++;
    else if (c->outside == PRIM_OUTSIDE_CLAMP && place < c->bins + 2)
        counters[channel * c->bins + (place == c->bins ? 0 : c->bins - 1)]++;
}

static void expect(const channels_case *c, uint64_t *counters, uint64_t *outside)
{
    for (size_t y = 0; y < c->image.height; y++)
        for (size_t x = 0; x < c->image.width; x++)
            for (size_t channel = 0; channel < channels_of(c); channel++)
                count_sample(c, channel, (const char *)c->image.data + y * c->image.pitch,
                             x * channels_of(c) + channel, counters, outside);
}

/* ---- one case ---- */

static cudaDataType_t counter_type(const channels_case *c)
{
    return c->wide ? CUDA_R_64U : CUDA_R_32U;
}

/* From the first element to the last. */
static size_t image_bytes(const prim_image *image)
{
    const size_t row = image->width * (size_t)image->channels * type_bytes(image->type);
    return row == 0 || image->height == 0 ? 0 : (image->height - 1) * image->pitch + row;
}

/* What counters hold before the call: some wrap. */
static uint64_t earlier_count(size_t i)
{
    return i % 7 == 0 ? UINT32_MAX - 1 : 3 * i + 1;
}

static char *earlier_counts(const channels_case *c, size_t count)
{
    char *counts = malloc(count * 8);
    for (size_t i = 0; i < count; i++)
        write_integer(counter_type(c), counts, i, earlier_count(i));
    return counts;
}

/* The case's image, of which a call is only asked. */
static prim_image shape_of(const channels_case *c)
{
    prim_image image = c->image;
    image.data = NULL;
    return image;
}

/* The case's counters, where they are to go. */
static prim_counters counters_of(const channels_case *c, void *data, void *outside)
{
    return (prim_counters){.data = data,
                           .bins = c->bins,
                           .type = counter_type(c),
                           .flags = c->flags,
                           .outside = c->outside,
                           .outside_data = outside};
}

static void run(const channels_case *c, char *counters, char *outside)
{
    const size_t each = c->wide ? 8 : 4, count = channels_of(c) * c->bins,
                 apart_bytes = channels_of(c) * OUTSIDE * each;
    if (c->threads > 0) {
        cr_prim(prim_histogram_even_channels_host(c->ranges, c->image,
                                                  counters_of(c, counters, outside), c->threads));
        return;
    }
    guarded in = guarded_copy(c->image.data, image_bytes(&c->image),
                              c->offset * type_bytes(c->image.type)),
            bins = guarded_copy(counters, count * each, c->offset % 2 * each),
            apart = guarded_copy(outside, apart_bytes, c->offset % 3 * each);
    prim_image image = shape_of(c);
    size_t bytes = 1;
    cr_prim(asked_bytes(
        prim_histogram_even_channels(c->variant, NULL, image, counters_of(c, NULL, NULL), asking()),
        &bytes));
    cr_assert_eq(bytes, 0);
    image.data = in.data;
    cr_prim(prim_histogram_even_channels(
        c->variant, c->ranges, image,
        counters_of(c, bins.data, c->outside == PRIM_OUTSIDE_COUNT ? apart.data : NULL), NULL));
    guarded_read(&bins, counters);
    guarded_read(&apart, outside);
    guarded_free(&in);
    guarded_free(&bins);
    guarded_free(&apart);
}

static void check_counters(const channels_case *c, const char *what, const void *found,
                           const uint64_t *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t wanted = c->wide ? expected[i] : (uint32_t)expected[i],
                       is = read_integer(counter_type(c), found, i);
        cr_assert_eq(is, wanted,
                     "%s (threads %d), %s, %zu × %zu, %d channels, pitch %zu, %zu bins, flags %u, "
                     "outside %d, offset %zu: %s %zu is %llu, not %llu",
                     prim_histogram_variant_info(c->variant)->name, c->threads,
                     type_name(c->image.type), c->image.width, c->image.height, c->image.channels,
                     c->image.pitch, c->bins, c->flags, (int)c->outside, c->offset, what, i,
                     (unsigned long long)is, (unsigned long long)wanted);
    }
}

static void check(const channels_case *c)
{
    const size_t count = channels_of(c) * c->bins, apart = channels_of(c) * OUTSIDE;
    uint64_t *expected = calloc(count, sizeof *expected), outside[MOST_CHANNELS * OUTSIDE] = {0};
    char *const counters = earlier_counts(c, count), *const around = earlier_counts(c, apart);
    const bool adds = (c->flags & PRIM_HISTOGRAM_ADD) != 0,
               untouched = c->outside != PRIM_OUTSIDE_COUNT;
    for (size_t i = 0; i < count && adds; i++)
        expected[i] = earlier_count(i);
    for (size_t i = 0; i < apart && (adds || untouched); i++)
        outside[i] = earlier_count(i);
    expect(c, expected, outside);
    run(c, counters, around);
    check_counters(c, "counter", counters, expected, count);
    check_counters(c, "outside", around, outside, apart);
    free(counters);
    free(around);
    free(expected);
}

/* On the device by each variant, and on the host. */
static void check_everywhere(channels_case *c, size_t turn)
{
    static const prim_histogram_range one = {.upper = 1};
    const prim_image none = {.channels = 1, .type = CUDA_R_8U};
    uint32_t counter;
    const bool has_threads =
        prim_histogram_even_channels_host(
            &one, none, (prim_counters){.data = &counter, .bins = 1, .type = CUDA_R_32U}, 2) ==
        PRIM_OK;
    c->threads = 0;
    for (size_t v = 0; histogram_channels_variant_at(v) != NULL; v++) {
        c->variant = histogram_channels_variant_at(v)->value;
        if (runs(prim_histogram_even_channels(c->variant, NULL, shape_of(c),
                                              counters_of(c, NULL, NULL), asking())))
            check(c);
        else /* 48 KB at least hold these */
            cr_assert(c->variant == PRIM_HISTOGRAM_CHANNELS_MULTI_COPY &&
                      channels_of(c) * (c->bins + 4) > 12288 && type_bytes(c->image.type) > 1);
    }
    c->variant = PRIM_HISTOGRAM_AUTO;
    c->threads = has_threads && turn % 2 == 0 ? 3 : 1;
    check(c);
}

/* ---- images ---- */

/* Of each quick way to find a bin and of none, side by side in one image. */
static const prim_histogram_range ranges[] = {
    {.lower = -1000, .upper = 900, .real_lower = -900.5, .real_upper = 1000},
    {.lower = 0, .upper = 256, .real_lower = -0.1, .real_upper = 0.3},
    {.lower = 97, .upper = 125, .real_lower = 0.0, .real_upper = 1.0},
    {.lower = INT32_MIN, .upper = (int64_t)INT32_MAX + 1, .real_lower = -2048, .real_upper = 2047},
    {.lower = 0, .upper = 60000, .real_lower = -1, .real_upper = 1},
    {.lower = INT64_MIN, .upper = INT64_MAX, .real_lower = -1e308, .real_upper = 7e307},
    {.lower = -30000, .upper = 30011, .real_lower = -0x1p-20, .real_upper = 0x1p20},
    {.lower = 5, .upper = 6, .real_lower = 5, .real_upper = 5.0000001},
};

/* Alike: all channels have neighbouring ranges of one kind. */
static void choose_ranges(channels_case *c, size_t turn)
{
    for (size_t channel = 0; channel < MOST_CHANNELS; channel++) {
        prim_histogram_range *r = &c->ranges[channel];
        *r = ranges[(turn / 2 + turn % 2 * channel) % COUNT_OF(ranges)];
        if (turn % 2 == 0 && r->lower > -40000) {
            r->lower += 3 * (int64_t)channel;
            r->upper += 3 * (int64_t)channel;
            r->real_upper += 0.001 * (double)channel;
        }
    }
}

static const struct {
    size_t width, height, gap; /* gap: elements between the rows */
} shapes[] = {{0, 0, 0},   {0, 5, 3},   {5, 0, 1},   {1, 1, 0},    {1, 40, 1},  {7, 3, 0},
              {16, 5, 0},  {17, 5, 3},  {33, 4, 1},  {64, 3, 16},  {100, 7, 0}, {101, 7, 5},
              {333, 3, 0}, {331, 3, 2}, {3, 300, 2}, {1021, 2, 7}, {5000, 1, 9}};

enum { MOST_SAMPLES = 5009 * MOST_CHANNELS };

/* Samples in range lie between the rows too. */
static void make_image(channels_case *c, void *h_samples, cudaDataType_t type, int channels,
                       size_t shape, size_t turn)
{
    static const double specials[] = {NAN, INFINITY, -INFINITY, -0.0, 0.3, 1};
    const size_t row = shapes[shape].width * (size_t)channels + shapes[shape].gap;
    c->image = (prim_image){
        h_samples, shapes[shape].width, shapes[shape].height, row * type_bytes(type), channels,
        type};
    fill(type, h_samples, row * shapes[shape].height, (distribution)(turn % DISTRIBUTION_COUNT),
         turn);
    for (size_t i = turn % 5; i < row * shapes[shape].height && type_is_float(type); i += 5)
        write_float(type, h_samples, i, specials[i / 5 % COUNT_OF(specials)]);
}

static void check_type(cudaDataType_t type)
{
    static double h_samples[MOST_SAMPLES];
    static const size_t bin_counts[] = {1, 2, 7, 64, 256, 1000, 2999};
    static const size_t steps[] = {[LEVEL_QUICK] = 7, [LEVEL_NORMAL] = 2, [LEVEL_FULL] = 1};
    const size_t step = steps[get_test_level()];
    size_t turn = (size_t)type;
    for (int channels = 1; channels <= MOST_CHANNELS; channels++)
        for (size_t shape = 0; shape < COUNT_OF(shapes); shape++)
            for (size_t b = 0; b < COUNT_OF(bin_counts); b++, turn++) {
                channels_case c = {.flags = (unsigned)(turn / 5 % 4),
                                   .outside = (prim_outside)(turn / 3 % POLICIES),
                                   .bins = bin_counts[b],
                                   .offset = turn % 17,
                                   .wide = turn % 5 == 0};
                if (turn % step != 0)
                    continue;
                choose_ranges(&c, turn / step);
                make_image(&c, h_samples, type, channels, shape, turn);
                check_everywhere(&c, turn);
            }
}

Test(histogram_channels, integers_in_every_shape)
{
    for (size_t t = 0; t < COUNT_OF(types); t++)
        if (!type_is_float(types[t]))
            check_type(types[t]);
}

Test(histogram_channels, floats_in_every_shape)
{
    for (size_t t = 0; t < COUNT_OF(types); t++)
        if (type_is_float(types[t]))
            check_type(types[t]);
}

/* More than a thread's first group and a warp's first row; all samples of a channel alike, too. */
Test(histogram_channels, large_images)
{
    static const size_t widths[] = {1500, 3};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int channels = 1; channels <= MOST_CHANNELS; channels++) {
            const size_t w = (t + (size_t)channels) % 2, width = widths[w],
                         height = (w == 0 ? 150000 : 60000) / width / (size_t)channels + 1,
                         row = width * (size_t)channels + t % 3;
            if (get_test_level() == LEVEL_QUICK && (t + (size_t)channels) % 3 != 0)
                continue;
            void *h_samples = calloc(row * height, 8);
            if (t % 4 != 3)
                fill(types[t], h_samples, row * height, UNIFORM, t);
            channels_case c = {
                .outside = (prim_outside)(t % POLICIES),
                .image = {h_samples, width, height, row * type_bytes(types[t]), channels, types[t]},
                .bins = 300,
                .offset = t};
            for (size_t channel = 0; channel < MOST_CHANNELS; channel++)
                c.ranges[channel] = (prim_histogram_range){
                    -(1ll << 31), (1ll << 31) - 5 * (int64_t)channel, -1, 0.9 + (double)channel};
            check_everywhere(&c, t);
            free(h_samples);
        }
}

/* Bins as wide as powers of two in all channels, and in all but the last one. */
Test(histogram_channels, bins_of_powers_of_two)
{
    enum { WIDTH = 301, HEIGHT = 5, MOST = WIDTH * HEIGHT * MOST_CHANNELS };
    static const prim_histogram_range ranges[] = {{.real_lower = -1, .real_upper = 1},
                                                  {.real_lower = 0, .real_upper = 1},
                                                  {.real_lower = -0.5, .real_upper = 0.5},
                                                  {.real_lower = 0, .real_upper = 0.3}};
    float h_samples[MOST];
    for (int channels = 1; channels <= MOST_CHANNELS; channels++) {
        channels_case c = {.variant = PRIM_HISTOGRAM_CHANNELS_MULTI_COPY,
                           .outside = (prim_outside)(channels % POLICIES),
                           .image = {h_samples, WIDTH, HEIGHT,
                                     WIDTH * (size_t)channels * sizeof(float), channels,
                                     CUDA_R_32F},
                           .bins = 32};
        memcpy(c.ranges, ranges, sizeof ranges);
        for (size_t i = 0; i < MOST; i++) /* edges of all ranges, those outside too, or below one */
            h_samples[i] =
                (float)((int)(random_bits(i) % 200) - 100) / 64 - (i % 3 == 0) * 0x1p-60f;
        check(&c);
    }
}

/* So many pixels that tables of each bin's first float pay: on edges, next to them, anywhere. */
Test(histogram_channels, floats_on_edges)
{
    enum { WIDTH = 1024, HEIGHT = 2049 };
    static const struct {
        cudaDataType_t type;
        int channels;
    } kinds[] = {{CUDA_R_32F, 2}, {CUDA_R_16F, 3}, {CUDA_R_16BF, 4}, {CUDA_R_32F, 1}};
    const size_t most = get_test_level() == LEVEL_QUICK ? 1 : COUNT_OF(kinds);
    for (size_t k = 0; k < most; k++) {
        const cudaDataType_t type = kinds[k].type;
        const size_t channels = (size_t)kinds[k].channels, row = WIDTH * channels + 1;
        channels_case c = {.variant = PRIM_HISTOGRAM_CHANNELS_MULTI_COPY,
                           .outside = (prim_outside)(k % POLICIES),
                           .bins = 100 + 900 * k,
                           .offset = k};
        void *h_samples = malloc(row * HEIGHT * type_bytes(type));
        c.image =
            (prim_image){h_samples, WIDTH, HEIGHT, row * type_bytes(type), kinds[k].channels, type};
        for (size_t channel = 0; channel < MOST_CHANNELS; channel++)
            c.ranges[channel] = prim_real_range(-0.1 * (double)channel, 0.3);
        for (size_t i = 0; i < row * HEIGHT; i++) {
            const prim_histogram_range *r = &c.ranges[i % row % channels];
            const uint64_t bits = random_bits(i);
            double x = r->real_lower + (r->real_upper - r->real_lower) *
                                           (double)(bits >> 20 & 0xffff) / (double)c.bins;
            if (bits % 4 == 3)
                x = r->real_upper * (double)(bits >> 11) * 0x1p-53;
            write_float(type, h_samples, i, round_to_type(type, (long double)x));
        }
        check(&c);
        free(h_samples);
    }
}

/* Many samples in few bins, of images that are wide, narrow, or a line. */
Test(histogram_channels, skewed_samples)
{
    static const size_t bins[] = {3, 300, 30011};
    static const struct {
        size_t width, height, gap;
    } images[] = {{700, 9, 3}, {4, 1500, 1}, {6001, 1, 0}, {1, 6000, 5}};
    const size_t step = get_test_level() == LEVEL_QUICK ? 5 : 1;
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int kind = 0; kind < SKEWS; kind++, turn++) {
            const size_t m = turn % COUNT_OF(images), channels = 1 + turn / 4 % MOST_CHANNELS,
                         row = images[m].width * channels + images[m].gap;
            channels_case c = {.outside = (prim_outside)(turn % POLICIES),
                               .bins = bins[turn / 2 % COUNT_OF(bins)],
                               .offset = turn % 17,
                               .wide = turn % 5 == 0};
            if (turn % step != 0)
                continue;
            void *h_samples = malloc(row * images[m].height * 8);
            c.image = (prim_image){h_samples,        images[m].width,
                                   images[m].height, row * type_bytes(types[t]),
                                   (int)channels,    types[t]};
            fill_skewed(types[t], h_samples, row * images[m].height, (skew)kind);
            for (size_t channel = 0; channel < MOST_CHANNELS; channel++)
                c.ranges[channel] = SKEWED_RANGE;
            check_everywhere(&c, turn);
            free(h_samples);
        }
}

/* Rows with gaps between them, from the shortest to such as have groups. */
Test(histogram_channels, rows_of_every_width)
{
    static const size_t widths[] = {1, 2, 3, 5, 9, 17, 31, 32, 33, 63, 65, 170, 255, 700, 2049},
                        heights[] = {1, 3, 15, 16, 17, 31, 33, 260};
    const size_t step = get_test_level() == LEVEL_QUICK ? 7 : 1;
    size_t turn = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t w = 0; w < COUNT_OF(widths); w++)
            for (int channels = 1; channels <= MOST_CHANNELS; channels++, turn++) {
                const size_t gap = 1 + turn % 6, row = widths[w] * (size_t)channels + gap,
                             height = heights[turn / 3 % COUNT_OF(heights)];
                channels_case c = {.flags = (unsigned)(turn / 5 % 4),
                                   .outside = (prim_outside)(turn % POLICIES),
                                   .bins = 1 + turn * 7 % 900,
                                   .offset = turn % 17,
                                   .wide = turn % 5 == 0};
                if (turn % step != 0)
                    continue;
                void *h_samples = malloc(row * height * 8);
                c.image = (prim_image){h_samples, widths[w], height, row * type_bytes(types[t]),
                                       channels,  types[t]};
                fill(types[t], h_samples, row * height, (distribution)(turn % DISTRIBUTION_COUNT),
                     turn);
                choose_ranges(&c, turn);
                check_everywhere(&c, turn);
                free(h_samples);
            }
}

/* Each of these images takes its route, and is right. With gaps, from so many rows on, and up to so
 * many bytes of one, they go by columns. */
Test(histogram_channels, routes)
{
    static const struct {
        cudaDataType_t type;
        int channels;
        size_t width, height, gap;
        const char *route;
    } routes[] = {
        {CUDA_R_8U, 1, 2047, 16, 1, "value_columns"}, {CUDA_R_8U, 3, 682, 15, 1, "value_groups"},
        {CUDA_R_8I, 4, 512, 16, 1, "value_groups"},   {CUDA_R_8U, 3, 20, 40, 0, "value_groups"},
        {CUDA_R_16F, 1, 3071, 16, 1, "columns"},      {CUDA_R_16U, 1, 3072, 16, 1, "groups"},
        {CUDA_R_16U, 2, 7, 15, 3, "groups"},          {CUDA_R_32F, 3, 511, 8, 2, "columns"},
        {CUDA_R_32I, 3, 511, 7, 2, "groups"},         {CUDA_R_32F, 3, 20, 40, 0, "groups"},
        {CUDA_R_64F, 2, 1, 4, 1, "columns"},          {CUDA_R_64U, 2, 384, 4, 1, "groups"}};
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        const size_t row = routes[i].width * (size_t)routes[i].channels + routes[i].gap,
                     height = routes[i].height;
        const cudaDataType_t type = routes[i].type;
        void *h_samples = malloc(row * height * type_bytes(type));
        channels_case c = {.variant = PRIM_HISTOGRAM_CHANNELS_MULTI_COPY,
                           .outside = PRIM_OUTSIDE_COUNT,
                           .image = {h_samples, routes[i].width, height, row * type_bytes(type),
                                     routes[i].channels, type},
                           .bins = 100,
                           .offset = i};
        fill(type, h_samples, row * height, UNIFORM, i);
        choose_ranges(&c, i);
        check(&c);
        cr_assert_str_eq(asked()->route, routes[i].route, "case %zu", i);
        free(h_samples);
    }
    const prim_image none = {NULL, 0, 9, 100, 3, CUDA_R_32F};
    const prim_counters out = {.bins = 9, .type = CUDA_R_32U};
    cr_prim(prim_histogram_even_channels(PRIM_HISTOGRAM_AUTO, NULL, none, out, asking()));
    cr_assert_null(asked()->route, "nothing is counted");
    cr_prim(prim_histogram_even_channels(PRIM_HISTOGRAM_CHANNELS_GLOBAL_ATOMIC, NULL,
                                         (prim_image){NULL, 9, 9, 0, 3, CUDA_R_32F}, out,
                                         asking()));
    cr_assert_null(asked()->route, "it has one way");
}

/* More bins than shared memory holds: what AUTO and GLOBAL_ATOMIC take, and 8-bit samples. */
Test(histogram_channels, many_bins)
{
    static double h_samples[2000];
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        channels_case c = {.outside = PRIM_OUTSIDE_COUNT, .bins = 70100 + t, .offset = t};
        c.image = (prim_image){h_samples, 31, 19, 97 * type_bytes(types[t]), 3, types[t]};
        fill(types[t], h_samples, 97 * 19, UNIFORM, t);
        for (size_t channel = 0; channel < MOST_CHANNELS; channel++)
            c.ranges[channel] = (prim_histogram_range){-100, 70000, -1, 1};
        check_everywhere(&c, t);
        const prim_counters out = {.bins = c.bins, .type = CUDA_R_32U, .outside = c.outside};
        const bool takes = runs(prim_histogram_even_channels(PRIM_HISTOGRAM_CHANNELS_MULTI_COPY,
                                                             NULL, shape_of(&c), out, asking()));
        cr_assert_eq(takes, type_bytes(types[t]) == 1);
        cr_assert(takes || strstr(prim_last_error(NULL), "3 channels") != NULL);
        cr_prim(
            prim_histogram_even_channels(PRIM_HISTOGRAM_AUTO, NULL, shape_of(&c), out, asking()));
        cr_assert_eq(asked()->variant->value, takes ? PRIM_HISTOGRAM_CHANNELS_MULTI_COPY
                                                    : PRIM_HISTOGRAM_CHANNELS_GLOBAL_ATOMIC);
    }
}

/* ---- known answers ---- */

/* Two rows of three pixels, red, green and blue in four bins of 64 values; 255 lies in the gap. */
Test(histogram_channels, a_picture_counted_by_hand)
{
    static const uint8_t picture[] = {0,   63,  64, 10, 200, 130, 255, 199, 70,  255,
                                      255, 100, 64, 3,  0,   191, 128, 64,  192, 65};
    static const uint32_t expected[] = {3, 2, 0, 1, 1, 1, 1, 3, 1, 3, 2, 0};
    const prim_histogram_range bytes[] = {{.upper = 256}, {.upper = 256}, {.upper = 256}};
    guarded in = guarded_copy(picture, sizeof picture, 1), out = guarded_new(sizeof expected, 0);
    const prim_image image = {in.data, 3, 2, 11, 3, CUDA_R_8U};
    uint32_t counters[12];
    for (size_t v = 0; histogram_channels_variant_at(v) != NULL; v++) {
        cr_prim(prim_histogram_even_channels(
            histogram_channels_variant_at(v)->value, bytes, image,
            (prim_counters){.data = out.data, .bins = 4, .type = CUDA_R_32U}, NULL));
        guarded_read(&out, counters);
        for (size_t i = 0; i < COUNT_OF(expected); i++)
            cr_assert_eq(counters[i], expected[i], "counter %zu is %u", i, counters[i]);
    }
    guarded_free(&in);
    guarded_free(&out);
}

/* Left out, a pitch is that of a row: of 3 × 2 pixels each byte is counted, and none after. */
Test(histogram_channels, an_image_without_a_pitch_has_no_gaps)
{
    static const uint8_t picture[] = {0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1};
    static const uint32_t expected[] = {3, 3, 1, 5};
    const prim_histogram_range bytes[] = {{.upper = 2}, {.upper = 2}};
    guarded in = guarded_copy(picture, sizeof picture, 1), out = guarded_new(sizeof expected, 0);
    uint32_t counters[4];
    for (size_t v = 0; histogram_channels_variant_at(v) != NULL; v++) {
        cr_prim(prim_histogram_even_channels(
            histogram_channels_variant_at(v)->value, bytes,
            (prim_image){in.data, 3, 2, 0, 2, CUDA_R_8U},
            (prim_counters){.data = out.data, .bins = 2, .type = CUDA_R_32U}, NULL));
        guarded_read(&out, counters);
        cr_assert_arr_eq(counters, expected, sizeof expected);
    }
    guarded_free(&in);
    guarded_free(&out);
}

/* ---- what is refused ---- */

static prim_status on_host(const prim_histogram_range *h_ranges, prim_image image, size_t bins,
                           void *h_counters)
{
    return prim_histogram_even_channels_host(
        h_ranges, image, (prim_counters){.data = h_counters, .bins = bins, .type = CUDA_R_32U}, 1);
}

Test(histogram_channels, what_is_refused)
{
    float samples[16] = {0};
    uint32_t counters[16];
    const prim_image good = {samples, 2, 2, 24, 3, CUDA_R_32F};
    const prim_histogram_range unit = {.upper = 1, .real_upper = 1};
    prim_histogram_range three[] = {unit, unit, unit};
    prim_image image = good;
    cr_assert_eq(on_host(three, good, 4, counters), PRIM_OK);
    for (int channels = -1; channels <= 5; channels += channels == 0 ? 5 : 1) {
        image.channels = channels;
        cr_refused(on_host(three, image, 4, counters), PRIM_ERROR_VALUE, "channels");
    }
    image = good;
    image.pitch = 20;
    cr_assert_eq(on_host(three, image, 4, counters), PRIM_ERROR_VALUE);
    image.pitch = 26;
    cr_assert_eq(on_host(three, image, 4, counters), PRIM_ERROR_VALUE);
    image.pitch = 28;
    cr_assert_eq(on_host(three, image, 4, counters), PRIM_OK);
    cr_assert_eq(on_host(three, good, 0, counters), PRIM_ERROR_VALUE);
    cr_refused(on_host(NULL, good, 4, counters), PRIM_ERROR_NULL, "h_ranges");
    cr_assert_eq(on_host(three, good, 4, samples + 3), PRIM_ERROR_OVERLAP);
    image = good;
    image.data = NULL;
    cr_refused(on_host(three, image, 4, counters), PRIM_ERROR_NULL, "h_image");
    image.width = 0;
    cr_assert_eq(on_host(three, image, 4, counters), PRIM_OK);
    three[2].real_upper = 0;
    cr_assert_eq(on_host(three, image, 4, counters), PRIM_ERROR_VALUE, "an empty image too");
    cr_assert(strstr(prim_last_error(NULL), "h_ranges[2]") != NULL);
    image = good;
    image.channels = 2;
    cr_assert_eq(on_host(three, image, 4, counters), PRIM_OK, "two ranges are read");
    three[1].real_upper = INFINITY;
    cr_assert_eq(on_host(three, image, 4, counters), PRIM_ERROR_VALUE);
    cr_assert_eq(prim_histogram_even_channels_host(&unit, (prim_image){NULL, 0, 0, 0, 1, CUDA_R_8U},
                                                   (prim_counters){.data = counters,
                                                                   .bins = 1,
                                                                   .type = CUDA_R_32U,
                                                                   .outside = PRIM_OUTSIDE_COUNT,
                                                                   .outside_data = counters},
                                                   1),
                 PRIM_ERROR_OVERLAP);
}

/* Each channel has three numbers for what lies outside: all of them are one operand. */
Test(histogram_channels, what_lies_outside_of_every_channel_is_judged)
{
    enum { CHANNELS = 3, ALL = 3 * CHANNELS };
    const prim_histogram_range ranges[CHANNELS] = {{.upper = 256}, {.upper = 256}, {.upper = 256}};
    const prim_image none = {NULL, 0, 0, 0, CHANNELS, CUDA_R_8U};
    uint32_t h[CHANNELS + ALL];
    for (size_t begin = 0; begin <= ALL; begin++) { /* the counters, after so many of the others */
        const prim_status status =
            prim_histogram_even_channels_host(ranges, none,
                                              (prim_counters){.data = h + begin,
                                                              .bins = 1,
                                                              .type = CUDA_R_32U,
                                                              .outside = PRIM_OUTSIDE_COUNT,
                                                              .outside_data = h},
                                              1);
        cr_assert_eq(status, begin < ALL ? PRIM_ERROR_OVERLAP : PRIM_OK, "%zu", begin);
    }
}

Test(histogram_channels, variants_have_names_and_ideas)
{
    cr_assert_eq(histogram_channels_variant_at(0)->value, PRIM_HISTOGRAM_AUTO);
    cr_assert_str_eq(prim_histogram_variant_info(PRIM_HISTOGRAM_CHANNELS_MULTI_COPY)->name,
                     "channels_multi_copy");
    cr_assert_null(histogram_channels_variant_at(3));
    cr_assert_eq(PRIM_HISTOGRAM_CHANNELS_GLOBAL_ATOMIC, 40);
    cr_assert_eq(PRIM_HISTOGRAM_CHANNELS_MULTI_COPY, 41);
}
