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
#include "common/host/sizes.h"
#include "common/kernel/shared.cuh"
#include "convolution/dispatch.cuh"

namespace
{
namespace tiled_halo
{

constexpr int SIDE = 16, ROW = THREADS; /* of a tile */
static_assert(SIDE * SIDE == ROW, "a block of either shape");

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

/* ---- tiles: of one row where image and mask have one ---- */

/* The outputs of a tile: its size less the halo. */
struct outputs {
    size_t x, y;
};

bool tile_is_row(const prim_convolution_args *args)
{
    return args->in.height == 1 && args->mask.height == 1;
}

outputs outputs_of_tile(const prim_convolution_args *args)
{
    const size_t x = tile_is_row(args) ? ROW : SIDE, y = THREADS / x;
    return {x - args->mask.width + 1, y - args->mask.height + 1};
}

const char *why_not(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    if (args->kind == PRIM_CONVOLUTION_SEPARABLE)
        return PRIM_CONVOLUTION_NOT_SEPARABLE;
    if (args->mask.d_values == nullptr)
        return "it needs the mask's d_values";
    if (args->mask.width >= SIDE || args->mask.height >= SIDE)
        return "it takes masks of at most 15 × 15";
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    const outputs tile = outputs_of_tile(args);
    return prim_fits_a_grid(prim_divide_up(args->in.height, tile.y),
                            prim_divide_up(args->in.width, tile.x))
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

struct run_convolve : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        const outputs tile = outputs_of_tile(args);
        const unsigned across = static_cast<unsigned>(prim_divide_up(args->in.width, tile.x));
        const unsigned down = static_cast<unsigned>(prim_divide_up(args->in.height, tile.y));
        if (across == 0 || down == 0)
            return cudaSuccess;
        const problem<Pixel> p = make_problem<Pixel>(args);
        return tile_is_row(args) ? prim_launch({args->call.stream, across * down, ROW},
                                               convolve<Pixel, ROW, 1>, p, across)
                                 : prim_launch({args->call.stream, across * down, dim3(SIDE, SIDE)},
                                               convolve<Pixel, SIDE, SIDE>, p, across);
    }
};

cudaError_t launch(const void *args)
{
    return dispatch<run_convolve>(static_cast<const prim_convolution_args *>(args));
}

} // namespace tiled_halo
} // namespace

PRIM_DEFINE_RUNG(convolution, tiled_halo) = {{PRIM_CONVOLUTION_TILED_HALO, "tiled_halo",
                                              "a tile of the input and its halo in shared memory"},
                                             tiled_halo::why_not,
                                             nullptr,
                                             tiled_halo::launch};
