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
#include "convolution/tiles.cuh"

namespace
{
namespace tiled_cached
{

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

struct lesson {
    static constexpr bool HAS_HALO = false;
    template <typename Pixel, int SIDE_X, int SIDE_Y>
    static constexpr tile_kernel<Pixel> kernel = convolve<Pixel, SIDE_X, SIDE_Y>;
};

} // namespace tiled_cached
} // namespace

PRIM_DEFINE_RUNG(convolution, tiled_cached) =
    rung_of_tiles<PRIM_CONVOLUTION_TILED_CACHED, tiled_cached::lesson>(
        "tiled_cached", "a tile as large as its outputs, the halo through the cache");
