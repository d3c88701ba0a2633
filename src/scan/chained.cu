/* CHAINED: each element is read once and written once, as in LOOKBACK; but one block combines the
 * tiles' aggregates for all others, one after the other: in REDUCE_THEN_SCAN's order, so with its
 * bits.
 *
 *     blocks       A   B   C   D  …        each publishes its tile's aggregate, and goes on
 *     one block    ·   A   AB  ABC …       reads them in order, and publishes each exclusive prefix
 *     blocks       t₀  t₁  t₂  t₃ …        each reads that one word, and writes its results
 *
 * What changed from LOOKBACK: there every block reads all aggregates and adds them up for itself,
 * which is fast enough only as a tree. Here one block does it for all, so that it may be one
 * addition after the other; and a block reads one word for each tile instead of some 300.
 *
 * Rows that keep nearly all blocks busy need no chain: a block takes a whole one, in tiles.cu, and
 * of short ones a warp some, in short_rows.cu. routes.c has these ways, of which this is chain.
 *
 * What still holds it back: the chain of additions, and the latency of the words that it waits for,
 * which is longest in f64; see NOTES.md.
 *
 *     step        0       1       2       3          a block works on up to three tiles:
 *     load       t₀      t₁      t₂      t₃          one that is being copied into shared memory,
 *     sum up             t₀      t₁      t₂          one whose aggregate it publishes,
 *     finish                     t₀      t₁          and one that gets its exclusive prefix
 *
 * A block takes its next tile when it knows the exclusive prefix of one of its own, so that tiles
 * are taken in the order in which they are finished. If it took them earlier, a block would have
 * several tiles close to each other, and all others would wait for one after the other.
 *
 * No block waits for one that may never run. The second block to begin does the chain; it waits
 * only for tiles that running blocks have taken. As long as the first block is alone, it keeps the
 * prefix by itself.
 *
 * Work: 3 × count combinations. Bytes: the elements once, the results once, and for each tile two
 * words of 8 bytes, written and read in L2. Steps: of a tile, 2 runs of 16 elements (f32) and 10
 * for the lanes and the chunks; and one for each tile of the line before it.
 * Source: S. Yan, G. Long and Y. Zhang, StreamScan, PPoPP (2013), where each block passes its
 * carry-out to the next one. */
#include <type_traits>

#include "common/host/device.h"
#include "common/kernel/shared.cuh"
#include "scan/table/summed_area.h"
#include "scan/tile/clear_words.cuh"

namespace
{
namespace chained
{

/* May be set with -D for measurements. */
#ifndef PRIM_SCAN_CHAINED_STAGES /* at most: as many as fit shared memory */
#define PRIM_SCAN_CHAINED_STAGES 3
#endif
#ifndef PRIM_SCAN_CHAINED_BLOCKS /* for each multiprocessor */
#define PRIM_SCAN_CHAINED_BLOCKS 2
#endif
#ifndef PRIM_SCAN_CHAINED_WARPS /* that chain: more would slow each other down */
#define PRIM_SCAN_CHAINED_WARPS 3
#endif

constexpr unsigned MOST_STAGES = PRIM_SCAN_CHAINED_STAGES;
constexpr unsigned CHAIN_WARPS = PRIM_SCAN_CHAINED_WARPS;
constexpr size_t STAGE_BYTES = TILE_WARPS * CHUNK_SLOTS * VECTOR_BYTES; /* of shared memory */
/* Aggregates of warps are read up to a step after they were written. */
constexpr unsigned TURNS = 3;

/* As a warp reads them from shared memory: a vector of 16 bytes at a time. */
template <typename Value>
struct alignas(VECTOR_BYTES) some_aggregates {
    static constexpr unsigned COUNT = VECTOR_BYTES / sizeof(Value);
    Value of[COUNT];
};

template <typename Value>
struct chain_memory {
    Value of_warps[TURNS][TILE_WARPS]; /* the chunks' aggregates, by tile */
    Value prefix;                      /* the exclusive prefix of the tile that is being finished */
    unsigned number;                   /* the tile to be loaded next, or the block's number */
    /* For the block that chains: */
    uint64_t passed_prefix[WORDS<Value>];
    some_aggregates<Value> aggregates[CHAIN_WARPS][GROUP / some_aggregates<Value>::COUNT];
};

/* The first word of the workspace: how many blocks have begun, and how many tiles are taken. It is
 * one word, since who has taken a tile must see that the blocks have begun that took those before:
 * relaxed operations on two words have no order. */
struct counters {
    unsigned long long blocks_and_tiles; /* in the upper half, and in the lower */
};

[[maybe_unused]] __device__ inline unsigned begin_block(counters *counted)
{
    return static_cast<unsigned>(atomicAdd(&counted->blocks_and_tiles, 1ull << 32) >> 32);
}

[[maybe_unused]] __device__ inline unsigned take_tile(counters *counted)
{
    return static_cast<unsigned>(atomicAdd(&counted->blocks_and_tiles, 1ull));
}

[[maybe_unused]] __device__ inline bool is_alone(counters *counted)
{
    return atomic_load(&counted->blocks_and_tiles) >> 32 == 1;
}

/* A tile that a block works on. `number` is its number, counted through all lines; `tiles` or more
 * stands for none. */
template <typename Value>
struct tile_in_flight {
    unsigned number, stage, sums;
    Value run_prefix; /* in its chunk, of this lane */
};

/* Selects field by field: with whole structs the compiler would keep them in local memory. */
template <typename Value>
__device__ tile_in_flight<Value> either(bool first, const tile_in_flight<Value> &a,
                                        const tile_in_flight<Value> &b)
{
    return {first ? a.number : b.number, first ? a.stage : b.stage, first ? a.sums : b.sums,
            first ? a.run_prefix : b.run_prefix};
}

[[maybe_unused]] __device__ inline unsigned lanes_below(unsigned lane)
{
    return (1u << lane) - 1;
}

/* One of a block's threads. */
template <class Operator, typename In, typename Out>
struct chain_thread {
    using value = accumulator_t<Out>;
    const tile_lines<In, Out> &lines;
    const tile_rule<value, Out> &rule;
    counters *counted;
    uint64_t *words;
    vector_slot *slots; /* [stages][TILE_WARPS][CHUNK_SLOTS] */
    chain_memory<value> &shared;
    unsigned tiles, stages, warp, lane;

    /* ---- all blocks but one: load, sum up, finish ---- */

    __device__ vector_slot *chunk(unsigned stage) const
    {
        return &slots[(stage * TILE_WARPS + warp) * CHUNK_SLOTS];
    }

    /* Where there are two stages, waits for the load of the tile before it, too. */
    __device__ void load(const tile_in_flight<value> &tile) const
    {
        if (tile.number < tiles)
            load_chunk_if_any(lines, place_of(lines, tile.number, warp, TILE_WARPS),
                              chunk(tile.stage), lane);
        close_batch_of_copies();
        if (stages > 1)
            wait_for_copies_but<1>();
        else
            wait_for_copies();
        __syncwarp();
    }

    __device__ void sum_up(tile_in_flight<value> &tile) const
    {
        if (tile.number >= tiles)
            return;
        const chunk_sums<value> sums = sum_chunk_if_any<Operator>(
            lines, rule.element, place_of(lines, tile.number, warp, TILE_WARPS), chunk(tile.stage),
            lane);
        tile.run_prefix = sums.run_prefix;
        if (lane == 0)
            shared.of_warps[tile.sums][warp] = sums.aggregate;
    }

    /* This warp's chunk in the tile, after all warps have summed up. */
    __device__ tile_sums<value> sums_of(const tile_in_flight<value> &tile) const
    {
        return sums_in_tile<Operator>(shared.of_warps[tile.sums], TILE_WARPS, warp,
                                      identity_of<Operator, Out>(), lane);
    }

    /* By the last warp: the first one has more to do. */
    __device__ void publish_aggregate(const tile_in_flight<value> &tile) const
    {
        if (warp != TILE_WARPS - 1 || tile.number >= tiles)
            return;
        const value aggregate = sums_of(tile).aggregate;
        if (lane == 0)
            publish(words, tile.number, AGGREGATE, aggregate);
    }

    /* The tile's exclusive prefix, by a whole warp; `alone` while the first block is alone. */
    __device__ value wait_for_prefix(unsigned number, bool first_block, value alone) const
    {
        for (;;) {
            const published<value> prefix = read_published<value>(words, number, PREFIX);
            const bool there = __shfl_sync(ALL_LANES, prefix.there, 0);
            if (there)
                return prefix.value;
            if (first_block && __shfl_sync(ALL_LANES, is_alone(counted), 0))
                return number % lines.tiles == 0 ? initial_of(rule) : alone;
            relax(WAIT_NANOSECONDS);
        }
    }

    /* Waits for the prefix and takes the next tile in the first warp, then stores in all. */
    __device__ void finish(const tile_in_flight<value> &tile, bool more, bool first_block,
                           value &alone) const
    {
        const bool there = tile.number < tiles;
        tile_sums<value> sums = {};
        if (there)
            sums = sums_of(tile);
        if (there && warp == 0) {
            const value prefix = wait_for_prefix(tile.number, first_block, alone);
            alone = Operator::combine(prefix, sums.aggregate);
            if (lane == 0)
                shared.prefix = prefix;
        }
        const unsigned upcoming = threadIdx.x == 0 && more ? take_tile(counted) : tiles;
        __syncthreads();
        if (there)
            finish_chunk<Operator>(
                lines, rule, place_of(lines, tile.number, warp, TILE_WARPS), chunk(tile.stage),
                Operator::combine(Operator::combine(shared.prefix, sums.prefix), tile.run_prefix),
                Operator::combine(shared.prefix, sums.aggregate), lane);
        if (threadIdx.x == 0)
            shared.number = upcoming;
    }

    __device__ void work(bool first_block) const
    {
        if (threadIdx.x == 0)
            shared.number = take_tile(counted);
        __syncthreads();
        const tile_in_flight<value> none = {tiles, 0, 0, value()};
        tile_in_flight<value> loading = {shared.number, 0, 0, value()}, loaded = none,
                              summed = none;
        value alone = value();
        while (loading.number < tiles || (stages > 1 && loaded.number < tiles) ||
               (stages > 2 && summed.number < tiles)) {
            load(loading);
            tile_in_flight<value> summing = either(stages > 1, loaded, loading);
            sum_up(summing);
            __syncthreads();
            publish_aggregate(summing);
            finish(either(stages > 2, summed, summing), loading.number < tiles, first_block, alone);
            __syncthreads();
            summed = summing;
            loaded = loading;
            loading = {shared.number, loading.stage + 1 == stages ? 0 : loading.stage + 1,
                       (loading.sums + 1) % TURNS, value()};
        }
    }

    /* ---- one block: chain ---- */

    /* The operand with which combine() changes no bit of a value: +0 would change -0. */
    __device__ static value neutral()
    {
        return std::is_same<Operator, sum_operator>::value ? -value(0)
                                                           : identity_of<Operator, Out>();
    }

    /* The exclusive prefix of this lane's tile, from `so_far` on, out of a group of 32 tiles; each
     * lane has its tile's aggregate, and `mine` tiles of its line are before its own in the group.
     * Each lane goes through all of them, since the chain of additions takes as long in any
     * case. */
    __device__ value chain_group(value aggregate, unsigned mine, value so_far) const
    {
        constexpr unsigned N = some_aggregates<value>::COUNT;
        some_aggregates<value> *const aggregates = shared.aggregates[warp];
        aggregates[lane / N].of[lane % N] = aggregate;
        __syncwarp();
        PRIM_UNROLL(8) /* with f64, all 32 at once take too many registers */
        for (unsigned v = 0; v < GROUP / N; v++) {
            const some_aggregates<value> next = aggregates[v];
            PRIM_UNROLL(N)
            for (unsigned n = 0; n < N; n++)
                so_far = Operator::combine(so_far, (mine & 1u << (v * N + n)) != 0 ? next.of[n]
                                                                                   : neutral());
        }
        __syncwarp();
        return so_far;
    }

    /* Passes a group's exclusive prefix to the warp that has the group; a word has its number. */
    __device__ void pass_prefix(unsigned group, value prefix) const
    {
        const value_words<value> all = words_of(prefix, group);
        if (lane > 0)
            return;
        PRIM_UNROLL(WORDS<value>)
        for (unsigned w = 0; w < WORDS<value>; w++)
            atomic_store_in_block(&shared.passed_prefix[w], all.at[w]);
    }

    __device__ published<value> read_passed_prefix(unsigned group) const
    {
        value_words<value> all;
        PRIM_UNROLL(WORDS<value>)
        for (unsigned w = 0; w < WORDS<value>; w++)
            all.at[w] = atomic_load_in_block(&shared.passed_prefix[w]);
        return value_of(all, group);
    }

    /* 32 tiles, one for each lane: combines their aggregates as they arrive, once the group's
     * prefix is there, too. Lanes may see a word at different times; the warp goes on when all
     * have. */
    __device__ void chain_tiles(unsigned group, value initial) const
    {
        const unsigned tile = group * GROUP + lane, in_line = tile % lines.tiles;
        const unsigned count = tiles - group * GROUP < GROUP ? tiles - group * GROUP : GROUP;
        const unsigned line_begin = lane < in_line ? 0 : lane - in_line; /* or the group's */
        published<value> aggregate = {}, of_group = {group == 0, initial};
        for (unsigned done = 0; done < count;) {
            if (!aggregate.there && lane < count)
                aggregate = read_published<value>(words, tile, AGGREGATE);
            if (!of_group.there)
                of_group = read_passed_prefix(group);
            of_group.there = __ballot_sync(ALL_LANES, of_group.there) == ALL_LANES;
            const unsigned missing = ~__ballot_sync(ALL_LANES, aggregate.there);
            const unsigned end = count_bits(~missing & (missing - 1)); /* below it */
            if (end == done || !of_group.there) {
                poll_again();
                continue;
            }
            const bool continues = line_begin < done || in_line > lane;
            const unsigned begin = line_begin < done ? done : line_begin;
            const unsigned mine = lane < done ? 0 : lanes_below(lane) & ~lanes_below(begin);
            const value prefix =
                chain_group(aggregate.value, mine, continues ? of_group.value : initial);
            if (lane >= done && lane < end)
                publish(words, tile, PREFIX, prefix);
            of_group.value =
                __shfl_sync(ALL_LANES, Operator::combine(prefix, aggregate.value), end - 1);
            done = end;
        }
        pass_prefix(group + 1, of_group.value);
    }

    /* A few warps take groups in turn: while one chains, the others poll for the next groups. */
    __device__ void chain() const
    {
        const value initial = initial_of(rule);
        if (threadIdx.x < WORDS<value>)
            shared.passed_prefix[threadIdx.x] = 0;
        __syncthreads();
        if (warp < CHAIN_WARPS)
            for (unsigned group = warp; group * GROUP < tiles; group += CHAIN_WARPS)
                chain_tiles(group, initial);
    }
};

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(TILE_THREADS,
                                  blocks_at_once(TILE_THREADS, PRIM_SCAN_CHAINED_BLOCKS))
    scan_chained(tile_lines<In, Out> lines, tile_rule<accumulator_t<Out>, Out> rule, unsigned tiles,
                 unsigned stages, counters *counted, uint64_t *words)
{
    PRIM_SHARED_DYNAMIC(vector_slot, slots);
    PRIM_SHARED(chain_memory<accumulator_t<Out>>, shared, );
    const chain_thread<Operator, In, Out> t = {lines,
                                               rule,
                                               counted,
                                               words,
                                               slots,
                                               shared,
                                               tiles,
                                               stages,
                                               threadIdx.x / WARP,
                                               threadIdx.x % WARP};
    if (blockIdx.x < tiles)
        prefetch_chunk(lines, place_of(lines, blockIdx.x, t.warp, TILE_WARPS), t.lane);
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (threadIdx.x == 0)
        shared.number = begin_block(counted);
    __syncthreads();
    const unsigned number = shared.number;
    __syncthreads();
    if (number == 1)
        t.chain();
    else
        t.work(number == 0);
}

/* ---- which calls, how many stages and words ---- */

/* A block has less than 2 KiB besides its tiles. */
[[maybe_unused]] unsigned stages_here()
{
    const size_t room = (prim_device_shared_bytes() - 2048) / STAGE_BYTES;
    return room < MOST_STAGES ? static_cast<unsigned>(room) : MOST_STAGES;
}

/* A word for each row and each column: chained_table.cu. */
size_t bytes_of_table(const prim_scan_args *args)
{
    const size_t value_bytes = prim_element_bytes(prim_accumulator_type(args->out_type));
    return args->rows == 0 || args->columns == 0
               ? 0
               : TICKET_BYTES + (args->rows + args->columns) * 2 * value_bytes;
}

size_t workspace_bytes(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    return args->summed_area ? bytes_of_table(args)
                             : bytes_of_words(args, prim_scan_tiles_of(args));
}

const char *table_why_not(const prim_scan_args *args)
{
    if (args->op != PRIM_OP_SUM)
        return "it computes summed-area tables of sums only";
    return prim_fits_a_grid(prim_scan_table_down(args), prim_scan_table_across(args))
               ? types_why_not(args, PRIM_SCAN_CHAINED)
               : PRIM_GRID_TOO_SMALL;
}

const char *why_not(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    if (args->summed_area)
        return table_why_not(args);
    if (!prim_scan_depends_on_order(args))
        return "it takes sums and products of floats only, since only their bits depend on the "
               "order";
    return prim_fits_a_grid(args->rows, prim_scan_tiles_of(args))
               ? types_why_not(args, PRIM_SCAN_CHAINED)
               : PRIM_GRID_TOO_SMALL;
}

/* ---- two launches: the first one clears the words ---- */

struct launch_chained : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        const tile_lines<In, Out> lines =
            lines_of<In, Out>(args, prim_scan_tiles_of(args), TILE_WARPS);
        const unsigned tiles = static_cast<unsigned>(args->rows) * lines.tiles,
                       stages = stages_here();
        const unsigned at_once = prim_device_multiprocessors() * PRIM_SCAN_CHAINED_BLOCKS;
        cudaError_t error = prim_device_take_error();
        if (error == cudaSuccess)
            error = prim_allow_shared(scan_chained<Operator, In, Out>, stages * STAGE_BYTES);
        if (error != cudaSuccess)
            return error;
        char *const workspace = static_cast<char *>(args->call.workspace);
        return prim_launch_dependent({args->call.stream, tiles < at_once ? tiles + 1 : at_once,
                                      TILE_THREADS, stages * STAGE_BYTES},
                                     scan_chained<Operator, In, Out>, lines,
                                     rule_of<Operator, Out>(args), tiles, stages,
                                     reinterpret_cast<counters *>(workspace),
                                     reinterpret_cast<uint64_t *>(workspace + TICKET_BYTES));
    }
};

cudaError_t launch_table(const prim_scan_args *args)
{
    const cudaError_t error = clear_words(args, bytes_of_table(args));
    return error == cudaSuccess ? prim_scan_launch_chained_table(args) : error;
}

cudaError_t launch(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    const prim_scan_route route = prim_scan_route_of(PRIM_SCAN_CHAINED, args);
    if (route == PRIM_SCAN_NO_ROUTE)
        return prim_scan_launch_empty(args);
    if (route == PRIM_SCAN_DIAGONALS)
        return launch_table(args);
    if (route != PRIM_SCAN_CHAIN)
        return prim_scan_launch_lines(args, route);
    const cudaError_t error = clear_words(args, workspace_bytes(args));
    return error == cudaSuccess
               ? dispatch_ordered<rung_is_built(PRIM_SCAN_CHAINED), launch_chained>(args)
               : error;
}

} // namespace chained
} // namespace

PRIM_DEFINE_RUNG(scan,
                 chained) = {{PRIM_SCAN_CHAINED, "chained",
                              "each element once: the tiles' carries are made one after the other"},
                             chained::why_not,
                             chained::workspace_bytes,
                             chained::launch};
