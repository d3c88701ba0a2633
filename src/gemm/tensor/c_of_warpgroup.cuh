/* C from the sums of a warpgroup, whose warps have 16 rows each.
 *
 *     a lane's sums       columns 2t and 2t + 1 of each 8, in rows g and g + 8
 *     in shared memory    16 rows × 32 columns, for the next 32 columns again
 *     of C                rows of 32, side by side: whatever a row's address is, lanes store it in
 *                         as few pieces as its alignment allows
 *
 * By way of shared memory the code that stores is short: it comes from memory as well, the first
 * time, and a product that takes ten microseconds waits for it. */
#ifndef PRIM_GEMM_C_OF_WARPGROUP_CUH
#define PRIM_GEMM_C_OF_WARPGROUP_CUH

#include "gemm/tile/c_tile.cuh"

namespace
{
namespace boxes
{

/* All C of a call: of each product, and of each part of k where there are several. */
struct c_matrices {
    void *data;
    size_t ld, stride;
    unsigned m, n;
    scaled<float> scale;
    bool is_half, in_vectors; /* the type; whether all rows are aligned to 16 bytes */
};

constexpr unsigned WARP_ROWS = 16, PIECE = 32; /* columns that a warp exchanges at once */

/* Where a warp does. With rows 8 banks apart lanes write pairs without conflicts. */
struct alignas(16) exchange {
    float rows[WARP_ROWS][PIECE + 8];
};

/* What of C a warp's sums are: 16 rows, of which there are `rows`, and the columns left. */
template <typename Out>
struct c_corner {
    Out *data;
    size_t ld;
    unsigned rows, columns;
};

/* `row` is that of the warpgroup. */
template <typename Out>
__device__ c_corner<Out> corner_of(const c_matrices &c, size_t matrix, unsigned row,
                                   unsigned column)
{
    row += WARP_ROWS * (threadIdx.x / 32 % 4);
    Out *const data = static_cast<Out *>(c.data) + matrix * c.stride + row * c.ld + column;
    const unsigned left = c.m > row ? c.m - row : 0;
    return {data, c.ld, left < WARP_ROWS ? left : WARP_ROWS, c.n > column ? c.n - column : 0};
}

/* A lane's 16 sums of 32 columns. */
__device__ inline void put(exchange &room, const float *sums)
{
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    PRIM_UNROLL(2)
    for (unsigned half = 0; half < 2; half++)
        PRIM_UNROLL(4)
    for (unsigned j = 0; j < PIECE / 8; j++)
        *reinterpret_cast<packed<float, 2> *>(&room.rows[g + 8 * half][8 * j + 2 * t]) = {
            {sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]}};
}

/* A lane stores V columns of some rows, at once where there are so many. */
template <unsigned V>
struct by_columns {
    template <typename Out>
    __device__ static void store(const scaled<float> &scale, const exchange &room,
                                 const c_corner<Out> &to)
    {
        constexpr unsigned LANES = PIECE / V; /* of a row */
        const unsigned lane = threadIdx.x % 32, column = lane % LANES * V;
        PRIM_UNROLL(1)
        for (unsigned r = lane / LANES; r < to.rows; r += V) {
            Out *const row = to.data + r * to.ld;
            if (column + V <= to.columns) {
                store_some<V>(scale, &row[column], &room.rows[r][column], V, true);
                continue;
            }
            PRIM_UNROLL(1)
            for (unsigned i = column; i < to.columns; i++)
                scale.store(&row[i], room.rows[r][i]);
        }
    }
};

/* Halves of rows that begin anywhere, where beta = 0: words, but for what stands alone in one. */
struct by_words {
    template <typename Half>
    __device__ static void store(const scaled<float> &scale, const exchange &room,
                                 const c_corner<Half> &to)
    {
        const unsigned lane = threadIdx.x % 32, end = to.columns < PIECE ? to.columns : PIECE;
        PRIM_UNROLL(1)
        for (unsigned r = lane / 16; r < to.rows; r += 2) {
            Half *const row = to.data + r * to.ld;
            const float *const from = room.rows[r];
            const unsigned odd = reinterpret_cast<uintptr_t>(row) / sizeof(Half) % 2,
                           column = lane % 16 * 2 + odd;
            if (column + 1 < end)
                *reinterpret_cast<uint32_t *>(&row[column]) =
                    two_halves<Half>(scale.of(0, from[column]), scale.of(0, from[column + 1]));
            else if (column < end)
                scale.store(&row[column], from[column]);
            if (column == 1 && end > 0)
                scale.store(row, from[0]);
        }
    }
};

/* 32 columns after the other. */
template <class How, unsigned N, typename Out>
__device__ void store_pieces(const c_matrices &c, exchange &room, const c_corner<Out> &to,
                             const float (&sums)[N / 2])
{
    PRIM_UNROLL(8)
    for (unsigned first = 0; first < N; first += PIECE)
        if (first < to.columns) {
            put(room, &sums[first / 2]);
            __syncwarp();
            How::store(c.scale, room,
                       c_corner<Out>{to.data + first, to.ld, to.rows, to.columns - first});
            __syncwarp(); /* before the next ones are put there */
        }
}

template <unsigned N, typename Half>
__device__ void store_sums(const c_matrices &c, exchange &room, size_t matrix, unsigned row,
                           unsigned column, const float (&sums)[N / 2])
{
    const auto of_floats = [&] { return corner_of<float>(c, matrix, row, column); };
    const auto of_halves = [&] { return corner_of<Half>(c, matrix, row, column); };
    if (!c.is_half && c.in_vectors)
        store_pieces<by_columns<4>, N>(c, room, of_floats(), sums);
    else if (!c.is_half)
        store_pieces<by_columns<1>, N>(c, room, of_floats(), sums);
    else if (c.in_vectors)
        store_pieces<by_columns<8>, N>(c, room, of_halves(), sums);
    else if (c.scale.beta == 0)
        store_pieces<by_words, N>(c, room, of_halves(), sums);
    else
        store_pieces<by_columns<1>, N>(c, room, of_halves(), sums);
}

} // namespace boxes
} // namespace

#endif
