/* A thread for each output element: blocks of 256 lie row by row along one dimension of the grid,
 * since an image may have more rows than the other dimensions take.
 *
 *     ┌───┬───┬───┬─     x counts elements, channels included: threads side by side
 *     │ 0 │ 1 │ 2 │      write side by side.
 *     ├───┼───┼───┼─ */
#ifndef PRIM_CONVOLUTION_OUTPUTS_CUH
#define PRIM_CONVOLUTION_OUTPUTS_CUH

#include "common/host/sizes.h"
#include "convolution/direct.cuh"
#include "convolution/dispatch.cuh"

namespace
{

template <typename Pixel, typename Weights>
__device__ void convolve_outputs(const problem<Pixel> &p, const Weights &weights,
                                 unsigned blocks_across)
{
    const int64_t block_x = blockIdx.x % blocks_across, block_y = blockIdx.x / blocks_across;
    const int64_t x = block_x * blockDim.x + threadIdx.x, y = block_y * blockDim.y + threadIdx.y;
    if (x >= p.width * p.in.channels || y >= p.height)
        return;
    const int64_t pixel = p.in.channels == 1 ? x : x / p.in.channels; /* 64 bits divide slowly */
    convolve_element(p, weights, pixel, y, static_cast<int>(x - pixel * p.in.channels));
}

/* A block's extent in outputs: as wide as a row, but no wider than a warp unless the image has
 * fewer rows than the block. */
inline dim3 block_of(const prim_convolution_args *args)
{
    const size_t row_elements = args->in.width * static_cast<size_t>(args->in.channels);
    unsigned x = 1, y = 1;
    while (x < row_elements && x < 32)
        x *= 2;
    while (y < args->in.height && y < THREADS / x)
        y *= 2;
    return dim3(THREADS / y, y);
}

inline const char *outputs_why_not(const prim_convolution_args *args)
{
    const dim3 block = block_of(args);
    const size_t row_elements = args->in.width * static_cast<size_t>(args->in.channels);
    if (args->kind == PRIM_CONVOLUTION_SEPARABLE)
        return PRIM_CONVOLUTION_NOT_SEPARABLE;
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(prim_divide_up(args->in.height, block.y),
                            prim_divide_up(row_elements, block.x))
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

/* Launches kernel(p, blocks across, more…). */
template <typename Pixel, typename... Parameters, typename... More>
cudaError_t launch_outputs(const prim_convolution_args *args, void (*kernel)(Parameters...),
                           const problem<Pixel> &p, const More &...more)
{
    const size_t row_elements = args->in.width * static_cast<size_t>(args->in.channels);
    if (row_elements == 0 || args->in.height == 0)
        return cudaSuccess;
    const dim3 block = block_of(args);
    const unsigned across = static_cast<unsigned>(prim_divide_up(row_elements, block.x));
    const unsigned down = static_cast<unsigned>(prim_divide_up(args->in.height, block.y));
    return prim_launch({args->call.stream, across * down, block}, kernel, p, across, more...);
}

} // namespace

#endif
