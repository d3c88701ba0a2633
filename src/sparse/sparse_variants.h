/* Inside sparse: the arguments that travel together, and the table of rungs. */
#ifndef PRIM_SPARSE_VARIANTS_H
#define PRIM_SPARSE_VARIANTS_H

#include <primitives/sparse.h>

#include "common/ladder.h"
#include "common/sizes.h"

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

extern const prim_rung prim_spmv_rungs[];

enum {
    PRIM_SPARSE_THREADS = 256,        /* a block of every rung */
    PRIM_SPARSE_SEGMENT_ENTRIES = 256 /* that a block of the segmented sum takes */
};

/* Each block of a level of the segmented sum leaves two sums, of its first row and of its last,
 * until one block is left: the sums of all levels. */
static inline size_t prim_sparse_carries(size_t entries)
{
    size_t sums = 0;
    for (size_t left = entries; left > PRIM_SPARSE_SEGMENT_ENTRIES;)
        sums += left = 2 * prim_divide_up(left, PRIM_SPARSE_SEGMENT_ENTRIES);
    return sums;
}

cudaError_t prim_spmv_csr_scalar(const void *args);
cudaError_t prim_spmv_csr_vector(const void *args);
cudaError_t prim_spmv_ell(const void *args);
cudaError_t prim_spmv_coo_scan_all(const void *args);
cudaError_t prim_spmv_coo_segmented(const void *args);
cudaError_t prim_spmv_hyb(const void *args);
cudaError_t prim_spmv_jds(const void *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_spmv_on_host(const prim_spmv_args *args, int threads);

/* The format, the types, the sizes and the groups: all that is no array on the device. */
prim_status prim_sparse_check_shape(const prim_call *call, const prim_sparse *matrix);

/* The arrays of the matrix's format as ranges; *count of them. */
enum { PRIM_SPARSE_MOST_ARRAYS = 5 };
prim_status prim_sparse_check_arrays(const prim_call *call, const prim_sparse *matrix,
                                     prim_span *spans, int *count);

#if defined(__cplusplus)
}
#endif

#endif
