/* CUB's sums of rows: segments of one length. */
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "peers/cub_widen.cuh"

namespace
{

/* Where a row begins, and where it ends. */
struct place_in_row {
    int64_t ld, place;

    __host__ __device__ int64_t operator()(int64_t row) const
    {
        return row * ld + place;
    }
};

template <typename In, typename Out>
cudaError_t sum_of(In in, Out *d_out, const bench_case &c, void *d_temporary, size_t &bytes,
                   cudaStream_t stream)
{
    const auto columns = static_cast<int64_t>(c.size / c.rows);
    const int64_t ld = c.ld != 0 ? static_cast<int64_t>(c.ld) : columns;
    const thrust::counting_iterator<int64_t> rows(0);
    return cub::DeviceSegmentedReduce::Sum(
        d_temporary, bytes, in, d_out, static_cast<int64_t>(c.rows),
        thrust::make_transform_iterator(rows, place_in_row{ld, 0}),
        thrust::make_transform_iterator(rows, place_in_row{ld, columns}), stream);
}

template <typename In, typename Out>
cudaError_t sums(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                 cudaStream_t stream)
{
    return sum_of(first_in<In>(c, o), static_cast<Out *>(o.d_out), c, d_temporary, bytes, stream);
}

template <typename In>
cudaError_t sums_of_narrow(const bench_case &c, const bench_operands &o, void *d_temporary,
                           size_t &bytes, cudaStream_t stream)
{
    return sum_of(widened<In>(c, o), static_cast<float *>(o.d_out), c, d_temporary, bytes, stream);
}

/* Integers of one size have the same bits, with a sign or without. */
constexpr struct {
    cudaDataType_t in, out;
    cub_call *call;
} calls[] = {
    {CUDA_R_8I, CUDA_R_8I, sums<int8_t, int8_t>},
    {CUDA_R_8U, CUDA_R_8U, sums<int8_t, int8_t>},
    {CUDA_R_16I, CUDA_R_16I, sums<int16_t, int16_t>},
    {CUDA_R_16U, CUDA_R_16U, sums<int16_t, int16_t>},
    {CUDA_R_32I, CUDA_R_32I, sums<int32_t, int32_t>},
    {CUDA_R_32U, CUDA_R_32U, sums<int32_t, int32_t>},
    {CUDA_R_64I, CUDA_R_64I, sums<int64_t, int64_t>},
    {CUDA_R_64U, CUDA_R_64U, sums<int64_t, int64_t>},
    {CUDA_R_8U, CUDA_R_32U, sums<uint8_t, uint32_t>},
    {CUDA_R_8U, CUDA_R_64U, sums<uint8_t, uint64_t>},
    {CUDA_R_32I, CUDA_R_64I, sums<int32_t, int64_t>},
    {CUDA_R_32F, CUDA_R_32F, sums<float, float>},
    {CUDA_R_32F, CUDA_R_64F, sums<float, double>},
    {CUDA_R_64F, CUDA_R_64F, sums<double, double>},
    {CUDA_R_16F, CUDA_R_32F, sums_of_narrow<__half>},
    {CUDA_R_16BF, CUDA_R_32F, sums_of_narrow<__nv_bfloat16>},
};

cub_call *choose(const bench_case &c)
{
    for (const auto &row : calls)
        if (is_case(c, "rows") && row.in == c.element && row.out == c.result)
            return row.call;
    return nullptr;
}

} // namespace

const bench_peer CUB_PEER(cub_reduce_rows) = cub_peer<choose>("cub" CUB_SUFFIX, "reduce");
