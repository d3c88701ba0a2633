/* STREAMED: a block merges a long part of the output, and keys stream through ring buffers.
 *
 * Each block makes one contiguous part of the output, tile after tile. A warp searches where the
 * part begins in a and b; from then on the end of a tile is the next one's beginning, and no search
 * in global memory is needed. The keys are in two rings in shared memory, from which a tile takes
 * as many of a and of b as it needs; just as many are loaded next, and none is loaded twice:
 *
 *     a      ────────│▒▒▒▒▒▒▒▒▒▒▒▒│░░░░│──────     ▒ in the rings: a tile's length of each
 *     b      ──│▒▒▒▒▒▒▒▒▒▒▒▒│░░│──────────────     ░ being loaded, while the tile is merged
 *     tile         ▓▓▓▓▓▓▓▓▓▓▓▓                    ▓ merged: as many as ░
 *     threads      0 │ 1 │ 2 │ 3                   15 keys each (of 4 bytes)
 *     out    ──────│▓▓▓▓▓▓▓▓▓▓▓▓│─────────────
 *
 * What changed from MERGE_PATH: only one search for each part is left; and the next tile's keys are
 * loaded while this one is merged. Keys are compared as unsigned integers and stored in the rings
 * as such, so that each is converted once and not for each comparison. Loads and stores move 16
 * bytes, however a, b and out are aligned.
 *
 * What still holds it back: a thread's merge is a chain of loads from shared memory, each waiting
 * for the comparison before it, with bank conflicts that depend on the keys.
 *
 * A sort's pass is the same over many pairs: each pair is divided into parts.
 *
 * Work: 1 comparison a key, and a search in the tile for each 15 of them. Steps: for each tile of a
 * part, log2(tile) + 15. Bytes: each key in and out once, and a tile's length for each part.
 * Source: Green, McColl and Bader, GPU Merge Path, ICS 2012; the ring: Hwu, Kirk and El Hajj,
 * Programming Massively Parallel Processors, 4th edition (2022), chapter 12. */
#include "common/device.h"
#include "common/shared.cuh"
#include "merge/long_passes.h"
#include "merge/passes.cuh"
#include "merge/ring.cuh"
#include "merge/values.cuh"
#include "merge/warp_search.cuh"

namespace
{
namespace streamed
{

/* May be set with -D for measurements. */
#ifndef PRIM_MERGE_STREAMED_THREADS
#define PRIM_MERGE_STREAMED_THREADS 256
#endif
#ifndef PRIM_MERGE_STREAMED_BLOCKS /* for each multiprocessor */
#define PRIM_MERGE_STREAMED_BLOCKS 4
#endif

constexpr unsigned BLOCK = PRIM_MERGE_STREAMED_THREADS;

/* The most keys of a thread: odd, as tile.cuh says, and one less than a power of two. With values
 * half as many, since their sources need shared memory too. */
template <typename Key, bool PAIRS>
constexpr unsigned MOST_ITEMS = (sizeof(Key) == 8 ? 8 : 16) / (PAIRS ? 2 : 1) - 1;

template <typename Key, bool PAIRS>
constexpr unsigned MOST_KEYS = MOST_ITEMS<Key, PAIRS> *BLOCK;

/* A power of two, with room for a tile and the rest of its first and last chunk. */
template <typename Key, bool PAIRS>
constexpr unsigned RING = (MOST_ITEMS<Key, PAIRS> + 1) * BLOCK;

template <typename Key, bool PAIRS>
constexpr unsigned WARP_KEYS = MOST_ITEMS<Key, PAIRS> *WARP + CHUNK_KEYS<Key>;

constexpr unsigned FROM_B = 0x8000; /* in a source: which run; the rest is the place behind next */

template <typename Key, bool PAIRS>
struct merge_memory {
    alignas(CHUNK_BYTES) typename Key::bits_type ring[2 * RING<Key, PAIRS>]; /* a's, then b's */
    alignas(CHUNK_BYTES) typename Key::bits_type staged[BLOCK / WARP][WARP_KEYS<Key, PAIRS>];
    uint16_t sources[PAIRS ? BLOCK / WARP : 1][PAIRS ? WARP_KEYS<Key, PAIRS> : 1];
    uint16_t from_a[BLOCK]; /* of the keys up to the end of each thread's */
    size_t first_of_a;
};

/* Where the values of a part of two runs are, and where they go. */
struct part_values {
    const void *a, *b;
    void *out;
    unsigned bytes;
};

/* A thread of a block. */
template <typename Key, bool PAIRS>
struct merge_thread {
    using bits = typename Key::bits_type;
    static constexpr unsigned ITEMS = MOST_ITEMS<Key, PAIRS>, N = CHUNK_KEYS<Key>,
                              MASK = RING<Key, PAIRS> - 1,
                              BYTE_MASK = RING<Key, PAIRS> * sizeof(bits) - 1;
    /* Chunks of this thread, of all that follow a tile. */
    static constexpr unsigned CHUNKS = (MOST_KEYS<Key, PAIRS> / N + 2 + BLOCK - 1) / BLOCK;

    key_order<Key> order;
    merge_memory<Key, PAIRS> &shared;
    key_stream<Key> a, b;
    unsigned thread;

    /* Loads the thread's share of a_missing chunks of a and b_missing of b into registers. */
    __device__ void fetch(unsigned a_missing, unsigned b_missing,
                          key_chunk<Key> (&chunks)[CHUNKS]) const
    {
        if (a.are_whole(a_missing) && b.are_whole(b_missing)) {
            const key_chunk<Key> *const from_a = a.next_chunk();
            const key_chunk<Key> *const from_b = b.next_chunk() - a_missing;
            PRIM_UNROLL(8)
            for (unsigned c = 0; c < CHUNKS; c++) {
                const unsigned x = c * BLOCK + thread;
                if (x < a_missing + b_missing)
                    chunks[c] = (x < a_missing ? from_a : from_b)[x];
            }
            return;
        }
        PRIM_UNROLL(8)
        for (unsigned c = 0; c < CHUNKS; c++) {
            const unsigned x = c * BLOCK + thread;
            if (x < a_missing)
                chunks[c] = a.load(order, a.loaded + x);
            else if (x < a_missing + b_missing)
                chunks[c] = b.load(order, b.loaded + (x - a_missing));
        }
    }

    /* Stores these into the rings. */
    __device__ void put(unsigned a_missing, unsigned b_missing,
                        const key_chunk<Key> (&chunks)[CHUNKS]) const
    {
        const unsigned a_first = static_cast<unsigned>(a.loaded) + thread;
        const unsigned b_first = static_cast<unsigned>(b.loaded) + thread - a_missing;
        PRIM_UNROLL(8)
        for (unsigned c = 0; c < CHUNKS; c++) {
            const unsigned x = c * BLOCK + thread;
            const bool of_a = x < a_missing;
            const unsigned chunk = (of_a ? a_first : b_first) + c * BLOCK;
            if (x < a_missing + b_missing)
                *place_of(chunk, of_a ? 0 : MASK + 1) = ordered_chunk(order, chunks[c]);
        }
    }

    __device__ key_chunk<bits> *place_of(size_t chunk, unsigned ring) const
    {
        return reinterpret_cast<key_chunk<bits> *>(
            &shared.ring[(static_cast<unsigned>(chunk * N) & MASK) + ring]);
    }

    /* The first keys: as many of each run as the first tile may take. */
    __device__ void fill_rings(unsigned wanted)
    {
        const unsigned a_missing = a.missing(wanted), b_missing = b.missing(wanted);
        load_chunks<CHUNKS>(order, a, a_missing, [&](size_t chunk) { return place_of(chunk, 0); });
        load_chunks<CHUNKS>(order, b, b_missing,
                            [&](size_t chunk) { return place_of(chunk, MASK + 1); });
        a.loaded += a_missing;
        b.loaded += b_missing;
        __syncthreads();
    }

    /* Places in the rings are counted in bytes and not wrapped: these two take them modulo a ring's
     * size. */
    __device__ bits in_a(unsigned place) const
    {
        return *reinterpret_cast<const bits *>(reinterpret_cast<const char *>(shared.ring) +
                                               (place & BYTE_MASK));
    }

    __device__ bits in_b(unsigned place) const
    {
        return *reinterpret_cast<const bits *>(reinterpret_cast<const char *>(shared.ring) +
                                               (place & BYTE_MASK) + (BYTE_MASK + 1));
    }

    __device__ unsigned place_in_a(unsigned i) const
    {
        return (static_cast<unsigned>(a.next) + a.shift + i) * sizeof(bits);
    }

    __device__ unsigned place_in_b(unsigned j) const
    {
        return (static_cast<unsigned>(b.next) + b.shift + j) * sizeof(bits);
    }

    /* The co-rank of k in the rings. Both rings have k keys, or all that are left. */
    __device__ unsigned co_rank_in_rings(unsigned k) const
    {
        const unsigned first_of_a = place_in_a(0), last_of_b = place_in_b(k - 1);
        unsigned low = k - b.left(k), high = a.left(k);
        while (low < high) {
            const unsigned i = (low + high) / 2;
            if (in_b(last_of_b - i * sizeof(bits)) < in_a(first_of_a + i * sizeof(bits)))
                high = i;
            else
                low = i + 1;
        }
        return low;
    }

    /* The state of a thread's merge: the place of the next key of each run in its ring, and with
     * values how many keys are left of a. */
    struct front {
        unsigned a_place, b_place, a_left;
        bits from_a, from_b;
    };

    __device__ front front_at(unsigned i, unsigned j) const
    {
        const unsigned a_place = place_in_a(i), b_place = place_in_b(j);
        return {a_place, b_place, PAIRS ? a.left(RING<Key, PAIRS>) - i : 0, in_a(a_place),
                in_b(b_place)};
    }

    /* Takes the next key, and notes where it was. Where a run of keys has ended, a largest key may
     * be taken in place of an equal one of the other run: the result is the same. With values it is
     * not, so a's end is checked; b's keys are taken only where they come before a's. */
    __device__ void take(front &f, bits *key, uint16_t *source) const
    {
        const bool take_b = f.from_b < f.from_a || (PAIRS && f.a_left == 0);
        *key = take_b ? f.from_b : f.from_a;
        if (PAIRS)
            *source =
                static_cast<uint16_t>(take_b ? (f.b_place - place_in_b(0)) / sizeof(bits) | FROM_B
                                             : (f.a_place - place_in_a(0)) / sizeof(bits));
        if (take_b) {
            f.b_place += sizeof(bits);
            f.from_b = in_b(f.b_place);
        } else {
            f.a_place += sizeof(bits);
            f.from_a = in_a(f.a_place);
            f.a_left--;
        }
    }

    /* Merges the next `items` keys after i of a and j of b into the warp's own shared memory. */
    __device__ void merge_own(unsigned i, unsigned j, unsigned items, bits *keys,
                              uint16_t *sources) const
    {
        front f = front_at(i, j);
        if (items == ITEMS) {
            PRIM_UNROLL(16)
            for (unsigned o = 0; o < ITEMS; o++)
                take(f, &keys[o], &sources[o]);
        } else {
            PRIM_UNROLL(1)
            for (unsigned o = 0; o < items; o++)
                take(f, &keys[o], &sources[o]);
        }
    }

    /* Moves values to global memory: coalesced where they are written, and nearly so where they are
     * read. */
    __device__ void write_values(const uint16_t *sources, unsigned warp_count,
                                 const part_values &values, size_t warp_out) const
    {
        const unsigned lane = thread % WARP;
        const size_t a_first = a.next, b_first = b.next;
        with_value_type(values.bytes, [&](auto zero) {
            using value = decltype(zero);
            const value *const a_values = static_cast<const value *>(values.a) + a_first;
            const value *const b_values = static_cast<const value *>(values.b) + b_first;
            value *const out = static_cast<value *>(values.out) + warp_out;
            PRIM_UNROLL(4)
            for (unsigned o = lane; o < warp_count; o += WARP) {
                const unsigned source = sources[o];
                out[o] = source >= FROM_B ? b_values[source - FROM_B] : a_values[source];
            }
        });
    }

    /* Merges the next `count` keys, `items` for each thread, to out[first …]; `following` keys of
     * the part come after them. */
    __device__ void make_tile(unsigned count, unsigned items, size_t following, Key *out,
                              size_t first, const part_values &values)
    {
        const unsigned end = smaller((thread + 1) * items, count);
        shared.from_a[thread] = static_cast<uint16_t>(co_rank_in_rings(end));
        __syncthreads();
        const unsigned begin = smaller(thread * items, count);
        const unsigned i = thread == 0 ? 0 : shared.from_a[thread - 1];
        const unsigned from_a = shared.from_a[BLOCK - 1];

        key_stream<Key> next_a = a, next_b = b; /* as they are after this tile */
        next_a.next += from_a;
        next_b.next += count - from_a;
        const unsigned wanted = static_cast<unsigned>(smaller<size_t>(following, items * BLOCK));
        const unsigned a_missing = next_a.missing(wanted), b_missing = next_b.missing(wanted);
        key_chunk<Key> chunks[CHUNKS];
        fetch(a_missing, b_missing, chunks);

        const unsigned warp = thread / WARP, lane = thread % WARP;
        const unsigned warp_begin = smaller(warp * WARP * items, count);
        const unsigned warp_count = smaller(count - warp_begin, WARP * items);
        Key *const warp_out = out + first + warp_begin;
        const unsigned behind = keys_behind_boundary(warp_out);
        bits *const staged = shared.staged[warp];
        uint16_t *const sources = shared.sources[PAIRS ? warp : 0];
        merge_own(i, begin - i, items, staged + behind + lane * items, sources + lane * items);
        __syncwarp();
        write_chunks<ITEMS>(order, staged, behind, warp_count, warp_out, lane, WARP);
        if (PAIRS)
            write_values(sources, warp_count, values, first + warp_begin);
        __syncthreads();
        put(a_missing, b_missing, chunks);
        __syncthreads();
        a.next = next_a.next;
        b.next = next_b.next;
        a.loaded += a_missing;
        b.loaded += b_missing;
    }
};

/* Pairs of runs: pair p has a_run keys of a from p × stride on, and b_run of b likewise, or fewer
 * at the end. Each is merged by `parts` blocks, which make part_keys keys each. */
template <typename Key>
struct merges {
    const Key *a, *b;
    Key *out;
    size_t a_all, b_all, a_run, b_run, stride;
    size_t part_keys;
    unsigned parts, items;
    part_values values;
};

template <typename Key>
__device__ runs<Key, size_t> pair_of(const merges<Key> &m, size_t pair)
{
    const size_t at = pair * m.stride;
    const size_t a_left = m.a_all > at ? m.a_all - at : 0, b_left = m.b_all > at ? m.b_all - at : 0;
    return {m.a + at, smaller(a_left, m.a_run), m.b + at, smaller(b_left, m.b_run)};
}

/* The values of a pair's runs, which lie as its keys do. */
__device__ inline part_values values_at(part_values values, size_t at)
{
    const size_t bytes = at * values.bytes;
    return {static_cast<const char *>(values.a) + bytes,
            static_cast<const char *>(values.b) + bytes, static_cast<char *>(values.out) + bytes,
            values.bytes};
}

/* Narrow keys need more registers, and so does code below 9.0. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
template <typename Key>
[[maybe_unused]] constexpr unsigned RESIDENT = 3;
#else
template <typename Key>
[[maybe_unused]] constexpr unsigned RESIDENT = sizeof(Key) < 4 ? 3 : PRIM_MERGE_STREAMED_BLOCKS;
#endif

template <typename Key, bool PAIRS>
__global__ void __launch_bounds__(BLOCK, blocks_at_once(BLOCK, RESIDENT<Key>))
    merge_parts(key_order<Key> order, merges<Key> m)
{
    using memory = merge_memory<Key, PAIRS>;
    PRIM_SHARED_DYNAMIC(memory, shared);
    const size_t pair = blockIdx.x / m.parts, begin = blockIdx.x % m.parts * m.part_keys;
    const runs<Key, size_t> r = pair_of(m, pair);
    const size_t count = r.a_count + r.b_count;
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (begin >= count)
        return;
    if (threadIdx.x < WARP) {
        const size_t rank = co_rank_by_warp(order, r, begin, threadIdx.x);
        if (threadIdx.x == 0)
            shared->first_of_a = rank;
    }
    __syncthreads();
    const size_t i = shared->first_of_a, end = begin + smaller(count - begin, m.part_keys);
    merge_thread<Key, PAIRS> t = {
        order, *shared, {r.a, r.a_count, i}, {r.b, r.b_count, begin - i}, threadIdx.x};
    const part_values values = values_at(m.values, pair * m.stride);
    const unsigned tile = m.items * BLOCK;
    t.fill_rings(static_cast<unsigned>(smaller<size_t>(end - begin, tile)));
    for (size_t first = begin; first < end; first += tile) {
        const unsigned keys = static_cast<unsigned>(smaller<size_t>(end - first, tile));
        t.make_tile(keys, m.items, end - first - keys, m.out + pair * m.stride, first, values);
    }
}

/* ---- launches ---- */

/* A part for each block that the device holds at once: of whole tiles where there are so many keys,
 * and otherwise of one tile with fewer keys for each thread. */
template <typename Key, bool PAIRS>
cudaError_t launch_parts(cudaStream_t stream, key_order<Key> order, merges<Key> m, size_t pairs,
                         size_t keys_of_pair)
{
    using memory = merge_memory<Key, PAIRS>;
    const size_t at_once = prim_device_multiprocessors() * PRIM_MERGE_STREAMED_BLOCKS;
    cudaError_t error = prim_device_take_error();
    if (error == cudaSuccess)
        error = prim_allow_shared(merge_parts<Key, PAIRS>, sizeof(memory));
    if (error != cudaSuccess)
        return error;
    const size_t share = at_once / pairs > 0 ? at_once / pairs : 1;
    const size_t items = prim_divide_up(prim_divide_up(keys_of_pair, share), BLOCK) | 1;
    m.items = static_cast<unsigned>(smaller<size_t>(items, MOST_ITEMS<Key, PAIRS>));
    const size_t tile = m.items * BLOCK;
    const size_t tiles = prim_divide_up(keys_of_pair, tile);
    m.part_keys = prim_divide_up(tiles, share) * tile;
    m.parts = static_cast<unsigned>(prim_divide_up(keys_of_pair, m.part_keys));
    return prim_launch_dependent(
        {stream, static_cast<unsigned>(pairs * m.parts), BLOCK, sizeof(memory)},
        merge_parts<Key, PAIRS>, order, m);
}

template <typename Key, typename Args>
cudaError_t launch_merges(const Args *args, const merges<Key> &m, size_t pairs, size_t keys_of_pair)
{
    return args->has_values ? launch_parts<Key, true>(args->call.stream, order_of<Key>(args), m,
                                                      pairs, keys_of_pair)
                            : launch_parts<Key, false>(args->call.stream, order_of<Key>(args), m,
                                                       pairs, keys_of_pair);
}

struct run_merge : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_args *args)
    {
        const size_t count = args->a_count + args->b_count;
        merges<Key> m = {};
        m.a = static_cast<const Key *>(args->a);
        m.b = static_cast<const Key *>(args->b);
        m.out = static_cast<Key *>(args->out);
        m.a_all = m.a_run = args->a_count;
        m.b_all = m.b_run = args->b_count;
        m.values = {args->a_values, args->b_values, args->out_values,
                    static_cast<unsigned>(args->value_bytes)};
        return count == 0 ? cudaSuccess : launch_merges(args, m, 1, count);
    }

    /* All pairs of runs of run_keys. */
    template <typename Key>
    static cudaError_t run(const prim_merge_sort_args *args, prim_sort_buffer in, size_t run_keys,
                           prim_sort_buffer out)
    {
        merges<Key> m = {};
        m.a = static_cast<const Key *>(in.keys);
        m.b = m.a + run_keys;
        m.out = static_cast<Key *>(out.keys);
        m.values = {in.values, static_cast<const char *>(in.values) + run_keys * args->value_bytes,
                    out.values, static_cast<unsigned>(args->value_bytes)};
        m.a_all = args->count;
        m.b_all = args->count - run_keys;
        m.a_run = m.b_run = run_keys;
        m.stride = 2 * run_keys;
        return launch_merges(args, m, prim_divide_up(args->count, m.stride),
                             smaller(args->count, m.stride));
    }
};

cudaError_t launch_merge(const void *args)
{
    return dispatch<run_merge>(static_cast<const prim_merge_args *>(args));
}

size_t two(const prim_merge_sort_args *args, size_t run_keys)
{
    (void)args, (void)run_keys;
    return 2;
}

cudaError_t launch_sort(const void *args)
{
    return prim_merge_sort_by_passes(static_cast<const prim_merge_sort_args *>(args), two,
                                     prim_merge_streamed_pass);
}

} // namespace streamed
} // namespace

cudaError_t prim_merge_streamed_pass(const prim_merge_sort_args *args, prim_sort_buffer in,
                                     size_t run_keys, prim_sort_buffer out)
{
    return dispatch<streamed::run_merge>(args, in, run_keys, out);
}

PRIM_DEFINE_RUNG(merge, streamed) = {
    {PRIM_MERGE_STREAMED, "streamed",
     "a block makes a long part, and keys come past it through rings in shared memory"},
    pairs_why_not,
    nullptr,
    streamed::launch_merge};

PRIM_DEFINE_RUNG(merge_sort, streamed) = {
    {PRIM_MERGE_SORT_STREAMED, "streamed",
     "larger sorted tiles, then passes that merge pairs of runs, keys streaming through rings"},
    sort_pairs_why_not,
    prim_merge_long_passes_workspace_bytes,
    streamed::launch_sort};
