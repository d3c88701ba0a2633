/* REGISTER's kernels for bytes under square masks whose sides are known at compile time: see
 * bytes.cuh. */
#include "convolution/bytes.cuh"

#include <cmath>
#include <limits>

#include "convolution/instances.h"
#include "convolution/register.h"

namespace
{
namespace bytes
{

template <int SIDE, int CHANNELS, bool IS_DIVIDED>
cudaError_t launch_with_mask(const prim_convolution_args *args)
{
    using Kind = kind<SIDE, CHANNELS>;
    weights<Kind> w;
    const scale by = scale_of(args);
    scale_weights(args, by.weights, w.values);
    return launch<Kind, IS_DIVIDED>(args, w, by.end);
}

/* The width of the range of sums of integers. */
int64_t largest_sum(const prim_convolution_args *args)
{
    const range_of_sums range = sums_of_bytes(args);
    return range.most - range.least;
}

bool is_among(const prim_convolution_args *args, size_t side, int channels)
{
    return args->mask.width == side && args->in.channels == channels;
}

} // namespace bytes
} // namespace

/* Whether no product of the weights loses bits as a float; false for NaN. */
static bool has_moderate_weights(const prim_convolution_args *args)
{
    const float least = std::ldexp(1.0f, bytes::LEAST_WEIGHT),
                most = std::ldexp(1.0f, bytes::MOST_WEIGHT);
    const float *const values = static_cast<const float *>(args->mask.h_values);
    for (size_t k = 0; k < args->mask.width * args->mask.height; k++) {
        const float magnitude = std::fabs(values[k]);
        if (!(magnitude == 0.0f || (magnitude >= least && magnitude < most)))
            return false;
    }
    return true;
}

bool prim_convolution_has_tiny_sums(const prim_convolution_args *args)
{
    constexpr int64_t EXACT = 1 << 24; /* all integers up to it are floats */
    static_assert(EXACT == int64_t{1} << std::numeric_limits<float>::digits, "as said");
    if (args->call.answer != nullptr)
        return true;
    if (!prim_convolution_has_integers(args))
        return has_moderate_weights(args);
    const int64_t divisor = prim_convolution_divisor(args), most = bytes::largest_sum(args);
    return bytes::is_power_of_two(divisor) ? most <= EXACT : has_quotient(divisor, most);
}

cudaError_t prim_convolution_bytes(const prim_convolution_args *args)
{
#define PRIM_ROW(side, channel_count)               \
    if (bytes::is_among(args, side, channel_count)) \
        return bytes::launch_with_mask<side, channel_count, false>(args);
    PRIM_CONVOLUTION_BYTES(PRIM_ROW)
#undef PRIM_ROW
    return cudaErrorInvalidDeviceFunction;
}

bool prim_convolution_has_byte_integers(const prim_convolution_args *args)
{
    if (!prim_convolution_has_tiny_sums(args))
        return false;
#define PRIM_ROW(side, channel_count)               \
    if (bytes::is_among(args, side, channel_count)) \
        return true;
    if (bytes::is_power_of_two(prim_convolution_divisor(args))) {
        PRIM_CONVOLUTION_BYTES(PRIM_ROW)
    } else {
        PRIM_CONVOLUTION_DIVIDED_BYTES(PRIM_ROW)
    }
#undef PRIM_ROW
    return false;
}

cudaError_t prim_convolution_byte_integers(const prim_convolution_args *args)
{
    if (bytes::is_power_of_two(prim_convolution_divisor(args))) {
#define PRIM_ROW(side, channel_count)               \
    if (bytes::is_among(args, side, channel_count)) \
        return bytes::launch_with_mask<side, channel_count, false>(args);
        PRIM_CONVOLUTION_BYTES(PRIM_ROW)
#undef PRIM_ROW
    }
#define PRIM_ROW(side, channel_count)               \
    if (bytes::is_among(args, side, channel_count)) \
        return bytes::launch_with_mask<side, channel_count, true>(args);
    PRIM_CONVOLUTION_DIVIDED_BYTES(PRIM_ROW)
#undef PRIM_ROW
    return cudaErrorInvalidDeviceFunction;
}
