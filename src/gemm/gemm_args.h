/* Inside gemm: the arguments that travel together. */
#ifndef PRIM_GEMM_ARGS_H
#define PRIM_GEMM_ARGS_H

#include <primitives/gemm.h>

#include "common/host/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_gemm_args {
    prim_request call;
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
    size_t batches;                      /* products, each with matrices of its own */
    size_t a_stride, b_stride, c_stride; /* elements from a product's matrix to the next one's */
    bool pointers;        /* a, b and c are arrays of pointers, one for each product */
    size_t a_m, b_k, b_n; /* what op_a(A) and op_b(B) have: m, k and n, or the call is refused */
} prim_gemm_args;

/* Whether n, k and the types alone may decide in which order products are added: sums of integers
 * are the same in any order. */
static inline bool prim_gemm_is_invariant(const prim_gemm_args *args)
{
    return args->compute == PRIM_COMPUTE_BATCH_INVARIANT && args->c_type != CUDA_R_32I;
}

/* rungs.c: the table of rungs, and the one that AUTO takes. */
extern const prim_rung *const prim_gemm_rungs[];
int prim_gemm_choose_rung(const void *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_gemm_on_host(const prim_gemm_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
