/* How REDUCE_THEN_SCAN, CHAINED, CLUSTER and the host cut a line into tiles, and the kernel that
 * two of the rungs have in common: tiles.cu.
 *
 *     run      64 bytes of the wider of the two types: one after the other, vector by vector
 *     chunk    the runs of 32 lanes: exclusive prefixes by scan_warp()
 *     tile     16 chunks: exclusive prefixes by scan_warp()
 *     line     its tiles, one after the other, from the initial value on
 *
 * That is the order in which they combine, on every device and on the host. primitives/scan.h
 * promises it, and so these numbers. LOOKBACK has the same runs and chunks, and tiles of its
 * own. */
#ifndef PRIM_SCAN_TILES_H
#define PRIM_SCAN_TILES_H

#include "common/host/element.h"
#include "common/host/sizes.h"
#include "scan/routes.h"
#include "scan/scan_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* May be set with -D for measurements. The bits of float sums depend on both. */
#ifndef PRIM_SCAN_TILE_WARPS
#define PRIM_SCAN_TILE_WARPS 16
#endif
#ifndef PRIM_SCAN_RUN_VECTORS /* vectors of 16 bytes of a lane's run: a power of two */
#define PRIM_SCAN_RUN_VECTORS 4
#endif

enum {
    PRIM_SCAN_VECTOR_BYTES = 16,
    PRIM_SCAN_CHUNK_VECTORS = 32 * PRIM_SCAN_RUN_VECTORS,    /* of a warp */
    PRIM_SCAN_AGGREGATES_AT_ONCE = 32 * PRIM_SCAN_TILE_WARPS /* that a block combines itself */
};

/* Elements of a vector of the wider of the two types. */
static inline size_t prim_scan_width_of(const prim_scan_args *args)
{
    const size_t in = prim_element_bytes(args->in_type), out = prim_element_bytes(args->out_type);
    return PRIM_SCAN_VECTOR_BYTES / (in > out ? in : out);
}

/* Elements of a tile of that many warps. */
static inline size_t prim_scan_elements_of_warps(const prim_scan_args *args, size_t warps)
{
    return warps * PRIM_SCAN_CHUNK_VECTORS * prim_scan_width_of(args);
}

static inline size_t prim_scan_tile_elements(const prim_scan_args *args)
{
    return prim_scan_elements_of_warps(args, PRIM_SCAN_TILE_WARPS);
}

/* Tiles of that many warps in a line; an empty line has one, too. */
static inline size_t prim_scan_tiles_of_warps(const prim_scan_args *args, size_t warps)
{
    return args->columns == 0
               ? 1
               : prim_divide_up(args->columns, prim_scan_elements_of_warps(args, warps));
}

static inline size_t prim_scan_tiles_of(const prim_scan_args *args)
{
    return prim_scan_tiles_of_warps(args, PRIM_SCAN_TILE_WARPS);
}

/* How a tile gets its exclusive prefix, and where its aggregate goes. */
typedef enum prim_scan_carry {
    PRIM_SCAN_CARRY_NONE,       /* the tile is the whole line */
    PRIM_SCAN_CARRY_IN_BLOCK,   /* a block has all tiles of its line, one after the other */
    PRIM_SCAN_CARRY_CLUSTER,    /* the blocks of a cluster exchange aggregates */
    PRIM_SCAN_CARRY_GIVEN,      /* `aggregates` has each tile's exclusive prefix */
    PRIM_SCAN_CARRY_AGGREGATES, /* `aggregates` has each tile's own, and the launch before this one
                                was AGGREGATES_ALONE; a line has up to AGGREGATES_AT_ONCE tiles */
    PRIM_SCAN_CHAIN_AGGREGATES, /* `aggregates` has each tile's own, then its prefix */
    PRIM_SCAN_AGGREGATES_ALONE  /* writes each tile's to `aggregates`, and nothing else */
} prim_scan_carry;

typedef struct prim_scan_tiles {
    prim_scan_carry carry;
    void *aggregates; /* a value for each tile, line by line */
    size_t aggregates_ld;
    void *initial; /* a value, for the launches after AGGREGATES_ALONE */
} prim_scan_tiles;

/* One launch over all tiles of all rows. A line that is part of a longer one, and begins at one of
 * its tiles, has the longer one's tiles. */
cudaError_t prim_scan_launch_tiles(const prim_scan_args *args, prim_scan_tiles tiles);

/* Whether two rows or more fit a chunk. short_rows.cu has one launch for all of them. */
static inline bool prim_scan_has_short_rows(const prim_scan_args *args)
{
    return args->rows > 1 &&
           args->columns <= PRIM_SCAN_CHUNK_VECTORS * prim_scan_width_of(args) / 2;
}

/* The part of prim_scan_route_of() that is about short rows. */
prim_scan_route prim_scan_short_rows_route(const prim_scan_args *args);
cudaError_t prim_scan_launch_short_rows(const prim_scan_args *args);

/* Whether a block has a whole line: lines of one tile, and longer ones that keep nearly all blocks
 * busy, counted over all rounds. Not where the kernel of tiles.cu is not built. */
bool prim_scan_has_whole_lines(const prim_scan_args *args);

/* One launch over such lines. */
cudaError_t prim_scan_launch_lines(const prim_scan_args *args, prim_scan_route route);

/* empty.cu: for empty lines, the initial value becomes the total, where one is wanted. */
cudaError_t prim_scan_launch_empty(const prim_scan_args *args);

#if defined(__cplusplus)
}
#endif

#endif
