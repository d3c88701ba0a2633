/* prim_sparse_transpose(): a stable sort of the entries by their columns: number_sort.cu.
 *
 * A pass for each 8 bits of the columns moves columns and entry numbers; values are moved once,
 * after the last pass, together with the rows, which a launch has found before. Nothing depends on
 * timing.
 *
 * Work: entries for each pass. Bytes: columns once, to be counted; for each pass 16 for each entry;
 * then a sector of 32 for each value, and one for its row. */
#include "sparse/entry_rows.h"
#include "sparse/launches.cuh"
#include "sparse/lines.cuh"
#include "sparse/number_sort.h"
#include "sparse/offsets.cuh"

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

/* The column of an entry of the result is its row in `from`. */
__global__ void __launch_bounds__(THREADS)
    take_entries(const uint32_t *numbers, size_t entries, const int32_t *rows, lines from, lines to)
{
    const size_t e = this_thread();
    if (e >= entries)
        return;
    const uint32_t number = numbers[e];
    to.columns[e] = rows[number];
    move_value(to, e, from.values, number);
}

/* ---- the sort ---- */

size_t state_bytes(const prim_sparse *m)
{
    return prim_sparse_number_sort_bytes(m->entries, prim_sparse_passes_for(m->columns));
}

/* The sort's state, and two buffers of pairs. */
size_t workspace_bytes(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_convert_args *>(any)->from;
    return m->entries == 0 ? 0 : state_bytes(m) + 4 * m->entries * sizeof(uint32_t);
}

/* Columns are not negative: as unsigned numbers they have the same order. */
prim_sparse_number_sort sort_of(const prim_sparse_convert_args *args)
{
    const prim_sparse *from = &args->from;
    char *const workspace = static_cast<char *>(args->call.workspace);
    prim_sparse_number_sort s = {};
    if (from->entries == 0)
        return s;
    uint32_t *const buffers = reinterpret_cast<uint32_t *>(workspace + state_bytes(from));
    s.keys = reinterpret_cast<const uint32_t *>(from->column_indices);
    s.count = from->entries;
    s.passes = prim_sparse_passes_for(from->columns);
    s.to = {buffers, buffers + s.count};
    s.room = {buffers + 2 * s.count, buffers + 3 * s.count};
    s.state = workspace;
    return s;
}

cudaError_t launch(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    const prim_sparse *from = &args->from;
    const prim_sparse_number_sort sort = sort_of(args);
    launches l = {args->call.stream};
    prim_sparse to;
    size_t bytes;
    prim_sparse_target(args, &to, &bytes);
    if (from->entries > 0)
        l.then_call(prim_sparse_sort_numbers, &sort);
    l.then(to.rows + 1, find_offsets, reinterpret_cast<const int32_t *>(sort.to.keys),
           from->entries, to.rows, new_offsets_of(&to));
    int32_t *const rows = reinterpret_cast<int32_t *>(sort.room.keys); /* which is free again */
    l.then_call(prim_sparse_find_rows, from, rows);
    l.then(from->entries, take_entries, sort.to.numbers, from->entries, rows, lines_of(from),
           lines_of(&to));
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
