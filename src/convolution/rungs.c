/* convolution's rungs, upwards, and which of them AUTO takes. */
#include "convolution/convolution_args.h"

#define RUNGS(X)             \
    X(convolution, basic)    \
    X(convolution, constant) \
    X(convolution, tiled_halo)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_convolution_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

static bool takes(const prim_rung *rung, const prim_convolution_args *args)
{
    return rung->why_not(args) == NULL;
}

/* At least half of a 16 × 16 tile, or of a row of 256, is outputs. */
static bool half_of_tile_is_output(const prim_convolution_args *args)
{
    const size_t width = args->mask.width, height = args->mask.height;
    return args->in.height == 1 && height == 1 ? 2 * (257 - width) > 256
                                               : 2 * (17 - width) * (17 - height) > 256;
}

/* Measured on an H200: CONSTANT is the fastest or within 2 %, since it has one load for each
 * product and no idle thread; but for 3 × 3 weights a tile, nearly all of which are outputs, takes
 * a tenth less. */
static const prim_rung *fastest(const prim_convolution_args *args)
{
    enum { FEW_WEIGHTS = 9 };
    const bool few = args->mask.width * args->mask.height <= FEW_WEIGHTS;
    const bool tiled = takes(&prim_convolution_tiled_halo_rung, args);
    if (few && args->in.height > 1 && tiled)
        return &prim_convolution_tiled_halo_rung;
    if (takes(&prim_convolution_constant_rung, args))
        return &prim_convolution_constant_rung;
    return tiled && half_of_tile_is_output(args) ? &prim_convolution_tiled_halo_rung
                                                 : &prim_convolution_basic_rung;
}

int prim_convolution_choose_rung(const void *args)
{
    return prim_preferred_rung(prim_convolution_rungs, fastest(args), args);
}
