/* CUB's sum of an array. Narrow floats are widened as they are read, since CUB would add two f16 to
 * an f16. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "peers/cub.cuh"

namespace
{

template <typename In, typename Out>
cudaError_t sum(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(d_temporary, bytes, static_cast<const In *>(o.d_in),
                                  static_cast<Out *>(o.d_out), c.size, stream);
}

template <typename In>
struct widen {
    __device__ float operator()(In x) const
    {
        return static_cast<float>(x);
    }
};

template <typename In>
cudaError_t sum_narrow(const bench_case &c, const bench_operands &o, void *d_temporary,
                       size_t &bytes, cudaStream_t stream)
{
    const auto in = thrust::make_transform_iterator(static_cast<const In *>(o.d_in), widen<In>());
    return cub::DeviceReduce::Sum(d_temporary, bytes, in, static_cast<float *>(o.d_out), c.size,
                                  stream);
}

constexpr struct {
    cudaDataType_t in, out;
    cub_call *call;
} calls[] = {
    {CUDA_R_32I, CUDA_R_32I, sum<int32_t, int32_t>},
    {CUDA_R_64I, CUDA_R_64I, sum<int64_t, int64_t>},
    {CUDA_R_8U, CUDA_R_64U, sum<uint8_t, uint64_t>},
    {CUDA_R_32F, CUDA_R_32F, sum<float, float>},
    {CUDA_R_64F, CUDA_R_64F, sum<double, double>},
    {CUDA_R_16F, CUDA_R_32F, sum_narrow<__half>},
    {CUDA_R_16BF, CUDA_R_32F, sum_narrow<__nv_bfloat16>},
};

cub_call *choose(const bench_case &c)
{
    for (const auto &row : calls)
        if (is_case(c, "sum") && row.in == c.element && row.out == c.result)
            return row.call;
    return nullptr;
}

} // namespace

const bench_peer cub_reduce = cub_peer<choose>("cub", "reduce");
