/* Compiles the kernel of tiles.cuh, once for all rungs that launch it. */
#include "common/host/device.h"
#include "scan/tile/tiles.cuh"

namespace
{
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
