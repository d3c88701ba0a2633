/* Histograms of an image's channels: checks of the arguments, the rungs, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "histogram/histogram_args.h"

#define RUNGS(X)                         \
    X(histogram, channels_global_atomic) \
    X(histogram, channels_multi_copy)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_histogram_channels_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* MULTI_COPY where a block's shared memory holds the counters of all channels. */
int prim_histogram_choose_channels_rung(const void *args)
{
    return prim_preferred_rung(prim_histogram_channels_rungs,
                               &prim_histogram_channels_multi_copy_rung, args);
}

static prim_status check_kind(const void *any)
{
    const prim_histogram_args *args = any;
    prim_status status = prim_histogram_check_policy(args);
    if (status == PRIM_OK)
        status = prim_check_image(&args->call, "image", &args->image);
    return status == PRIM_OK
               ? prim_check_bytes(&args->call, "counters", (size_t)args->image.channels, args->bins,
                                  prim_element_bytes(args->counter_type))
               : status;
}

static prim_status check_ranges(const prim_histogram_args *args)
{
    if (args->ranges == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: h_ranges is NULL", args->call.name);
    prim_status status =
        prim_check_scalar(&args->call, "ranges", args->ranges, _Alignof(prim_histogram_range));
    for (int c = 0; c < args->image.channels && status == PRIM_OK; c++) {
        char name[24];
        snprintf(name, sizeof name, "h_ranges[%d]", c);
        status = prim_histogram_check_range(args, name, &args->ranges[c]);
    }
    return status;
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_histogram_args *args = any;
    const size_t counter_bytes = prim_element_bytes(args->counter_type),
                 channels = (size_t)args->image.channels;
    prim_span *const spans = operands->spans;
    operands->count = args->outside == PRIM_OUTSIDE_COUNT ? 3 : 2;
    prim_status status = check_ranges(args);
    if (status == PRIM_OK)
        status = prim_check_pixels(&args->call, "image", &args->image, &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "counters", args->counters, channels * args->bins,
                                   counter_bytes, &spans[1]);
    if (status == PRIM_OK && args->outside == PRIM_OUTSIDE_COUNT)
        status =
            prim_check_vector(&args->call, "outside", args->outside_counters,
                              channels * PRIM_HISTOGRAM_OUTSIDE_COUNTERS, counter_bytes, &spans[2]);
    return status == PRIM_OK ? prim_check_all_disjoint(&args->call, spans, operands->count)
                             : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_histogram_args *args = any;
    snprintf(text, bytes, "%s, image %zu × %zu, %d channels, %zu bins each",
             prim_element_name(args->sample_type), args->image.width, args->image.height,
             args->image.channels, args->bins);
}

static const prim_ladder ladder = {
    .rungs = prim_histogram_channels_rungs,
    .choose = prim_histogram_choose_channels_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

/* All arguments except the prim_request and the pointers. */
static prim_histogram_args shape(unsigned flags, prim_outside outside, prim_image image,
                                 size_t bins, cudaDataType_t counter_type)
{
    return (prim_histogram_args){.flags = flags,
                                 .outside = outside,
                                 .sample_type = image.type,
                                 .count = image.width * image.height,
                                 .bins = bins,
                                 .counter_type = counter_type,
                                 .image = image};
}

static void set_operands(prim_histogram_args *args, const prim_histogram_range *h_ranges,
                         void *counters, void *outside)
{
    args->ranges = h_ranges;
    args->samples = args->image.data;
    args->counters = counters;
    args->outside_counters = outside;
}

prim_status prim_histogram_even_channels(prim_histogram_channels_variant variant, unsigned flags,
                                         prim_outside outside, const prim_histogram_range *h_ranges,
                                         prim_image image, size_t bins, cudaDataType_t counter_type,
                                         void *d_counters, void *d_outside, void *d_workspace,
                                         size_t workspace_bytes, cudaStream_t stream)
{
    prim_histogram_args args = shape(flags, outside, image, bins, counter_type);
    args.call = (prim_request){
        "prim_histogram_even_channels", (int)variant, false, d_workspace, workspace_bytes, stream, NULL};
    set_operands(&args, h_ranges, d_counters, d_outside);
    return prim_ladder_run(&ladder, &args.call);
}

prim_status prim_histogram_even_channels_workspace_bytes(prim_histogram_channels_variant variant,
                                                         unsigned flags, prim_outside outside,
                                                         prim_image image, size_t bins,
                                                         cudaDataType_t counter_type, size_t *bytes)
{
    prim_histogram_args args = shape(flags, outside, image, bins, counter_type);
    args.call = (prim_request){.name = "prim_histogram_even_channels_workspace_bytes",
                            .variant = (int)variant};
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_histogram_even_channels_supports(prim_histogram_channels_variant variant, unsigned flags,
                                           prim_outside outside, prim_image image, size_t bins,
                                           cudaDataType_t counter_type)
{
    prim_histogram_args args = shape(flags, outside, image, bins, counter_type);
    args.call =
        (prim_request){.name = "prim_histogram_even_channels_supports", .variant = (int)variant};
    return prim_ladder_supports(&ladder, &args.call);
}

prim_histogram_channels_variant prim_histogram_even_channels_choose(unsigned flags,
                                                                    prim_outside outside,
                                                                    prim_image image, size_t bins,
                                                                    cudaDataType_t counter_type)
{
    prim_histogram_args args = shape(flags, outside, image, bins, counter_type);
    args.call = (prim_request){.name = "prim_histogram_even_channels_choose",
                            .variant = PRIM_HISTOGRAM_CHANNELS_AUTO};
    return (prim_histogram_channels_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_status prim_histogram_even_channels_host(unsigned flags, prim_outside outside,
                                              const prim_histogram_range *h_ranges,
                                              prim_image image, size_t bins,
                                              cudaDataType_t counter_type, void *h_counters,
                                              void *h_outside, int threads)
{
    prim_histogram_args args = shape(flags, outside, image, bins, counter_type);
    args.call = (prim_request){.name = "prim_histogram_even_channels_host", .on_host = true};
    set_operands(&args, h_ranges, h_counters, h_outside);
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_histogram_channels_on_host(&args, threads) : status;
}

const prim_variant *prim_histogram_channels_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_histogram_channels_variant_info(prim_histogram_channels_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
