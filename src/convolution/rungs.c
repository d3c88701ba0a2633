/* convolution's rungs, upwards, and which of them AUTO takes. */
#include "convolution/convolution_args.h"

#define RUNGS(X)                 \
    X(convolution, basic)        \
    X(convolution, constant)     \
    X(convolution, tiled_halo)   \
    X(convolution, tiled_cached) \
    X(convolution, register)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_convolution_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* REGISTER takes every call, and no size is known where another rung is faster. */
int prim_convolution_choose_rung(const void *args)
{
    return prim_preferred_rung(prim_convolution_rungs, &prim_convolution_register_rung, args);
}
