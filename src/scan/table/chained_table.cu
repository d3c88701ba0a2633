/* CHAINED makes summed-area tables in one pass: each element is read once and written once, where
 * REDUCE_THEN_SCAN reads it twice. Its tiles are the same: 64 rows and 128 columns (f32).
 *
 *        0   1   2   3          tiles are taken along anti-diagonals, in the order of their numbers
 *      ┌───┬───┬───┬───┐
 *      │ 0 │ 2 │ 5 │ 9 │ ──▶    a word for each row goes from tile to tile: what is left of it
 *      ├───┼───┼───┼───┤
 *      │ 1 │ 4 │ 8 │   │ ──▶
 *      ├───┼───┼───┼───┤
 *      │ 3 │ 7 │   │   │        and one for each column: what is above it, from the table's
 *      └───┴───┴───┴───┘        first column on
 *        ▼   ▼   ▼   ▼
 *
 * A tile waits for the words from its left, sums up its columns with them, waits for the words from
 * above, and passes both on. A word holds its value and the number of the tile that it is for
 * (published.cuh). Several tiles of a row may wait for its word; the one whose number is there
 * takes it, and writes the next one to its place. So no tile has words of its own, all of them stay
 * in L2, and no fence is needed.
 *
 * Both chains have one step for each anti-diagonal, and go along side by side. While the tiles of
 * an anti-diagonal keep memory busy for longer than a step takes, no block waits for long: tables
 * that are wide and high. Others have too few tiles in an anti-diagonal, and leave memory idle.
 *
 * No block waits for one that may never run: a tile waits only for tiles with lower numbers, and
 * blocks take them in order. A block takes its next tile before its own is finished, so as to
 * prefetch it; the lowest tile that is not finished is always one that a block works on.
 *
 * Work: 6 × rows × columns combinations. Bytes: the elements once, the results once. Steps: one for
 * each tile across, and for each down.
 * Source: Y. Emoto, S. Funasaka, H. Tokura, T. Honda, K. Nakano, Y. Ito, An Optimal Parallel
 * Algorithm for Computing the Summed Area Table on the GPU, IPDPS Workshops (2018), where tiles
 * look back. */
#include "common/host/sizes.h"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "scan/table/summed_area.h"
#include "scan/table/table_tile.cuh"
#include "scan/tile/published.cuh"

namespace
{
namespace chained_table
{

using namespace summed_area;

/* May be set with -D for measurements: blocks for each multiprocessor; more for narrow elements, of
 * which each has fewer bytes on their way. */
#ifndef PRIM_SCAN_CHAINED_TABLE_BLOCKS
#define PRIM_SCAN_CHAINED_TABLE_BLOCKS 2
#endif
#ifndef PRIM_SCAN_CHAINED_TABLE_BLOCKS_OF_NARROW
#define PRIM_SCAN_CHAINED_TABLE_BLOCKS_OF_NARROW 3
#endif
#ifndef PRIM_SCAN_CHAINED_TABLE_BLOCKS_OF_8
#define PRIM_SCAN_CHAINED_TABLE_BLOCKS_OF_8 3
#endif

template <typename In, typename Out>
constexpr unsigned BLOCKS = sizeof(Out) == 8 ? PRIM_SCAN_CHAINED_TABLE_BLOCKS_OF_8
                            : sizeof(In) < 4 ? PRIM_SCAN_CHAINED_TABLE_BLOCKS_OF_NARROW
                                             : PRIM_SCAN_CHAINED_TABLE_BLOCKS;

struct table_place {
    unsigned y, x; /* of a tile; y of `down` or more stands for none */
};

/* An anti-diagonal, and the number of its topmost tile. */
struct diagonal_place {
    unsigned diagonal, first;
};

/* ---- words that go from tile to tile ---- */

/* A word for each of `lines` rows or columns; values of 8 bytes have two. */
struct chain_words {
    uint64_t *at;
    size_t lines;
};

/* What comes before tile number `tile` of a line. */
template <typename Value>
__device__ Value take_prefix(const chain_words &words, size_t line, unsigned tile)
{
    for (;;) {
        const published<Value> prefix = load_words<Value>(&words.at[line], words.lines, tile);
        if (prefix.there)
            return prefix.value;
        poll_again();
    }
}

/* A tile of a line: takes what comes before it and passes on what comes before the next. */
template <class Operator, typename Value>
__device__ Value chain(const chain_words &words, size_t line, unsigned tile, unsigned tiles,
                       Value identity, Value aggregate)
{
    const Value prefix = tile > 0 ? take_prefix<Value>(words, line, tile) : identity;
    if (tile + 1 < tiles)
        store_words(&words.at[line], words.lines, Operator::combine(prefix, aggregate), tile + 1);
    return prefix;
}

/* ---- a tile ---- */

template <typename Out>
struct table_memory {
    diagonal_place reached;
    table_place upcoming[2];
    accumulator_t<Out> columns[TABLE_WARPS * WARP * TABLE_WIDTH<Out>];
};

/* One of a block's threads. */
template <class Operator, typename In, typename Out>
struct table_thread {
    using value = accumulator_t<Out>;
    static constexpr unsigned N = TABLE_WIDTH<Out>, V = TABLE_ROWS<Out>, COLUMNS = WARP * N;
    static_assert(COLUMNS <= TABLE_THREADS, "a thread for each column");
    const table_tiles<In, Out> &m;
    unsigned down;
    const chain_words &rows, &columns;
    vector_slot *staging; /* of this warp */
    table_memory<Out> &shared;
    unsigned warp, lane;

    __device__ warp_part part_of(const table_place &tile) const
    {
        return part_of_tile<V, N>(m, tile.y, tile.x, warp);
    }

    /* Brings this warp's rows of a tile to L2. */
    __device__ void prefetch_tile(const table_place &tile) const
    {
        constexpr unsigned OF_LINE = 128 / sizeof(In), LINES = (COLUMNS - 1) / OF_LINE + 1;
        if (tile.y >= down)
            return;
        const warp_part a = part_of(tile);
        for (unsigned i = lane; i < a.rows * LINES; i += WARP) {
            const unsigned row = i / LINES, column = i % LINES * OF_LINE;
            if (column < a.columns)
                prefetch(m.in + (a.row + row) * m.in_ld + a.column + column);
        }
    }

    /* What is left of each of this warp's rows goes into its prefixes. */
    __device__ void chain_rows(value (&before)[V], const warp_part &a, value aggregate) const
    {
        value left = identity_of<Operator, Out>();
        if (lane < a.rows)
            left = chain<Operator>(rows, a.row + lane, a.tile_x, m.across, left, aggregate);
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++)
            before[v] = Operator::combine(__shfl_sync(ALL_LANES, left, v), before[v]);
    }

    /* By a thread for each column, which replaces the warps' aggregates of it by what is above
     * their rows. */
    __device__ void chain_columns(const warp_part &a) const
    {
        const unsigned c = threadIdx.x;
        if (c >= a.columns)
            return;
        const value aggregate = sum_column<Operator, N>(shared.columns, c);
        value above = chain<Operator>(columns, a.column + c, a.tile_y, down,
                                      identity_of<Operator, Out>(), aggregate);
        for (unsigned w = 0; w < TABLE_WARPS; w++) {
            value &of_warp = shared.columns[place_of_column<N>(w, c)];
            const value sum = of_warp;
            of_warp = above;
            above = Operator::combine(above, sum);
        }
    }

    /* The tile that this block takes next; by one thread. It follows the tiles' numbers, which only
     * grow, along the anti-diagonals. */
    __device__ table_place take_tile(unsigned *counter) const
    {
        const unsigned number = take_ticket(counter);
        diagonal_place &at = shared.reached;
        for (; at.diagonal < down + m.across - 1; at.diagonal++) {
            const unsigned top = at.diagonal < m.across ? 0 : at.diagonal - (m.across - 1);
            const unsigned end = at.diagonal < down ? at.diagonal + 1 : down;
            const unsigned y = top + (number - at.first);
            if (number - at.first < end - top)
                return {y, at.diagonal - y};
            at.first += end - top;
        }
        return {down, 0};
    }

    __device__ void make_tile(const table_place &tile, unsigned *counter,
                              table_place &upcoming) const
    {
        const warp_part a = part_of(tile);
        const row_walk<const In> from = {m.in + a.row * m.in_ld + a.column, m.in_ld, 0, 0, V};
        packed<In, N> x[V];
        value before[V], sums[N];
        __syncwarp(); /* all lanes have stored what was staged */
        load_part<true>(x, from, a, m.in_aligned, staging, lane);
        if (threadIdx.x == 0)
            upcoming = take_tile(counter);
        const value aggregate = scan_rows<Operator, In, Out>(x, m.rule, before, lane);
        chain_rows(before, a, aggregate);
        set_all(sums, identity_of<Operator, Out>());
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++)
            take_row<Operator, In, Out>(sums, x[v], m.rule, before[v]);
        stage_columns(sums, shared.columns, warp, lane);
        __syncthreads();
        prefetch_tile(upcoming);
        chain_columns(a);
        __syncthreads();
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            sums[e] = shared.columns[place_of_column<N>(warp, lane * N + e)];
        const row_walk<Out> to = {m.out + a.row * m.out_ld + a.column, m.out_ld, 0, 0, V};
        store_results<Operator, false, true>(x, before, sums, m, to, a, staging, lane);
    }

    __device__ void work(unsigned *counter) const
    {
        if (threadIdx.x == 0) {
            shared.reached = {0, 0};
            shared.upcoming[0] = take_tile(counter);
        }
        __syncthreads();
        table_place tile = shared.upcoming[0];
        for (unsigned parity = 1; tile.y < down; parity ^= 1) {
            make_tile(tile, counter, shared.upcoming[parity]);
            tile = shared.upcoming[parity];
        }
    }
};

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(TABLE_THREADS, blocks_at_once(TABLE_THREADS, BLOCKS<In, Out>))
    chain_table_tiles(table_tiles<In, Out> m, unsigned down, unsigned *counter, chain_words rows,
                      chain_words columns)
{
    PRIM_SHARED_DYNAMIC(vector_slot, staging);
    PRIM_SHARED(table_memory<Out>, shared, );
    const unsigned warp = threadIdx.x / WARP;
    trigger_launch_completion();
    grid_dependency_synchronize();
    const table_thread<Operator, In, Out> t = {m,
                                               down,
                                               rows,
                                               columns,
                                               &staging[warp * WARP * TABLE_ROWS<Out>],
                                               shared,
                                               warp,
                                               threadIdx.x % WARP};
    t.work(counter);
}

/* ---- the launch, after the one that clears the words ---- */

struct launch_table : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        if constexpr (std::is_same<Operator, sum_operator>::value)
            return launch<In, Out, Operator>(args);
        else
            return not_built(args);
    }

    template <typename In, typename Out, typename Operator>
    static cudaError_t launch(const prim_scan_args *args)
    {
        constexpr size_t SHARED_BYTES = TABLE_THREADS * TABLE_ROWS<Out> * sizeof(vector_slot);
        const size_t across = prim_scan_table_across(args), down = prim_scan_table_down(args);
        const size_t at_once = prim_device_multiprocessors() * BLOCKS<In, Out>,
                     tiles = across * down;
        const cudaError_t error = prim_device_take_error();
        if (error != cudaSuccess)
            return error;
        char *const workspace = static_cast<char *>(args->call.workspace);
        uint64_t *const words = reinterpret_cast<uint64_t *>(workspace + TICKET_BYTES);
        const size_t of_rows = args->rows * WORDS<accumulator_t<Out>>;
        return prim_launch_dependent(
            {args->call.stream, static_cast<unsigned>(tiles < at_once ? tiles : at_once),
             TABLE_THREADS, SHARED_BYTES},
            chain_table_tiles<Operator, In, Out>,
            table_tiles_of<In, Out>(args, static_cast<unsigned>(across)),
            static_cast<unsigned>(down), reinterpret_cast<unsigned *>(workspace),
            chain_words{words, args->rows}, chain_words{words + of_rows, args->columns});
    }
};

} // namespace chained_table
} // namespace

cudaError_t prim_scan_launch_chained_table(const prim_scan_args *args)
{
    return dispatch_if<is_built_in(PRIM_SCAN_CHAINED, PRIM_SCAN_TABLE),
                       chained_table::launch_table>(args);
}
