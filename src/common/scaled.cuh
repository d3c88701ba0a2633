/* What products have in common: how they are summed, and alpha · sum + beta · c. */
#ifndef PRIM_COMMON_SCALED_CUH
#define PRIM_COMMON_SCALED_CUH

#include "common/numeric.cuh"

namespace
{

/* What a scalar is in the type of the result: whole numbers wrap. */
template <typename T>
T scalar_as(double value)
{
    if constexpr (is_float<T>())
        return static_cast<T>(value);
    else
        return static_cast<T>(static_cast<uint64_t>(static_cast<int64_t>(value)));
}

template <typename T>
__host__ __device__ T add_product(T sum, T a, T b)
{
    if constexpr (is_float<T>())
        return sum + a * b; /* one rounding on the GPU, two on a CPU */
    else
        return add(sum, multiply(a, b));
}

/* beta = 0 leaves c unread. */
template <typename T>
struct scaled {
    T alpha, beta;

    __host__ __device__ void store(T *c, T sum) const
    {
        const T product = multiply(alpha, sum);
        *c = beta == 0 ? product : add(product, multiply(beta, *c));
    }
};

} // namespace

#endif
