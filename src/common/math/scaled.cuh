/* What products have in common: how they are summed, and alpha · sum + beta · c. */
#ifndef PRIM_COMMON_SCALED_CUH
#define PRIM_COMMON_SCALED_CUH

#include "common/math/values.cuh"

namespace
{

/* A scalar converted to the type of the result: whole numbers wrap. */
template <typename T>
T scalar_as(double value)
{
    if constexpr (is_float<T>())
        return static_cast<T>(value);
    else
        return static_cast<T>(static_cast<uint64_t>(static_cast<int64_t>(value)));
}

/* With alpha = 0 sums have length 0, so that A and B are not read. */
template <typename T>
size_t length_of_sums(size_t length, double alpha)
{
    return scalar_as<T>(alpha) == 0 ? 0 : length;
}

/* For floats one rounding on the GPU, where nvcc makes it one instruction, and two on a CPU. */
template <typename T>
__host__ __device__ T add_product(T sum, T a, T b)
{
    if constexpr (is_float<T>())
        return sum + a * b;
    else
        return add(sum, multiply(a, b));
}

/* beta = 0 leaves c unread. */
template <typename T>
struct scaled {
    T alpha, beta;

    /* alpha · sum + beta · c; c does not matter if beta = 0. */
    __host__ __device__ T of(T c, T sum) const
    {
        const T product = multiply(alpha, sum);
        return beta == 0 ? product : add(product, multiply(beta, c));
    }

    /* c may be a half, whose sums are floats: it is rounded once. */
    template <typename Out>
    __host__ __device__ void store(Out *c, T sum) const
    {
        if constexpr (IS_HALF<Out>)
            from_float(of(beta == 0 ? T(0) : to_float(*c), sum), c);
        else
            *c = of(beta == 0 ? T(0) : *c, sum);
    }
};

template <typename T>
scaled<T> make_scaled(double alpha, double beta)
{
    return {scalar_as<T>(alpha), scalar_as<T>(beta)};
}

} // namespace

#endif
