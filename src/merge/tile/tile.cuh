/* A block's tile of keys in shared memory, and each thread's own keys of it in registers.
 *
 *     global ↔ tile    key i × THREADS + t by thread t: neighbours next to each other
 *     tile ↔ keys      key t × ITEMS + i by thread t: one contiguous part */
#ifndef PRIM_MERGE_TILE_CUH
#define PRIM_MERGE_TILE_CUH

#include "merge/dispatch.cuh"
#include "merge/path/runs.cuh"

namespace
{

/* How many keys a thread merges, one after the other. The number is odd, so that neighbouring
 * threads, which write to shared memory that many keys apart, have no bank conflicts. */
constexpr unsigned ITEMS = 7;
constexpr unsigned THREADS = 256; /* a power of two: pairs of runs are found with masks */
constexpr unsigned TILE = THREADS * ITEMS;

/* How many keys the tile has that begins at `begin`. */
__device__ inline unsigned keys_in_tile(size_t begin, size_t count)
{
    return static_cast<unsigned>(smaller<size_t>(count - begin, TILE));
}

/* Where the thread's own keys begin; past the last one for threads that have none. */
__device__ inline unsigned own_begin(unsigned count)
{
    return smaller(threadIdx.x * ITEMS, count);
}

/* The keys of a tile: from_a keys of a from i on, and the others of b from j on. */
struct tile_source {
    size_t i, j;
    unsigned from_a;
};

/* In unsorted runs the co-rank of a tile's end may lie before that of its start, or too far after
 * it. Clamped, both parts are in the runs: a rank that was too low left more of b than is taken
 * now, and one that was too high more of a. */
__device__ inline tile_source source_between(size_t begin_rank, size_t end_rank, size_t first,
                                             unsigned count)
{
    const size_t from_a = end_rank < begin_rank ? 0 : end_rank - begin_rank;
    return {begin_rank, first - begin_rank, static_cast<unsigned>(smaller<size_t>(from_a, count))};
}

template <typename Key>
__device__ void write_tile(const Key *tile, unsigned count, Key *out)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned x = i * THREADS + threadIdx.x;
        if (x < count)
            out[x] = tile[x];
    }
}

template <typename Key>
__device__ void store_own(const Key *keys, unsigned count, Key *tile)
{
    const unsigned first = own_begin(count);
    for (unsigned i = 0; i < ITEMS; i++)
        if (first + i < count)
            tile[first + i] = keys[i];
}

} // namespace

#endif
