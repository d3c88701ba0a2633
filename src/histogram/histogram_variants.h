/* Inside histogram: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_HISTOGRAM_VARIANTS_H
#define PRIM_HISTOGRAM_VARIANTS_H

#include <primitives/histogram.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_histogram_args {
    unsigned flags;
    prim_outside outside;
    prim_histogram_range range;
    cudaDataType_t sample_type;
    const void *samples;
    size_t count, bins;
    cudaDataType_t counter_type;
    void *counters, *outside_counters;
    void *workspace;
    cudaStream_t stream;
} prim_histogram_args;

/* One row is one rung. Queries look at what is no pointer and no stream only. */
typedef struct prim_histogram_rung {
    prim_histogram_variant variant;
    const char *name;
    const char *idea;
    bool (*supports)(const prim_histogram_args *args);
    size_t (*workspace_bytes)(const prim_histogram_args *args);
    cudaError_t (*launch)(const prim_histogram_args *args);
} prim_histogram_rung;

/* Up the ladder. */
extern const prim_histogram_rung prim_histogram_rungs[];
extern const size_t prim_histogram_rung_count;

enum {
    PRIM_HISTOGRAM_OUTSIDE_COUNTERS = 3,
    PRIM_HISTOGRAM_SHARED_COUNTERS =
        12288 /* 48 KB of shared memory, what every GPU gives a block */
};

cudaError_t prim_histogram_global_atomic(const prim_histogram_args *args);
cudaError_t prim_histogram_privatized(const prim_histogram_args *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_histogram_on_host(const char *call, const prim_histogram_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
