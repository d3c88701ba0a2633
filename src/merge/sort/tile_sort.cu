/* The first step of STREAMED and WIDE: each block sorts a tile of up to 8704 keys.
 *
 * As in block_sort.cu, threads sort their own keys in registers, and then runs are merged in shared
 * memory and double with each step. What changed: 17 keys for each thread and 512 threads, which
 * saves two passes over global memory; keys are loaded and stored 16 bytes at a time, and are
 * unsigned integers in between, so that two keys are ordered by a minimum and a maximum; and a
 * short last tile is padded with largest keys, so that no step checks for its end.
 *
 * Equal integers stand for equal keys: without values, the order of two equal keys does not show.
 * With values a key's original place moves with it; only neighbours that are out of order are
 * exchanged, and of equal keys those of the earlier run come first: so it is stable, and the
 * padding stays at the end. At the end a thread reads the values of its keys from global memory,
 * and after a barrier writes them, so that they may be sorted in place.
 *
 * Work: for each key 17 / 2 comparisons, and for each of up to 9 merges 1 and a 17th of a search.
 * Bytes: each key in and out once. */
#include "common/block/warp.cuh"
#include "common/host/device.h"
#include "common/kernel/shared.cuh"
#include "merge/sort/long_passes.h"
#include "merge/tile/ring.cuh"
#include "merge/tile/values.cuh"
#include "merge/tuning.h"

namespace
{
namespace tile_sort
{

constexpr unsigned FEWEST_THREADS = 64;

/* With values half as many, so that each has registers for them. */
__host__ __device__ constexpr unsigned most_threads(bool has_values)
{
    return PRIM_MERGE_SORT_THREADS / (has_values ? 2 : 1);
}

constexpr size_t MOST_SHARED_BYTES = 100 * 1024; /* so that two blocks fit */

/* Odd, which avoids bank conflicts. */
__host__ __device__ constexpr unsigned items_of(size_t key_bytes)
{
    return key_bytes == 8 ? 9 : PRIM_MERGE_SORT_ITEMS;
}

/* With values, `sources` says where in the tile each key stood. */
template <bool PAIRS, typename Bits>
__device__ void order_two(Bits &x, Bits &y, unsigned &x_source, unsigned &y_source)
{
    const bool change = y < x;
    const Bits low = change ? y : x;
    y = change ? x : y;
    x = low;
    if (PAIRS) {
        const unsigned source = change ? y_source : x_source;
        y_source = change ? x_source : y_source;
        x_source = source;
    }
}

template <bool PAIRS, typename Bits, unsigned ITEMS>
__device__ void sort_own(Bits (&keys)[ITEMS], unsigned (&sources)[ITEMS])
{
    PRIM_UNROLL(32)
    for (unsigned round = 0; round < ITEMS; round++) {
        PRIM_UNROLL(32)
        for (unsigned i = round % 2; i + 1 < ITEMS; i += 2)
            order_two<PAIRS>(keys[i], keys[i + 1], sources[i], sources[i + 1]);
    }
}

/* Merges the thread's keys of two neighbouring runs of `run` keys each, from the k-th on. */
template <bool PAIRS, typename Bits, unsigned ITEMS>
__device__ void merge_own(const Bits *a, const uint16_t *a_sources, unsigned run, unsigned k,
                          Bits (&keys)[ITEMS], unsigned (&sources)[ITEMS])
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
    unsigned i = low, j = run + (k - low); /* both relative to a */
    Bits from_a = a[i], from_b = a[j];     /* one past a run's end may be read, but is not used */
    PRIM_UNROLL(32)
    for (unsigned o = 0; o < ITEMS; o++) {
        const bool take_b = i >= run || (j < 2 * run && from_b < from_a);
        keys[o] = take_b ? from_b : from_a;
        if (PAIRS)
            sources[o] = a_sources[take_b ? j : i];
        if (take_b)
            from_b = a[++j];
        else
            from_a = a[++i];
    }
}

/* Where the tiles' values are and go; `in` is NULL where they are the keys' places. */
struct tile_values {
    const void *in;
    void *out;
    unsigned bytes;
};

/* With a barrier. */
template <unsigned ITEMS>
__device__ void move_values(const tile_values &values, const uint16_t *sources, size_t begin,
                            unsigned here)
{
    with_value_type(values.bytes, [&](auto zero) {
        using value = decltype(zero);
        const value *const in = static_cast<const value *>(values.in);
        value *const out = static_cast<value *>(values.out);
        value own[ITEMS];
        PRIM_UNROLL(32)
        for (unsigned i = 0; i < ITEMS; i++) {
            const unsigned x = i * blockDim.x + threadIdx.x;
            if (x < here && in == nullptr)
                own[i] = place_as_value<value>(begin + sources[x]);
            else if (x < here)
                own[i] = in[begin + sources[x]];
        }
        __syncthreads();
        PRIM_UNROLL(32)
        for (unsigned i = 0; i < ITEMS; i++) {
            const unsigned x = i * blockDim.x + threadIdx.x;
            if (x < here)
                out[begin + x] = own[i];
        }
    });
}

template <typename Key, bool PAIRS>
__global__ void __launch_bounds__(most_threads(PAIRS), PAIRS ? 1 : 2)
    sort_tiles(key_order<Key> order, const Key *in, size_t count, Key *out, tile_values values)
{
    using bits = typename Key::bits_type;
    constexpr unsigned ITEMS = items_of(sizeof(Key)), N = CHUNK_KEYS<Key>;
    PRIM_SHARED_DYNAMIC(bits, slots);
    const unsigned tile_keys = blockDim.x * ITEMS;
    uint16_t *const all_sources = reinterpret_cast<uint16_t *>(slots + tile_keys + 2 * N);
    const size_t begin = static_cast<size_t>(blockIdx.x) * tile_keys;
    const unsigned here = static_cast<unsigned>(smaller<size_t>(count - begin, tile_keys));
    trigger_launch_completion();
    grid_dependency_synchronize();

    const key_stream<Key> stream = {in + begin, here, 0};
    load_chunks<sizeof(Key) < 4 ? 2 : 6>(
        order, stream, stream.missing(tile_keys),
        [&](size_t chunk) { return reinterpret_cast<key_chunk<bits> *>(slots + chunk * N); });
    __syncthreads();
    bits keys[ITEMS];
    unsigned sources[ITEMS];
    const unsigned own = threadIdx.x * ITEMS;
    PRIM_UNROLL(32)
    for (unsigned i = 0; i < ITEMS; i++) {
        keys[i] = slots[stream.shift + own + i];
        sources[i] = own + i;
    }
    sort_own<PAIRS>(keys, sources);

    const unsigned behind = keys_behind_boundary(out + begin);
    bits *const tile = slots + behind;
    __syncthreads();
    for (unsigned run_threads = 1;; run_threads *= 2) {
        PRIM_UNROLL(32)
        for (unsigned i = 0; i < ITEMS; i++) {
            tile[own + i] = keys[i];
            if (PAIRS)
                all_sources[own + i] = static_cast<uint16_t>(sources[i]);
        }
        __syncthreads();
        if (run_threads * ITEMS >= here)
            break;
        const unsigned first = first_of_pair(threadIdx.x, run_threads);
        merge_own<PAIRS>(tile + first * ITEMS, all_sources + first * ITEMS, run_threads * ITEMS,
                         (threadIdx.x - first) * ITEMS, keys, sources);
        __syncthreads();
    }
    write_chunks<ITEMS>(order, slots, behind, here, out + begin, threadIdx.x, blockDim.x);
    if (PAIRS)
        move_values<ITEMS>(values, all_sources, begin, here);
}

/* A chunk more for partial chunks at both ends, and for a key that is read and not used. */
size_t shared_bytes(size_t key_bytes, bool has_values, unsigned threads)
{
    const size_t keys = items_of(key_bytes) * threads;
    return keys * key_bytes + 2 * CHUNK_BYTES + (has_values ? keys * sizeof(uint16_t) : 0);
}

/* The fewest threads for a tile with which each multiprocessor has a tile; and no more than fit. */
unsigned threads_of_tile(const prim_merge_sort_args *args)
{
    const size_t key_bytes = prim_element_bytes(args->key_type);
    const size_t at_least = args->count / prim_device_multiprocessors() + 1;
    const size_t room = smaller<size_t>(prim_device_shared_bytes(), MOST_SHARED_BYTES);
    unsigned threads = FEWEST_THREADS;
    while (threads < most_threads(args->has_values) && threads * items_of(key_bytes) < at_least &&
           shared_bytes(key_bytes, args->has_values, 2 * threads) <= room)
        threads *= 2;
    return threads;
}

template <typename Key, bool PAIRS>
cudaError_t launch_tiles(const prim_merge_sort_args *args, prim_sort_buffer out)
{
    const unsigned threads = threads_of_tile(args);
    const size_t tiles = prim_divide_up(args->count, threads * items_of(sizeof(Key)));
    cudaError_t error = prim_device_take_error();
    if (error == cudaSuccess)
        error = prim_allow_shared(sort_tiles<Key, PAIRS>,
                                  smaller<size_t>(prim_device_shared_bytes(), MOST_SHARED_BYTES));
    if (error != cudaSuccess)
        return error;
    const tile_values values = {args->permutation ? nullptr : args->values, out.values,
                                static_cast<unsigned>(args->value_bytes)};
    return prim_launch_dependent({args->call.stream, static_cast<unsigned>(tiles), threads,
                                  shared_bytes(sizeof(Key), PAIRS, threads)},
                                 sort_tiles<Key, PAIRS>, order_of<Key>(args),
                                 static_cast<const Key *>(args->in), args->count,
                                 static_cast<Key *>(out.keys), values);
}

struct run_sort : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_sort_args *args, prim_sort_buffer out)
    {
        return args->has_values ? launch_tiles<Key, true>(args, out)
                                : launch_tiles<Key, false>(args, out);
    }
};

} // namespace tile_sort
} // namespace

size_t prim_merge_tile_sort_keys(const prim_merge_sort_args *args)
{
    return static_cast<size_t>(tile_sort::threads_of_tile(args)) *
           tile_sort::items_of(prim_element_bytes(args->key_type));
}

size_t prim_merge_tile_sort_fewest_keys(const prim_merge_sort_args *args)
{
    return tile_sort::FEWEST_THREADS * tile_sort::items_of(prim_element_bytes(args->key_type));
}

cudaError_t prim_merge_tile_sort(const prim_merge_sort_args *args, prim_sort_buffer out)
{
    return dispatch<tile_sort::run_sort>(args, out);
}
