/* CUB's reductions but those of rows, which cub_rows.cu has. There is none of columns. */
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>

#include "peers/cub_widen.cuh"

namespace
{

/* ---- sums of arrays ---- */

template <typename In, typename Out>
cudaError_t sum(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(d_temporary, bytes, first_in<In>(c, o),
                                  static_cast<Out *>(o.d_out), c.size, stream);
}

template <typename In>
cudaError_t sum_narrow(const bench_case &c, const bench_operands &o, void *d_temporary,
                       size_t &bytes, cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(d_temporary, bytes, widened<In>(c, o),
                                  static_cast<float *>(o.d_out), c.size, stream);
}

/* ---- sums of segments: the offsets lie after the elements, at the next 256 bytes ---- */

cudaError_t sum_segments(const bench_case &c, const bench_operands &o, void *d_temporary,
                         size_t &bytes, cudaStream_t stream)
{
    const size_t at = (c.size * sizeof(float) + 255) / 256 * 256;
    const auto *const begins =
        reinterpret_cast<const int32_t *>(static_cast<const char *>(o.d_in) + at);
    return cub::DeviceSegmentedReduce::Sum(
        d_temporary, bytes, static_cast<const float *>(o.d_in), static_cast<float *>(o.d_out),
        static_cast<int64_t>(c.rows), begins, begins + 1, stream);
}

/* ---- the first least element: its index lies after 8 bytes for the value ---- */

template <typename T>
cudaError_t argmin(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                   cudaStream_t stream)
{
    T *const d_value = static_cast<T *>(o.d_out);
    uint64_t *const d_index = static_cast<uint64_t *>(o.d_out) + 1;
    return cub::DeviceReduce::ArgMin(d_temporary, bytes, first_in<T>(c, o), d_value, d_index,
                                     static_cast<int64_t>(c.size), stream);
}

/* ---- dot products: the second vector lies after the first ---- */

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
    const T *const d_x = first_in<T>(c, o), *const d_y = d_x + elements_of_shape(&c);
    return cub::DeviceReduce::TransformReduce(
        d_temporary, bytes, thrust::counting_iterator<size_t>(0), static_cast<T *>(o.d_out), c.size,
        cuda::std::plus<>(), product<T>{d_x, d_y}, T(0), stream);
}

/* ---- all ---- */

constexpr struct {
    const char *name;
    cudaDataType_t in, out;
    cub_call *call;
} calls[] = {
    {"sum", CUDA_R_32I, CUDA_R_32I, sum<int32_t, int32_t>},
    {"sum", CUDA_R_64I, CUDA_R_64I, sum<int64_t, int64_t>},
    {"sum", CUDA_R_8I, CUDA_R_8I, sum<int8_t, int8_t>},
    {"sum", CUDA_R_8U, CUDA_R_8U, sum<int8_t, int8_t>}, /* the same bits */
    {"sum", CUDA_R_16I, CUDA_R_16I, sum<int16_t, int16_t>},
    {"sum", CUDA_R_16U, CUDA_R_16U, sum<int16_t, int16_t>},
    {"sum", CUDA_R_32U, CUDA_R_32U, sum<int32_t, int32_t>},
    {"sum", CUDA_R_64U, CUDA_R_64U, sum<int64_t, int64_t>},
    {"sum", CUDA_R_8U, CUDA_R_32U, sum<uint8_t, uint32_t>},
    {"sum", CUDA_R_8U, CUDA_R_64U, sum<uint8_t, uint64_t>},
    {"sum", CUDA_R_32I, CUDA_R_64I, sum<int32_t, int64_t>},
    {"sum", CUDA_R_32F, CUDA_R_64F, sum<float, double>},
    {"sum", CUDA_R_32F, CUDA_R_32F, sum<float, float>},
    {"sum", CUDA_R_64F, CUDA_R_64F, sum<double, double>},
    {"sum", CUDA_R_16F, CUDA_R_32F, sum_narrow<__half>},
    {"sum", CUDA_R_16BF, CUDA_R_32F, sum_narrow<__nv_bfloat16>},
    {"segments", CUDA_R_32F, CUDA_R_32F, sum_segments},
    {"segments_power_law", CUDA_R_32F, CUDA_R_32F, sum_segments},
    {"argmin", CUDA_R_32I, CUDA_R_32I, argmin<int32_t>},
    {"argmin", CUDA_R_32F, CUDA_R_32F, argmin<float>},
    {"dot", CUDA_R_32F, CUDA_R_32F, dot<float>},
    {"dot", CUDA_R_64F, CUDA_R_64F, dot<double>},
};

bool is_call(const bench_case &c, const char *name)
{
    return is_case(c, name) || (strcmp(name, "argmin") == 0 && strcmp(listed_name(&c), name) == 0);
}

cub_call *choose(const bench_case &c)
{
    for (const auto &row : calls)
        if (is_call(c, row.name) && row.in == c.element && row.out == c.result)
            return row.call;
    return nullptr;
}

} // namespace

const bench_peer CUB_PEER(cub_reduce) = cub_peer<choose>("cub" CUB_SUFFIX, "reduce");
