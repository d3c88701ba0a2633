/* CUB's first least element of an array and where it stands: the index lies behind 8 bytes for the
 * value. */
#include <cub/device/device_reduce.cuh>

#include "peers/cub.cuh"

namespace
{

template <typename T>
cudaError_t argmin(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                   cudaStream_t stream)
{
    T *const d_value = static_cast<T *>(o.d_out);
    int64_t *const d_index = static_cast<int64_t *>(o.d_out) + 1;
    return cub::DeviceReduce::ArgMin(d_temporary, bytes, static_cast<const T *>(o.d_in), d_value,
                                     d_index, static_cast<int64_t>(c.size), stream);
}

cub_call *choose(const bench_case &c)
{
    if (!is_case(c, "argmin"))
        return nullptr;
    switch (c.element) {
    case CUDA_R_32I:
        return argmin<int32_t>;
    case CUDA_R_32F:
        return argmin<float>;
    default:
        return nullptr;
    }
}

} // namespace

const bench_peer cub_argmin = cub_peer<choose>("cub", "reduce");
