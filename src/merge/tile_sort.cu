/* The first step of STREAMED and WIDE: each block sorts a tile of up to 8704 keys.
 *
 * As in block_sort.cu, threads sort their own keys in registers, and then runs are merged in shared
 * memory and double with each step. What changed: 17 keys a thread and 512 threads, so that two
 * passes over global memory less are left to do; keys come and go 16 bytes at a time, and are
 * unsigned integers in between, so that two keys change places by a minimum and a maximum; and
 * where the last tile is short, largest keys fill it up, so that no step counts.
 *
 * Equal integers stand for equal keys: which of two comes first, nobody can tell.
 *
 * Work: for each key 17 / 2 comparisons, and for each of up to 9 merges 1 and a 17th of a search.
 * Bytes: each key in and out once. */
#include "merge/tile_sort.cuh"

#include "common/device.h"
#include "common/shared.cuh"
#include "common/warp.cuh"
#include "merge/ring.cuh"

namespace
{
namespace tile_sort
{

/* To be given with -D where sizes are being measured. */
#ifndef PRIM_MERGE_SORT_THREADS
#define PRIM_MERGE_SORT_THREADS 512
#endif
#ifndef PRIM_MERGE_SORT_ITEMS
#define PRIM_MERGE_SORT_ITEMS 17
#endif

constexpr unsigned FEWEST_THREADS = 64, MOST_THREADS = PRIM_MERGE_SORT_THREADS;

/* Odd: no two lanes meet in a bank. */
__host__ __device__ constexpr unsigned items_of(size_t key_bytes)
{
    return key_bytes == 8 ? 9 : PRIM_MERGE_SORT_ITEMS;
}

template <typename Bits>
__device__ void order_two(Bits &x, Bits &y)
{
    const Bits low = y < x ? y : x;
    y = y < x ? x : y;
    x = low;
}

template <typename Bits, unsigned ITEMS>
__device__ void sort_own(Bits (&keys)[ITEMS])
{
    PRIM_UNROLL(32)
    for (unsigned round = 0; round < ITEMS; round++) {
        PRIM_UNROLL(32)
        for (unsigned i = round % 2; i + 1 < ITEMS; i += 2)
            order_two(keys[i], keys[i + 1]);
    }
}

/* The thread's keys of two neighbouring runs of `run` keys each: from the k-th of both on. */
template <typename Bits, unsigned ITEMS>
__device__ void merge_own(const Bits *a, unsigned run, unsigned k, Bits (&keys)[ITEMS])
{
    const Bits *const b = a + run;
    unsigned low = k > run ? k - run : 0, high = smaller(k, run);
    while (low < high) {
        const unsigned i = (low + high) / 2;
        if (b[k - 1 - i] < a[i])
            high = i;
        else
            low = i + 1;
    }
    unsigned i = low, j = k - low;
    Bits from_a = a[i], from_b = b[j]; /* one behind its run: there, and not taken */
    PRIM_UNROLL(32)
    for (unsigned o = 0; o < ITEMS; o++) {
        const bool take_b = i >= run || (j < run && from_b < from_a);
        keys[o] = take_b ? from_b : from_a;
        const Bits following = take_b ? b[j + 1] : a[i + 1];
        if (take_b) {
            j++;
            from_b = following;
        } else {
            i++;
            from_a = following;
        }
    }
}

template <typename Key>
__global__ void __launch_bounds__(MOST_THREADS)
    sort_tiles(key_order<Key> order, const Key *in, size_t count, Key *out)
{
    using bits = typename Key::bits_type;
    constexpr unsigned ITEMS = items_of(sizeof(Key)), N = CHUNK_KEYS<Key>;
    PRIM_SHARED_DYNAMIC(bits, slots);
    const unsigned tile_keys = blockDim.x * ITEMS;
    const size_t begin = static_cast<size_t>(blockIdx.x) * tile_keys;
    const unsigned here = static_cast<unsigned>(smaller<size_t>(count - begin, tile_keys));
    trigger_launch_completion();
    grid_dependency_synchronize();

    const key_stream<Key> stream = {in + begin, here, 0};
    const unsigned chunks = stream.missing(tile_keys);
    for (unsigned c = threadIdx.x; c < chunks; c += blockDim.x)
        *reinterpret_cast<key_chunk<bits> *>(slots + c * N) = stream.load(order, c);
    __syncthreads();
    bits keys[ITEMS];
    bits *own = slots + stream.shift + threadIdx.x * ITEMS;
    PRIM_UNROLL(32)
    for (unsigned i = 0; i < ITEMS; i++)
        keys[i] = own[i];
    sort_own(keys);

    const unsigned behind = keys_behind_boundary(out + begin);
    own = slots + behind + threadIdx.x * ITEMS;
    __syncthreads();
    for (unsigned run_threads = 1;; run_threads *= 2) {
        PRIM_UNROLL(32)
        for (unsigned i = 0; i < ITEMS; i++)
            own[i] = keys[i];
        __syncthreads();
        if (run_threads * ITEMS >= here)
            break;
        const unsigned first = first_of_pair(threadIdx.x, run_threads);
        merge_own(slots + behind + first * ITEMS, run_threads * ITEMS,
                  (threadIdx.x - first) * ITEMS, keys);
        __syncthreads();
    }
    write_chunks(order, slots, behind, here, out + begin, threadIdx.x, blockDim.x);
}

/* A key more on both sides for what is behind a boundary, and one that is looked at and not taken.
 */
size_t shared_bytes(size_t key_bytes, unsigned threads)
{
    return (items_of(key_bytes) * threads + 2 * (CHUNK_BYTES / key_bytes)) * key_bytes;
}

/* As few threads a tile as give each multiprocessor one, where there are so few keys. */
unsigned threads_of_tile(const prim_merge_sort_args *args)
{
    const unsigned items = items_of(prim_element_bytes(args->key_type));
    unsigned threads = FEWEST_THREADS;
    while (threads < MOST_THREADS &&
           static_cast<size_t>(threads) * items * prim_device_multiprocessors() < args->count)
        threads *= 2;
    return threads;
}

struct run_sort : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_sort_args *args, void *out)
    {
        const unsigned threads = threads_of_tile(args);
        const size_t tiles = prim_divide_up(args->count, threads * items_of(sizeof(Key)));
        cudaError_t error = prim_device_take_error();
        if (error == cudaSuccess)
            error = prim_allow_shared(sort_tiles<Key>, shared_bytes(sizeof(Key), MOST_THREADS));
        if (error != cudaSuccess)
            return error;
        return prim_launch_dependent({args->call.stream, static_cast<unsigned>(tiles), threads,
                                      shared_bytes(sizeof(Key), threads)},
                                     sort_tiles<Key>, order_of<Key>(args),
                                     static_cast<const Key *>(args->in), args->count,
                                     static_cast<Key *>(out));
    }
};

} // namespace tile_sort
} // namespace

size_t prim_merge_tile_sort_keys(const prim_merge_sort_args *args)
{
    return static_cast<size_t>(tile_sort::threads_of_tile(args)) *
           tile_sort::items_of(prim_element_bytes(args->key_type));
}

cudaError_t prim_merge_tile_sort(const prim_merge_sort_args *args, void *out)
{
    return dispatch<tile_sort::run_sort>(args, out);
}
