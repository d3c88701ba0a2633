/* What reduce has, by CUB: the program that scripts/costs.sh compiles beside it. */
#include <cub/device/device_reduce.cuh>

template <typename In, typename Out>
static cudaError_t reduce(int op, void *workspace, size_t &bytes, const void *d_in, void *d_out,
                          int count)
{
    const In *in = static_cast<const In *>(d_in);
    Out *out = static_cast<Out *>(d_out);
    switch (op) {
    case 0:
        return cub::DeviceReduce::Sum(workspace, bytes, in, out, count);
    case 1:
        return cub::DeviceReduce::Min(workspace, bytes, in, out, count);
    default:
        return cub::DeviceReduce::Max(workspace, bytes, in, out, count);
    }
}

int main(int arguments, char **)
{
    size_t bytes = 0;
    return reduce<int, int>(arguments, nullptr, bytes, nullptr, nullptr, 5) |
           reduce<float, float>(arguments, nullptr, bytes, nullptr, nullptr, 5) |
           reduce<double, double>(arguments, nullptr, bytes, nullptr, nullptr, 5) |
           reduce<unsigned char, unsigned long>(arguments, nullptr, bytes, nullptr, nullptr, 5);
}
