/* A stable sort of the numbers 0, 1, 2, … by keys of 32 bits. */
#ifndef PRIM_SPARSE_NUMBER_SORT_H
#define PRIM_SPARSE_NUMBER_SORT_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_sparse_pairs {
    uint32_t *keys, *numbers;
} prim_sparse_pairs;

typedef struct prim_sparse_number_sort {
    const uint32_t *keys; /* `count`, which are only read: key i is that of number i */
    size_t count;         /* 1 or more, below 2^32 */
    unsigned passes;      /* of 8 bits each, from bit 0 on: all keys have the same other bits */
    prim_sparse_pairs to, room; /* `count` each; the room is free again afterwards */
    void *state;                /* see prim_sparse_number_sort_bytes() */
} prim_sparse_number_sort;

/* How many passes keys need that are less than `end`. */
unsigned prim_sparse_passes_for(size_t end);

/* What passes share, beside the pairs; a multiple of 256. */
size_t prim_sparse_number_sort_bytes(size_t count, unsigned passes);

cudaError_t prim_sparse_sort_numbers(cudaStream_t stream, const prim_sparse_number_sort *sort);

#if defined(__cplusplus)
}
#endif

#endif
