/* REGISTER's kernels for narrow images under squares whose sides are known at compile time: see
 * narrow.cuh. Those for other masks are any.cu's. */
#include "convolution/narrow.cuh"

#include "convolution/instances.h"
#include "convolution/register.h"

namespace
{
namespace narrow
{

template <int SIDE>
cudaError_t launch_with_mask(const prim_convolution_args *args)
{
    square<SIDE> w;
    if (args->in.type == CUDA_R_8U) {
        const bytes::scale by = bytes::scale_of(args);
        bytes::scale_weights(args, by.weights, w.weights);
        return launch_square<tiny_bytes, SIDE>(args, w, by.end);
    }
    const weight_list<float> list = list_of<float>(args, args->mask.h_values, SIDE * SIDE);
    for (int k = 0; k < SIDE * SIDE; k++)
        w.weights[k] = list[k];
    return launch_square<floats, SIDE>(args, w, {});
}

} // namespace narrow
} // namespace

cudaError_t prim_convolution_narrow(const prim_convolution_args *args)
{
#define PRIM_SIDE(side) \
    case side:          \
        return narrow::launch_with_mask<side>(args);
    switch (args->mask.width) {
        PRIM_CONVOLUTION_NARROW_SIDES(PRIM_SIDE)
    }
#undef PRIM_SIDE
    return cudaErrorInvalidDeviceFunction;
}
