/* The routes of REDUCE_THEN_SCAN, LOOKBACK and CHAINED: each is an algorithm, whatever the types.
 * README.md says what takes it, and which file has it. */
#ifndef PRIM_SCAN_ROUTES_H
#define PRIM_SCAN_ROUTES_H

#include "scan/scan_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum prim_scan_route {
    PRIM_SCAN_NO_ROUTE, /* there are no elements, or the rung has one way */
    /* of all three rungs: short rows, and lines of one tile */
    PRIM_SCAN_WARP_ROWS,
    PRIM_SCAN_LANE_ROWS,
    PRIM_SCAN_ONE_TILE,
    /* longer lines; a block for each row is a way of LOOKBACK and CHAINED only */
    PRIM_SCAN_BLOCK_ROWS,
    PRIM_SCAN_TWO_LAUNCHES,
    PRIM_SCAN_THREE_LAUNCHES,
    PRIM_SCAN_LOOK_BACK,
    PRIM_SCAN_CHAIN,
    /* summed-area tables */
    PRIM_SCAN_WIDE_TILES,
    PRIM_SCAN_NARROW_TILES,
    PRIM_SCAN_LOW_TILES,
    PRIM_SCAN_DIAGONALS
} prim_scan_route;

/* The route that a call takes in one of the rungs. Pure: it depends on the arguments, the alignment
 * of pointers among them, and on the current device. */
prim_scan_route prim_scan_route_of(prim_scan_variant rung, const prim_scan_args *args);

/* For prim_answer; NULL for PRIM_SCAN_NO_ROUTE. */
const char *prim_scan_route_name(prim_scan_route route);

#if defined(__cplusplus)
}
#endif

#endif
