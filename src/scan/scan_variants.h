/* Inside scan: the arguments that travel together, the table of its rungs, and how they cut lines.
 */
#ifndef PRIM_SCAN_VARIANTS_H
#define PRIM_SCAN_VARIANTS_H

#include <primitives/scan.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A vector is a matrix of one row. */
typedef struct prim_scan_args {
    prim_call call;
    prim_scan_kind kind;
    prim_op op;
    prim_transform transform;
    bool both_directions; /* the columns after the rows; then inclusive and without initial */
    const void *initial;  /* host; NULL for the identity */
    cudaDataType_t in_type, out_type;
    const void *in;
    size_t rows, columns, in_ld;
    void *out;
    size_t out_ld;
    void *total; /* of a vector; NULL: not wanted */
} prim_scan_args;

/* Up the ladder. */
extern const prim_rung prim_scan_rungs[];

/* The rung for AUTO. */
int prim_scan_choose(const void *args);

/* ---- the textbook's rungs ---- */

/* Elements in the section of a line that one block of a rung scans. */
enum {
    PRIM_SCAN_KOGGE_STONE_ELEMENTS = 256,
    PRIM_SCAN_BRENT_KUNG_ELEMENTS = 512,
    PRIM_SCAN_COARSENED_ELEMENTS = 2048,
    PRIM_SCAN_SHUFFLE_ELEMENTS = 1024
};

cudaError_t prim_scan_kogge_stone(const void *args);
cudaError_t prim_scan_brent_kung(const void *args);
cudaError_t prim_scan_coarsened(const void *args);
cudaError_t prim_scan_shuffle(const void *args);

/* Step 3 of sections.cuh: lines whose sections are scanned, and what lies before each section. */
typedef struct prim_scan_sections {
    void *base;
    size_t line_stride, element_stride, length, count;
    unsigned sections, elements, threads; /* of a line; of a section; of a block */
    const void *offsets;
} prim_scan_sections;

/* Types and operator are those of args. */
cudaError_t prim_scan_add_offsets(const prim_scan_args *args, const prim_scan_sections *sections);

/* ---- the fast rungs: tiles, which chunk.cuh and tiles.cu describe ---- */

/* To be given with -D where sizes are being measured. The results of float sums depend on those of
 * warps, vectors and rows. */
#ifndef PRIM_SCAN_TILE_WARPS
#define PRIM_SCAN_TILE_WARPS 16
#endif
#ifndef PRIM_SCAN_RUN_VECTORS /* of 16 bytes, that each lane goes through: a power of two */
#define PRIM_SCAN_RUN_VECTORS 4
#endif
#ifndef PRIM_SCAN_TILE_BLOCKS /* that a multiprocessor is to hold */
#define PRIM_SCAN_TILE_BLOCKS 3
#endif
#ifndef PRIM_SCAN_LOOKBACK_WARPS /* at most: as many as find room in shared memory */
#define PRIM_SCAN_LOOKBACK_WARPS 18
#endif
#ifndef PRIM_SCAN_LOOKBACK_BLOCKS
#define PRIM_SCAN_LOOKBACK_BLOCKS 2
#endif
#ifndef PRIM_SCAN_AREA_WARPS
#define PRIM_SCAN_AREA_WARPS 8
#endif
#ifndef PRIM_SCAN_AREA_ROWS
#define PRIM_SCAN_AREA_ROWS 8
#endif
#ifndef PRIM_SCAN_AREA_ROWS_OF_8 /* of results of 8 bytes, which leave registers for fewer */
#define PRIM_SCAN_AREA_ROWS_OF_8 6
#endif
#ifndef PRIM_SCAN_AREA_BLOCKS
#define PRIM_SCAN_AREA_BLOCKS 4
#endif
#ifndef PRIM_SCAN_AREA_BLOCKS_OF_NARROW
#define PRIM_SCAN_AREA_BLOCKS_OF_NARROW 3
#endif
#ifndef PRIM_SCAN_AREA_BLOCKS_OF_8
#define PRIM_SCAN_AREA_BLOCKS_OF_8 2
#endif
#ifndef PRIM_SCAN_WAIT_NANOSECONDS
#define PRIM_SCAN_WAIT_NANOSECONDS 32
#endif

enum {
    PRIM_SCAN_WARP_LANES = 32,
    PRIM_SCAN_VECTOR_BYTES = 16,
    PRIM_SCAN_CLUSTER_TILES = 8,
    PRIM_SCAN_TOTALS_AT_ONCE = PRIM_SCAN_TILE_WARPS * 32, /* whose sum a block makes up itself */
    PRIM_SCAN_STAGES = 3,        /* tiles that a block of LOOKBACK has in hand */
    PRIM_SCAN_GROUP_TILES = 32,  /* whose totals one warp sees at a time */
    PRIM_SCAN_TICKET_BYTES = 256 /* before the words of the look-back */
};

/* What a tile finds before it, and where it leaves its total. */
typedef enum prim_scan_carry {
    PRIM_SCAN_CARRY_NONE,    /* the tile is the whole line */
    PRIM_SCAN_CARRY_CLUSTER, /* the blocks of a cluster tell each other */
    PRIM_SCAN_CARRY_GIVEN,   /* `totals` has what lies before each tile */
    PRIM_SCAN_CARRY_TOTALS,  /* `totals` has each tile's own total, and the launch before this one
                                was TOTALS_ALONE; of a line, up to PRIM_SCAN_TOTALS_AT_ONCE tiles */
    PRIM_SCAN_TOTALS_ALONE   /* each tile's total into `totals`; nothing else is written */
} prim_scan_carry;

typedef struct prim_scan_tiles {
    prim_scan_carry carry;
    void *totals; /* a value for each tile, line by line */
    size_t totals_ld;
} prim_scan_tiles;

/* One launch over all tiles of all rows. */
cudaError_t prim_scan_launch_tiles(const prim_scan_args *args, prim_scan_tiles tiles);
/* The same, by blocks that tell each other, in a workspace of lookback_bytes that is 0. */
cudaError_t prim_scan_launch_look_back(const prim_scan_args *args);
/* Both directions: tiles_2d.cu. */
typedef struct prim_scan_matrix_tiles {
    bool totals_alone; /* into rows and columns; otherwise what is before stands there */
    size_t across, down;
    void *rows, *columns; /* NULL where there is one tile only in that direction */
    size_t rows_ld, columns_ld;
} prim_scan_matrix_tiles;

cudaError_t prim_scan_launch_matrix_tiles(const prim_scan_args *args,
                                          const prim_scan_matrix_tiles *tiles);

/* Of nothing, the initial value is the total. */
cudaError_t prim_scan_nothing(const prim_scan_args *args);
/* Sets `bytes` bytes, a multiple of 8, to 0; so that a launch may follow early. */
cudaError_t prim_scan_clear(void *words, size_t bytes, cudaStream_t stream);

cudaError_t prim_scan_reduce_then_scan(const prim_scan_args *args);
cudaError_t prim_scan_both_directions(const prim_scan_args *args);
cudaError_t prim_scan_lookback(const void *args);
cudaError_t prim_scan_cluster(const void *args);

size_t prim_scan_reduce_then_scan_bytes(const prim_scan_args *args);
size_t prim_scan_both_directions_bytes(const prim_scan_args *args);
size_t prim_scan_lookback_bytes(const void *args);

/* The type that values are combined in: i32, u32, f32, or out_type where that has 4 bytes or more.
 */
cudaDataType_t prim_scan_value_type(cudaDataType_t out_type);
/* An area: what a warp has of a matrix; and how many elements of each of its rows a lane has. */
size_t prim_scan_area_rows(const prim_scan_args *args);
size_t prim_scan_area_width(const prim_scan_args *args);
/* Tiles of a line; an empty one has one, too. LOOKBACK's have so many warps that most of the device
 * is at work, up to as many as find room in shared memory. */
size_t prim_scan_tiles_of(const prim_scan_args *args);
size_t prim_scan_lookback_tiles_of(const prim_scan_args *args);
unsigned prim_scan_lookback_warps(const prim_scan_args *args);
unsigned prim_scan_lookback_most_warps(void);

/* ---- the host ---- */

/* The CPU's version, args pointing to host memory. One row: the threads share it; several: each
 * takes whole rows. */
prim_status prim_scan_on_host(const prim_scan_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
