/* Dense matrices to CSR, in pieces of rows: count, scan, write.
 *
 *     row       0 a 0 0 b 0 c d | 0 e 0 0 …    a ballot says which lanes have an element that is
 *     ballot    0 1 0 0 1 0 1 1 | 0 1 0 0      not 0, and the lanes below are what comes before
 *     counts    4               | 1            their sums say where each piece's entries begin
 *     entries   a b c d e …
 *
 * Work: elements. Steps: those of a piece, and of the scan. Bytes: the dense matrix twice, entries
 * once, 24 for each piece. */
#include "sparse/dense/dense.cuh"
#include "sparse/rows/offsets.cuh"
#include "sparse/rows/offsets.h"

namespace
{
namespace dense
{

/* Elements as words of 2, 4 or 8 bytes. */
struct elements {
    const void *data;
    unsigned bytes;
    matrix_pieces pieces;
};

/* Whether it is not 0, whatever its sign. */
template <typename Word>
__device__ bool is_there(Word word)
{
    return static_cast<Word>(word << 1) != 0;
}

/* A lane's next words; 0 where there is none. */
template <typename Word, unsigned COUNT>
__device__ void load_words(const elements &in, const piece &mine, unsigned step,
                           Word (&words)[COUNT])
{
    PRIM_UNROLL(COUNT)
    for (unsigned i = 0; i < COUNT; i++) {
        size_t at;
        const bool exists = find_element(in.pieces, mine, step + i, &at);
        words[i] = exists ? static_cast<const Word *>(in.data)[at] : Word(0);
    }
}

/* Calls take(step, word) for a lane's words: eight are loaded at once, or the only one. */
template <typename Word, class Take>
__device__ void for_words(const elements &in, const piece &mine, Take take)
{
    if (in.pieces.steps == 1) {
        Word word[1];
        load_words(in, mine, 0, word);
        take(0, word[0]);
        return;
    }
    for (unsigned step = 0; step < in.pieces.steps; step += STEPS_AT_ONCE) {
        Word words[STEPS_AT_ONCE];
        load_words(in, mine, step, words);
        PRIM_UNROLL(STEPS_AT_ONCE)
        for (unsigned i = 0; i < STEPS_AT_ONCE; i++)
            take(step + i, words[i]);
    }
}

/* ---- the counts ---- */

template <typename Word>
__device__ unsigned count_piece(const elements &in, const piece &mine)
{
    unsigned length = 0;
    for_words<Word>(in, mine, [&](unsigned, Word word) {
        length += count_bits(__ballot_sync(ALL_LANES, is_there(word)) & mine.peers);
    });
    return length;
}

__global__ void __launch_bounds__(THREADS) count_elements(elements in, uint64_t *lengths)
{
    const piece mine = this_piece(in.pieces);
    const unsigned length = in.bytes == 4   ? count_piece<uint32_t>(in, mine)
                            : in.bytes == 8 ? count_piece<uint64_t>(in, mine)
                                            : count_piece<uint16_t>(in, mine);
    if (mine.lane == 0 && mine.row < in.pieces.rows)
        lengths[mine.index] = length;
}

/* ---- the entries ---- */

/* The target. Entries from `most` on are dropped. */
struct new_entries {
    int32_t *columns;
    void *values;
    uint64_t most;
};

template <typename Word>
__device__ void take_piece(const elements &in, const piece &mine, uint64_t next,
                           const new_entries &to)
{
    const unsigned below = (1u << threadIdx.x % WARP) - 1;
    for_words<Word>(in, mine, [&](unsigned step, Word word) {
        const unsigned lanes = __ballot_sync(ALL_LANES, is_there(word)) & mine.peers;
        const uint64_t entry = next + count_bits(lanes & below);
        if (is_there(word) && entry < to.most) {
            to.columns[entry] = static_cast<int32_t>(mine.column(in.pieces, step));
            static_cast<Word *>(to.values)[entry] = word;
        }
        next += count_bits(lanes);
    });
}

/* begins: of the pieces. Where rows have several, those of the rows are written here. */
__global__ void __launch_bounds__(THREADS)
    take_elements(elements in, offsets_view begins, new_entries to, new_offsets offsets)
{
    const matrix_pieces &p = in.pieces;
    const piece mine = this_piece(p);
    const uint64_t begin = mine.row < p.rows ? begins.at(mine.index) : 0;
    if (in.bytes == 4)
        take_piece<uint32_t>(in, mine, begin, to);
    else if (in.bytes == 8)
        take_piece<uint64_t>(in, mine, begin, to);
    else
        take_piece<uint16_t>(in, mine, begin, to);
    if (p.of_row == 1 || mine.row >= p.rows || mine.lane > 0)
        return;
    if (mine.first == 0)
        offsets.put(mine.row, begin);
    if (mine.index + 1 == p.rows * p.of_row)
        offsets.put(p.rows, begins.at(mine.index + 1));
}

/* ---- the launches ---- */

matrix_pieces pieces_to_read(const prim_sparse_from_dense_args *args)
{
    const prim_sparse *from = &args->convert.from;
    return pieces_of(from->rows, from->columns, args->ld);
}

/* Where each row has one piece, the target's offsets are those of the pieces. */
bool needs_begins(const matrix_pieces &p)
{
    return p.rows > 0 && p.of_row > 1;
}

/* Counts with their sums; and where pieces begin. */
size_t workspace_bytes(const void *any)
{
    const matrix_pieces p = pieces_to_read(static_cast<const prim_sparse_from_dense_args *>(any));
    return prim_sparse_sums_bytes(p.count()) +
           (needs_begins(p) ? (p.count() + 1) * sizeof(int64_t) : 0);
}

cudaError_t launch(const void *any)
{
    const prim_sparse_from_dense_args *args = static_cast<const prim_sparse_from_dense_args *>(any);
    const prim_sparse_convert_args *c = &args->convert;
    const cudaDataType_t type = c->from.value_type;
    const elements in = {args->in,
                         type == CUDA_R_64F   ? 8u
                         : type == CUDA_R_32F ? 4u
                                              : 2u,
                         pieces_to_read(args)};
    const matrix_pieces &p = in.pieces;
    uint64_t *const lengths = static_cast<uint64_t *>(c->call.workspace);
    prim_sparse to = {};
    size_t bytes;
    if (!c->wants_size)
        prim_sparse_target(c, &to, &bytes);
    new_offsets begins = new_offsets_of(&to);
    if (needs_begins(p) && !c->wants_size)
        begins = {lengths + prim_sparse_sums_bytes(p.count()) / sizeof(uint64_t), true};
    const prim_sparse_sums sums = {lengths, p.count(), begins.data, begins.wide,
                                   c->size, c->d_size, c->missing};
    launches l = {c->call.stream};
    l.then(p.threads(), count_elements, in, lengths);
    if (l.error == cudaSuccess)
        l.error = prim_sparse_sum(l.stream, &sums);
    if (!c->wants_size)
        l.then(p.threads(), take_elements, in, offsets_view{begins.data, begins.wide},
               new_entries{const_cast<int32_t *>(to.column_indices), const_cast<void *>(to.values),
                           uint64_t(c->size)},
               new_offsets_of(&to));
    return l.error;
}

const char *why_not(const void *any)
{
    const matrix_pieces p = pieces_to_read(static_cast<const prim_sparse_from_dense_args *>(any));
    return prim_fits_a_grid(1, prim_divide_up(p.threads(), THREADS)) ? nullptr
                                                                     : PRIM_GRID_TOO_SMALL;
}

} // namespace dense
} // namespace

PRIM_DEFINE_RUNG(sparse_from_dense, pieces) = {{1, "pieces", "a warp for 512 columns of a row"},
                                               dense::why_not,
                                               dense::workspace_bytes,
                                               dense::launch};
