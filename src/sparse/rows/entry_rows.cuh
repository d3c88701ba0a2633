/* The rows of entries, a thread for several of them:
 *
 *     entries    a b|c|d e f|g h          a block has 1024 of them; the rows of its first and last
 *     offsets    0   2 3     6            entry are searched first, and bound the other searches
 *
 * The same for the slices of SELL's places. */
#ifndef PRIM_SPARSE_ENTRY_ROWS_CUH
#define PRIM_SPARSE_ENTRY_ROWS_CUH

#include "common/kernel/shared.cuh"
#include "sparse/launches.cuh"
#include "sparse/rows/offsets.cuh"

namespace
{

constexpr unsigned ENTRIES_EACH = 4, BLOCK_ENTRIES = THREADS * ENTRIES_EACH;

/* The thread's entry i. */
__device__ inline size_t this_entry(unsigned i)
{
    return static_cast<size_t>(blockIdx.x) * BLOCK_ENTRIES + i * THREADS + threadIdx.x;
}

/* So that launches::then() starts the blocks for that many entries. */
inline size_t threads_for_entries(size_t entries)
{
    return prim_divide_up(entries, BLOCK_ENTRIES) * THREADS;
}

/* Rows that the entries of a block are in. */
struct row_range {
    size_t first, count;

    __device__ size_t row_of(const offsets_view &offsets, size_t entry) const
    {
        return last_offset_up_to(offsets, first, count, entry);
    }
};

/* Has a barrier. */
__device__ inline row_range rows_of_block(const offsets_view &offsets, size_t rows, size_t entries)
{
    PRIM_SHARED(size_t, ends, [2]);
    const size_t first = static_cast<size_t>(blockIdx.x) * BLOCK_ENTRIES,
                 last = entries - first < BLOCK_ENTRIES ? entries - 1 : first + BLOCK_ENTRIES - 1;
    const unsigned warp = threadIdx.x / WARP;
    if (warp < 2) {
        const size_t row = last_offset_up_to_by_warp(offsets, 0, rows, warp == 0 ? first : last);
        if (threadIdx.x % WARP == 0)
            ends[warp] = row;
    }
    __syncthreads();
    return {ends[0], ends[1] - ends[0] + 1};
}

/* The order in which threads take the places of a padded strip, `rows` high: bands of BAND_ROWS
 * rows, and in each entry after entry of all its rows. So places of neighbouring rows are written
 * side by side, and the entries of a row, which lie side by side in CSR, are read by one block, or
 * by blocks that run together. */
constexpr unsigned BAND_ROWS = THREADS;

struct strip_place {
    size_t row, s;
};

/* Of a band's place, by number; `first` is the band's first row. */
__device__ inline strip_place place_in_band(size_t number, size_t first, size_t rows)
{
    const size_t here = rows - first < BAND_ROWS ? rows - first : BAND_ROWS;
    const size_t s = here == BAND_ROWS ? number / BAND_ROWS
                     : number <= UINT32_MAX
                         ? static_cast<uint32_t>(number) / static_cast<uint32_t>(here)
                         : number / here;
    return {first + (number - s * here), s};
}

} // namespace

#endif
