/* The histograms that are measured: their samples, bins and bounds. */
#ifndef BENCH_HISTOGRAM_KINDS_H
#define BENCH_HISTOGRAM_KINDS_H

#include <primitives/histogram.h>

#include "bench.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct histogram_kind {
    cudaDataType_t type;
    const char *name, *type_name;
    size_t bytes, bins;
    prim_histogram_range range; /* all samples lie in it */
} histogram_kind;

const histogram_kind *histogram_kind_of(const bench_case *c);

/* Samples all over the kind's range, as the input says (histogram_samples.cu). */
cudaError_t make_histogram_samples(const histogram_kind *k, void *d_samples, size_t count,
                                   bench_input input);

#if defined(__cplusplus)
}
#endif

#endif
