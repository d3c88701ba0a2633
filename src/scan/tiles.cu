/* A tile of a line: eight warps with a chunk each, and what lies before the tile.
 *
 *     chunks      0   1   2   3   4   5   6   7      each warp scans its own: chunk.cuh
 *     totals      A   B   C   D   E   F   G   H      through shared memory; one barrier
 *     before      ·   A  AB  ABC  …                  and before the tile: what the rung says
 *
 * All that differs between the fast rungs is where a tile's block learns what lies before it, so
 * they share this one kernel: REDUCE_THEN_SCAN has it say only its totals in a first launch, and
 * gives it what lies before in a last one; LOOKBACK and CLUSTER have the blocks tell each other.
 * In each, a result is (initial + before the tile) + before the chunk + before the vector + the
 * vector's elements up to its own; and what is before a chunk or vector is the sum of the chunks'
 * or vectors' totals from the first to the last. Only what is before the tile is combined in an
 * order of the rung's own.
 *
 * A line that fits into one chunk takes a warp, one of two chunks two, and so on: a block then has
 * several lines, and one launch does it all. */
#include "common/cluster.cuh"
#include "common/launch.cuh"
#include "common/shared.cuh"
#include "scan/dispatch.cuh"
#include "scan/look_back.cuh"

namespace
{

constexpr unsigned WARPS = PRIM_SCAN_TILE_WARPS, THREADS = WARPS * WARP;
constexpr unsigned CLUSTER_TILES = PRIM_SCAN_CLUSTER_TILES;

template <typename In, typename Out>
struct tile_lines {
    const In *in;
    Out *out;
    size_t in_ld, out_ld, length, count;
    unsigned tiles, warps;        /* of a line; warps is WARPS where there are several tiles */
    bool in_aligned, out_aligned; /* each line begins at a whole vector */
};

template <typename Value, typename Out>
struct tile_rule {
    prim_scan_kind kind;
    prim_transform transform;
    Value initial;
    Out *total; /* NULL: not wanted */
};

template <typename Value>
struct tile_carry {
    prim_scan_carry kind;
    Value *totals;
    size_t totals_ld;
    unsigned *ticket;
    uint64_t *words;
};

/* Where a warp stands. */
struct warp_place {
    size_t begin; /* of its chunk in the line */
    unsigned line, tile, count;
};

template <typename In, typename Out>
__device__ warp_place place_of(const tile_lines<In, Out> &lines, unsigned block, unsigned warp)
{
    constexpr unsigned ALL = CHUNK<In, Out>;
    warp_place p;
    if (lines.warps == WARPS) {
        p.line = lines.tiles == 1 ? block : block / lines.tiles;
        p.tile = block - p.line * lines.tiles;
        p.begin = (static_cast<size_t>(p.tile) * WARPS + warp) * ALL;
    } else {
        p.line = block * (WARPS / lines.warps) + warp / lines.warps;
        p.tile = 0;
        p.begin = warp % lines.warps * ALL;
    }
    const size_t left = p.line < lines.count && p.begin < lines.length ? lines.length - p.begin : 0;
    p.count = left < ALL ? static_cast<unsigned>(left) : ALL;
    return p;
}

/* ---- before the tile ---- */

template <typename Value>
struct tile_memory {
    look_back_notes<Value> notes;
    Value of_blocks[CLUSTER_TILES]; /* CLUSTER: the totals of the blocks before */
    Value carry;
};

/* All threads of all blocks of the cluster. */
template <class Operator, typename Value>
__device__ Value carry_in_cluster(Value total, Value nothing, tile_memory<Value> &shared)
{
    const unsigned t = threadIdx.x;
    wait_for_cluster(); /* all blocks have begun */
    if (t > blockIdx.x && t < gridDim.x)
        *shared_of_block(&shared.of_blocks[blockIdx.x], t) = total;
    __syncwarp();
    arrive_at_cluster();
    wait_for_cluster();
    return fold<Operator>(shared.of_blocks, 0, blockIdx.x, nothing);
}

template <class Operator, typename Value>
__device__ Value carry_of_tile(const tile_carry<Value> &carry, const warp_place &place,
                               unsigned tiles, Value total, Value nothing,
                               tile_memory<Value> &shared)
{
    if (carry.kind == PRIM_SCAN_CARRY_CLUSTER)
        return carry_in_cluster<Operator>(total, nothing, shared);
    if (carry.kind == PRIM_SCAN_CARRY_GIVEN)
        return carry.totals[static_cast<size_t>(place.line) * carry.totals_ld + place.tile];
    if (carry.kind != PRIM_SCAN_CARRY_WORDS)
        return nothing;
    if (threadIdx.x < WARP) {
        uint64_t *const words =
            &carry.words[static_cast<size_t>(place.line) * totals_of_line(tiles) * WORDS<Value>];
        const Value before =
            look_back<Operator>(words, tiles, place.tile, total, nothing, shared.notes);
        if (threadIdx.x == 0)
            shared.carry = before;
    }
    __syncthreads();
    return shared.carry;
}

/* ---- results ---- */

/* The result behind the last element of all, by the warp that has it. */
template <class Operator, typename In, typename Out, unsigned N, unsigned V>
__device__ void store_total(const vector_slot *mine, prim_transform transform,
                            accumulator_t<Out> carry, const accumulator_t<Out> (&before)[V],
                            unsigned count, unsigned lane, Out *total)
{
    using value = accumulator_t<Out>;
    const unsigned last = count - 1;
    value so_far = before[0];
    PRIM_UNROLL(V)
    for (unsigned v = 1; v < V; v++)
        if (last / (WARP * N) == v)
            so_far = before[v];
    if (last / N % WARP != lane)
        return;
    const packed<In, N> vector = read_slot<In, N>(mine[last / (WARP * N) * WARP]);
    so_far = Operator::combine(carry, so_far);
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++)
        if (e <= last % N)
            so_far = Operator::combine(so_far, value_of<In, Out>(vector.element(e), transform));
    *total = result_of<Out>(so_far);
}

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(THREADS, blocks_at_once(THREADS, PRIM_SCAN_TILE_BLOCKS))
    scan_tiles(tile_lines<In, Out> lines, tile_rule<accumulator_t<Out>, Out> rule,
               tile_carry<accumulator_t<Out>> carry)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = WIDTH<In, Out>, V = VECTORS<Out>;
    PRIM_SHARED(vector_slot, slots, [WARPS][WARP * V]);
    PRIM_SHARED(value, of_warps, [WARPS]);
    PRIM_SHARED(tile_memory<value>, shared, );
    PRIM_SHARED(unsigned, turn, );
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const value nothing = start_value<Operator, Out>();
    unsigned block = blockIdx.x;

    if (carry.kind == PRIM_SCAN_CARRY_CLUSTER)
        arrive_at_cluster();
    let_next_launch_in();
    wait_for_earlier_launches();
    if (carry.kind == PRIM_SCAN_CARRY_WORDS) {
        if (threadIdx.x == 0)
            turn = take_ticket(carry.ticket);
        __syncthreads();
        block = turn;
    }
    const warp_place place = place_of(lines, block, warp);
    vector_slot *const mine = &slots[warp][lane];
    value before[V];
    load_chunk<In, N, V>(slots[warp],
                         lines.in + static_cast<size_t>(place.line) * lines.in_ld + place.begin,
                         place.count, lines.in_aligned, lane);
    transform_chunk<In, Out, N, V>(mine, rule.transform);
    const value total = scan_chunk<Operator, In, Out, N>(mine, rule.transform, before, lane);

    value so_far = rule.initial;
    if (lines.warps > 1) {
        if (lane == 0)
            of_warps[warp] = total;
        __syncthreads();
        const value of_tile = fold<Operator>(of_warps, 0, WARPS, nothing);
        if (carry.kind == PRIM_SCAN_TOTALS_ALONE) {
            if (threadIdx.x == 0)
                carry.totals[static_cast<size_t>(place.line) * carry.totals_ld + place.tile] =
                    of_tile;
            return;
        }
        const value before_tile =
            carry_of_tile<Operator>(carry, place, lines.tiles, of_tile, nothing, shared);
        so_far =
            Operator::combine(Operator::combine(so_far, before_tile),
                              fold<Operator>(of_warps, warp - warp % lines.warps, warp, nothing));
    }

    if (rule.total != nullptr && lines.length == 0 && threadIdx.x == 0)
        *rule.total = result_of<Out>(so_far);
    if (rule.total != nullptr && place.count > 0 && place.begin + place.count == lines.length)
        store_total<Operator, In, Out, N>(mine, rule.transform, so_far, before, place.count, lane,
                                          rule.total);
    Out *const to = lines.out + static_cast<size_t>(place.line) * lines.out_ld + place.begin;
    const bool at_once = lines.out_aligned && place.count == CHUNK<In, Out>;
    using vector = pack<Out, N>;
    if (at_once) {
        scan_vectors<Operator, In>(reinterpret_cast<vector *>(to) + lane, mine, rule.kind,
                                   rule.transform, so_far, before);
    } else {
        scan_vectors<Operator, In>(reinterpret_cast<vector *>(mine), mine, rule.kind,
                                   rule.transform, so_far, before);
        store_chunk<Out, N>(to, place.count, slots[warp], lane);
    }
}

/* ---- launches ---- */

/* Does every line begin at a whole vector of this many bytes? */
bool is_aligned(const void *data, size_t rows, size_t ld_bytes, size_t bytes)
{
    return reinterpret_cast<uintptr_t>(data) % bytes == 0 && (rows <= 1 || ld_bytes % bytes == 0);
}

/* Warps for a line: 1, 2, 4 or 8. */
unsigned warps_of(size_t length, size_t chunk)
{
    unsigned warps = 1;
    while (warps < WARPS && warps * chunk < length)
        warps *= 2;
    return warps;
}

struct tiles_of_type : device_rung {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args, prim_scan_tiles tiles)
    {
        using value = accumulator_t<Out>;
        constexpr unsigned N = WIDTH<In, Out>;
        const tile_lines<In, Out> lines = {
            static_cast<const In *>(args->in),
            static_cast<Out *>(args->out),
            args->in_ld,
            args->out_ld,
            args->columns,
            args->rows,
            static_cast<unsigned>(prim_scan_tiles_of(args)),
            tiles.carry == PRIM_SCAN_CARRY_NONE ? warps_of(args->columns, CHUNK<In, Out>) : WARPS,
            is_aligned(args->in, args->rows, args->in_ld * sizeof(In), N * sizeof(In)),
            is_aligned(args->out, args->rows, args->out_ld * sizeof(Out), N * sizeof(Out))};
        const tile_rule<value, Out> rule = {
            args->kind, transform_without_sign(args->transform, args->in_type),
            initial<Out, Operator>(args), static_cast<Out *>(args->total)};
        const tile_carry<value> carry = {
            tiles.carry, static_cast<value *>(tiles.totals), tiles.totals_ld,
            static_cast<unsigned *>(tiles.totals),
            reinterpret_cast<uint64_t *>(static_cast<char *>(tiles.totals) +
                                         PRIM_SCAN_TICKET_BYTES)};
        const size_t lines_a_block = WARPS / lines.warps;
        const unsigned blocks =
            static_cast<unsigned>(((args->rows - 1) / lines_a_block + 1) * lines.tiles);
#ifndef SIMT_BACKEND
        if (tiles.carry == PRIM_SCAN_CARRY_CLUSTER)
            return prim_launch_cluster(args->call.stream, blocks, THREADS,
                                       scan_tiles<Operator, In, Out>, lines, rule, carry);
#endif
        return prim_launch_early(args->call.stream, blocks, THREADS, scan_tiles<Operator, In, Out>,
                                 lines, rule, carry);
    }

    template <typename Out, typename Operator>
    static accumulator_t<Out> initial(const prim_scan_args *args)
    {
        if (args->initial == nullptr)
            return start_value<Operator, Out>();
        const Out value = *static_cast<const Out *>(args->initial);
        return static_cast<accumulator_t<Out>>(converted<Out>(value));
    }
};

__global__ void clear(uint64_t *words, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    let_next_launch_in();
    wait_for_earlier_launches();
    if (i < count)
        words[i] = 0;
}

} // namespace

cudaError_t prim_scan_launch_tiles(const prim_scan_args *args, prim_scan_tiles tiles)
{
    return dispatch<tiles_of_type>(args, tiles);
}

cudaError_t prim_scan_nothing(const prim_scan_args *args)
{
    if (args->total == nullptr)
        return cudaSuccess;
    prim_scan_tiles tiles = {};
    tiles.carry = PRIM_SCAN_CARRY_NONE;
    return prim_scan_launch_tiles(args, tiles);
}

cudaError_t prim_scan_clear(void *words, size_t bytes, cudaStream_t stream)
{
    constexpr unsigned BLOCK = 256;
    const unsigned count = static_cast<unsigned>(bytes / sizeof(uint64_t));
    return prim_launch_early(stream, (count + BLOCK - 1) / BLOCK, BLOCK, clear,
                             static_cast<uint64_t *>(words), count);
}
