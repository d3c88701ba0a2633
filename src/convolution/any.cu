/* REGISTER's kernels for masks of any size and for all types: see any.cuh. */
#include "convolution/any.cuh"
#include "convolution/dispatch.cuh"
#include "convolution/register.h"
#include "convolution/thin.cuh"

namespace
{
namespace any
{

template <typename Pixel>
cudaError_t launch_with_mask(const prim_convolution_args *args, outer_row outer)
{
    cudaError_t error;
    return thin::launch<Pixel>(args, outer, &error) ? error : launch<Pixel>(args, outer);
}

struct run_any : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        return launch_with_mask<Pixel>(args, NO_OUTER_ROW);
    }
};

/* The sums of rows lie without gaps. */
template <typename Sum>
prim_image sums_of_rows(const prim_convolution_args *args)
{
    prim_image sums = args->in;
    sums.data = args->call.workspace;
    sums.pitch = sums.width * static_cast<size_t>(sums.channels) * sizeof(Sum);
    return sums;
}

struct run_low_separable : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        cudaError_t error;
        return thin::launch<Pixel>(args, NO_OUTER_ROW, &error) ? error : not_built(args);
    }
};

struct has_low_separable : is_built {
    template <typename Pixel>
    static bool run(const prim_convolution_args *args)
    {
        return thin::has_low_separable<Pixel>(args);
    }
};

struct run_two_passes : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        using source = typename Pixel::source;
        using element = typename Pixel::element;
        using sum = typename Pixel::sum;
        using row_sum = typename Pixel::row_sum;
        const bool has_outer = args->boundary == PRIM_BOUNDARY_CONSTANT;
        prim_convolution_args across = *args, down = *args;
        across.mask_y = down.mask_y = {};
        across.out = down.in = sums_of_rows<row_sum>(args);
        down.mask = args->mask_y;
        down.mask.divisor = static_cast<int32_t>(prim_convolution_divisor(args));
        down.fill = nullptr; /* of another type, and in the outer row already */
        const cudaError_t error = launch_with_mask<pixel<source, row_sum, row_sum>>(
            &across, has_outer ? WRITES_OUTER_ROW : NO_OUTER_ROW);
        return error != cudaSuccess ? error
                                    : launch_with_mask<pixel<row_sum, element, sum>>(
                                          &down, has_outer ? READS_OUTER_ROW : NO_OUTER_ROW);
    }
};

} // namespace any
} // namespace

bool prim_convolution_is_narrow(const prim_convolution_args *args)
{
    const size_t most_elements = 96;
    const bool is_line = args->in.height == 1 && args->mask.height == 1;
    return !is_line && args->in.width * args->in.channels <= most_elements;
}

cudaError_t prim_convolution_any(const prim_convolution_args *args)
{
    return dispatch_pair<any::run_any>(args);
}

bool prim_convolution_has_low_separable(const prim_convolution_args *args)
{
    return dispatch_pair<any::has_low_separable>(args);
}

cudaError_t prim_convolution_low_separable(const prim_convolution_args *args)
{
    return dispatch_pair<any::run_low_separable>(args);
}

cudaError_t prim_convolution_two_passes(const prim_convolution_args *args)
{
    return dispatch_pair<any::run_two_passes>(args);
}

bool prim_convolution_any_is_built(const prim_convolution_args *args)
{
    return dispatch_pair<is_built>(args);
}
