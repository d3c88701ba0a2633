/* MERGE_PATH: the merge path is divided at two levels, for blocks and for threads, and keys are
 * merged into registers.
 *
 *     a      ██████│▒▒▒▒▒│████████        a tile's ends: a warp searches for each, and reads many
 *     b      ███│▒▒▒▒▒▒▒▒│█████           keys in each step
 *     tile   ▒▒▒▒▒│▒▒▒▒▒▒▒▒               in shared memory, 16 bytes at a time
 *     keys   0 │ 1 │ 2 │ 3                15 a thread (of 4 bytes), merged into registers
 *     out    ─────────│▒▒▒▒▒▒▒▒▒▒▒▒▒│──   and through the tile out again, 16 bytes at a time
 *
 * What changed from TILED: a search for a tile's end waits for memory four times and not 27 times;
 * a tile is twice as long, so that half of the searches are left; a key is converted into an
 * unsigned integer once, and not for each comparison; loads and stores move 16 bytes, however a, b
 * and out are aligned.
 *
 * What still holds it back: each block waits for its search and its loads, and only other blocks
 * hide that latency. STREAMED avoids it.
 *
 * Work: 1 comparison a key, and for each 15 keys a search in the tile. Bytes: each key in and out
 * once, and for each tile's end some 256 keys for each step.
 * Source: Green, McColl and Bader, GPU Merge Path, ICS 2012. */
#include "common/kernel/shared.cuh"
#include "merge/passes.cuh"
#include "merge/path/warp_search.cuh"
#include "merge/tile/ring.cuh"

namespace
{
namespace merge_path
{

template <typename Key>
constexpr unsigned OWN = sizeof(Key) == 8 ? 7 : 15; /* odd, as tile.cuh says */

template <typename Key>
constexpr unsigned TILE_KEYS = OWN<Key> *THREADS;

/* A tile's keys of one run: `count` of them at `begin` in shared memory. */
struct part {
    unsigned begin, count;
};

/* Loads `count` keys from `first` on into shared memory from place `at` on, a multiple of a
 * chunk. */
template <typename Key>
__device__ part load_part(key_order<Key> order, const Key *keys, size_t all, size_t first,
                          unsigned count, unsigned at, typename Key::bits_type *tile)
{
    constexpr unsigned N = CHUNK_KEYS<Key>;
    const key_stream<Key> s = {keys, all, first};
    const size_t before = s.loaded;
    load_chunks<4>(order, s, count > 0 ? s.missing(count) : 0, [&](size_t chunk) {
        return reinterpret_cast<key_chunk<typename Key::bits_type> *>(tile + at +
                                                                      (chunk - before) * N);
    });
    return {at + static_cast<unsigned>((first + s.shift) % N), count};
}

template <typename Bits>
__device__ unsigned co_rank_in(const Bits *tile, part a, part b, unsigned k)
{
    unsigned low = k > b.count ? k - b.count : 0, high = smaller(k, a.count);
    while (low < high) {
        const unsigned i = (low + high) / 2;
        if (tile[b.begin + k - 1 - i] < tile[a.begin + i])
            high = i;
        else
            low = i + 1;
    }
    return low;
}

template <typename Bits, unsigned ITEMS_OF_THREAD>
__device__ void merge_own(const Bits *tile, part a, part b, unsigned k,
                          Bits (&keys)[ITEMS_OF_THREAD])
{
    const unsigned rank = co_rank_in(tile, a, b, k);
    const unsigned a_end = a.begin + a.count, b_end = b.begin + b.count;
    unsigned i = a.begin + rank, j = b.begin + (k - rank);
    Bits from_a = tile[i], from_b = tile[j];
    PRIM_UNROLL(16)
    for (unsigned o = 0; o < ITEMS_OF_THREAD; o++) {
        const bool take_b = i >= a_end || (j < b_end && from_b < from_a);
        keys[o] = take_b ? from_b : from_a;
        const unsigned place = smaller((take_b ? j : i) + 1, b_end);
        const Bits following = tile[place];
        i = take_b ? i : place;
        from_a = take_b ? from_a : following;
        j = take_b ? place : j;
        from_b = take_b ? following : from_b;
    }
}

template <typename Key>
__global__ void __launch_bounds__(THREADS)
    merge_tiles(key_order<Key> order, runs<Key, size_t> r, Key *out)
{
    using bits = typename Key::bits_type;
    constexpr unsigned N = CHUNK_KEYS<Key>, OWN_KEYS = OWN<Key>;
    PRIM_SHARED(size_t, ranks, [2]);
    PRIM_SHARED(key_chunk<bits>, chunks, [TILE_KEYS<Key> / N + 5]);
    bits *const tile = chunks[0].keys;
    const size_t first = static_cast<size_t>(blockIdx.x) * TILE_KEYS<Key>;
    const unsigned count =
        static_cast<unsigned>(smaller<size_t>(r.a_count + r.b_count - first, TILE_KEYS<Key>));
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (warp < 2) {
        const size_t rank = co_rank_by_warp(order, r, first + warp * count, lane);
        if (lane == 0)
            ranks[warp] = rank;
    }
    __syncthreads();
    const tile_source source = source_between(ranks[0], ranks[1], first, count);
    const unsigned from_b = count - source.from_a;
    const part a = load_part(order, r.a, r.a_count, source.i, source.from_a, 0, tile);
    const unsigned b_at = (a.begin + a.count + N - 1) / N * N;
    const part b = load_part(order, r.b, r.b_count, source.j, from_b, b_at, tile);
    __syncthreads();
    bits keys[OWN_KEYS];
    const unsigned own = smaller(threadIdx.x * OWN_KEYS, count);
    merge_own(tile, a, b, own, keys);
    __syncthreads();
    const unsigned behind = keys_behind_boundary(out + first);
    PRIM_UNROLL(16)
    for (unsigned o = 0; o < OWN_KEYS; o++)
        if (own + o < count)
            tile[behind + own + o] = keys[o];
    __syncthreads();
    write_chunks<OWN_KEYS>(order, tile, behind, count, out + first, threadIdx.x, THREADS);
}

struct run_merge : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_args *args)
    {
        return merge_in_tiles<Key>(args, merge_tiles<Key>, TILE_KEYS<Key>);
    }
};

} // namespace merge_path
} // namespace

PRIM_DEFINE_RUNG(merge, merge_path) = {{PRIM_MERGE_MERGE_PATH, "merge_path",
                                        "warps search for a tile's ends; keys are merged into "
                                        "registers and written 16 bytes at a time"},
                                       merge_why_not,
                                       nullptr,
                                       launch_merge<merge_path::run_merge>};
