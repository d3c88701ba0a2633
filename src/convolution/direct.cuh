/* Computes an output's sum straight from the image:
 *
 *     ┌──────────────────┐    Where the mask's window is inside of the image, which is nearly
 *     │  ┌───┐           │    everywhere, its elements are as far apart as the pixels: no index
 *     │  │ × │         ┌─┼─┐  is checked.
 *     │  └───┘         │ × │  Where it leaves the image, the boundary is applied to every
 *     │                └─┼─┘  element.
 *     └──────────────────┘ */
#ifndef PRIM_CONVOLUTION_DIRECT_CUH
#define PRIM_CONVOLUTION_DIRECT_CUH

#include "common/kernel/unroll.cuh"
#include "convolution/problem.cuh"

namespace
{

template <typename Pixel>
__host__ __device__ bool window_is_inside(const problem<Pixel> &p, int64_t first_x, int64_t first_y)
{
    return is_inside(first_x, p.width) && is_inside(first_y, p.height) &&
           is_inside(first_x + p.mask_width - 1, p.width) &&
           is_inside(first_y + p.mask_height - 1, p.height);
}

template <typename Pixel, typename Weights>
__host__ __device__ typename Pixel::sum sum_inside(const problem<Pixel> &p, const Weights &weights,
                                                   int64_t first_x, int64_t first_y, int channel)
{
    const int from_pixel_to_pixel = p.in.channels;
    typename Pixel::sum sum = 0;
    for (int j = 0, k = 0; j < p.mask_height; j++) {
        const typename Pixel::source *from = p.in.at(first_x, first_y + j, channel);
        for (int i = 0; i < p.mask_width; i++, k++)
            sum = add_product(sum, weights[k], Pixel::loaded(from[i * from_pixel_to_pixel]));
    }
    return sum;
}

template <typename Pixel, typename Weights>
__host__ __device__ typename Pixel::sum sum_at_edge(const problem<Pixel> &p, const Weights &weights,
                                                    int64_t first_x, int64_t first_y, int channel)
{
    typename Pixel::sum sum = 0;
    for (int j = 0, k = 0; j < p.mask_height; j++) {
        PRIM_UNROLL(1) /* the boundary takes most of the time */
        for (int i = 0; i < p.mask_width; i++, k++)
            sum = add_product(sum, weights[k], p.value(first_x + i, first_y + j, channel));
    }
    return sum;
}

/* weights[k]: any type with an operator []. */
template <typename Pixel, typename Weights>
__host__ __device__ void convolve_element(const problem<Pixel> &p, const Weights &weights,
                                          int64_t x, int64_t y, int channel)
{
    const int64_t first_x = x - p.before_x, first_y = y - p.before_y;
    const typename Pixel::sum sum = window_is_inside(p, first_x, first_y)
                                        ? sum_inside(p, weights, first_x, first_y, channel)
                                        : sum_at_edge(p, weights, first_x, first_y, channel);
    *p.out.at(x, y, channel) = Pixel::stored(sum, p.ending);
}

} // namespace

#endif
