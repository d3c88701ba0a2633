/* Inside histogram: the arguments that travel together. */
#ifndef PRIM_HISTOGRAM_ARGS_H
#define PRIM_HISTOGRAM_ARGS_H

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

/* rungs.c: the one table, and what AUTO takes of it. */
extern const prim_rung *const prim_histogram_rungs[];
int prim_histogram_choose_rung(const void *args);

enum { PRIM_HISTOGRAM_OUTSIDE_COUNTERS = 3 };

/* The bins that the rungs above PRIVATIZED can number. */
#define PRIM_HISTOGRAM_MOST_BINS ((size_t)1 << 31)
#define PRIM_HISTOGRAM_TOO_MANY_BINS "it takes 2^31 bins at most"

/* Float samples have the range's real_ fields. */
bool prim_histogram_is_real(cudaDataType_t sample_type);

/* The CPU's version, args pointing to host memory. */
prim_status prim_histogram_on_host(const prim_histogram_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
