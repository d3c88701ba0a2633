/* Samples of the histograms that are measured, made on the device: where in the range a sample lies
 * depends on the input, and is the same for all types. */
#include <cmath>
#include <cstdint>

#include "common/kernel/launch.cuh"
#include "common/math/half.cuh"
#include "histogram_kinds.h"

namespace
{

constexpr unsigned THREADS = 256;
constexpr double BANKS = 32;

__device__ uint64_t mixed(uint64_t bits)
{
    bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccdu;
    bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53u;
    return bits ^ bits >> 33;
}

__device__ double unit_of(uint64_t bits)
{
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/* From 0 to below 1. */
__device__ double place_in_range(bench_input input, size_t i, size_t count, size_t bins)
{
    const uint64_t bits = mixed(i + 1);
    const double u = unit_of(bits), v = unit_of(mixed(bits));
    switch (input) {
    case INPUT_EQUAL:
        return 0.4375; /* the edge of a bin, where these are a power of two */
    case INPUT_GAUSSIAN: {
        const double normal =
            std::sqrt(-2 * std::log(u + 1e-300)) * std::cos(6.283185307179586 * v);
        return fmin(fmax(0.5 + normal / 8, 0.0), 0.999999);
    }
    case INPUT_SORTED:
        return static_cast<double>(i) / static_cast<double>(count);
    case INPUT_BANK: {
        const double steps = std::floor(static_cast<double>(bins) / BANKS);
        return (std::floor(u * fmax(steps, 1.0)) * BANKS + 0.5) / static_cast<double>(bins);
    }
    default:
        return u;
    }
}

__device__ void make_sample(double x, f16 *sample)
{
    from_float(static_cast<float>(x), sample);
}

__device__ void make_sample(double x, float *sample)
{
    *sample = static_cast<float>(x);
}

template <typename T>
__device__ void make_sample(double x, T *sample) /* integers */
{
    *sample = static_cast<T>(std::floor(x));
}

template <typename T>
__global__ void __launch_bounds__(THREADS) make_samples(T *samples, size_t count, bench_input input,
                                                        double lower, double span, size_t bins)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < count)
        make_sample(lower + place_in_range(input, i, count, bins) * span, &samples[i]);
}

template <typename T>
cudaError_t launch(const histogram_kind *k, void *d_samples, size_t count, bench_input input)
{
    const bool whole = static_cast<T>(0.5) == static_cast<T>(0);
    const double lower = whole ? static_cast<double>(k->range.lower) : k->range.real_lower;
    const double upper = whole ? static_cast<double>(k->range.upper) : k->range.real_upper;
    const unsigned blocks = static_cast<unsigned>((count + THREADS - 1) / THREADS);
    return prim_launch({nullptr, blocks, THREADS}, make_samples<T>, static_cast<T *>(d_samples),
                       count, input, lower, upper - lower, k->bins);
}

template <>
cudaError_t launch<f16>(const histogram_kind *k, void *d_samples, size_t count, bench_input input)
{
    const unsigned blocks = static_cast<unsigned>((count + THREADS - 1) / THREADS);
    return prim_launch({nullptr, blocks, THREADS}, make_samples<f16>, static_cast<f16 *>(d_samples),
                       count, input, k->range.real_lower, k->range.real_upper - k->range.real_lower,
                       k->bins);
}

} // namespace

cudaError_t make_histogram_samples(const histogram_kind *k, void *d_samples, size_t count,
                                   bench_input input)
{
    switch (k->type) {
    case CUDA_R_8U:
        return launch<uint8_t>(k, d_samples, count, input);
    case CUDA_R_16U:
        return launch<uint16_t>(k, d_samples, count, input);
    case CUDA_R_16F:
        return launch<f16>(k, d_samples, count, input);
    case CUDA_R_32I:
        return launch<int32_t>(k, d_samples, count, input);
    case CUDA_R_32F:
        return launch<float>(k, d_samples, count, input);
    default:
        return cudaErrorInvalidValue;
    }
}
