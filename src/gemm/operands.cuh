/* The operands of a dense product as its kernels see them, and what a kernel does with two
 * elements. Kernels only move operands: dense and binary products run through the same ones. */
#ifndef PRIM_GEMM_OPERANDS_CUH
#define PRIM_GEMM_OPERANDS_CUH

#include "common/numeric.cuh"

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

/* What a scalar is in the type of C: whole numbers wrap. */
template <typename T>
T scalar_as(double value)
{
    if constexpr (is_float<T>())
        return static_cast<T>(value);
    else
        return static_cast<T>(static_cast<uint64_t>(static_cast<int64_t>(value)));
}

/* alpha · sum of a · b + beta · c */
template <typename T>
struct dense_product {
    using element = T;
    using sum = T;
    using result = T;
    T alpha, beta;

    __device__ dense_product in_block() const
    {
        return *this;
    }
    __host__ __device__ static T add_product(T sum, T a, T b)
    {
        if constexpr (is_float<T>())
            return sum + a * b; /* one rounding on the GPU, two on a CPU */
        else
            return add(sum, multiply(a, b));
    }
    __host__ __device__ void store(T *c, T sum) const
    {
        const T scaled = multiply(alpha, sum);
        *c = beta == 0 ? scaled : add(scaled, multiply(beta, *c));
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
