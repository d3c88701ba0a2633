/* How a matrix is cut into tiles for a summed-area table, and the kernels for them: summed_area.cu
 * for REDUCE_THEN_SCAN, chained_table.cu for CHAINED. */
#ifndef PRIM_SCAN_SUMMED_AREA_H
#define PRIM_SCAN_SUMMED_AREA_H

#include "common/host/element.h"
#include "common/host/sizes.h"
#include "scan/routes.h"
#include "scan/scan_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* May be set with -D for measurements. */
#ifndef PRIM_SCAN_TABLE_WARPS
#define PRIM_SCAN_TABLE_WARPS 8
#endif
#ifndef PRIM_SCAN_TABLE_ROWS /* of a warp */
#define PRIM_SCAN_TABLE_ROWS 8
#endif
#ifndef PRIM_SCAN_TABLE_ROWS_OF_8 /* of results of 8 bytes, which leave registers for fewer */
#define PRIM_SCAN_TABLE_ROWS_OF_8 6
#endif

/* The size of a tile: a vector of 16 bytes of values for each lane, and the rows of all warps. */
static inline size_t prim_scan_table_tile_columns(const prim_scan_args *args)
{
    return 32 * 16 / prim_element_bytes(prim_accumulator_type(args->out_type));
}

static inline size_t prim_scan_table_tile_rows(const prim_scan_args *args)
{
    const size_t of_warp =
        prim_element_bytes(args->out_type) == 8 ? PRIM_SCAN_TABLE_ROWS_OF_8 : PRIM_SCAN_TABLE_ROWS;
    return PRIM_SCAN_TABLE_WARPS * of_warp;
}

static inline size_t prim_scan_table_across(const prim_scan_args *args)
{
    return prim_divide_up(args->columns, prim_scan_table_tile_columns(args));
}

static inline size_t prim_scan_table_down(const prim_scan_args *args)
{
    return prim_divide_up(args->rows, prim_scan_table_tile_rows(args));
}

typedef struct prim_scan_table_tiles {
    bool aggregates_alone; /* written to rows and columns; otherwise these hold prefixes */
    size_t across, down;
    void *rows, *columns; /* NULL where there is one tile only in that direction */
    size_t rows_ld, columns_ld;
} prim_scan_table_tiles;

/* The part of prim_scan_route_of() that is about REDUCE_THEN_SCAN's tables. */
prim_scan_route prim_scan_table_route(const prim_scan_args *args);
cudaError_t prim_scan_launch_table_tiles(const prim_scan_args *args, prim_scan_route route,
                                         const prim_scan_table_tiles *tiles);

/* The words in the workspace are cleared. */
cudaError_t prim_scan_launch_chained_table(const prim_scan_args *args);

#if defined(__cplusplus)
}
#endif

#endif
