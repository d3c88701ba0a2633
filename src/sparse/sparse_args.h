/* Inside sparse: the arguments that travel together. */
#ifndef PRIM_SPARSE_ARGS_H
#define PRIM_SPARSE_ARGS_H

#include <primitives/sparse.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_spmv_args {
    prim_call call;
    double alpha;
    prim_sparse matrix;
    cudaDataType_t x_type;
    const void *x;
    double beta;
    cudaDataType_t y_type;
    void *y;
} prim_spmv_args;

/* rungs.c: the one table, and what AUTO takes of it. */
extern const prim_rung *const prim_spmv_rungs[];
int prim_spmv_choose_rung(const void *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_spmv_on_host(const prim_spmv_args *args, int threads);

/* The format, the types, the sizes and the groups: all that is no array on the device. */
prim_status prim_sparse_check_shape(const prim_call *call, const prim_sparse *matrix);

/* "CSR", "COO", …, of a format that exists. */
const char *prim_sparse_format_name(prim_sparse_format format);

/* The arrays of the matrix's format as ranges; *count of them. */
enum { PRIM_SPARSE_MOST_ARRAYS = 5 };
prim_status prim_sparse_check_arrays(const prim_call *call, const prim_sparse *matrix,
                                     prim_span *spans, int *count);

#if defined(__cplusplus)
}
#endif

#endif
