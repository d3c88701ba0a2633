/* REGISTER's kernels for masks of any width and weights from anywhere: see window_wide.cuh. */
#include "convolution/dispatch.cuh"
#include "convolution/window_launch.cuh"

namespace
{
namespace window
{

struct run_wide : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        return launch_wide<Pixel>(args);
    }
};

/* Of a separable mask: `across` goes along the rows, and `down` has their sums. */
struct run_passes : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *, const prim_convolution_args *across,
                           const prim_convolution_args *down)
    {
        using row_sum = typename Pixel::row_sum;
        const cudaError_t error =
            launch_wide<pixel<typename Pixel::source, row_sum, row_sum>>(across);
        return error != cudaSuccess
                   ? error
                   : launch_wide<pixel<row_sum, typename Pixel::element, typename Pixel::sum>>(
                         down);
    }
};

} // namespace window
} // namespace

cudaError_t prim_convolution_two_passes(const prim_convolution_args *args,
                                        const prim_convolution_args *across,
                                        const prim_convolution_args *down)
{
    return dispatch_pair<window::run_passes>(args, across, down);
}

cudaError_t prim_convolution_window_wide(const prim_convolution_args *args)
{
    return dispatch_pair<window::run_wide>(args);
}
