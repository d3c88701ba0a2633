/* What the kernels that scan lines in tiles have in common. */
#ifndef PRIM_SCAN_TILE_CUH
#define PRIM_SCAN_TILE_CUH

#include "scan/dispatch.cuh"
#include "scan/tile/chunk.cuh"

namespace
{

constexpr unsigned GROUP = WARP; /* tiles whose aggregates a warp of LOOKBACK reads at a time */
constexpr unsigned TILE_WARPS = PRIM_SCAN_TILE_WARPS, TILE_THREADS = TILE_WARPS * WARP;

template <typename In, typename Out>
struct tile_lines {
    const In *in;
    Out *out;
    size_t in_ld, out_ld, length, count;
    unsigned tiles, warps; /* of a line; warps are a whole block's where there are several tiles */
    bool ends_whole;       /* with a whole tile of tiles.h */
    bool by_element; /* misaligned elements are loaded one by one, where BY_ELEMENT may say so */
};

template <typename Value, typename Out>
struct tile_rule {
    prim_scan_kind kind;
    element_rule<Out> element;
    Value initial;
    const Out *d_initial; /* used in its place unless NULL */
    Out *total;           /* NULL: not wanted */
};

/* The initial value, read by the kernel. */
template <typename Value, typename Out>
__device__ Value initial_of(const tile_rule<Value, Out> &rule)
{
    return rule.d_initial == nullptr
               ? rule.initial
               : turned_value<Out>(static_cast<Value>(converted<Out>(*rule.d_initial)),
                                   rule.element.turned);
}

/* The chunk of one of a block's warps. */
struct warp_place {
    size_t begin; /* of its chunk in the line */
    unsigned line, tile, count;
};

/* The line of a tile, where a tile has all warps of a block. */
template <typename In, typename Out>
__device__ unsigned line_of(const tile_lines<In, Out> &lines, unsigned tile)
{
    return lines.tiles == 1 ? tile : lines.count == 1 ? 0 : tile / lines.tiles;
}

template <typename In, typename Out>
__device__ warp_place place_of(const tile_lines<In, Out> &lines, unsigned block, unsigned warp,
                               unsigned warps)
{
    constexpr unsigned ALL = CHUNK<In, Out>;
    warp_place p;
    if (lines.warps == warps) {
        p.line = line_of(lines, block);
        p.tile = block - p.line * lines.tiles;
        p.begin = (static_cast<size_t>(p.tile) * warps + warp) * ALL;
    } else {
        p.line = block * (warps / lines.warps) + warp / lines.warps;
        p.tile = 0;
        p.begin = warp % lines.warps * ALL;
    }
    const size_t left = p.line < lines.count && p.begin < lines.length ? lines.length - p.begin : 0;
    p.count = left < ALL ? static_cast<unsigned>(left) : ALL;
    return p;
}

template <typename In, typename Out>
__device__ const In *first_of(const tile_lines<In, Out> &lines, const warp_place &p)
{
    return lines.in + static_cast<size_t>(p.line) * lines.in_ld + p.begin;
}

/* Prefetches a chunk that some block takes first, while the launch before this one ends. */
template <typename In, typename Out>
__device__ void prefetch_chunk(const tile_lines<In, Out> &lines, const warp_place &p, unsigned lane)
{
    constexpr unsigned CACHE_LINE = 128 / sizeof(In);
    if (lane * CACHE_LINE < p.count)
        prefetch(first_of(lines, p) + lane * CACHE_LINE);
}

/* Whether misaligned elements may be loaded one by one: no asynchronous copy has less than 4 bytes.
 * Whether they may be loaded as they lie and shifted: only that many words, if not one by one. */
template <typename In>
constexpr bool BY_ELEMENT = sizeof(In) >= 4;
template <typename In, typename Out>
constexpr bool SHIFTED = sizeof(In) < 4 || (sizeof(In) == 4 && sizeof(Out) == 4);

/* Starts the copies of a chunk. */
template <typename In, typename Out>
__device__ void load_chunk(const tile_lines<In, Out> &lines, const warp_place &p,
                           vector_slot *slots, unsigned lane)
{
    const In *const from = first_of(lines, p);
    if constexpr (BY_ELEMENT<In>) {
        if (shift_of(from) != 0 && (!SHIFTED<In, Out> || lines.by_element)) {
            load_by_element<CHUNK<In, Out>>(slots, from, p.count, lane);
            return;
        }
    }
    const line_part part = {p.count, p.begin == 0, p.begin + p.count >= lines.length};
    load_image<IN_VECTORS<In, Out>>(slots, from, part, lane);
}

/* Sums up a chunk, after its copies are complete. A chunk is a whole number of vectors. */
template <class Operator, typename In, typename Out>
__device__ chunk_sums<accumulator_t<Out>>
sum_loaded_chunk(const tile_lines<In, Out> &lines, const element_rule<Out> &rule, unsigned line,
                 vector_slot *slots, unsigned lane)
{
    if constexpr (SHIFTED<In, Out>) {
        if (!BY_ELEMENT<In> || !lines.by_element) {
            const unsigned shift = shift_of(lines.in) + line * static_cast<unsigned>(lines.in_ld) *
                                                            static_cast<unsigned>(sizeof(In));
            align_runs<RUN_ELEMENTS<In, Out> * sizeof(In), In>(slots, shift % VECTOR_BYTES, lane);
        }
    }
    return sum_chunk<Operator, In, Out, WIDTH<In, Out>>(slots, rule, lane);
}

/* Both of a chunk that may be empty: a line's last tile may have many of them. LOOKBACK does not
 * ask, since it would spill registers. */
template <typename In, typename Out>
__device__ void load_chunk_if_any(const tile_lines<In, Out> &lines, const warp_place &p,
                                  vector_slot *slots, unsigned lane)
{
    if (p.count > 0)
        load_chunk(lines, p, slots, lane);
}
template <class Operator, typename In, typename Out>
__device__ chunk_sums<accumulator_t<Out>>
sum_chunk_if_any(const tile_lines<In, Out> &lines, const element_rule<Out> &rule,
                 const warp_place &p, vector_slot *slots, unsigned lane)
{
    if (p.count == 0)
        return {identity_of<Operator, Out>(), identity_of<Operator, Out>()};
    return sum_loaded_chunk<Operator>(lines, rule, p.line, slots, lane);
}

/* The exclusive prefix of one of a tile's chunks, and the tile's aggregate. */
template <typename Value>
struct tile_sums {
    Value prefix, aggregate;
};

/* By a whole warp: those of chunk `chunk` of `count`. */
template <class Operator, typename Value>
__device__ tile_sums<Value> sums_in_tile(const Value *of_chunks, unsigned count, unsigned chunk,
                                         Value identity, unsigned lane)
{
    const Value sum = scan_warp<Operator>(lane < count ? of_chunks[lane] : identity, lane);
    const Value before = __shfl_sync(ALL_LANES, sum, (chunk - 1) % WARP);
    return {chunk == 0 ? identity : before, __shfl_sync(ALL_LANES, sum, count - 1)};
}

/* Writes the results of a chunk that a warp has loaded and summed up, and the total if the line
 * ends with it. so_far is the prefix of the lane's run; next_prefix is the next tile's, and the
 * total where the line ends with a whole tile, so that another call can go on with the array. */
template <class Operator, typename In, typename Out>
__device__ void finish_chunk(const tile_lines<In, Out> &lines,
                             const tile_rule<accumulator_t<Out>, Out> &rule,
                             const warp_place &place, vector_slot *slots, accumulator_t<Out> so_far,
                             accumulator_t<Out> next_prefix, unsigned lane)
{
    constexpr unsigned N = WIDTH<In, Out>;
    if (place.count == 0)
        return;
    if (rule.total != nullptr && place.begin + place.count == lines.length) {
        if (!lines.ends_whole)
            store_total<Operator, In, Out, N>(slots, rule.element, so_far, place.count - 1, lane,
                                              rule.total);
        else if (lane == 0)
            *rule.total = result_of<Operator, Out>(next_prefix, rule.element);
    }
    if (rule.kind == PRIM_SCAN_EXCLUSIVE)
        scan_run<Operator, true, In, Out, N>(slots, rule.element, so_far, lane);
    else
        scan_run<Operator, false, In, Out, N>(slots, rule.element, so_far, lane);
    __syncwarp();
    Out *const to = lines.out + static_cast<size_t>(place.line) * lines.out_ld + place.begin;
    if constexpr (sizeof(Out) == 8) {
        if (shift_of(to) != 0) {
            store_by_element<CHUNK<In, Out>>(to, slots, place.count, lane);
            return;
        }
    }
    store_image<PRIM_SCAN_CHUNK_VECTORS>(to, slots, 0, place.count, lane);
}

/* Misaligned arrays of at least this many elements are shifted, not loaded one by one: those that
 * stay in L2 would take 12 to 15 % longer so. Fewer on the CPU, where no test has as many. */
#ifdef SIMT_BACKEND
constexpr size_t LEAST_SHIFTED = 9000;
#else
constexpr size_t LEAST_SHIFTED = 1 << 25;
#endif

template <typename In, typename Out>
tile_lines<In, Out> lines_of(const prim_scan_args *args, size_t tiles, unsigned warps)
{
    return {static_cast<const In *>(args->in),
            static_cast<Out *>(args->out),
            args->in_ld,
            args->out_ld,
            args->columns,
            args->rows,
            static_cast<unsigned>(tiles),
            warps,
            warps == TILE_WARPS && args->columns % (TILE_WARPS * CHUNK<In, Out>) == 0,
            args->rows > 1 || args->columns < LEAST_SHIFTED};
}

template <class Operator, typename Out>
tile_rule<accumulator_t<Out>, Out> rule_of(const prim_scan_args *args)
{
    const element_rule<Out> element = element_rule_of<Out>(args);
    accumulator_t<Out> initial = identity_of<Operator, Out>();
    if (args->initial != nullptr)
        initial = turned_value<Out>(static_cast<accumulator_t<Out>>(
                                        converted<Out>(*static_cast<const Out *>(args->initial))),
                                    element.turned);
    return {args->kind, element, initial, static_cast<const Out *>(args->d_initial),
            static_cast<Out *>(args->total)};
}

} // namespace

#endif
