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

constexpr unsigned WARP_ROWS = 16;

/* Some columns of a warp's rows, as it exchanges them. Rows begin eight or four banks apart, so
 * that lanes write and read without conflicts. */
struct sums_piece {
    static constexpr unsigned COLUMNS = 32;
    float rows[WARP_ROWS][COLUMNS + 8];
};

struct halves_piece {
    static constexpr unsigned COLUMNS = 64;
    uint32_t rows[WARP_ROWS][COLUMNS / 2 + 4]; /* two in a word */
};

union alignas(16) exchange {
    sums_piece sums;
    halves_piece halves;
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

/* ---- a lane's sums of a piece, as they are, or scaled and rounded ---- */

__device__ inline void put_sums(sums_piece &to, const float *sums)
{
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    PRIM_UNROLL(8)
    for (unsigned i = 0; i < sums_piece::COLUMNS / 4; i++)
        *reinterpret_cast<packed<float, 2> *>(&to.rows[g + i % 2 * 8][i / 2 * 8 + 2 * t]) = {
            {sums[2 * i], sums[2 * i + 1]}};
}

template <typename Half>
__device__ void put_halves(halves_piece &to, const scaled<float> &scale, const float *sums)
{
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    PRIM_UNROLL(16)
    for (unsigned i = 0; i < halves_piece::COLUMNS / 4; i++)
        to.rows[g + i % 2 * 8][i / 2 * 4 + t] =
            two_halves<Half>(scale.of(0, sums[2 * i]), scale.of(0, sums[2 * i + 1]));
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
    __device__ static void store(const halves_piece &from, const c_corner<Half> &to)
    {
        const unsigned lane = threadIdx.x % 32;
        PRIM_UNROLL(4)
        for (unsigned first = 0; first < WARP_ROWS; first += 4) {
            const unsigned r = first + lane / 8;
            if (r < to.rows)
                *reinterpret_cast<vector<uint32_t> *>(&to.data[r * to.ld + lane % 8 * 8]) =
                    *reinterpret_cast<const vector<uint32_t> *>(&from.rows[r][lane % 8 * 4]);
        }
    }
};

/* Halves of rows that begin anywhere: a lane has a word of each, which two words may make up, but
 * for the halves that stand alone in one. */
struct by_words {
    template <typename Half>
    __device__ static void store(const halves_piece &from, const c_corner<Half> &to)
    {
        const unsigned lane = threadIdx.x % 32;
        PRIM_UNROLL(1)
        for (unsigned r = 0; r < to.rows; r++) {
            Half *const row = to.data + r * to.ld;
            const uint32_t word = from.rows[r][lane],
                           next = from.rows[r][lane < 31 ? lane + 1 : 31];
            if (reinterpret_cast<uintptr_t>(row) % sizeof(word) == 0)
                *reinterpret_cast<uint32_t *>(&row[2 * lane]) = word;
            else if (lane < 31)
                *reinterpret_cast<uint32_t *>(&row[2 * lane + 1]) = word >> 16 | next << 16;
            else
                store_ends(row, from.rows[r][0], word);
        }
    }

    template <typename Half>
    __device__ static void store_ends(Half *row, uint32_t first, uint32_t last)
    {
        row[0] = Half{static_cast<uint16_t>(first)};
        row[halves_piece::COLUMNS - 1] = Half{static_cast<uint16_t>(last >> 16)};
    }
};

/* ---- pieces of which the first columns are there ---- */

/* visit(row, column) of all lanes. */
template <typename Out, class Visit>
__device__ void for_each_element(const c_corner<Out> &to, Visit visit)
{
    PRIM_UNROLL(1)
    for (unsigned r = 0; r < to.rows; r++) {
        PRIM_UNROLL(1)
        for (unsigned i = threadIdx.x % 32; i < to.columns; i += 32)
            visit(r, i);
    }
}

template <typename Out>
__device__ void store_sums_of_end(const scaled<float> &scale, const sums_piece &from,
                                  const c_corner<Out> &to)
{
    for_each_element(
        to, [&](unsigned r, unsigned i) { scale.store(&to.data[r * to.ld + i], from.rows[r][i]); });
}

template <typename Half>
__device__ void store_halves_of_end(const halves_piece &from, const c_corner<Half> &to)
{
    for_each_element(to, [&](unsigned r, unsigned i) {
        to.data[r * to.ld + i] = Half{static_cast<uint16_t>(from.rows[r][i / 2] >> i % 2 * 16)};
    });
}

/* ---- all of a warp's sums ---- */

/* In floats, or with what C has. */
template <unsigned V, unsigned N, typename Out>
__device__ void store_sums(const c_matrices &c, exchange &room, const c_corner<Out> &all,
                           const float (&sums)[N / 2])
{
    constexpr unsigned COLUMNS = sums_piece::COLUMNS;
    PRIM_UNROLL(8)
    for (unsigned first = 0; first < N; first += COLUMNS)
        if (first < all.columns) {
            const c_corner<Out> to = {all.data + first, all.ld, all.rows, all.columns - first};
            put_sums(room.sums, &sums[first / 2]);
            __syncwarp();
            if (to.columns >= COLUMNS)
                by_columns<V>::store(c.scale, room.sums, to);
            else
                store_sums_of_end(c.scale, room.sums, to);
            __syncwarp(); /* before the next ones are put there */
        }
}

/* In halves, where beta = 0. */
template <class How, unsigned N, typename Half>
__device__ void store_halves(const c_matrices &c, exchange &room, const c_corner<Half> &all,
                             const float (&sums)[N / 2])
{
    constexpr unsigned COLUMNS = halves_piece::COLUMNS;
    PRIM_UNROLL(4)
    for (unsigned first = 0; first < N; first += COLUMNS)
        if (first < all.columns) {
            const c_corner<Half> to = {all.data + first, all.ld, all.rows, all.columns - first};
            put_halves<Half>(room.halves, c.scale, &sums[first / 2]);
            __syncwarp();
            if (to.columns >= COLUMNS)
                How::store(room.halves, to);
            else
                store_halves_of_end(room.halves, to);
            __syncwarp(); /* before the next ones are put there */
        }
}

template <unsigned N, typename Half>
__device__ void store_c(const c_matrices &c, exchange &room, size_t matrix, unsigned row,
                        unsigned column, const float (&sums)[N / 2])
{
    const auto as_floats = [&] { return corner_of<float>(c, matrix, row, column); };
    const auto as_halves = [&] { return corner_of<Half>(c, matrix, row, column); };
    if (!c.is_half && c.in_vectors)
        store_sums<4, N>(c, room, as_floats(), sums);
    else if (!c.is_half)
        store_sums<1, N>(c, room, as_floats(), sums);
    else if (c.scale.beta != 0)
        store_sums<1, N>(c, room, as_halves(), sums);
    else if (c.in_vectors)
        store_halves<by_vectors, N>(c, room, as_halves(), sums);
    else
        store_halves<by_words, N>(c, room, as_halves(), sums);
}

} // namespace boxes
} // namespace

#endif
