/* CIRCULAR: a block makes many tiles, and loads only as many keys as the last one has used.
 *
 * Each block makes one contiguous part of the output, 1792 keys at a time. Two circular buffers in
 * shared memory hold as many keys of a and of b, since a tile could take them all from either.
 * After a tile, the keys that it took from a and from b are replaced by the next ones, and keys
 * that have not been used stay where they are:
 *
 *     buffer of a    ▒▒▒▒░░░░░▒▒▒▒▒▒▒▒      ▒ still there
 *                        └─ begin           ░ used up, and overwritten with what follows
 *     buffer of b    ▒░░░░░░░░▒▒▒▒▒▒▒▒
 *
 * What changed from TILED: TILED searches in global memory, for each tile, how many keys come from
 * a and b. Here the keys are in the buffers already, and only one search in global memory is left
 * for each part.
 *
 * What still holds it back: a block waits for its loads before it merges, and for its merge before
 * it loads; each key is a load of its own; threads write 7 keys apart.
 *
 * Work: 1 comparison a key, and for each 7 keys a search in the buffers. Steps: for each tile of a
 * part, log2(1792) + 9. Bytes: each key in and out once, and 1792 keys for each part.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * section 12.7. */
#include "common/host/device.h"
#include "common/kernel/shared.cuh"
#include "merge/passes.cuh"

namespace
{
namespace circular
{

constexpr size_t BLOCKS_AT_ONCE = 8; /* of a multiprocessor */

/* A buffer: key x of the run stands at x modulo TILE. */
template <typename Key>
struct buffer {
    const Key *run;
    size_t count, next, loaded; /* the next key that is not used, and that is not loaded */
    Key *keys;
    unsigned begin; /* next, modulo TILE */

    __device__ Key at(unsigned i) const
    {
        return keys[begin + i < TILE ? begin + i : begin + i - TILE];
    }

    /* How many of the next k keys there are. */
    __device__ unsigned left(unsigned k) const
    {
        return static_cast<unsigned>(smaller<size_t>(count - next, k));
    }

    /* By the whole block, until the buffer is full or the run has ended. */
    __device__ void load()
    {
        const size_t until = smaller(count, next + TILE);
        for (size_t x = loaded + threadIdx.x; x < until; x += THREADS)
            keys[x % TILE] = run[x];
        loaded = until;
    }

    __device__ void use(unsigned used)
    {
        next += used;
        begin = begin + used < TILE ? begin + used : begin + used - TILE;
    }
};

template <typename Key>
__device__ unsigned co_rank_in(key_order<Key> order, const buffer<Key> &a, const buffer<Key> &b,
                               unsigned k)
{
    unsigned low = k - b.left(k), high = a.left(k);
    while (low < high) {
        const unsigned i = (low + high) / 2;
        if (order.before(b.at(k - 1 - i), a.at(i)))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

/* Merges keys k up to `end` of the tile. */
template <typename Key>
__device__ void merge_own(key_order<Key> order, const buffer<Key> &a, const buffer<Key> &b,
                          unsigned k, unsigned end, Key *out)
{
    const unsigned a_left = a.left(TILE), b_left = b.left(TILE);
    unsigned i = co_rank_in(order, a, b, k), j = k - i;
    for (; k < end; k++) {
        const bool from_a = j == b_left || (i < a_left && !order.before(b.at(j), a.at(i)));
        out[k] = from_a ? a.at(i++) : b.at(j++);
    }
}

template <typename Key>
__global__ void __launch_bounds__(THREADS)
    merge_parts(key_order<Key> order, runs<Key, size_t> r, size_t part_keys, Key *out)
{
    PRIM_SHARED(Key, keys_of_a, [TILE]);
    PRIM_SHARED(Key, keys_of_b, [TILE]);
    PRIM_SHARED(size_t, rank, );
    PRIM_SHARED(unsigned, from_a, );
    const size_t first = blockIdx.x * part_keys, count = r.a_count + r.b_count;
    if (threadIdx.x == 0)
        rank = co_rank(order, r, first);
    __syncthreads();
    const size_t i = rank, j = first - i;
    buffer<Key> a = {r.a, r.a_count, i, i, keys_of_a, static_cast<unsigned>(i % TILE)};
    buffer<Key> b = {r.b, r.b_count, j, j, keys_of_b, static_cast<unsigned>(j % TILE)};
    const size_t end = smaller(count, first + part_keys);
    for (size_t begin = first; begin < end; begin += TILE) {
        const unsigned keys = static_cast<unsigned>(smaller<size_t>(end - begin, TILE));
        a.load();
        b.load();
        __syncthreads();
        if (threadIdx.x == 0)
            from_a = co_rank_in(order, a, b, keys);
        const unsigned own = own_begin(keys);
        merge_own(order, a, b, own, smaller(own + ITEMS, keys), out + begin);
        __syncthreads();
        const unsigned used = from_a;
        a.use(used);
        b.use(keys - used);
    }
}

struct run_merge : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_args *args)
    {
        const runs<Key, size_t> r = {static_cast<const Key *>(args->a), args->a_count,
                                     static_cast<const Key *>(args->b), args->b_count};
        const size_t tiles = prim_divide_up(r.a_count + r.b_count, TILE);
        if (tiles == 0)
            return cudaSuccess;
        const size_t at_once = prim_device_multiprocessors() * BLOCKS_AT_ONCE;
        const cudaError_t error = prim_device_take_error();
        if (error != cudaSuccess)
            return error;
        const size_t part_tiles = prim_divide_up(tiles, at_once);
        const size_t parts = prim_divide_up(tiles, part_tiles);
        return prim_launch({args->call.stream, static_cast<unsigned>(parts), THREADS},
                           merge_parts<Key>, order_of<Key>(args), r, part_tiles * TILE,
                           static_cast<Key *>(args->out));
    }
};

} // namespace circular
} // namespace

PRIM_DEFINE_RUNG(merge, circular) = {
    {PRIM_MERGE_CIRCULAR, "circular",
     "a block makes tile after tile from circular buffers, and loads what the last one used up"},
    merge_why_not,
    nullptr,
    launch_merge<circular::run_merge>};
