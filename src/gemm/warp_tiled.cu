/* WARP_TILED: a part of the tile for each warp, and asynchronous copies. The kernel is in
 * warp_tiles.cuh, since SPLIT_K has it too, and is compiled by warp_tiles.cu; tiles.h lists its
 * tiles, plan.c picks one.
 *
 *     tile 128 × 128            warp 64 × 64              thread 8 × 16
 *     ┌───────┬───────┐         8 × 4 lanes               24 factors for 128 products
 *     │ warp 0│ warp 1│         32 lanes read 64 rows
 *     ├───────┼───────┤         and 64 columns
 *     │ warp 2│ warp 3│
 *     └───────┴───────┘
 *
 *     slab 3, 2  ← global memory, copied asynchronously
 *     slab 1     ← copied
 *     slab 0     → factors of step k + 1 → registers, while those of step k are multiplied
 *
 * What changed from VECTORIZED: 6 loads of 16 bytes make 128 products, not 4 for 64; the lanes of a
 * warp form a rectangle, so that most of them share their loads with others, and shared memory
 * takes two passes for each, not four; copies need no registers, and several slabs are in flight; a
 * step's factors are read before it begins. Small tiles serve a small C.
 *
 * Bytes for a product, of f32: 1/16 from global memory, or 3/64 with the tile of 128 × 256; 3/4
 * read from shared memory by lanes, which is 1/4 for what lanes share.
 *
 * What still holds it back: the register file. A multiply-add reads three registers, and two banks
 * deliver one each in a clock; one factor has to be reused from the instruction before. Loads,
 * copies and addresses share issue slots with the arithmetic. SPLIT_K helps where C has too few
 * tiles.
 *
 * Work: m · n · k products, and the tiles' ends. Steps: k, and k / 8 barriers.
 * Source: A. Kerr et al., CUTLASS: Fast Linear Algebra in CUDA C++ (2017); S. Boehm, How to
 * Optimize a CUDA Matmul Kernel for cuBLAS-like Performance (2022), kernel 10; Z. Jia et al.,
 * Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking (2018), on register banks. */
#include "gemm/tile/plan.h"

namespace
{
namespace warp_tiled
{

const char *why_not(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    if (!prim_gemm_has_tiles(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_gemm_plan_fits(args, prim_gemm_plan_whole(args)) ? nullptr : PRIM_GRID_TOO_SMALL;
}

cudaError_t launch(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return prim_gemm_launch_tiles(args, prim_gemm_plan_whole(args));
}

} // namespace warp_tiled
} // namespace

PRIM_DEFINE_RUNG(gemm, warp_tiled) = {
    {PRIM_GEMM_WARP_TILED, "warp_tiled", "a part of the tile for each warp; asynchronous copies"},
    warp_tiled::why_not,
    nullptr,
    warp_tiled::launch};
