/* histogram's API: checks of the arguments, and the calls. */
#include <math.h>
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "histogram/histogram_args.h"

enum { ALL_FLAGS = PRIM_HISTOGRAM_ADD | PRIM_HISTOGRAM_LAST_BIN_OPEN };

/* Integer and float samples have separate fields. */
prim_status prim_histogram_check_range(const prim_histogram_args *args, const char *name,
                                       const prim_histogram_range *r)
{
    if (!prim_element_is_float(args->sample_type))
        return r->upper > r->lower
                   ? PRIM_OK
                   : prim_fail(PRIM_ERROR_VALUE,
                               "%s: %s's upper is %lld, not above its lower, %lld (lower and upper "
                               "count for %s samples)",
                               args->call.name, name, (long long)r->upper, (long long)r->lower,
                               prim_element_name(args->sample_type));
    if (!isfinite(r->real_lower) || !isfinite(r->real_upper - r->real_lower))
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: %s's real_lower %g, real_upper %g or their difference is not finite",
                         args->call.name, name, r->real_lower, r->real_upper);
    if (!(r->real_upper > r->real_lower))
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: %s's real_upper is %g, not above its real_lower, %g (real_lower and "
                         "real_upper count for %s samples)",
                         args->call.name, name, r->real_upper, r->real_lower,
                         prim_element_name(args->sample_type));
    return PRIM_OK;
}

prim_status prim_histogram_check_policy(const prim_histogram_args *args)
{
    const char *const call = args->call.name;
    const cudaDataType_t type = args->sample_type;
    if ((unsigned)args->outside > PRIM_OUTSIDE_COUNT)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: outside is %d, not PRIM_OUTSIDE_DROP, _CLAMP or _COUNT, 0 to %d",
                         call, args->outside, PRIM_OUTSIDE_COUNT);
    if (prim_element_bytes(type) == 0)
        return prim_fail(PRIM_ERROR_TYPE,
                         "%s: sample_type is %s, not one of the twelve element types", call,
                         prim_element_name(type));
    if (args->counter_type != CUDA_R_32U && args->counter_type != CUDA_R_64U)
        return prim_fail(PRIM_ERROR_TYPE, "%s: the counters' type is %s, not u32 or u64", call,
                         prim_element_name(args->counter_type));
    if ((args->flags & ~(unsigned)ALL_FLAGS) != 0)
        return prim_fail(PRIM_ERROR_VALUE, "%s: flags are %#x, but only the bits of %#x are flags",
                         call, args->flags, (unsigned)ALL_FLAGS);
    if (args->bins == 0)
        return prim_fail(PRIM_ERROR_VALUE, "%s: bins is 0, but must be at least 1", call);
    return PRIM_OK;
}

prim_status prim_histogram_check_sizes(const prim_histogram_args *args)
{
    prim_status status = prim_check_bytes(&args->call, "samples", 1, args->count,
                                          prim_element_bytes(args->sample_type));
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "counters", 1, args->bins,
                                  prim_element_bytes(args->counter_type));
    return status;
}

static prim_status check_kind(const void *any)
{
    const prim_histogram_args *args = any;
    prim_status status = prim_histogram_check_policy(args);
    if (status == PRIM_OK)
        status = prim_histogram_check_range(args, "range", &args->range);
    return status == PRIM_OK ? prim_histogram_check_sizes(args) : status;
}

prim_status prim_histogram_check_operands(const void *any, prim_operands *operands)
{
    const prim_histogram_args *args = any;
    const size_t counter_bytes = prim_element_bytes(args->counter_type);
    prim_span *const spans = operands->spans;
    operands->count = args->outside == PRIM_OUTSIDE_COUNT ? 3 : 2;
    prim_status status = prim_check_vector(&args->call, "samples", args->samples, args->count,
                                           prim_element_bytes(args->sample_type), &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "counters", args->counters, args->bins,
                                   counter_bytes, &spans[1]);
    if (status == PRIM_OK && args->outside == PRIM_OUTSIDE_COUNT)
        status = prim_check_vector(&args->call, "outside", args->outside_counters,
                                   PRIM_HISTOGRAM_OUTSIDE_COUNTERS, counter_bytes, &spans[2]);
    return status == PRIM_OK ? prim_check_all_disjoint(&args->call, spans, operands->count)
                             : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_histogram_args *args = any;
    snprintf(text, bytes, "%s, %zu samples, %zu bins", prim_element_name(args->sample_type),
             args->count, args->bins);
}

static const char *route(const prim_rung *rung, const void *any)
{
    const prim_histogram_args *args = any;
    if (args->count == 0)
        return NULL;
    return rung == &prim_histogram_coarsened_rung    ? prim_histogram_coarsened_route(args)
           : rung == &prim_histogram_multi_copy_rung ? prim_histogram_multi_copy_route(args)
                                                     : NULL;
}

static const prim_rung *const others[] = {
    PRIM_HISTOGRAM_EDGES_RUNGS(PRIM_RUNG_ROW) PRIM_HISTOGRAM_CHANNELS_RUNGS(PRIM_RUNG_ROW)
        PRIM_HISTOGRAM_WEIGHTED_RUNGS(PRIM_RUNG_ROW) NULL};

static const prim_ladder ladder = {
    .rungs = prim_histogram_rungs,
    .others = others,
    .choose = prim_histogram_choose_rung,
    .check_kind = check_kind,
    .check_operands = prim_histogram_check_operands,
    .describe = describe,
    .route = route,
};

prim_histogram_args prim_histogram_args_of(const char *name, prim_histogram_variant variant,
                                           cudaDataType_t sample_type, const void *samples,
                                           size_t count, prim_counters out)
{
    return (prim_histogram_args){.call = {.name = name, .variant = (int)variant},
                                 .flags = out.flags,
                                 .outside = out.outside,
                                 .sample_type = sample_type,
                                 .samples = samples,
                                 .count = count,
                                 .bins = out.bins,
                                 .counter_type = out.type,
                                 .counters = out.data,
                                 .outside_counters = out.outside_data};
}

prim_status prim_histogram_even(prim_histogram_variant variant, prim_histogram_range range,
                                cudaDataType_t sample_type, const void *d_samples, size_t count,
                                prim_counters out, const prim_call *call)
{
    prim_histogram_args args =
        prim_histogram_args_of("prim_histogram_even", variant, sample_type, d_samples, count, out);
    args.range = range;
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_histogram_even_host(prim_histogram_range range, cudaDataType_t sample_type,
                                     const void *h_samples, size_t count, prim_counters out,
                                     int threads)
{
    prim_histogram_args args = prim_histogram_args_of(
        "prim_histogram_even_host", PRIM_HISTOGRAM_AUTO, sample_type, h_samples, count, out);
    args.range = range;
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_histogram_on_host(&args, threads) : status;
}

/* ---- variants ---- */

const prim_variant *prim_histogram_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_histogram_variant_info(prim_histogram_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
