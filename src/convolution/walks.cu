/* REGISTER's kernels for masks of one channel of f32 whose sides are known at compile time: see
 * walk.cuh. */
#include "convolution/instances.h"
#include "convolution/register.h"
#include "convolution/walk.cuh"

namespace
{
namespace walk
{

template <int W, int H, shape SHAPE>
cudaError_t launch_with_mask(const prim_convolution_args *args)
{
    weights<kind<W, H, SHAPE>> w;
    copy_weights(args, args->mask, w.values);
    if (SHAPE == SEPARABLE)
        copy_weights(args, args->mask_y, w.values + W);
    return launch<W, H, SHAPE>(args, w);
}

} // namespace walk
} // namespace

#define PRIM_WALK(side, height, shape_of) \
    case side:                            \
        return walk::launch_with_mask<side, height, shape_of>(args);

cudaError_t prim_convolution_square(const prim_convolution_args *args)
{
#define PRIM_SIDE(side) PRIM_WALK(side, side, WHOLE)
    switch (args->mask.width) {
        PRIM_CONVOLUTION_SIDES(PRIM_SIDE)
    }
#undef PRIM_SIDE
    return cudaErrorInvalidDeviceFunction;
}

cudaError_t prim_convolution_row(const prim_convolution_args *args)
{
#define PRIM_SIDE(side) PRIM_WALK(side, 1, WHOLE)
    switch (args->mask.width) {
        PRIM_CONVOLUTION_SIDES(PRIM_SIDE)
    }
#undef PRIM_SIDE
    return cudaErrorInvalidDeviceFunction;
}

cudaError_t prim_convolution_separable(const prim_convolution_args *args)
{
#define PRIM_SIDE(side) PRIM_WALK(side, side, SEPARABLE)
    switch (args->mask.width) {
        PRIM_CONVOLUTION_SIDES(PRIM_SIDE)
    }
#undef PRIM_SIDE
    return cudaErrorInvalidDeviceFunction;
}
