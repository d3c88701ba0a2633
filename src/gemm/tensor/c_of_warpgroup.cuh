/* C from the sums of a warpgroup, whose warps have 16 rows each.
 *
 *     a lane's sums       columns 2t and 2t + 1 of each 8, in rows g and g + 8
 *     in shared memory    16 rows of 32 sums, or of 64 halves; for the next columns again
 *     of C                rows side by side: whatever their address is, a warp stores whole lines
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

constexpr unsigned WARP_ROWS = 16; /* of a warp */

/* COLUMNS elements of each of them, as a warp exchanges them. Rows begin four or eight banks apart,
 * so that lanes write and read without conflicts. */
template <typename T, unsigned COLUMNS_>
struct alignas(16) piece {
    static constexpr unsigned COLUMNS = COLUMNS_;
    T rows[WARP_ROWS][COLUMNS + 8];
};

using sums_piece = piece<float, 32>;

template <typename Half>
using halves_piece = piece<Half, 64>;

/* Room for either. */
struct exchange {
    sums_piece sums;
};

template <class Piece>
__device__ Piece &as(exchange &room)
{
    static_assert(sizeof(Piece) <= sizeof(exchange), "");
    return *reinterpret_cast<Piece *>(&room);
}

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

/* Puts a lane's sums of the piece, as they are or scaled and rounded. */
__device__ inline void put(sums_piece &to, const scaled<float> &, const float *sums)
{
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    PRIM_UNROLL(8)
    for (unsigned j = 0; j < sums_piece::COLUMNS / 8; j++)
        PRIM_UNROLL(2)
    for (unsigned half = 0; half < 2; half++)
        *reinterpret_cast<packed<float, 2> *>(&to.rows[g + 8 * half][8 * j + 2 * t]) = {
            {sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]}};
}

template <typename Half>
__device__ void put(halves_piece<Half> &to, const scaled<float> &scale, const float *sums)
{
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    PRIM_UNROLL(8)
    for (unsigned j = 0; j < halves_piece<Half>::COLUMNS / 8; j++)
        PRIM_UNROLL(2)
    for (unsigned half = 0; half < 2; half++) {
        const float *const two = &sums[4 * j + 2 * half];
        *reinterpret_cast<uint32_t *>(&to.rows[g + 8 * half][8 * j + 2 * t]) =
            two_halves<Half>(scale.of(0, two[0]), scale.of(0, two[1]));
    }
}

/* ---- pieces of which all columns are there ---- */

/* A lane scales V columns of some rows, and stores them at once. */
template <unsigned V>
struct by_columns {
    template <typename Out>
    __device__ static void store(const scaled<float> &scale, const sums_piece &from,
                                 const c_corner<Out> &to)
    {
        constexpr unsigned LANES = sums_piece::COLUMNS / V; /* of a row */
        const unsigned lane = threadIdx.x % 32, column = lane % LANES * V;
        PRIM_UNROLL(V)
        for (unsigned first = 0; first < WARP_ROWS; first += V) {
            const unsigned r = first + lane / LANES;
            if (r < to.rows)
                store_some<V>(scale, &to.data[r * to.ld + column], &from.rows[r][column], V, true);
        }
    }
};

/* Halves: a lane has eight columns of four rows. */
struct by_vectors {
    template <typename Half>
    __device__ static void store(const scaled<float> &, const halves_piece<Half> &from,
                                 const c_corner<Half> &to)
    {
        const unsigned lane = threadIdx.x % 32, column = lane % 8 * 8;
        PRIM_UNROLL(4)
        for (unsigned first = 0; first < WARP_ROWS; first += 4) {
            const unsigned r = first + lane / 8;
            if (r < to.rows)
                *reinterpret_cast<vector<uint32_t> *>(&to.data[r * to.ld + column]) =
                    *reinterpret_cast<const vector<uint32_t> *>(&from.rows[r][column]);
        }
    }
};

/* Halves of rows that begin anywhere: words, but for what stands alone in one. */
struct by_words {
    template <typename Half>
    __device__ static void store(const scaled<float> &, const halves_piece<Half> &from,
                                 const c_corner<Half> &to)
    {
        const unsigned lane = threadIdx.x % 32;
        PRIM_UNROLL(1)
        for (unsigned r = 0; r < to.rows; r++) {
            Half *const row = to.data + r * to.ld;
            const Half *const sums = from.rows[r];
            const unsigned odd = reinterpret_cast<uintptr_t>(row) / sizeof(Half) % 2,
                           column = 2 * lane + odd;
            if (odd == 0 || lane < 31)
                *reinterpret_cast<uint32_t *>(&row[column]) =
                    sums[column].bits | static_cast<uint32_t>(sums[column + 1].bits) << 16;
            else
                row[column] = sums[column];
            if (column == 1)
                row[0] = sums[0];
        }
    }
};

/* ---- pieces of which the first columns are there ---- */

__device__ inline void store_one(const scaled<float> &, f16 *to, f16 value)
{
    *to = value;
}

__device__ inline void store_one(const scaled<float> &, bf16 *to, bf16 value)
{
    *to = value;
}

template <typename Out>
__device__ void store_one(const scaled<float> &scale, Out *to, float value)
{
    scale.store(to, value);
}

template <class Piece, typename Out>
__device__ void store_first(const scaled<float> &scale, const Piece &from, const c_corner<Out> &to)
{
    PRIM_UNROLL(1)
    for (unsigned r = 0; r < to.rows; r++)
        PRIM_UNROLL(1)
    for (unsigned i = threadIdx.x % 32; i < to.columns; i += 32)
        store_one(scale, &to.data[r * to.ld + i], from.rows[r][i]);
}

/* ---- all of them ---- */

template <class How, class Piece, unsigned N, typename Out>
__device__ void store_pieces(const c_matrices &c, exchange &room, const c_corner<Out> &all,
                             const float (&sums)[N / 2])
{
    Piece &here = as<Piece>(room);
    PRIM_UNROLL(8)
    for (unsigned first = 0; first < N; first += Piece::COLUMNS)
        if (first < all.columns) {
            const c_corner<Out> to = {all.data + first, all.ld, all.rows, all.columns - first};
            put(here, c.scale, &sums[first / 2]);
            __syncwarp();
            if (to.columns >= Piece::COLUMNS)
                How::store(c.scale, here, to);
            else
                store_first(c.scale, here, to);
            __syncwarp(); /* before the next sums are put there */
        }
}

template <unsigned N, typename Half>
__device__ void store_sums(const c_matrices &c, exchange &room, size_t matrix, unsigned row,
                           unsigned column, const float (&sums)[N / 2])
{
    const auto as_floats = [&] { return corner_of<float>(c, matrix, row, column); };
    const auto as_halves = [&] { return corner_of<Half>(c, matrix, row, column); };
    if (!c.is_half && c.in_vectors)
        store_pieces<by_columns<4>, sums_piece, N>(c, room, as_floats(), sums);
    else if (!c.is_half)
        store_pieces<by_columns<1>, sums_piece, N>(c, room, as_floats(), sums);
    else if (c.scale.beta != 0)
        store_pieces<by_columns<1>, sums_piece, N>(c, room, as_halves(), sums);
    else if (c.in_vectors)
        store_pieces<by_vectors, halves_piece<Half>, N>(c, room, as_halves(), sums);
    else
        store_pieces<by_words, halves_piece<Half>, N>(c, room, as_halves(), sums);
}

} // namespace boxes
} // namespace

#endif
