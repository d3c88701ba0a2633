/* Entries sorted by their column, or by row and column: a stable radix sort, common/radix.cuh.
 *
 *     row, column        0,2   0,5   1,2   3,0         of a word, by column:  sorted by these bits
 *     words              0·2   0·5   1·2   3·0         the row travels in the bits above
 *     payloads           a     b     c     d
 *     sorted             3·0   0·2   1·2   0·5
 *                        d     a     c     b
 *
 * So a pass for each 8 bits moves an entry as a whole, 12 bytes, and nothing is gathered at the
 * end, where each entry would cost a sector of 32 bytes for its row and one for its value. Only
 * values of 8 bytes stay where they are, and their numbers travel. Nothing depends on timing.
 *
 * Work: entries for each pass. Bytes: of an entry, 12 or 14 to pack it, 8 to count digits, and 24
 * for each pass. */
#include "sparse/words.h"

#include "common/radix.cuh"
#include "sparse/entry_rows.cuh"
#include "sparse/launches.cuh"
#include "sparse/lines.cuh"
#include "sparse/offsets.cuh"

namespace
{
namespace words
{

struct payloads {
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

using sorter = radix::sorter<radix::plain_order<uint64_t>, payloads>;

/* ---- packing ---- */

/* What is packed. row_indices NULL: rows are searched among the offsets. halves NULL: values are
 * no halves, and no payload is written. */
struct unpacked {
    offsets_view offsets;
    size_t rows, entries;
    const int32_t *row_indices, *columns;
    const uint16_t *halves;
    unsigned column_bits;
};

__global__ void __launch_bounds__(THREADS) pack(unpacked from, prim_sparse_words to)
{
    row_range range = {};
    if (from.row_indices == nullptr)
        range = rows_of_block(from.offsets, from.rows, from.entries);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = this_entry(i);
        if (e >= from.entries)
            return;
        const uint64_t row = from.row_indices != nullptr
                                 ? static_cast<uint64_t>(from.row_indices[e])
                                 : range.row_of(from.offsets, e);
        to.words[e] = row << from.column_bits | static_cast<uint64_t>(from.columns[e]);
        if (from.halves != nullptr)
            to.payloads[e] = from.halves[e];
    }
}

/* ---- the passes ---- */

unsigned bits_below(size_t numbers)
{
    unsigned bits = 0;
    while (numbers > size_t(1) << bits)
        bits++;
    return bits;
}

unsigned passes_for(const prim_sparse *m, prim_sparse_word_order order)
{
    const unsigned rows = order == PRIM_SPARSE_BY_PLACE ? bits_below(m->rows) : 0,
                   bits = rows + bits_below(m->columns);
    return bits == 0 ? 1 : static_cast<unsigned>(prim_divide_up(bits, radix::DIGIT_BITS));
}

size_t state_bytes(const prim_sparse *m, unsigned passes)
{
    return radix::state_bytes(m->entries, sizeof(uint64_t), sizeof(uint32_t), passes);
}

/* Passes alternate between the two buffers; what is packed is in the second. */
prim_sparse_words buffer_of_pass(void *workspace, const prim_sparse *m, unsigned passes,
                                 unsigned pass)
{
    const size_t room = m->entries;
    uint64_t *const words =
        reinterpret_cast<uint64_t *>(static_cast<char *>(workspace) + state_bytes(m, passes));
    uint32_t *const payloads = reinterpret_cast<uint32_t *>(words + 2 * room);
    return {words + pass % 2 * room, payloads + pass % 2 * room};
}

/* The payloads of the first pass: NULL where an entry's is its number. */
const void *first_payloads(const prim_sparse *m, const prim_sparse_words &packed)
{
    return m->value_type == CUDA_R_64F   ? nullptr
           : m->value_type == CUDA_R_32F ? m->values
                                         : packed.payloads;
}

} // namespace words
} // namespace

unsigned prim_sparse_column_bits(const prim_sparse *m, prim_sparse_word_order order)
{
    return order == PRIM_SPARSE_BY_COLUMN ? 32 : words::bits_below(m->columns);
}

size_t prim_sparse_words_bytes(const prim_sparse *m, prim_sparse_word_order order)
{
    return words::state_bytes(m, words::passes_for(m, order)) +
           2 * m->entries * (sizeof(uint64_t) + sizeof(uint32_t));
}

cudaError_t prim_sparse_sort_words(cudaStream_t stream, const prim_sparse *m,
                                   prim_sparse_word_order order, void *workspace,
                                   prim_sparse_words *sorted, prim_sparse_words *spare)
{
    using namespace words;
    const unsigned passes = passes_for(m, order);
    const bool coo = m->format == PRIM_SPARSE_COO, halves = lines_of(m).value_bytes == 2;
    prim_sparse_words from = buffer_of_pass(workspace, m, passes, 1);
    const void *payloads_of_pass = first_payloads(m, from);
    const sorter s = {stream, {}, m->entries, sizeof(uint32_t), passes, workspace};
    launches l = {stream};
    l.then(threads_for_entries(m->entries), pack,
           unpacked{coo ? offsets_view{} : offsets_of(m), m->rows, m->entries,
                    coo ? m->row_indices : nullptr, m->column_indices,
                    halves ? static_cast<const uint16_t *>(m->values) : nullptr,
                    prim_sparse_column_bits(m, order)},
           from);
    if (l.error == cudaSuccess)
        l.error = s.begin(from.words);
    for (unsigned pass = 0; pass < passes && l.error == cudaSuccess; pass++) {
        const prim_sparse_words to = buffer_of_pass(workspace, m, passes, pass);
        l.error = s.place(pass, from.words, payloads_of_pass, to.words, to.payloads);
        from = to;
        payloads_of_pass = to.payloads;
    }
    *sorted = buffer_of_pass(workspace, m, passes, passes - 1);
    *spare = buffer_of_pass(workspace, m, passes, passes);
    return l.error;
}
