/* HYB to and from CSR: threads for the entries of the target.
 *
 *     CSR    a b c d|e f|g h i      ELL of width 2   a b    COO   c d i
 *            0       4   6                           e f          0 0 2
 *     begins 0 2 2 3                                 g h
 *
 * ELL's part is filled as ELL is: convert.cu. An entry of COO searches its row among the begins,
 * which are the sums of what is beyond ELL's columns; it is entry width + (place - begin) of that
 * row. Back, an entry of CSR searches its row among the offsets, and is read from ELL as long as
 * its row has entries there, then from COO.
 *
 * Work: entries, times the logarithm of a block's rows. Bytes: both matrices once; offsets, begins
 * and lengths by row. */
#include "sparse/convert/convert_hyb.h"

#include "sparse/convert/entry_arrays.cuh"
#include "sparse/rows/entry_rows.cuh"

namespace
{
namespace convert_hyb
{

/* ---- CSR to COO's part ---- */

__global__ void __launch_bounds__(THREADS)
    fill_coo(offsets_view begins, size_t rows, size_t entries, uint64_t width, int32_t *row_indices,
             entry_arrays to, offsets_view offsets, entry_arrays from)
{
    const row_range range = rows_of_block(begins, rows, entries);
    const uint64_t all = begins.at(rows);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = this_entry(i);
        if (e >= entries)
            continue;
        const size_t row = e < all ? range.row_of(begins, e) : 0;
        row_indices[e] = e < all ? static_cast<int32_t>(row) : -1;
        if (e < all)
            move_entry(to, e, from, offsets.at(row) + width + (e - begins.at(row)));
    }
}

/* ---- both parts to CSR ---- */

__global__ void __launch_bounds__(THREADS)
    measure_rows(const int32_t *columns, size_t rows, size_t width, size_t ld, offsets_view begins,
                 uint64_t *lengths)
{
    const size_t row = this_thread();
    if (row < rows)
        lengths[row] =
            length_of_strip(columns + row, ld, width) + begins.at(row + 1) - begins.at(row);
}

__global__ void __launch_bounds__(THREADS)
    take_entries(entry_arrays ell, size_t ld, entry_arrays coo, offsets_view begins,
                 const uint64_t *lengths, offsets_view offsets, size_t rows, entry_arrays to,
                 size_t entries)
{
    const row_range range = rows_of_block(offsets, rows, entries);
    const uint64_t all = offsets.at(rows);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = this_entry(i);
        if (e >= entries || e >= all)
            continue;
        const size_t row = range.row_of(offsets, e);
        const uint64_t s = e - offsets.at(row), begin = begins.at(row),
                       in_ell = lengths[row] - (begins.at(row + 1) - begin);
        if (s < in_ell)
            move_entry(to, e, ell, s * ld + row);
        else
            move_entry(to, e, coo, begin + (s - in_ell));
    }
}

} // namespace convert_hyb
} // namespace

cudaError_t prim_sparse_fill_coo_part(cudaStream_t stream, const prim_sparse *csr,
                                      const prim_sparse *hyb, const uint64_t *begins)
{
    launches l = {stream};
    l.then(threads_for_entries(hyb->entries), convert_hyb::fill_coo, offsets_view{begins, true},
           hyb->rows, hyb->entries, uint64_t(hyb->ell_width),
           const_cast<int32_t *>(hyb->row_indices), entry_arrays_of(hyb), offsets_of(csr),
           entry_arrays_of(csr));
    return l.error;
}

cudaError_t prim_sparse_measure_hyb(cudaStream_t stream, const prim_sparse *hyb,
                                    const uint64_t *begins, uint64_t *lengths)
{
    launches l = {stream};
    l.then(hyb->rows, convert_hyb::measure_rows, hyb->ell_columns, hyb->rows, hyb->ell_width,
           hyb->ell_ld, offsets_view{begins, true}, lengths);
    return l.error;
}

cudaError_t prim_sparse_take_hyb(cudaStream_t stream, const prim_sparse *hyb,
                                 const uint64_t *begins, const uint64_t *lengths,
                                 const prim_sparse *csr)
{
    launches l = {stream};
    l.then(hyb->rows > 0 ? threads_for_entries(csr->entries) : 0, convert_hyb::take_entries,
           ell_arrays_of(hyb), hyb->ell_ld, entry_arrays_of(hyb), offsets_view{begins, true},
           lengths, offsets_of(csr), csr->rows, entry_arrays_of(csr), csr->entries);
    return l.error;
}
