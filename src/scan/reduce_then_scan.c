/* REDUCE_THEN_SCAN: two or three launches, and no block ever waits for another one.
 *
 *     elements   ████████│████████│████████│███      1  each block reads a tile for its total
 *     totals         A        B        C    D        2  the totals are scanned, exclusively: a line
 *     before         ·        A       AB   ABC          of totals is a line, so again 1 to 3
 *     results    ████████│A+██████│AB+█████│ABC+     3  each block reads its tile again, and writes
 *
 * Up to 512 tiles, step 2 is a part of 3: each block adds up the totals before its own tile. From
 * compute capability 9.0 on, that launch reads its tiles, which are in L2 by then, while the one
 * for the totals still runs.
 *
 * What changed from SHUFFLE: 16 bytes a load and four loads in flight a thread; the elements are
 * read twice and written once, not read twice and written twice. From compute capability 9.0 on, a
 * launch is under way while the one before it still runs.
 *
 * What holds it back: the second reading. LOOKBACK does without.
 *
 * Work: 3 × count combinations. Bytes: the elements twice, the results once, and 1/8192 of that
 * (f32) for the totals. Steps: of a tile, tiles.cu; in log8192(count) levels.
 * Source: D. Merrill and A. Grimshaw, Parallel Scan for Stream Architectures, University of
 * Virginia (2009). */
#include "common/element.h"
#include "common/sizes.h"
#include "scan/scan_variants.h"

/* A row's totals begin at a whole vector. */
static size_t totals_ld(const prim_scan_args *args, size_t value_bytes)
{
    const size_t vector = PRIM_SCAN_VECTOR_BYTES / value_bytes;
    return prim_divide_up(prim_scan_tiles_of(args), vector) * vector;
}

static size_t totals_bytes(const prim_scan_args *args)
{
    const size_t value_bytes = prim_element_bytes(prim_scan_value_type(args->out_type));
    const size_t bytes = args->rows * totals_ld(args, value_bytes) * value_bytes;
    return prim_divide_up(bytes, PRIM_SCAN_VECTOR_BYTES) * PRIM_SCAN_VECTOR_BYTES;
}

/* The scan of the tiles' totals, which lie in the workspace, in place. */
static prim_scan_args scan_of_totals(const prim_scan_args *args)
{
    prim_scan_args of_totals = *args;
    char *const workspace = args->call.workspace;
    of_totals.in_type = of_totals.out_type = prim_scan_value_type(args->out_type);
    of_totals.kind = PRIM_SCAN_EXCLUSIVE;
    of_totals.transform = PRIM_TRANSFORM_NONE;
    of_totals.initial = NULL;
    of_totals.total = NULL;
    of_totals.in = of_totals.out = workspace;
    of_totals.columns = prim_scan_tiles_of(args);
    of_totals.in_ld = of_totals.out_ld = totals_ld(args, prim_element_bytes(of_totals.out_type));
    of_totals.call.workspace = workspace != NULL ? workspace + totals_bytes(args) : NULL;
    return of_totals;
}

size_t prim_scan_reduce_then_scan_bytes(const prim_scan_args *args)
{
    const size_t tiles = prim_scan_tiles_of(args);
    if (args->rows == 0 || tiles == 1)
        return 0;
    const prim_scan_args of_totals = scan_of_totals(args);
    return totals_bytes(args) +
           (tiles <= PRIM_SCAN_TOTALS_AT_ONCE ? 0 : prim_scan_reduce_then_scan_bytes(&of_totals));
}

cudaError_t prim_scan_reduce_then_scan(const prim_scan_args *args)
{
    if (args->rows == 0 || args->columns == 0)
        return prim_scan_nothing(args);
    if (prim_scan_tiles_of(args) == 1)
        return prim_scan_launch_tiles(args, (prim_scan_tiles){.carry = PRIM_SCAN_CARRY_NONE});

    const prim_scan_args of_totals = scan_of_totals(args);
    const bool at_once = of_totals.columns <= PRIM_SCAN_TOTALS_AT_ONCE;
    prim_scan_tiles tiles = {PRIM_SCAN_TOTALS_ALONE, of_totals.out, of_totals.out_ld};
    cudaError_t error = prim_scan_launch_tiles(args, tiles);
    if (error == cudaSuccess && !at_once)
        error = prim_scan_reduce_then_scan(&of_totals);
    tiles.carry = at_once ? PRIM_SCAN_CARRY_TOTALS : PRIM_SCAN_CARRY_GIVEN;
    return error == cudaSuccess ? prim_scan_launch_tiles(args, tiles) : error;
}

/* ---- both directions: tiles_2d.cu says how ---- */

/* The totals in the workspace, and the scans of them, which share what is behind. */
typedef struct both_parts {
    prim_scan_matrix_tiles tiles;
    prim_scan_args of_rows, of_columns;
    size_t bytes; /* of the totals */
} both_parts;

/* Each row's totals along it, or the matrix that the columns' totals are, from `bytes` on. */
static prim_scan_args part_of_totals(const prim_scan_args *args, size_t rows, size_t columns,
                                     size_t *bytes)
{
    prim_scan_args part = *args;
    part.in_type = part.out_type = prim_scan_value_type(args->out_type);
    const size_t value_bytes = prim_element_bytes(part.out_type);
    const size_t width = PRIM_SCAN_VECTOR_BYTES / value_bytes;
    char *const workspace = args->call.workspace;
    part.transform = PRIM_TRANSFORM_NONE;
    part.rows = rows;
    part.columns = columns;
    part.in_ld = part.out_ld = prim_divide_up(columns, width) * width;
    part.in = part.out = workspace != NULL ? workspace + *bytes : NULL;
    *bytes += rows * part.in_ld * value_bytes;
    return part;
}

static both_parts parts_of(const prim_scan_args *args)
{
    both_parts p = {.bytes = 0};
    p.tiles.across =
        prim_divide_up(args->columns, PRIM_SCAN_WARP_LANES * prim_scan_area_width(args));
    p.tiles.down = prim_divide_up(args->rows, PRIM_SCAN_AREA_WARPS * prim_scan_area_rows(args));
    p.of_rows = part_of_totals(args, p.tiles.across > 1 ? args->rows : 0, p.tiles.across, &p.bytes);
    p.of_rows.kind = PRIM_SCAN_EXCLUSIVE;
    p.of_rows.both_directions = false;
    p.of_columns =
        part_of_totals(args, p.tiles.down > 1 ? p.tiles.down : 0, args->columns, &p.bytes);
    p.tiles.rows = p.tiles.across > 1 ? p.of_rows.out : NULL;
    p.tiles.rows_ld = p.of_rows.out_ld;
    p.tiles.columns = p.tiles.down > 1 ? p.of_columns.out : NULL;
    p.tiles.columns_ld = p.of_columns.out_ld;
    if (args->call.workspace != NULL)
        p.of_rows.call.workspace = p.of_columns.call.workspace =
            (char *)args->call.workspace + p.bytes;
    return p;
}

size_t prim_scan_both_directions_bytes(const prim_scan_args *args)
{
    if (args->rows == 0 || args->columns == 0)
        return 0;
    const both_parts p = parts_of(args);
    const size_t rows = prim_scan_reduce_then_scan_bytes(&p.of_rows),
                 columns = prim_scan_both_directions_bytes(&p.of_columns);
    return p.bytes + (rows > columns ? rows : columns);
}

cudaError_t prim_scan_both_directions(const prim_scan_args *args)
{
    if (args->rows == 0 || args->columns == 0)
        return cudaSuccess;
    both_parts p = parts_of(args);
    cudaError_t error = cudaSuccess;
    p.tiles.totals_alone = true;
    if (p.tiles.rows != NULL || p.tiles.columns != NULL)
        error = prim_scan_launch_matrix_tiles(args, &p.tiles);
    if (error == cudaSuccess)
        error = prim_scan_reduce_then_scan(&p.of_rows);
    if (error == cudaSuccess)
        error = prim_scan_both_directions(&p.of_columns);
    p.tiles.totals_alone = false;
    return error == cudaSuccess ? prim_scan_launch_matrix_tiles(args, &p.tiles) : error;
}
