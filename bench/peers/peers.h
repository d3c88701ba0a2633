/* Libraries that others made, to compare with: one file here for each library and pattern. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Of the libraries that were found when the bench was built; peers.c lists them. Those of CUB that
 * are `_given` are of another CUB than the toolkit's. */
extern const bench_peer cub_histogram, cub_histogram_given, cub_merge, cub_merge_given,
    cub_radix_sort, cub_radix_sort_given, cub_reduce, cub_reduce_given, cub_reduce_rows,
    cub_reduce_rows_given, cub_scan, cub_scan_given, cublas_dot, cublas_gemm, cublas_gemv,
    cublaslt_gemm, cusparse_spmv, cusparse_spmv_prepared, npp_convolution;

/* Prints on standard error which libraries were not built in, and why. */
void name_absent_peers(void);

/* Adds a case for each peer that does what this one does. */
void plan_peers(bench_plan *plan, const bench_case *c);

/* The peer by the name c->peer that does this case; NULL where it was not built in. */
const bench_peer *find_peer(const bench_case *c);

#if defined(__cplusplus)
}
#endif

#endif
