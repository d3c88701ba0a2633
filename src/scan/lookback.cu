/* LOOKBACK: each element is read once and written once. Persistent blocks take tile after tile, and
 * publish their tiles' aggregates for each other.
 *
 *     step        0       1       2       3          a block works on three tiles at a time:
 *     load       t₀      t₁      t₂      t₃          one that is being copied into shared memory,
 *     sum up             t₀      t₁      t₂          one whose aggregate it publishes,
 *     finish                     t₀      t₁          and one that gets its exclusive prefix
 *
 * A tile's aggregate is published a whole step before any block reads it, and the copy of a later
 * tile goes on while a block looks back: memory stays busy while blocks wait for each other.
 *
 * All blocks read the aggregates of all tiles, a warp 32 at a time, and a block keeps the prefix
 * that it has computed: for its next tile it reads only the aggregates in between. A tile's
 * exclusive prefix depends only on the aggregates, so it is the same in every run: published.cuh.
 *
 * Tiles are taken by an atomic counter. So all tiles before one belong to blocks that run, and
 * these wait only for tiles before their own: the first of all waits for none.
 *
 * Where whole rows keep nearly all blocks busy, none of this is needed: a block takes one, in
 * tiles.cu, or a warp some short rows, in short_rows.cu. routes.c has these ways; the one here is
 * look_back.
 *
 * What changed from REDUCE_THEN_SCAN: two thirds of the bytes. What still holds it back: README.md.
 *
 * Work: 3 × count combinations. Bytes: the elements once, the results once, and for each tile
 * (9216 elements of f32) some 300 words of 8 bytes from L2. Steps: of a tile, 2 runs of 16 elements
 * (f32), 10 for the lanes and the chunks, and in groups of 32 tiles what the blocks at work have.
 * Source: D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back,
 * NVIDIA (2016), where a block stops at the first tile that knows its prefix. */
#include "common/host/device.h"
#include "common/kernel/shared.cuh"
#include "scan/tile/clear_words.cuh"
#include "scan/tile/tile.cuh"
#include "scan/tile/tiles.h"

namespace
{
namespace lookback
{

/* May be set with -D for measurements. */
#ifndef PRIM_SCAN_LOOKBACK_WARPS /* at most: as many as fit shared memory */
#define PRIM_SCAN_LOOKBACK_WARPS 18
#endif
#ifndef PRIM_SCAN_LOOKBACK_BLOCKS /* for each multiprocessor */
#define PRIM_SCAN_LOOKBACK_BLOCKS 2
#endif

constexpr unsigned STAGES = 3; /* tiles that a block works on */
constexpr unsigned MOST_WARPS = PRIM_SCAN_LOOKBACK_WARPS;
[[maybe_unused]] constexpr unsigned MOST_THREADS = MOST_WARPS * WARP; /* the CPU has no bounds */
constexpr unsigned ROUND = 16; /* groups of tiles that a block reads between two barriers */
constexpr size_t WARP_BYTES = STAGES * CHUNK_SLOTS * VECTOR_BYTES; /* of shared memory */

[[maybe_unused]] __device__ constexpr unsigned stage_before(unsigned stage)
{
    return stage == 0 ? STAGES - 1 : stage - 1;
}

/* By a whole warp: waits for the aggregates of `count` tiles, at most a group, and combines them as
 * scan_warp() does; the groups' aggregates are combined one by one, from the first to the last. So
 * the timing changes no bit of the sum. */
template <class Operator, typename Value>
__device__ Value aggregate_of_tiles(uint64_t *words, size_t first, unsigned count, Value identity,
                                    unsigned lane)
{
    published<Value> p = {};
    for (;;) {
        if (lane < count)
            p = read_published<Value>(words, first + lane, AGGREGATE);
        if (__ballot_sync(ALL_LANES, lane < count && !p.there) == 0)
            return reduce_first_lanes<Operator>(p.value, count, identity, lane);
        relax(WAIT_NANOSECONDS);
    }
}

/* The aggregates of this block's tiles, by stage; and the prefix of the one being finished. */
template <typename Value>
struct look_back_memory {
    Value of_warps[STAGES][MOST_WARPS]; /* the chunks' aggregates, then their prefixes */
    Value of_groups[ROUND];
    unsigned number;
};

/* The prefix that a block has computed of its line: the aggregate of the first groups. */
template <typename Value>
struct known_prefix {
    unsigned line, groups;
    Value aggregate;
};

/* A thread of a block. `number` counts tiles through all lines; `tiles` or more stands for none. */
template <class Operator, typename In, typename Out>
struct look_back_thread {
    using value = accumulator_t<Out>;
    const tile_lines<In, Out> &lines;
    const tile_rule<value, Out> &rule;
    uint64_t *words;
    vector_slot *slots; /* [STAGES][warps][CHUNK_SLOTS] */
    look_back_memory<value> &shared;
    unsigned warps, warp, lane;
    value identity;

    __device__ vector_slot *chunk(unsigned stage) const
    {
        return &slots[(stage * warps + warp) * CHUNK_SLOTS];
    }

    __device__ void load(unsigned number, unsigned stage) const
    {
        const warp_place p = place_of(lines, number, warp, warps);
        __syncwarp(); /* all lanes have stored what was there */
        load_chunk(lines, p, chunk(stage), lane);
    }

    /* Returns the exclusive prefix of this lane's run in its chunk. */
    __device__ value sum_up(unsigned number, unsigned stage) const
    {
        const chunk_sums<value> sums = sum_loaded_chunk<Operator>(
            lines, rule.element, line_of(lines, number), chunk(stage), lane);
        if (lane == 0)
            shared.of_warps[stage][warp] = sums.aggregate;
        return sums.run_prefix;
    }

    /* By one warp, after all have summed up. */
    __device__ void publish_tile(unsigned number, unsigned stage) const
    {
        value *const of_warps = shared.of_warps[stage];
        const tile_sums<value> sums = sums_in_tile<Operator>(of_warps, warps, lane, identity, lane);
        if (lane < warps)
            of_warps[lane] = sums.prefix;
        if (lane == 0)
            publish(words, number, AGGREGATE, sums.aggregate);
    }

    /* The tile's exclusive prefix in the line; has a barrier. */
    __device__ value look_back(const warp_place &p, known_prefix<value> &known) const
    {
        const size_t first_of_line = static_cast<size_t>(p.line) * lines.tiles;
        const unsigned group = p.tile / GROUP; /* whose tiles before this one are read */
        if (known.line != p.line)
            known = {p.line, 0, identity};
        for (;;) {
            const unsigned left = group - known.groups + 1, groups = left < ROUND ? left : ROUND;
            for (unsigned g = warp; g < groups; g += warps) {
                const unsigned first = (known.groups + g) * GROUP, before = p.tile - first;
                const value aggregate = aggregate_of_tiles<Operator>(
                    words, first_of_line + first, before < GROUP ? before : GROUP, identity, lane);
                if (lane == 0)
                    shared.of_groups[g] = aggregate;
            }
            __syncthreads();
            const unsigned whole = left <= ROUND ? left - 1 : ROUND;
            PRIM_UNROLL(4)
            for (unsigned g = 0; g < whole; g++)
                known.aggregate = Operator::combine(known.aggregate, shared.of_groups[g]);
            known.groups += whole;
            if (left <= ROUND)
                return Operator::combine(known.aggregate, shared.of_groups[whole]);
            __syncthreads();
        }
    }

    __device__ void finish(unsigned number, unsigned stage, value run_prefix,
                           known_prefix<value> &known) const
    {
        const warp_place p = place_of(lines, number, warp, warps);
        const value tile_prefix = Operator::combine(initial_of(rule), look_back(p, known));
        const value chunk_prefix = Operator::combine(tile_prefix, shared.of_warps[stage][warp]);
        finish_chunk<Operator>(lines, rule, p, chunk(stage),
                               Operator::combine(chunk_prefix, run_prefix), tile_prefix, lane);
    }
};

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(MOST_THREADS,
                                  blocks_at_once(MOST_THREADS, PRIM_SCAN_LOOKBACK_BLOCKS))
    scan_and_look_back(tile_lines<In, Out> lines, tile_rule<accumulator_t<Out>, Out> rule,
                       unsigned tiles, unsigned *ticket, uint64_t *words)
{
    using value = accumulator_t<Out>;
    PRIM_SHARED_DYNAMIC(vector_slot, slots);
    PRIM_SHARED(look_back_memory<value>, shared, );
    const value identity = identity_of<Operator, Out>();
    const look_back_thread<Operator, In, Out> t = {lines,
                                                   rule,
                                                   words,
                                                   slots,
                                                   shared,
                                                   blockDim.x / WARP,
                                                   threadIdx.x / WARP,
                                                   threadIdx.x % WARP,
                                                   identity};

    prefetch_chunk(lines, place_of(lines, blockIdx.x, t.warp, t.warps), t.lane);
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (threadIdx.x == 0)
        shared.number = take_ticket(ticket);
    __syncthreads();
    unsigned loading = shared.number, summing = tiles, finishing = tiles;
    unsigned to = 0; /* the stage that is loaded; the two before it, around, have the other tiles */
    known_prefix<value> known = {0, 0, identity};
    value run_prefix = identity;
    while (loading < tiles || summing < tiles || finishing < tiles) {
        const unsigned in = stage_before(to), from = stage_before(in);
        const bool more = threadIdx.x == 0 && loading < tiles;
        const unsigned upcoming = more ? take_ticket(ticket) : tiles;
        if (loading < tiles)
            t.load(loading, to);
        close_batch_of_copies();
        wait_for_copies_but<1>();
        __syncwarp();
        value next_run_prefix = identity;
        if (summing < tiles)
            next_run_prefix = t.sum_up(summing, in);
        __syncthreads();

        if (t.warp == t.warps - 1 && summing < tiles) /* the warp with the fewest groups to read */
            t.publish_tile(summing, in);
        if (threadIdx.x == 0)
            shared.number = upcoming;
        if (finishing < tiles)
            t.finish(finishing, from, run_prefix, known);
        else
            __syncthreads();

        run_prefix = next_run_prefix;
        finishing = summing;
        summing = loading;
        loading = shared.number;
        to = from;
    }
}

/* ---- how many warps, tiles and words ---- */

/* A block has less than 2 KiB besides its tiles. */
unsigned most_warps()
{
    const size_t room = (prim_device_shared_bytes() - 2048) / WARP_BYTES;
    return room < MOST_WARPS ? static_cast<unsigned>(room) : MOST_WARPS;
}

/* As few as give most multiprocessors a tile: with a tile for all, some got a second one before
 * others had their first. */
unsigned warps_of_tile(const prim_scan_args *args)
{
    constexpr size_t FEWEST = 4;
    const size_t most = most_warps();
    const size_t multiprocessors = prim_device_multiprocessors();
    const size_t spread = multiprocessors - multiprocessors / 8;
    const size_t wanted = prim_divide_up(args->rows * prim_scan_tiles_of_warps(args, 1), spread);
    return static_cast<unsigned>(wanted < FEWEST ? FEWEST : wanted < most ? wanted : most);
}

size_t tiles_of_line(const prim_scan_args *args)
{
    return prim_scan_tiles_of_warps(args, warps_of_tile(args));
}

size_t workspace_bytes(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    return bytes_of_words(args, tiles_of_line(args));
}

const char *why_not(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    if (args->summed_area)
        return "it does not compute summed-area tables";
    return prim_fits_a_grid(args->rows, tiles_of_line(args))
               ? types_why_not(args, PRIM_SCAN_LOOKBACK)
               : PRIM_GRID_TOO_SMALL;
}

/* ---- two launches: the first one clears the words ---- */

struct launch_look_back : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        using value = accumulator_t<Out>;
        const unsigned warps = warps_of_tile(args);
        tile_lines<In, Out> lines = lines_of<In, Out>(args, tiles_of_line(args), warps);
        lines.ends_whole = false; /* its tiles are not those of tiles.h */
        tile_rule<value, Out> rule = rule_of<Operator, Out>(args);
        const unsigned tiles = static_cast<unsigned>(args->rows) * lines.tiles;
        const unsigned at_once = prim_device_multiprocessors() * PRIM_SCAN_LOOKBACK_BLOCKS;
        const size_t most_bytes = most_warps() * WARP_BYTES;
        cudaError_t error = prim_device_take_error();
        if (error == cudaSuccess)
            error = prim_allow_shared(scan_and_look_back<Operator, In, Out>, most_bytes);
        if (error != cudaSuccess)
            return error;
        char *const workspace = static_cast<char *>(args->call.workspace);
        if (rule.d_initial != nullptr)
            rule.d_initial = reinterpret_cast<const Out *>(workspace) +
                             INITIAL_WORD * (sizeof(uint64_t) / sizeof(Out));
        return prim_launch_dependent({args->call.stream, tiles < at_once ? tiles : at_once,
                                      warps * WARP, warps * WARP_BYTES},
                                     scan_and_look_back<Operator, In, Out>, lines, rule, tiles,
                                     reinterpret_cast<unsigned *>(workspace),
                                     reinterpret_cast<uint64_t *>(workspace + TICKET_BYTES));
    }
};

cudaError_t launch(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    const prim_scan_route route = prim_scan_route_of(PRIM_SCAN_LOOKBACK, args);
    if (route == PRIM_SCAN_NO_ROUTE)
        return prim_scan_launch_empty(args);
    if (route != PRIM_SCAN_LOOK_BACK)
        return prim_scan_launch_lines(args, route);
    const cudaError_t error = clear_words(args, workspace_bytes(args));
    return error == cudaSuccess
               ? dispatch_if<rung_is_built(PRIM_SCAN_LOOKBACK), launch_look_back>(args)
               : error;
}

} // namespace lookback
} // namespace

PRIM_DEFINE_RUNG(scan, lookback) = {
    {PRIM_SCAN_LOOKBACK, "lookback",
     "each element once: a block looks back at the aggregates of the tiles before it"},
    lookback::why_not,
    lookback::workspace_bytes,
    lookback::launch};
