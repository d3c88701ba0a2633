/* A block for each tile of the input, which it has in shared memory: squares, which lie row by row
 * along one dimension of the grid, or pieces of a single row.
 *
 *     ┌─────────┐    The rungs that use this differ in what a tile is good for: all of its elements
 *     │ ┌─────┐ │    are outputs, or those that have their halo in the tile too.
 *     │ │ out │ │
 *     │ └─────┘ │
 *     └─────────┘ */
#ifndef PRIM_CONVOLUTION_TILES_CUH
#define PRIM_CONVOLUTION_TILES_CUH

#include "common/host/sizes.h"
#include "common/kernel/shared.cuh"
#include "convolution/dispatch.cuh"

namespace
{

constexpr int TILE_SIDE = 16, TILE_ROW = THREADS;
static_assert(TILE_SIDE * TILE_SIDE == TILE_ROW, "a block of either shape");

template <typename Pixel>
using tile_kernel = void (*)(const problem<Pixel> p, unsigned tiles_across);

/* The outputs of a tile. */
struct tile_outputs {
    size_t x, y;
};

/* What a lesson has: HAS_HALO, whether a tile has that of its outputs; and its
 * kernel<Pixel, SIDE_X, SIDE_Y>. */
template <class Lesson>
struct tiles : launch_run {
    static bool is_row(const prim_convolution_args *args)
    {
        return args->in.height == 1 && (!Lesson::HAS_HALO || args->mask.height == 1);
    }
    static tile_outputs outputs_of(const prim_convolution_args *args)
    {
        const size_t x = is_row(args) ? TILE_ROW : TILE_SIDE, y = THREADS / x;
        if (!Lesson::HAS_HALO)
            return {x, y};
        return {x - args->mask.width + 1, y - args->mask.height + 1};
    }

    static const char *why_not(const void *any)
    {
        const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
        if (args->kind == PRIM_CONVOLUTION_SEPARABLE)
            return PRIM_CONVOLUTION_NOT_SEPARABLE;
        if (args->mask.d_values == nullptr)
            return "it needs the mask's d_values";
        if (Lesson::HAS_HALO && (args->mask.width >= TILE_SIDE || args->mask.height >= TILE_SIDE))
            return "it takes masks of at most 15 × 15";
        if (!dispatch<is_built>(args))
            return PRIM_TYPES_NOT_BUILT;
        const tile_outputs tile = outputs_of(args);
        return prim_fits_a_grid(prim_divide_up(args->in.height, tile.y),
                                prim_divide_up(args->in.width, tile.x))
                   ? nullptr
                   : PRIM_GRID_TOO_SMALL;
    }

    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        const tile_outputs tile = outputs_of(args);
        const unsigned across = static_cast<unsigned>(prim_divide_up(args->in.width, tile.x));
        const unsigned down = static_cast<unsigned>(prim_divide_up(args->in.height, tile.y));
        if (across == 0 || down == 0)
            return cudaSuccess;
        const problem<Pixel> p = make_problem<Pixel>(args);
        const cudaStream_t stream = args->call.stream;
        return is_row(args)
                   ? prim_launch({stream, across * down, TILE_ROW},
                                 Lesson::template kernel<Pixel, TILE_ROW, 1>, p, across)
                   : prim_launch({stream, across * down, dim3(TILE_SIDE, TILE_SIDE)},
                                 Lesson::template kernel<Pixel, TILE_SIDE, TILE_SIDE>, p, across);
    }
};

template <prim_convolution_variant RUNG, class Lesson>
constexpr prim_rung rung_of_tiles(const char *name, const char *idea)
{
    using rung = tiles<Lesson>;
    return {{RUNG, name, idea}, rung::why_not, nullptr, launch_textbook<rung>};
}

} // namespace

#endif
