/* The patterns that are measured. */
#include <string.h>

#include "bench.h"

static const bench_pattern *const patterns[] = {
    &bench_reduce, &bench_scan, &bench_histogram, &bench_merge,       &bench_convolution,
    &bench_sparse, &bench_gemm, &bench_gemv,      &bench_binary_gemm, NULL,
};

const bench_pattern *pattern_at(size_t index)
{
    return patterns[index];
}

const bench_pattern *find_pattern(const char *name)
{
    size_t p = 0;
    while (patterns[p] != NULL && strcmp(patterns[p]->name, name) != 0 &&
           strcmp(patterns[p]->header, name) != 0)
        p++;
    return patterns[p];
}
