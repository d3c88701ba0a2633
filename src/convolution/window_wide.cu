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

} // namespace window
} // namespace

cudaError_t prim_convolution_window_wide(const prim_convolution_args *args)
{
    return dispatch_pair<window::run_wide>(args);
}
