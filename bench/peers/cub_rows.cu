/* CUB's sums of the rows of a matrix without gaps: segments of one length. */
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "peers/cub.cuh"

namespace
{

/* Where a row begins; the next one's begin is its end. */
struct begin_of_row {
    int64_t columns;

    __host__ __device__ int64_t operator()(int64_t row) const
    {
        return row * columns;
    }
};

cudaError_t sum_rows(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                     cudaStream_t stream)
{
    const auto columns = static_cast<int64_t>(c.size / c.rows);
    const auto begin = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                       begin_of_row{columns});
    return cub::DeviceSegmentedReduce::Sum(d_temporary, bytes, static_cast<const float *>(o.d_in),
                                           static_cast<float *>(o.d_out),
                                           static_cast<int64_t>(c.rows), begin, begin + 1, stream);
}

cub_call *choose(const bench_case &c)
{
    const bool is_f32 = c.element == CUDA_R_32F && c.result == CUDA_R_32F;
    return is_case(c, "rows") && is_f32 ? sum_rows : nullptr;
}

} // namespace

const bench_peer cub_rows = cub_peer<choose>("cub", "reduce");
