/* REGISTER's kernels for narrow and low images under squares whose sides are known at compile time:
 * see narrow.cuh and low.cuh. */
#include "convolution/squares.cuh"

#include "convolution/instances.h"
#include "convolution/low.cuh"
#include "convolution/narrow.cuh"
#include "convolution/register.h"

namespace
{
namespace squares
{

template <class Kind>
using rows = narrow::image_of_rows<typename Kind::source, typename Kind::element>;
template <class Kind>
using columns = low::image_of_columns<typename Kind::source, typename Kind::element>;

template <int SIDE>
struct weights {
    float values[SIDE * SIDE];
};

/* The image is either narrow or low: `columns` is set for a low one. */
template <class Kind, int SIDE>
__global__ void __launch_bounds__(narrow::MOST_THREADS, BLOCKS)
    convolve(const __grid_constant__ rows<Kind> narrow_image,
             const __grid_constant__ columns<Kind> low_image,
             const __grid_constant__ weights<SIDE> w,
             const __grid_constant__ typename Kind::ending end)
{
    PRIM_SHARED_DYNAMIC(uint8_t, shared);
    if (low_image.groups > 0)
        low::convolve_square<Kind, SIDE>(low_image, w.values, end, shared);
    else
        narrow::convolve_square<Kind, SIDE>(narrow_image, w.values, end, shared);
}

template <class Kind, int SIDE>
cudaError_t launch_square(const prim_convolution_args *args, const weights<SIDE> &w,
                          const typename Kind::ending &end)
{
    using source = typename Kind::source;
    constexpr size_t MOST_LINE = narrow::MOST_THREADS;
    rows<Kind> r = {};
    columns<Kind> c = {};
    launch_config where = {args->call.stream, 1, 1};
    if (args->in.width * static_cast<size_t>(args->in.channels) <= MOST_LINE) {
        r = narrow::make_rows<source, typename Kind::element>(args);
        const size_t fills = sizeof(source) * PRIM_CONVOLUTION_MOST_CHANNELS;
        where =
            narrow::config_of(args, r, narrow::choose_groups(&r, THREADS, Kind::OUTPUTS, fills, 0));
    } else {
        size_t bytes;
        c = low::make_columns<Kind>(args, THREADS, &bytes);
        where = low::config_of(args, c, Kind::OUTPUTS, bytes);
    }
    return prim_launch(where, convolve<Kind, SIDE>, r, c, w, end);
}

template <int SIDE>
cudaError_t launch_with_mask(const prim_convolution_args *args)
{
    weights<SIDE> w;
    if (args->in.type == CUDA_R_8U) {
        const bytes::scale by = bytes::scale_of(args);
        bytes::scale_weights(args, by.weights, w.values);
        return launch_square<tiny_bytes, SIDE>(args, w, by.end);
    }
    const weight_list<float> list = list_of<float>(args, args->mask.h_values, SIDE * SIDE);
    for (int k = 0; k < SIDE * SIDE; k++)
        w.values[k] = list[k];
    return launch_square<floats, SIDE>(args, w, {});
}

} // namespace squares
} // namespace

cudaError_t prim_convolution_thin_square(const prim_convolution_args *args)
{
#define PRIM_SIDE(side) \
    case side:          \
        return squares::launch_with_mask<side>(args);
    switch (args->mask.width) {
        PRIM_CONVOLUTION_THIN_SIDES(PRIM_SIDE)
    }
#undef PRIM_SIDE
    return cudaErrorInvalidDeviceFunction;
}
