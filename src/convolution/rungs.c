/* convolution's rungs, upwards, and which of them AUTO takes. */
#include "convolution/convolution_args.h"

#define RUNGS(X)                 \
    X(convolution, basic)        \
    X(convolution, constant)     \
    X(convolution, tiled_halo)   \
    X(convolution, tiled_cached) \
    X(convolution, register)     \
    X(convolution, tensor)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_convolution_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* TENSOR takes tiles of 64 rows: of lower images, most of a tile would be nobody's. */
static bool fills_tiles(const prim_convolution_args *args)
{
    const size_t least_rows = 32, least_bytes = 128;
    return args->in.height >= least_rows &&
           args->in.width * (size_t)args->in.channels >= least_bytes;
}

/* REGISTER takes every call, and no size is known where another rung than TENSOR is faster. */
int prim_convolution_choose_rung(const void *any)
{
    const prim_convolution_args *args = any;
    if (fills_tiles(args) && prim_convolution_tensor_rung.why_not(args) == NULL)
        return PRIM_CONVOLUTION_TENSOR;
    return prim_preferred_rung(prim_convolution_rungs, &prim_convolution_register_rung, args);
}
