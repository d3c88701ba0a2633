/* REDUCE_THEN_SCAN: two or three launches, and no block ever waits for another one. The kernel of
 * both is in tiles.cu, since CLUSTER has it too; that of summed-area tables is in summed_area.cu.
 *
 *     elements   ████████│████████│████████│███      1  each block reads a tile for its total
 *     aggregates     A        B        C    D        2  a block combines a line's aggregates, one
 *     prefixes       ·        A       AB   ABC          after the other
 *     results    ████████│A+██████│AB+█████│ABC+     3  each block reads its tile again, and writes
 *
 * Up to 512 tiles, step 2 is part of step 3: each block adds up the aggregates before its own tile.
 * From compute capability 9.0 on, that launch reads its tiles, which are in L2 by then, while the
 * one for the aggregates still runs.
 *
 * What changed from SHUFFLE: loads of 16 bytes, four in flight in each thread; the elements are
 * read twice and written once, not read twice and written twice. From compute capability 9.0 on,
 * launches overlap (programmatic dependent launch).
 *
 * What holds it back: reading the elements twice. LOOKBACK reads them once.
 *
 * Work: 3 × count combinations. Bytes: the elements twice, the results once, and 1/8192 of that
 * (f32) for the aggregates. Steps: of a tile, tiles.cu; in log8192(count) levels.
 * Source: D. Merrill and A. Grimshaw, Parallel Scan for Stream Architectures, University of
 * Virginia (2009). */
#include "scan/dispatch.cuh"
#include "scan/table/summed_area.h"
#include "scan/tile/tiles.h"

namespace
{
namespace reduce_then_scan
{

/* ---- lines ---- */

/* The leading dimension of aggregates: each row of them begins at a whole vector. */
size_t aggregates_ld(const prim_scan_args *args, size_t value_bytes)
{
    const size_t vector = PRIM_SCAN_VECTOR_BYTES / value_bytes;
    return prim_divide_up(prim_scan_tiles_of(args), vector) * vector;
}

size_t aggregates_bytes(const prim_scan_args *args)
{
    const size_t value_bytes = prim_element_bytes(prim_accumulator_type(args->out_type));
    const size_t bytes = args->rows * aggregates_ld(args, value_bytes) * value_bytes;
    return prim_divide_up(bytes, PRIM_SCAN_VECTOR_BYTES) * PRIM_SCAN_VECTOR_BYTES;
}

/* Steps 1 to 3, or without step 2. */
cudaError_t scan_tiles_twice(const prim_scan_args *args, bool at_once)
{
    const size_t value_bytes = prim_element_bytes(prim_accumulator_type(args->out_type));
    char *const workspace = static_cast<char *>(args->call.workspace);
    prim_scan_tiles tiles = {PRIM_SCAN_AGGREGATES_ALONE, workspace + PRIM_SCAN_VECTOR_BYTES,
                             aggregates_ld(args, value_bytes), workspace};
    cudaError_t error = prim_scan_launch_tiles(args, tiles);
    tiles.carry = PRIM_SCAN_CHAIN_AGGREGATES;
    if (error == cudaSuccess && !at_once)
        error = prim_scan_launch_tiles(args, tiles);
    tiles.carry = at_once ? PRIM_SCAN_CARRY_AGGREGATES : PRIM_SCAN_CARRY_GIVEN;
    return error == cudaSuccess ? prim_scan_launch_tiles(args, tiles) : error;
}

cudaError_t scan_lines(const prim_scan_args *args)
{
    const prim_scan_route route = prim_scan_route_of(PRIM_SCAN_REDUCE_THEN_SCAN, args);
    switch (route) {
    case PRIM_SCAN_NO_ROUTE:
        return prim_scan_launch_empty(args);
    case PRIM_SCAN_TWO_LAUNCHES:
    case PRIM_SCAN_THREE_LAUNCHES:
        return scan_tiles_twice(args, route == PRIM_SCAN_TWO_LAUNCHES);
    default:
        return prim_scan_launch_lines(args, route);
    }
}

/* The workspace: the initial value, and the aggregates. */
size_t bytes_of_lines(const prim_scan_args *args)
{
    return args->rows == 0 || prim_scan_tiles_of(args) == 1
               ? 0
               : PRIM_SCAN_VECTOR_BYTES + aggregates_bytes(args);
}

/* ---- summed-area tables: summed_area.cu draws them ---- */

/* The aggregates in the workspace, and the scans of them, which share the workspace after them. */
struct table_parts {
    prim_scan_table_tiles tiles;
    prim_scan_args of_rows, of_columns;
    size_t bytes; /* of the aggregates */
};

/* The scan of the rows' or of the columns' aggregates, which lie at `bytes` in the workspace. Each
 * row of them begins at a whole vector, but where there are so few columns that gaps would be many
 * of the bytes: these are copied as one piece. */
prim_scan_args part_of_aggregates(const prim_scan_args *args, size_t rows, size_t columns,
                                  size_t *bytes)
{
    prim_scan_args part = *args;
    part.in_type = part.out_type = prim_accumulator_type(args->out_type);
    const size_t value_bytes = prim_element_bytes(part.out_type);
    const size_t width = PRIM_SCAN_VECTOR_BYTES / value_bytes;
    char *const workspace = static_cast<char *>(args->call.workspace);
    part.of_aggregates = true;
    part.transform = PRIM_TRANSFORM_NONE;
    part.rows = rows;
    part.columns = columns;
    const bool narrow = columns <= prim_scan_table_tile_columns(args) / 2;
    part.in_ld = part.out_ld = narrow ? columns : prim_divide_up(columns, width) * width;
    part.in = part.out = workspace != nullptr ? workspace + *bytes : nullptr;
    *bytes += prim_divide_up(rows * part.in_ld, width) * width * value_bytes;
    return part;
}

table_parts parts_of(const prim_scan_args *args)
{
    table_parts p = {};
    const size_t across = prim_scan_table_across(args), down = prim_scan_table_down(args);
    p.of_rows = part_of_aggregates(args, across > 1 ? args->rows : 0, across, &p.bytes);
    p.of_rows.kind = PRIM_SCAN_EXCLUSIVE;
    p.of_rows.summed_area = false;
    p.of_columns = part_of_aggregates(args, down > 1 ? down : 0, args->columns, &p.bytes);
    p.tiles = {false,
               across,
               down,
               across > 1 ? p.of_rows.out : nullptr,
               down > 1 ? p.of_columns.out : nullptr,
               p.of_rows.out_ld,
               p.of_columns.out_ld};
    if (args->call.workspace != nullptr)
        p.of_rows.call.workspace = p.of_columns.call.workspace =
            static_cast<char *>(args->call.workspace) + p.bytes;
    return p;
}

cudaError_t make_table(const prim_scan_args *args)
{
    const prim_scan_route route = prim_scan_route_of(PRIM_SCAN_REDUCE_THEN_SCAN, args);
    if (route == PRIM_SCAN_NO_ROUTE)
        return cudaSuccess;
    table_parts p = parts_of(args);
    cudaError_t error = cudaSuccess;
    p.tiles.aggregates_alone = true;
    if (p.tiles.rows != nullptr || p.tiles.columns != nullptr)
        error = prim_scan_launch_table_tiles(args, route, &p.tiles);
    if (error == cudaSuccess)
        error = scan_lines(&p.of_rows);
    if (error == cudaSuccess)
        error = make_table(&p.of_columns);
    p.tiles.aggregates_alone = false;
    return error == cudaSuccess ? prim_scan_launch_table_tiles(args, route, &p.tiles) : error;
}

size_t bytes_of_table(const prim_scan_args *args)
{
    if (args->rows == 0 || args->columns == 0)
        return 0;
    const table_parts p = parts_of(args);
    const size_t rows = bytes_of_lines(&p.of_rows), columns = bytes_of_table(&p.of_columns);
    return p.bytes + (rows > columns ? rows : columns);
}

const char *table_why_not(const prim_scan_args *args)
{
    const size_t across = prim_scan_table_across(args), down = prim_scan_table_down(args);
    prim_scan_args of_aggregates = *args;
    of_aggregates.in_type = of_aggregates.out_type = prim_accumulator_type(args->out_type);
    if (types_why_not(&of_aggregates, PRIM_SCAN_REDUCE_THEN_SCAN) != nullptr)
        return "this build of the library has no kernels for the type of its aggregates";
    return prim_fits_a_grid(args->rows, across) && prim_fits_a_grid(down, across)
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

/* ---- the rung ---- */

/* The grid of the elements decides: the scans of the aggregates have fewer blocks. */
const char *why_not(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    const size_t tiles = prim_scan_tiles_of(args);
    const char *const reason = types_why_not(args, PRIM_SCAN_REDUCE_THEN_SCAN);
    if (reason != nullptr)
        return reason;
    if (args->summed_area)
        return table_why_not(args);
    return prim_fits_a_grid(args->rows, tiles) ? nullptr : PRIM_GRID_TOO_SMALL;
}

size_t workspace_bytes(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    return args->summed_area ? bytes_of_table(args) : bytes_of_lines(args);
}

cudaError_t launch(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    return args->summed_area ? make_table(args) : scan_lines(args);
}

} // namespace reduce_then_scan
} // namespace

PRIM_DEFINE_RUNG(scan, reduce_then_scan) = {
    {PRIM_SCAN_REDUCE_THEN_SCAN, "reduce_then_scan",
     "the tiles' aggregates first; then each tile, read again, from its exclusive prefix"},
    reduce_then_scan::why_not,
    reduce_then_scan::workspace_bytes,
    reduce_then_scan::launch};
