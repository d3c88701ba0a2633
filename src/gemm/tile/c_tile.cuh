/* Tiles of C: which one a block has, and how sums that lie side by side are stored. */
#ifndef PRIM_GEMM_C_TILE_CUH
#define PRIM_GEMM_C_TILE_CUH

#include "common/block/vectors.cuh"
#include "common/kernel/tile_place.cuh"
#include "common/kernel/unroll.cuh"
#include "gemm/problem.cuh"

namespace
{

/* Whether a matrix is aligned to a vector of COUNT elements. */
template <typename T, unsigned COUNT>
__device__ bool is_aligned(const T *data)
{
    return reinterpret_cast<uintptr_t>(data) % (sizeof(T) * COUNT) == 0;
}

/* Stores up to COUNT sums side by side, as many as there are columns. */
template <unsigned COUNT, typename Out>
__device__ void store_some(const scaled<sum_of<Out>> &scale, Out *to, const sum_of<Out> *sums,
                           size_t columns, bool vectors)
{
    if (vectors && columns >= COUNT) {
        packed<Out, COUNT> *const there = reinterpret_cast<packed<Out, COUNT> *>(to);
        packed<Out, COUNT> values = {};
        if (scale.beta != 0)
            values = *there;
        Out *const elements = reinterpret_cast<Out *>(&values);
        PRIM_UNROLL(4)
        for (unsigned e = 0; e < COUNT; e++)
            scale.store(&elements[e], sums[e]);
        *there = values;
    } else {
        PRIM_UNROLL(4)
        for (unsigned e = 0; e < COUNT; e++)
            if (e < columns)
                scale.store(&to[e], sums[e]);
    }
}

/* A row of halves that begins anywhere, where beta = 0: of each 8 columns, lane t of four has the
 * sums of columns 2t and 2t + 1, and pair(j) is its pair of the j-th 8.
 *
 *     of the lanes   0 0 1 1 2 2 3 3 | 0 0 1 1 …
 *     words            1   2   3   0     1   …      of memory, if the row begins between two
 *
 * So each lane stores words, of which the second half may be the next lane's. `row` is where the
 * four have their first column, and `columns` that many are left, 0 in a row that is not there: all
 * lanes of a warp come here. */
template <unsigned BLOCKS, typename Half, class Pair>
__device__ void store_words_of_row(const scaled<float> &scale, Half *row, unsigned columns,
                                   Pair pair)
{
    const unsigned lane = threadIdx.x % 32, t = lane % 4, next_lane = lane - t + (t + 1) % 4,
                   odd = reinterpret_cast<uintptr_t>(row) / sizeof(Half) % 2,
                   end = columns < 8 * BLOCKS ? columns : 8 * BLOCKS;
    const auto word_of = [&](unsigned j) {
        const float *const two = pair(j);
        return two_halves<Half>(scale.of(0, two[0]), scale.of(0, two[1]));
    };
    uint32_t word = word_of(0);
    if (odd != 0 && t == 0 && end > 0)
        row[0] = Half{static_cast<uint16_t>(word)};
    PRIM_UNROLL(32)
    for (unsigned j = 0; j < BLOCKS; j++) {
        const uint32_t following = j + 1 < BLOCKS ? word_of(j + 1) : 0,
                       theirs = __shfl_sync(~0u, t == 0 ? following : word, next_lane),
                       mine = odd != 0 ? word >> 16 | theirs << 16 : word;
        const unsigned column = 8 * j + 2 * t + odd;
        if (column + 1 < end)
            *reinterpret_cast<uint32_t *>(&row[column]) = mine;
        else if (column < end)
            row[column] = Half{static_cast<uint16_t>(mine)};
        word = following;
    }
}

} // namespace

#endif
