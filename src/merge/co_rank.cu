/* CO_RANK: each thread merges a part of its own.
 *
 * Thread t makes the 7 keys from out[7 t] on. It finds by binary search how many of the keys before
 * them come from a and how many from b, and merges from there, one key after the other:
 *
 *     a    ██████████████████│████          thread t begins after i keys of a
 *     b    ██████████│███████████           and after j = 7 t - i keys of b
 *     out  ────────────────────────────│███████│────────────
 *                                       7 t
 *
 * No thread waits for another one, and the parts have one length whatever the keys are.
 *
 * What holds it back: the search reads single keys far apart, log2 of them for 7 keys of output,
 * and neighbouring threads read and write 7 keys apart, so that a warp's load or store touches many
 * sectors. TILED avoids both.
 *
 * A sort's passes do the same for all pairs of runs at once.
 *
 * Work: 1 comparison a key, and for each 7 keys a search. Steps: log2(min(a_count, b_count)) + 8.
 * Bytes: keys in and out once, and 2 × log2(min(a_count, b_count)) keys for each search; caches
 * take what neighbours share.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * chapter 12. */
#include "merge/passes.cuh"

namespace
{
namespace by_co_rank
{

__device__ size_t thread_number()
{
    return static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
}

template <typename Key>
__global__ void __launch_bounds__(THREADS)
    merge_keys(key_order<Key> order, runs<Key, size_t> r, Key *out)
{
    const size_t first = thread_number() * ITEMS;
    if (first < r.a_count + r.b_count)
        merge_part(order, r, first, size_t(ITEMS), out + first);
}

template <typename Key>
__global__ void __launch_bounds__(THREADS)
    merge_runs(key_order<Key> order, const Key *in, size_t count, size_t run_tiles, Key *out)
{
    const size_t first = thread_number() * ITEMS;
    const size_t begin = first_of_pair(thread_number(), run_tiles * THREADS) * ITEMS;
    if (first < count)
        merge_part(order, pair_at(in, count, begin, run_tiles * TILE), first - begin, size_t(ITEMS),
                   out + first);
}

struct lesson {
    template <typename Key>
    static constexpr merge_kernel<Key> merge = merge_keys<Key>;
    template <typename Key>
    static constexpr pass_kernel<Key> pass = merge_runs<Key>;
};

} // namespace by_co_rank
} // namespace

PRIM_DEFINE_RUNG(merge, co_rank) = rung_of_merge<PRIM_MERGE_CO_RANK, by_co_rank::lesson>(
    "co_rank", "each thread finds by binary search where its keys begin, and merges from there");

PRIM_DEFINE_RUNG(merge_sort, co_rank) = rung_of_sort<PRIM_MERGE_SORT_CO_RANK, by_co_rank::lesson>(
    "co_rank",
    "sorted tiles, then passes that merge pairs of runs, each thread from global memory");
