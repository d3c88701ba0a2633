/* The one table of convolution's rungs, and what its columns need. */
#include "convolution/convolution_variants.h"

#include "common/sizes.h"
#include "convolution/instances.h"

static bool type_is_built(const prim_convolution_args *args)
{
#define BUILT(type_enum, pixel)     \
    if (args->in.type == type_enum) \
        return true;
    PRIM_CONVOLUTION_TYPES(BUILT)
#undef BUILT
    return false;
}

static size_t power_of_two_above(size_t count, size_t most)
{
    size_t power = 1;
    while (power < count && power < most)
        power *= 2;
    return power;
}

prim_convolution_extent prim_convolution_block(const prim_convolution_args *args)
{
    const size_t row_elements = args->in.width * (size_t)args->in.channels;
    const size_t x = power_of_two_above(row_elements, 32);
    const size_t y = power_of_two_above(args->in.height, PRIM_CONVOLUTION_BLOCK / x);
    return (prim_convolution_extent){PRIM_CONVOLUTION_BLOCK / y, y};
}

bool prim_convolution_tile_is_row(const prim_convolution_args *args)
{
    return args->in.height == 1 && args->mask.height == 1;
}

prim_convolution_extent prim_convolution_tile(const prim_convolution_args *args)
{
    const bool is_row = prim_convolution_tile_is_row(args);
    const size_t x = is_row ? PRIM_CONVOLUTION_BLOCK : PRIM_CONVOLUTION_TILE_SIDE;
    const size_t y = PRIM_CONVOLUTION_BLOCK / x;
    return (prim_convolution_extent){x - args->mask.width + 1, y - args->mask.height + 1};
}

static bool outputs_fit_a_grid(const prim_convolution_args *args)
{
    const prim_convolution_extent block = prim_convolution_block(args);
    const size_t row_elements = args->in.width * (size_t)args->in.channels;
    return prim_fits_a_grid(prim_divide_up(args->in.height, block.y),
                            prim_divide_up(row_elements, block.x));
}

static bool basic_supports(const void *any)
{
    const prim_convolution_args *args = any;
    return type_is_built(args) && args->mask.d_values != NULL && outputs_fit_a_grid(args);
}

static bool constant_supports(const void *any)
{
    const prim_convolution_args *args = any;
    return type_is_built(args) && args->mask.h_values != NULL &&
           args->mask.width * args->mask.height <= PRIM_CONVOLUTION_CONSTANT_WEIGHTS &&
           outputs_fit_a_grid(args);
}

static bool tiled_halo_supports(const void *any)
{
    const prim_convolution_args *args = any;
    if (!type_is_built(args) || args->mask.d_values == NULL ||
        args->mask.width > PRIM_CONVOLUTION_TILE_MASK ||
        args->mask.height > PRIM_CONVOLUTION_TILE_MASK)
        return false;
    const prim_convolution_extent tile = prim_convolution_tile(args);
    return prim_fits_a_grid(prim_divide_up(args->in.height, tile.y),
                            prim_divide_up(args->in.width, tile.x));
}

/* Measured on an H200: CONSTANT is the fastest or within 2 %, since it has one load for each
 * product and no idle thread; but for 3 × 3 weights a tile, nearly all of which are outputs, takes
 * a tenth less. */
int prim_convolution_choose(const void *any)
{
    enum { FEW_WEIGHTS = 9 };
    const prim_convolution_args *args = any;
    const bool few = args->mask.width * args->mask.height <= FEW_WEIGHTS;
    if (few && args->in.height > 1 && tiled_halo_supports(args))
        return PRIM_CONVOLUTION_TILED_HALO;
    if (constant_supports(args))
        return PRIM_CONVOLUTION_CONSTANT;
    if (!tiled_halo_supports(args))
        return PRIM_CONVOLUTION_BASIC;
    const prim_convolution_extent tile = prim_convolution_tile(args);
    return 2 * tile.x * tile.y > PRIM_CONVOLUTION_BLOCK ? PRIM_CONVOLUTION_TILED_HALO
                                                        : PRIM_CONVOLUTION_BASIC;
}

const prim_rung prim_convolution_rungs[] = {
    {PRIM_CONVOLUTION_BASIC, "basic", "a thread for each output, all from global memory",
     basic_supports, prim_no_workspace, prim_convolution_basic},
    {PRIM_CONVOLUTION_CONSTANT, "constant", "the same, and the mask travels as a kernel argument",
     constant_supports, prim_no_workspace, prim_convolution_constant},
    {PRIM_CONVOLUTION_TILED_HALO, "tiled_halo", "a tile of the input and its halo in shared memory",
     tiled_halo_supports, prim_no_workspace, prim_convolution_tiled_halo},
    {0},
};
