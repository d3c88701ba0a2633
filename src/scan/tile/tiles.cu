/* A tile of a line: sixteen warps with a chunk each, and the tile's exclusive prefix.
 *
 *     chunks      0   1   2   3   4   5   6   7  …   each warp scans its own: chunk.cuh
 *     aggregates  A   B   C   D   E   F   G   H      through shared memory; one barrier
 *     prefixes    ·   A  AB  ABC  …                  combined with the tile's, which the rung has
 *
 * The rungs differ only in how a block gets its tile's exclusive prefix: in REDUCE_THEN_SCAN a
 * first launch writes only the aggregates, and the last one is given the prefix, or all aggregates;
 * in CLUSTER the blocks exchange aggregates. Where lines are many, a block takes a whole one, tile
 * after tile, and keeps the prefix by itself. In each of them, a tile's exclusive prefix is the
 * initial value and the aggregates before it, combined one after the other; and a result is (the
 * tile's prefix + the chunk's) + that of the lane's run, and then the run's elements up to its own,
 * one by one.
 *
 * A line that fits into one chunk takes a warp, one of two chunks two, and so on: a block then has
 * several lines, and one launch does it all. */
#include "common/host/device.h"
#include "common/kernel/cluster.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "scan/tile/tile.cuh"

namespace
{

/* For each multiprocessor. Bytes take more registers, and so do values of 8 bytes. */
constexpr unsigned blocks_wanted(unsigned out_bytes)
{
    return out_bytes == 1 || out_bytes == 8 ? 2 : 3;
}
template <typename Out>
[[maybe_unused]] constexpr unsigned TILE_BLOCKS = blocks_at_once(TILE_THREADS,
                                                                 blocks_wanted(sizeof(Out)));

/* A value that the compiler takes for a new one: what follows from it is computed again in each
 * round of a loop. Kept from round to round, some of it would be spilled. */
__device__ inline unsigned recomputed(unsigned x)
{
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(x));
#endif
    return x;
}

template <typename Value>
struct tile_carry {
    prim_scan_carry kind;
    Value *aggregates;
    size_t aggregates_ld;
    Value *initial; /* written by AGGREGATES_ALONE for the launches after it */
};

/* ---- the tile's exclusive prefix ---- */

/* All threads of all blocks of the cluster. */
template <class Operator, typename Value>
__device__ Value carry_in_cluster(Value initial, Value aggregate, Value *of_blocks)
{
    const unsigned t = threadIdx.x;
    wait_for_cluster(); /* all blocks have begun */
    if (t > blockIdx.x && t < gridDim.x)
        *shared_of_block(&of_blocks[blockIdx.x], t) = aggregate;
    __syncwarp();
    arrive_at_cluster();
    wait_for_cluster();
    Value so_far = initial;
    for (unsigned b = 0; b < blockIdx.x; b++)
        so_far = Operator::combine(so_far, of_blocks[b]);
    return so_far;
}

/* By all threads, with two barriers; `staged` has room for a value of each thread. */
template <class Operator, typename Value>
__device__ Value carry_of_aggregates(const Value *aggregates, unsigned tile, Value initial,
                                     Value *staged, Value *result)
{
    if (threadIdx.x < tile)
        staged[threadIdx.x] = aggregates[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < WARP) {
        Value so_far = initial;
        PRIM_UNROLL(4)
        for (unsigned i = 0; i < tile; i++)
            so_far = Operator::combine(so_far, staged[i]);
        if (threadIdx.x == 0)
            *result = so_far;
    }
    __syncthreads();
    return *result;
}

/* By all threads: the aggregates of a line become the tiles' exclusive prefixes. */
template <class Operator, typename Value>
__device__ void chain_aggregates(Value *aggregates, unsigned count, Value initial, Value *staged,
                                 Value *prefixes)
{
    Value so_far = initial, mine = initial;
    if (threadIdx.x < count)
        mine = aggregates[threadIdx.x];
    for (unsigned first = 0; first < count; first += TILE_THREADS) {
        const unsigned i = first + threadIdx.x, left = count - first;
        staged[threadIdx.x] = mine;
        __syncthreads();
        if (i + TILE_THREADS < count)
            mine = aggregates[i + TILE_THREADS];
        if (threadIdx.x == 0) {
            PRIM_UNROLL(4)
            for (unsigned n = 0; n < (left < TILE_THREADS ? left : TILE_THREADS); n++) {
                prefixes[n] = so_far;
                so_far = Operator::combine(so_far, staged[n]);
            }
        }
        __syncthreads();
        if (i < count)
            aggregates[i] = prefixes[threadIdx.x];
    }
}

/* In the shared memory of the block's chunks, which are not in use then. */
template <typename Value>
struct chain_room {
    Value staged[TILE_THREADS], prefixes[TILE_THREADS];
};

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(TILE_THREADS, TILE_BLOCKS<Out>)
    scan_tiles(tile_lines<In, Out> lines, tile_rule<accumulator_t<Out>, Out> rule,
               tile_carry<accumulator_t<Out>> carry)
{
    using value = accumulator_t<Out>;
    PRIM_SHARED(vector_slot, slots, [TILE_WARPS][CHUNK_SLOTS]);
    PRIM_SHARED(value, of_tiles, [2][TILE_WARPS]); /* of this tile's warps, and of the last one's */
    PRIM_SHARED(value,
                of_others, [TILE_THREADS]); /* blocks of the cluster, or aggregates of tiles */
    PRIM_SHARED(value, of_block, );
    PRIM_SHARED(value,
                of_lines, [2]); /* prefixes of this tile and the next one of a block's line */
    const value identity = identity_of<Operator, Out>();

    if (carry.kind == PRIM_SCAN_CARRY_CLUSTER)
        arrive_at_cluster();
    /* The launch before CARRY_AGGREGATES lets it in when all that is older is done, so that it may
     * read its elements at once: only the aggregates are to be waited for. */
    if (carry.kind != PRIM_SCAN_AGGREGATES_ALONE)
        trigger_launch_completion();
    if (carry.kind != PRIM_SCAN_CARRY_AGGREGATES)
        grid_dependency_synchronize();
    if (carry.kind == PRIM_SCAN_AGGREGATES_ALONE)
        trigger_launch_completion();
    if (carry.kind == PRIM_SCAN_CHAIN_AGGREGATES) {
        chain_room<value> &room = reinterpret_cast<chain_room<value> &>(slots);
        static_assert(sizeof room <= sizeof slots, "there is room");
        chain_aggregates<Operator>(carry.aggregates + blockIdx.x * carry.aggregates_ld, lines.tiles,
                                   *carry.initial, room.staged, room.prefixes);
        return;
    }
    const bool in_block = carry.kind == PRIM_SCAN_CARRY_IN_BLOCK;
    unsigned number = in_block ? blockIdx.x * lines.tiles : blockIdx.x;
    const unsigned last = in_block ? number + lines.tiles - 1 : number;
    PRIM_UNROLL(1)
    for (;; number++) {
        const unsigned thread = recomputed(threadIdx.x), warp = thread / WARP, lane = thread % WARP;
        const warp_place place = place_of(lines, number, warp, TILE_WARPS);
        load_chunk_if_any(lines, place, slots[warp], lane);
        wait_for_copies();
        __syncwarp();
        const chunk_sums<value> sums =
            sum_chunk_if_any<Operator>(lines, rule.element, place, slots[warp], lane);
        if (carry.kind == PRIM_SCAN_CARRY_AGGREGATES)
            grid_dependency_synchronize();

        value chunk_prefix = identity, of_tile = identity, so_far = rule.initial;
        if (lines.warps == 1) {
            if (place.count > 0)
                so_far = initial_of(rule);
            __syncwarp(); /* the total may be written there */
        } else {
            value *const aggregates = carry.aggregates + place.line * carry.aggregates_ld;
            value *const of_warps = of_tiles[number % 2];
            if (carry.kind != PRIM_SCAN_CARRY_GIVEN)
                so_far =
                    carry.kind == PRIM_SCAN_CARRY_AGGREGATES ? *carry.initial : initial_of(rule);
            if (lane == 0)
                of_warps[warp] = sums.aggregate;
            __syncthreads();
            const unsigned chunk = warp % lines.warps;
            const tile_sums<value> in_tile =
                sums_in_tile<Operator>(&of_warps[warp - chunk], lines.warps, chunk, identity, lane);
            chunk_prefix = in_tile.prefix;
            of_tile = in_tile.aggregate;
            if (carry.kind == PRIM_SCAN_AGGREGATES_ALONE) {
                if (threadIdx.x == 0)
                    aggregates[place.tile] = in_tile.aggregate;
                if (threadIdx.x == 0 && blockIdx.x == 0)
                    *carry.initial = so_far;
                return;
            }
            if (in_block && place.tile > 0)
                so_far = of_lines[number % 2];
            if (carry.kind == PRIM_SCAN_CARRY_CLUSTER)
                so_far = carry_in_cluster<Operator>(so_far, in_tile.aggregate, of_others);
            else if (carry.kind == PRIM_SCAN_CARRY_AGGREGATES)
                so_far = carry_of_aggregates<Operator>(aggregates, place.tile, so_far, of_others,
                                                       &of_block);
            else if (carry.kind == PRIM_SCAN_CARRY_GIVEN)
                so_far = aggregates[place.tile];
        }
        const value next_prefix = Operator::combine(so_far, of_tile);
        if (in_block && threadIdx.x == 0)
            of_lines[(number + 1) % 2] = next_prefix; /* read after the next barrier */
        finish_chunk<Operator>(
            lines, rule, place, slots[warp],
            Operator::combine(Operator::combine(so_far, chunk_prefix), sums.run_prefix),
            next_prefix, lane);
        if (number == last)
            return;
        __syncwarp(); /* all lanes have stored what was there */
    }
}

/* ---- launches ---- */

namespace tiles
{

struct launch_tiles : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args, prim_scan_tiles tiles)
    {
        using value = accumulator_t<Out>;
        const size_t chunks = prim_divide_up(args->columns, CHUNK<In, Out>);
        const unsigned warps =
            tiles.carry == PRIM_SCAN_CARRY_NONE ? static_cast<unsigned>(chunks) : TILE_WARPS;
        const tile_lines<In, Out> lines = lines_of<In, Out>(args, prim_scan_tiles_of(args), warps);
        const tile_rule<value, Out> rule = rule_of<Operator, Out>(args);
        const tile_carry<value> carry = {tiles.carry, static_cast<value *>(tiles.aggregates),
                                         tiles.aggregates_ld, static_cast<value *>(tiles.initial)};
        const unsigned lines_a_block = TILE_WARPS / lines.warps;
        const unsigned blocks = static_cast<unsigned>(
            tiles.carry == PRIM_SCAN_CHAIN_AGGREGATES || tiles.carry == PRIM_SCAN_CARRY_IN_BLOCK
                ? args->rows
                : ((args->rows - 1) / lines_a_block + 1) * lines.tiles);
        launch_config where = {args->call.stream, blocks, lines_a_block * warps * WARP};
        where.cluster = tiles.carry == PRIM_SCAN_CARRY_CLUSTER ? blocks : 0;
        return prim_launch_dependent(where, scan_tiles<Operator, In, Out>, lines, rule, carry);
    }
};

} // namespace tiles
} // namespace

cudaError_t prim_scan_launch_tiles(const prim_scan_args *args, prim_scan_tiles tiles)
{
    return dispatch_if<TILES_ARE_BUILT, tiles::launch_tiles>(args, tiles);
}

/* Of the blocks that run at once, at least nine in ten are busy, counted over all turns: they take
 * 0.9 times as long as a chain does. */
bool prim_scan_has_whole_lines(const prim_scan_args *args)
{
    const size_t out_bytes = prim_element_bytes(args->out_type);
    const size_t blocks =
        prim_device_multiprocessors() * blocks_wanted(static_cast<unsigned>(out_bytes));
    const size_t all = prim_divide_up(args->rows, blocks) * blocks;
    return TILES_ARE_BUILT && (prim_scan_tiles_of(args) == 1 || all - args->rows <= all / 10);
}

cudaError_t prim_scan_launch_lines(const prim_scan_args *args, prim_scan_route route)
{
    prim_scan_tiles tiles = {};
    switch (route) {
    case PRIM_SCAN_ONE_TILE:
        tiles.carry = PRIM_SCAN_CARRY_NONE;
        return prim_scan_launch_tiles(args, tiles);
    case PRIM_SCAN_BLOCK_ROWS:
        tiles.carry = PRIM_SCAN_CARRY_IN_BLOCK;
        return prim_scan_launch_tiles(args, tiles);
    default:
        return prim_scan_launch_short_rows(args);
    }
}
