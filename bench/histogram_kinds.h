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
    prim_histogram_range range; /* just what fill_on_device() gives, or the whole type */
} histogram_kind;

const histogram_kind *histogram_kind_of(const bench_case *c);

#if defined(__cplusplus)
}
#endif

#endif
