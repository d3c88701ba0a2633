/* SPLIT_K: the kernel of WARP_TILED, k split over blocks; a second pass adds their sums.
 *
 *     k     0 ─────────────┬───────────── k        part by part, a block for each tile and part
 *     A     ▒▒▒▒▒▒▒▒▒▒▒▒▒▒│░░░░░░░░░░░░░
 *     sums  [ part 0 ]      [ part 1 ]             in the workspace
 *     C  =  alpha · (part 0 + part 1 + …) + beta · C    second pass, always in this order
 *
 * What changed from WARP_TILED: a C of few tiles keeps all multiprocessors at work. A product of
 * 16384 × 128 × 16384 has 64 tiles of 128 × 256 for 132 of them; cut in two, 128.
 *
 * Bytes: as WARP_TILED, and each part's sums written and read once: 8 · m · n for each part of f32.
 *
 * What still holds it back: those bytes, and the second launch, both of which plan.c estimates;
 * below 9.0 it begins only after the first one has ended.
 *
 * Work: m · n · k products, parts · m · n additions. Steps: k / parts, and parts. Workspace: parts
 * · m · n sums, rows rounded up to 16 bytes. Source: CUTLASS, "Efficient GEMM in CUDA"
 * (parallelized reductions). */
#include "gemm/tile/plan.h"

namespace
{
namespace split_k
{

const char *why_not(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    if (!prim_gemm_has_tiles(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_gemm_plan_fits(args, prim_gemm_plan_split(args)) ? nullptr : PRIM_GRID_TOO_SMALL;
}

size_t workspace_bytes(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return prim_gemm_plan_bytes(args, prim_gemm_plan_split(args));
}

cudaError_t launch(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return prim_gemm_launch_tiles(args, prim_gemm_plan_split(args));
}

} // namespace split_k
} // namespace

PRIM_DEFINE_RUNG(gemm, split_k) = {
    {PRIM_GEMM_SPLIT_K, "split_k", "k split over blocks; a second pass adds their sums"},
    split_k::why_not,
    split_k::workspace_bytes,
    split_k::launch};
