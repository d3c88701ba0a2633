/* WIDE: passes that merge four runs at once, so that keys cross global memory half as often.
 *
 * A block makes one contiguous part of the output, as in STREAMED, from four streams of keys:
 *
 *     a ──▒▒▒▒──┐                        ▒ rings of keys as they come from global memory
 *               ├──▒▒▒▒──┐               ▓ rings of keys that have been merged once
 *     b ──▒▒▒▒──┘  ▓     │
 *                        ├──── out
 *     c ──▒▒▒▒──┐  ▓     │
 *               ├──▒▒▒▒──┘
 *     d ──▒▒▒▒──┘
 *
 * In each step all threads merge a tile of the output from the two inner rings; then all threads
 * refill these with as many keys, merged from the outer rings, some of a and b, and the others of c
 * and d; and meanwhile the keys missing in the outer rings are loaded from global memory. Every
 * search but the first is in two runs in shared memory.
 *
 * The whole block searches where a part begins in the four runs: splitters.cuh.
 *
 * All streams are padded without end: after a run's end come largest keys, and the part ends when
 * it has its keys. A largest key as padding and one that is a key are the same integer.
 *
 * What changed from STREAMED: half of the bytes and of the launches, for the same comparisons.
 * What still holds it back: two merges through shared memory for each key, in short steps with
 * three barriers each. On an H200 a pass takes longer than two of STREAMED, so AUTO leaves it out.
 *
 * Where two runs are left, the last pass is one of STREAMED's.
 *
 * Work: for each key of a pass 2 comparisons, and for each 7 keys two searches. Bytes: of a pass,
 * each key in and out once, and for each part what the rings hold at its end. */
#include "common/host/device.h"
#include "common/kernel/shared.cuh"
#include "merge/passes.cuh"
#include "merge/path/splitters.cuh"
#include "merge/sort/long_passes.h"
#include "merge/tile/ring.cuh"
#include "merge/tuning.h"

namespace
{
namespace wide
{

constexpr unsigned BLOCK = PRIM_MERGE_WIDE_THREADS, RUNS = 4;
constexpr unsigned NOWHERE = UINT32_MAX;

template <typename Key> /* odd, as tile.cuh says, and one less than a power of two */
constexpr unsigned OWN = sizeof(Key) == 8 ? 3 : PRIM_MERGE_WIDE_ITEMS;

template <typename Key>
constexpr unsigned RING = (OWN<Key> + 1) * BLOCK;

/* Keys that an outer ring has before each step: as many as a step could take from one. */
template <typename Key>
constexpr unsigned AHEAD = OWN<Key> *BLOCK;

/* Keys of the output in each step. Both inner rings hold as many before it. They are filled by
 * whole threads' keys, which may be up to two threads' keys more. */
template <typename Key>
constexpr unsigned STEP = OWN<Key> *(BLOCK - 2);

template <typename Key>
constexpr unsigned WARP_KEYS = OWN<Key> *WARP + CHUNK_KEYS<Key>;

template <typename Key>
struct wide_memory {
    union {
        alignas(CHUNK_BYTES) typename Key::bits_type rings[(RUNS + 2) * RING<Key>];
        splitter_memory<Key, RUNS> split;
    };
    alignas(CHUNK_BYTES) typename Key::bits_type staged[BLOCK / WARP][WARP_KEYS<Key>];
    alignas(8) unsigned char streams[RUNS * sizeof(key_stream<Key>)];
    uint16_t from_first[2][BLOCK]; /* of the inner rings, and of the outer ones */
};

/* A thread of a block. Rings are numbered: four outer ones, and then two inner ones. */
template <typename Key>
struct wide_thread {
    using bits = typename Key::bits_type;
    static constexpr unsigned ITEMS = OWN<Key>, N = CHUNK_KEYS<Key>, MASK = RING<Key> - 1,
                              BYTE_MASK = RING<Key> * sizeof(bits) - 1;
    static constexpr unsigned CHUNKS = (AHEAD<Key> / N + 2 * RUNS + BLOCK - 1) / BLOCK;

    key_order<Key> order;
    wide_memory<Key> &shared;
    unsigned thread;
    unsigned head[2], there[2]; /* of the inner rings: place of the first key, and how many */

    __device__ key_stream<Key> *streams() const
    {
        return reinterpret_cast<key_stream<Key> *>(shared.streams);
    }

    /* Places in a ring are counted in bytes and not wrapped. */
    __device__ static bits at(const char *ring, unsigned place)
    {
        return *reinterpret_cast<const bits *>(ring + (place & BYTE_MASK));
    }

    __device__ const char *bytes_of(unsigned ring) const
    {
        return reinterpret_cast<const char *>(&shared.rings[ring * (MASK + 1)]);
    }

    __device__ unsigned head_of(unsigned outer) const
    {
        const key_stream<Key> &s = streams()[outer];
        return static_cast<unsigned>(s.next) + s.shift;
    }

    /* The co-rank of k in two neighbouring rings. */
    __device__ unsigned co_rank_in(unsigned ring, unsigned head_a, unsigned head_b,
                                   unsigned k) const
    {
        const char *const a = bytes_of(ring), *const b = bytes_of(ring + 1);
        const unsigned first_of_a = head_a * sizeof(bits);
        const unsigned last_of_b = (head_b + k - 1) * sizeof(bits);
        unsigned low = 0, high = k;
        while (low < high) {
            const unsigned i = (low + high) / 2;
            if (at(b, last_of_b - i * sizeof(bits)) < at(a, first_of_a + i * sizeof(bits)))
                high = i;
            else
                low = i + 1;
        }
        return low;
    }

    /* Merges the thread's keys, from these places on, and calls store(o, key) for each. */
    template <class Store>
    __device__ void merge_own(unsigned ring, unsigned head_a, unsigned head_b,
                              const Store &store) const
    {
        const char *const a = bytes_of(ring), *const b = bytes_of(ring + 1);
        unsigned a_place = head_a * sizeof(bits), b_place = head_b * sizeof(bits);
        bits from_a = at(a, a_place), from_b = at(b, b_place);
        PRIM_UNROLL(16)
        for (unsigned o = 0; o < ITEMS; o++) {
            const bool take_b = from_b < from_a;
            store(o, take_b ? from_b : from_a);
            if (take_b) {
                b_place += sizeof(bits);
                from_b = at(b, b_place);
            } else {
                a_place += sizeof(bits);
                from_a = at(a, a_place);
            }
        }
    }

    /* Fills the outer rings, before the first step. */
    __device__ void fill_rings()
    {
        for (unsigned r = 0; r < RUNS; r++) {
            const key_stream<Key> s = streams()[r];
            load_chunks<2>(order, s, s.missing(AHEAD<Key>), [&](size_t chunk) {
                return reinterpret_cast<key_chunk<bits> *>(&shared.rings[place_of(r, chunk)]);
            });
        }
        __syncthreads();
        if (thread < RUNS) /* read after fill_inner()'s first barrier */
            streams()[thread].loaded += streams()[thread].missing(AHEAD<Key>);
    }

    __device__ static unsigned place_of(unsigned ring, size_t chunk)
    {
        return ring * (MASK + 1) + (static_cast<unsigned>(chunk * N) & MASK);
    }

    __device__ void put(unsigned place, const key_chunk<bits> &chunk) const
    {
        *reinterpret_cast<key_chunk<bits> *>(&shared.rings[place]) = chunk;
    }

    /* Loads the thread's share of the keys that replace taken[r] keys of each outer ring. Returns
     * how many chunks ring `thread` gets. */
    __device__ unsigned fetch(const unsigned (&taken)[RUNS], key_chunk<Key> (&chunks)[CHUNKS],
                              unsigned (&places)[CHUNKS]) const
    {
        unsigned own = 0, begin = 0;
        PRIM_UNROLL(8)
        for (unsigned c = 0; c < CHUNKS; c++)
            places[c] = NOWHERE;
        PRIM_UNROLL(4)
        for (unsigned r = 0; r < RUNS; r++) {
            const key_stream<Key> &s = streams()[r];
            const unsigned missing = s.missing(AHEAD<Key> + taken[r]);
            const bool whole = s.are_whole(missing);
            const key_chunk<Key> *const from = s.next_chunk();
            PRIM_UNROLL(8)
            for (unsigned c = 0; c < CHUNKS; c++) {
                const unsigned x = c * BLOCK + thread - begin;
                if (x < missing && whole) {
                    chunks[c] = from[x];
                    places[c] = place_of(r, s.loaded + x);
                } else if (x < missing) {
                    chunks[c] = s.load(order, s.loaded + x);
                    places[c] = place_of(r, s.loaded + x);
                }
            }
            begin += missing;
            own = thread == r ? missing : own;
        }
        return own;
    }

    /* `first` threads fill the first inner ring, and `second` the second one. Has two barriers;
     * another one is needed before these keys are read. */
    __device__ void fill_inner(unsigned first, unsigned second)
    {
        const unsigned inner = thread < first ? 0 : 1, unit = thread - inner * first;
        const unsigned head_a = head_of(2 * inner), head_b = head_of(2 * inner + 1);
        uint16_t *const splits = shared.from_first[1];
        const bool busy = thread < first + second;
        if (busy)
            splits[thread] =
                static_cast<uint16_t>(co_rank_in(2 * inner, head_a, head_b, (unit + 1) * ITEMS));
        __syncthreads();
        const unsigned from_a = first > 0 ? splits[first - 1] : 0;
        const unsigned from_c = second > 0 ? splits[first + second - 1] : 0;
        const unsigned taken[RUNS] = {from_a, first * ITEMS - from_a, from_c,
                                      second * ITEMS - from_c};
        key_chunk<Key> chunks[CHUNKS];
        unsigned places[CHUNKS];
        const unsigned missing = fetch(taken, chunks, places);
        if (busy) {
            const unsigned i = unit == 0 ? 0 : splits[thread - 1];
            const unsigned end =
                (inner == 0 ? head[0] + there[0] : head[1] + there[1]) + unit * ITEMS;
            bits *const ring = &shared.rings[(RUNS + inner) * (MASK + 1)];
            merge_own(2 * inner, head_a + i, head_b + unit * ITEMS - i,
                      [=](unsigned o, bits key) { ring[(end + o) & MASK] = key; });
        }
        __syncthreads();
        PRIM_UNROLL(8)
        for (unsigned c = 0; c < CHUNKS; c++)
            if (places[c] != NOWHERE)
                put(places[c], ordered_chunk(order, chunks[c]));
        if (thread < RUNS) {
            streams()[thread].next += thread == 0   ? taken[0]
                                      : thread == 1 ? taken[1]
                                      : thread == 2 ? taken[2]
                                                    : taken[3];
            streams()[thread].loaded += missing;
        }
        there[0] += first * ITEMS;
        there[1] += second * ITEMS;
    }

    /* How many threads' keys are missing until the inner ring has `wanted` keys. */
    __device__ unsigned units_missing(unsigned inner, unsigned wanted) const
    {
        return there[inner] < wanted ? (wanted - there[inner] + ITEMS - 1) / ITEMS : 0;
    }

    /* Merges the next keys of the output. Has a barrier. */
    __device__ void make_step(unsigned count, Key *out)
    {
        uint16_t *const splits = shared.from_first[0];
        splits[thread] = static_cast<uint16_t>(
            co_rank_in(RUNS, head[0], head[1], smaller((thread + 1) * ITEMS, count)));
        __syncthreads();
        const unsigned begin = smaller(thread * ITEMS, count);
        const unsigned i = thread == 0 ? 0 : splits[thread - 1], from_x = splits[BLOCK - 1];
        bits *const staged = shared.staged[thread / WARP];
        const unsigned lane = thread % WARP;
        const unsigned warp_begin = smaller(thread / WARP * WARP * ITEMS, count);
        const unsigned behind = keys_behind_boundary(out + warp_begin);
        bits *const own = staged + behind + lane * ITEMS;
        merge_own(RUNS, head[0] + i, head[1] + begin - i,
                  [=](unsigned o, bits key) { own[o] = key; });
        __syncwarp();
        write_chunks<ITEMS>(order, staged, behind, smaller(count - warp_begin, WARP * ITEMS),
                            out + warp_begin, lane, WARP);
        head[0] += from_x;
        head[1] += count - from_x;
        there[0] -= from_x;
        there[1] -= count - from_x;
    }
};

template <typename Key>
__global__ void __launch_bounds__(BLOCK, blocks_at_once(BLOCK, PRIM_MERGE_WIDE_BLOCKS))
    merge_four(key_order<Key> order, const Key *in, size_t count, size_t run_keys, Key *out,
               unsigned parts, size_t part_keys)
{
    PRIM_SHARED_DYNAMIC(wide_memory<Key>, shared);
    const size_t begin = blockIdx.x / parts * RUNS * run_keys;
    const size_t first = blockIdx.x % parts * part_keys;
    const size_t here = smaller(count - begin, RUNS * run_keys);
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (first >= here)
        return;
    if (threadIdx.x < RUNS) {
        const size_t run_begin = smaller(threadIdx.x * run_keys, here);
        shared->split.keys[threadIdx.x] = in + begin + run_begin;
        shared->split.count[threadIdx.x] = smaller(here - run_begin, run_keys);
    } /* a thread has written what it reads of this before split_runs() has a barrier */
    split_runs(order, first, shared->split);
    if (threadIdx.x < RUNS) {
        const unsigned r = threadIdx.x;
        reinterpret_cast<key_stream<Key> *>(shared->streams)[r] =
            key_stream<Key>(shared->split.keys[r], shared->split.count[r], shared->split.low[r]);
    }
    __syncthreads();
    wide_thread<Key> t = {order, *shared, threadIdx.x, {0, 0}, {0, 0}};
    t.fill_rings();
    t.fill_inner(BLOCK - 2, 0);
    __syncthreads();
    t.fill_inner(0, BLOCK - 2);
    out += begin + first;
    for (size_t left = smaller(here - first, part_keys); left > 0;) {
        const unsigned keys = static_cast<unsigned>(smaller<size_t>(left, STEP<Key>));
        t.make_step(keys, out);
        out += keys;
        left -= keys;
        const unsigned wanted = static_cast<unsigned>(smaller<size_t>(left, STEP<Key>));
        t.fill_inner(t.units_missing(0, wanted), t.units_missing(1, wanted));
    }
}

/* ---- launches ---- */

struct run_pass : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_sort_args *args, prim_sort_buffer in, size_t run_keys,
                           prim_sort_buffer out)
    {
        const size_t at_once = prim_device_multiprocessors() * PRIM_MERGE_WIDE_BLOCKS;
        cudaError_t error = prim_device_take_error();
        if (error == cudaSuccess)
            error = prim_allow_shared(merge_four<Key>, sizeof(wide_memory<Key>));
        if (error != cudaSuccess)
            return error;
        const size_t groups = prim_divide_up(args->count, RUNS * run_keys);
        const size_t group_keys = smaller(args->count, RUNS * run_keys);
        const size_t share = at_once / groups > 0 ? at_once / groups : 1;
        const size_t steps = prim_divide_up(group_keys, STEP<Key>);
        const size_t part_keys = prim_divide_up(steps, share) * STEP<Key>;
        const size_t parts = prim_divide_up(group_keys, part_keys);
        return prim_launch_dependent(
            {args->call.stream, static_cast<unsigned>(groups * parts), BLOCK,
             sizeof(wide_memory<Key>)},
            merge_four<Key>, order_of<Key>(args), static_cast<const Key *>(in.keys), args->count,
            run_keys, static_cast<Key *>(out.keys), static_cast<unsigned>(parts), part_keys);
    }
};

cudaError_t launch_pass(const prim_merge_sort_args *args, prim_sort_buffer in, size_t run_keys,
                        prim_sort_buffer out)
{
    return dispatch<run_pass>(args, in, run_keys, out);
}

cudaError_t launch_sort(const void *args)
{
    return prim_merge_sort_by_passes(static_cast<const prim_merge_sort_args *>(args),
                                     prim_merge_streamed_pass, launch_pass);
}

} // namespace wide
} // namespace

PRIM_DEFINE_RUNG(merge_sort, wide) = {
    {PRIM_MERGE_SORT_WIDE, "wide",
     "passes that merge four runs at once, through two levels of rings in shared memory"},
    sort_why_not,
    prim_merge_long_passes_workspace_bytes,
    wide::launch_sort};
