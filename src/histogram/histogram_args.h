/* Inside histogram: the arguments that travel together. */
#ifndef PRIM_HISTOGRAM_ARGS_H
#define PRIM_HISTOGRAM_ARGS_H

#include <primitives/histogram.h>

#include "common/host/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_histogram_args {
    prim_request call;
    unsigned flags;
    prim_outside outside;
    prim_histogram_range range;
    cudaDataType_t sample_type;
    const void *samples;
    size_t count, bins;
    cudaDataType_t counter_type;
    void *counters, *outside_counters;
    cudaDataType_t edge_type; /* for bins between edges; range is not used then */
    const void *edges;
    prim_image image; /* for channels: its data and type are samples and sample_type, and count is
                         its pixels'; counters and outside_counters have a set for each channel */
    const prim_histogram_range *ranges; /* host; one for each channel, in place of range */
    /* For weighted samples, whose sums go to counters and outside_counters; counter_type is that of
     * sums in fixed point, 64 bits. */
    cudaDataType_t weight_type;
    const void *weights, *largest; /* largest: host, or NULL */
} prim_histogram_args;

/* The rungs of each call, upwards. The ladder of one has those of the three others beside it. */
#define PRIM_HISTOGRAM_EVEN_RUNGS(X) \
    X(histogram, global_atomic)      \
    X(histogram, privatized)         \
    X(histogram, coarsened)          \
    X(histogram, multi_copy)         \
    X(histogram, packed)             \
    X(histogram, partitioned)
#define PRIM_HISTOGRAM_EDGES_RUNGS(X) \
    X(histogram, edges_search)        \
    X(histogram, edges_table)
#define PRIM_HISTOGRAM_CHANNELS_RUNGS(X) \
    X(histogram, channels_global_atomic) \
    X(histogram, channels_multi_copy)
#define PRIM_HISTOGRAM_WEIGHTED_RUNGS(X) \
    X(histogram, weighted_global_atomic) \
    X(histogram, weighted_multi_copy)

PRIM_HISTOGRAM_EVEN_RUNGS(PRIM_DECLARE_RUNG)
PRIM_HISTOGRAM_EDGES_RUNGS(PRIM_DECLARE_RUNG)
PRIM_HISTOGRAM_CHANNELS_RUNGS(PRIM_DECLARE_RUNG)
PRIM_HISTOGRAM_WEIGHTED_RUNGS(PRIM_DECLARE_RUNG)

/* rungs.c: the table of rungs, and the one that AUTO takes. */
extern const prim_rung *const prim_histogram_rungs[];
int prim_histogram_choose_rung(const void *args);

/* How COARSENED, MULTI_COPY and CHANNELS_MULTI_COPY take a call that has samples. */
const char *prim_histogram_coarsened_route(const prim_histogram_args *args);
const char *prim_histogram_multi_copy_route(const prim_histogram_args *args);
const char *prim_histogram_channels_route(const prim_histogram_args *args);

enum { PRIM_HISTOGRAM_OUTSIDE_COUNTERS = 3 };

/* The bins that the rungs above PRIVATIZED can number. */
#define PRIM_HISTOGRAM_MOST_BINS ((size_t)1 << 31)
#define PRIM_HISTOGRAM_TOO_MANY_BINS "it takes at most 2^31 bins"

/* edges.c: likewise, for bins between edges. */
extern const prim_rung *const prim_histogram_edges_rungs[];
int prim_histogram_choose_edges_rung(const void *args);

/* channels.c: likewise, for an image's channels. */
extern const prim_rung *const prim_histogram_channels_rungs[];
int prim_histogram_choose_channels_rung(const void *args);

/* weighted.c: likewise, for weighted samples; and their workspace: two words of 64 bits, and a sum
 * for each bin and for samples outside. */
extern const prim_rung *const prim_histogram_weighted_rungs[];
int prim_histogram_choose_weighted_rung(const void *args);
enum { PRIM_HISTOGRAM_WEIGHTED_WORDS = 2 + PRIM_HISTOGRAM_OUTSIDE_COUNTERS };
size_t prim_histogram_weighted_bytes(const void *args);

/* Sets of counters: one for each channel of an image, otherwise one. */
static inline size_t prim_histogram_sets(const prim_histogram_args *args)
{
    return args->image.channels > 0 ? (size_t)args->image.channels : 1;
}

/* What the arguments of all calls share. */
prim_histogram_args prim_histogram_args_of(const char *name, prim_histogram_variant variant,
                                           cudaDataType_t sample_type, const void *samples,
                                           size_t count, prim_counters out);

/* The range is neither empty nor infinite. `name` is the range's. */
prim_status prim_histogram_check_range(const prim_histogram_args *args, const char *name,
                                       const prim_histogram_range *range);

/* What all kinds of bins share: policy, types, flags and sizes; and the operands but the edges. */
prim_status prim_histogram_check_policy(const prim_histogram_args *args);
prim_status prim_histogram_check_sizes(const prim_histogram_args *args);
prim_status prim_histogram_check_operands(const void *args, prim_operands *operands);

/* The CPU's version, args pointing to host memory. */
prim_status prim_histogram_on_host(const prim_histogram_args *args, int threads);
prim_status prim_histogram_edges_on_host(const prim_histogram_args *args, int threads);
prim_status prim_histogram_channels_on_host(const prim_histogram_args *args, int threads);
prim_status prim_histogram_weighted_on_host(const prim_histogram_args *args, int threads);

/* The first edge that is NaN or less than the one before; bins + 1: they ascend. */
size_t prim_histogram_descent(cudaDataType_t edge_type, const void *h_edges, size_t bins);

#if defined(__cplusplus)
}
#endif

#endif
