/* gemm's rungs, upwards, and which of them AUTO takes. */
#include "gemm/gemm_args.h"
#include "gemm/plan.h"

#define RUNGS(X)               \
    X(gemm, row_per_block)     \
    X(gemm, shared_row)        \
    X(gemm, naive)             \
    X(gemm, tiled_16)          \
    X(gemm, tiled_32)          \
    X(gemm, register_tiled_1d) \
    X(gemm, register_tiled)    \
    X(gemm, vectorized)        \
    X(gemm, warp_tiled)        \
    X(gemm, split_k)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_gemm_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

int prim_gemm_choose_rung(const void *any)
{
    const prim_gemm_args *args = any;
    const bool split =
        args->k > 0 && prim_gemm_plan_split(args).clocks < prim_gemm_plan_whole(args).clocks;
    return prim_preferred_rung(prim_gemm_rungs,
                               split ? &prim_gemm_split_k_rung : &prim_gemm_warp_tiled_rung, any);
}
