/* Inside gemm: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_GEMM_VARIANTS_H
#define PRIM_GEMM_VARIANTS_H

#include <primitives/gemm.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_gemm_args {
    prim_call call;
    prim_transpose op_a, op_b;
    size_t m, n, k;
    double alpha;
    cudaDataType_t a_type;
    const void *a;
    size_t lda;
    cudaDataType_t b_type;
    const void *b;
    size_t ldb;
    double beta;
    cudaDataType_t c_type;
    void *c;
    size_t ldc;
    prim_compute compute;
} prim_gemm_args;

extern const prim_rung prim_gemm_rungs[];

/* Threads in a block where one serves a row of C, and the sides of the tiles. */
enum { PRIM_GEMM_ROW_THREADS = 256, PRIM_GEMM_NAIVE_SIDE = 16 };

cudaError_t prim_gemm_row_per_block(const void *args);
cudaError_t prim_gemm_shared_row(const void *args);
cudaError_t prim_gemm_naive(const void *args);
cudaError_t prim_gemm_tiled_16(const void *args);
cudaError_t prim_gemm_tiled_32(const void *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_gemm_on_host(const prim_gemm_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
