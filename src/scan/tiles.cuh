/* A tile of a line: sixteen warps with a chunk each, and what lies before the tile.
 *
 *     chunks      0   1   2   3   4   5   6   7  …   each warp scans its own: chunk.cuh
 *     totals      A   B   C   D   E   F   G   H      through shared memory; one barrier
 *     before      ·   A  AB  ABC  …                  and before the tile: what the rung says
 *
 * All that differs here is where a tile's block learns what lies before it: REDUCE_THEN_SCAN has it
 * say only its total in a first launch, and gives it what lies before, or the totals, in a last
 * one; in a CLUSTER the blocks tell each other. In each, a result is (initial + before the tile) +
 * before the chunk + before the lane's run + the run's elements up to its own. Only what is before
 * the tile is combined in an order of the rung's own.
 *
 * A line that fits into one chunk takes a warp, one of two chunks two, and so on: a block then has
 * several lines, and one launch does it all. */
#ifndef PRIM_SCAN_TILES_CUH
#define PRIM_SCAN_TILES_CUH

#include "common/cluster.cuh"
#include "common/launch.cuh"
#include "common/shared.cuh"
#include "scan/tile.cuh"

namespace
{

constexpr unsigned TILE_WARPS = PRIM_SCAN_TILE_WARPS, TILE_THREADS = TILE_WARPS * WARP;

/* Bytes take more registers. */
template <typename Out>
[[maybe_unused]] constexpr unsigned TILE_BLOCKS = blocks_at_once(TILE_THREADS,
                                                                 sizeof(Out) == 1 ? 2 : 3);

template <typename Value>
struct tile_carry {
    prim_scan_carry kind;
    Value *totals;
    size_t totals_ld;
};

/* ---- before the tile ---- */

/* All threads of all blocks of the cluster. */
template <class Operator, typename Value>
__device__ Value carry_in_cluster(Value total, Value identity, Value *of_blocks)
{
    const unsigned t = threadIdx.x, lane = t % WARP;
    wait_for_cluster(); /* all blocks have begun */
    if (t > blockIdx.x && t < gridDim.x)
        *shared_of_block(&of_blocks[blockIdx.x], t) = total;
    __syncwarp();
    arrive_at_cluster();
    wait_for_cluster();
    return reduce_first_lanes<Operator>(lane < blockIdx.x ? of_blocks[lane] : identity, blockIdx.x,
                                        identity, lane);
}

/* By all threads, with a barrier: the sum of the totals before the tile, 32 of them a warp. */
template <class Operator, typename Value>
__device__ Value carry_of_totals(const Value *totals, unsigned tile, Value identity,
                                 Value *of_groups)
{
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const unsigned first = warp * GROUP, before = tile > first ? tile - first : 0;
    const unsigned count = before < GROUP ? before : GROUP;
    const Value total = reduce_first_lanes<Operator>(lane < count ? totals[first + lane] : identity,
                                                     count, identity, lane);
    if (lane == 0)
        of_groups[warp] = total;
    __syncthreads();
    Value so_far = identity;
    for (unsigned g = 0; g * GROUP < tile; g++)
        so_far = Operator::combine(so_far, of_groups[g]);
    return so_far;
}

template <class Operator, typename Value>
__device__ Value carry_of_tile(const tile_carry<Value> &carry, const warp_place &place, Value total,
                               Value identity, Value *of_others)
{
    const Value *const totals = carry.totals + static_cast<size_t>(place.line) * carry.totals_ld;
    if (carry.kind == PRIM_SCAN_CARRY_CLUSTER)
        return carry_in_cluster<Operator>(total, identity, of_others);
    if (carry.kind == PRIM_SCAN_CARRY_TOTALS)
        return carry_of_totals<Operator>(totals, place.tile, identity, of_others);
    return carry.kind == PRIM_SCAN_CARRY_GIVEN ? totals[place.tile] : identity;
}

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(TILE_THREADS, TILE_BLOCKS<Out>)
    scan_tiles(tile_lines<In, Out> lines, tile_rule<accumulator_t<Out>, Out> rule,
               tile_carry<accumulator_t<Out>> carry)
{
    using value = accumulator_t<Out>;
    PRIM_SHARED(vector_slot, slots, [TILE_WARPS][CHUNK_SLOTS]);
    PRIM_SHARED(value, of_warps, [TILE_WARPS]);
    PRIM_SHARED(value, of_others, [TILE_WARPS]); /* blocks of the cluster, or groups of tiles */
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const value identity = identity_of<Operator, Out>();

    if (carry.kind == PRIM_SCAN_CARRY_CLUSTER)
        arrive_at_cluster();
    /* The launch before CARRY_TOTALS lets it in when all that is older is done, so that it may read
     * its elements at once: only the totals are to be waited for. */
    if (carry.kind != PRIM_SCAN_TOTALS_ALONE)
        trigger_launch_completion();
    if (carry.kind != PRIM_SCAN_CARRY_TOTALS)
        grid_dependency_synchronize();
    if (carry.kind == PRIM_SCAN_TOTALS_ALONE)
        trigger_launch_completion();
    const warp_place place = place_of(lines, blockIdx.x, warp, TILE_WARPS);
    load_chunk(lines, place, slots[warp], lane);
    wait_for_copies();
    __syncwarp();
    const chunk_sums<value> sums =
        sum_loaded_chunk<Operator>(lines, rule.element, place.line, slots[warp], lane);
    if (carry.kind == PRIM_SCAN_CARRY_TOTALS)
        grid_dependency_synchronize();

    value so_far = rule.initial;
    if (lines.warps > 1) {
        if (lane == 0)
            of_warps[warp] = sums.total;
        __syncthreads();
        const unsigned chunk = warp % lines.warps;
        const tile_sums<value> in_tile =
            sums_in_tile<Operator>(&of_warps[warp - chunk], lines.warps, chunk, identity, lane);
        if (carry.kind == PRIM_SCAN_TOTALS_ALONE) {
            if (threadIdx.x == 0)
                carry.totals[static_cast<size_t>(place.line) * carry.totals_ld + place.tile] =
                    in_tile.total;
            return;
        }
        const value before_tile =
            carry_of_tile<Operator>(carry, place, in_tile.total, identity, of_others);
        so_far = Operator::combine(Operator::combine(so_far, before_tile), in_tile.before);
    }
    if (rule.total != nullptr && lines.length == 0 && threadIdx.x == 0)
        *rule.total = result_of<Operator, Out>(so_far, rule.element);
    finish_chunk<Operator>(lines, rule, place, slots[warp],
                           Operator::combine(so_far, sums.before_run), lane);
}

} // namespace

#endif
