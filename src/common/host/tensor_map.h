/* A tensor map: what a bulk tensor copy has to know of a matrix, or of a batch of them. */
#ifndef PRIM_COMMON_TENSOR_MAP_H
#define PRIM_COMMON_TENSOR_MAP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Dimensions; and the most elements along one, since places are ints, also those of boxes that
 * reach past the end. */
enum { PRIM_TENSOR_RANK = 3, PRIM_TENSOR_MOST = INT_MAX - 1023 };

/* Elements of 16 bits: rows of `columns` elements, `pitch` bytes apart; `matrices` of these,
 * `stride` bytes apart. A copy brings a box of box_rows × box_columns, zeros where it lies
 * outside. */
typedef struct prim_tensor {
    const void *data;
    size_t columns, rows, matrices;
    size_t pitch, stride;
    unsigned box_columns, box_rows;
} prim_tensor;

/* A kernel takes it by value, as a parameter that is `const __grid_constant__`. */
#ifdef SIMT_BACKEND
typedef struct prim_tensor_map {
    prim_tensor tensor;
} prim_tensor_map;
#else
typedef struct prim_tensor_map {
#if defined(__cplusplus)
    alignas(64) uint64_t words[16]; /* the driver's */
#else
    _Alignas(64) uint64_t words[16];
#endif
} prim_tensor_map;
#endif

/* Whether copies reach it: its address and the distances are multiples of 16 bytes, and neither
 * they nor the counts too large. */
bool prim_tensor_is_mapped(const prim_tensor *tensor);

/* For boxes whose rows have 128 bytes and lie swizzled in shared memory. */
cudaError_t prim_make_tensor_map(prim_tensor_map *map, const prim_tensor *tensor);

#if defined(__cplusplus)
}
#endif

#endif
