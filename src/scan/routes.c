/* Which route a call takes: the only place that chooses. */
#include "scan/routes.h"

#include "scan/table/summed_area.h"
#include "scan/tile/tiles.h"

/* Lines that a warp or a block has by itself: no block waits for another. */
static prim_scan_route route_of_whole_lines(const prim_scan_args *args)
{
    return prim_scan_has_short_rows(args)  ? prim_scan_short_rows_route(args)
           : prim_scan_tiles_of(args) == 1 ? PRIM_SCAN_ONE_TILE
                                           : PRIM_SCAN_BLOCK_ROWS;
}

static prim_scan_route route_of_reduce_then_scan(const prim_scan_args *args)
{
    const size_t tiles = prim_scan_tiles_of(args);
    if (args->summed_area)
        return prim_scan_table_route(args);
    return tiles == 1                              ? route_of_whole_lines(args)
           : tiles <= PRIM_SCAN_AGGREGATES_AT_ONCE ? PRIM_SCAN_TWO_LAUNCHES
                                                   : PRIM_SCAN_THREE_LAUNCHES;
}

prim_scan_route prim_scan_route_of(prim_scan_variant rung, const prim_scan_args *args)
{
    if (args->rows == 0 || args->columns == 0)
        return PRIM_SCAN_NO_ROUTE;
    switch (rung) {
    case PRIM_SCAN_REDUCE_THEN_SCAN:
        return route_of_reduce_then_scan(args);
    case PRIM_SCAN_LOOKBACK:
        return prim_scan_has_whole_lines(args) ? route_of_whole_lines(args) : PRIM_SCAN_LOOK_BACK;
    case PRIM_SCAN_CHAINED:
        return args->summed_area                 ? PRIM_SCAN_DIAGONALS
               : prim_scan_has_whole_lines(args) ? route_of_whole_lines(args)
                                                 : PRIM_SCAN_CHAIN;
    default:
        return PRIM_SCAN_NO_ROUTE;
    }
}

const char *prim_scan_route_name(prim_scan_route route)
{
    static const char *const names[] = {
        [PRIM_SCAN_NO_ROUTE] = NULL,
        [PRIM_SCAN_WARP_ROWS] = "warp_rows",
        [PRIM_SCAN_LANE_ROWS] = "lane_rows",
        [PRIM_SCAN_ONE_TILE] = "one_tile",
        [PRIM_SCAN_BLOCK_ROWS] = "block_rows",
        [PRIM_SCAN_TWO_LAUNCHES] = "two_launches",
        [PRIM_SCAN_THREE_LAUNCHES] = "three_launches",
        [PRIM_SCAN_LOOK_BACK] = "look_back",
        [PRIM_SCAN_CHAIN] = "chain",
        [PRIM_SCAN_WIDE_TILES] = "wide_tiles",
        [PRIM_SCAN_NARROW_TILES] = "narrow_tiles",
        [PRIM_SCAN_LOW_TILES] = "low_tiles",
        [PRIM_SCAN_DIAGONALS] = "diagonals",
    };
    return names[route];
}
