/* Summed-area tables of few columns: a block has several tiles, one below the other in memory and
 * side by side in its warps, so that all lanes work.
 *
 *     memory   abc abc … abc ┃ abc abc … abc ┃ …     a group: the eight rows (f32) that a lane
 *     lane           0               1               combines; eight groups are a tile
 *
 * A row of more than a vector takes several lanes; of rows of half a vector or less, a lane has
 * several groups. A warp has as many groups as there is room for, and so a block as many tiles. The
 * rows of a warp come and go as an image, since they lie together in memory: image.cuh.
 *
 * What is combined with what, and in which order, is the same as in other tables:
 * summed_area.cu. */
#ifndef PRIM_SCAN_NARROW_TABLE_CUH
#define PRIM_SCAN_NARROW_TABLE_CUH

#include "scan/rows/staged_rows.cuh"
#include "scan/table/table.cuh"

namespace
{
namespace summed_area
{

/* How a warp has groups of rows. */
struct narrow_groups {
    unsigned of_warp, of_lane; /* at most one of them has several in a lane, … */
    unsigned lanes;            /* … or several lanes for one */
    uint32_t reciprocal;       /* of the columns: staged_rows.cuh */
};

/* Those of a table whose rows take at most half a warp; otherwise of_warp is 1 or less. */
template <typename Out>
narrow_groups groups_of_columns(size_t columns)
{
    constexpr unsigned N = TABLE_WIDTH<Out>;
    if (columns > WARP * N)
        return {0, 1, WARP, 0};
    const unsigned few = static_cast<unsigned>(columns), of_lane = few < N ? N / few : 1;
    const unsigned lanes = (few + N - 1) / N;
    return {WARP / lanes * of_lane, of_lane, lanes, reciprocal_of(few)};
}

/* Vectors of a warp's image: one more where it begins in one. */
template <typename Out>
constexpr unsigned NARROW_SLOTS = WARP *TABLE_ROWS<Out> + 1;

template <class Operator, typename In, typename Out>
struct narrow_thread {
    using value = accumulator_t<Out>;
    static constexpr unsigned N = TABLE_WIDTH<Out>, V = TABLE_ROWS<Out>;
    const table_tiles<In, Out> &m;
    const table_aggregates<value> &aggregates;
    const narrow_groups &groups;
    vector_slot *image; /* of this warp */
    unsigned warp, lane;
    size_t first_row; /* of this warp, which has `count` elements */
    unsigned columns, count;

    /* ---- which elements: e is one of a lane's N columns ---- */

    __device__ unsigned group(unsigned e) const
    {
        return e * groups.of_lane / N * WARP + lane / groups.lanes;
    }

    __device__ unsigned column(unsigned e) const
    {
        return lane % groups.lanes * N + e - e * groups.of_lane / N * columns;
    }

    /* The same for all lanes but where e is 0. */
    __device__ bool begins_row(unsigned e) const
    {
        return e == 0 ? lane % groups.lanes == 0 : e == e * groups.of_lane / N * columns;
    }

    __device__ bool is_used(unsigned e) const
    {
        return column(e) < columns && group(e) < groups.of_warp;
    }

    /* The number of its first row's element in the image; no element has that of an unused one. */
    __device__ unsigned first_element(unsigned e) const
    {
        return is_used(e) ? group(e) * V * columns + column(e) : count;
    }

    __device__ void first_elements(unsigned (&i)[N]) const
    {
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            i[e] = first_element(e);
    }

    /* ---- load and store ---- */

    template <typename T>
    __device__ rows_in_image rows_of(unsigned first) const
    {
        constexpr unsigned SIZE = sizeof(T);
        return {count, columns * SIZE, columns * SIZE, first, groups.reciprocal};
    }

    __device__ void load(value (&x)[V][N]) const
    {
        constexpr unsigned VECTORS = WARP * V * N * sizeof(In) / VECTOR_BYTES;
        const In *const from = m.in + first_row * m.in_ld;
        const bool dense = m.in_ld == columns;
        const unsigned shift = dense ? shift_of(from) : 0;
        if (dense) {
            const bool ends = first_row + groups.of_warp * V >= m.rows;
            load_image<VECTORS>(image, from, {count, first_row == 0, ends}, lane);
        } else {
            load_elements(image, from, m.in_ld, rows_of<In>(0), lane);
        }
        wait_for_copies();
        __syncwarp();
        unsigned i[N];
        first_elements(i);
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++) {
            packed<In, N> row = {};
            PRIM_UNROLL(N)
            for (unsigned e = 0; e < N; i[e] += columns, e++)
                if (i[e] < count)
                    set_element(row, e, bytes_at<In>(image, shift + i[e] * sizeof(In)));
            values_of<Operator, In, Out>(row, m.rule, x[v]);
        }
    }

    /* Adds x to the columns row by row, and writes what they become. */
    __device__ void store(const value (&x)[V][N], value (&sums)[N]) const
    {
        constexpr unsigned VECTORS = WARP * V * N * sizeof(Out) / VECTOR_BYTES;
        Out *const to = m.out + first_row * m.out_ld;
        const unsigned shift = shift_of(to);
        unsigned i[N];
        first_elements(i);
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++) {
            PRIM_UNROLL(N)
            for (unsigned e = 0; e < N; i[e] += columns, e++) {
                sums[e] = Operator::combine(sums[e], x[v][e]);
                if (i[e] < count)
                    bytes_at<Out>(image, shift + i[e] * sizeof(Out)) =
                        result_of<Operator, Out>(sums[e], m.rule);
            }
        }
        __syncwarp();
        if (m.out_ld == columns)
            store_image<VECTORS>(to, image, shift, count, lane);
        else
            store_elements(to, m.out_ld, image, rows_of<Out>(shift), lane);
    }

    /* ---- along the rows ---- */

    /* Elements become prefixes of their rows. */
    __device__ void scan_rows(value (&x)[V][N]) const
    {
        const value identity = identity_of<Operator, Out>();
        const unsigned of_group = lane % groups.lanes;
        value before[V];
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++) {
            before[v] = x[v][0];
            PRIM_UNROLL(N)
            for (unsigned e = 1; e < N; e++)
                before[v] = Operator::combine(before[v], x[v][e]);
        }
        PRIM_UNROLL(1)
        for (unsigned stride = 1; stride < groups.lanes; stride *= 2) {
            PRIM_UNROLL(V)
            for (unsigned v = 0; v < V; v++) {
                const value below = __shfl_up_sync(ALL_LANES, before[v], stride);
                before[v] = of_group >= stride ? Operator::combine(below, before[v]) : before[v];
            }
        }
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++) {
            const value below = __shfl_up_sync(ALL_LANES, before[v], 1);
            value so_far = below;
            PRIM_UNROLL(N)
            for (unsigned e = 0; e < N; e++) {
                so_far = Operator::combine(begins_row(e) ? identity : so_far, x[v][e]);
                x[v][e] = so_far;
            }
        }
    }

    /* ---- down the columns ---- */

    /* Where a group's value is in shared memory, of the column e. */
    __device__ unsigned place(unsigned e) const
    {
        return (warp * groups.of_warp + group(e)) * columns + column(e);
    }

    /* The groups' aggregates overwrite the images. */
    __device__ void share_groups(const value (&x)[V][N], value *of_groups) const
    {
        __syncthreads();
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            value sum = identity_of<Operator, Out>();
            PRIM_UNROLL(V)
            for (unsigned v = 0; v < V; v++)
                sum = Operator::combine(sum, x[v][e]);
            if (is_used(e))
                of_groups[place(e)] = sum;
        }
        __syncthreads();
    }

    /* A thread for each column of each tile goes through the tile's groups: for the aggregate of
     * all, or from what is above the tile to what is above each group. */
    __device__ void combine_groups(value *of_groups, bool aggregates_alone) const
    {
        const size_t first_tile = static_cast<size_t>(blockIdx.x) * groups.of_warp;
        PRIM_UNROLL(1)
        for (unsigned i = threadIdx.x; i < groups.of_warp * columns; i += TABLE_THREADS) {
            const unsigned tile = i / columns, c = i - tile * columns;
            const size_t tile_y = first_tile + tile;
            value *const of_tile = of_groups + tile * TABLE_WARPS * columns + c;
            if (tile_y * (TABLE_WARPS * V) >= m.rows)
                return;
            value so_far = identity_of<Operator, Out>();
            if (aggregates_alone)
                so_far = of_tile[0];
            else if (tile_y > 0)
                so_far = aggregates.columns[(tile_y - 1) * aggregates.columns_ld + c];
            for (unsigned g = aggregates_alone ? 1 : 0; g < TABLE_WARPS; g++) {
                const value of_group = of_tile[g * columns];
                of_tile[g * columns] = so_far;
                so_far = Operator::combine(so_far, of_group);
            }
            if (aggregates_alone)
                aggregates.columns[tile_y * aggregates.columns_ld + c] = so_far;
        }
    }

    __device__ void read_above(value (&sums)[N], const value *of_groups) const
    {
        __syncthreads();
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            sums[e] = is_used(e) ? of_groups[place(e)] : identity_of<Operator, Out>();
        __syncthreads();
    }
};

/* A block's tiles, in either launch. */
template <class Operator, typename In, typename Out>
__device__ void scan_narrow_tiles(const table_tiles<In, Out> &m,
                                  const table_aggregates<accumulator_t<Out>> &aggregates,
                                  const narrow_groups &groups, bool aggregates_alone,
                                  vector_slot *staging)
{
    using thread = narrow_thread<Operator, In, Out>;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const unsigned columns = static_cast<unsigned>(m.columns), most = groups.of_warp * thread::V;
    const size_t first_row = (static_cast<size_t>(blockIdx.x) * TABLE_WARPS + warp) * most;
    const size_t left = first_row < m.rows ? m.rows - first_row : 0;
    const unsigned rows = left < most ? static_cast<unsigned>(left) : most;
    vector_slot *const image = kept_in_register(&staging[warp * NARROW_SLOTS<Out>]);
    const thread t = {m, aggregates, groups, image, warp, lane, first_row, columns, rows * columns};

    using value = typename thread::value;
    value x[thread::V][thread::N], sums[thread::N];
    value *const of_groups = reinterpret_cast<value *>(staging);
    t.load(x);
    if (!aggregates_alone)
        t.scan_rows(x);
    t.share_groups(x, of_groups);
    t.combine_groups(of_groups, aggregates_alone);
    if (aggregates_alone)
        return;
    t.read_above(sums, of_groups);
    t.store(x, sums);
}

} // namespace summed_area
} // namespace

#endif
