/* TILED: a block loads its part of both arrays into shared memory first.
 *
 * A block makes 1792 keys of output. Two of its threads search in global memory where that part
 * begins and ends in a and b; the keys between are the tile's, just as many as it makes:
 *
 *     a      ██████│▒▒▒▒▒│████████        begin and end: co-ranks of the tile's ends
 *     b      ███│▒▒▒▒▒▒▒▒│█████
 *                  │  │
 *     tile   ▒▒▒▒▒│▒▒▒▒▒▒▒▒               in shared memory: a's keys, then b's
 *     threads  0 │ 1 │ 2 │ 3              each searches in the tile where its 7 keys begin, and
 *     tile   ▒▒▒▒▒▒▒▒▒▒▒▒▒                merges them into registers; then they replace the tile
 *     out    ─────────│▒▒▒▒▒▒▒▒▒▒▒▒▒│───
 *
 * What changed: keys are loaded and stored once, coalesced, and only 2 searches in global memory
 * are left for 1792 keys. Results go through shared memory too, since straight from registers a
 * warp's store would touch 32 places 7 keys apart. 7 is odd, so the lanes' places lie in 32
 * different banks.
 *
 * What still holds it back: while two threads search, the block waits; while it loads, it does not
 * merge; and the merge itself is a chain of loads from shared memory, with bank conflicts that
 * depend on the keys.
 *
 * A sort's passes do the same for all pairs of runs at once.
 *
 * Work: 1 comparison a key, and for each 7 keys a search in the tile. Steps:
 * log2(min(a_count, b_count)) + log2(1792) + 9. Bytes: each key in and out once.
 * Source: Green, McColl and Bader, GPU Merge Path, ICS 2012; Hwu, Kirk and El Hajj, Programming
 * Massively Parallel Processors, 4th edition (2022), chapter 12. */
#include "common/kernel/shared.cuh"
#include "merge/passes.cuh"

namespace
{
namespace tiled
{

template <typename Key>
__device__ void load_tile(const runs<Key, size_t> &r, const tile_source &source, unsigned count,
                          Key *tile)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned x = i * THREADS + threadIdx.x;
        if (x < count)
            tile[x] = x < source.from_a ? r.a[source.i + x] : r.b[source.j + (x - source.from_a)];
    }
}

/* The block's tile of the merged runs, from their key `first` on; out is where the tile begins. */
template <typename Key>
__device__ void merge_tile(key_order<Key> order, const runs<Key, size_t> &r, size_t first, Key *out)
{
    PRIM_SHARED(size_t, ranks, [2]);
    PRIM_SHARED(Key, tile, [TILE]);
    const unsigned t = threadIdx.x, count = keys_in_tile(first, r.a_count + r.b_count);
    Key keys[ITEMS];

    if (t < 2)
        ranks[t] = co_rank(order, r, first + t * count);
    __syncthreads();
    const tile_source source = source_between(ranks[0], ranks[1], first, count);
    load_tile(r, source, count, tile);
    __syncthreads();
    const runs<Key, unsigned> parts = {tile, source.from_a, tile + source.from_a,
                                       count - source.from_a};
    merge_part(order, parts, own_begin(count), ITEMS, keys);
    __syncthreads();
    store_own(keys, count, tile);
    __syncthreads();
    write_tile(tile, count, out);
}

template <typename Key>
__global__ void __launch_bounds__(THREADS)
    merge_keys(key_order<Key> order, runs<Key, size_t> r, Key *out)
{
    const size_t first = static_cast<size_t>(blockIdx.x) * TILE;
    merge_tile(order, r, first, out + first);
}

template <typename Key>
__global__ void __launch_bounds__(THREADS)
    merge_runs(key_order<Key> order, const Key *in, size_t count, size_t run_tiles, Key *out)
{
    const size_t first = static_cast<size_t>(blockIdx.x) * TILE;
    const size_t begin = first_of_pair<size_t>(blockIdx.x, run_tiles) * TILE;
    merge_tile(order, pair_at(in, count, begin, run_tiles * TILE), first - begin, out + first);
}

struct lesson {
    template <typename Key>
    static constexpr merge_kernel<Key> merge = merge_keys<Key>;
    template <typename Key>
    static constexpr pass_kernel<Key> pass = merge_runs<Key>;
};

} // namespace tiled
} // namespace

PRIM_DEFINE_RUNG(merge, tiled) = rung_of_merge<PRIM_MERGE_TILED, tiled::lesson>(
    "tiled",
    "a block brings its part of both arrays into shared memory, and searches and merges there");

PRIM_DEFINE_RUNG(merge_sort, tiled) = rung_of_sort<PRIM_MERGE_SORT_TILED, tiled::lesson>(
    "tiled",
    "sorted tiles, then passes that merge pairs of runs, each block through shared memory");
