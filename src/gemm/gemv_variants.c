/* The one table of gemv's rungs, and what its columns need. */
#include "gemm/gemv_variants.h"

#include "common/sizes.h"
#include "gemm/instances.h"

static bool type_is_built(const prim_gemv_args *args)
{
#define BUILT(type_enum, type_c)   \
    if (args->y_type == type_enum) \
        return true;
    PRIM_GEMV_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool fits_a_grid(const void *any)
{
    const prim_gemv_args *args = any;
    const size_t outputs = args->op == PRIM_TRANSPOSED ? args->columns : args->rows;
    return type_is_built(args) && prim_fits_a_grid(1, prim_divide_up(outputs, PRIM_GEMV_THREADS));
}

const prim_rung prim_gemv_rungs[] = {
    {PRIM_GEMV_ROW_PER_THREAD, "row_per_thread",
     "each thread walks along a row of op(A), wherever it lies", fits_a_grid, prim_no_workspace,
     prim_gemv_row_per_thread},
    {PRIM_GEMV_COLUMN, "column", "neighbouring threads read neighbouring elements of A",
     fits_a_grid, prim_no_workspace, prim_gemv_column},
    {PRIM_GEMV_CONSTANT, "constant", "the same, and x in constant memory, in pieces of 64 KB",
     fits_a_grid, prim_no_workspace, prim_gemv_constant},
    {PRIM_GEMV_SHARED, "shared", "the same, and x in shared memory", fits_a_grid, prim_no_workspace,
     prim_gemv_shared},
    {PRIM_GEMV_SHUFFLE, "shuffle", "the same, and x in registers, handed round in the warp",
     fits_a_grid, prim_no_workspace, prim_gemv_shuffle},
    {0},
};
