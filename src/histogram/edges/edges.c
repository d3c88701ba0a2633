/* Histograms of bins between edges: checks of the arguments, the rungs, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "histogram/histogram_args.h"
#include "histogram/tuning.h"

const prim_rung *const prim_histogram_edges_rungs[] = {PRIM_HISTOGRAM_EDGES_RUNGS(PRIM_RUNG_ROW)
                                                           NULL};

/* AUTO takes the table, unless there are so few samples that making it would cost more than it
 * saves. */
int prim_histogram_choose_edges_rung(const void *any)
{
    const prim_histogram_args *args = any;
    const bool is_worth = args->count >= args->bins / PRIM_HISTOGRAM_MOST_BINS_OF_A_SAMPLE;
    return prim_preferred_rung(prim_histogram_edges_rungs,
                               is_worth && prim_histogram_edges_table_rung.why_not(args) == NULL
                                   ? &prim_histogram_edges_table_rung
                                   : &prim_histogram_edges_search_rung,
                               args);
}

static cudaDataType_t edge_type_of(cudaDataType_t sample_type)
{
    switch (sample_type) {
    case CUDA_R_8I:
    case CUDA_R_8U:
    case CUDA_R_16I:
    case CUDA_R_16U:
        return CUDA_R_32I;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return CUDA_R_32F;
    default:
        return sample_type;
    }
}

static prim_status check_kind(const void *any)
{
    const prim_histogram_args *args = any;
    const cudaDataType_t edge_type = edge_type_of(args->sample_type);
    prim_status status = prim_histogram_check_policy(args);
    if (status == PRIM_OK && args->edge_type != edge_type)
        return prim_fail(PRIM_ERROR_TYPE, "%s: edge_type is %s, but %s samples need %s",
                         args->call.name, prim_element_name(args->edge_type),
                         prim_element_name(args->sample_type), prim_element_name(edge_type));
    if (status == PRIM_OK)
        status = prim_histogram_check_sizes(args);
    if (status == PRIM_OK && args->bins == SIZE_MAX)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: there are bins + 1 edges, and their number does not fit size_t",
                         args->call.name);
    return status == PRIM_OK ? prim_check_bytes(&args->call, "edges", 1, args->bins + 1,
                                                prim_element_bytes(edge_type))
                             : status;
}

/* Samples and edges are only read, and may overlap. */
static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_histogram_args *args = any;
    prim_status status = prim_histogram_check_operands(any, operands);
    prim_span *const edges = &operands->spans[operands->count];
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "edges", args->edges,
                                   args->count > 0 ? args->bins + 1 : 0,
                                   prim_element_bytes(args->edge_type), edges);
    for (int i = 1; status == PRIM_OK && i < operands->count; i++)
        status = prim_check_disjoint(&args->call, operands->spans[i], *edges);
    operands->count++;
    return status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_histogram_args *args = any;
    snprintf(text, bytes, "%s, %zu samples, %zu bins between edges",
             prim_element_name(args->sample_type), args->count, args->bins);
}

static const prim_rung *const others[] = {
    PRIM_HISTOGRAM_EVEN_RUNGS(PRIM_RUNG_ROW) PRIM_HISTOGRAM_CHANNELS_RUNGS(PRIM_RUNG_ROW)
        PRIM_HISTOGRAM_WEIGHTED_RUNGS(PRIM_RUNG_ROW) NULL};

static const prim_ladder ladder = {
    .rungs = prim_histogram_edges_rungs,
    .others = others,
    .choose = prim_histogram_choose_edges_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

static prim_histogram_args edges_args(const char *name, prim_histogram_variant variant,
                                      cudaDataType_t sample_type, const void *samples, size_t count,
                                      cudaDataType_t edge_type, const void *edges,
                                      prim_counters out)
{
    prim_histogram_args args =
        prim_histogram_args_of(name, variant, sample_type, samples, count, out);
    args.edge_type = edge_type;
    args.edges = edges;
    return args;
}

prim_status prim_histogram_edges(prim_histogram_variant variant, cudaDataType_t sample_type,
                                 const void *d_samples, size_t count, cudaDataType_t edge_type,
                                 const void *d_edges, prim_counters out, const prim_call *call)
{
    prim_histogram_args args = edges_args("prim_histogram_edges", variant, sample_type, d_samples,
                                          count, edge_type, d_edges, out);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_histogram_edges_host(cudaDataType_t sample_type, const void *h_samples,
                                      size_t count, cudaDataType_t edge_type, const void *h_edges,
                                      prim_counters out, int threads)
{
    prim_histogram_args args = edges_args("prim_histogram_edges_host", PRIM_HISTOGRAM_AUTO,
                                          sample_type, h_samples, count, edge_type, h_edges, out);
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_histogram_edges_on_host(&args, threads) : status;
}

prim_status prim_histogram_check_edges_host(size_t bins, cudaDataType_t edge_type,
                                            const void *h_edges, size_t *where)
{
    const prim_request call = {.name = "prim_histogram_check_edges_host", .on_host = true};
    prim_span span;
    if (edge_type_of(edge_type) != edge_type || prim_element_bytes(edge_type) < 4)
        return prim_fail(PRIM_ERROR_TYPE, "%s: edge_type is %s, not i32, u32, i64, u64, f32 or f64",
                         call.name, prim_element_name(edge_type));
    if (bins == SIZE_MAX)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: there are bins + 1 edges, and their number does not fit size_t",
                         call.name);
    prim_status status =
        prim_check_bytes(&call, "edges", 1, bins + 1, prim_element_bytes(edge_type));
    if (status == PRIM_OK)
        status = prim_check_vector(&call, "edges", h_edges, bins + 1, prim_element_bytes(edge_type),
                                   &span);
    if (status != PRIM_OK)
        return status;
    const size_t descent = prim_histogram_descent(edge_type, h_edges, bins);
    if (descent > bins)
        return PRIM_OK;
    if (where != NULL)
        *where = descent;
    return prim_fail(PRIM_ERROR_VALUE, "%s: edge %zu is NaN or less than the one before", call.name,
                     descent);
}
