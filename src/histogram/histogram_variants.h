/* Inside histogram: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_HISTOGRAM_VARIANTS_H
#define PRIM_HISTOGRAM_VARIANTS_H

#include <primitives/histogram.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_histogram_args {
    prim_call call;
    unsigned flags;
    prim_outside outside;
    prim_histogram_range range;
    cudaDataType_t sample_type;
    const void *samples;
    size_t count, bins;
    cudaDataType_t counter_type;
    void *counters, *outside_counters;
} prim_histogram_args;

/* Up the ladder. */
extern const prim_rung prim_histogram_rungs[];

enum {
    PRIM_HISTOGRAM_OUTSIDE_COUNTERS = 3,
    PRIM_HISTOGRAM_SHARED_COUNTERS =
        12288 /* 48 KB of shared memory, what every GPU gives a block */
};

cudaError_t prim_histogram_global_atomic(const void *args);
cudaError_t prim_histogram_privatized(const void *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_histogram_on_host(const prim_histogram_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
