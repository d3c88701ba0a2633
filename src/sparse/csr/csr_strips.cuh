/* Rows of more than 64 entries in CSR_MERGE, divided among the warps of a block.
 *
 *     rows      ■■  ■■■■■■  ■  ■■■■■■■■|■■■■■■■■|■■■          longer than 64, or cut into pieces
 *     list          0          1        2        3            strips, in any order
 *     warps         0          1        0        1            in turn
 *
 * The threads that find the rows put the strips on a list, so that no warp searches for them and
 * all have equally many. The sums of a long row's pieces go to the workspace, and the warp that
 * finishes the last one adds them all up, in their order. */
#ifndef PRIM_SPARSE_CSR_STRIPS_CUH
#define PRIM_SPARSE_CSR_STRIPS_CUH

#include "common/kernel/atomic.cuh"
#include "sparse/csr/tile.cuh"
#include "sparse/csr/tile_begins.cuh"

namespace
{

constexpr unsigned TILE_WARPS = TILE_THREADS / WARP;
template <typename V, typename X, typename Offset>
struct csr_problem {
    plan<Offset> p;
    entries<V, X> of;
};

/* A block's tile. */
struct csr_tile {
    size_t first_row, first_entry, end_key;
    unsigned rows, entries;
};

/* Its arrays, in shared or in global memory. */
template <typename V, typename Column = int32_t>
struct tile_arrays {
    Column *columns;
    const V *values;
    uint16_t *begins; /* rows + 1, from the tile's first entry on */
    unsigned count;   /* of entries that are staged */
};

/* A row of more than 64 entries, or a piece of a long one, from the tile's first entry on. */
struct strip {
    uint16_t begin, length, row; /* row 0 is the one before the tile */
    uint16_t is_piece;
};

constexpr unsigned STRIP_STEPS = 4; /* entries of a lane in flight at once */

template <unsigned MOST>
struct strip_list {
    unsigned count;
    strip strips[MOST];
};

template <class List>
__device__ void push(List *list, size_t begin, size_t length, unsigned row, bool is_piece)
{
    list->strips[atomicAdd(&list->count, 1u)] = {static_cast<uint16_t>(begin),
                                                 static_cast<uint16_t>(length),
                                                 static_cast<uint16_t>(row), is_piece};
}

/* The pieces of a long row that begin in the tile, from entry `from` on. */
template <class List>
__device__ void push_pieces(const csr_tile &t, List *list, unsigned row, size_t from, size_t end)
{
    for (size_t e = from; e < end && e + t.first_row + row - 1 < t.end_key; e += PIECE)
        push(list, e - t.first_entry, end - e < PIECE ? end - e : PIECE, row, true);
}

/* Stores the sum of a long row's piece; the warp that stores the last one adds them all up in their
 * order. Those of other blocks are read from L2 only: common/kernel/atomic.cuh. */
template <typename V, typename X, typename Offset>
__device__ void finish_piece(const csr_problem<V, X, Offset> &a, size_t row, size_t entry,
                             working_t<V> sum, unsigned lane)
{
    using T = working_t<V>;
    const size_t begin = a.p.offset(row), length = a.p.offset(row + 1) - begin;
    const size_t piece = (entry - begin) / PIECE, pieces = (length + PIECE - 1) / PIECE;
    const size_t group = (begin + row) / PIECE;
    T *const first = static_cast<T *>(a.p.first_pieces) + group;
    T *const later = static_cast<T *>(a.p.pieces) + group;
    bool last = false;
    if (lane == 0) {
        *(piece == 0 ? first : &later[piece]) = sum;
        last = take_ticket_releasing(&a.p.tickets[group]) + 1 == pieces;
    }
    if (__shfl_sync(ALL_LANES, static_cast<int>(last), 0) == 0)
        return;
    __syncwarp();
    T total = 0;
    PRIM_UNROLL(8)
    for (size_t p = lane; p < pieces; p += WARP)
        total = add(total, load_from_l2(p == 0 ? first : &later[p]));
    total = reduce_warp<sum_operator>(total);
    if (lane == 0)
        a.of.store(row, total);
}

/* The sum of a strip, staged or not, by a warp. */
template <typename V, typename X, typename Offset, typename Column, class Find>
__device__ working_t<V> sum_strip(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                                  const tile_arrays<V, Column> &in, const Find &x, const strip &s)
{
    const unsigned lane = threadIdx.x % WARP;
    const size_t entry = t.first_entry + s.begin;
    working_t<V> sum = 0;
    if (s.begin + s.length <= in.count)
        sum = sum_of_lane<WARP, WARP, STRIP_STEPS>(in.columns + s.begin, in.values + s.begin, x,
                                                   s.length, lane);
    else
        sum = sum_of_lane<WARP, WARP, STRIP_STEPS>(a.of.columns + entry, a.of.values + entry,
                                                   x_by_column<X>{a.of.x}, s.length, lane);
    return reduce_warp<sum_operator>(sum);
}

/* All strips of the tile, by the warps in turn. */
template <typename V, typename X, typename Offset, typename Column, class Find, class List>
__device__ void sum_strips(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                           const tile_arrays<V, Column> &in, const Find &x, const List &list)
{
    const unsigned strips = list.count;
    for (unsigned i = threadIdx.x / WARP; i < strips; i += TILE_WARPS) {
        const strip s = list.strips[i];
        const working_t<V> sum = sum_strip(a, t, in, x, s);
        const size_t row = t.first_row + s.row - 1;
        if (s.is_piece != 0)
            finish_piece(a, row, t.first_entry + s.begin, sum, threadIdx.x % WARP);
        else if (threadIdx.x % WARP == 0)
            a.of.store(row, sum);
    }
}

} // namespace

#endif
