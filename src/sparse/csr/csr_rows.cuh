/* The rows of a tile: their kinds, and their sums.
 *
 *     a tile    entries   ■■■■■■■■■■■■■■■■■■■■■■■■
 *               short     ■■  ■■                          up to 8: a lane a row
 *               middle      ■■  ■■■■                      up to 64: 1, 2 or 4 lanes a row
 *               strips              ■■■■■■|■■■■■■         beyond: csr_strips.cuh
 *
 * Entries are in shared or in global memory, with columns of 32 or of 16 bits. */
#ifndef PRIM_SPARSE_CSR_ROWS_CUH
#define PRIM_SPARSE_CSR_ROWS_CUH

#include "sparse/csr/csr_strips.cuh"

namespace
{

constexpr unsigned STEPS = 8; /* entries of a lane that are in flight at once */

/* The most entries and rows of a tile that are staged: its keys, and the rest of a last row of at
 * most 64 entries. A longer row that does not fit is read from global memory. */
constexpr unsigned STAGED = TILE + MIDDLE_ROW;
constexpr unsigned STRIPS = TILE / MIDDLE_ROW + TILE_GROUPS + 2;

/* The block's tile. */
template <typename Offset>
__device__ csr_tile this_tile(const plan<Offset> &p)
{
    const size_t number = blockIdx.x;
    const boundary from = p.boundaries[number], to = p.boundaries[number + 1];
    return {static_cast<size_t>(from.row), static_cast<size_t>(from.entry), (number + 1) * TILE,
            static_cast<unsigned>(to.row - from.row), static_cast<unsigned>(to.entry - from.entry)};
}

/* ---- the kinds of rows ---- */

/* Kinds of rows, as bits: bit k stands for more than 2^(k-1) entries and up to 2^k, the lowest for
 * none as well. Rows of more than 64 are strips and have no kind. */
constexpr unsigned SHORT = 0x0f, MIDDLE = 0x70;

__device__ inline unsigned kind_of(unsigned length)
{
    return length < 2 ? 1 : 2u << highest_bit(length - 1);
}

/* While entries are being copied: where rows begin, the kinds that each warp has seen, and the
 * strips. Where a row goes on past the tile, its end is only known to be further than a piece. */
template <typename Offset, class List>
__device__ void note_rows(const plan<Offset> &p, const csr_tile &t, uint16_t *begins,
                          unsigned *kinds_of_warps, List *strips)
{
    unsigned kinds = 0;
    if (threadIdx.x == 0 && t.first_entry < p.offset(t.first_row)) /* the row before goes on here */
        push_pieces(t, strips, 0, t.first_entry, p.offset(t.first_row));
    PRIM_UNROLL(4)
    for (unsigned row = threadIdx.x; row < t.rows; row += TILE_THREADS) {
        const size_t begin = p.offset(t.first_row + row),
                     length = p.offset(t.first_row + row + 1) - begin;
        const unsigned at = static_cast<unsigned>(begin - t.first_entry),
                       known = length <= PIECE ? static_cast<unsigned>(length) : PIECE + 1;
        begins[row] = static_cast<uint16_t>(at);
        if (row + 1 == t.rows)
            begins[row + 1] = static_cast<uint16_t>(at + known);
        if (known > PIECE)
            push_pieces(t, strips, row + 1, begin, begin + length);
        else if (known > MIDDLE_ROW)
            push(strips, at, known, row + 1, false);
        else
            kinds |= kind_of(known);
    }
    kinds = reduce_warp<or_operator>(kinds);
    if (threadIdx.x % WARP == 0)
        kinds_of_warps[threadIdx.x / WARP] = kinds;
}

/* After a barrier, in all threads. */
__device__ inline unsigned kinds_of_tile(const unsigned *kinds_of_warps)
{
    unsigned kinds = 0;
    PRIM_UNROLL(8)
    for (unsigned w = 0; w < TILE_WARPS; w++)
        kinds |= kinds_of_warps[w];
    return kinds;
}

/* Whether lanes with a row each would wait for rows of more than twice the average length. */
__device__ inline bool rows_are_unlike(const csr_tile &t, unsigned entries, unsigned kinds)
{
    return kinds != 0 && t.rows << highest_bit(kinds) > 2 * entries;
}

/* ---- sums ---- */

template <typename V, typename X, typename Offset, typename Column, class Find>
__device__ void sum_short(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                          const tile_arrays<V, Column> &in, const Find &x)
{
    for (unsigned row = threadIdx.x; row < t.rows; row += TILE_THREADS) {
        const unsigned begin = in.begins[row], length = in.begins[row + 1] - begin;
        if (length <= SHORT_ROW)
            a.of.store(t.first_row + row, sum_of_lane<1, 1, SHORT_ROW>(
                                              in.columns + begin, in.values + begin, x, length, 0));
    }
}

template <unsigned LANES, typename V, typename X, typename Offset, typename Column, class Find>
__device__ void sum_middle(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                           const tile_arrays<V, Column> &in, const Find &x)
{
    const unsigned lane = threadIdx.x % LANES;
    for (unsigned first = threadIdx.x / WARP * (WARP / LANES); first < t.rows;
         first += TILE_THREADS / LANES) {
        const unsigned row = first + threadIdx.x % WARP / LANES;
        unsigned begin = 0, length = 0;
        if (row < t.rows) {
            begin = in.begins[row];
            length = in.begins[row + 1] - begin;
        }
        const bool mine = length > SHORT_ROW && length <= MIDDLE_ROW;
        working_t<V> sum = sum_of_lane<MIDDLE_PARTS, LANES, STEPS>(
            in.columns + begin, in.values + begin, x, mine ? length : 0, lane);
        sum = reduce_warp<sum_operator>(sum, LANES);
        if (lane == 0 && mine)
            a.of.store(t.first_row + row, sum);
    }
}

/* Strips come first, since they take longest. Lanes for each row are as few as leave no quarter of
 * the threads without a row: neighbouring lanes then read neighbouring x. */
template <typename V, typename X, typename Offset, typename Column, class Find, class List>
__device__ void sum_rows(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                         const tile_arrays<V, Column> &in, const Find &x, unsigned kinds,
                         const List &strips)
{
    constexpr unsigned ENOUGH = TILE_THREADS / 4 * 3;
    sum_strips(a, t, in, x, strips);
    if ((kinds & SHORT) != 0)
        sum_short(a, t, in, x);
    if ((kinds & MIDDLE) == 0)
        return;
    if (t.rows >= ENOUGH)
        sum_middle<1>(a, t, in, x);
    else if (t.rows * 2 >= ENOUGH)
        sum_middle<2>(a, t, in, x);
    else
        sum_middle<4>(a, t, in, x);
}

} // namespace

#endif
