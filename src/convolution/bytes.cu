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
    return launch<SIDE, CHANNELS>(args, w);
}

} // namespace bytes
} // namespace

cudaError_t prim_convolution_bytes(const prim_convolution_args *args)
{
#define PRIM_ROW(side, channel_count)                                   \
    if (args->mask.width == side && args->in.channels == channel_count) \
        return bytes::launch_with_mask<side, channel_count>(args);
    PRIM_CONVOLUTION_BYTES(PRIM_ROW)
#undef PRIM_ROW
    return cudaErrorInvalidDeviceFunction;
}
