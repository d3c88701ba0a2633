/* REGISTER over thin images, which are narrow or low, under any mask, and over low ones under
 * separable masks: one kernel for all, with weights in shared memory. See narrow.cuh and
 * low.cuh. */
#include "convolution/dispatch.cuh"
#include "convolution/low.cuh"
#include "convolution/narrow.cuh"
#include "convolution/register.h"

namespace
{
namespace thin
{

/* The image is either narrow or low: `low_image` is set for a low one. */
template <typename Pixel>
struct task {
    narrow::image_of_rows<typename Pixel::source, typename Pixel::element> narrow_image;
    low::image_of_columns<typename Pixel::source, typename Pixel::element> low_image;
    listed::weights<typename Pixel::sum> weights;
    typename Pixel::ending end;
};

template <typename Pixel>
__global__ void __launch_bounds__(narrow::MOST_THREADS, 2)
    convolve(const __grid_constant__ task<Pixel> p)
{
    PRIM_SHARED_DYNAMIC(uint8_t, shared);
    if (p.low_image.groups > 0)
        low::convolve_any<Pixel>(p.low_image, p.weights, p.end, shared);
    else
        narrow::convolve_any<Pixel>(p.narrow_image, p.weights, p.end, shared);
}

bool is_narrow(const prim_convolution_args *args)
{
    const size_t most_elements = 96;
    const bool is_line = args->in.height == 1 && args->mask.height == 1;
    return !is_line && args->in.width * args->in.channels <= most_elements;
}

/* Of more rows, a block has so few columns that halos and idle lanes cost more than two windows. */
template <typename Pixel>
bool is_low(const prim_convolution_args *args)
{
    constexpr bool HAS_LONG_SUMS = sizeof(typename Pixel::sum) > 4;
    const bool is_separable = args->mask_y.height > 0;
    return args->in.height <= (!is_separable ? 12 : HAS_LONG_SUMS ? 4 : 8);
}

/* False where the image is not thin, or not even a group fits into shared memory. */
template <typename Pixel>
bool plan(const prim_convolution_args *args, task<Pixel> *p, launch_config *where)
{
    using source = typename Pixel::source;
    using element = typename Pixel::element;
    const bool is_separable = args->mask_y.height > 0;
    *p = {};
    if (!is_separable && is_narrow(args)) {
        p->narrow_image = narrow::make_rows<source, element>(args);
        const size_t bytes = narrow::choose_groups_for_any<Pixel>(args, &p->narrow_image);
        *where = narrow::config_of(args, p->narrow_image, bytes);
        return bytes > 0;
    }
    if (!is_low<Pixel>(args) || (is_separable && !listed::passes_both_parts(args)))
        return false;
    p->low_image = low::make_image<source, element>(args);
    const size_t bytes = low::choose_groups_for_any<Pixel>(args, &p->low_image);
    *where = bytes == 0
                 ? *where
                 : low::config_of(args, p->low_image, low::OUTPUTS<typename Pixel::sum>, bytes);
    return bytes > 0;
}

struct has_thin : is_built {
    template <typename Pixel>
    static bool run(const prim_convolution_args *args)
    {
        task<Pixel> p;
        launch_config where = {args->call.stream, 1, 1};
        return plan(args, &p, &where);
    }
};

struct run_thin : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        task<Pixel> p;
        launch_config where = {args->call.stream, 1, 1};
        if (!plan(args, &p, &where))
            return not_built(args);
        p.weights = listed::weights_of<typename Pixel::sum>(args);
        p.end = make_ending<Pixel>(args);
        return prim_launch(where, convolve<Pixel>, p);
    }
};

} // namespace thin
} // namespace

bool prim_convolution_has_thin(const prim_convolution_args *args)
{
    return dispatch_pair<thin::has_thin>(args);
}

cudaError_t prim_convolution_thin(const prim_convolution_args *args)
{
    return dispatch_pair<thin::run_thin>(args);
}
