/* Inside gemv: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_GEMV_VARIANTS_H
#define PRIM_GEMV_VARIANTS_H

#include <primitives/gemv.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_gemv_args {
    prim_call call;
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
} prim_gemv_args;

extern const prim_rung prim_gemv_rungs[];

enum { PRIM_GEMV_THREADS = 128 }; /* a block, one for each element of y */

cudaError_t prim_gemv_row_per_thread(const void *args);
cudaError_t prim_gemv_column(const void *args);
cudaError_t prim_gemv_constant(const void *args);
cudaError_t prim_gemv_shared(const void *args);
cudaError_t prim_gemv_shuffle(const void *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_gemv_on_host(const prim_gemv_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
