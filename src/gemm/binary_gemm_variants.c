/* The table of binary gemm's rungs and those of packing, and what their columns need. */
#include "gemm/binary_gemm_variants.h"

#include "common/sizes.h"
#include "gemm/instances.h"

static bool c_type_is_built(const prim_binary_gemm_args *args)
{
#define BUILT(type_enum, type_c)   \
    if (args->c_type == type_enum) \
        return true;
    PRIM_BINARY_GEMM_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool in_type_is_built(const prim_binary_pack_args *args)
{
#define BUILT(type_enum, type_c)    \
    if (args->in_type == type_enum) \
        return true;
    PRIM_BINARY_PACK_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool rows_supports(const void *any)
{
    const prim_binary_gemm_args *args = any;
    return c_type_is_built(args) && prim_fits_a_grid(args->m, 1);
}

static bool tiles_supports(const void *any)
{
    const prim_binary_gemm_args *args = any;
    return c_type_is_built(args) && prim_fits_a_grid(prim_divide_up(args->m, PRIM_BINARY_TILE),
                                                     prim_divide_up(args->n, PRIM_BINARY_TILE));
}

/* A warp for each word of a row. */
static bool pack_rows_supports(const void *any)
{
    const prim_binary_pack_args *args = any;
    const size_t warps = PRIM_BINARY_PACK_THREADS / 32;
    return in_type_is_built(args) &&
           prim_fits_a_grid(args->packed_rows, prim_divide_up(args->packed_columns, warps));
}

/* A thread for each word. */
static bool pack_columns_supports(const void *any)
{
    const prim_binary_pack_args *args = any;
    return in_type_is_built(args) &&
           prim_fits_a_grid(args->packed_rows,
                            prim_divide_up(args->packed_columns, PRIM_BINARY_PACK_THREADS));
}

const prim_rung prim_binary_gemm_rungs[] = {
    {PRIM_BINARY_GEMM_XNOR_GLOBAL, "xnor_global",
     "a block for each row of C; words and bit counts from global memory", rows_supports,
     prim_no_workspace, prim_binary_xnor_global},
    {PRIM_BINARY_GEMM_XNOR_SHARED_ROW, "xnor_shared_row", "the same, with A's row in shared memory",
     rows_supports, prim_no_workspace, prim_binary_xnor_shared_row},
    {PRIM_BINARY_GEMM_XNOR_TILED, "xnor_tiled",
     "16 × 16 tiles and the bit counts in shared memory, a warp down a column", tiles_supports,
     prim_no_workspace, prim_binary_xnor_tiled},
    {PRIM_BINARY_GEMM_XNOR_TILED_TRANSPOSED, "xnor_tiled_transposed",
     "the same with x and y exchanged: a warp along a row", tiles_supports, prim_no_workspace,
     prim_binary_xnor_tiled_transposed},
    {0},
};

const prim_rung prim_binary_pack_rows_rungs[] = {
    {1, "pack_rows", "a warp's vote is a word", pack_rows_supports, prim_no_workspace,
     prim_binary_pack_rows_on_device},
    {0},
};

const prim_rung prim_binary_pack_columns_rungs[] = {
    {1, "pack_columns", "a thread gathers a word down its column", pack_columns_supports,
     prim_no_workspace, prim_binary_pack_columns_on_device},
    {0},
};
