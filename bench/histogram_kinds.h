/* The histograms that are measured: their samples, bins and bounds. */
#ifndef BENCH_HISTOGRAM_KINDS_H
#define BENCH_HISTOGRAM_KINDS_H

#include <primitives/histogram.h>

#include "bench.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* How bins are told: by a range that they divide, or by edges in f32; or of each channel of an
 * image by that range, or of weighted samples. */
typedef enum histogram_bins {
    BINS_OF_RANGE,
    EDGES_EVEN,
    EDGES_LOGARITHMIC,
    BINS_OF_CHANNELS,
    BINS_OF_WEIGHTED
} histogram_bins;

/* Of BINS_OF_CHANNELS: samples that are no whole pixel are not counted. */
enum { HISTOGRAM_CHANNELS = 3 };

typedef struct histogram_kind {
    cudaDataType_t type;
    const char *name, *type_name;
    size_t bytes, bins;
    prim_histogram_range range; /* all samples lie in it */
    histogram_bins bins_by;
} histogram_kind;

histogram_kind histogram_kind_of(const bench_case *c);

/* The edges, or the weights of f32, lie after the samples. */
const float *histogram_edges_of(const bench_case *c, const bench_operands *o);

/* Samples all over the kind's range, as the input says (histogram_samples.cu). */
cudaError_t make_histogram_samples(const histogram_kind *k, void *d_samples, size_t count,
                                   bench_input input);

#if defined(__cplusplus)
}
#endif

#endif
