/* What scan has for arrays, by CUB: from an initial value, without transforms. */
#include <cub/device/device_scan.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename In, typename Out, typename Op>
static cudaError_t scan(bool exclusive, Op op)
{
    const In *in = nullptr;
    Out *out = nullptr;
    size_t bytes = 0;
    if (exclusive)
        return cub::DeviceScan::ExclusiveScan(nullptr, bytes, in, out, op, Out(0.0f), 5);
    return cub::DeviceScan::InclusiveScanInit(nullptr, bytes, in, out, op, Out(0.0f), 5);
}

/* Sum is what elements are combined in. */
template <typename In, typename Out, typename Sum = Out>
static cudaError_t scan_by(int op)
{
    switch (op / 2) {
    case 0:
        return scan<In, Out>(op % 2, cuda::std::plus<Sum>{});
    case 1:
        return scan<In, Out>(op % 2, cuda::std::multiplies<Sum>{});
    case 2:
        return scan<In, Out>(op % 2, cuda::minimum<Sum>{});
    default:
        return scan<In, Out>(op % 2, cuda::maximum<Sum>{});
    }
}

int main(int op, char **)
{
    return scan_by<int8_t, int8_t>(op) | scan_by<uint8_t, uint8_t>(op) |
           scan_by<int16_t, int16_t>(op) | scan_by<uint16_t, uint16_t>(op) |
           scan_by<int32_t, int32_t>(op) | scan_by<uint32_t, uint32_t>(op) |
           scan_by<int64_t, int64_t>(op) | scan_by<uint64_t, uint64_t>(op) |
           scan_by<uint8_t, uint32_t>(op) | scan_by<uint8_t, uint64_t>(op) |
           scan_by<int32_t, int64_t>(op) | scan_by<__half, __half, float>(op) |
           scan_by<__nv_bfloat16, __nv_bfloat16, float>(op) | scan_by<float, float>(op) |
           scan_by<double, double>(op) | scan_by<__half, float>(op) |
           scan_by<__nv_bfloat16, float>(op) | scan_by<float, double>(op);
}
