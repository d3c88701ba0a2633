/* Matrices of products as they are stored, for tests that speak of op(A) and op(B). */
#ifndef TESTS_STORED_H
#define TESTS_STORED_H

#include <primitives/types.h>

/* The matrix whose op() has so many rows and columns. */
static inline prim_matrix stored(prim_transpose op, cudaDataType_t type, const void *data,
                                 size_t rows, size_t columns, size_t ld)
{
    return op == PRIM_TRANSPOSED ? prim_matrix_of(type, data, columns, rows, ld)
                                 : prim_matrix_of(type, data, rows, columns, ld);
}

/* Of an A with so many rows and columns: what op(A) is multiplied by, and what that gives. */
static inline prim_vector x_of(prim_transpose op, cudaDataType_t type, const void *data,
                               size_t rows, size_t columns)
{
    return prim_vector_of(type, data, op == PRIM_TRANSPOSED ? rows : columns);
}

static inline prim_vector y_of(prim_transpose op, cudaDataType_t type, const void *data,
                               size_t rows, size_t columns)
{
    return prim_vector_of(type, data, op == PRIM_TRANSPOSED ? columns : rows);
}

/* The first of a batch. */
static inline prim_matrix in_batch(prim_matrix matrix, size_t stride)
{
    matrix.stride = stride;
    return matrix;
}

static inline prim_vector vector_in_batch(prim_vector vector, size_t stride)
{
    vector.stride = stride;
    return vector;
}

static inline prim_vector one_behind_the_other(prim_vector vector)
{
    return vector_in_batch(vector, vector.count);
}

#endif
