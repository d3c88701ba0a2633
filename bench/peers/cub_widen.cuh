/* f16 and bf16 as floats, as they are read: CUB would add two f16 to an f16. */
#ifndef BENCH_PEERS_CUB_WIDEN_CUH
#define BENCH_PEERS_CUB_WIDEN_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <thrust/iterator/transform_iterator.h>

#include "peers/cub.cuh"

namespace
{

template <typename In>
struct widen {
    __device__ float operator()(In x) const
    {
        return static_cast<float>(x);
    }
};

template <typename In>
auto widened(const bench_case &c, const bench_operands &o)
{
    return thrust::make_transform_iterator(first_in<In>(c, o), widen<In>());
}

} // namespace

#endif
