/* The one table of reduce's rungs, and what its columns need. */
#include "reduce/reduce_variants.h"

#include "common/element.h"
#include "common/sizes.h"
#include "reduce/instances.h"

static bool types_are_built(const prim_reduce_args *args)
{
#define BUILT(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return true;
    PRIM_REDUCE_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool operator_is_built(const prim_reduce_args *args)
{
#define BUILT(op_enum, op_struct) \
    if (args->op == op_enum)      \
        return true;
    PRIM_REDUCE_OPERATORS(BUILT)
#undef BUILT
    return false;
}

/* An empty row has one block too: it writes the identity. */
static bool fits_a_grid(const prim_reduce_args *args, size_t block_elements)
{
    const size_t blocks = args->columns == 0 ? 1 : prim_divide_up(args->columns, block_elements);
    return types_are_built(args) && operator_is_built(args) && prim_fits_a_grid(args->rows, blocks);
}

/* Every pass but the last leaves its blocks' values in the workspace. */
static size_t partials_bytes(const prim_reduce_args *args, size_t block_elements)
{
    return args->rows * prim_values_between_levels(args->columns, block_elements) *
           prim_element_bytes(args->out_type);
}

static bool interleaved_supports(const void *args)
{
    return fits_a_grid(args, PRIM_REDUCE_INTERLEAVED_ELEMENTS);
}

static size_t interleaved_workspace(const void *args)
{
    return partials_bytes(args, PRIM_REDUCE_INTERLEAVED_ELEMENTS);
}

static bool sequential_supports(const void *args)
{
    return fits_a_grid(args, PRIM_REDUCE_SEQUENTIAL_ELEMENTS);
}

static size_t sequential_workspace(const void *args)
{
    return partials_bytes(args, PRIM_REDUCE_SEQUENTIAL_ELEMENTS);
}

const prim_rung prim_reduce_rungs[] = {
    {PRIM_REDUCE_INTERLEAVED, "interleaved", "neighbours first; the stride doubles, warps diverge",
     interleaved_supports, interleaved_workspace, prim_reduce_interleaved},
    {PRIM_REDUCE_SEQUENTIAL, "sequential",
     "halves first; two elements a thread, the stride halves, idle warps retire",
     sequential_supports, sequential_workspace, prim_reduce_sequential},
    {0},
};
