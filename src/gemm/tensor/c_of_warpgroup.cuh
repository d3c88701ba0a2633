/* C from the sums of a warpgroup.
 *
 *     a lane's sums       columns 2t and 2t + 1 of each 8, in rows g and g + 8 of its warp's 16
 *     four lanes, halves  0 1 2 3 | 0 1 2 3 | …     a word each: 16 bytes of a row
 *     exchanged           0 0 0 0 | 1 1 1 1 | …     16 bytes a lane */
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
    bool is_half, in_pairs, in_vectors; /* how its elements may be stored */
};

/* A lane's first element of C, and what is left of the matrix from there on. */
template <typename Out>
struct c_corner {
    Out *data;
    size_t ld;
    unsigned rows, columns;
};

/* Of the 64 × N sums from (row, column) on. */
template <typename Out>
__device__ c_corner<Out> corner_of(const c_matrices &c, size_t matrix, unsigned row,
                                   unsigned column, unsigned columns_of_lane)
{
    const unsigned warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    row += 16 * warp + lane / 4;
    column += columns_of_lane * (lane % 4);
    Out *const data = static_cast<Out *>(c.data) + matrix * c.stride + row * c.ld + column;
    return {data, c.ld, c.m > row ? c.m - row : 0, c.n > column ? c.n - column : 0};
}

template <unsigned N, typename Out>
__device__ void store_pairs(const c_matrices &c, const c_corner<Out> &at,
                            const float (&sums)[N / 2])
{
    PRIM_UNROLL(2)
    for (unsigned half = 0; half < 2; half++) {
        Out *const row = at.data + 8 * half * at.ld;
        PRIM_UNROLL(32)
        for (unsigned j = 0; j < N / 8; j++)
            if (8 * half < at.rows && 8 * j < at.columns)
                store_some<2>(c.scale, &row[8 * j], &sums[4 * j + 2 * half], at.columns - 8 * j,
                              c.in_pairs);
    }
}

/* The same of halves whose rows may begin between two words, where beta = 0. */
template <unsigned N, typename Half>
__device__ void store_shifted(const c_matrices &c, const c_corner<Half> &at,
                              const float (&sums)[N / 2])
{
    PRIM_UNROLL(2)
    for (unsigned half = 0; half < 2; half++)
        store_words_of_row<N / 8>(c.scale, at.data + 8 * half * at.ld,
                                  8 * half < at.rows ? at.columns : 0,
                                  [&](unsigned j) { return &sums[4 * j + 2 * half]; });
}

/* Gives `high` to the lane beside it, or `low` where `gives_low`, and has the other's in its
 * place. */
__device__ inline void exchange_one(uint32_t &low, uint32_t &high, bool gives_low, int apart)
{
    const uint32_t got = __shfl_xor_sync(~0u, gives_low ? low : high, apart);
    low = gives_low ? got : low;
    high = gives_low ? high : got;
}

/* Of four lanes, lane t gets word t of each. */
__device__ inline void exchange_words(uint32_t (&words)[4])
{
    const bool odd = (threadIdx.x & 1) != 0, second = (threadIdx.x & 2) != 0;
    exchange_one(words[0], words[1], odd, 1);
    exchange_one(words[2], words[3], odd, 1);
    exchange_one(words[0], words[2], second, 2);
    exchange_one(words[1], words[3], second, 2);
}

/* Eight halves, or as many as there are columns. */
template <typename Half>
__device__ void store_words(Half *to, const uint32_t (&words)[4], unsigned columns)
{
    if (columns >= 8) {
        vector<uint32_t> whole = {{words[0], words[1], words[2], words[3]}};
        *reinterpret_cast<vector<uint32_t> *>(to) = whole;
        return;
    }
    PRIM_UNROLL(8)
    for (unsigned e = 0; e < 8; e++)
        if (e < columns)
            to[e] = Half{static_cast<uint16_t>(words[e / 2] >> e % 2 * 16)};
}

/* alpha · sums of halves, where beta = 0 and each row is one of vectors. */
template <unsigned N, typename Half>
__device__ void store_vectors(const c_matrices &c, const c_corner<Half> &at,
                              const float (&sums)[N / 2])
{
    PRIM_UNROLL(2)
    for (unsigned half = 0; half < 2; half++) {
        Half *const row = at.data + 8 * half * at.ld;
        PRIM_UNROLL(8)
        for (unsigned j = 0; j < N / 8; j += 4) {
            uint32_t words[4];
            PRIM_UNROLL(4)
            for (unsigned i = 0; i < 4; i++) {
                const float *const two = &sums[4 * (j + i) + 2 * half];
                words[i] = two_halves<Half>(c.scale.of(0, two[0]), c.scale.of(0, two[1]));
            }
            exchange_words(words);
            if (8 * half < at.rows && 8 * j < at.columns)
                store_words(&row[8 * j], words, at.columns - 8 * j);
        }
    }
}

template <unsigned N, typename Half>
__device__ void store_sums(const c_matrices &c, size_t matrix, unsigned row, unsigned column,
                           const float (&sums)[N / 2])
{
    if (!c.is_half)
        store_pairs<N>(c, corner_of<float>(c, matrix, row, column, 2), sums);
    else if (c.in_vectors)
        store_vectors<N>(c, corner_of<Half>(c, matrix, row, column, 8), sums);
    else if (!c.in_pairs && c.scale.beta == 0)
        store_shifted<N>(c, corner_of<Half>(c, matrix, row, column, 0), sums);
    else
        store_pairs<N>(c, corner_of<Half>(c, matrix, row, column, 2), sums);
}

} // namespace boxes
} // namespace

#endif
