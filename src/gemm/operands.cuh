/* The operands of a dense product as its kernels see them, and what a kernel does with two
 * elements. Kernels only move operands: dense and binary products run through the same ones. */
#ifndef PRIM_GEMM_OPERANDS_CUH
#define PRIM_GEMM_OPERANDS_CUH

#include "common/scaled.cuh"

namespace
{

/* A matrix with its op applied: transposing exchanges the strides. One of them is 1. */
template <typename T>
struct factor {
    const T *data;
    size_t row_stride, column_stride;

    __host__ __device__ T at(size_t row, size_t column) const
    {
        return data[row * row_stride + column * column_stride];
    }
};

template <typename T>
factor<T> make_factor(const void *data, size_t ld, prim_transpose op)
{
    const bool transposed = op == PRIM_TRANSPOSED;
    return {static_cast<const T *>(data), transposed ? 1 : ld, transposed ? ld : 1};
}

/* C = product of A and B. */
template <typename Product>
struct problem {
    factor<typename Product::element> a, b;
    typename Product::result *c;
    size_t m, n, k, ldc;
    Product product;
};

/* alpha · sum of a · b + beta · c */
template <typename T>
struct dense_product : scaled<T> {
    using element = T;
    using sum = T;
    using result = T;

    __device__ dense_product in_block() const
    {
        return *this;
    }
    __host__ __device__ static T add_product(T sum, T a, T b)
    {
        return ::add_product(sum, a, b);
    }
};

/* alpha = 0 leaves no product, and nothing of A and B to read. */
template <typename T>
size_t effective_k(size_t k, double alpha)
{
    return scalar_as<T>(alpha) == 0 ? 0 : k;
}

} // namespace

#endif
