#include <primitives/histogram.h>
#include <primitives/merge.h>

#include "../calls.h"
#include "../histogram_calls.h"
#include "oracles.h"
#include "stress.h"

/* Whole numbers and thirds on both sides of 0. */
static prim_histogram_range pick_range(trial *t)
{
    prim_histogram_range range = {.lower = (int64_t)pick(t, 20) - 10,
                                  .real_lower = (double)pick(t, 20) / 3 - 3};
    range.upper = range.lower + 1 + (int64_t)pick(t, 20);
    range.real_upper = range.real_lower + 0.1 + (double)pick(t, 20);
    return range;
}

/* What lies outside: as many for each of so many channels. */
static operand *add_outside(trial *t, prim_outside outside, cudaDataType_t type, size_t channels)
{
    operand *apart = add_output(t, type, 3 * channels);
    apart->is_output = outside == PRIM_OUTSIDE_COUNT;
    apart->is_aside = !apart->is_output;
    return apart;
}

/* Samples of a bin, integers. */
static double count_of(const operand *x, size_t count, prim_histogram_range range,
                       prim_outside outside, size_t bins, size_t bin)
{
    double found = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t sample = (int64_t)before(x, i);
        const bool is_below = sample < range.lower, is_above = sample >= range.upper;
        if (!is_below && !is_above)
            found += (size_t)((sample - range.lower) * (int64_t)bins /
                              (range.upper - range.lower)) == bin;
        else if (outside == PRIM_OUTSIDE_CLAMP)
            found += bin == (is_below ? 0 : bins - 1);
    }
    return found;
}

static void histogram_even(trial *t)
{
    t->variant = pick_variant(t, histogram_even_variant_at);
    const unsigned flags = (unsigned)pick(t, 4);
    const prim_outside outside = (prim_outside)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types)),
                         counter = pick(t, 3) == 0 ? CUDA_R_64U : CUDA_R_32U;
    const size_t count = pick_size(t, 70000), bins = 1 + pick_size(t, 15000);
    const prim_histogram_range range = pick_range(t);
    pick_values(t, ANYTHING);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_histogram_even(
            t->variant, range, type, NULL, count,
            (prim_counters){.bins = bins, .type = counter, .flags = flags, .outside = outside},
            asking()),
        &bytes);
    operand *x = add_input(t, type, count, false), *y = add_output(t, counter, bins),
            *apart = add_outside(t, outside, counter, 1);
    begin(t, asked, bytes, true);
    describe(t, "histogram_even: variant %d, flags %u, outside %d, type %d, %zu samples, %zu bins",
             t->variant, flags, outside, type, count, bins);
    if (!end(t, prim_histogram_even(t->variant, range, type, x->d, count,
                                    (prim_counters){.data = y->d,
                                                    .bins = bins,
                                                    .type = counter,
                                                    .flags = flags,
                                                    .outside = outside,
                                                    .outside_data = apart->d},
                                    with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_histogram_even_host(range, type, x->h, count,
                                        (prim_counters){.data = y->h,
                                                        .bins = bins,
                                                        .type = counter,
                                                        .flags = flags,
                                                        .outside = outside,
                                                        .outside_data = apart->h},
                                        t->threads));
    const size_t bin = pick(t, bins);
    if (!is_float(type))
        expect(t, y, bin,
               count_of(x, count, range, outside, bins, bin) +
                   (flags & PRIM_HISTOGRAM_ADD ? before(y, bin) : 0));
}

/* Ascending whole numbers, many of them equal. */
static operand *add_edges(trial *t, cudaDataType_t type, size_t count)
{
    const values of_samples = t->values;
    t->values = WHOLE_NUMBERS;
    operand *x = add_input(t, type, count, false);
    on_host(t, prim_merge_sort_host(PRIM_ASCENDING, type, x->h, count, x->h, 1));
    send(x);
    t->values = of_samples;
    return x;
}

static void histogram_edges(trial *t)
{
    t->variant = pick_variant(t, histogram_edges_variant_at);
    const unsigned flags = (unsigned)pick(t, 4);
    const prim_outside outside = (prim_outside)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types)),
                         counter = pick(t, 3) == 0 ? CUDA_R_64U : CUDA_R_32U,
                         edge = is_half(type)        ? CUDA_R_32F
                                : bytes_of(type) < 4 ? CUDA_R_32I
                                                     : type;
    const size_t count = pick_size(t, 30000), bins = 1 + pick_size(t, 3000);
    pick_values(t, ANYTHING);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_histogram_edges(
            t->variant, type, NULL, count, edge, NULL,
            (prim_counters){.bins = bins, .type = counter, .flags = flags, .outside = outside},
            asking()),
        &bytes);
    operand *x = add_input(t, type, count, false), *edges = add_edges(t, edge, bins + 1),
            *y = add_output(t, counter, bins), *apart = add_outside(t, outside, counter, 1);
    edges->is_aside = count == 0;
    begin(t, asked, bytes, true);
    describe(t, "histogram_edges: variant %d, flags %u, outside %d, type %d, %zu samples, %zu bins",
             t->variant, flags, outside, type, count, bins);
    if (end(t, prim_histogram_edges(t->variant, type, x->d, count, edge, edges->d,
                                    (prim_counters){.data = y->d,
                                                    .bins = bins,
                                                    .type = counter,
                                                    .flags = flags,
                                                    .outside = outside,
                                                    .outside_data = apart->d},
                                    with(t->stream, t->workspace, t->workspace_bytes))))
        on_host(t, prim_histogram_edges_host(type, x->h, count, edge, edges->h,
                                             (prim_counters){.data = y->h,
                                                             .bins = bins,
                                                             .type = counter,
                                                             .flags = flags,
                                                             .outside = outside,
                                                             .outside_data = apart->h},
                                             t->threads));
}

static void histogram_channels(trial *t)
{
    t->variant = pick_variant(t, histogram_channels_variant_at);
    const unsigned flags = (unsigned)pick(t, 4);
    const prim_outside outside = (prim_outside)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types)),
                         counter = pick(t, 3) == 0 ? CUDA_R_64U : CUDA_R_32U;
    const size_t channels = 1 + pick(t, 4), bins = 1 + pick_size(t, 3000),
                 samples = pick_size(t, 300) * channels, height = pick_size(t, 60),
                 ld = samples + (pick(t, 3) == 0 ? pick(t, 9) : 0);
    prim_histogram_range ranges[4];
    for (size_t c = 0; c < COUNT_OF(ranges); c++)
        ranges[c] = pick_range(t);
    pick_values(t, ANYTHING);
    prim_image image = {.width = samples / channels,
                        .height = height,
                        .pitch = ld * bytes_of(type),
                        .channels = (int)channels,
                        .type = type};
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_histogram_even_channels(
            t->variant, NULL, image,
            (prim_counters){.bins = bins, .type = counter, .flags = flags, .outside = outside},
            asking()),
        &bytes);
    operand *x = add_input(t, type, span(height, samples, ld), false),
            *y = add_output(t, counter, channels * bins),
            *apart = add_outside(t, outside, counter, channels);
    begin(t, asked, bytes, true);
    describe(t,
             "histogram_channels: variant %d, flags %u, outside %d, type %d, %zu × %zu × %zu, "
             "ld %zu, %zu bins",
             t->variant, flags, outside, type, height, samples / channels, channels, ld, bins);
    image.data = x->d;
    if (!end(t, prim_histogram_even_channels(t->variant, ranges, image,
                                             (prim_counters){.data = y->d,
                                                             .bins = bins,
                                                             .type = counter,
                                                             .flags = flags,
                                                             .outside = outside,
                                                             .outside_data = apart->d},
                                             with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    image.data = x->h;
    on_host(t, prim_histogram_even_channels_host(ranges, image,
                                                 (prim_counters){.data = y->h,
                                                                 .bins = bins,
                                                                 .type = counter,
                                                                 .flags = flags,
                                                                 .outside = outside,
                                                                 .outside_data = apart->h},
                                                 t->threads));
}

static void histogram_weighted(trial *t)
{
    t->variant = pick_variant(t, histogram_weighted_variant_at);
    const unsigned flags = (unsigned)pick(t, 4);
    const prim_outside outside = (prim_outside)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types)),
                         weight = pick(t, 2) == 0 ? CUDA_R_32F : CUDA_R_64F;
    const size_t count = pick_size(t, 30000), bins = 1 + pick_size(t, 3000),
                 kind = pick(t, 4); /* of the largest weight: too small makes every sum NaN */
    const prim_histogram_range range = pick_range(t);
    const double largest = kind == 1 ? 8 : kind == 2 ? 1e6 : 5;
    pick_values(t, ANYTHING);
    const float largest_f32 = (float)largest;
    const void *const h_largest = kind == 0              ? NULL
                                  : weight == CUDA_R_32F ? (const void *)&largest_f32
                                                         : &largest;
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_histogram_even_weighted(
            t->variant, range, type, NULL, count, NULL, NULL,
            (prim_counters){.bins = bins, .type = weight, .flags = flags, .outside = outside},
            asking()),
        &bytes);
    operand *x = add_input(t, type, count, false), *w = add_input(t, weight, count, false),
            *y = add_output(t, weight, bins), *apart = add_outside(t, outside, weight, 1);
    begin(t, asked, bytes, true);
    describe(t,
             "histogram_weighted: variant %d, flags %u, outside %d, types %d %d, largest %zu, "
             "%zu samples, %zu bins",
             t->variant, flags, outside, type, weight, kind, count, bins);
    if (end(t, prim_histogram_even_weighted(t->variant, range, type, x->d, count, w->d, h_largest,
                                            (prim_counters){.data = y->d,
                                                            .bins = bins,
                                                            .type = weight,
                                                            .flags = flags,
                                                            .outside = outside,
                                                            .outside_data = apart->d},
                                            with(t->stream, t->workspace, t->workspace_bytes))))
        on_host(t, prim_histogram_even_weighted_host(range, type, x->h, count, w->h, h_largest,
                                                     (prim_counters){.data = y->h,
                                                                     .bins = bins,
                                                                     .type = weight,
                                                                     .flags = flags,
                                                                     .outside = outside,
                                                                     .outside_data = apart->h},
                                                     t->threads));
}

const stress_call histogram_calls[] = {
    {"histogram_even", histogram_even},
    {"histogram_edges", histogram_edges},
    {"histogram_channels", histogram_channels},
    {"histogram_weighted", histogram_weighted},
    {NULL, NULL},
};
