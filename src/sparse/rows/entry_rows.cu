/* The row of each entry. A block marks, for its entries, where rows begin:
 *
 *     offsets    0   2 3     6            rows 1 and 4 begin there, too, and have no entries
 *     marks      0 · 2 3 · · 5            the row that has its first entry there
 *     rows       0 0 2 3 3 3 5            the last mark so far
 *
 * Where more rows begin than there are places, most of them have no entries, and each entry's row
 * is searched among the offsets that entry_rows.cuh bounds.
 *
 * Work: entries and rows; times a logarithm where they are searched. Bytes: a row for each entry;
 * offsets. */
#include "sparse/rows/entry_rows.h"

#include "sparse/rows/bits.cuh"
#include "sparse/rows/entry_rows.cuh"

namespace
{
namespace entry_rows
{

constexpr unsigned WARPS = THREADS / WARP, WARP_ENTRIES = ENTRIES_EACH * WARP;
constexpr size_t MOST_MARKED = 4 * BLOCK_ENTRIES; /* rows */

/* marks[i] = 1 + the row of the range whose first entry is the block's entry i; 0: there is none.
 * The range's first row has the first entry, whichever of its own that is. With barriers. */
__device__ void mark_rows(const offsets_view &offsets, const row_range &range,
                          unsigned (&marks)[BLOCK_ENTRIES])
{
    const size_t first = static_cast<size_t>(blockIdx.x) * BLOCK_ENTRIES;
    for (unsigned i = threadIdx.x; i < BLOCK_ENTRIES; i += THREADS)
        marks[i] = i == 0;
    __syncthreads();
    for (unsigned r = threadIdx.x; r < range.count; r += THREADS) {
        const uint64_t begin = offsets.at(range.first + r), end = offsets.at(range.first + r + 1);
        if (begin < end && begin >= first) /* one of the rows that begin there has entries */
            marks[begin - first] = r + 1;
    }
    __syncthreads();
}

/* The last mark of the warp's entries up to the lane's, and in *last that of all 32; `before`:
 * there is none. */
__device__ unsigned last_mark(unsigned mark, unsigned before, unsigned *last)
{
    const unsigned lane = threadIdx.x % WARP, up_to_lane = ALL_LANES >> (WARP - 1 - lane),
                   marked = __ballot_sync(ALL_LANES, mark != 0), mine = marked & up_to_lane;
    const unsigned own = __shfl_sync(ALL_LANES, mark, mine != 0 ? highest_bit(mine) : 0),
                   of_all = __shfl_sync(ALL_LANES, mark, marked != 0 ? highest_bit(marked) : 0);
    *last = marked != 0 ? of_all : before;
    return mine != 0 ? own : before;
}

/* A warp's entries lie together; the last mark of those before it comes through shared memory. */
__device__ void write_marked(const row_range &range, const unsigned (&marks)[BLOCK_ENTRIES],
                             size_t entries, int32_t *row_indices)
{
    PRIM_SHARED(unsigned, last_of, [WARPS]);
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP,
                   first = warp * WARP_ENTRIES + lane;
    const size_t block_first = static_cast<size_t>(blockIdx.x) * BLOCK_ENTRIES;
    unsigned row[ENTRIES_EACH], last = 0;
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < ENTRIES_EACH; i++)
        row[i] = last_mark(marks[first + i * WARP], last, &last);
    if (lane == 0)
        last_of[warp] = last;
    __syncthreads();
    unsigned before = 0;
    for (unsigned w = 0; w < warp; w++)
        before = last_of[w] != 0 ? last_of[w] : before;
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = block_first + first + i * WARP;
        if (e < entries)
            row_indices[e] =
                static_cast<int32_t>(range.first + (row[i] != 0 ? row[i] : before) - 1);
    }
}

__global__ void __launch_bounds__(THREADS)
    find_rows(offsets_view offsets, size_t rows, size_t entries, int32_t *row_indices)
{
    PRIM_SHARED(unsigned, marks, [BLOCK_ENTRIES]);
    const row_range range = rows_of_block(offsets, rows, entries);
    if (range.count <= MOST_MARKED) {
        mark_rows(offsets, range, marks);
        write_marked(range, marks, entries, row_indices);
        return;
    }
    for (unsigned i = 0; i < ENTRIES_EACH; i++)
        if (this_entry(i) < entries)
            row_indices[this_entry(i)] = static_cast<int32_t>(range.row_of(offsets, this_entry(i)));
}

} // namespace entry_rows
} // namespace

cudaError_t prim_sparse_find_rows(cudaStream_t stream, const prim_sparse *csr, int32_t *row_indices)
{
    launches l = {stream};
    l.then(threads_for_entries(csr->entries), entry_rows::find_rows, offsets_of(csr), csr->rows,
           csr->entries, row_indices);
    return l.error;
}
