/* What a warp does with its rows of a summed-area table's tile: it loads them, scans along them and
 * down the columns, and stores them. */
#ifndef PRIM_SCAN_TABLE_TILE_CUH
#define PRIM_SCAN_TABLE_TILE_CUH

#include "common/block/warp.cuh"
#include "common/kernel/async_copy.cuh"
#include "scan/table/table.cuh"

namespace
{
namespace summed_area
{

/* The part of the matrix that a warp has: rows of one tile, or in a low table all rows of several
 * tiles, tile after tile. */
struct warp_part {
    size_t row, column;
    unsigned tile_x, tile_y, rows, columns; /* columns from `column` on, of all its tiles */
};

/* A warp's rows, one after the other: `row` of `tile`, of which each has `of_tile`. */
template <typename T>
struct row_walk {
    T *place; /* of the row's first element */
    size_t ld;
    unsigned row, tile, of_tile;

    __device__ void step(unsigned tile_columns)
    {
        place += ld;
        row++;
        if (row == of_tile) {
            place += tile_columns - of_tile * ld;
            row = 0;
            tile++;
        }
    }
};

/* A warp's part of a tile that a whole block has. */
template <unsigned V, unsigned N, typename In, typename Out>
__device__ warp_part part_of_tile(const table_tiles<In, Out> &m, unsigned tile_y, unsigned tile_x,
                                  unsigned warp)
{
    warp_part a;
    a.tile_y = tile_y;
    a.tile_x = tile_x;
    a.row = (static_cast<size_t>(tile_y) * TABLE_WARPS + warp) * V;
    a.column = static_cast<size_t>(tile_x) * (WARP * N);
    const size_t down = a.row < m.rows ? m.rows - a.row : 0, across = m.columns - a.column;
    a.rows = down < V ? static_cast<unsigned>(down) : V;
    a.columns = across < WARP * N ? static_cast<unsigned>(across) : WARP * N;
    return a;
}

/* ---- load and store: as a chunk, a vector of each of V rows ---- */

/* Elements one by one into shared memory, and zeros past the end of a row. Those of 4 bytes and
 * more are copied without registers, so that all of them are on their way at once; narrow ones two
 * rows at a time. */
template <unsigned N, unsigned V, typename In>
__device__ void load_row_elements(row_walk<const In> at, const warp_part &a, In *elements,
                                  unsigned lane)
{
    constexpr unsigned COLUMNS = WARP * N;
    PRIM_UNROLL(sizeof(In) >= 4 ? 4 : 2)
    for (unsigned v = 0; v < V; v++) {
        const unsigned end = v < a.rows ? a.columns - at.tile * COLUMNS : 0;
        In row[N];
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            const unsigned column = e * WARP + lane;
            const bool wanted = column < end;
            if constexpr (sizeof(In) >= 4)
                copy_async_or_zeros(wanted, &elements[v * COLUMNS + column], &at.place[column]);
            else
                row[e] = wanted ? at.place[column] : In{};
        }
        PRIM_UNROLL(N)
        for (unsigned e = 0; sizeof(In) < 4 && e < N; e++)
            elements[(v * N + e) * WARP + lane] = row[e];
        at.step(COLUMNS);
    }
    wait_for_copies();
}

/* The same of whole tiles, where nothing is asked of each element; half of the rows at a time. */
template <unsigned N, unsigned V, typename In>
__device__ void load_whole_rows(row_walk<const In> at, const warp_part &a, In *elements,
                                unsigned lane)
{
    constexpr unsigned ROWS = V / 2, COLUMNS = WARP * N;
    static_assert(V % ROWS == 0, "no more than a warp's rows");
    PRIM_UNROLL(2)
    for (unsigned first = 0; first < V; first += ROWS) {
        In row[ROWS][N];
        PRIM_UNROLL(ROWS)
        for (unsigned v = 0; v < ROWS; v++) {
            PRIM_UNROLL(N)
            for (unsigned e = 0; e < N; e++)
                row[v][e] = first + v < a.rows ? at.place[e * WARP + lane] : In{};
            at.step(COLUMNS);
        }
        PRIM_UNROLL(ROWS)
        for (unsigned v = 0; v < ROWS; v++) {
            PRIM_UNROLL(N)
            for (unsigned e = 0; e < N; e++)
                elements[((first + v) * N + e) * WARP + lane] = row[v][e];
        }
    }
}

/* HAS_ROOM: registers leave room for a way of its own where whole tiles are not aligned. */
template <bool HAS_ROOM, typename In, unsigned N, unsigned V>
__device__ void load_part(packed<In, N> (&x)[V], row_walk<const In> at, const warp_part &a,
                          bool aligned, vector_slot *staging, unsigned lane)
{
    using vector = packed<In, N>;
    constexpr unsigned COLUMNS = WARP * N; /* of a tile */
    if (aligned && a.columns % COLUMNS == 0) {
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++) {
            x[v] = v < a.rows ? reinterpret_cast<const vector *>(at.place)[lane] : vector{};
            at.step(COLUMNS);
        }
        return;
    }
    In *const elements = reinterpret_cast<In *>(staging);
    if (HAS_ROOM && a.columns % COLUMNS == 0)
        load_whole_rows<N, V>(at, a, elements, lane);
    else
        load_row_elements<N, V>(at, a, elements, lane);
    __syncwarp();
    const vector *const vectors = reinterpret_cast<const vector *>(staging);
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++)
        x[v] = vectors[v * WARP + lane];
}

template <unsigned COLUMNS, typename Out>
__device__ void store_row_elements(row_walk<Out> at, const warp_part &a, const Out *elements,
                                   unsigned lane)
{
    PRIM_UNROLL(1)
    for (unsigned v = 0; v < a.rows; v++) {
        const unsigned end = a.columns - at.tile * COLUMNS;
        PRIM_UNROLL(4)
        for (unsigned column = lane; column < COLUMNS; column += WARP)
            if (column < end)
                at.place[column] = elements[v * COLUMNS + column];
        at.step(COLUMNS);
    }
}

template <unsigned COLUMNS, unsigned V, unsigned AT_ONCE, typename Out>
__device__ void store_whole_rows(row_walk<Out> at, const warp_part &a, const Out *elements,
                                 unsigned lane)
{
    PRIM_UNROLL(AT_ONCE)
    for (unsigned v = 0; v < V; v++) {
        PRIM_UNROLL(4)
        for (unsigned column = lane; column < COLUMNS; column += WARP)
            if (v < a.rows)
                at.place[column] = elements[v * COLUMNS + column];
        at.step(COLUMNS);
    }
}

template <bool HAS_ROOM, unsigned COLUMNS, unsigned V, typename Out>
__device__ void store_staged_part(row_walk<Out> at, const warp_part &a, const vector_slot *staging,
                                  unsigned lane)
{
    const Out *const elements = reinterpret_cast<const Out *>(staging);
    __syncwarp();
    if (a.columns % COLUMNS == 0)
        store_whole_rows<COLUMNS, V, HAS_ROOM ? V : 1>(at, a, elements, lane);
    else
        store_row_elements<COLUMNS>(at, a, elements, lane);
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

template <typename Value, unsigned N>
__device__ void set_all(Value (&columns)[N], Value value)
{
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        columns[e] = value;
}

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

/* Where the aggregate of a column of the tile lies in shared memory, of those of a warp's rows. */
template <unsigned N>
__device__ unsigned place_of_column(unsigned warp, unsigned column)
{
    return (warp * N + column % N) * WARP + column / N;
}

template <typename Value, unsigned N>
__device__ void stage_columns(const Value (&columns)[N], Value *of_warps, unsigned warp,
                              unsigned lane)
{
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        of_warps[(warp * N + e) * WARP + lane] = columns[e];
}

/* A column's aggregate in the tile, of those of all warps. */
template <class Operator, unsigned N, typename Value>
__device__ Value sum_column(const Value *of_warps, unsigned column)
{
    Value sum = of_warps[place_of_column<N>(0, column)];
    for (unsigned w = 1; w < TABLE_WARPS; w++)
        sum = Operator::combine(sum, of_warps[place_of_column<N>(w, column)]);
    return sum;
}

/* ---- the results ---- */

/* Row by row, from what is above this lane's columns; in a low table nothing is above a tile. */
template <class Operator, bool LOW, bool HAS_ROOM, typename In, typename Out, unsigned N,
          unsigned V>
__device__ void store_results(const packed<In, N> (&x)[V], const accumulator_t<Out> (&before)[V],
                              accumulator_t<Out> (&columns)[N], const table_tiles<In, Out> &m,
                              const row_walk<Out> &to, const warp_part &a, vector_slot *staging,
                              unsigned lane)
{
    constexpr unsigned COLUMNS = WARP * N;
    const bool at_once = m.out_aligned && a.columns % COLUMNS == 0;
    Out *const staged = reinterpret_cast<Out *>(staging);
    row_walk<Out> at = to;
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++) {
        if (LOW && at.row == 0)
            set_all(columns, identity_of<Operator, Out>());
        take_row<Operator, In, Out>(columns, x[v], m.rule, before[v]);
        const packed<Out, N> results = results_of<Operator, Out>(columns, m.rule);
        if (!at_once)
            reinterpret_cast<packed<Out, N> *>(staged + v * COLUMNS)[lane] = results;
        else if (v < a.rows)
            reinterpret_cast<packed<Out, N> *>(at.place)[lane] = results;
        at.step(COLUMNS);
    }
    if (!at_once)
        store_staged_part<HAS_ROOM, COLUMNS, V>(to, a, staging, lane);
}

} // namespace summed_area
} // namespace

#endif
