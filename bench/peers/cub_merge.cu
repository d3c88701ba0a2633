/* CUB's merge of two sorted arrays, the halves of one. */
#include <cub/device/device_merge.cuh>

#include "peers/cub.cuh"

namespace
{

template <typename T>
cudaError_t merge(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                  cudaStream_t stream)
{
    const auto a_count = static_cast<int64_t>(c.size / 2);
    const auto b_count = static_cast<int64_t>(c.size) - a_count;
    const T *const d_a = static_cast<const T *>(o.d_in);
    return cub::DeviceMerge::MergeKeys(d_temporary, bytes, d_a, a_count, d_a + a_count, b_count,
                                       static_cast<T *>(o.d_out), cuda::std::less<>(), stream);
}

cub_call *choose(const bench_case &c)
{
    if (!is_case(c, "merge"))
        return nullptr;
    switch (c.element) {
    case CUDA_R_32I:
        return merge<int32_t>;
    case CUDA_R_32F:
        return merge<float>;
    case CUDA_R_64F:
        return merge<double>;
    default:
        return nullptr;
    }
}

} // namespace

const bench_peer cub_merge = cub_peer<choose>("cub", "merge");
