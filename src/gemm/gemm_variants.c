/* The one table of gemm's rungs, and what its columns need. */
#include "gemm/gemm_variants.h"

#include "common/sizes.h"
#include "gemm/instances.h"

static bool type_is_built(const prim_gemm_args *args)
{
#define BUILT(type_enum, type_c)   \
    if (args->c_type == type_enum) \
        return true;
    PRIM_GEMM_TYPES(BUILT)
#undef BUILT
    return false;
}

/* A block for each row of C. */
static bool rows_supports(const void *any)
{
    const prim_gemm_args *args = any;
    return type_is_built(args) && prim_fits_a_grid(args->m, 1);
}

/* A block for each square of C. */
static bool squares_fit(const prim_gemm_args *args, size_t side)
{
    return type_is_built(args) &&
           prim_fits_a_grid(prim_divide_up(args->m, side), prim_divide_up(args->n, side));
}

static bool side_16_supports(const void *args)
{
    return squares_fit(args, 16);
}

static bool side_32_supports(const void *args)
{
    return squares_fit(args, 32);
}

const prim_rung prim_gemm_rungs[] = {
    {PRIM_GEMM_ROW_PER_BLOCK, "row_per_block",
     "a block for each row of C, its threads side by side", rows_supports, prim_no_workspace,
     prim_gemm_row_per_block},
    {PRIM_GEMM_SHARED_ROW, "shared_row", "the same, with A's row in shared memory", rows_supports,
     prim_no_workspace, prim_gemm_shared_row},
    {PRIM_GEMM_NAIVE, "naive", "a thread for each element of C, in blocks of 16 × 16",
     side_16_supports, prim_no_workspace, prim_gemm_naive},
    {PRIM_GEMM_TILED_16, "tiled_16", "16 × 16 tiles of A and B in shared memory", side_16_supports,
     prim_no_workspace, prim_gemm_tiled_16},
    {PRIM_GEMM_TILED_32, "tiled_32", "32 × 32 tiles of A and B in shared memory", side_32_supports,
     prim_no_workspace, prim_gemm_tiled_32},
    {0},
};
