/* CLUSTER: one launch for up to eight tiles of one row.
 *
 *     block      0        1        2     …    7       a tile each: tiles.cu has the kernel
 *     aggregate  A        B        C                  written into the shared memory of all blocks
 *     prefix     ·        A       A B                 that follow; one barrier of the cluster
 *
 * What changed from LOOKBACK: no words to clear, and no waiting for words in global memory: the
 * blocks of a cluster run together and access each other's shared memory. What still holds it back:
 * at most eight blocks are at work.
 *
 * Work: 3 × count combinations. Bytes: the elements once, the results once. Steps: of a tile.
 * Source: CUDA C++ Programming Guide, Distributed Shared Memory. */
#include "common/host/device.h"
#include "scan/dispatch.cuh"
#include "scan/tile/tiles.h"

namespace
{
namespace cluster
{

constexpr size_t MOST_TILES = 8;
static_assert(MOST_TILES <= PRIM_SCAN_AGGREGATES_AT_ONCE,
              "the kernel has room for an aggregate of each thread");

const char *why_not(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    if (args->summed_area)
        return "it does not compute summed-area tables";
    if (args->rows != 1)
        return "it takes one row only";
    if (prim_scan_tiles_of(args) > MOST_TILES)
        return "it takes at most eight tiles";
    const char *const reason = types_why_not(args, PRIM_SCAN_CLUSTER);
    return reason == nullptr && !prim_device_has_clusters() ? PRIM_NO_CLUSTERS : reason;
}

cudaError_t launch(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    prim_scan_tiles tiles = {};
    tiles.carry = PRIM_SCAN_CARRY_CLUSTER;
    return args->columns == 0 ? prim_scan_launch_empty(args) : prim_scan_launch_tiles(args, tiles);
}

} // namespace cluster
} // namespace

PRIM_DEFINE_RUNG(scan, cluster) = {
    {PRIM_SCAN_CLUSTER, "cluster", "one launch: the blocks of a cluster tell each other"},
    cluster::why_not,
    nullptr,
    cluster::launch};
