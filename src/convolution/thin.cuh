/* REGISTER over thin images, which are narrow or low, under any mask: one kernel for both, with
 * weights in shared memory. See narrow.cuh and low.cuh. */
#ifndef PRIM_CONVOLUTION_THIN_CUH
#define PRIM_CONVOLUTION_THIN_CUH

#include "convolution/low.cuh"
#include "convolution/narrow.cuh"

namespace
{
namespace thin
{

template <typename Pixel>
using rows = narrow::image_of_rows<typename Pixel::source, typename Pixel::element>;
template <typename Pixel>
using columns = low::image_of_columns<typename Pixel::source, typename Pixel::element>;

/* The image is either narrow or low: `low_image` is set for a low one. */
template <typename Pixel>
__global__ void __launch_bounds__(narrow::MOST_THREADS, 2)
    convolve(const __grid_constant__ rows<Pixel> narrow_image,
             const __grid_constant__ columns<Pixel> low_image,
             const __grid_constant__ listed::weights<typename Pixel::sum> w,
             const __grid_constant__ typename Pixel::ending end)
{
    PRIM_SHARED_DYNAMIC(uint8_t, shared);
    if (low_image.groups > 0)
        low::convolve_any<Pixel>(low_image, w, end, shared);
    else
        narrow::convolve_any<Pixel>(narrow_image, w, end, shared);
}

/* ---- launches ---- */

/* Of more rows, a block has so few columns that halos and idle lanes cost more than what any.cuh
 * needs: it has work for all its columns. */
template <typename Pixel>
bool is_low(const prim_convolution_args *args)
{
    constexpr bool HAS_LONG_SUMS = sizeof(typename Pixel::sum) > 4;
    const bool is_separable = args->mask_y.height > 0;
    return args->in.height <= (!is_separable ? 12 : HAS_LONG_SUMS ? 4 : 8);
}

template <typename Pixel>
bool has_low_separable(const prim_convolution_args *args)
{
    auto p = low::make_image<typename Pixel::source, typename Pixel::element>(args);
    return is_low<Pixel>(args) && listed::passes_both_parts(args) &&
           low::choose_groups_for_any<Pixel>(args, &p) > 0;
}

/* Not launched where the image is not thin, or not even a group fits into shared memory. */
template <typename Pixel>
bool launch(const prim_convolution_args *args, outer_row outer, cudaError_t *error)
{
    using source = typename Pixel::source;
    using element = typename Pixel::element;
    const bool is_separable = args->mask_y.height > 0;
    rows<Pixel> r = {};
    columns<Pixel> c = {};
    launch_config where = {args->call.stream, 1, 1};
    if (!is_separable && prim_convolution_is_narrow(args)) {
        r = narrow::make_rows<source, element>(args, outer);
        const size_t bytes = narrow::choose_groups_for_any<Pixel>(args, &r);
        if (bytes == 0)
            return false;
        where = narrow::config_of(args, r, bytes);
    } else if (outer == NO_OUTER_ROW && is_low<Pixel>(args)) {
        c = low::make_image<source, element>(args);
        const size_t bytes = low::choose_groups_for_any<Pixel>(args, &c);
        if (bytes == 0)
            return false;
        where = low::config_of(args, c, low::OUTPUTS<typename Pixel::sum>, bytes);
    } else {
        return false;
    }
    *error = prim_launch(where, convolve<Pixel>, r, c,
                         listed::weights_of<typename Pixel::sum>(args), make_ending<Pixel>(args));
    return true;
}

} // namespace thin
} // namespace

#endif
