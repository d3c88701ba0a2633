/* prim_sparse_transpose(): a stable radix sort of the entries by their columns: common/radix.cuh.
 *
 * A pass for each 8 bits of the columns moves columns and entry numbers; values are moved once,
 * after the last pass, together with the rows, which a launch has found before. Nothing depends on
 * timing.
 *
 * Work: entries for each pass. Bytes: columns once, to be counted; for each pass 16 for each entry;
 * then a sector of 32 for each value, and one for its row. */
#include "common/radix.cuh"
#include "sparse/entry_rows.h"
#include "sparse/launches.cuh"
#include "sparse/lines.cuh"
#include "sparse/offsets.cuh"

namespace
{
namespace transpose
{

/* The values of the sort are the entries' numbers. */
struct numbers {
    static constexpr bool ANY = true;

    template <typename Bits>
    __device__ static void copy(const radix::pass_operands<Bits> &p, radix::lane_keys own)
    {
        radix::copy_values<uint32_t>(p, own);
    }
    template <typename Bits, unsigned ITEMS>
    __device__ static void move(const radix::pass_operands<Bits> &p, radix::lane_keys own,
                                unsigned tile_keys, const unsigned (&places)[ITEMS],
                                const unsigned (&digits)[ITEMS], uint64_t out_begin,
                                uint64_t *out_begins)
    {
        radix::move_values<uint32_t>(p, own, tile_keys, places, digits, out_begin, out_begins);
    }
};

using sorter = radix::sorter<radix::plain_order<uint32_t>, numbers>;

/* What a pass has made. */
struct pairs {
    uint32_t *columns, *numbers;
};

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

/* ---- the passes ---- */

unsigned passes_for(size_t columns)
{
    unsigned passes = 1;
    while (passes < sizeof(uint32_t) && columns > size_t(1) << passes * radix::DIGIT_BITS)
        passes++;
    return passes;
}

size_t state_bytes(const prim_sparse *m)
{
    return radix::state_bytes(m->entries, sizeof(uint32_t), sizeof(uint32_t),
                              passes_for(m->columns));
}

/* What passes share, and two buffers of pairs. */
size_t workspace_bytes(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_convert_args *>(any)->from;
    return m->entries == 0 ? 0 : state_bytes(m) + 4 * m->entries * sizeof(uint32_t);
}

/* Passes alternate between the two buffers. */
pairs buffer_of_pass(const prim_sparse_convert_args *args, unsigned pass)
{
    const size_t entries = args->from.entries;
    char *const buffers = static_cast<char *>(args->call.workspace) + state_bytes(&args->from);
    uint32_t *const buffer = reinterpret_cast<uint32_t *>(buffers) + pass % 2 * 2 * entries;
    return {buffer, buffer + entries};
}

/* Columns are not negative: as unsigned numbers they have the same order. */
cudaError_t sort_columns(const prim_sparse_convert_args *args, unsigned passes)
{
    const prim_sparse *from = &args->from;
    const uint32_t *columns = reinterpret_cast<const uint32_t *>(from->column_indices);
    const uint32_t *numbers_of_pass = nullptr; /* entry i has number i */
    const sorter s = {args->call.stream, {},     from->entries,
                      sizeof(uint32_t),  passes, args->call.workspace};
    cudaError_t error = s.begin(columns);
    for (unsigned pass = 0; pass < passes && error == cudaSuccess; pass++) {
        const pairs to = buffer_of_pass(args, pass);
        error = s.place(pass, columns, numbers_of_pass, to.columns, to.numbers);
        columns = to.columns;
        numbers_of_pass = to.numbers;
    }
    return error;
}

cudaError_t launch(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    const prim_sparse *from = &args->from;
    const unsigned passes = passes_for(from->columns);
    const bool any_entry = from->entries > 0;
    launches l = {args->call.stream};
    prim_sparse to;
    size_t bytes;
    prim_sparse_target(args, &to, &bytes);
    if (any_entry)
        l.error = sort_columns(args, passes);
    const pairs sorted = any_entry ? buffer_of_pass(args, passes - 1) : pairs{nullptr, nullptr};
    l.then(to.rows + 1, find_offsets, reinterpret_cast<const int32_t *>(sorted.columns),
           from->entries, to.rows, new_offsets_of(&to));
    int32_t *const rows = /* in the other buffer */
        any_entry ? reinterpret_cast<int32_t *>(buffer_of_pass(args, passes).columns) : nullptr;
    if (l.error == cudaSuccess)
        l.error = prim_sparse_find_rows(l.stream, from, rows);
    l.then(from->entries, take_entries, sorted.numbers, from->entries, rows, lines_of(from),
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
