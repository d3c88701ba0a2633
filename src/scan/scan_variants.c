/* The one table of scan's rungs, and what its columns need. */
#include "scan/scan_variants.h"

#include "common/element.h"
#include "common/sizes.h"
#include "scan/instances.h"

static bool types_are_built(const prim_scan_args *args)
{
#define BUILT(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return true;
    PRIM_SCAN_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool operator_is_built(const prim_scan_args *args)
{
#define BUILT(op_enum, op_struct) \
    if (args->op == op_enum)      \
        return true;
    PRIM_SCAN_OPERATORS(BUILT)
#undef BUILT
    return false;
}

/* The scan of the totals has fewer blocks than that of the elements, so that this one decides. */
static bool fits_a_grid(const prim_scan_args *args, size_t section_elements)
{
    const bool rows_fit =
        prim_fits_a_grid(args->rows, prim_divide_up(args->columns, section_elements));
    const bool columns_fit =
        !args->both_directions ||
        prim_fits_a_grid(args->columns, prim_divide_up(args->rows, section_elements));
    return types_are_built(args) && operator_is_built(args) && rows_fit && columns_fit;
}

/* The totals of every level; the second direction takes the place of the first. */
static size_t totals_bytes(const prim_scan_args *args, size_t section_elements)
{
    const size_t of_rows = args->rows * prim_values_between_levels(args->columns, section_elements);
    const size_t of_columns =
        args->both_directions
            ? args->columns * prim_values_between_levels(args->rows, section_elements)
            : 0;
    return (of_rows > of_columns ? of_rows : of_columns) * prim_element_bytes(args->out_type);
}

static bool kogge_stone_supports(const void *args)
{
    return fits_a_grid(args, PRIM_SCAN_KOGGE_STONE_ELEMENTS);
}

static size_t kogge_stone_workspace(const void *args)
{
    return totals_bytes(args, PRIM_SCAN_KOGGE_STONE_ELEMENTS);
}

static bool brent_kung_supports(const void *args)
{
    return fits_a_grid(args, PRIM_SCAN_BRENT_KUNG_ELEMENTS);
}

static size_t brent_kung_workspace(const void *args)
{
    return totals_bytes(args, PRIM_SCAN_BRENT_KUNG_ELEMENTS);
}

const prim_rung prim_scan_rungs[] = {
    {PRIM_SCAN_KOGGE_STONE, "kogge_stone",
     "every thread adds the value a stride before it; the stride doubles", kogge_stone_supports,
     kogge_stone_workspace, prim_scan_kogge_stone},
    {PRIM_SCAN_BRENT_KUNG, "brent_kung",
     "two elements a thread; a tree of sums up, then the sums down to every element",
     brent_kung_supports, brent_kung_workspace, prim_scan_brent_kung},
    {0},
};
