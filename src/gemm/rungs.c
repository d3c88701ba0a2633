/* gemm's rungs, upwards, and which of them AUTO takes. */
#include "gemm/gemm_args.h"

#define RUNGS(X)           \
    X(gemm, row_per_block) \
    X(gemm, shared_row)    \
    X(gemm, naive)         \
    X(gemm, tiled_16)      \
    X(gemm, tiled_32)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_gemm_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

int prim_gemm_choose_rung(const void *args)
{
    return prim_preferred_rung(prim_gemm_rungs, &prim_gemm_tiled_32_rung, args);
}
