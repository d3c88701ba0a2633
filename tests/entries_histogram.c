/* histogram among the entry points. */
#include <stdint.h>

#include <primitives/histogram.h>

#include "entry_points.h"

/* ---- histogram: 64 bins and, after them, the three counters for what lies outside ---- */

enum { SAMPLES = 20011, BINS = 64, COUNTERS = BINS + 3 };

static const prim_histogram_range sample_range = {.lower = -900, .upper = 1000};

static void histogram_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < SAMPLES; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 9) % 2048 - 1024;
}

static void histogram_answer(const void *h_in, size_t count, void *h_out)
{
    uint32_t *counters = h_out;
    for (size_t b = 0; b < COUNTERS; b++)
        counters[b] = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t x = ((const int32_t *)h_in)[i];
        if (x < -900)
            counters[BINS]++;
        else if (x >= 1000)
            counters[BINS + 1]++;
        else
            counters[(x + 900) * BINS / 1900]++;
    }
}

static prim_status histogram_call(const operands *o)
{
    static const prim_histogram_range empty = {.lower = 7, .upper = 7};
    static const prim_histogram_range endless = {.real_lower = -1e308, .real_upper = 1e308};
    call_head c = spoilt_head(o);
    unsigned flags = 0;
    prim_outside outside = PRIM_OUTSIDE_COUNT;
    prim_histogram_range range = sample_range;
    cudaDataType_t sample_type = CUDA_R_32I, counter_type = CUDA_R_32U;
    char *d_samples = o->d_in, *d_counters = o->d_out, *d_outside = part_of(d_counters, BINS * 4);
    size_t count = o->count, bins = BINS;
    FAULT("of another call", PRIM_ERROR_UNSUPPORTED, "edges_table",
          c.variant = PRIM_HISTOGRAM_EDGES_TABLE);
    spoil(o, "d_samples", &d_samples);
    spoil(o, "d_counters", &d_counters);
    spoil(o, "d_outside", &d_outside);
    FAULT("unknown", PRIM_ERROR_ENUM, "outside", outside = PRIM_OUTSIDE_COUNT + 1);
    FAULT("unknown", PRIM_ERROR_VALUE, "flags", flags = 64);
    FAULT("unknown", PRIM_ERROR_TYPE, "sample_type", sample_type = 9999);
    FAULT("i32", PRIM_ERROR_TYPE, "counters' type", counter_type = CUDA_R_32I);
    FAULT("none", PRIM_ERROR_VALUE, "bins", bins = 0);
    FAULT("empty", PRIM_ERROR_VALUE, "upper is", range = empty);
    FAULT("empty, of floats", PRIM_ERROR_VALUE, "real_upper is",
          (range.real_upper = range.real_lower, sample_type = CUDA_R_32F));
    FAULT("beyond double", PRIM_ERROR_VALUE, "not finite",
          (range = endless, sample_type = CUDA_R_32F));
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "samples", count = SIZE_MAX / 2);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "counters", bins = SIZE_MAX / 2);
    FAULT("in d_samples", PRIM_ERROR_OVERLAP, "d_counters", d_counters = d_samples + 8);
    FAULT("in d_counters", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_counters + 8);
    FAULT("in d_samples", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_samples);
    return prim_histogram_even((prim_histogram_variant)c.variant, range, sample_type, d_samples,
                               count,
                               (prim_counters){.data = d_counters,
                                               .bins = bins,
                                               .type = counter_type,
                                               .flags = flags,
                                               .outside = outside,
                                               .outside_data = d_outside},
                               call_of(o, &c));
}

const entry_point histogram_even_entry = {.name = "prim_histogram_even",
                                          .variant_at = prim_histogram_variant_at,
                                          .in_bytes = SAMPLES * sizeof(int32_t),
                                          .out_bytes = COUNTERS * sizeof(uint32_t),
                                          .count = SAMPLES,
                                          .make_input = histogram_input,
                                          .right_answer = histogram_answer,
                                          .call = histogram_call};

/* ---- between edges: 65 of them after the samples ---- */

static void edges_input(void *h_in, unsigned seed)
{
    int32_t *const edges = (int32_t *)h_in + SAMPLES;
    histogram_input(h_in, seed);
    for (int32_t e = 0; e <= BINS; e++)
        edges[e] = e * e / 3 - 900 + (int32_t)(seed % 5);
}

static void edges_answer(const void *h_in, size_t count, void *h_out)
{
    const int32_t *const samples = h_in, *const edges = samples + SAMPLES;
    uint32_t *counters = h_out;
    for (size_t b = 0; b < COUNTERS; b++)
        counters[b] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t passed = 0;
        while (passed <= BINS && edges[passed] <= samples[i])
            passed++;
        if (passed == 0)
            counters[BINS]++;
        else if (passed <= BINS)
            counters[passed - 1]++;
        else
            counters[samples[i] == edges[BINS] ? BINS - 1 : BINS + 1]++;
    }
}

static prim_status edges_call(const operands *o)
{
    call_head c = spoilt_head(o);
    unsigned flags = 0;
    prim_outside outside = PRIM_OUTSIDE_COUNT;
    cudaDataType_t sample_type = CUDA_R_32I, edge_type = CUDA_R_32I, counter_type = CUDA_R_32U;
    char *d_samples = o->d_in, *d_edges = part_of(d_samples, SAMPLES * 4), *d_counters = o->d_out,
         *d_outside = part_of(d_counters, BINS * 4);
    size_t count = o->count, bins = BINS;
    FAULT("of another call", PRIM_ERROR_UNSUPPORTED, "channels_multi_copy",
          c.variant = PRIM_HISTOGRAM_CHANNELS_MULTI_COPY);
    spoil(o, "d_samples", &d_samples);
    spoil(o, "d_edges", &d_edges);
    spoil(o, "d_counters", &d_counters);
    spoil(o, "d_outside", &d_outside);
    FAULT("unknown", PRIM_ERROR_ENUM, "outside", outside = PRIM_OUTSIDE_COUNT + 1);
    FAULT("unknown", PRIM_ERROR_VALUE, "flags", flags = 64);
    FAULT("unknown", PRIM_ERROR_TYPE, "sample_type", sample_type = 9999);
    FAULT("i64", PRIM_ERROR_TYPE, "edge_type", edge_type = CUDA_R_64I);
    FAULT("i32", PRIM_ERROR_TYPE, "counters' type", counter_type = CUDA_R_32I);
    FAULT("none", PRIM_ERROR_VALUE, "bins", bins = 0);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "samples", count = SIZE_MAX / 2);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "counters", bins = SIZE_MAX / 2);
    FAULT("in d_samples", PRIM_ERROR_OVERLAP, "d_counters", d_counters = d_samples + 8);
    FAULT("in d_edges", PRIM_ERROR_OVERLAP, "d_counters", d_counters = d_edges + 8);
    FAULT("in d_counters", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_counters + 8);
    FAULT("in d_edges", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_edges);
    return prim_histogram_edges((prim_histogram_variant)c.variant, sample_type, d_samples, count,
                                edge_type, d_edges,
                                (prim_counters){.data = d_counters,
                                                .bins = bins,
                                                .type = counter_type,
                                                .flags = flags,
                                                .outside = outside,
                                                .outside_data = d_outside},
                                call_of(o, &c));
}

const entry_point histogram_edges_entry = {.name = "prim_histogram_edges",
                                           .variant_at = prim_histogram_variant_at,
                                           .in_bytes = (SAMPLES + BINS + 1) * sizeof(int32_t),
                                           .out_bytes = COUNTERS * sizeof(uint32_t),
                                           .count = SAMPLES,
                                           .make_input = edges_input,
                                           .right_answer = edges_answer,
                                           .call = edges_call};

/* ---- of channels: rows of three, with a gap between them; a channel's outside after all bins
 * ----
 */

enum {
    WIDTH = 117,
    HEIGHT = 43,
    CHANNELS = 3,
    PITCH = (WIDTH * CHANNELS + 5) * 4,
    IN_IMAGE = PITCH / 4 * (HEIGHT - 1) + WIDTH * CHANNELS,
    LEVELS = 16,
    CHANNEL_COUNTERS = CHANNELS * LEVELS
};

static const prim_histogram_range channel_ranges[CHANNELS] = {
    {.lower = -900, .upper = 1000}, {.lower = 0, .upper = 1024}, {.lower = -1024, .upper = 77}};

static void channels_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < IN_IMAGE; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 9) % 2048 - 1024;
}

static void channels_answer(const void *h_in, size_t width, void *h_out)
{
    uint32_t *counters = h_out, *outside = counters + CHANNEL_COUNTERS;
    for (size_t b = 0; b < CHANNEL_COUNTERS + CHANNELS * 3; b++)
        counters[b] = 0;
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t i = 0; i < width * CHANNELS; i++) {
            const size_t c = i % CHANNELS;
            const prim_histogram_range *r = &channel_ranges[c];
            const int64_t x = ((const int32_t *)h_in)[y * PITCH / 4 + i];
            if (x < r->lower || x >= r->upper)
                outside[c * 3 + (x >= r->upper)]++;
            else
                counters[c * LEVELS + (size_t)((x - r->lower) * LEVELS / (r->upper - r->lower))]++;
        }
}

typedef struct channels_arguments {
    unsigned flags;
    prim_outside outside;
    prim_histogram_range ranges[CHANNELS];
    const char *h_ranges;
    prim_image image;
    cudaDataType_t counter_type;
    size_t bins;
} channels_arguments;

static void spoil_channels(const operands *o, channels_arguments *a)
{
    FAULT("unknown", PRIM_ERROR_ENUM, "outside", a->outside = PRIM_OUTSIDE_COUNT + 1);
    FAULT("unknown", PRIM_ERROR_VALUE, "flags", a->flags = 64);
    FAULT("unknown", PRIM_ERROR_TYPE, "sample_type", a->image.type = 9999);
    FAULT("i32", PRIM_ERROR_TYPE, "counters' type", a->counter_type = CUDA_R_32I);
    FAULT("none", PRIM_ERROR_VALUE, "bins", a->bins = 0);
    FAULT("none", PRIM_ERROR_VALUE, "channels", a->image.channels = 0);
    FAULT("five", PRIM_ERROR_VALUE, "channels", (a->image.width = 9, a->image.channels = 5));
    FAULT("negative", PRIM_ERROR_VALUE, "channels", a->image.channels = -3);
    FAULT("less than a row", PRIM_ERROR_VALUE, "pitch",
          (a->image.width = WIDTH, a->image.pitch = WIDTH * CHANNELS * 4 - 4));
    FAULT("half elements", PRIM_ERROR_VALUE, "pitch", a->image.pitch = PITCH + 2);
    FAULT("a row beyond size_t", PRIM_ERROR_SIZE, "image", a->image.width = SIZE_MAX / 8);
    FAULT("rows beyond size_t", PRIM_ERROR_SIZE, "image", a->image.height = SIZE_MAX / PITCH + 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "counters", a->bins = SIZE_MAX / 8);
    FAULT("NULL", PRIM_ERROR_NULL, "h_ranges", a->h_ranges = NULL);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "h_ranges", a->h_ranges += 4);
    FAULT("empty", PRIM_ERROR_VALUE, "h_ranges[0]", a->ranges[0].upper = -900);
    FAULT("empty", PRIM_ERROR_VALUE, "h_ranges[2]", a->ranges[2].upper = -1025);
    FAULT("of floats, not finite", PRIM_ERROR_VALUE, "h_ranges[0]",
          (a->ranges[0].real_upper = 1.0 / 0.0, a->image.type = CUDA_R_32F));
}

static prim_status channels_call(const operands *o)
{
    call_head c = spoilt_head(o);
    channels_arguments a = {.outside = PRIM_OUTSIDE_COUNT,
                            .ranges = {channel_ranges[0], channel_ranges[1], channel_ranges[2]},
                            .image = {NULL, o->count, HEIGHT, PITCH, CHANNELS, CUDA_R_32I},
                            .counter_type = CUDA_R_32U,
                            .bins = LEVELS};
    char *d_image = o->d_in, *d_counters = o->d_out,
         *d_outside = part_of(d_counters, CHANNEL_COUNTERS * 4);
    FAULT("of another call", PRIM_ERROR_UNSUPPORTED, "weighted_multi_copy",
          c.variant = PRIM_HISTOGRAM_WEIGHTED_MULTI_COPY);
    a.h_ranges = (const char *)a.ranges;
    spoil_channels(o, &a);
    spoil(o, "d_image", &d_image);
    spoil(o, "d_counters", &d_counters);
    spoil(o, "d_outside", &d_outside);
    FAULT("in d_image", PRIM_ERROR_OVERLAP, "d_counters", d_counters = d_image + 8);
    FAULT("in a gap", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_image + WIDTH * CHANNELS * 4);
    FAULT("in d_counters", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_counters + 8);
    a.image.data = d_image;
    return prim_histogram_even_channels((prim_histogram_variant)c.variant,
                                        (const prim_histogram_range *)(const void *)a.h_ranges,
                                        a.image,
                                        (prim_counters){.data = d_counters,
                                                        .bins = a.bins,
                                                        .type = a.counter_type,
                                                        .flags = a.flags,
                                                        .outside = a.outside,
                                                        .outside_data = d_outside},
                                        call_of(o, &c));
}

const entry_point histogram_channels_entry = {.name = "prim_histogram_even_channels",
                                              .variant_at = prim_histogram_variant_at,
                                              .in_bytes = IN_IMAGE * sizeof(int32_t),
                                              .out_bytes = (CHANNEL_COUNTERS + CHANNELS * 3) *
                                                           sizeof(uint32_t),
                                              .count = WIDTH,
                                              .make_input = channels_input,
                                              .right_answer = channels_answer,
                                              .call = channels_call};

/* ---- weighted: a weight for each sample after all of them ---- */

enum { SUMS = BINS + 3 };

/* Small whole numbers, whose sums are exact. */
static void weighted_input(void *h_in, unsigned seed)
{
    float *const weights = (float *)h_in + SAMPLES;
    histogram_input(h_in, seed);
    for (unsigned i = 0; i < SAMPLES; i++)
        weights[i] = (float)((i * 7 + seed) % 15) - 5;
}

static void weighted_answer(const void *h_in, size_t count, void *h_out)
{
    const int32_t *const samples = h_in;
    const float *const weights = (const float *)h_in + SAMPLES;
    float *const sums = h_out;
    for (size_t b = 0; b < SUMS; b++)
        sums[b] = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t x = samples[i];
        const size_t at = x < -900    ? BINS
                          : x >= 1000 ? BINS + 1
                                      : (size_t)((x + 900) * BINS / 1900);
        sums[at] += weights[i];
    }
}

/* With h_largest, or not. */
static prim_status weighted_call(const operands *o, const float *h_given)
{
    static const float bad[] = {-1, 1.0f / 0.0f};
    call_head c = spoilt_head(o);
    unsigned flags = 0;
    prim_outside outside = PRIM_OUTSIDE_COUNT;
    prim_histogram_range range = sample_range;
    cudaDataType_t sample_type = CUDA_R_32I, weight_type = CUDA_R_32F;
    char *d_samples = o->d_in, *d_weights = part_of(d_samples, SAMPLES * 4), *d_sums = o->d_out,
         *d_outside = part_of(d_sums, BINS * 4);
    const char *h_largest = (const char *)h_given;
    size_t count = o->count, bins = BINS;
    FAULT("of another call", PRIM_ERROR_UNSUPPORTED, "partitioned",
          c.variant = PRIM_HISTOGRAM_PARTITIONED);
    spoil(o, "d_samples", &d_samples);
    spoil(o, "d_weights", &d_weights);
    spoil(o, "d_sums", &d_sums);
    spoil(o, "d_outside", &d_outside);
    FAULT("unknown", PRIM_ERROR_ENUM, "outside", outside = PRIM_OUTSIDE_COUNT + 1);
    FAULT("unknown", PRIM_ERROR_VALUE, "flags", flags = 64);
    FAULT("unknown", PRIM_ERROR_TYPE, "sample_type", sample_type = 9999);
    FAULT("f16", PRIM_ERROR_TYPE, "weight_type", weight_type = CUDA_R_16F);
    FAULT("none", PRIM_ERROR_VALUE, "bins", bins = 0);
    FAULT("empty", PRIM_ERROR_VALUE, "upper is", range.upper = range.lower);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "h_largest", h_largest = (const char *)bad + 1);
    FAULT("negative", PRIM_ERROR_VALUE, "h_largest", h_largest = (const char *)&bad[0]);
    FAULT("infinite", PRIM_ERROR_VALUE, "h_largest", h_largest = (const char *)&bad[1]);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "samples", count = SIZE_MAX / 2);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "weights",
          (count = SIZE_MAX / 2, sample_type = CUDA_R_8U));
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "sums", bins = SIZE_MAX / 8);
    FAULT("in d_samples", PRIM_ERROR_OVERLAP, "d_sums", d_sums = d_samples + 8);
    FAULT("in d_weights", PRIM_ERROR_OVERLAP, "d_sums", d_sums = d_weights + 8);
    FAULT("in d_weights", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_weights);
    FAULT("in d_sums", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_sums + 8);
    return prim_histogram_even_weighted((prim_histogram_variant)c.variant, range, sample_type,
                                        d_samples, count, d_weights, h_largest,
                                        (prim_counters){.data = d_sums,
                                                        .bins = bins,
                                                        .type = weight_type,
                                                        .flags = flags,
                                                        .outside = outside,
                                                        .outside_data = d_outside},
                                        call_of(o, &c));
}

static prim_status weighted_call_that_looks(const operands *o)
{
    return weighted_call(o, NULL);
}

static prim_status weighted_call_that_is_told(const operands *o)
{
    static const float largest = 9;
    return weighted_call(o, &largest);
}

const entry_point histogram_weighted_entry = {.name = "prim_histogram_even_weighted",
                                              .variant_at = prim_histogram_variant_at,
                                              .in_bytes = 2 * SAMPLES * sizeof(float),
                                              .out_bytes = SUMS * sizeof(float),
                                              .count = SAMPLES,
                                              .make_input = weighted_input,
                                              .right_answer = weighted_answer,
                                              .call = weighted_call_that_looks};

const entry_point histogram_weighted_told_entry = {.name = "prim_histogram_even_weighted",
                                                   .variant_at = prim_histogram_variant_at,
                                                   .in_bytes = 2 * SAMPLES * sizeof(float),
                                                   .out_bytes = SUMS * sizeof(float),
                                                   .count = SAMPLES,
                                                   .make_input = weighted_input,
                                                   .right_answer = weighted_answer,
                                                   .call = weighted_call_that_is_told};
