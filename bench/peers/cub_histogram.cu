/* CUB's histogram with even bins, of channels too, and with edges. Its bounds are those of
 * bench_histogram.c: doubles for floats, so that a sample next to a bin's edge falls where ours
 * falls. */
#include <cub/device/device_histogram.cuh>
#include <cuda/std/array>
#include <cuda_fp16.h>

#include "histogram_kinds.h"
#include "peers/cub.cuh"

namespace
{

template <typename Sample, typename Level>
cudaError_t even(const bench_case &c, const bench_operands &o, void *d_temporary, size_t &bytes,
                 cudaStream_t stream)
{
    const histogram_kind of_case = histogram_kind_of(&c), *const k = &of_case;
    const bool whole = std::is_integral<Level>::value;
    const auto lower = static_cast<Level>(whole ? k->range.lower : k->range.real_lower);
    const auto upper = static_cast<Level>(whole ? k->range.upper : k->range.real_upper);
    return cub::DeviceHistogram::HistogramEven(
        d_temporary, bytes, first_in<Sample>(c, o), static_cast<unsigned *>(o.d_out),
        static_cast<int>(k->bins) + 1, lower, upper, static_cast<int64_t>(c.size), stream);
}

cudaError_t between_edges(const bench_case &c, const bench_operands &o, void *d_temporary,
                          size_t &bytes, cudaStream_t stream)
{
    const histogram_kind of_case = histogram_kind_of(&c), *const k = &of_case;
    return cub::DeviceHistogram::HistogramRange(
        d_temporary, bytes, first_in<float>(c, o), static_cast<unsigned *>(o.d_out),
        static_cast<int>(k->bins) + 1, histogram_edges_of(&c, &o), static_cast<int64_t>(c.size),
        stream);
}

template <typename Sample, typename Level>
cudaError_t of_channels(const bench_case &c, const bench_operands &o, void *d_temporary,
                        size_t &bytes, cudaStream_t stream)
{
    constexpr int CHANNELS = HISTOGRAM_CHANNELS;
    const histogram_kind of_case = histogram_kind_of(&c), *const k = &of_case;
    const bool whole = std::is_integral<Level>::value;
    cuda::std::array<unsigned *, CHANNELS> counters;
    cuda::std::array<int, CHANNELS> levels;
    cuda::std::array<Level, CHANNELS> lower, upper;
    for (size_t i = 0; i < CHANNELS; i++) {
        counters[i] = static_cast<unsigned *>(o.d_out) + i * k->bins;
        levels[i] = static_cast<int>(k->bins) + 1;
        lower[i] = static_cast<Level>(whole ? k->range.lower : k->range.real_lower);
        upper[i] = static_cast<Level>(whole ? k->range.upper : k->range.real_upper);
    }
    return cub::DeviceHistogram::MultiHistogramEven<CHANNELS, CHANNELS>(
        d_temporary, bytes, first_in<Sample>(c, o), counters, levels, lower, upper,
        static_cast<int64_t>(c.size / CHANNELS), stream);
}

cub_call *choose(const bench_case &c)
{
    if (histogram_kind_of(&c).bins_by == BINS_OF_WEIGHTED)
        return nullptr;
    if (histogram_kind_of(&c).bins_by == BINS_OF_CHANNELS)
        return c.element == CUDA_R_8U ? of_channels<uint8_t, int> : of_channels<float, double>;
    if (histogram_kind_of(&c).bins_by != BINS_OF_RANGE)
        return between_edges;
    switch (c.element) {
    case CUDA_R_8U:
        return even<uint8_t, int>;
    case CUDA_R_16U:
        return even<uint16_t, int>;
    case CUDA_R_16F:
        return even<__half, float>;
    case CUDA_R_32I:
        return even<int32_t, int>;
    case CUDA_R_32F:
        return even<float, double>;
    default:
        return nullptr;
    }
}

} // namespace

const bench_peer CUB_PEER(cub_histogram) = cub_peer<choose>("cub" CUB_SUFFIX, "histogram");
