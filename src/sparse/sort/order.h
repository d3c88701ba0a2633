/* SELL's order of rows: within each window of sigma rows by length, the longest first. */
#ifndef PRIM_SPARSE_ORDER_H
#define PRIM_SPARSE_ORDER_H

#include <primitives/sparse.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_sparse_order {
    const prim_sparse *csr;
    size_t sigma;
    int32_t *permutation; /* a number for each row */
    int32_t *room;        /* see prim_sparse_order_bytes() */
} prim_sparse_order;

/* The room that is needed beside the permutation. */
size_t prim_sparse_order_bytes(size_t rows, size_t sigma);

/* Stable: rows of one length keep their order. */
cudaError_t prim_sparse_sort_rows(cudaStream_t stream, const prim_sparse_order *order);

#if defined(__cplusplus)
}
#endif

#endif
