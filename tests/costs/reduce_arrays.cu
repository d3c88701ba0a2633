/* What reduce has for arrays, by CUB: the program that scripts/costs.sh compiles beside it. */
#include <cub/device/device_reduce.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename In, typename Out, typename Op>
static cudaError_t reduce(Op op)
{
    const In *in = nullptr;
    Out *out = nullptr;
    size_t bytes = 0;
    return cub::DeviceReduce::Reduce(nullptr, bytes, in, out, 5, op, Out(0.0f));
}

/* Sum is what elements are combined in. */
template <typename In, typename Out, typename Sum = Out>
static cudaError_t numbers(int op)
{
    switch (op) {
    case 0:
        return reduce<In, Out>(cuda::std::plus<Sum>{});
    case 1:
        return reduce<In, Out>(cuda::std::multiplies<Sum>{});
    case 2:
        return reduce<In, Out>(cuda::minimum<Sum>{});
    default:
        return reduce<In, Out>(cuda::maximum<Sum>{});
    }
}

template <typename In, typename Out>
static cudaError_t integers(int op)
{
    switch (op) {
    case 4:
        return reduce<In, Out>(cuda::std::bit_and<>{});
    case 5:
        return reduce<In, Out>(cuda::std::bit_or<>{});
    case 6:
        return reduce<In, Out>(cuda::std::bit_xor<>{});
    default:
        return numbers<In, Out>(op);
    }
}

int main(int op, char **)
{
    return integers<int8_t, int8_t>(op) | integers<uint8_t, uint8_t>(op) |
           integers<int16_t, int16_t>(op) | integers<uint16_t, uint16_t>(op) |
           integers<int32_t, int32_t>(op) | integers<uint32_t, uint32_t>(op) |
           integers<int64_t, int64_t>(op) | integers<uint64_t, uint64_t>(op) |
           integers<uint8_t, uint64_t>(op) | integers<int32_t, int64_t>(op) |
           numbers<__half, __half, float>(op) | numbers<__nv_bfloat16, __nv_bfloat16, float>(op) |
           numbers<float, float>(op) | numbers<double, double>(op) | numbers<__half, float>(op) |
           numbers<__nv_bfloat16, float>(op) | numbers<float, double>(op);
}
