/* The one table of reduce's rungs, and what its columns need. */
#include "reduce/reduce_variants.h"

#include "common/device.h"
#include "common/element.h"
#include "common/sizes.h"
#include "reduce/columns.h"
#include "reduce/instances.h"

/* ---- what is built ---- */

static bool kind_is_built(const prim_reduce_args *args)
{
#define BUILT(kind_enum)         \
    if (args->kind == kind_enum) \
        return true;
    PRIM_REDUCE_KINDS(BUILT)
#undef BUILT
    return false;
}

static bool types_are_built(const prim_reduce_args *args)
{
#define BUILT(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return true;
    PRIM_REDUCE_INTEGER_TYPES(BUILT)
    PRIM_REDUCE_FLOAT_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool operator_is_built(const prim_reduce_args *args)
{
    if (args->kind == PRIM_REDUCE_ARG || args->kind == PRIM_REDUCE_DOT)
        return true; /* they have their own */
#define BUILT(op_enum, op_struct) \
    if (args->op == op_enum)      \
        return true;
    PRIM_REDUCE_OPERATORS(BUILT)
    PRIM_REDUCE_BIT_OPERATORS(BUILT)
#undef BUILT
    return false;
}

static bool is_built(const prim_reduce_args *args)
{
    return kind_is_built(args) && types_are_built(args) && operator_is_built(args);
}

static bool textbook_types_are_built(const prim_reduce_args *args)
{
#define BUILT(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return true;
    PRIM_REDUCE_TEXTBOOK_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool textbook_operator_is_built(const prim_reduce_args *args)
{
#define BUILT(op_enum, op_struct) \
    if (args->op == op_enum)      \
        return true;
    PRIM_REDUCE_TEXTBOOK_OPERATORS(BUILT)
#undef BUILT
    return false;
}

static bool of_lines(const prim_reduce_args *args)
{
    return args->kind == PRIM_REDUCE_VECTOR || args->kind == PRIM_REDUCE_ROWS;
}

/* ---- the rungs up to SHUFFLE: lines, in passes over blocks ---- */

/* An empty row has one block too: it writes the identity. */
static bool textbook_supports(const prim_reduce_args *args, size_t block_elements)
{
    const size_t blocks = args->columns == 0 ? 1 : prim_divide_up(args->columns, block_elements);
    return of_lines(args) && kind_is_built(args) && textbook_types_are_built(args) &&
           textbook_operator_is_built(args) && prim_fits_a_grid(args->rows, blocks);
}

/* Every pass but the last leaves its blocks' values in the workspace. */
static size_t partials_bytes(const prim_reduce_args *args, size_t block_elements)
{
    return args->rows * prim_values_between_levels(args->columns, block_elements) *
           prim_element_bytes(args->out_type);
}

static bool interleaved_supports(const void *args)
{
    return textbook_supports(args, PRIM_REDUCE_INTERLEAVED_ELEMENTS);
}

static size_t interleaved_workspace(const void *args)
{
    return partials_bytes(args, PRIM_REDUCE_INTERLEAVED_ELEMENTS);
}

static bool sequential_supports(const void *args)
{
    return textbook_supports(args, PRIM_REDUCE_SEQUENTIAL_ELEMENTS);
}

static size_t sequential_workspace(const void *args)
{
    return partials_bytes(args, PRIM_REDUCE_SEQUENTIAL_ELEMENTS);
}

static bool shuffle_supports(const void *args)
{
    return textbook_supports(args, PRIM_REDUCE_SHUFFLE_ELEMENTS);
}

static size_t shuffle_workspace(const void *args)
{
    return partials_bytes(args, PRIM_REDUCE_SHUFFLE_ELEMENTS);
}

/* ---- VECTORIZED and SINGLE_PASS: tiles ---- */

/* Bytes of what is combined: see accumulator and candidate in sources.cuh. */
static size_t value_bytes(const prim_reduce_args *args)
{
    const size_t out = prim_element_bytes(args->out_type);
    return args->kind == PRIM_REDUCE_ARG ? 16 : out < 4 ? 4 : out;
}

static size_t tiles_of(size_t count, size_t element_bytes)
{
    return count == 0 ? 1 : prim_divide_up(count, PRIM_REDUCE_TILE_BYTES / element_bytes);
}

static size_t tiles_of_line(const prim_reduce_args *args)
{
    return tiles_of(args->columns, prim_element_bytes(args->in_type));
}

/* So many values begin the next row of them at a vector. */
static size_t values_ld(size_t count, size_t bytes)
{
    return prim_divide_up(count * bytes, PRIM_REDUCE_VECTOR_BYTES) * PRIM_REDUCE_VECTOR_BYTES /
           bytes;
}

static size_t lines_workspace(const prim_reduce_args *args)
{
    const size_t bytes = value_bytes(args);
    size_t values = 0;
    for (size_t tiles = tiles_of_line(args); tiles > 1; tiles = tiles_of(tiles, bytes))
        values += values_ld(tiles, bytes);
    return args->rows * values * bytes;
}

static prim_column_shape shape_of_columns(const prim_reduce_args *args, size_t rows, size_t bytes)
{
    return prim_shape_of_columns(rows,
                                 prim_divide_up(args->columns, PRIM_REDUCE_VECTOR_BYTES / bytes));
}

static prim_column_shape first_shape(const prim_reduce_args *args)
{
    return shape_of_columns(args, args->rows, prim_element_bytes(args->in_type));
}

static size_t columns_workspace(const prim_reduce_args *args)
{
    const size_t bytes = value_bytes(args);
    size_t rows = 0;
    for (prim_column_shape shape = first_shape(args); shape.tiles > 1;
         shape = shape_of_columns(args, shape.tiles, bytes))
        rows += shape.tiles;
    return rows * values_ld(args->columns, bytes) * bytes;
}

static bool vectorized_supports(const void *any)
{
    const prim_reduce_args *args = any;
    if (!is_built(args))
        return false;
    if (args->kind != PRIM_REDUCE_COLUMNS)
        return prim_fits_a_grid(args->rows, tiles_of_line(args));
    const prim_column_shape shape = first_shape(args);
    return prim_fits_a_grid(shape.tiles, shape.strips);
}

static size_t vectorized_workspace(const void *any)
{
    const prim_reduce_args *args = any;
    return args->kind == PRIM_REDUCE_COLUMNS ? columns_workspace(args) : lines_workspace(args);
}

static cudaError_t vectorized_launch(const void *any)
{
    const prim_reduce_args *args = any;
    switch (args->kind) {
    case PRIM_REDUCE_VECTOR:
    case PRIM_REDUCE_ROWS:
        return prim_reduce_vectorized(args);
    case PRIM_REDUCE_COLUMNS:
        return prim_reduce_column_walk(args);
    case PRIM_REDUCE_ARG:
        return prim_reduce_arg(args);
    case PRIM_REDUCE_DOT:
        return prim_reduce_dot(args);
    }
    return cudaErrorInvalidValue;
}

static bool single_pass_supports(const void *any)
{
    const prim_reduce_args *args = any;
    return of_lines(args) && args->rows == 1 && is_built(args) &&
           tiles_of_line(args) <= PRIM_REDUCE_SINGLE_PASS_TILES && prim_device_has_clusters();
}

/* One tile needs no cluster, and more than 16 tiles are too much for one. */
int prim_reduce_choose(const void *any)
{
    const prim_reduce_args *args = any;
    return tiles_of_line(args) > 1 && single_pass_supports(args) ? PRIM_REDUCE_SINGLE_PASS
                                                                 : PRIM_REDUCE_VECTORIZED;
}

const prim_rung prim_reduce_rungs[] = {
    {PRIM_REDUCE_INTERLEAVED, "interleaved", "neighbours first; the stride doubles, warps diverge",
     interleaved_supports, interleaved_workspace, prim_reduce_interleaved},
    {PRIM_REDUCE_SEQUENTIAL, "sequential",
     "halves first; two elements a thread, the stride halves, idle warps retire",
     sequential_supports, sequential_workspace, prim_reduce_sequential},
    {PRIM_REDUCE_SHUFFLE, "shuffle", "warps combine in registers; one barrier a block",
     shuffle_supports, shuffle_workspace, prim_reduce_shuffle},
    {PRIM_REDUCE_VECTORIZED, "vectorized",
     "16-byte loads, several in flight; the next pass is launched early", vectorized_supports,
     vectorized_workspace, vectorized_launch},
    {PRIM_REDUCE_SINGLE_PASS, "single_pass", "one launch: a cluster shares its blocks' memory",
     single_pass_supports, prim_no_workspace, prim_reduce_single_pass},
    {0},
};
