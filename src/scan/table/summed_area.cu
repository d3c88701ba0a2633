/* Summed-area tables by REDUCE_THEN_SCAN, which launches this kernel twice: tiles of 64 rows and
 * 128 columns (f32).
 *
 *               left of the tile          a warp has eight rows, a lane four columns
 *     ┌────────┬──┬────────┐
 *     │  above the tile    │  first launch: each row's and column's aggregate in the tile
 *     ├────────┼──┬────────┤  between: rows' are scanned along the rows, and columns'
 *     │  left  │  │        │           are a smaller matrix, whose table is made
 *     │        │  │ tile   │  last launch: left of the tile + along the row, gives each row's
 *     └────────┴──┴────────┘           prefixes; above the tile + down the columns, the results
 *
 * "Above" has all elements above the tile's first row and up to the column. A result combines what
 * is above, then row by row what is left of the tile and what is in the tile's row up to the place:
 * in that order, so the operator needs no inverse.
 *
 * Where a table has few columns or few rows, most of a tile would be empty; its tiles then share
 * warps, side by side (narrow_table.cuh) or, in a low table, one after the other.
 *
 * Work: 6 × rows × columns combinations. Bytes: the elements twice, the results once, and 1/64 and
 * 1/128 of the results (f32) for the aggregates, some times. Steps: 5 along a row, 8 + 8 down.
 * Source: F. Crow, Summed-area Tables for Texture Mapping, SIGGRAPH (1984); for tiles: D. Nehab,
 * A. Maximo, R. Lima, H. Hoppe, GPU-efficient Recursive Filtering and Summed-area Tables, ACM
 * Transactions on Graphics 30 (2011). */
#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "scan/table/narrow_table.cuh"
#include "scan/table/table_tile.cuh"

namespace
{
namespace summed_area
{

/* May be set with -D for measurements: blocks for each multiprocessor. Values of 8 bytes, and
 * conversions from narrow types, take more registers. */
#ifndef PRIM_SCAN_TABLE_BLOCKS
#define PRIM_SCAN_TABLE_BLOCKS 4
#endif
#ifndef PRIM_SCAN_TABLE_BLOCKS_OF_NARROW
#define PRIM_SCAN_TABLE_BLOCKS_OF_NARROW 3
#endif
#ifndef PRIM_SCAN_TABLE_BLOCKS_OF_8
#define PRIM_SCAN_TABLE_BLOCKS_OF_8 3
#endif

template <typename In, typename Out>
[[maybe_unused]] constexpr unsigned TABLE_BLOCKS = sizeof(Out) == 8 ? PRIM_SCAN_TABLE_BLOCKS_OF_8
                                                   : sizeof(In) < 4
                                                       ? PRIM_SCAN_TABLE_BLOCKS_OF_NARROW
                                                       : PRIM_SCAN_TABLE_BLOCKS;

/* Of a warp in a low table: half as many, since to say which row of which tile each is takes
 * registers. */
template <typename Out>
constexpr unsigned LOW_ROWS = TABLE_ROWS<Out> / 2;

/* Tables whose tiles would leave lanes or warps idle share warps among tiles. */
enum table_shape { WIDE, NARROW, LOW };

template <bool LOW, unsigned V, unsigned N, typename In, typename Out>
__device__ warp_part part_of(const table_tiles<In, Out> &m, unsigned warp)
{
    warp_part a;
    if constexpr (LOW) {
        const unsigned of_tile = static_cast<unsigned>(m.rows), most = V / of_tile;
        a.tile_y = 0;
        a.tile_x = (blockIdx.x * TABLE_WARPS + warp) * most;
        a.row = 0;
        a.column = static_cast<size_t>(a.tile_x) * (WARP * N);
        const unsigned left = a.tile_x < m.across ? m.across - a.tile_x : 0;
        const unsigned tiles = left < most ? left : most;
        const size_t across = tiles > 0 ? m.columns - a.column : 0;
        a.rows = tiles * of_tile;
        a.columns = across < tiles * WARP * N ? static_cast<unsigned>(across) : tiles * WARP * N;
        return a;
    }
    a.tile_y = blockIdx.x / m.across;
    return part_of_tile<V, N>(m, a.tile_y, blockIdx.x - a.tile_y * m.across, warp);
}

/* The aggregates of the warps' columns, by warp and column, overwrite the staged vectors. */
template <typename Value, unsigned N>
__device__ Value *share_columns(const Value (&columns)[N], vector_slot *staging, unsigned warp,
                                unsigned lane)
{
    Value *const of_warps = reinterpret_cast<Value *>(staging);
    __syncthreads();
    stage_columns(columns, of_warps, warp, lane);
    __syncthreads();
    return of_warps;
}

/* ---- the two launches ---- */

/* Where the aggregate of this lane's row is, of those that a warp has. */
template <typename Value>
__device__ Value *row_aggregate_of(const table_aggregates<Value> &aggregates, const warp_part &a,
                                   unsigned of_tile, unsigned lane)
{
    const unsigned tile = lane / of_tile, row = lane - tile * of_tile;
    return &aggregates.rows[(a.row + row) * aggregates.rows_ld + a.tile_x + tile];
}

template <class Operator, typename In, typename Out, unsigned N, unsigned V>
__device__ void store_aggregates(const packed<In, N> (&x)[V], const table_tiles<In, Out> &m,
                                 const table_aggregates<accumulator_t<Out>> &aggregates,
                                 const warp_part &a, unsigned of_tile,
                                 accumulator_t<Out> row_aggregate, vector_slot *staging,
                                 unsigned warp, unsigned lane)
{
    using value = accumulator_t<Out>;
    if (aggregates.rows != nullptr && lane < a.rows)
        *row_aggregate_of(aggregates, a, of_tile, lane) = row_aggregate;
    if (aggregates.columns == nullptr)
        return;
    value columns[N];
    set_all(columns, identity_of<Operator, Out>());
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++)
        take_elements<Operator, In, Out>(columns, x[v], m.rule);
    const value *const of_warps = share_columns(columns, staging, warp, lane);
    PRIM_UNROLL(1)
    for (unsigned c = threadIdx.x; c < a.columns; c += TABLE_THREADS) {
        aggregates.columns[a.tile_y * aggregates.columns_ld + a.column + c] =
            sum_column<Operator, N>(of_warps, c);
    }
}

/* Combines what is above this warp's part with this lane's columns. */
template <class Operator, typename Out, unsigned N>
__device__ void take_above(accumulator_t<Out> (&columns)[N],
                           const table_aggregates<accumulator_t<Out>> &before, const warp_part &a,
                           const accumulator_t<Out> *of_warps, unsigned warp, unsigned lane)
{
    const bool first = a.tile_y == 0;
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++) {
        columns[e] = identity_of<Operator, Out>();
        if (!first && lane * N + e < a.columns)
            columns[e] =
                before.columns[(a.tile_y - 1) * before.columns_ld + a.column + lane * N + e];
    }
    for (unsigned w = 0; w < warp; w++) {
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            columns[e] = Operator::combine(columns[e], of_warps[(w * N + e) * WARP + lane]);
    }
}

/* A block's part of a table, in either launch. */
template <bool LOW, class Operator, typename In, typename Out>
__device__ void scan_tile(const table_tiles<In, Out> &m,
                          const table_aggregates<accumulator_t<Out>> &aggregates,
                          bool aggregates_alone, vector_slot *of_block)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = TABLE_WIDTH<Out>;
    constexpr unsigned V = LOW ? LOW_ROWS<Out> : TABLE_ROWS<Out>;
    constexpr bool HAS_ROOM = TABLE_BLOCKS<In, Out> <= 3;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const warp_part a = part_of<LOW, V, N>(m, warp);
    const unsigned of_tile = LOW ? static_cast<unsigned>(m.rows) : V;
    const row_walk<const In> from = {m.in + a.row * m.in_ld + a.column, m.in_ld, 0, 0, of_tile};
    vector_slot *const staging = &of_block[warp * WARP * V];
    packed<In, N> x[V];
    value before[V];
    load_part<HAS_ROOM>(x, from, a, m.in_aligned, staging, lane);
    const value row_aggregate = scan_rows<Operator, In, Out>(x, m.rule, before, lane);
    if (aggregates_alone) {
        store_aggregates<Operator, In, Out>(x, m, aggregates, a, of_tile, row_aggregate, of_block,
                                            warp, lane);
        return;
    }

    value left = identity_of<Operator, Out>(), columns[N];
    if (aggregates.rows != nullptr && lane < a.rows)
        left = *row_aggregate_of(aggregates, a, of_tile, lane);
    set_all(columns, identity_of<Operator, Out>());
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++) {
        before[v] = Operator::combine(__shfl_sync(ALL_LANES, left, v), before[v]);
        if (!LOW)
            take_row<Operator, In, Out>(columns, x[v], m.rule, before[v]);
    }
    if (!LOW) { /* nothing is above a low table's rows */
        const value *const of_warps = share_columns(columns, of_block, warp, lane);
        take_above<Operator, Out>(columns, aggregates, a, of_warps, warp, lane);
        __syncthreads();
    }

    if (LOW)
        __syncwarp(); /* all lanes have read the elements where results are staged */
    const row_walk<Out> to = {m.out + a.row * m.out_ld + a.column, m.out_ld, 0, 0, of_tile};
    store_results<Operator, LOW, HAS_ROOM>(x, before, columns, m, to, a, staging, lane);
}

/* Before 8.0, shared memory has room for two blocks only. */
[[maybe_unused]] constexpr unsigned table_blocks_at_once(unsigned wanted)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return wanted < 2 ? wanted : 2;
#else
    return wanted;
#endif
}

/* Extremes of floats would spill a register in narrow tables if four blocks shared 64 a thread. */
template <class Operator, typename In, typename Out>
[[maybe_unused]] constexpr unsigned
    BLOCKS_OF_OPERATOR = TABLE_BLOCKS<In, Out> - (std::is_same<Operator, max_operator>::value &&
                                                  std::is_same<In, float>::value &&
                                                  std::is_same<Out, float>::value);

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(TABLE_THREADS,
                                  table_blocks_at_once(BLOCKS_OF_OPERATOR<Operator, In, Out>))
    scan_table_tiles(table_tiles<In, Out> m, table_aggregates<accumulator_t<Out>> aggregates,
                     table_shape shape, narrow_groups groups, bool aggregates_alone)
{
    PRIM_SHARED_DYNAMIC(vector_slot, staging);
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (shape == NARROW)
        scan_narrow_tiles<Operator>(m, aggregates, groups, aggregates_alone, staging);
    else if (shape == LOW)
        scan_tile<true, Operator>(m, aggregates, aggregates_alone, staging);
    else
        scan_tile<false, Operator>(m, aggregates, aggregates_alone, staging);
}

/* A small table takes a block for each tile, since all run at once. */
struct choose_route {
    template <typename In, typename Out>
    static prim_scan_route run(const prim_scan_args *args)
    {
        const bool is_small = prim_scan_table_down(args) <= 2 * prim_device_multiprocessors();
        return groups_of_columns<Out>(args->columns).of_warp > 1 && !is_small
                   ? PRIM_SCAN_NARROW_TILES
               : args->rows <= LOW_ROWS<Out> ? PRIM_SCAN_LOW_TILES
                                             : PRIM_SCAN_WIDE_TILES;
    }
    static prim_scan_route not_built(const prim_scan_args *)
    {
        return PRIM_SCAN_WIDE_TILES; /* whose launch says so */
    }
};

/* How a launch cuts a table. */
struct table_cut {
    table_shape shape;
    narrow_groups groups;
    size_t blocks;
    unsigned warps, slots; /* of a block, and of a warp in shared memory */
};

template <typename Out>
table_cut cut_of(const prim_scan_args *args, prim_scan_route route,
                 const prim_scan_table_tiles *tiles)
{
    constexpr unsigned V = TABLE_ROWS<Out>, V_LOW = LOW_ROWS<Out>;
    const narrow_groups groups = groups_of_columns<Out>(args->columns);
    if (route == PRIM_SCAN_NARROW_TILES)
        return {NARROW, groups, prim_divide_up(tiles->down, groups.of_warp), TABLE_WARPS,
                NARROW_SLOTS<Out>};
    if (route == PRIM_SCAN_LOW_TILES)
        return {LOW, groups, prim_divide_up(tiles->across, V_LOW / args->rows * TABLE_WARPS),
                TABLE_WARPS, WARP * V_LOW};
    const size_t warps = prim_divide_up(args->rows, V);
    return {WIDE, groups, tiles->across * tiles->down,
            warps < TABLE_WARPS ? static_cast<unsigned>(warps) : TABLE_WARPS, WARP * V};
}

struct launch_table : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args, prim_scan_route route,
                           const prim_scan_table_tiles *tiles)
    {
        if constexpr (std::is_same<Operator, product_operator>::value)
            return not_built(args, route, tiles);
        else
            return launch<In, Out, Operator>(args, route, tiles);
    }

    template <typename In, typename Out, typename Operator>
    static cudaError_t launch(const prim_scan_args *args, prim_scan_route route,
                              const prim_scan_table_tiles *tiles)
    {
        using value = accumulator_t<Out>;
        const table_tiles<In, Out> m =
            table_tiles_of<In, Out>(args, static_cast<unsigned>(tiles->across));
        const table_aggregates<value> aggregates = {static_cast<value *>(tiles->rows),
                                                    static_cast<value *>(tiles->columns),
                                                    tiles->rows_ld, tiles->columns_ld};
        const table_cut cut = cut_of<Out>(args, route, tiles);
        return prim_launch_dependent({args->call.stream, static_cast<unsigned>(cut.blocks),
                                      cut.warps * WARP,
                                      cut.warps * cut.slots * sizeof(vector_slot)},
                                     scan_table_tiles<Operator, In, Out>, m, aggregates, cut.shape,
                                     cut.groups, tiles->aggregates_alone);
    }
};

} // namespace summed_area
} // namespace

prim_scan_route prim_scan_table_route(const prim_scan_args *args)
{
    return all_types<summed_area::choose_route>(args);
}

cudaError_t prim_scan_launch_table_tiles(const prim_scan_args *args, prim_scan_route route,
                                         const prim_scan_table_tiles *tiles)
{
    return dispatch_if<is_built_in(PRIM_SCAN_REDUCE_THEN_SCAN, PRIM_SCAN_TABLE),
                       summed_area::launch_table>(args, route, tiles);
}
