/* TILED_HALO: a block loads a tile of the input into shared memory, once, and sums from there.
 *
 *     tile   ┌───────────────┐   16 × 16 threads load an element each: the inner ones, and around
 *            │h h h h h h h h│   them a halo as wide as the mask reaches. The boundary is applied
 *            │h ┌─────────┐ h│   here, so that the sums need no check.
 *            │h │ outputs │ h│   Then (16 - w + 1) × (16 - h + 1) threads sum, and the others
 *            │h └─────────┘ h│   are idle.
 *            │h h h h h h h h│
 *            └───────────────┘   A vector has tiles of 256 × 1.
 *
 * Each element is loaded from global memory once for each tile that has it, instead of for w · h
 * outputs: for 5 × 5, 256 loads serve 144 outputs, where BASIC loads 3600.
 *
 * What holds it back: halos are loaded by both neighbours; idle threads increase with w and h, and
 * at 15 × 15 a block of 256 threads computes 4 outputs; each product still costs two loads, of the
 * element from shared memory and of the weight from global memory.
 *
 * Work: w · h products an output. Steps: w · h, and two barriers a channel. Bytes: in
 * 256 / ((17 - w) · (17 - h)) times, out once. Shared memory: 256 elements.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * chapter 7. */
#include "convolution/tiles.cuh"

namespace
{
namespace tiled_halo
{

/* A thread's place in its block's tile, and the first of the tile's pixels that are outputs. */
struct place {
    int64_t first_x, first_y;
    int x, y;
};

/* Tiles lie row by row along one dimension of the grid. */
template <typename Pixel, int SIDE_X, int SIDE_Y>
__device__ place place_in_tile(const problem<Pixel> &p, unsigned tiles_across)
{
    const int64_t outputs_x = SIDE_X - p.mask_width + 1, outputs_y = SIDE_Y - p.mask_height + 1;
    return {blockIdx.x % tiles_across * outputs_x, blockIdx.x / tiles_across * outputs_y,
            static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y)};
}

/* The window of output (x, y) covers the tile's elements from (x, y) to (x + w - 1, y + h - 1). */
template <typename Pixel, int SIDE_X, int SIDE_Y>
__device__ typename Pixel::sum sum_in_tile(const problem<Pixel> &p,
                                           const typename Pixel::sum (&tile)[SIDE_Y][SIDE_X],
                                           const place &at)
{
    typename Pixel::sum sum = 0;
    for (int j = 0, k = 0; j < p.mask_height; j++)
        for (int i = 0; i < p.mask_width; i++, k++)
            sum = add_product(sum, p.weights[k], tile[at.y + j][at.x + i]);
    return sum;
}

template <typename Pixel, int SIDE_X, int SIDE_Y>
__global__ void __launch_bounds__(SIDE_X *SIDE_Y)
    convolve(const __grid_constant__ problem<Pixel> p, unsigned tiles_across)
{
    PRIM_SHARED(typename Pixel::sum, tile, [SIDE_Y][SIDE_X]);
    const place at = place_in_tile<Pixel, SIDE_X, SIDE_Y>(p, tiles_across);
    const int64_t from_x = at.first_x - p.before_x + at.x;
    const int64_t from_y = at.first_y - p.before_y + at.y;
    const int64_t to_x = at.first_x + at.x, to_y = at.first_y + at.y;
    const bool is_output = at.x + p.mask_width <= SIDE_X && at.y + p.mask_height <= SIDE_Y &&
                           to_x < p.width && to_y < p.height;
    for (int channel = 0; channel < p.in.channels; channel++) {
        tile[at.y][at.x] = p.value(from_x, from_y, channel);
        __syncthreads();
        if (is_output)
            *p.out.at(to_x, to_y, channel) = Pixel::stored(sum_in_tile(p, tile, at));
        __syncthreads(); /* before the next channel comes */
    }
}

struct lesson {
    static constexpr bool HAS_HALO = true;
    template <typename Pixel, int SIDE_X, int SIDE_Y>
    static constexpr tile_kernel<Pixel> kernel = convolve<Pixel, SIDE_X, SIDE_Y>;
};

} // namespace tiled_halo
} // namespace

PRIM_DEFINE_RUNG(convolution, tiled_halo) =
    rung_of_tiles<PRIM_CONVOLUTION_TILED_HALO, tiled_halo::lesson>(
        "tiled_halo", "a tile of the input and its halo in shared memory");
