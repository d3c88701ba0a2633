/* REGISTER's kernels for bytes under square masks whose sides are known at compile time: see
 * bytes.cuh. */
#include "convolution/bytes.cuh"
#include "convolution/instances.h"
#include "convolution/register.h"

namespace
{
namespace bytes
{

template <int SIDE, int CHANNELS>
cudaError_t launch_with_mask(const prim_convolution_args *args)
{
    weights<SIDE> w;
    const weight_list<float> list = list_of<float>(args, args->mask.h_values, SIDE * SIDE);
    for (int k = 0; k < SIDE * SIDE; k++)
        w.values[k] = list[k];
    return launch<u8_pixel, SIDE, CHANNELS>(args, w);
}

weight_list<int32_t> integers_of(const prim_convolution_args *args)
{
    return list_of<int32_t>(args, args->mask.h_values, args->mask.width * args->mask.height);
}

/* Integers, each times a factor that leaves it exact. */
template <class Pixel, int SIDE, int CHANNELS>
cudaError_t launch_with_integers(const prim_convolution_args *args, float factor)
{
    weights<SIDE> w;
    const weight_list<int32_t> list = integers_of(args);
    for (int k = 0; k < SIDE * SIDE; k++)
        w.values[k] = static_cast<float>(list[k]) * factor;
    return launch<Pixel, SIDE, CHANNELS>(args, w);
}

/* Whatever the pixels are, no sum and no part of one leaves the integers that floats hold. */
bool sums_are_exact(const prim_convolution_args *args)
{
    constexpr int64_t MOST = 1 << 24;
    const weight_list<int32_t> list = integers_of(args);
    int64_t most = 0;
    for (size_t k = 0; k < args->mask.width * args->mask.height; k++) {
        const int64_t weight = list[static_cast<int>(k)];
        most += 255 * (weight < 0 ? -weight : weight);
    }
    return most <= MOST;
}

/* Floats hold integers divided by it, and their sums. */
bool is_power_of_two(int64_t divisor)
{
    const uint64_t magnitude = static_cast<uint64_t>(divisor < 0 ? -divisor : divisor);
    return (magnitude & (magnitude - 1)) == 0;
}

bool is_among(const prim_convolution_args *args, size_t side, int channels)
{
    return args->mask.width == side && args->in.channels == channels;
}

} // namespace bytes
} // namespace

cudaError_t prim_convolution_bytes(const prim_convolution_args *args)
{
#define PRIM_ROW(side, channel_count)               \
    if (bytes::is_among(args, side, channel_count)) \
        return bytes::launch_with_mask<side, channel_count>(args);
    PRIM_CONVOLUTION_BYTES(PRIM_ROW)
#undef PRIM_ROW
    return cudaErrorInvalidDeviceFunction;
}

bool prim_convolution_has_byte_integers(const prim_convolution_args *args)
{
    if (!bytes::sums_are_exact(args))
        return false;
    const bool is_shift = bytes::is_power_of_two(prim_convolution_divisor(args));
#define PRIM_ROW(side, channel_count)               \
    if (bytes::is_among(args, side, channel_count)) \
        return true;
    if (is_shift) {
        PRIM_CONVOLUTION_BYTES(PRIM_ROW)
    }
    PRIM_CONVOLUTION_DIVIDED_BYTES(PRIM_ROW)
#undef PRIM_ROW
    return false;
}

cudaError_t prim_convolution_byte_integers(const prim_convolution_args *args)
{
    const int64_t divisor = prim_convolution_divisor(args);
    if (bytes::is_power_of_two(divisor)) {
#define PRIM_ROW(side, channel_count)                                      \
    if (bytes::is_among(args, side, channel_count))                        \
        return bytes::launch_with_integers<u8_pixel, side, channel_count>( \
            args, 1.0f / static_cast<float>(divisor));
        PRIM_CONVOLUTION_BYTES(PRIM_ROW)
#undef PRIM_ROW
    }
#define PRIM_ROW(side, channel_count)               \
    if (bytes::is_among(args, side, channel_count)) \
        return bytes::launch_with_integers<u8_i32_pixel, side, channel_count>(args, 1.0f);
    PRIM_CONVOLUTION_DIVIDED_BYTES(PRIM_ROW)
#undef PRIM_ROW
    return cudaErrorInvalidDeviceFunction;
}
