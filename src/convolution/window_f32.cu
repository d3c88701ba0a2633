/* REGISTER's kernels for f32 under few weights: see window.cuh. */
#include "convolution/window_launch.cuh"

cudaError_t prim_convolution_window_f32(const prim_convolution_args *args)
{
#define PRIM_WIDTH(width) PRIM_WINDOW_CASE(f32_pixel, width)
    switch (args->mask.width) {
        PRIM_CONVOLUTION_F32_WIDTHS(PRIM_WIDTH)
    }
#undef PRIM_WIDTH
    return cudaErrorInvalidDeviceFunction;
}
