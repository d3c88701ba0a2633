/* Binary gemm's rungs, upwards, and which of them AUTO takes; and those of packing
 * and unpacking. */
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

/* ---- packing and unpacking ---- */

#define ONLY_RUNG(name)                  \
    PRIM_DECLARE_RUNG(binary_gemm, name) \
    const prim_rung *const prim_binary_##name##_rungs[] = {&prim_binary_gemm_##name##_rung, NULL};

ONLY_RUNG(pack_rows)
ONLY_RUNG(pack_columns)
ONLY_RUNG(pack_transposed)
ONLY_RUNG(unpack_rows)
ONLY_RUNG(unpack_columns)
ONLY_RUNG(unpack_transposed)
