/* CUB's running sums of an array. */
#include <cub/device/device_scan.cuh>

#include "peers/cub.cuh"

namespace
{

template <typename T>
cudaError_t scan(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                 cudaStream_t stream)
{
    return cub::DeviceScan::InclusiveSum(d_temporary, bytes, first_in<T>(c, o),
                                         static_cast<T *>(o.d_out) + c.offset, c.size, stream);
}

cub_call *choose(const bench_case &c)
{
    if (!(is_case(c, "sum") && c.result == c.element))
        return nullptr;
    switch (c.element) {
    case CUDA_R_8I:
    case CUDA_R_8U: /* the same bits */
        return scan<int8_t>;
    case CUDA_R_16I:
    case CUDA_R_16U: /* the same bits */
        return scan<int16_t>;
    case CUDA_R_32I:
    case CUDA_R_32U: /* the same bits */
        return scan<int32_t>;
    case CUDA_R_64I:
    case CUDA_R_64U: /* the same bits */
        return scan<int64_t>;
    case CUDA_R_32F:
        return scan<float>;
    case CUDA_R_64F:
        return scan<double>;
    default:
        return nullptr;
    }
}

} // namespace

const bench_peer CUB_PEER(cub_scan) = cub_peer<choose>("cub" CUB_SUFFIX, "scan");
