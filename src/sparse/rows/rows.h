/* A sparse matrix in host memory, row by row, whatever its format. */
#ifndef PRIM_SPARSE_ROWS_H
#define PRIM_SPARSE_ROWS_H

#include <primitives/sparse.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Entries at first, first + stride, … of two arrays. */
typedef struct prim_strip {
    const int32_t *columns;
    const void *values;
    size_t first, stride, count;
} prim_strip;

/* The entries of one row, in order: HYB has two strips of them, the others one. */
typedef struct prim_row {
    size_t row;
    prim_strip strips[2];
    int strip_count;
} prim_row;

/* The row at a place of JDS's and SELL's order; in other formats row and place are the same. The
 * matrix is valid. COO and JDS take a binary search, log2(entries) or log2(groups) steps. */
prim_row prim_sparse_row_at(const prim_sparse *matrix, size_t place);

/* Its number of entries. */
static inline size_t prim_row_length(const prim_row *row)
{
    size_t length = 0;
    for (int s = 0; s < row->strip_count; s++)
        length += row->strips[s].count;
    return length;
}

/* Offset i of CSR's rows or SELL's slices. */
static inline size_t prim_sparse_offset(const prim_sparse *matrix, size_t i)
{
    const void *const offsets =
        matrix->format == PRIM_SPARSE_SELL ? matrix->slice_offsets : matrix->row_offsets;
    return matrix->offset_type == CUDA_R_64I ? (size_t)((const int64_t *)offsets)[i]
                                             : (size_t)((const int32_t *)offsets)[i];
}

static inline size_t prim_sparse_slices(const prim_sparse *matrix)
{
    return (matrix->rows + PRIM_SPARSE_SLICE_ROWS - 1) / PRIM_SPARSE_SLICE_ROWS;
}

#if defined(__cplusplus)
}
#endif

#endif
