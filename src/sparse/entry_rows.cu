/* The row of each entry, by a search among the offsets that entry_rows.cuh bounds.
 *
 * Work: entries, times the logarithm of a block's rows. Bytes: a row for each entry; offsets. */
#include "sparse/entry_rows.h"

#include "sparse/entry_rows.cuh"

namespace
{
namespace entry_rows
{

__global__ void __launch_bounds__(THREADS)
    find_rows(offsets_view offsets, size_t rows, size_t entries, int32_t *row_indices)
{
    const row_range range = rows_of_block(offsets, rows, entries);
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
