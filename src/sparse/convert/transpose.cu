/* prim_sparse_transpose(): the entries sorted by their columns (entry_sort.cu); a launch before
 * finds their rows, and one after it the offsets.
 *
 * Work: entries for each 8 bits of the columns. Bytes: of an entry, 8 for its row, and what
 * entry_sort.cu says; a sector of 32 for each value of 8 bytes. */
#include "sparse/launches.cuh"
#include "sparse/rows/entry_rows.h"
#include "sparse/rows/offsets.cuh"
#include "sparse/sort/entry_sort.h"

namespace
{
namespace transpose
{

__global__ void __launch_bounds__(THREADS)
    find_offsets(const int32_t *columns, size_t entries, size_t rows, new_offsets to)
{
    const size_t row = this_thread();
    if (row <= rows)
        to.put(row, first_entry_of(columns, entries, row));
}

size_t workspace_bytes(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_convert_args *>(any)->from;
    return m->entries == 0 ? 0 : prim_sparse_entry_sort_bytes(m->entries);
}

/* Passes begin with buffer 0; the rows, which the first one reads, are in the other. */
cudaError_t sort_columns(const prim_sparse_convert_args *args, const prim_sparse *to,
                         const int32_t **columns)
{
    const prim_sparse *from = &args->from;
    void *const workspace = args->call.workspace;
    const prim_sparse_sort_buffer rows = prim_sparse_buffer(workspace, from->entries, 1);
    prim_sparse_entry_sort s = {};
    s.stream = args->call.stream;
    s.entries = from->entries;
    s.bound = from->columns;
    s.keys = from->column_indices;
    s.from = prim_sparse_carry(rows.carried.indices, from);
    s.workspace = workspace;
    const prim_sparse_sort_buffer last =
        prim_sparse_buffer(workspace, from->entries, prim_sparse_last_pass(&s));
    const prim_sparse_carried target = prim_sparse_carry_to(to->column_indices, to, &last);
    s.to = &target;
    *columns = last.keys;
    cudaError_t error = prim_sparse_find_rows(s.stream, from, rows.carried.indices);
    if (error == cudaSuccess)
        error = prim_sparse_sort_entries(&s);
    return error == cudaSuccess ? prim_sparse_take_numbered(s.stream, from, &target, to) : error;
}

/* The column of an entry of the result is its row in `from`. */
cudaError_t launch(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    const int32_t *columns = nullptr;
    launches l = {args->call.stream};
    prim_sparse to;
    size_t bytes;
    prim_sparse_target(args, &to, &bytes);
    if (args->from.entries > 0)
        l.error = sort_columns(args, &to, &columns);
    l.then(to.rows + 1, find_offsets, columns, args->from.entries, to.rows, new_offsets_of(&to));
    return l.error;
}

/* With fewer than 2^32 entries, tiles fit a grid, too. */
const char *why_not(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_convert_args *>(any)->from;
    if (m->format != PRIM_SPARSE_CSR)
        return "it takes CSR only";
    return m->entries <= UINT32_MAX ? nullptr : "it takes fewer than 2^32 entries";
}

} // namespace transpose
} // namespace

PRIM_DEFINE_RUNG(sparse_transpose, digits) = {{1, "digits", "a stable sort by columns"},
                                              transpose::why_not,
                                              transpose::workspace_bytes,
                                              transpose::launch};
