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
 * Values do not pass through rings: as soon as the end of a tile is known, so is which values of a
 * and of b it takes. They are copied to shared memory while the keys are merged, whole and in their
 * order, and each thread notes for its keys where their values are there:
 *
 *     values      a3 a4 a5 a6 │ b7 b8 b9       of the tile, in shared memory
 *     sources      0  4  1  2  5  6  3         by the merge, 16 bits each
 *     out         a3 b7 a4 a5 b8 b9 a6         from there, coalesced
 *
 * What still holds it back: a thread's merge is a chain of loads from shared memory, each waiting
 * for the comparison before it, with bank conflicts that depend on the keys. On an H200 a pass over
 * 2^26 keys of 4 bytes keeps shared memory busy for 86 % of its time, and device memory for 66 %.
 *
 * A sort's pass is the same over many pairs: each pair is divided into parts.
 *
 * A ring's first keys are repeated after its end, so that a thread's merge never goes around.
 *
 * Work: 1 comparison a key, and a search in the tile for each 15 of them. Steps: for each tile of a
 * part, log2(tile) + 15. Bytes: each key in and out once, and a tile's length for each part.
 * Source: Green, McColl and Bader, GPU Merge Path, ICS 2012; the ring: Hwu, Kirk and El Hajj,
 * Programming Massively Parallel Processors, 4th edition (2022), chapter 12. */
#include "common/host/device.h"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/shared.cuh"
#include "merge/passes.cuh"
#include "merge/path/warp_search.cuh"
#include "merge/sort/long_passes.h"
#include "merge/tile/ring.cuh"
#include "merge/tile/values.cuh"
#include "merge/tuning.h"

namespace
{
namespace streamed
{

template <bool PAIRS>
constexpr unsigned BLOCK = PAIRS ? PRIM_MERGE_STREAMED_PAIRS_THREADS : PRIM_MERGE_STREAMED_THREADS;

/* The most keys of a thread: odd, as tile.cuh says, and one less than a power of two. */
template <bool PAIRS>
constexpr unsigned ITEMS_OF_4_BYTES =
    PAIRS ? PRIM_MERGE_STREAMED_PAIRS_ITEMS : PRIM_MERGE_STREAMED_ITEMS;

template <typename Key, bool PAIRS>
constexpr unsigned MOST_ITEMS = ITEMS_OF_4_BYTES<PAIRS> / (sizeof(Key) == 8 ? 2 : 1) - 1;

template <typename Key, bool PAIRS>
constexpr unsigned MOST_KEYS = MOST_ITEMS<Key, PAIRS> *BLOCK<PAIRS>;

/* A power of two, with room for a tile and the rest of its first and last chunk. */
template <typename Key, bool PAIRS>
constexpr unsigned RING = (MOST_ITEMS<Key, PAIRS> + 1) * BLOCK<PAIRS>;

/* Places of values in a tile, and how many keys of it are from a, have 16 bits: with what a thread
 * may look at beyond the tile, and up to two chunks that are not full. */
template <typename Key, bool PAIRS>
constexpr bool FITS_16_BITS =
    MOST_KEYS<Key, PAIRS> + MOST_ITEMS<Key, PAIRS> + 2 * CHUNK_BYTES <= UINT16_MAX;

/* How many of a ring's first keys are repeated after its end: a thread's own, and the one after
 * them. Whole chunks. */
template <typename Key, bool PAIRS>
constexpr unsigned REPEATED =
    MOST_ITEMS<Key, PAIRS> + 1 > CHUNK_KEYS<Key> ? MOST_ITEMS<Key, PAIRS> + 1 : CHUNK_KEYS<Key>;

template <typename Key, bool PAIRS>
constexpr unsigned WARP_KEYS = MOST_ITEMS<Key, PAIRS> *WARP + CHUNK_KEYS<Key>;

template <typename Key, bool PAIRS>
struct merge_memory {
    static constexpr unsigned RING_KEYS = RING<Key, PAIRS> + REPEATED<Key, PAIRS>,
                              WARPS = BLOCK<PAIRS> / WARP;
    static_assert(FITS_16_BITS<Key, PAIRS>, "sources and from_a");
    static_assert((RING<Key, PAIRS> & (RING<Key, PAIRS> - 1)) == 0, "places are taken modulo it");

    alignas(CHUNK_BYTES) typename Key::bits_type ring[2 * RING_KEYS]; /* a's, then b's */
    alignas(CHUNK_BYTES) typename Key::bits_type staged[WARPS][WARP_KEYS<Key, PAIRS>];
    uint16_t sources[PAIRS ? WARPS : 1][PAIRS ? WARP_KEYS<Key, PAIRS> : 1];
    uint16_t from_a[BLOCK<PAIRS>]; /* of the keys up to the end of each thread's */
    alignas(CHUNK_BYTES) size_t first_of_a;
    /* and after it, with values, those of a tile */
};

/* Where the values of a part of two runs are, and where they go. */
struct part_values {
    const void *a, *b;
    void *out;
    unsigned bytes;
};

/* A tile's values in shared memory: those of a, and from the next chunk on those of b. They begin
 * as far after a boundary as they do in global memory, and are copied in whole chunks. */
using value_word = key<uint32_t, false>;
using value_stream = key_stream<value_word>;
constexpr unsigned VALUE_CHUNK_WORDS = CHUNK_KEYS<value_word>;

/* Memory for the values of `keys` keys, and for that many more as a thread may look at beyond them
 * where the runs are not in order. */
inline size_t window_bytes(unsigned keys, unsigned beyond, size_t value_bytes)
{
    return (keys + beyond) * value_bytes + 4 * CHUNK_BYTES;
}

/* The values of `count` keys of a run of values, from `first` on. */
__device__ inline value_stream stream_of_values(const void *values, size_t run, size_t first,
                                                unsigned words)
{
    return {static_cast<const value_word *>(values), run * words, first * words};
}

/* Begins to copy the next `chunks` chunks of a stream to shared memory. */
template <unsigned THREADS>
__device__ void bring_values(const value_stream &from, unsigned chunks, value_word *to,
                             unsigned thread)
{
    constexpr unsigned N = VALUE_CHUNK_WORDS;
    using chunk = key_chunk<value_word>;
    if (from.are_whole(chunks)) {
        PRIM_UNROLL(4)
        for (unsigned c = thread; c < chunks; c += THREADS)
            copy_async(reinterpret_cast<chunk *>(to) + c, from.next_chunk() + c);
        return;
    }
    PRIM_UNROLL(1)
    for (unsigned w = thread; w < chunks * N; w += THREADS) {
        const size_t at = from.loaded * N + w;
        if (at >= from.shift && at < from.count + from.shift)
            copy_async(to + w, from.keys + (at - from.shift));
    }
}

/* A thread of a block. */
template <typename Key, bool PAIRS>
struct merge_thread {
    using bits = typename Key::bits_type;
    static constexpr unsigned ITEMS = MOST_ITEMS<Key, PAIRS>, N = CHUNK_KEYS<Key>,
                              THREADS = BLOCK<PAIRS>, MASK = RING<Key, PAIRS> - 1,
                              BITS_BYTES = sizeof(bits),
                              BYTE_MASK = RING<Key, PAIRS> * BITS_BYTES - 1,
                              B_RING = merge_memory<Key, PAIRS>::RING_KEYS;
    /* Chunks of this thread, of all that follow a tile. */
    static constexpr unsigned CHUNKS = (MOST_KEYS<Key, PAIRS> / N + 2 + THREADS - 1) / THREADS;

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
                const unsigned x = c * THREADS + thread;
                if (x < a_missing + b_missing)
                    chunks[c] = (x < a_missing ? from_a : from_b)[x];
            }
            return;
        }
        PRIM_UNROLL(8)
        for (unsigned c = 0; c < CHUNKS; c++) {
            const unsigned x = c * THREADS + thread;
            if (x >= a_missing + b_missing)
                break;
            key_stream<Key> from = a;
            if (x >= a_missing) {
                from = b;
                from.loaded -= a_missing;
            }
            chunks[c] = from.load(order, from.loaded + x);
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
            const unsigned x = c * THREADS + thread;
            const bool of_a = x < a_missing;
            const unsigned chunk = (of_a ? a_first : b_first) + c * THREADS;
            if (x < a_missing + b_missing)
                put_chunk(chunk, of_a ? 0 : B_RING, ordered_chunk(order, chunks[c]));
        }
    }

    __device__ void put_chunk(unsigned chunk, unsigned ring, const key_chunk<bits> &keys) const
    {
        const unsigned at = (chunk * N) & MASK;
        *reinterpret_cast<key_chunk<bits> *>(&shared.ring[ring + at]) = keys;
        if (at < REPEATED<Key, PAIRS>)
            *reinterpret_cast<key_chunk<bits> *>(&shared.ring[ring + at + MASK + 1]) = keys;
    }

    /* The first keys: as many of each run as the first tile may take. Both are on their way before
     * either is stored. */
    __device__ void fill_rings(unsigned wanted)
    {
        const unsigned a_missing = a.missing(wanted), b_missing = b.missing(wanted);
        key_chunk<Key> of_a[CHUNKS], of_b[CHUNKS];
        fetch(a_missing, 0, of_a);
        fetch(0, b_missing, of_b);
        put(a_missing, 0, of_a);
        put(0, b_missing, of_b);
        a.loaded += a_missing;
        b.loaded += b_missing;
        __syncthreads();
    }

    /* Places are counted in bytes from a ring's begin, and not taken modulo its size yet. */
    __device__ static unsigned place_in(const key_stream<Key> &run, unsigned i)
    {
        return (static_cast<unsigned>(run.next) + run.shift + i) * BITS_BYTES;
    }

    __device__ const bits *in_a(unsigned place) const
    {
        return reinterpret_cast<const bits *>(reinterpret_cast<const char *>(shared.ring) +
                                              (place & BYTE_MASK));
    }

    __device__ const bits *in_b(unsigned place) const
    {
        return in_a(place) + B_RING;
    }

    /* The co-rank of k in the rings. Both rings have k keys, or all that are left. Steps of fixed
     * lengths, without a branch: one that would lead too far is not made. */
    __device__ unsigned co_rank_in_rings(unsigned k, unsigned a_left, unsigned b_left) const
    {
        const unsigned low = k - smaller(k, b_left), most = smaller(k, a_left) - low;
        const unsigned first = place_in(a, low) & BYTE_MASK, end = first + most * BITS_BYTES;
        unsigned a_place = first, b_place = place_in(b, k - 1 - low);
        PRIM_UNROLL(16)
        for (unsigned step = (BYTE_MASK + 1) / 2; step >= BITS_BYTES; step /= 2) {
            const unsigned last = step - BITS_BYTES;
            const bool later = *in_b(b_place - last) < *in_a(a_place + last);
            if (a_place + last < end && !later) {
                a_place += step;
                b_place -= step;
            }
        }
        return low + (a_place - first) / BITS_BYTES;
    }

    /* The state of a thread's merge: the next key of each run and its place, and with values the
     * place of its value among the tile's. */
    struct front {
        const bits *a, *b;
        unsigned a_source, b_source;
        bits from_a, from_b;
    };

    /* Takes the next key, and notes where its value is. Where a run of keys has ended, a largest
     * key may be taken in place of an equal one of the other run: the result is the same. With
     * values it is not: then a_end is where a's values end. Nothing is taken after b's end, since
     * b's keys are taken only where they come before a's. */
    template <bool A_MAY_END>
    __device__ void take(front &f, unsigned a_end, bits *key, uint16_t *source) const
    {
        const bool take_b = f.from_b < f.from_a || (A_MAY_END && f.a_source == a_end);
        *key = take_b ? f.from_b : f.from_a;
        if (PAIRS)
            *source = static_cast<uint16_t>(take_b ? f.b_source : f.a_source);
        if (take_b) {
            f.b_source++;
            f.from_b = *++f.b;
        } else {
            f.a_source++;
            f.from_a = *++f.a;
        }
    }

    /* Merges the next `items` keys after i of a and j of b into the warp's own shared memory. The
     * values of a tile begin at a_source and b_source. */
    __device__ void merge_own(unsigned i, unsigned j, unsigned items, unsigned left,
                              unsigned a_left, unsigned a_source, unsigned b_source, bits *keys,
                              uint16_t *sources) const
    {
        const bits largest = static_cast<bits>(-1);
        front f = {in_a(place_in(a, i)), in_b(place_in(b, j)), a_source + i, b_source + j, 0, 0};
        f.from_a = *f.a;
        f.from_b = *f.b;
        /* Before a largest key of b, none after a's end is taken. */
        const bool a_may_end =
            PAIRS && a_left - i < ITEMS && (left < ITEMS || f.b[ITEMS - 1] == largest);
        if (items == ITEMS && !a_may_end) {
            PRIM_UNROLL(32)
            for (unsigned o = 0; o < ITEMS; o++)
                take<false>(f, 0, &keys[o], &sources[o]);
        } else {
            PRIM_UNROLL(1)
            for (unsigned o = 0; o < items; o++)
                take<PAIRS>(f, a_source + a_left, &keys[o], &sources[o]);
        }
    }

    /* Moves values from shared memory to global memory. */
    __device__ void write_values(const uint16_t *sources, unsigned warp_count,
                                 const value_word *window, const part_values &values,
                                 size_t warp_out) const
    {
        const unsigned lane = thread % WARP;
        with_value_type(values.bytes, [&](auto zero) {
            using value = decltype(zero);
            const value *const from = reinterpret_cast<const value *>(window);
            value *const out = static_cast<value *>(values.out) + warp_out;
            constexpr unsigned BATCH = 32 / sizeof(value);
            for (unsigned first = lane; first < warp_count; first += BATCH * WARP) {
                value batch[BATCH];
                PRIM_UNROLL(BATCH)
                for (unsigned o = 0; o < BATCH; o++)
                    if (first + o * WARP < warp_count)
                        batch[o] = from[sources[first + o * WARP]];
                PRIM_UNROLL(BATCH)
                for (unsigned o = 0; o < BATCH; o++)
                    if (first + o * WARP < warp_count)
                        out[first + o * WARP] = batch[o];
            }
        });
    }

    /* Merges the next `count` keys, `items` for each thread, to out[first …]; `following` keys of
     * the part come after them. */
    __device__ void make_tile(unsigned count, unsigned items, size_t following, Key *out,
                              size_t first, const part_values &values)
    {
        const unsigned a_left = a.left(count), b_left = b.left(count);
        const unsigned end = smaller((thread + 1) * items, count);
        shared.from_a[thread] = static_cast<uint16_t>(co_rank_in_rings(end, a_left, b_left));
        __syncthreads();
        const unsigned begin = smaller(thread * items, count);
        const unsigned from_a = shared.from_a[THREADS - 1], from_b = count - from_a;
        unsigned i = thread == 0 ? 0 : shared.from_a[thread - 1];

        key_stream<Key> next_a = a, next_b = b; /* as they are after this tile */
        next_a.next += from_a;
        next_b.next += from_b;
        const unsigned wanted = static_cast<unsigned>(smaller<size_t>(following, items * THREADS));
        const unsigned a_missing = next_a.missing(wanted), b_missing = next_b.missing(wanted);
        value_word *const window = reinterpret_cast<value_word *>(&shared + 1);
        unsigned a_source = 0, b_source = 0;
        if (PAIRS) {
            const unsigned words = values.bytes / static_cast<unsigned>(sizeof(value_word));
            const value_stream of_a = stream_of_values(values.a, a.count, a.next, words);
            const value_stream of_b = stream_of_values(values.b, b.count, b.next, words);
            const unsigned a_chunks = of_a.missing(from_a * words);
            const unsigned b_chunks = of_b.missing(from_b * words);
            value_word *const window_of_b = window + a_chunks * VALUE_CHUNK_WORDS;
            bring_values<THREADS>(of_a, a_chunks, window, thread);
            bring_values<THREADS>(of_b, b_chunks, window_of_b, thread);
            a_source = of_a.behind_boundary() / words;
            b_source = (a_chunks * VALUE_CHUNK_WORDS + of_b.behind_boundary()) / words;
            /* Where runs are not in order, a thread may begin outside the tile. */
            i = smaller(i, from_a);
            i = begin - smaller(begin - smaller(begin, i), from_b);
        }
        key_chunk<Key> chunks[CHUNKS];
        fetch(a_missing, b_missing, chunks);

        const unsigned warp = thread / WARP, lane = thread % WARP;
        const unsigned warp_begin = smaller(warp * WARP * items, count);
        const unsigned warp_count = smaller(count - warp_begin, WARP * items);
        Key *const warp_out = out + first + warp_begin;
        const unsigned behind = keys_behind_boundary(warp_out);
        bits *const staged = shared.staged[warp];
        uint16_t *const sources = shared.sources[PAIRS ? warp : 0];
        merge_own(i, begin - i, items, count - begin, a_left, a_source, b_source,
                  staged + behind + lane * items, sources + lane * items);
        __syncwarp();
        write_chunks<ITEMS>(order, staged, behind, warp_count, warp_out, lane, WARP);
        if (PAIRS)
            wait_for_copies();
        __syncthreads();
        put(a_missing, b_missing, chunks);
        if (PAIRS)
            write_values(sources, warp_count, window, values, first + warp_begin);
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

/* Blocks of a multiprocessor; narrow keys need more registers, and so does code below 9.0. */
template <typename Key, bool PAIRS>
constexpr unsigned HELD = PAIRS             ? PRIM_MERGE_STREAMED_PAIRS_BLOCKS
                          : sizeof(Key) < 4 ? 3
                                            : PRIM_MERGE_STREAMED_BLOCKS;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
template <typename Key, bool PAIRS>
[[maybe_unused]] constexpr unsigned RESIDENT = PAIRS ? HELD<Key, PAIRS> : 3;
#else
template <typename Key, bool PAIRS>
[[maybe_unused]] constexpr unsigned RESIDENT = HELD<Key, PAIRS>;
#endif

template <typename Key, bool PAIRS>
__global__ void __launch_bounds__(BLOCK<PAIRS>, blocks_at_once(BLOCK<PAIRS>, RESIDENT<Key, PAIRS>))
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
    const unsigned tile = m.items * BLOCK<PAIRS>;
    t.fill_rings(static_cast<unsigned>(smaller<size_t>(end - begin, tile)));
    for (size_t first = begin; first < end; first += tile) {
        const unsigned keys = static_cast<unsigned>(smaller<size_t>(end - first, tile));
        t.make_tile(keys, m.items, end - first - keys, m.out + pair * m.stride, first, values);
    }
}

/* ---- launches ---- */

/* Shared memory of a block, with a tile's values. */
template <typename Key, bool PAIRS>
size_t shared_bytes(unsigned items, size_t value_bytes)
{
    return sizeof(merge_memory<Key, PAIRS>) +
           (PAIRS ? window_bytes(items * BLOCK<PAIRS>, MOST_ITEMS<Key, PAIRS>, value_bytes) : 0);
}

/* Parts begin at multiples of it, so that they share no sector of the output. */
constexpr unsigned PART_UNIT = 64;

/* Into how many parts a pair is divided: one for each block that the device holds at once; or more,
 * which then take turns, where that leaves far fewer blocks without work at the end. */
inline size_t parts_of_pair(size_t at_once, size_t pairs, size_t most)
{
    const size_t share = at_once / pairs > 0 ? at_once / pairs : 1;
    size_t best = share;
    double best_use = 0;
    for (size_t parts = share; parts <= most && parts <= PRIM_MERGE_STREAMED_ROUNDS * share;
         parts++) {
        const size_t rounds = prim_divide_up(pairs * parts, at_once);
        const double use =
            static_cast<double>(pairs * parts) / static_cast<double>(rounds * at_once);
        if (parts == share || use > best_use + PRIM_MERGE_STREAMED_GAIN) {
            best = parts;
            best_use = use;
        }
    }
    return best;
}

/* A part for each block that the device holds at once, all of one length, whose last tile may be a
 * short one; where there are few keys, a part is one tile with fewer keys for each thread. */
template <typename Key, bool PAIRS>
cudaError_t launch_parts(cudaStream_t stream, key_order<Key> order, merges<Key> m, size_t pairs,
                         size_t keys_of_pair)
{
    const size_t room = prim_device_shared_bytes(), value_bytes = m.values.bytes;
    unsigned most = MOST_ITEMS<Key, PAIRS>;
    while (shared_bytes<Key, PAIRS>(most, value_bytes) > room)
        most /= 2;
    const size_t held =
        smaller<size_t>(room / shared_bytes<Key, PAIRS>(most, value_bytes), HELD<Key, PAIRS>);
    const size_t at_once = prim_device_multiprocessors() * held;
    cudaError_t error = prim_device_take_error();
    if (error == cudaSuccess)
        error =
            prim_allow_shared(merge_parts<Key, PAIRS>,
                              smaller(room, shared_bytes<Key, PAIRS>(MOST_ITEMS<Key, PAIRS>,
                                                                     sizeof(value_of_16_bytes))));
    if (error != cudaSuccess)
        return error;
    const size_t most_parts = keys_of_pair / (PRIM_MERGE_STREAMED_TILES * most * BLOCK<PAIRS>);
    const size_t parts = parts_of_pair(at_once, pairs, most_parts);
    const size_t fair = prim_divide_up(keys_of_pair, parts);
    const size_t items = prim_divide_up(fair, BLOCK<PAIRS>) | 1;
    m.items = static_cast<unsigned>(smaller<size_t>(items, most));
    m.part_keys = prim_divide_up(fair, PART_UNIT) * PART_UNIT;
    m.parts = static_cast<unsigned>(prim_divide_up(keys_of_pair, m.part_keys));
    return prim_launch_dependent({stream, static_cast<unsigned>(pairs * m.parts), BLOCK<PAIRS>,
                                  shared_bytes<Key, PAIRS>(m.items, value_bytes)},
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

cudaError_t launch_sort(const void *args)
{
    return prim_merge_sort_by_passes(static_cast<const prim_merge_sort_args *>(args),
                                     prim_merge_streamed_pass, nullptr);
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
    launch_merge<streamed::run_merge>};

PRIM_DEFINE_RUNG(merge_sort, streamed) = {
    {PRIM_MERGE_SORT_STREAMED, "streamed",
     "larger sorted tiles, then passes that merge pairs of runs, keys streaming through rings"},
    sort_pairs_why_not,
    prim_merge_long_passes_workspace_bytes,
    streamed::launch_sort};
