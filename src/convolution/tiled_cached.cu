/* TILED_CACHED: a tile as large as its outputs in shared memory; the halo comes through the cache.
 *
 *     tile   ┌───────────────┐    16 × 16 threads load an element and compute an output each.
 *          h │o o o o o o o o│ h  A vector has tiles of 256 × 1.
 *          h │o o o o o o o o│ h
 *          h │o o o o o o o o│ h
 *            └───────────────┘
 *              h h h h h h h h
 *
 * Elements of a window outside of the tile (h) are in the neighbouring tiles, whose blocks run at
 * the same time or have just run: so they are in L2 anyway, and are read from there. No thread is
 * idle, and the mask may be of any size. What holds it back: each product checks whether its
 * element is in the tile, and costs two loads, of the element and of the weight.
 *
 * Work: w · h products an output. Steps: w · h, and two barriers a channel. Bytes: in once, and the
 * halos out of L2; out once. Shared memory: 256 elements.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * chapter 7. */
#include "common/host/sizes.h"
#include "common/kernel/shared.cuh"
#include "convolution/dispatch.cuh"

namespace
{
namespace tiled_cached
{

constexpr int SIDE = 16, ROW = THREADS; /* of a tile */
static_assert(SIDE * SIDE == ROW, "a block of either shape");

/* The first output of a tile. */
struct corner {
    int64_t x, y;
};

/* Element (x, y), counted from the tile's first one: from the tile, or through the cache. */
template <typename Pixel, int SIDE_X, int SIDE_Y>
__device__ typename Pixel::sum value(const problem<Pixel> &p,
                                     const typename Pixel::sum (&tile)[SIDE_Y][SIDE_X], corner at,
                                     int x, int y, int channel)
{
    return x >= 0 && x < SIDE_X && y >= 0 && y < SIDE_Y ? tile[y][x]
                                                        : p.value(at.x + x, at.y + y, channel);
}

template <typename Pixel, int SIDE_X, int SIDE_Y>
__device__ typename Pixel::sum sum_of(const problem<Pixel> &p,
                                      const typename Pixel::sum (&tile)[SIDE_Y][SIDE_X], corner at,
                                      int channel)
{
    const int first_x = static_cast<int>(threadIdx.x) - p.before_x;
    const int first_y = static_cast<int>(threadIdx.y) - p.before_y;
    typename Pixel::sum sum = 0;
    for (int j = 0, k = 0; j < p.mask_height; j++)
        for (int i = 0; i < p.mask_width; i++, k++)
            sum = add_product(sum, p.weights[k],
                              value(p, tile, at, first_x + i, first_y + j, channel));
    return sum;
}

template <typename Pixel, int SIDE_X, int SIDE_Y>
__global__ void __launch_bounds__(SIDE_X *SIDE_Y)
    convolve(const __grid_constant__ problem<Pixel> p, unsigned tiles_across)
{
    PRIM_SHARED(typename Pixel::sum, tile, [SIDE_Y][SIDE_X]);
    const corner at = {static_cast<int64_t>(blockIdx.x % tiles_across) * SIDE_X,
                       static_cast<int64_t>(blockIdx.x / tiles_across) * SIDE_Y};
    const int64_t x = at.x + threadIdx.x, y = at.y + threadIdx.y;
    for (int channel = 0; channel < p.in.channels; channel++) {
        tile[threadIdx.y][threadIdx.x] = p.value(x, y, channel);
        __syncthreads();
        if (x < p.width && y < p.height)
            *p.out.at(x, y, channel) = Pixel::stored(sum_of(p, tile, at, channel));
        __syncthreads(); /* before the next channel comes */
    }
}

/* ---- tiles: of one row where the image has one ---- */

size_t tile_width(const prim_convolution_args *args)
{
    return args->in.height == 1 ? ROW : SIDE;
}

const char *why_not(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    if (args->kind == PRIM_CONVOLUTION_SEPARABLE)
        return PRIM_CONVOLUTION_NOT_SEPARABLE;
    if (args->mask.d_values == nullptr)
        return "it needs the mask's d_values";
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(prim_divide_up(args->in.height, THREADS / tile_width(args)),
                            prim_divide_up(args->in.width, tile_width(args)))
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

struct run_convolve : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        const size_t side = tile_width(args);
        const unsigned across = static_cast<unsigned>(prim_divide_up(args->in.width, side));
        const unsigned down =
            static_cast<unsigned>(prim_divide_up(args->in.height, THREADS / side));
        if (across == 0 || down == 0)
            return cudaSuccess;
        const problem<Pixel> p = make_problem<Pixel>(args);
        return side == ROW ? prim_launch({args->call.stream, across * down, ROW},
                                         convolve<Pixel, ROW, 1>, p, across)
                           : prim_launch({args->call.stream, across * down, dim3(SIDE, SIDE)},
                                         convolve<Pixel, SIDE, SIDE>, p, across);
    }
};

cudaError_t launch(const void *args)
{
    return dispatch<run_convolve>(static_cast<const prim_convolution_args *>(args));
}

} // namespace tiled_cached
} // namespace

PRIM_DEFINE_RUNG(convolution,
                 tiled_cached) = {{PRIM_CONVOLUTION_TILED_CACHED, "tiled_cached",
                                   "a tile as large as its outputs, the halo through the cache"},
                                  tiled_cached::why_not,
                                  nullptr,
                                  tiled_cached::launch};
