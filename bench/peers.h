/* Libraries that others made, to compare with. A peer that was not found when the bench was built
 * is not there, and its rows are left out. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <primitives/types.h>

/* NULL where the bench was built without cuBLAS. */
const char *cublas_name(void);

/* Row-major, as prim_gemm() and prim_gemv() with alpha 1 and beta 0, f32. End the program with a
 * sentence where cuBLAS fails. */
prim_status cublas_sgemm(size_t m, size_t n, size_t k, const float *d_a, const float *d_b,
                         float *d_c, cudaStream_t stream);
prim_status cublas_sgemv(prim_transpose op, size_t rows, size_t columns, const float *d_a,
                         const float *d_x, float *d_y, cudaStream_t stream);

#endif
