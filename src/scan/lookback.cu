/* LOOKBACK: each element is read once and written once. Blocks stay, take tile after tile, and tell
 * each other their tiles' aggregates.
 *
 *     step        0       1       2       3          a block has three tiles in hand:
 *     load       t₀      t₁      t₂      t₃          one that is being copied into shared memory,
 *     sum up             t₀      t₁      t₂          one whose total it publishes,
 *     finish                     t₀      t₁          and one that gets what lies before it
 *
 * Sixteen warps do that work, and a seventeenth watches: it publishes a tile's total, and finds out
 * what lies before the tile while the others load and sum up the next ones. Its answer is needed a
 * whole step after it begins to look, so that memory is not idle because blocks wait for each
 * other.
 *
 * What lies before a tile is the initial value and the totals before it, combined one after the
 * other: one sum, to the last bit, whoever makes it and when. A watcher keeps what it knows of the
 * line; at its block's next tile it takes those in between.
 *
 * Tiles are taken by tickets. All tiles before one are then in the hands of blocks that run, and
 * what these wait for lies before them still: the first of all waits for nobody.
 *
 * A block with too little shared memory for three tiles has one in hand, and does all in a step.
 *
 * What changed from REDUCE_THEN_SCAN: two thirds of the bytes. What still holds it back: README.md.
 *
 * Work: 3 × count combinations. Bytes: the elements once, the results once, and for each tile
 * (8192 elements of f32) some 300 words of 8 bytes from L2. Steps: of a tile, 2 runs of 16 elements
 * (f32), 10 for the lanes and the chunks, and as many as there are blocks at work.
 * Source: D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back,
 * NVIDIA (2016), where a block stops at the first tile that knows what lies before itself. */
#include "common/device.h"
#include "common/shared.cuh"
#include "scan/published.cuh"
#include "scan/tile.cuh"

namespace
{
namespace lookback
{

/* To be given with -D where sizes are being measured. */
#ifndef PRIM_SCAN_LOOKBACK_BLOCKS /* that a multiprocessor is to hold */
#define PRIM_SCAN_LOOKBACK_BLOCKS 2
#endif

constexpr unsigned STAGES = 3; /* tiles that a block has in hand */
constexpr unsigned THREADS = TILE_THREADS + WARP;
constexpr size_t STAGE_BYTES = size_t(TILE_WARPS) * CHUNK_SLOTS * VECTOR_BYTES;

/* The workspace begins with the ticket and a copy of the initial value; then the tiles' words. */
constexpr size_t HEAD_BYTES = 256;
constexpr unsigned INITIAL_WORD = 1; /* of 8 bytes */

/* Of this block's tiles, by stage. */
template <typename Value>
struct look_back_memory {
    Value of_warps[STAGES][TILE_WARPS]; /* the chunks' totals, and then what is before each */
    Value before_tile[STAGES];
    Value front[FRONT<Value>];
    unsigned turn[STAGES];
};

/* What a watcher knows of the line that its block's last tile was in: what is before a tile. */
template <typename Value>
struct known_front {
    unsigned line, tile;
    Value before;
};

/* One of a block's threads. Tiles are counted through all lines; a turn of `tiles` or more is none.
 */
template <class Operator, typename In, typename Out>
struct look_back_thread {
    using value = accumulator_t<Out>;

    const tile_lines<In, Out> &lines;
    const tile_rule<value, Out> &rule;
    uint64_t *words;
    vector_slot *slots; /* [stages][TILE_WARPS][CHUNK_SLOTS] */
    look_back_memory<value> &shared;
    unsigned warp, lane;

    __device__ vector_slot *chunk(unsigned stage) const
    {
        return &slots[(stage * TILE_WARPS + warp) * CHUNK_SLOTS];
    }

    /* ---- the sixteen ---- */

    /* That some block will take first: on its way while the launch before this one ends. */
    __device__ void prefetch_tile(unsigned turn) const
    {
        constexpr unsigned CACHE_LINE = 128 / sizeof(In);
        const warp_place p = place_of(lines, turn, warp);
        if (lane * CACHE_LINE < p.count)
            prefetch(first_of(lines, p) + lane * CACHE_LINE);
    }

    __device__ void load(unsigned turn, unsigned stage) const
    {
        const warp_place p = place_of(lines, turn, warp);
        __syncwarp(); /* all lanes have stored what was there */
        load_chunk(lines, p, chunk(stage), lane);
    }

    /* Returns what lies before this lane's run in its chunk. */
    __device__ value sum_up(unsigned turn, unsigned stage) const
    {
        const chunk_sums<value> sums = sum_loaded_chunk<Operator>(
            lines, rule.element, line_of(lines, turn), chunk(stage), lane);
        if (lane == 0)
            shared.of_warps[stage][warp] = sums.total;
        return sums.before_run;
    }

    __device__ void finish(unsigned turn, unsigned stage, value before_run) const
    {
        const warp_place p = place_of(lines, turn, warp);
        const value before_chunk =
            Operator::combine(shared.before_tile[stage], shared.of_warps[stage][warp]);
        finish_chunk<Operator>(lines, rule, p, chunk(stage),
                               Operator::combine(before_chunk, before_run), lane);
    }

    /* ---- the seventeenth: when all have summed up ---- */

    __device__ void watch(unsigned turn, unsigned stage, known_front<value> &known) const
    {
        value *const of_warps = shared.of_warps[stage];
        const tile_sums<value> sums =
            sums_in_tile<Operator>(of_warps, TILE_WARPS, lane, identity_of<Operator, Out>(), lane);
        if (lane == 0)
            publish(words, turn, sums.total);
        __syncwarp();
        if (lane < TILE_WARPS)
            of_warps[lane] = sums.before;
        const unsigned line = line_of(lines, turn), tile = turn - line * lines.tiles;
        if (known.tile == 0 || known.line != line)
            known = {line, 0, initial_of(rule)};
        known.before =
            take_tiles<Operator>(words, static_cast<size_t>(line) * lines.tiles + known.tile,
                                 tile - known.tile, known.before, shared.front, lane);
        known.tile = tile;
        if (lane != 0)
            return;
        shared.before_tile[stage] = known.before;
        if (rule.total != nullptr && tile + 1 == lines.tiles && ends_with_a_tile(lines))
            *rule.total =
                result_of<Operator, Out>(Operator::combine(known.before, sums.total), rule.element);
    }
};

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(THREADS, blocks_at_once(THREADS, PRIM_SCAN_LOOKBACK_BLOCKS))
    scan_and_look_back(tile_lines<In, Out> lines, tile_rule<accumulator_t<Out>, Out> rule,
                       unsigned tiles, unsigned stages, uint64_t *workspace)
{
    using value = accumulator_t<Out>;
    PRIM_SHARED_DYNAMIC(vector_slot, slots);
    PRIM_SHARED(look_back_memory<value>, shared, );
    unsigned *const ticket = reinterpret_cast<unsigned *>(workspace);
    const look_back_thread<Operator, In, Out> t = {lines,
                                                   rule,
                                                   workspace + HEAD_BYTES / sizeof(uint64_t),
                                                   slots,
                                                   shared,
                                                   threadIdx.x / WARP,
                                                   threadIdx.x % WARP};
    const bool watches = t.warp == TILE_WARPS, at_once = stages < STAGES;

    if (!watches)
        t.prefetch_tile(blockIdx.x);
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (threadIdx.x == 0)
        shared.turn[STAGES - 1] = take_ticket(ticket);
    __syncthreads();
    unsigned loading = shared.turn[STAGES - 1], summing = tiles, finishing = tiles;
    unsigned to = 0; /* the stage that is loaded */
    known_front<value> known = {0, 0, rule.initial};
    value before_run = rule.initial, before_next_run = rule.initial;
    while (loading < tiles || summing < tiles || finishing < tiles) {
        const unsigned in = at_once ? 0 : (to + STAGES - 1) % STAGES, /* and those of the others */
            from = at_once ? 0 : (to + 1) % STAGES;
        unsigned upcoming = tiles;
        if (at_once)
            finishing = summing = loading;
        if (!watches) {
            if (loading < tiles)
                t.load(loading, to);
            close_batch_of_copies();
            if (at_once)
                wait_for_copies();
            else
                wait_for_copies_but<1>();
            __syncwarp();
            before_run = before_next_run;
            if (summing < tiles)
                before_next_run = t.sum_up(summing, in);
        } else if (t.lane == 0 && loading < tiles) {
            upcoming = take_ticket(ticket);
        }
        if (at_once)
            __syncthreads();
        if (watches && finishing < tiles)
            t.watch(finishing, from, known);
        if (watches && t.lane == 0)
            shared.turn[to] = upcoming;
        __syncthreads();

        if (!watches && finishing < tiles)
            t.finish(finishing, from, at_once ? before_next_run : before_run);
        finishing = at_once ? tiles : summing;
        summing = at_once ? tiles : loading;
        loading = shared.turn[to];
        to = at_once ? 0 : (to + 1) % STAGES;
    }
}

/* ---- stages, tiles and words ---- */

/* Three, or one: with two, a tile would be loaded and summed up in one step, and gain little. */
unsigned stages_of_block()
{
    constexpr size_t BESIDES = 2048; /* at most, of shared memory */
    return prim_device_shared_bytes() >= STAGES * STAGE_BYTES + BESIDES ? STAGES : 1;
}

/* A line that one block has at once needs none of this. */
bool is_one_tile(const prim_scan_args *args)
{
    return prim_scan_tiles_of(args) == 1;
}

/* One total for each tile, in whole groups, which takes twice its bytes: half of every word is its
 * state. */
size_t workspace_bytes(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    const size_t groups = prim_divide_up(args->rows * prim_scan_tiles_of(args), GROUP);
    const size_t total_bytes = 2 * prim_element_bytes(prim_accumulator_type(args->out_type));
    return args->rows == 0 || is_one_tile(args) ? 0 : HEAD_BYTES + groups * GROUP * total_bytes;
}

const char *why_not(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    if (args->summed_area)
        return "it does not make summed-area tables";
    return prim_fits_a_grid(args->rows, prim_scan_tiles_of(args)) ? types_why_not(args)
                                                                  : PRIM_GRID_TOO_SMALL;
}

/* ---- two launches: the words arrive dirty, and the first one clears them ---- */

/* The initial value is copied: where it lies, the total may be written before all have read it. */
__global__ void clear(uint64_t *words, size_t count, const unsigned char *initial, unsigned bytes)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    trigger_launch_completion();
    grid_dependency_synchronize();
    uint64_t word = 0;
    if (i == INITIAL_WORD && initial != nullptr)
        for (unsigned b = 0; b < bytes; b++)
            word |= static_cast<uint64_t>(initial[b]) << 8 * b;
    if (i < count)
        words[i] = word;
}

cudaError_t clear_words(const prim_scan_args *args)
{
    constexpr unsigned CLEARING = 256;
    const size_t count = workspace_bytes(args) / sizeof(uint64_t);
    return prim_launch_dependent(
        {args->call.stream, static_cast<unsigned>(prim_divide_up(count, CLEARING)), CLEARING},
        clear, static_cast<uint64_t *>(args->call.workspace), count,
        static_cast<const unsigned char *>(args->d_initial),
        static_cast<unsigned>(prim_element_bytes(args->out_type)));
}

struct launch_look_back : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        using value = accumulator_t<Out>;
        const tile_lines<In, Out> lines =
            lines_of<In, Out>(args, prim_scan_tiles_of(args), TILE_WARPS);
        tile_rule<value, Out> rule = rule_of<Operator, Out>(args);
        const unsigned tiles = static_cast<unsigned>(args->rows) * lines.tiles;
        const unsigned at_once = prim_device_multiprocessors() * PRIM_SCAN_LOOKBACK_BLOCKS;
        const unsigned stages = stages_of_block();
        cudaError_t error = prim_device_take_error();
        if (error == cudaSuccess)
            error = prim_allow_shared(scan_and_look_back<Operator, In, Out>, stages * STAGE_BYTES);
        if (error != cudaSuccess)
            return error;
        uint64_t *const workspace = static_cast<uint64_t *>(args->call.workspace);
        if (rule.d_initial != nullptr)
            rule.d_initial = reinterpret_cast<const Out *>(workspace + INITIAL_WORD);
        return prim_launch_dependent(
            {args->call.stream, tiles < at_once ? tiles : at_once, THREADS, stages * STAGE_BYTES},
            scan_and_look_back<Operator, In, Out>, lines, rule, tiles, stages, workspace);
    }
};

cudaError_t launch(const void *any)
{
    const prim_scan_args *args = static_cast<const prim_scan_args *>(any);
    if (args->rows == 0 || args->columns == 0)
        return prim_scan_launch_empty(args);
    if (is_one_tile(args))
        return prim_scan_launch_lines(args);
    const cudaError_t error = clear_words(args);
    return error == cudaSuccess ? dispatch_kernel<launch_look_back>(args) : error;
}

} // namespace lookback
} // namespace

PRIM_DEFINE_RUNG(scan, lookback) = {
    {PRIM_SCAN_LOOKBACK, "lookback",
     "each element once: a block looks back at the totals of the tiles before it"},
    lookback::why_not,
    lookback::workspace_bytes,
    lookback::launch};
