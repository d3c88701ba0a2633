/* A scan that reads and writes each element once: blocks stay, take tile after tile, and tell each
 * other what their tiles come to.
 *
 *     step        0       1       2       3          a block has three tiles in hand:
 *     load       t₀      t₁      t₂      t₃          one that is being copied into shared memory,
 *     sum up             t₀      t₁      t₂          one whose total it publishes,
 *     finish                     t₀      t₁          and one that gets what lies before it
 *
 * A tile's total is published a whole step before anybody asks for it, and the copy of a later tile
 * goes on while a block looks back: so memory is never idle because blocks wait for each other.
 *
 * Tiles are taken by tickets. All tiles before one are then in the hands of blocks that run, and
 * what they wait for lies before them still: the first of all waits for nobody. */
#include "common/device.h"
#include "common/shared.cuh"
#include "scan/published.cuh"
#include "scan/tile.cuh"

namespace
{

constexpr unsigned STAGES = PRIM_SCAN_STAGES;
constexpr unsigned MOST_WARPS = PRIM_SCAN_LOOKBACK_WARPS, MOST_THREADS = MOST_WARPS * WARP;

constexpr unsigned ROUND = 16; /* groups of tiles that a block looks at between two barriers */

/* Of this block's tiles, by stage; and of what lies before the one that is being finished. */
template <typename Value>
struct look_back_memory {
    Value of_warps[STAGES][MOST_WARPS]; /* the chunks' totals, and then what is before each */
    Value of_groups[ROUND];
    unsigned turn;
};

/* What a block knows of the line that its tiles are in: what so many groups come to. */
template <typename Value>
struct known_front {
    unsigned line, groups;
    Value total;
};

/* By one warp. */
template <class Operator, typename Value>
__device__ Value scan_warps(Value *of_warps, unsigned warps, Value nothing, unsigned lane)
{
    const tile_sums<Value> sums = sums_in_tile<Operator>(of_warps, warps, lane, nothing, lane);
    __syncwarp();
    if (lane < warps)
        of_warps[lane] = sums.before;
    return sums.total;
}

/* By all threads, with a barrier: what the line has before the tile. */
template <class Operator, typename Value>
__device__ Value look_back(uint64_t *words, size_t first_of_line, unsigned tile, Value nothing,
                           known_front<Value> &known, Value *of_groups)
{
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const unsigned group = tile / GROUP; /* of which only the tiles before this one count */
    for (;;) {
        const unsigned left = group - known.groups + 1, groups = left < ROUND ? left : ROUND;
        for (unsigned g = warp; g < groups; g += blockDim.x / WARP) {
            const unsigned first = (known.groups + g) * GROUP, before = tile - first;
            const Value total = total_of_tiles<Operator>(
                words, first_of_line + first, before < GROUP ? before : GROUP, nothing, lane);
            if (lane == 0)
                of_groups[g] = total;
        }
        __syncthreads();
        const unsigned whole = left <= ROUND ? left - 1 : ROUND;
        PRIM_UNROLL(4)
        for (unsigned g = 0; g < whole; g++)
            known.total = Operator::combine(known.total, of_groups[g]);
        known.groups += whole;
        if (left <= ROUND)
            return Operator::combine(known.total, of_groups[whole]);
        __syncthreads();
    }
}

/* A tile that some block will take first: on its way while the launch before this one ends. */
template <typename In, typename Out>
__device__ void prefetch_tile(const tile_lines<In, Out> &lines, unsigned turn)
{
    constexpr unsigned LINE_BYTES = 128;
    const warp_place p = place_of(lines, turn, threadIdx.x / WARP, blockDim.x / WARP);
    const unsigned i = threadIdx.x % WARP * (LINE_BYTES / sizeof(In));
    if (i < p.count)
        prefetch(lines.in + static_cast<size_t>(p.line) * lines.in_ld + p.begin + i);
}

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(MOST_THREADS,
                                  blocks_at_once(MOST_THREADS, PRIM_SCAN_LOOKBACK_BLOCKS))
    scan_and_look_back(tile_lines<In, Out> lines, tile_rule<accumulator_t<Out>, Out> rule,
                       unsigned tiles, unsigned *ticket, uint64_t *words)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = WIDTH<In, Out>;
    PRIM_SHARED_DYNAMIC(vector_slot, slots); /* [STAGES][warps][CHUNK_SLOTS] */
    PRIM_SHARED(look_back_memory<value>, shared, );
    const unsigned warps = blockDim.x / WARP;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const value nothing = start_value<Operator, Out>();
    const auto chunk_of = [=](unsigned stage) {
        return &slots[(stage * warps + warp) * CHUNK_SLOTS];
    };

    prefetch_tile(lines, blockIdx.x);
    let_next_launch_in();
    wait_for_earlier_launches();
    if (threadIdx.x == 0)
        shared.turn = take_ticket(ticket);
    __syncthreads();
    unsigned loading = shared.turn, summing = tiles, finishing = tiles;
    unsigned stage = 0, stage_before = STAGES - 1, stage_next = 1;
    known_front<value> known = {0, 0, nothing};
    value before_run = nothing;
    while (loading < tiles || summing < tiles || finishing < tiles) {
        unsigned upcoming = tiles;
        if (threadIdx.x == 0 && loading < tiles)
            upcoming = take_ticket(ticket);

        __syncwarp(); /* all lanes have stored what was there */
        if (loading < tiles) {
            const warp_place p = place_of(lines, loading, warp, warps);
            load_chunk<In, N>(chunk_of(stage_next),
                              lines.in + static_cast<size_t>(p.line) * lines.in_ld + p.begin,
                              p.count, lines.in_aligned, lane);
        }
        close_batch_of_copies();
        wait_for_copies_but<1>();
        __syncwarp();
        chunk_sums<value> sums = {};
        if (summing < tiles) {
            sums = sum_chunk<Operator, In, Out, N>(chunk_of(stage), rule.transform, lane);
            if (lane == 0)
                shared.of_warps[stage][warp] = sums.total;
        }
        __syncthreads();
        if (warp == warps - 1 && summing < tiles) { /* which has fewer groups to look at */
            const value total = scan_warps<Operator>(shared.of_warps[stage], warps, nothing, lane);
            if (lane == 0)
                publish(words, summing, total);
        }
        if (threadIdx.x == 0)
            shared.turn = upcoming;
        if (finishing < tiles) {
            const warp_place p = place_of(lines, finishing, warp, warps);
            if (known.line != p.line)
                known = {p.line, 0, nothing};
            const value before =
                look_back<Operator>(words, static_cast<size_t>(p.line) * lines.tiles, p.tile,
                                    nothing, known, shared.of_groups);
            const value before_chunk = Operator::combine(Operator::combine(rule.initial, before),
                                                         shared.of_warps[stage_before][warp]);
            finish_chunk<Operator>(lines, rule, p, chunk_of(stage_before),
                                   Operator::combine(before_chunk, before_run), lane);
        } else {
            __syncthreads();
        }
        before_run = sums.before_run;
        finishing = summing;
        summing = loading;
        loading = shared.turn;
        const unsigned done = stage_before;
        stage_before = stage;
        stage = stage_next;
        stage_next = done;
    }
}

struct look_back_of_type : device_rung {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        using value = accumulator_t<Out>;
        const unsigned warps = prim_scan_lookback_warps();
        const tile_lines<In, Out> lines =
            lines_of<In, Out>(args, prim_scan_lookback_tiles_of(args), warps);
        const tile_rule<value, Out> rule = rule_of<Operator, Out>(args);
        const unsigned tiles = static_cast<unsigned>(args->rows) * lines.tiles;
        const unsigned at_once = prim_device_multiprocessors() * PRIM_SCAN_LOOKBACK_BLOCKS;
        const size_t shared_bytes = size_t(STAGES) * warps * CHUNK_SLOTS * VECTOR_BYTES;
        const cudaError_t error =
            prim_allow_shared(scan_and_look_back<Operator, In, Out>, shared_bytes);
        if (error != cudaSuccess)
            return error;
        char *const workspace = static_cast<char *>(args->call.workspace);
        return prim_launch_early_shared(
            args->call.stream, tiles < at_once ? tiles : at_once, warps * WARP, shared_bytes,
            scan_and_look_back<Operator, In, Out>, lines, rule, tiles,
            reinterpret_cast<unsigned *>(workspace),
            reinterpret_cast<uint64_t *>(workspace + PRIM_SCAN_TICKET_BYTES));
    }
};

} // namespace

cudaError_t prim_scan_launch_look_back(const prim_scan_args *args)
{
    return dispatch<look_back_of_type>(args);
}
