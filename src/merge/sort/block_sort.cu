/* The first step of both sorts: each block sorts one tile in shared memory.
 *
 * Each thread sorts its own keys in registers by odd-even transposition sort. Then runs are merged,
 * and their length doubles:
 *
 *     threads   0   1   2   3   4   5   6   7
 *     run 1     └─┬─┘   └─┬─┘   └─┬─┘   └─┬─┘      2 threads merge 2 runs
 *     run 2       └───┬───┘       └───┬───┘        4 threads merge 2 runs
 *     run 4           └───────┬───────┘            8 threads merge 2 runs
 *
 * Every thread works in every step: it finds by co-rank where its 7 keys of the merged pair begin,
 * merges them into registers, and after a barrier writes them over the runs.
 *
 * Equal keys are never exchanged, and of equal keys the earlier run's come first: it is stable. A
 * block has read its whole tile before it writes, so out may be in.
 *
 * Work: for each key 3 comparisons, and for each of 8 merges 1 and a 7th of a search. Steps: 7, and
 * for each merge of two runs of n keys log2(n) + 8. Bytes: each key in and out once. */
#include "common/kernel/shared.cuh"
#include "merge/passes.cuh"

namespace
{
namespace block_sort
{

template <typename Key>
__device__ void load_tile(const Key *in, unsigned count, Key *tile)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned x = i * THREADS + threadIdx.x;
        if (x < count)
            tile[x] = in[x];
    }
}

template <typename Key>
__device__ void load_own(const Key *tile, unsigned count, Key *keys)
{
    const unsigned first = own_begin(count);
    for (unsigned i = 0; i < ITEMS; i++)
        if (first + i < count)
            keys[i] = tile[first + i];
}

template <typename Key>
__device__ void sort_own(key_order<Key> order, unsigned count, Key *keys)
{
    for (unsigned round = 0; round < ITEMS; round++)
        for (unsigned i = round % 2; i + 1 < ITEMS; i += 2)
            if (i + 1 < count && order.before(keys[i + 1], keys[i])) {
                const Key earlier = keys[i + 1];
                keys[i + 1] = keys[i];
                keys[i] = earlier;
            }
}

/* Merges the thread's keys of its pair of runs. */
template <typename Key>
__device__ void merge_own(key_order<Key> order, const Key *tile, unsigned count,
                          unsigned run_threads, Key *keys)
{
    const unsigned begin = smaller(first_of_pair(threadIdx.x, run_threads) * ITEMS, count);
    const runs<Key, unsigned> pair = pair_at(tile, count, begin, run_threads * ITEMS);
    merge_part(order, pair, own_begin(count) - begin, ITEMS, keys);
}

template <typename Key>
__global__ void __launch_bounds__(THREADS)
    sort_tiles(key_order<Key> order, const Key *in, size_t count, Key *out)
{
    PRIM_SHARED(Key, tile, [TILE]);
    const size_t begin = static_cast<size_t>(blockIdx.x) * TILE;
    const unsigned left = keys_in_tile(begin, count);
    Key keys[ITEMS];

    load_tile(in + begin, left, tile);
    __syncthreads();
    load_own(tile, left, keys);
    sort_own(order, left - own_begin(left), keys);
    store_own(keys, left, tile);
    for (unsigned run_threads = 1; run_threads * ITEMS < left; run_threads *= 2) {
        __syncthreads();
        merge_own(order, tile, left, run_threads, keys);
        __syncthreads();
        store_own(keys, left, tile);
    }
    __syncthreads();
    write_tile(tile, left, out + begin);
}

struct run_sort : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_sort_args *args, void *out)
    {
        const size_t tiles = prim_divide_up(args->count, TILE);
        return prim_launch({args->call.stream, static_cast<unsigned>(tiles), THREADS},
                           sort_tiles<Key>, order_of<Key>(args), static_cast<const Key *>(args->in),
                           args->count, static_cast<Key *>(out));
    }
};

} // namespace block_sort
} // namespace

cudaError_t prim_merge_block_sort(const prim_merge_sort_args *args, void *out)
{
    return dispatch<block_sort::run_sort>(args, out);
}
