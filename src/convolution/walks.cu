/* REGISTER's kernels for separable masks of one channel of f32 whose sides are known at compile
 * time: see walk.cuh. */
#include "convolution/instances.h"
#include "convolution/register.h"
#include "convolution/walk.cuh"

namespace
{
namespace walk
{

template <int SIDE>
cudaError_t launch_with_mask(const prim_convolution_args *args)
{
    weights<kind<SIDE>> w;
    copy_weights(args, args->mask, w.values);
    copy_weights(args, args->mask_y, w.values + SIDE);
    return launch<SIDE>(args, w);
}

} // namespace walk
} // namespace

cudaError_t prim_convolution_separable(const prim_convolution_args *args)
{
#define PRIM_SIDE(side) \
    case side:          \
        return walk::launch_with_mask<side>(args);
    switch (args->mask.width) {
        PRIM_CONVOLUTION_SIDES(PRIM_SIDE)
    }
#undef PRIM_SIDE
    return cudaErrorInvalidDeviceFunction;
}
