/* C from the counts of a warpgroup of WGMMA.
 *
 *     a lane's sums     elements 2t and 2t + 1 of each 8 lines of B, in rows g and g + 8 of its
 *                       warp's 16; by the lines' order (operands.h) these are
 *     of each 16        columns 4t … 4t + 3: 16 bytes of C, or four bits of a layer's word */
#ifndef PRIM_BINARY_GEMM_C_OF_WARPGROUP_CUH
#define PRIM_BINARY_GEMM_C_OF_WARPGROUP_CUH

#include "binary_gemm/counts.cuh"
#include "binary_gemm/operands.h"
#include "common/block/vectors.cuh"
#include "common/kernel/async_copy.cuh"
#include "common/tensor/wgmma.cuh"

namespace
{
namespace wgmma
{

constexpr unsigned CONSUMERS = 2, M = CONSUMERS * WGMMA_M, N = 256; /* of a tile */
constexpr unsigned GROUP = PRIM_BINARY_COLUMN_GROUP;

/* Which consumer a thread belongs to; after the producer's warpgroup. */
__device__ inline unsigned consumer()
{
    return threadIdx.x / WARPGROUP - 1;
}

/* Of a tile. */
struct corner {
    unsigned row, column;
};

/* What a warp needs of the columns of its tile, beforehand: while it stores, loads from global
 * memory would wait behind the stores. */
struct columns {
    uint32_t terms[N];
    int32_t thresholds[N]; /* of TO_BITS */
};

/* What becomes of counts. */
struct outcome {
    const uint32_t *row_terms, *column_terms;
    const int32_t *thresholds; /* of TO_BITS */
    void *c;
    size_t ldc;
    unsigned m, n;
    uint32_t factor;
    output to;
    bool in_vectors;
};

/* Columns past the end have anything. */
template <typename T>
__device__ void bring_line(T (&to)[N], const T *from, unsigned column, unsigned end)
{
    PRIM_UNROLL(2)
    for (unsigned i = threadIdx.x % 32; i < N; i += 32)
        if (column + i < end)
            copy_async(&to[i], &from[column + i]);
}

__device__ inline void bring_columns(columns &to, const outcome &o, unsigned column)
{
    __syncwarp(); /* all lanes have done with the tile before */
    bring_line(to.terms, o.column_terms, column, o.n);
    if (o.to == TO_BITS)
        bring_line(to.thresholds, o.thresholds, column, o.n);
}

/* Where a lane's sums of a tile go, and what is added to them. It has two rows, 8 apart, and of
 * each 16 columns the four from `column` on. */
struct destination {
    unsigned row, column;
    bool is_whole; /* the tile: all of it is there */
    uint32_t row_terms[2];
};

/* Begins what is needed to make C of counts, before these are there. */
__device__ inline destination prepare(columns &of_warp, const outcome &o, corner tile)
{
    destination to;
    const unsigned warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    bring_columns(of_warp, o, tile.column);
    to.row = tile.row + consumer() * WGMMA_M + 16 * warp + lane / 4;
    to.column = tile.column + lane % 4 * 4;
    to.is_whole = tile.row + M <= o.m && tile.column + N <= o.n;
    PRIM_UNROLL(2)
    for (unsigned half = 0; half < 2; half++)
        to.row_terms[half] = to.row + 8 * half < o.m ? o.row_terms[to.row + 8 * half] : 0;
    return to;
}

/* The four values of a row and of group i of columns. */
__device__ inline void make_values(int32_t (&values)[4], const outcome &o, const columns &of,
                                   const destination &to, const int32_t (&sums)[N / 2], unsigned i,
                                   unsigned half)
{
    const vector<uint32_t> terms = load_vector(&of.terms[GROUP * i + to.column % GROUP]);
    PRIM_UNROLL(4)
    for (unsigned e = 0; e < 4; e++) {
        const uint32_t both = static_cast<uint32_t>(sums[8 * i + e / 2 * 4 + half * 2 + e % 2]);
        values[e] = static_cast<int32_t>(o.factor * both + to.row_terms[half] + terms.words[e]);
    }
}

template <typename Out>
__device__ void store_four(Out *to, const int32_t (&values)[4])
{
    vector<Out> four;
    PRIM_UNROLL(4)
    for (unsigned e = 0; e < 4; e++)
        four.words[e] = static_cast<Out>(values[e]);
    store_vector_streaming(to, four);
}

/* As many as there are columns. */
template <typename Out>
__device__ void store_some(Out *to, const int32_t (&values)[4], unsigned left, bool in_vectors)
{
    if (in_vectors && left >= 4) {
        store_four(to, values);
        return;
    }
    PRIM_UNROLL(4)
    for (unsigned e = 0; e < 4; e++)
        if (e < left)
            to[e] = static_cast<Out>(values[e]);
}

/* A lane's part of a warpgroup's 64 × N. */
template <typename Out, bool IS_WHOLE>
__device__ void store_values(const outcome &o, const columns &of, const destination &to,
                             const int32_t (&sums)[N / 2])
{
    const unsigned left = o.n > to.column ? o.n - to.column : 0;
    Out *const c = static_cast<Out *>(o.c) + to.row * o.ldc + to.column;
    PRIM_UNROLL(N / GROUP)
    for (unsigned i = 0; i < N / GROUP; i++) {
        PRIM_UNROLL(2)
        for (unsigned half = 0; half < 2; half++) {
            Out *const there = c + 8 * half * o.ldc + GROUP * i;
            int32_t values[4];
            make_values(values, o, of, to, sums, i, half);
            if constexpr (IS_WHOLE)
                store_four(there, values);
            else if (to.row + 8 * half < o.m && GROUP * i < left)
                store_some(there, values, left - GROUP * i, o.in_vectors);
        }
    }
}

/* Of a layer: a lane's four bits of the group. */
__device__ inline uint32_t bits_of(const int32_t (&values)[4], const int32_t *thresholds)
{
    const vector<int32_t> least = load_vector(thresholds);
    uint32_t bits = 0;
    PRIM_UNROLL(4)
    for (unsigned e = 0; e < 4; e++)
        bits |= static_cast<uint32_t>(values[e] >= least.words[e]) << e;
    return bits;
}

/* The four lanes of a row have eight bits each. All lanes of the warp come here together. */
__device__ inline void store_word(const outcome &o, unsigned row, unsigned word, uint32_t bits)
{
    const unsigned column = word * WORD_BITS, left = o.n > column ? o.n - column : 0;
    bits |= __shfl_xor_sync(0xffffffffu, bits, 1);
    bits |= __shfl_xor_sync(0xffffffffu, bits, 2);
    bits &= left < WORD_BITS ? (1u << left) - 1 : 0xffffffffu;
    if (threadIdx.x % 4 == word % 4 && row < o.m && left > 0)
        static_cast<uint32_t *>(o.c)[row * o.ldc + word] = bits;
}

__device__ inline void store_bits(const outcome &o, const columns &of, const destination &to,
                                  const int32_t (&sums)[N / 2])
{
    const unsigned own = to.column % GROUP;
    PRIM_UNROLL(N / WORD_BITS)
    for (unsigned word = 0; word < N / WORD_BITS; word++) {
        PRIM_UNROLL(2)
        for (unsigned half = 0; half < 2; half++) {
            uint32_t bits = 0;
            PRIM_UNROLL(2)
            for (unsigned i = 2 * word; i < 2 * word + 2; i++) {
                int32_t values[4];
                make_values(values, o, of, to, sums, i, half);
                bits |= bits_of(values, &of.thresholds[GROUP * i + own]) << (i % 2 * GROUP + own);
            }
            store_word(o, to.row + 8 * half, to.column / WORD_BITS + word, bits);
        }
    }
}

template <typename Out>
__device__ void store_tile_of(const outcome &o, const columns &of, const destination &to,
                              const int32_t (&sums)[N / 2])
{
    if (to.is_whole && o.in_vectors)
        store_values<Out, true>(o, of, to, sums);
    else
        store_values<Out, false>(o, of, to, sums);
}

__device__ inline void store_tile(const outcome &o, const columns &of, const destination &to,
                                  const int32_t (&sums)[N / 2])
{
    if (o.to == TO_I32)
        store_tile_of<int32_t>(o, of, to, sums);
    else if (o.to == TO_F32)
        store_tile_of<float>(o, of, to, sums);
    else
        store_bits(o, of, to, sums);
}

} // namespace wgmma
} // namespace

#endif
