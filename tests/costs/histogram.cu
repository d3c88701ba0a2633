/* What histogram has, by CUB: samples outside the range are dropped. */
#include <cub/device/device_histogram.cuh>

template <typename Sample, typename Level>
static cudaError_t histogram()
{
    const Sample *samples = nullptr;
    unsigned *counters = nullptr;
    size_t bytes = 0;
    return cub::DeviceHistogram::HistogramEven(nullptr, bytes, samples, counters, 3, Level(0),
                                               Level(4), 6);
}

int main()
{
    return histogram<unsigned char, int>() | histogram<int, int>() | histogram<float, float>();
}
