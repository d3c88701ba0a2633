/* LOOKBACK's launches, lookback.cu, and CLUSTER's, which is tiles.cu's kernel.
 *
 * The tiles' totals lie in the workspace, which arrives dirty: a first launch clears them, and the
 * second one, launched early, waits for that and nothing else.
 *
 * CLUSTER, for up to eight tiles: one launch, nothing to clear. The blocks of a cluster run
 * together, and write their totals into each other's shared memory. */
#include "common/element.h"
#include "common/sizes.h"
#include "scan/scan_variants.h"

/* A line that one block has at once needs none of this. */
static bool is_one_tile(const prim_scan_args *args)
{
    return prim_scan_tiles_of(args) == 1;
}

/* One total for each tile, in whole groups, which takes twice its bytes: half of every word is its
 * state. */
size_t prim_scan_lookback_bytes(const void *any)
{
    const prim_scan_args *args = any;
    const size_t totals = args->rows * prim_scan_lookback_tiles_of(args);
    const size_t total_bytes = 2 * prim_element_bytes(prim_scan_value_type(args->out_type));
    return args->rows == 0 || is_one_tile(args)
               ? 0
               : PRIM_SCAN_TICKET_BYTES + prim_divide_up(totals, PRIM_SCAN_GROUP_TILES) *
                                              PRIM_SCAN_GROUP_TILES * total_bytes;
}

cudaError_t prim_scan_lookback(const void *any)
{
    const prim_scan_args *args = any;
    if (args->rows == 0 || args->columns == 0)
        return prim_scan_nothing(args);
    if (is_one_tile(args))
        return prim_scan_launch_tiles(args, (prim_scan_tiles){.carry = PRIM_SCAN_CARRY_NONE});
    const cudaError_t error =
        prim_scan_clear(args->call.workspace, prim_scan_lookback_bytes(args), args->call.stream);
    return error == cudaSuccess ? prim_scan_launch_look_back(args) : error;
}

cudaError_t prim_scan_cluster(const void *any)
{
    const prim_scan_args *args = any;
    if (args->columns == 0)
        return prim_scan_nothing(args);
    return prim_scan_launch_tiles(args, (prim_scan_tiles){.carry = PRIM_SCAN_CARRY_CLUSTER});
}
