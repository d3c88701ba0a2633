/* Histograms of weighted samples: checks of the arguments, the rungs, and the calls. */
#include <math.h>
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "histogram/histogram_args.h"

#define RUNGS(X)                         \
    X(histogram, weighted_global_atomic) \
    X(histogram, weighted_multi_copy)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_histogram_weighted_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* MULTI_COPY where a block's shared memory holds the sums. */
int prim_histogram_choose_weighted_rung(const void *args)
{
    return prim_preferred_rung(prim_histogram_weighted_rungs,
                               &prim_histogram_weighted_multi_copy_rung, args);
}

static prim_status check_kind(const void *any)
{
    const prim_histogram_args *args = any;
    const size_t weight_bytes = prim_element_bytes(args->weight_type);
    if (args->weight_type != CUDA_R_32F && args->weight_type != CUDA_R_64F)
        return prim_fail(PRIM_ERROR_TYPE, "%s: weight_type is %s, not f32 or f64", args->call.name,
                         prim_element_name(args->weight_type));
    prim_status status = prim_histogram_check_policy(args);
    if (status == PRIM_OK)
        status = prim_histogram_check_range(args, "range", &args->range);
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "samples", 1, args->count,
                                  prim_element_bytes(args->sample_type));
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "weights", 1, args->count, weight_bytes);
    if (status == PRIM_OK &&
        args->bins > SIZE_MAX / sizeof(uint64_t) - PRIM_HISTOGRAM_WEIGHTED_WORDS)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: the bytes of %zu sums, 8 each on their way, do not fit size_t",
                         args->call.name, args->bins);
    return status;
}

/* The caller's bound of the weights. */
static prim_status check_largest(const prim_histogram_args *args)
{
    if (args->largest == NULL)
        return PRIM_OK;
    const prim_status status = prim_check_scalar(&args->call, "largest", args->largest,
                                                 prim_element_bytes(args->weight_type));
    if (status != PRIM_OK)
        return status;
    const double largest = args->weight_type == CUDA_R_64F ? *(const double *)args->largest
                                                           : *(const float *)args->largest;
    return isfinite(largest) && largest >= 0
               ? PRIM_OK
               : prim_fail(PRIM_ERROR_VALUE, "%s: *h_largest is %g, negative or not finite",
                           args->call.name, largest);
}

/* Samples and weights are only read, and may overlap. */
static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_histogram_args *args = any;
    const prim_request *const call = &args->call;
    const size_t weight_bytes = prim_element_bytes(args->weight_type);
    prim_span *const spans = operands->spans;
    operands->count = args->outside == PRIM_OUTSIDE_COUNT ? 4 : 3;
    prim_status status = check_largest(args);
    if (status == PRIM_OK)
        status = prim_check_vector(call, "samples", args->samples, args->count,
                                   prim_element_bytes(args->sample_type), &spans[0]);
    if (status == PRIM_OK)
        status =
            prim_check_vector(call, "weights", args->weights, args->count, weight_bytes, &spans[1]);
    if (status == PRIM_OK)
        status =
            prim_check_vector(call, "sums", args->counters, args->bins, weight_bytes, &spans[2]);
    if (status == PRIM_OK && args->outside == PRIM_OUTSIDE_COUNT)
        status = prim_check_vector(call, "outside", args->outside_counters,
                                   PRIM_HISTOGRAM_OUTSIDE_COUNTERS, weight_bytes, &spans[3]);
    for (int i = 2; i < operands->count; i++)
        for (int other = 0; other < i && status == PRIM_OK; other++)
            status = prim_check_disjoint(call, spans[other], spans[i]);
    return status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_histogram_args *args = any;
    snprintf(text, bytes, "%s, %zu samples, %zu bins, weights of %s",
             prim_element_name(args->sample_type), args->count, args->bins,
             prim_element_name(args->weight_type));
}

static const prim_ladder ladder = {
    .rungs = prim_histogram_weighted_rungs,
    .choose = prim_histogram_choose_weighted_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

/* All arguments except the prim_request and the pointers. */
static prim_histogram_args shape(unsigned flags, prim_outside outside, prim_histogram_range range,
                                 cudaDataType_t sample_type, size_t count, size_t bins,
                                 cudaDataType_t weight_type)
{
    return (prim_histogram_args){.flags = flags,
                                 .outside = outside,
                                 .range = range,
                                 .sample_type = sample_type,
                                 .count = count,
                                 .bins = bins,
                                 .counter_type = CUDA_R_64U,
                                 .weight_type = weight_type};
}

static void set_operands(prim_histogram_args *args, const void *samples, const void *weights,
                         const void *h_largest, void *sums, void *outside)
{
    args->samples = samples;
    args->weights = weights;
    args->largest = h_largest;
    args->counters = sums;
    args->outside_counters = outside;
}

prim_status prim_histogram_even_weighted(prim_histogram_weighted_variant variant, unsigned flags,
                                         prim_outside outside, prim_histogram_range range,
                                         cudaDataType_t sample_type, const void *d_samples,
                                         size_t count, size_t bins, cudaDataType_t weight_type,
                                         const void *d_weights, const void *h_largest, void *d_sums,
                                         void *d_outside, void *d_workspace, size_t workspace_bytes,
                                         cudaStream_t stream)
{
    prim_histogram_args args = shape(flags, outside, range, sample_type, count, bins, weight_type);
    args.call = (prim_request){
        "prim_histogram_even_weighted", (int)variant, false, d_workspace, workspace_bytes, stream, NULL};
    set_operands(&args, d_samples, d_weights, h_largest, d_sums, d_outside);
    return prim_ladder_run(&ladder, &args.call);
}

prim_status prim_histogram_even_weighted_workspace_bytes(prim_histogram_weighted_variant variant,
                                                         unsigned flags, prim_outside outside,
                                                         prim_histogram_range range,
                                                         cudaDataType_t sample_type, size_t count,
                                                         size_t bins, cudaDataType_t weight_type,
                                                         size_t *bytes)
{
    prim_histogram_args args = shape(flags, outside, range, sample_type, count, bins, weight_type);
    args.call = (prim_request){.name = "prim_histogram_even_weighted_workspace_bytes",
                            .variant = (int)variant};
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_histogram_even_weighted_supports(prim_histogram_weighted_variant variant, unsigned flags,
                                           prim_outside outside, prim_histogram_range range,
                                           cudaDataType_t sample_type, size_t count, size_t bins,
                                           cudaDataType_t weight_type)
{
    prim_histogram_args args = shape(flags, outside, range, sample_type, count, bins, weight_type);
    args.call =
        (prim_request){.name = "prim_histogram_even_weighted_supports", .variant = (int)variant};
    return prim_ladder_supports(&ladder, &args.call);
}

prim_histogram_weighted_variant
prim_histogram_even_weighted_choose(unsigned flags, prim_outside outside,
                                    prim_histogram_range range, cudaDataType_t sample_type,
                                    size_t count, size_t bins, cudaDataType_t weight_type)
{
    prim_histogram_args args = shape(flags, outside, range, sample_type, count, bins, weight_type);
    args.call = (prim_request){.name = "prim_histogram_even_weighted_choose",
                            .variant = PRIM_HISTOGRAM_WEIGHTED_AUTO};
    return (prim_histogram_weighted_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_status prim_histogram_even_weighted_host(unsigned flags, prim_outside outside,
                                              prim_histogram_range range,
                                              cudaDataType_t sample_type, const void *h_samples,
                                              size_t count, size_t bins, cudaDataType_t weight_type,
                                              const void *h_weights, const void *h_largest,
                                              void *h_sums, void *h_outside, int threads)
{
    prim_histogram_args args = shape(flags, outside, range, sample_type, count, bins, weight_type);
    args.call = (prim_request){.name = "prim_histogram_even_weighted_host", .on_host = true};
    set_operands(&args, h_samples, h_weights, h_largest, h_sums, h_outside);
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_histogram_weighted_on_host(&args, threads) : status;
}

const prim_variant *prim_histogram_weighted_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_histogram_weighted_variant_info(prim_histogram_weighted_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
