/* A tile of CSR's entries, and sums of rows that lie in it.
 *
 *     entries   ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■     copied as they lie, 16 bytes at a time
 *     rows      0   1 2     3        4             then each row in parts by its length: 1 part
 *     parts     ↓↓↓↓↓↓…                            up to 8 entries, 4 up to 64, 32 beyond
 *
 * Copies need no registers, and neighbouring lanes read neighbouring rows at the same place. Where
 * these have neighbouring columns, as in a stencil, a warp's reads of x are coalesced: 27 entries
 * of 32 rows take some 40 cache lines of x, where the entries in their own order would take 300.
 *
 * The number of a row's parts, and so the order of its sum, depends only on its length. The number
 * of lanes that share the parts does not change the order: a lane may have several, each with a sum
 * of its own. */
#ifndef PRIM_SPARSE_TILE_CUH
#define PRIM_SPARSE_TILE_CUH

#include "common/block/vectors.cuh"
#include "common/block/warp.cuh"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/shared.cuh"
#include "sparse/problem.cuh"
#include "sparse/rows/bits.cuh"

namespace
{

constexpr unsigned SHORT_ROW = 8, MIDDLE_ROW = 64; /* the longest rows of 1 part and of 4 */
constexpr unsigned MIDDLE_PARTS = 4;
constexpr unsigned TILE_THREADS = 256; /* a block's, for a tile of its own */

/* ---- staging ---- */

/* Bytes for `count` elements at any alignment. */
template <typename T>
__host__ __device__ constexpr unsigned staged_bytes(unsigned count)
{
    return (count * static_cast<unsigned>(sizeof(T)) + 2 * VECTOR_BYTES - 1) / VECTOR_BYTES *
           VECTOR_BYTES;
}

/* Starts copies by all threads; wait_for_copies() and a barrier end them. Returns where element 0
 * goes: as far past a multiple of 16 bytes as in global memory. No element outside the `count` ones
 * is read. */
template <typename T>
__device__ T *stage(unsigned char *shared, const T *global, unsigned count)
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

/* ---- x ---- */

/* Reads an entry's x by its column. */
template <typename X>
struct x_by_column {
    const X *x;

    __device__ working_t<X> of(int32_t column) const
    {
        return number(x[column]);
    }
};

/* Reads it from the column's place, after gather(). */
template <typename T>
struct x_in_place {
    __device__ T of(int32_t bits) const
    {
        return same_bits<T>(bits);
    }
};

/* Overwrites the columns with x. Neighbouring threads have neighbouring entries, whatever the rows,
 * and each has EACH in flight at once: where lengths differ much, lanes with a row each would wait
 * for the longest one. A thread reads only columns that it overwrites. */
template <unsigned EACH, typename X>
__device__ void gather(int32_t *columns, unsigned count, const X *x)
{
    using T = working_t<X>;
    for (unsigned first = threadIdx.x; first < count; first += EACH * TILE_THREADS) {
        T found[EACH] = {};
        PRIM_UNROLL(EACH)
        for (unsigned e = 0; e < EACH; e++)
            if (first + e * TILE_THREADS < count)
                found[e] = number(x[columns[first + e * TILE_THREADS]]);
        PRIM_UNROLL(EACH)
        for (unsigned e = 0; e < EACH; e++)
            if (first + e * TILE_THREADS < count)
                columns[first + e * TILE_THREADS] = same_bits<int32_t>(found[e]);
    }
}

/* ---- rows ---- */

/* x of a lane's next entries, every LANES-th of `left`; 0 past the last. */
template <unsigned LANES, unsigned STEPS, typename T, typename Column, class Find>
__device__ void fetch_x(T (&of_x)[STEPS], const Column *columns, const Find &x, unsigned left)
{
    PRIM_UNROLL(STEPS)
    for (unsigned b = 0; b < STEPS; b++) {
        of_x[b] = 0;
        if (b * LANES < left)
            of_x[b] = x.of(columns[b * LANES]);
    }
}

/* Adds their products to the lane's parts in turn. */
template <unsigned LANES, unsigned EACH, unsigned STEPS, typename T, typename V>
__device__ void add_products(T (&sum)[EACH], const T (&of_x)[STEPS], const V *values, unsigned left)
{
    static_assert(STEPS % EACH == 0, "whole rounds of the lane's parts");
    PRIM_UNROLL(STEPS)
    for (unsigned b = 0; b < STEPS; b++)
        if (b * LANES < left)
            sum[b % EACH] = add_product(sum[b % EACH], number(values[b * LANES]), of_x[b]);
}

/* The sum of a lane's parts, in the order in which lanes would add them: halves first. */
template <unsigned EACH, typename T>
__device__ T sum_of_parts(T (&sum)[EACH])
{
    PRIM_UNROLL(5)
    for (unsigned half = EACH / 2; half > 0; half /= 2) {
        PRIM_UNROLL(EACH)
        for (unsigned p = 0; p < half; p++)
            sum[p] = add(sum[p], sum[p + half]);
    }
    return sum[0];
}

/* The sum of one of LANES lanes that share a row in PARTS parts: part p has entries p, p + PARTS,
 * …, in this order, and lane l has parts l, l + LANES, …. STEPS of a lane's entries are in flight
 * at once. */
template <unsigned PARTS, unsigned LANES, unsigned STEPS, typename V, typename Column, class Find>
__device__ working_t<V> sum_of_lane(const Column *columns, const V *values, const Find &x,
                                    unsigned length, unsigned lane)
{
    using T = working_t<V>;
    T sum[PARTS / LANES] = {};
    for (unsigned s = lane; s < length; s += STEPS * LANES) {
        T of_x[STEPS];
        fetch_x<LANES>(of_x, columns + s, x, length - s);
        add_products<LANES>(sum, of_x, values + s, length - s);
    }
    return sum_of_parts(sum);
}

} // namespace

#endif
