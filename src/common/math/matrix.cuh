/* A matrix operand of a dense product. */
#ifndef PRIM_COMMON_MATRIX_CUH
#define PRIM_COMMON_MATRIX_CUH

#include <cuda_runtime.h>

#include <primitives/types.h>

namespace
{

/* With its op applied: transposing exchanges the strides. One of them is 1. */
template <typename T>
struct op_matrix {
    const T *data;
    size_t row_stride, column_stride;

    __host__ __device__ T at(size_t row, size_t column) const
    {
        return data[row * row_stride + column * column_stride];
    }
};

template <typename T>
op_matrix<T> make_matrix(const void *data, size_t ld, prim_transpose op)
{
    const bool transposed = op == PRIM_TRANSPOSED;
    return {static_cast<const T *>(data), transposed ? 1 : ld, transposed ? ld : 1};
}

} // namespace

#endif
