/* REGISTER's kernels for squares over all types, of one channel or more: see sliding.cuh. */
#include "convolution/sliding.cuh"

#include "convolution/dispatch.cuh"
#include "convolution/register.h"

namespace
{
namespace sliding
{

/* Masks of integers have bytes.cuh and tensor.cu. */
struct run_square : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        if constexpr (!IS_OF_INTEGERS<typename Pixel::sum>) {
#define PRIM_SIDE(side) \
    case side:          \
        return launch<kind<Pixel, side>>(args);
            switch (args->mask.width) {
                PRIM_CONVOLUTION_SLIDING_SIDES(PRIM_SIDE)
            }
#undef PRIM_SIDE
        }
        return not_built(args);
    }
};

} // namespace sliding
} // namespace

cudaError_t prim_convolution_sliding(const prim_convolution_args *args)
{
    return dispatch_pair<sliding::run_square>(args);
}
