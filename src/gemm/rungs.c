/* gemm's rungs, upwards, and which of them AUTO takes. */
#include "common/host/device.h"
#include "gemm/gemm_args.h"
#include "gemm/tensor/realign.h"
#include "gemm/tensor/tiles.h"
#include "gemm/tile/plan.h"

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
    X(gemm, split_k)           \
    X(gemm, small_products)    \
    X(gemm, thin)              \
    X(gemm, mma)               \
    X(gemm, wgmma)             \
    X(gemm, wgmma_specialized)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_gemm_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* Whether SMALL_PRODUCTS may be taken. The estimates for tiles are too high where products are
 * larger, most of all for narrow types. */
static bool has_small_products(const prim_gemm_args *args)
{
    const size_t most = args->batches > 1 ? 24 : 8, most_steps = 8;
    return args->m <= most || args->n <= most || args->k <= most_steps;
}

/* The rung on tensor cores with the least estimated time; NULL where none runs. Where WGMMA runs,
 * the others run too. */
static const prim_rung *fastest_on_tensor_cores(const prim_gemm_args *args, double *clocks)
{
    const struct {
        const prim_rung *rung;
        prim_gemm_plan (*plan)(const prim_gemm_args *);
    } more[] = {{&prim_gemm_wgmma_rung, prim_gemm_plan_wgmma},
                {&prim_gemm_wgmma_specialized_rung, prim_gemm_plan_wgmma_specialized}};
    const bool has_more = prim_gemm_wgmma_rung.why_not(args) == NULL;
    if (!has_more && prim_gemm_mma_rung.why_not(args) != NULL)
        return NULL;
    const prim_rung *best = &prim_gemm_mma_rung;
    *clocks = prim_gemm_plan_mma(args).clocks + prim_gemm_way_clocks(args, PRIM_GEMM_BY_MMA);
    const double way = prim_gemm_way_clocks(args, PRIM_GEMM_BY_WGMMA);
    for (size_t i = 0; has_more && i < sizeof more / sizeof *more; i++) {
        const double estimate = more[i].plan(args).clocks + way;
        if (estimate < *clocks) {
            best = more[i].rung;
            *clocks = estimate;
        }
    }
    return best;
}

/* The rung with tiles that has the least estimated time; for halves it is one on tensor cores,
 * where any of these runs. */
static const prim_rung *fastest_with_tiles(const prim_gemm_args *args, double *clocks)
{
    const prim_rung *const on_tensor_cores = fastest_on_tensor_cores(args, clocks);
    if (on_tensor_cores != NULL)
        return on_tensor_cores;
    const double whole = prim_gemm_plan_whole(args).clocks;
    const double split = args->k > 0 ? prim_gemm_plan_split(args).clocks : whole;
    *clocks = split < whole ? split : whole;
    return split < whole ? &prim_gemm_split_k_rung : &prim_gemm_warp_tiled_rung;
}

/* The rung with the least estimated time. */
static const prim_rung *fastest(const prim_gemm_args *args)
{
    double least = 0;
    const prim_rung *best = fastest_with_tiles(args, &least);
    if (args->m == 0 || args->n == 0 || args->batches == 0)
        return best;
    const double thin = prim_gemm_thin_clocks(args), small = prim_gemm_small_products_clocks(args);
    if (thin < least && prim_gemm_thin_rung.why_not(args) == NULL) {
        best = &prim_gemm_thin_rung;
        least = thin;
    }
    return has_small_products(args) && small < least ? &prim_gemm_small_products_rung : best;
}

/* With BATCH_INVARIANT, AUTO goes by the device's instructions, the types, n and k alone, but for
 * the two rungs of wgmma, which give the same bits. No other rung stands in for one that refuses
 * the call, since it might have other bits. */
static const prim_rung *invariant(const prim_gemm_args *args)
{
    if (args->a_type == CUDA_R_16F || args->a_type == CUDA_R_16BF) {
        if (prim_device_has_wgmma())
            return prim_gemm_plan_wgmma_specialized(args).clocks < prim_gemm_plan_wgmma(args).clocks
                       ? &prim_gemm_wgmma_specialized_rung
                       : &prim_gemm_wgmma_rung;
        if (prim_device_code() >= PRIM_GEMM_MMA_CAPABILITY)
            return &prim_gemm_mma_rung;
    }
    return prim_gemm_is_split(args) ? &prim_gemm_split_k_rung : &prim_gemm_warp_tiled_rung;
}

int prim_gemm_choose_rung(const void *any)
{
    return prim_gemm_is_invariant(any) ? invariant(any)->variant.value
                                       : prim_preferred_rung(prim_gemm_rungs, fastest(any), any);
}
