/* Histograms of weighted samples: checks of the arguments, the rungs, and the calls. */
#include <math.h>
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "histogram/histogram_args.h"

const prim_rung *const prim_histogram_weighted_rungs[] = {
    PRIM_HISTOGRAM_WEIGHTED_RUNGS(PRIM_RUNG_ROW) NULL};

/* AUTO takes WEIGHTED_MULTI_COPY where a block's shared memory holds the sums. */
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
        return prim_fail(
            PRIM_ERROR_SIZE,
            "%s: %zu sums need 8 bytes each while they are added, which do not fit size_t",
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
               : prim_fail(PRIM_ERROR_VALUE,
                           "%s: *h_largest is %g, but must be finite and not negative",
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

static const prim_rung *const others[] = {
    PRIM_HISTOGRAM_EVEN_RUNGS(PRIM_RUNG_ROW) PRIM_HISTOGRAM_EDGES_RUNGS(PRIM_RUNG_ROW)
        PRIM_HISTOGRAM_CHANNELS_RUNGS(PRIM_RUNG_ROW) NULL};

static const prim_ladder ladder = {
    .rungs = prim_histogram_weighted_rungs,
    .others = others,
    .choose = prim_histogram_choose_weighted_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

static prim_histogram_args weighted_args(const char *name, prim_histogram_variant variant,
                                         prim_histogram_range range, cudaDataType_t sample_type,
                                         const void *samples, size_t count, const void *weights,
                                         const void *h_largest, prim_counters sums)
{
    prim_histogram_args args =
        prim_histogram_args_of(name, variant, sample_type, samples, count, sums);
    args.range = range;
    args.counter_type = CUDA_R_64U;
    args.weight_type = sums.type;
    args.weights = weights;
    args.largest = h_largest;
    return args;
}

prim_status prim_histogram_even_weighted(prim_histogram_variant variant, prim_histogram_range range,
                                         cudaDataType_t sample_type, const void *d_samples,
                                         size_t count, const void *d_weights, const void *h_largest,
                                         prim_counters sums, const prim_call *call)
{
    prim_histogram_args args =
        weighted_args("prim_histogram_even_weighted", variant, range, sample_type, d_samples, count,
                      d_weights, h_largest, sums);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_histogram_even_weighted_host(prim_histogram_range range,
                                              cudaDataType_t sample_type, const void *h_samples,
                                              size_t count, const void *h_weights,
                                              const void *h_largest, prim_counters sums,
                                              int threads)
{
    prim_histogram_args args =
        weighted_args("prim_histogram_even_weighted_host", PRIM_HISTOGRAM_AUTO, range, sample_type,
                      h_samples, count, h_weights, h_largest, sums);
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_histogram_weighted_on_host(&args, threads) : status;
}
