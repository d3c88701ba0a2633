/* Offsets as exclusive prefix sums of lengths. */
#ifndef PRIM_SPARSE_OFFSETS_H
#define PRIM_SPARSE_OFFSETS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_sparse_sums {
    uint64_t *lengths; /* `count`, and room after them: see prim_sparse_sums_bytes() */
    size_t count;
    void *offsets;     /* count + 1; NULL: only the total is wanted */
    bool wide;         /* they have 64 bits */
    uint64_t most;     /* offsets that would be larger become this */
    uint64_t *total;   /* NULL, or *total = all lengths */
    uint64_t *missing; /* NULL, or *missing = by how much the total exceeds `most` */
} prim_sparse_sums;

/* The lengths, and the sums of blocks of them. */
size_t prim_sparse_sums_bytes(size_t count);

cudaError_t prim_sparse_sum(cudaStream_t stream, const prim_sparse_sums *sums);

#if defined(__cplusplus)
}
#endif

#endif
