/* What scan has, by CUB: of arrays, from an initial value, without transforms. */
#include <cub/device/device_scan.cuh>

template <typename T, typename Op>
static cudaError_t scan(bool exclusive, size_t &bytes, const T *in, T *out, Op op)
{
    if (exclusive)
        return cub::DeviceScan::ExclusiveScan(nullptr, bytes, in, out, op, T(0), 5);
    return cub::DeviceScan::InclusiveScanInit(nullptr, bytes, in, out, op, T(0), 5);
}

template <typename T>
static cudaError_t scan_by(int op, bool exclusive)
{
    const T *in = nullptr;
    T *out = nullptr;
    size_t bytes = 0;
    switch (op) {
    case 0:
        return scan(exclusive, bytes, in, out, cuda::std::plus<T>{});
    case 1:
        return scan(exclusive, bytes, in, out, cuda::minimum<T>{});
    default:
        return scan(exclusive, bytes, in, out, cuda::maximum<T>{});
    }
}

int main(int arguments, char **)
{
    return scan_by<int>(arguments, arguments > 1) | scan_by<float>(arguments, arguments > 1) |
           scan_by<double>(arguments, arguments > 1);
}
