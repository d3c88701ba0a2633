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

} // namespace

#endif
