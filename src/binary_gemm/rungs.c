/* Binary gemm's rungs, upwards, and which of them AUTO takes; and those of packing. */
#include "binary_gemm/binary_gemm_args.h"

#define RUNGS(X)                          \
    X(binary_gemm, xnor_global)           \
    X(binary_gemm, xnor_shared_row)       \
    X(binary_gemm, xnor_tiled)            \
    X(binary_gemm, xnor_tiled_transposed) \
    X(binary_gemm, popcount)              \
    X(binary_gemm, mma)                   \
    X(binary_gemm, wgmma)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_binary_gemm_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* Whether WGMMA's first pass and its large tiles pay. */
static bool is_large(const prim_binary_gemm_args *args)
{
    enum { LEAST_SIDE = 128 };
    const double least_products = 0x1p30;
    return args->m >= LEAST_SIDE && args->n >= LEAST_SIDE &&
           (double)args->m * (double)args->n * (double)args->k >= least_products;
}

/* POPCOUNT takes every call on every device. */
int prim_binary_gemm_choose_rung(const void *any)
{
    const bool has_mma = prim_binary_gemm_mma_rung.why_not(any) == NULL;
    const bool takes_wgmma = is_large(any) && prim_binary_gemm_wgmma_rung.why_not(any) == NULL;
    return prim_preferred_rung(prim_binary_gemm_rungs,
                               takes_wgmma ? &prim_binary_gemm_wgmma_rung
                               : has_mma   ? &prim_binary_gemm_mma_rung
                                           : &prim_binary_gemm_popcount_rung,
                               any);
}

/* ---- packing ---- */

PRIM_DECLARE_RUNG(binary_gemm, pack_rows)
PRIM_DECLARE_RUNG(binary_gemm, pack_columns)
PRIM_DECLARE_RUNG(binary_gemm, pack_transposed)

const prim_rung *const prim_binary_pack_rows_rungs[] = {&prim_binary_gemm_pack_rows_rung, NULL};
const prim_rung *const prim_binary_pack_columns_rungs[] = {&prim_binary_gemm_pack_columns_rung,
                                                           NULL};
const prim_rung *const prim_binary_pack_transposed_rungs[] = {
    &prim_binary_gemm_pack_transposed_rung, NULL};
