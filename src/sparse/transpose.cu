/* prim_sparse_transpose(): the entries sorted by their columns, as words that take their rows and
 * values along (words.cu); then a launch for the offsets, and one that takes the words apart.
 *
 * Work: entries for each 8 bits of the columns. Bytes: of an entry, what words.cu says, then 12 of
 * its word and 6 or 8 of the result; a sector of 32 for each value of 8 bytes. */
#include "sparse/launches.cuh"
#include "sparse/lines.cuh"
#include "sparse/offsets.cuh"
#include "sparse/words.h"

namespace
{
namespace transpose
{

constexpr prim_sparse_word_order ORDER = PRIM_SPARSE_BY_COLUMN;

/* Row r of the result begins with the first word whose column is not less. */
__global__ void __launch_bounds__(THREADS)
    find_offsets(const uint64_t *words, size_t entries, size_t rows, new_offsets to)
{
    const size_t row = this_thread();
    if (row > rows)
        return;
    size_t first = 0;
    while (entries > 0) {
        const size_t half = entries / 2;
        if (static_cast<uint32_t>(words[first + half]) < row) {
            first += half + 1;
            entries -= half + 1;
        } else {
            entries = half;
        }
    }
    to.put(row, first);
}

/* The column of an entry of the result is its row in `from`. */
__global__ void __launch_bounds__(THREADS)
    take_apart(prim_sparse_words sorted, size_t entries, const void *values, lines to)
{
    const size_t e = this_thread();
    if (e >= entries)
        return;
    to.columns[e] = static_cast<int32_t>(sorted.words[e] >> 32);
    put_payload(to, e, values, sorted.payloads[e]);
}

size_t workspace_bytes(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_convert_args *>(any)->from;
    return m->entries == 0 ? 0 : prim_sparse_words_bytes(m, ORDER);
}

cudaError_t launch(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    const prim_sparse *from = &args->from;
    launches l = {args->call.stream};
    prim_sparse_words sorted = {}, spare;
    prim_sparse to;
    size_t bytes;
    prim_sparse_target(args, &to, &bytes);
    if (from->entries > 0)
        l.error =
            prim_sparse_sort_words(l.stream, from, ORDER, args->call.workspace, &sorted, &spare);
    l.then(to.rows + 1, find_offsets, static_cast<const uint64_t *>(sorted.words), from->entries,
           to.rows, new_offsets_of(&to));
    l.then(from->entries, take_apart, sorted, from->entries, from->values, lines_of(&to));
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
