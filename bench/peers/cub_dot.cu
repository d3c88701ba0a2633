/* CUB's sum of the products of pairs; the second vector lies behind the first. */
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>

#include "peers/cub.cuh"

namespace
{

template <typename T>
struct product {
    const T *x, *y;

    __device__ T operator()(size_t i) const
    {
        return x[i] * y[i];
    }
};

template <typename T>
cudaError_t dot(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                cudaStream_t stream)
{
    const T *const d_x = static_cast<const T *>(o.d_in), *const d_y = d_x + c.size;
    return cub::DeviceReduce::TransformReduce(
        d_temporary, bytes, thrust::counting_iterator<size_t>(0), static_cast<T *>(o.d_out), c.size,
        cuda::std::plus<>(), product<T>{d_x, d_y}, T(0), stream);
}

cub_call *choose(const bench_case &c)
{
    if (!(is_case(c, "dot") && c.result == c.element))
        return nullptr;
    switch (c.element) {
    case CUDA_R_32F:
        return dot<float>;
    case CUDA_R_64F:
        return dot<double>;
    default:
        return nullptr;
    }
}

} // namespace

const bench_peer cub_dot = cub_peer<choose>("cub", "reduce");
