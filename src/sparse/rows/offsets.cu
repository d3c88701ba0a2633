/* Offsets from lengths, in three launches.
 *
 *     lengths     2 0 3 2 | 1 4 0 0 | 5          blocks of, here, 4
 *     sums          7     |    5    | 5          a block each: the sum of its lengths
 *     before        0     |    7    | 12         one block: the exclusive scan of these
 *     offsets     0 2 2 5 | 7 8 12 12 | 12 17    a block each: the scan of its lengths from there
 *
 * These are integers, so any order gives the same. Work: lengths. Steps: a block's, and blocks /
 * 256 for the one. Bytes: lengths twice, offsets once. */
#include "sparse/rows/offsets.h"

#include <primitives/device/block.h>

#include "sparse/launches.cuh"
#include "sparse/rows/offsets.cuh"

namespace
{
namespace sums
{

constexpr unsigned ITEMS = 8, BLOCK_ITEMS = THREADS * ITEMS;
typedef prim_block_scratch<uint64_t, THREADS> block_scratch;

__global__ void __launch_bounds__(THREADS)
    sum_blocks(const uint64_t *lengths, size_t count, uint64_t *of_blocks)
{
    PRIM_SHARED(block_scratch, scratch, );
    const size_t first = static_cast<size_t>(blockIdx.x) * BLOCK_ITEMS + threadIdx.x;
    uint64_t mine = 0;
    PRIM_UNROLL(8)
    for (unsigned i = 0; i < ITEMS; i++)
        mine += first + i * THREADS < count ? lengths[first + i * THREADS] : 0;
    const uint64_t all = prim_block_sum(mine, scratch);
    if (threadIdx.x == 0)
        of_blocks[blockIdx.x] = all;
}

__global__ void __launch_bounds__(THREADS)
    sum_before_blocks(uint64_t *of_blocks, size_t blocks, uint64_t most, uint64_t *total,
                      uint64_t *missing)
{
    PRIM_SHARED(block_scratch, scratch, );
    uint64_t before = 0, all;
    for (size_t first = 0; first < blocks; first += THREADS) {
        const size_t b = first + threadIdx.x;
        const uint64_t mine = b < blocks ? of_blocks[b] : 0,
                       in_front = prim_block_exclusive_scan(mine, prim_sum(), 0, scratch, &all);
        if (b < blocks)
            of_blocks[b] = before + in_front;
        before += all;
    }
    if (threadIdx.x == 0 && total != nullptr)
        *total = before;
    if (threadIdx.x == 0 && missing != nullptr)
        *missing = before > most ? before - most : 0;
}

/* Also writes the offset after the last length, which is the total. */
__global__ void __launch_bounds__(THREADS)
    write_offsets(const uint64_t *lengths, size_t count, const uint64_t *before_blocks,
                  new_offsets offsets, uint64_t most)
{
    PRIM_SHARED(block_scratch, scratch, );
    const size_t first = static_cast<size_t>(blockIdx.x) * BLOCK_ITEMS + threadIdx.x;
    uint64_t before = before_blocks[blockIdx.x], all;
    for (unsigned r = 0; r < ITEMS; r++) {
        const size_t i = first + r * THREADS;
        const uint64_t length = i < count ? lengths[i] : 0,
                       offset =
                           before + prim_block_exclusive_scan(length, prim_sum(), 0, scratch, &all);
        if (i <= count)
            offsets.put(i, offset < most ? offset : most);
        before += all;
    }
}

/* Enough for the offset after the last length. */
inline size_t blocks_of(size_t count)
{
    return count / BLOCK_ITEMS + 1;
}

} // namespace sums
} // namespace

size_t prim_sparse_sums_bytes(size_t count)
{
    return (count + sums::blocks_of(count)) * sizeof(uint64_t);
}

cudaError_t prim_sparse_sum(cudaStream_t stream, const prim_sparse_sums *s)
{
    using namespace sums;
    const unsigned blocks = static_cast<unsigned>(blocks_of(s->count));
    uint64_t *const of_blocks = s->lengths + s->count;
    cudaError_t error =
        prim_launch({stream, blocks, THREADS}, sum_blocks, s->lengths, s->count, of_blocks);
    if (error == cudaSuccess)
        error = prim_launch({stream, 1, THREADS}, sum_before_blocks, of_blocks, size_t(blocks),
                            s->most, s->total, s->missing);
    if (error == cudaSuccess && s->offsets != nullptr)
        error = prim_launch({stream, blocks, THREADS}, write_offsets, s->lengths, s->count,
                            of_blocks, new_offsets{s->offsets, s->wide}, s->most);
    return error;
}
