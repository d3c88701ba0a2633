/* A tile of CSR's entries in shared memory, and sums of rows that lie in it.
 *
 *     entries   ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■     copied as they lie, 16 bytes at a time
 *     rows      0   1 2     3        4             then each row by as many lanes as it is long:
 *     lanes     ↓↓↓↓↓↓…                            1 up to 8 entries, 4 up to 64, 32 beyond
 *
 * Copies need no registers, and neighbouring lanes read neighbouring rows at the same place: where
 * these have neighbouring columns, as in a stencil, a warp's reads of x lie side by side, and 27
 * entries of 32 rows are some 40 lines of x, where the entries in their own order ask for 300.
 *
 * How many lanes a row has, and so the order of its sum, follows from its length alone. */
#ifndef PRIM_SPARSE_TILE_CUH
#define PRIM_SPARSE_TILE_CUH

#include "common/async_copy.cuh"
#include "common/shared.cuh"
#include "common/vectors.cuh"
#include "common/warp.cuh"
#include "sparse/problem.cuh"

namespace
{

constexpr unsigned SHORT_ROW = 8, MIDDLE_ROW = 64; /* the longest rows of 1 lane and of 4 */
constexpr unsigned MIDDLE_LANES = 4;
constexpr unsigned TILE_THREADS = 256; /* a block's, for a tile of its own */

/* ---- staging ---- */

/* Bytes for `count` elements, wherever between multiples of 16 bytes they begin. */
template <typename T>
__host__ __device__ constexpr unsigned staged_bytes(unsigned count)
{
    return (count * static_cast<unsigned>(sizeof(T)) + 2 * VECTOR_BYTES - 1) / VECTOR_BYTES *
           VECTOR_BYTES;
}

/* Begins copies by all threads; wait_for_copies() and a barrier end them. Returns where element 0
 * goes: as far past a multiple of 16 bytes as in global memory. No element beside the `count` ones
 * is read. */
template <typename T>
__device__ const T *stage(unsigned char *shared, const T *global, unsigned count)
{
    constexpr unsigned UNIT = VECTOR_ELEMENTS<T>;
    const unsigned past = bytes_past_vector(global) / sizeof(T), end = past + count;
    T *const to = reinterpret_cast<T *>(shared);
    for (unsigned i = threadIdx.x * UNIT; i < end; i += TILE_THREADS * UNIT) {
        if (i >= past && i + UNIT <= end) {
            copy_async(reinterpret_cast<vector<T> *>(to + i),
                       reinterpret_cast<const vector<T> *>(global + (i - past)));
        } else {
            for (unsigned e = i < past ? past : i; e < i + UNIT && e < end; e++)
                copy_async(to + e, global + (e - past));
        }
    }
    return to + past;
}

/* ---- rows ---- */

/* What a lane adds up of a row: entries lane, lane + LANES, …, in this order, BATCH of them under
 * way at once. */
template <unsigned LANES, unsigned BATCH, typename V, typename X>
__device__ working_t<V> sum_of_lane(const int32_t *columns, const V *values, const X *x,
                                    unsigned length, unsigned lane)
{
    using T = working_t<V>;
    T sum = 0;
    for (unsigned s = lane; s < length; s += BATCH * LANES) {
        T of_x[BATCH] = {};
        PRIM_UNROLL(BATCH)
        for (unsigned b = 0; b < BATCH; b++)
            if (b * LANES < length - s)
                of_x[b] = number(x[columns[s + b * LANES]]);
        PRIM_UNROLL(BATCH)
        for (unsigned b = 0; b < BATCH; b++)
            if (b * LANES < length - s)
                sum = add_product(sum, number(values[s + b * LANES]), of_x[b]);
    }
    return sum;
}

/* Where the lowest bit is set. */
__device__ inline unsigned lowest_bit(unsigned word)
{
#ifdef SIMT_BACKEND
    return static_cast<unsigned>(__builtin_ctz(word));
#else
    return static_cast<unsigned>(__ffs(static_cast<int>(word))) - 1;
#endif
}

} // namespace

#endif
