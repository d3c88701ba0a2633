/* A dense matrix in pieces, so that the work is spread over the device whatever the shape:
 *
 *     long rows     ■■■■■■■■■■■■■■■■|■■■■■■■■■■■■■■■■|■■■      a warp for each 512 columns
 *     short rows    ■■■ ■■■ ■■■ ■■■ ■■■ ■■■                    a lane for each 8 columns, and so
 *                                                              several rows for each warp */
#ifndef PRIM_SPARSE_DENSE_CUH
#define PRIM_SPARSE_DENSE_CUH

#include "common/block/warp.cuh"
#include "common/host/sizes.h"
#include "sparse/launches.cuh"

namespace
{
namespace dense
{

constexpr unsigned ROW_PIECE = 512, STEPS_AT_ONCE = 8;

struct matrix_pieces {
    size_t rows, columns, ld;
    size_t of_row;       /* pieces */
    unsigned lanes_log2; /* for each */
    unsigned steps;      /* of its lanes, the same for all pieces */

    size_t count() const
    {
        return rows * of_row;
    }
    size_t threads() const
    {
        return count() << lanes_log2;
    }
};

inline matrix_pieces pieces_of(size_t rows, size_t columns, size_t ld)
{
    const unsigned widest = static_cast<unsigned>(columns < ROW_PIECE ? columns : ROW_PIECE);
    matrix_pieces p = {
        rows, columns, ld, columns > ROW_PIECE ? prim_divide_up(columns, ROW_PIECE) : 1, 0, 0};
    while (1u << p.lanes_log2 < WARP && STEPS_AT_ONCE << p.lanes_log2 < widest)
        p.lanes_log2++;
    p.steps = static_cast<unsigned>(prim_divide_up(widest, size_t(1) << p.lanes_log2));
    return p;
}

/* A lane's part of a piece: columns first, first + lanes, … of a row. Lanes after the last piece
 * have row = rows: they have no elements, but vote with their warp. */
struct piece {
    size_t index, row, first;
    unsigned lane;  /* of its piece */
    unsigned peers; /* the lanes of its piece, among the warp's */

    __device__ size_t column(const matrix_pieces &p, unsigned step) const
    {
        return first + (static_cast<size_t>(step) << p.lanes_log2);
    }
};

/* Dividing 64 bits takes a hundred instructions. */
__device__ inline size_t row_of_piece(const matrix_pieces &p, size_t index)
{
    if (p.of_row == 1)
        return index;
    return index <= UINT32_MAX ? static_cast<uint32_t>(index) / static_cast<uint32_t>(p.of_row)
                               : index / p.of_row;
}

__device__ inline piece this_piece(const matrix_pieces &p)
{
    const size_t index = this_thread() >> p.lanes_log2, row = row_of_piece(p, index);
    const unsigned lanes = 1u << p.lanes_log2, all = lanes < WARP ? (1u << lanes) - 1 : ALL_LANES;
    const unsigned in_warp = threadIdx.x % WARP, lane = in_warp & (lanes - 1);
    return {index, row < p.rows ? row : p.rows, (index - row * p.of_row) * ROW_PIECE + lane, lane,
            all << (in_warp - lane)};
}

/* The element of a step, if there is one. */
__device__ inline bool find_element(const matrix_pieces &p, const piece &mine, unsigned step,
                                    size_t *at)
{
    const size_t column = mine.column(p, step);
    *at = mine.row * p.ld + column;
    return step < p.steps && mine.row < p.rows && column < p.columns;
}

} // namespace dense
} // namespace

#endif
