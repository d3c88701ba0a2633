/* histogram's API: check the arguments, choose a rung, launch it. */
#include <math.h>

#include "common/check.h"
#include "common/device.h"
#include "common/element.h"
#include "common/fail.h"
#include "common/workspace.h"
#include "histogram/histogram_variants.h"

enum { ALL_FLAGS = PRIM_HISTOGRAM_ADD | PRIM_HISTOGRAM_LAST_BIN_OPEN };

static prim_histogram_variant choose(const prim_histogram_args *args)
{
    return args->bins <= PRIM_HISTOGRAM_SHARED_COUNTERS ? PRIM_HISTOGRAM_PRIVATIZED
                                                        : PRIM_HISTOGRAM_GLOBAL_ATOMIC;
}

static const prim_histogram_rung *find_rung(prim_histogram_variant variant)
{
    for (size_t i = 0; i < prim_histogram_rung_count; i++)
        if (prim_histogram_rungs[i].variant == variant)
            return &prim_histogram_rungs[i];
    return NULL;
}

static bool range_is_valid(const prim_histogram_args *args)
{
    const prim_histogram_range *r = &args->range;
    if (args->sample_type != CUDA_R_32F)
        return r->upper > r->lower;
    return r->real_upper > r->real_lower && isfinite(r->real_upper - r->real_lower) &&
           isfinite(r->real_lower);
}

static prim_status check_kind(const char *call, const prim_histogram_args *args)
{
    const cudaDataType_t type = args->sample_type;
    if ((unsigned)args->outside > PRIM_OUTSIDE_COUNT)
        return prim_fail(PRIM_ERROR_ENUM, "%s: outside is %d, which is no policy", call,
                         args->outside);
    if (type != CUDA_R_8U && type != CUDA_R_32I && type != CUDA_R_32F)
        return prim_fail(PRIM_ERROR_TYPE, "%s: sample_type %s is none of u8, i32, f32", call,
                         prim_element_name(type));
    if (args->counter_type != CUDA_R_32U)
        return prim_fail(PRIM_ERROR_TYPE, "%s: counter_type %s is not u32", call,
                         prim_element_name(args->counter_type));
    if ((args->flags & ~(unsigned)ALL_FLAGS) != 0)
        return prim_fail(PRIM_ERROR_VALUE, "%s: flags 0x%x has unknown bits", call, args->flags);
    if (args->bins == 0)
        return prim_fail(PRIM_ERROR_VALUE, "%s: bins is 0", call);
    if (!range_is_valid(args))
        return prim_fail(PRIM_ERROR_VALUE, "%s: range is empty or not finite", call);
    return PRIM_OK;
}

/* What a query and a call judge alike; *rung is what would run. */
static prim_status resolve(const char *call, prim_histogram_variant variant,
                           const prim_histogram_args *args, const prim_histogram_rung **rung)
{
    *rung = find_rung(variant == PRIM_HISTOGRAM_AUTO ? choose(args) : variant);
    if (*rung == NULL)
        return prim_fail(PRIM_ERROR_ENUM, "%s: variant is %d, which is no variant", call, variant);
    prim_status status = check_kind(call, args);
    if (status == PRIM_OK)
        status = prim_check_bytes(call, "samples", 1, args->count,
                                  prim_element_bytes(args->sample_type));
    if (status == PRIM_OK)
        status = prim_check_bytes(call, "counters", 1, args->bins,
                                  prim_element_bytes(args->counter_type));
    return status;
}

static prim_status check_support(const char *call, const prim_histogram_args *args,
                                 const prim_histogram_rung *rung)
{
    if (rung->supports(args))
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_UNSUPPORTED,
                     "%s: variant %s does not count samples of this type in %zu bins", call,
                     rung->name, args->bins);
}

typedef struct operand_names {
    const char *samples, *counters, *outside;
} operand_names;

enum { SAMPLES, COUNTERS, OUTSIDE, WORKSPACE, SPANS };

/* spans[OUTSIDE] is empty where the policy does not look at it. */
static prim_status check_operands(const char *call, const operand_names *names,
                                  const prim_histogram_args *args, prim_span *spans)
{
    const size_t counter_bytes = prim_element_bytes(args->counter_type);
    prim_status status = prim_check_vector(call, names->samples, args->samples, args->count,
                                           prim_element_bytes(args->sample_type), &spans[SAMPLES]);
    if (status == PRIM_OK)
        status = prim_check_vector(call, names->counters, args->counters, args->bins, counter_bytes,
                                   &spans[COUNTERS]);
    spans[OUTSIDE] = (prim_span){names->outside, NULL, 0};
    if (status == PRIM_OK && args->outside == PRIM_OUTSIDE_COUNT)
        status = prim_check_vector(call, names->outside, args->outside_counters,
                                   PRIM_HISTOGRAM_OUTSIDE_COUNTERS, counter_bytes, &spans[OUTSIDE]);
    return status;
}

static prim_status check_overlaps(const char *call, const prim_span *spans, int count)
{
    prim_status status = PRIM_OK;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a && status == PRIM_OK; b++)
            status = prim_check_disjoint(call, spans[a], spans[b]);
    return status;
}

static prim_status check_call(const char *call, const prim_histogram_args *args,
                              const prim_histogram_rung *rung, size_t workspace_bytes)
{
    static const operand_names names = {"d_samples", "d_counters", "d_outside"};
    prim_span spans[SPANS];
    prim_status status = check_operands(call, &names, args, spans);
    if (status == PRIM_OK)
        status = check_support(call, args, rung);
    if (status == PRIM_OK)
        status = prim_workspace_check(call, args->workspace, workspace_bytes,
                                      rung->workspace_bytes(args), &spans[WORKSPACE]);
    return status == PRIM_OK ? check_overlaps(call, spans, SPANS) : status;
}

prim_status prim_histogram_even(prim_histogram_variant variant, unsigned flags,
                                prim_outside outside, prim_histogram_range range,
                                cudaDataType_t sample_type, const void *d_samples, size_t count,
                                size_t bins, cudaDataType_t counter_type, void *d_counters,
                                void *d_outside, void *d_workspace, size_t workspace_bytes,
                                cudaStream_t stream)
{
    static const char call[] = "prim_histogram_even";
    prim_histogram_args args = {flags, outside,      range,      sample_type, d_samples,   count,
                                bins,  counter_type, d_counters, d_outside,   d_workspace, stream};
    const prim_histogram_rung *rung;
    prim_status status = resolve(call, variant, &args, &rung);
    if (status == PRIM_OK)
        status = check_call(call, &args, rung, workspace_bytes);
    if (status != PRIM_OK)
        return status;
    prim_workspace workspace;
    status =
        prim_workspace_open(call, d_workspace, rung->workspace_bytes(&args), stream, &workspace);
    if (status != PRIM_OK)
        return status;
    args.workspace = workspace.data;
    status = prim_launch_status(call, rung->name, rung->launch(&args));
    const prim_status closed = prim_workspace_close(call, workspace, stream);
    return status != PRIM_OK ? status : closed;
}

prim_status prim_histogram_even_workspace_bytes(prim_histogram_variant variant, unsigned flags,
                                                prim_outside outside, prim_histogram_range range,
                                                cudaDataType_t sample_type, size_t count,
                                                size_t bins, cudaDataType_t counter_type,
                                                size_t *bytes)
{
    static const char call[] = "prim_histogram_even_workspace_bytes";
    const prim_histogram_args args = {.flags = flags,
                                      .outside = outside,
                                      .range = range,
                                      .sample_type = sample_type,
                                      .count = count,
                                      .bins = bins,
                                      .counter_type = counter_type};
    if (bytes == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: bytes is NULL", call);
    const prim_histogram_rung *rung;
    prim_status status = resolve(call, variant, &args, &rung);
    if (status == PRIM_OK)
        status = check_support(call, &args, rung);
    if (status == PRIM_OK)
        *bytes = rung->workspace_bytes(&args);
    return status;
}

bool prim_histogram_even_supports(prim_histogram_variant variant, unsigned flags,
                                  prim_outside outside, prim_histogram_range range,
                                  cudaDataType_t sample_type, size_t count, size_t bins,
                                  cudaDataType_t counter_type)
{
    size_t bytes;
    return prim_histogram_even_workspace_bytes(variant, flags, outside, range, sample_type, count,
                                               bins, counter_type, &bytes) == PRIM_OK &&
           prim_device_has_code();
}

prim_status prim_histogram_even_host(unsigned flags, prim_outside outside,
                                     prim_histogram_range range, cudaDataType_t sample_type,
                                     const void *h_samples, size_t count, size_t bins,
                                     cudaDataType_t counter_type, void *h_counters, void *h_outside,
                                     int threads)
{
    static const char call[] = "prim_histogram_even_host";
    static const operand_names names = {"h_samples", "h_counters", "h_outside"};
    const prim_histogram_args args = {flags,      outside,   range, sample_type,
                                      h_samples,  count,     bins,  counter_type,
                                      h_counters, h_outside, NULL,  NULL};
    prim_span spans[SPANS];
    prim_status status = check_kind(call, &args);
    if (status == PRIM_OK)
        status = check_operands(call, &names, &args, spans);
    if (status == PRIM_OK)
        status = check_overlaps(call, spans, WORKSPACE);
    return status == PRIM_OK ? prim_histogram_on_host(call, &args, threads) : status;
}

size_t prim_histogram_variant_count(void)
{
    return prim_histogram_rung_count + 1;
}

prim_histogram_variant prim_histogram_variant_at(size_t index)
{
    return index == 0 || index > prim_histogram_rung_count
               ? PRIM_HISTOGRAM_AUTO
               : prim_histogram_rungs[index - 1].variant;
}

const char *prim_histogram_variant_name(prim_histogram_variant variant)
{
    const prim_histogram_rung *rung = find_rung(variant);
    return variant == PRIM_HISTOGRAM_AUTO ? "auto" : rung != NULL ? rung->name : NULL;
}

const char *prim_histogram_variant_idea(prim_histogram_variant variant)
{
    const prim_histogram_rung *rung = find_rung(variant);
    return variant == PRIM_HISTOGRAM_AUTO ? "the fastest rung that supports the call"
           : rung != NULL                 ? rung->idea
                                          : NULL;
}
