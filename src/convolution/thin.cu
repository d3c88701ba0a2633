/* REGISTER over thin images, which have short rows or few rows: one kernel for all, with weights in
 * shared memory. It takes any mask, and separable masks where the image has few rows. See
 * short_rows.cuh and few_rows.cuh. */
#include "convolution/dispatch.cuh"
#include "convolution/few_rows.cuh"
#include "convolution/register.h"
#include "convolution/short_rows.cuh"

namespace
{
namespace thin
{

/* The image has short rows or few rows: `by_columns` is set where it has few. */
template <typename Pixel>
struct task {
    short_rows::image_of_rows<typename Pixel::source, typename Pixel::element> by_rows;
    few_rows::image_of_columns<typename Pixel::source, typename Pixel::element> by_columns;
    listed::weights<typename Pixel::sum> weights;
    typename Pixel::ending end;
};

template <typename Pixel>
__global__ void __launch_bounds__(short_rows::MOST_THREADS, 2)
    convolve(const __grid_constant__ task<Pixel> p)
{
    PRIM_SHARED_DYNAMIC(uint8_t, shared);
    if (p.by_columns.groups > 0)
        few_rows::convolve_any<Pixel>(p.by_columns, p.weights, p.end, shared);
    else
        short_rows::convolve_any<Pixel>(p.by_rows, p.weights, p.end, shared);
}

bool has_short_rows(const prim_convolution_args *args)
{
    const size_t most_elements = 96;
    const bool is_line = args->in.height == 1 && args->mask.height == 1;
    return !is_line && args->in.width * args->in.channels <= most_elements;
}

/* Of more rows, a block has so few columns that halos and idle lanes cost more than two windows. */
template <typename Pixel>
bool has_few_rows(const prim_convolution_args *args)
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
    if (!is_separable && has_short_rows(args)) {
        p->by_rows = short_rows::make_rows<source, element>(args);
        const size_t bytes = short_rows::choose_groups_for_any<Pixel>(args, &p->by_rows);
        *where = short_rows::config_of(args, p->by_rows, bytes);
        return bytes > 0;
    }
    if (!has_few_rows<Pixel>(args) || (is_separable && !listed::passes_both_parts(args)))
        return false;
    p->by_columns = few_rows::make_image<source, element>(args);
    const size_t bytes = few_rows::choose_groups_for_any<Pixel>(args, &p->by_columns);
    *where = bytes == 0 ? *where
                        : few_rows::config_of(args, p->by_columns,
                                              few_rows::OUTPUTS<typename Pixel::sum>, bytes);
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
