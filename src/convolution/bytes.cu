/* REGISTER's kernels for bytes under square masks whose sides are known at compile time: see
 * bytes.cuh. */
#include "convolution/bytes.cuh"

#include <cmath>

#include "convolution/instances.h"
#include "convolution/register.h"

namespace
{
namespace bytes
{

/* Weights, times a factor that leaves them exact. */
template <class Kind, typename Weight>
weights<Kind> scaled(const prim_convolution_args *args, float factor)
{
    constexpr int COUNT = Kind::SIDE * Kind::SIDE;
    const weight_list<Weight> list = list_of<Weight>(args, args->mask.h_values, COUNT);
    weights<Kind> w;
    for (int k = 0; k < COUNT; k++)
        w.values[k] = static_cast<float>(list[k]) * factor;
    return w;
}

/* Of a sum of bytes that are not divided any more: one step of a tiny float for each. */
ending whole_ending()
{
    return {std::ldexp(1.0f, -WEIGHTS_UP), 1.0f};
}

template <int SIDE, int CHANNELS>
cudaError_t launch_with_mask(const prim_convolution_args *args)
{
    using Kind = kind<SIDE, CHANNELS>;
    return launch<Kind, false>(args, scaled<Kind, float>(args, std::ldexp(1.0f, WEIGHTS_UP)),
                               whole_ending());
}

/* Divided by a power of two, weights stay exact. */
template <int SIDE, int CHANNELS>
cudaError_t launch_with_shift(const prim_convolution_args *args)
{
    using Kind = kind<SIDE, CHANNELS>;
    const float up = std::ldexp(1.0f, WEIGHTS_UP);
    const float by = static_cast<float>(prim_convolution_divisor(args));
    return launch<Kind, false>(args, scaled<Kind, int32_t>(args, up / by), whole_ending());
}

template <int SIDE, int CHANNELS>
cudaError_t launch_with_divisor(const prim_convolution_args *args)
{
    using Kind = kind<SIDE, CHANNELS>;
    const quotient q = make_quotient(prim_convolution_divisor(args));
    return launch<Kind, true>(args, scaled<Kind, int32_t>(args, std::ldexp(1.0f, WEIGHTS_UP)),
                              {std::ldexp(q.factor, -WEIGHTS_UP), q.unit});
}

/* How far sums of integers reach, on both sides of 0 together. */
int64_t largest_sum(const prim_convolution_args *args)
{
    const range_of_sums range = sums_of_bytes(args);
    return range.most - range.least;
}

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

/* Weights that leave their products' bits where floats have them; not those that are no numbers. */
bool prim_convolution_has_moderate_weights(const prim_convolution_args *args)
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
    constexpr int64_t EXACT = 1 << 24; /* all integers up to it are floats */
    const int64_t divisor = prim_convolution_divisor(args), most = bytes::largest_sum(args);
#define PRIM_ROW(side, channel_count)               \
    if (bytes::is_among(args, side, channel_count)) \
        return true;
    if (bytes::is_power_of_two(divisor)) {
        if (most <= EXACT) {
            PRIM_CONVOLUTION_BYTES(PRIM_ROW)
        }
    } else if (has_quotient(divisor, most)) {
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
        return bytes::launch_with_shift<side, channel_count>(args);
        PRIM_CONVOLUTION_BYTES(PRIM_ROW)
#undef PRIM_ROW
    }
#define PRIM_ROW(side, channel_count)               \
    if (bytes::is_among(args, side, channel_count)) \
        return bytes::launch_with_divisor<side, channel_count>(args);
    PRIM_CONVOLUTION_DIVIDED_BYTES(PRIM_ROW)
#undef PRIM_ROW
    return cudaErrorInvalidDeviceFunction;
}
