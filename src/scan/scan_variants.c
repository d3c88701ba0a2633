/* The one table of scan's rungs, and what its columns need. */
#include "scan/scan_variants.h"

#include "common/device.h"
#include "common/element.h"
#include "common/sizes.h"
#include "scan/instances.h"

/* ---- what is built ---- */

static bool types_are_built(const prim_scan_args *args)
{
#define BUILT(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return true;
    PRIM_SCAN_INTEGER_TYPES(BUILT)
    PRIM_SCAN_FLOAT_TYPES(BUILT)
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

static bool textbook_types_are_built(const prim_scan_args *args)
{
#define BUILT(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return true;
    PRIM_SCAN_TEXTBOOK_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool textbook_operator_is_built(const prim_scan_args *args)
{
#define BUILT(op_enum, op_struct) \
    if (args->op == op_enum)      \
        return true;
    PRIM_SCAN_TEXTBOOK_OPERATORS(BUILT)
#undef BUILT
    return false;
}

/* ---- the rungs up to SHUFFLE: lines in sections ---- */

/* The scan of the totals has fewer blocks than that of the elements, so that this one decides. */
static bool textbook_supports(const prim_scan_args *args, size_t section_elements)
{
    const bool rows_fit =
        prim_fits_a_grid(args->rows, prim_divide_up(args->columns, section_elements));
    const bool columns_fit =
        !args->both_directions ||
        prim_fits_a_grid(args->columns, prim_divide_up(args->rows, section_elements));
    return textbook_types_are_built(args) && textbook_operator_is_built(args) && rows_fit &&
           columns_fit;
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

#define SECTIONS(name, elements)                     \
    static bool name##_supports(const void *args)    \
    {                                                \
        return textbook_supports(args, elements);    \
    }                                                \
    static size_t name##_workspace(const void *args) \
    {                                                \
        return totals_bytes(args, elements);         \
    }
SECTIONS(kogge_stone, PRIM_SCAN_KOGGE_STONE_ELEMENTS)
SECTIONS(brent_kung, PRIM_SCAN_BRENT_KUNG_ELEMENTS)
SECTIONS(coarsened, PRIM_SCAN_COARSENED_ELEMENTS)
SECTIONS(shuffle, PRIM_SCAN_SHUFFLE_ELEMENTS)
#undef SECTIONS

/* ---- the others: tiles ---- */

cudaDataType_t prim_scan_value_type(cudaDataType_t out_type)
{
    switch (out_type) {
    case CUDA_R_8I:
    case CUDA_R_16I:
        return CUDA_R_32I;
    case CUDA_R_8U:
    case CUDA_R_16U:
        return CUDA_R_32U;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return CUDA_R_32F;
    default:
        return out_type;
    }
}

size_t prim_scan_area_rows(const prim_scan_args *args)
{
    return prim_element_bytes(args->out_type) == 8 ? PRIM_SCAN_AREA_ROWS_OF_8 : PRIM_SCAN_AREA_ROWS;
}

size_t prim_scan_area_width(const prim_scan_args *args)
{
    return PRIM_SCAN_VECTOR_BYTES / prim_element_bytes(prim_scan_value_type(args->out_type));
}

static size_t tiles_of_warps(const prim_scan_args *args, size_t warps)
{
    const size_t in = prim_element_bytes(args->in_type), out = prim_element_bytes(args->out_type);
    const size_t width = PRIM_SCAN_VECTOR_BYTES / (in > out ? in : out);
    const size_t tile = warps * PRIM_SCAN_WARP_LANES * PRIM_SCAN_RUN_VECTORS * width;
    return args->columns == 0 ? 1 : prim_divide_up(args->columns, tile);
}

size_t prim_scan_tiles_of(const prim_scan_args *args)
{
    return tiles_of_warps(args, PRIM_SCAN_TILE_WARPS);
}

size_t prim_scan_lookback_tiles_of(const prim_scan_args *args)
{
    return tiles_of_warps(args, prim_scan_lookback_warps(args));
}

/* A block has less than 2 KiB besides its tiles. */
unsigned prim_scan_lookback_most_warps(void)
{
    const size_t chunk_bytes =
        (size_t)PRIM_SCAN_WARP_LANES * PRIM_SCAN_RUN_VECTORS * PRIM_SCAN_VECTOR_BYTES;
    const size_t room = (prim_device_shared_bytes() - 2048) / (PRIM_SCAN_STAGES * chunk_bytes);
    return room < PRIM_SCAN_LOOKBACK_WARPS ? (unsigned)room : PRIM_SCAN_LOOKBACK_WARPS;
}

/* As few as give most multiprocessors a tile: where all had one, some got a second before others
 * their first. */
unsigned prim_scan_lookback_warps(const prim_scan_args *args)
{
    enum { FEWEST = 4 };
    const size_t most = prim_scan_lookback_most_warps();
    const size_t spread = prim_device_multiprocessors() - prim_device_multiprocessors() / 8;
    const size_t wanted = prim_divide_up(args->rows * tiles_of_warps(args, 1), spread);
    return (unsigned)(wanted < FEWEST ? FEWEST : wanted < most ? wanted : most);
}

static bool tiles_support(const prim_scan_args *args, size_t tiles)
{
    return types_are_built(args) && operator_is_built(args) && prim_fits_a_grid(args->rows, tiles);
}

/* Nobody multiplies areas. */
static bool both_directions_support(const prim_scan_args *args)
{
    const size_t across =
        prim_divide_up(args->columns, PRIM_SCAN_WARP_LANES * prim_scan_area_width(args));
    const size_t down =
        prim_divide_up(args->rows, PRIM_SCAN_AREA_WARPS * prim_scan_area_rows(args));
    return args->op != PRIM_OP_PRODUCT && prim_fits_a_grid(args->rows, across) &&
           prim_fits_a_grid(down, across);
}

/* The scans of the totals, where there are any, have fewer blocks. */
static bool reduce_then_scan_supports(const void *any)
{
    const prim_scan_args *args = any;
    const size_t tiles = prim_scan_tiles_of(args);
    prim_scan_args of_totals = *args;
    of_totals.in_type = of_totals.out_type = prim_scan_value_type(args->out_type);
    const bool are_scanned = args->both_directions || tiles > PRIM_SCAN_TOTALS_AT_ONCE;
    if (are_scanned && !types_are_built(&of_totals))
        return false;
    return args->both_directions
               ? types_are_built(args) && operator_is_built(args) && both_directions_support(args)
               : tiles_support(args, tiles);
}

static size_t reduce_then_scan_workspace(const void *any)
{
    const prim_scan_args *args = any;
    return args->both_directions ? prim_scan_both_directions_bytes(args)
                                 : prim_scan_reduce_then_scan_bytes(args);
}

static cudaError_t reduce_then_scan_launch(const void *any)
{
    const prim_scan_args *args = any;
    return args->both_directions ? prim_scan_both_directions(args)
                                 : prim_scan_reduce_then_scan(args);
}

static bool lookback_supports(const void *any)
{
    const prim_scan_args *args = any;
    return !args->both_directions && tiles_support(args, prim_scan_lookback_tiles_of(args));
}

static bool cluster_supports(const void *any)
{
    const prim_scan_args *args = any;
    const size_t tiles = prim_scan_tiles_of(args);
    return !args->both_directions && args->rows == 1 && tiles <= PRIM_SCAN_CLUSTER_TILES &&
           tiles_support(args, tiles) && prim_device_has_clusters();
}

/* One tile needs no cluster. While the elements stay in L2, to read them twice takes less time than
 * to clear the words that LOOKBACK needs. */
int prim_scan_choose(const void *any)
{
    enum { TILES_IN_L2 = 384 };
    const prim_scan_args *args = any;
    const size_t tiles = prim_scan_tiles_of(args);
    if (args->both_directions)
        return PRIM_SCAN_REDUCE_THEN_SCAN;
    if (tiles > 1 && cluster_supports(args))
        return PRIM_SCAN_CLUSTER;
    return tiles > 1 && tiles <= TILES_IN_L2 && args->rows <= TILES_IN_L2 / tiles &&
                   reduce_then_scan_supports(args)
               ? PRIM_SCAN_REDUCE_THEN_SCAN
               : PRIM_SCAN_LOOKBACK;
}

const prim_rung prim_scan_rungs[] = {
    {PRIM_SCAN_KOGGE_STONE, "kogge_stone",
     "every thread adds the value a stride before it; the stride doubles", kogge_stone_supports,
     kogge_stone_workspace, prim_scan_kogge_stone},
    {PRIM_SCAN_BRENT_KUNG, "brent_kung",
     "two elements a thread; a tree of sums up, then the sums down to every element",
     brent_kung_supports, brent_kung_workspace, prim_scan_brent_kung},
    {PRIM_SCAN_COARSENED, "coarsened",
     "each thread scans a run of its own; the block scans what the runs amount to",
     coarsened_supports, coarsened_workspace, prim_scan_coarsened},
    {PRIM_SCAN_SHUFFLE, "shuffle", "warps scan in registers; one barrier a block", shuffle_supports,
     shuffle_workspace, prim_scan_shuffle},
    {PRIM_SCAN_REDUCE_THEN_SCAN, "reduce_then_scan",
     "the tiles' totals first; then each tile, read again, from what lies before it",
     reduce_then_scan_supports, reduce_then_scan_workspace, reduce_then_scan_launch},
    {PRIM_SCAN_LOOKBACK, "lookback",
     "each element once: a block looks back at the totals of the tiles before it",
     lookback_supports, prim_scan_lookback_bytes, prim_scan_lookback},
    {PRIM_SCAN_CLUSTER, "cluster", "one launch: the blocks of a cluster tell each other",
     cluster_supports, prim_no_workspace, prim_scan_cluster},
    {0},
};
