/* CUB's stable merge sort of keys. */
#include <cub/device/device_merge_sort.cuh>

#include "peers/cub.cuh"

namespace
{

template <typename T>
cudaError_t sort(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                 cudaStream_t stream)
{
    return cub::DeviceMergeSort::StableSortKeysCopy(
        d_temporary, bytes, static_cast<const T *>(o.d_in), static_cast<T *>(o.d_out),
        static_cast<int64_t>(c.size), cuda::std::less<>(), stream);
}

cub_call *choose(const bench_case &c)
{
    if (!is_case(c, "sort"))
        return nullptr;
    switch (c.element) {
    case CUDA_R_32I:
        return sort<int32_t>;
    case CUDA_R_32F:
        return sort<float>;
    case CUDA_R_64F:
        return sort<double>;
    default:
        return nullptr;
    }
}

} // namespace

const bench_peer cub_merge_sort = cub_peer<choose>("cub", "merge");
