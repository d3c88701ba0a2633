/* Inside gemv: the arguments that travel together. */
#ifndef PRIM_GEMV_ARGS_H
#define PRIM_GEMV_ARGS_H

#include <primitives/gemv.h>

#include "common/host/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_gemv_args {
    prim_request call;
    prim_transpose op;
    size_t rows, columns;
    double alpha;
    cudaDataType_t a_type;
    const void *a;
    size_t lda;
    cudaDataType_t x_type;
    const void *x;
    double beta;
    cudaDataType_t y_type;
    void *y;
    size_t batches;                      /* products, each with its own matrix and vectors */
    size_t a_stride, x_stride, y_stride; /* elements from one product's to the next one's */
    size_t x_count, y_count;             /* as op(A) has them, or the call is refused */
} prim_gemv_args;

/* rungs.c: the table of rungs, and the one that AUTO takes. */
extern const prim_rung *const prim_gemv_rungs[];
int prim_gemv_choose_rung(const void *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_gemv_on_host(const prim_gemv_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
