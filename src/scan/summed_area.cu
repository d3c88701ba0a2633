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
 * Work: 6 × rows × columns combinations. Bytes: the elements twice, the results once, and 1/64 and
 * 1/128 of the results (f32) for the aggregates, some times. Steps: 5 along a row, 8 + 8 down.
 * Source: F. Crow, Summed-area Tables for Texture Mapping, SIGGRAPH (1984); for tiles: D. Nehab,
 * A. Maximo, R. Lima, H. Hoppe, GPU-efficient Recursive Filtering and Summed-area Tables, ACM
 * Transactions on Graphics 30 (2011). */
#include "common/launch.cuh"
#include "common/shared.cuh"
#include "common/warp.cuh"
#include "scan/dispatch.cuh"
#include "scan/summed_area.h"
#include "scan/vectors.cuh"

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

constexpr unsigned TABLE_WARPS = PRIM_SCAN_TABLE_WARPS, TABLE_THREADS = TABLE_WARPS * WARP;

/* Rows of a warp. */
template <typename Out>
constexpr unsigned TABLE_ROWS = sizeof(Out) == 8 ? PRIM_SCAN_TABLE_ROWS_OF_8 : PRIM_SCAN_TABLE_ROWS;

template <typename In, typename Out>
[[maybe_unused]] constexpr unsigned TABLE_BLOCKS = sizeof(Out) == 8 ? PRIM_SCAN_TABLE_BLOCKS_OF_8
                                                   : sizeof(In) < 4
                                                       ? PRIM_SCAN_TABLE_BLOCKS_OF_NARROW
                                                       : PRIM_SCAN_TABLE_BLOCKS;

/* Elements of a lane in a row: as many values as 16 bytes hold, since a lane has as many columns in
 * registers. */
template <typename Out>
constexpr unsigned TABLE_WIDTH = VECTOR_BYTES / sizeof(accumulator_t<Out>);

template <typename In, typename Out>
struct table_tiles {
    const In *in;
    Out *out;
    size_t in_ld, out_ld, rows, columns;
    unsigned across;              /* tiles of a row */
    bool in_aligned, out_aligned; /* each row begins at a whole vector */
    element_rule<Out> rule;
};

/* The aggregates of the tiles' rows and columns, or their exclusive prefixes. NULL where the matrix
 * has one tile in that direction. */
template <typename Value>
struct table_aggregates {
    Value *rows, *columns;
    size_t rows_ld, columns_ld;
};

/* The part of the matrix that a warp has. */
struct warp_part {
    size_t row, column;
    unsigned tile_x, tile_y, rows, columns;
};

template <unsigned V, unsigned N, typename In, typename Out>
__device__ warp_part part_of(const table_tiles<In, Out> &m, unsigned warp)
{
    warp_part a;
    a.tile_y = blockIdx.x / m.across;
    a.tile_x = blockIdx.x - a.tile_y * m.across;
    a.row = (static_cast<size_t>(a.tile_y) * TABLE_WARPS + warp) * V;
    a.column = static_cast<size_t>(a.tile_x) * (WARP * N);
    const size_t down = a.row < m.rows ? m.rows - a.row : 0, across = m.columns - a.column;
    a.rows = down < V ? static_cast<unsigned>(down) : V;
    a.columns = across < WARP * N ? static_cast<unsigned>(across) : WARP * N;
    return a;
}

/* ---- load and store: as a chunk, a vector of each of V rows ---- */

template <typename In, unsigned N, unsigned V>
__device__ void load_part(packed<In, N> (&x)[V], const In *from, size_t ld, const warp_part &a,
                          bool aligned, vector_slot *staging, unsigned lane)
{
    using vector = packed<In, N>;
    if (aligned && a.columns == WARP * N) {
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++)
            x[v] = v < a.rows ? reinterpret_cast<const vector *>(from + v * ld)[lane] : vector{};
        return;
    }
    In *const elements = reinterpret_cast<In *>(staging);
    PRIM_UNROLL(2)
    for (unsigned v = 0; v < V; v++) {
        In row[N]; /* all loads are issued before the first is needed */
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            const unsigned column = e * WARP + lane;
            row[e] = v < a.rows && column < a.columns ? from[v * ld + column] : In{};
        }
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            elements[(v * N + e) * WARP + lane] = row[e];
    }
    __syncwarp();
    const vector *const vectors = reinterpret_cast<const vector *>(staging);
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++)
        x[v] = vectors[v * WARP + lane];
}

template <typename Out>
__device__ void store_staged_part(Out *to, size_t ld, const warp_part &a, unsigned width,
                                  const vector_slot *staging, unsigned lane)
{
    const Out *const elements = reinterpret_cast<const Out *>(staging);
    __syncwarp();
    PRIM_UNROLL(1)
    for (unsigned row = 0; row < a.rows; row++) {
        PRIM_UNROLL(4)
        for (unsigned column = lane; column < width; column += WARP)
            if (column < a.columns)
                to[row * ld + column] = elements[row * width + column];
    }
}

/* ---- along the rows ---- */

/* before[v] becomes the exclusive prefix of this lane's vector in row v of the tile; lanes below V
 * return the aggregate of row `lane`. */
template <class Operator, typename In, typename Out, unsigned N, unsigned V>
__device__ accumulator_t<Out> scan_rows(const packed<In, N> (&x)[V], const element_rule<Out> &rule,
                                        accumulator_t<Out> (&before)[V], unsigned lane)
{
    using value = accumulator_t<Out>;
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++)
        before[v] = vector_sum<Operator, In, Out>(x[v], rule);
    scan_warp<Operator>(before, lane);
    value aggregate = identity_of<Operator, Out>();
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++) {
        const value below = __shfl_up_sync(ALL_LANES, before[v], 1);
        const value all = __shfl_sync(ALL_LANES, before[v], WARP - 1);
        before[v] = lane == 0 ? identity_of<Operator, Out>() : below;
        aggregate = lane == v ? all : aggregate;
    }
    return aggregate;
}

/* ---- down the columns ---- */

/* Combines row v's prefixes with what each of this lane's columns has so far. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ void take_row(accumulator_t<Out> (&columns)[N], const packed<In, N> &x,
                         const element_rule<Out> &rule, accumulator_t<Out> before)
{
    accumulator_t<Out> values[N];
    values_of<Operator, In, Out>(x, rule, values);
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++) {
        before = Operator::combine(before, values[e]);
        columns[e] = Operator::combine(columns[e], before);
    }
}

/* The same with the elements instead of the prefixes. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ void take_elements(accumulator_t<Out> (&columns)[N], const packed<In, N> &x,
                              const element_rule<Out> &rule)
{
    accumulator_t<Out> values[N];
    values_of<Operator, In, Out>(x, rule, values);
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        columns[e] = Operator::combine(columns[e], values[e]);
}

/* The aggregates of the warps' columns, by warp and column, overwrite the staged vectors. */
template <typename Value, unsigned N>
__device__ Value *share_columns(const Value (&columns)[N], vector_slot *staging, unsigned warp,
                                unsigned lane)
{
    Value *const of_warps = reinterpret_cast<Value *>(staging);
    __syncthreads();
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        of_warps[(warp * N + e) * WARP + lane] = columns[e];
    __syncthreads();
    return of_warps;
}

/* The place of a column of the tile there. */
template <unsigned N>
__device__ unsigned place_of_column(unsigned warp, unsigned column)
{
    return (warp * N + column % N) * WARP + column / N;
}

/* ---- the two launches ---- */

template <class Operator, typename In, typename Out, unsigned N, unsigned V>
__device__ void store_aggregates(const packed<In, N> (&x)[V], const table_tiles<In, Out> &m,
                                 const table_aggregates<accumulator_t<Out>> &aggregates,
                                 const warp_part &a, accumulator_t<Out> row_aggregate,
                                 vector_slot *staging, unsigned warp, unsigned lane)
{
    using value = accumulator_t<Out>;
    if (aggregates.rows != nullptr && lane < a.rows)
        aggregates.rows[(a.row + lane) * aggregates.rows_ld + a.tile_x] = row_aggregate;
    if (aggregates.columns == nullptr)
        return;
    value columns[N];
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        columns[e] = identity_of<Operator, Out>();
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++)
        take_elements<Operator, In, Out>(columns, x[v], m.rule);
    const value *const of_warps = share_columns(columns, staging, warp, lane);
    PRIM_UNROLL(1)
    for (unsigned c = threadIdx.x; c < a.columns; c += TABLE_THREADS) {
        value sum = of_warps[place_of_column<N>(0, c)];
        for (unsigned w = 1; w < TABLE_WARPS; w++)
            sum = Operator::combine(sum, of_warps[place_of_column<N>(w, c)]);
        aggregates.columns[a.tile_y * aggregates.columns_ld + a.column + c] = sum;
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

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(TABLE_THREADS, TABLE_BLOCKS<In, Out>)
    scan_table_tiles(table_tiles<In, Out> m, table_aggregates<accumulator_t<Out>> aggregates,
                     bool aggregates_alone)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = TABLE_WIDTH<Out>, V = TABLE_ROWS<Out>;
    PRIM_SHARED(vector_slot, staging, [TABLE_WARPS][WARP * V]);
    static_assert(sizeof staging >= TABLE_WARPS * WARP * N * sizeof(value), "columns fit in there");
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const warp_part a = part_of<V, N>(m, warp);

    trigger_launch_completion();
    grid_dependency_synchronize();
    packed<In, N> x[V];
    value before[V];
    load_part(x, m.in + a.row * m.in_ld + a.column, m.in_ld, a, m.in_aligned, staging[warp], lane);
    const value row_aggregate = scan_rows<Operator, In, Out>(x, m.rule, before, lane);
    if (aggregates_alone) {
        store_aggregates<Operator, In, Out>(x, m, aggregates, a, row_aggregate, staging[0], warp,
                                            lane);
        return;
    }

    value left = identity_of<Operator, Out>(), columns[N];
    if (aggregates.rows != nullptr && lane < a.rows)
        left = aggregates.rows[(a.row + lane) * aggregates.rows_ld + a.tile_x];
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        columns[e] = identity_of<Operator, Out>();
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++) {
        before[v] = Operator::combine(__shfl_sync(ALL_LANES, left, v), before[v]);
        take_row<Operator, In, Out>(columns, x[v], m.rule, before[v]);
    }
    const value *const of_warps = share_columns(columns, staging[0], warp, lane);
    take_above<Operator, Out>(columns, aggregates, a, of_warps, warp, lane);
    __syncthreads();

    const bool at_once = m.out_aligned && a.columns == WARP * N;
    Out *const to = m.out + a.row * m.out_ld + a.column;
    Out *const rows = at_once ? to : reinterpret_cast<Out *>(staging[warp]);
    const size_t ld = at_once ? m.out_ld : WARP * N;
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++) {
        take_row<Operator, In, Out>(columns, x[v], m.rule, before[v]);
        if (!at_once || v < a.rows)
            reinterpret_cast<packed<Out, N> *>(rows + v * ld)[lane] =
                results_of<Operator, Out>(columns, m.rule);
    }
    if (!at_once)
        store_staged_part(to, m.out_ld, a, WARP * N, staging[warp], lane);
}

struct launch_table : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args, const prim_scan_table_tiles *tiles)
    {
        if constexpr (std::is_same<Operator, product_operator>::value)
            return not_built(args, tiles);
        else
            return launch<In, Out, Operator>(args, tiles);
    }

    template <typename In, typename Out, typename Operator>
    static cudaError_t launch(const prim_scan_args *args, const prim_scan_table_tiles *tiles)
    {
        using value = accumulator_t<Out>;
        constexpr size_t VECTOR = TABLE_WIDTH<Out>;
        const table_tiles<In, Out> m = {
            static_cast<const In *>(args->in),
            static_cast<Out *>(args->out),
            args->in_ld,
            args->out_ld,
            args->rows,
            args->columns,
            static_cast<unsigned>(tiles->across),
            lines_are_aligned(args->in, args->rows, args->in_ld * sizeof(In), VECTOR * sizeof(In)),
            lines_are_aligned(args->out, args->rows, args->out_ld * sizeof(Out),
                              VECTOR * sizeof(Out)),
            element_rule_of<Out>(args)};
        const table_aggregates<value> aggregates = {static_cast<value *>(tiles->rows),
                                                    static_cast<value *>(tiles->columns),
                                                    tiles->rows_ld, tiles->columns_ld};
        const unsigned blocks = static_cast<unsigned>(tiles->across * tiles->down);
        return prim_launch_dependent({args->call.stream, blocks, TABLE_THREADS},
                                     scan_table_tiles<Operator, In, Out>, m, aggregates,
                                     tiles->aggregates_alone);
    }
};

} // namespace summed_area
} // namespace

cudaError_t prim_scan_launch_table_tiles(const prim_scan_args *args,
                                         const prim_scan_table_tiles *tiles)
{
    return dispatch_kind<kind_is_built(PRIM_SCAN_TABLE), summed_area::launch_table>(args, tiles);
}
