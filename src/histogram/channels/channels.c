/* Histograms of an image's channels: checks of the arguments, the rungs, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "histogram/histogram_args.h"

const prim_rung *const prim_histogram_channels_rungs[] = {
    PRIM_HISTOGRAM_CHANNELS_RUNGS(PRIM_RUNG_ROW) NULL};

/* AUTO takes CHANNELS_MULTI_COPY where a block's shared memory holds the counters of all
 * channels. */
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
    if (prim_is_left_open(&args->call, args->ranges))
        return PRIM_OK;
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

static const char *route(const prim_rung *rung, const void *any)
{
    const prim_histogram_args *args = any;
    const bool has_one_way = rung != &prim_histogram_channels_multi_copy_rung;
    return has_one_way || args->count == 0 ? NULL : prim_histogram_channels_route(args);
}

static const prim_rung *const others[] = {
    PRIM_HISTOGRAM_EVEN_RUNGS(PRIM_RUNG_ROW) PRIM_HISTOGRAM_EDGES_RUNGS(PRIM_RUNG_ROW)
        PRIM_HISTOGRAM_WEIGHTED_RUNGS(PRIM_RUNG_ROW) NULL};

static const prim_ladder ladder = {
    .rungs = prim_histogram_channels_rungs,
    .others = others,
    .choose = prim_histogram_choose_channels_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
    .route = route,
};

static prim_histogram_args channels_args(const char *name, prim_histogram_variant variant,
                                         const prim_histogram_range *h_ranges, prim_image image,
                                         prim_counters out)
{
    prim_histogram_args args = prim_histogram_args_of(name, variant, image.type, image.data,
                                                      image.width * image.height, out);
    args.image = prim_with_pitch(image);
    args.ranges = h_ranges;
    return args;
}

prim_status prim_histogram_even_channels(prim_histogram_variant variant,
                                         const prim_histogram_range *h_ranges, prim_image image,
                                         prim_counters out, const prim_call *call)
{
    prim_histogram_args args =
        channels_args("prim_histogram_even_channels", variant, h_ranges, image, out);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_histogram_even_channels_host(const prim_histogram_range *h_ranges,
                                              prim_image image, prim_counters out, int threads)
{
    prim_histogram_args args = channels_args("prim_histogram_even_channels_host",
                                             PRIM_HISTOGRAM_AUTO, h_ranges, image, out);
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_histogram_channels_on_host(&args, threads) : status;
}
