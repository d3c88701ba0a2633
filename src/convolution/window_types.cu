/* REGISTER's kernels for the other types under few weights, of which no sums are long: see
 * window.cuh. */
#include "convolution/dispatch.cuh"
#include "convolution/window_launch.cuh"

namespace
{
namespace window
{

struct run_width : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        if constexpr (!std::is_same<Pixel, f32_pixel>::value &&
                      !std::is_same<Pixel, u8_i64_pixel>::value) {
#define PRIM_WIDTH(width) PRIM_WINDOW_CASE(Pixel, width)
            switch (args->mask.width) {
                PRIM_CONVOLUTION_WIDTHS(PRIM_WIDTH)
            }
#undef PRIM_WIDTH
        }
        return not_built(args);
    }
};

} // namespace window
} // namespace

cudaError_t prim_convolution_window_types(const prim_convolution_args *args)
{
    return dispatch_pair<window::run_width>(args);
}
