/* Products of a matrix and a vector in which neighbouring threads read neighbouring elements of A.
 * The rungs that use this differ in where x is.
 *
 * Transposed, reads are coalesced anyway. Not transposed, a row of A lies along memory, and threads
 * that walk along rows are not coalesced; so the block copies a tile of its rows into shared
 * memory first:
 *
 *     memory                        shared memory
 *     row 0  ▒▒▒▒▒▒▒▒·······   →    ▒▒▒▒▒▒▒▒    a warp brings 32 neighbours of a row at a time,
 *     row 1  ▒▒▒▒▒▒▒▒·······        ▒▒▒▒▒▒▒▒    then each thread walks its own row of the tile;
 *     row 2  ▒▒▒▒▒▒▒▒·······        ▒▒▒▒▒▒▒▒    33 words a row keep the lanes in different banks */
#ifndef PRIM_GEMV_COALESCED_CUH
#define PRIM_GEMV_COALESCED_CUH

#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "gemv/problem.cuh"

namespace
{

constexpr unsigned TILE_COLUMNS = 32; /* columns of op(A) at a time: as many as a warp has lanes */
constexpr unsigned BATCH = 8;         /* loads of A in flight in a thread */

/* Copies columns begin … begin + length of the block's rows into the tile: coalesced, with BATCH
 * of a thread's rows in flight before the first is stored. */
template <typename T>
__device__ void load_tile(T (&tile)[THREADS][TILE_COLUMNS + 1], const problem<T> &p, size_t begin,
                          unsigned length)
{
    constexpr unsigned WARPS = THREADS / TILE_COLUMNS;
    static_assert(TILE_COLUMNS % BATCH == 0, "a thread's rows come in whole batches");
    const size_t first = static_cast<size_t>(blockIdx.x) * THREADS;
    const unsigned lane = threadIdx.x % TILE_COLUMNS, warp = threadIdx.x / TILE_COLUMNS;
    for (unsigned row = warp; row < THREADS; row += BATCH * WARPS) {
        T loaded[BATCH];
        for (unsigned b = 0; b < BATCH; b++) {
            const size_t output = first + row + b * WARPS;
            loaded[b] = lane < length && output < p.outputs ? p.a.at(output, begin + lane) : T(0);
        }
        for (unsigned b = 0; b < BATCH; b++)
            tile[row + b * WARPS][lane] = loaded[b];
    }
}

/* Adds the products of one tile. X reads x: all threads call at(begin, i) for each column.
 * Transposed, straight from memory, with BATCH loads in flight. A thread past the end repeats the
 * last one's work, and stores nothing. */
template <typename T, typename X>
__device__ T along_memory(const problem<T> &p, const X &x, size_t begin, unsigned length, T sum)
{
    const size_t output = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    const size_t mine = output < p.outputs ? output : p.outputs - 1;
    unsigned i = 0;
    for (; i + BATCH <= length; i += BATCH) {
        T loaded[BATCH];
        for (unsigned b = 0; b < BATCH; b++)
            loaded[b] = p.a.at(mine, begin + i + b);
        for (unsigned b = 0; b < BATCH; b++)
            sum = add_product(sum, loaded[b], x.at(begin, i + b));
    }
    for (; i < length; i++)
        sum = add_product(sum, p.a.at(mine, begin + i), x.at(begin, i));
    return sum;
}

/* Not transposed, through the tile. */
template <typename T, typename X>
__device__ T through_tile(const problem<T> &p, const X &x, T (&tile)[THREADS][TILE_COLUMNS + 1],
                          size_t begin, unsigned length, T sum)
{
    __syncthreads(); /* all have read the tile before */
    load_tile(tile, p, begin, length);
    __syncthreads();
    PRIM_UNROLL(8)
    for (unsigned i = 0; i < length; i++)
        sum = add_product(sum, tile[threadIdx.x][i], x.at(begin, i));
    return sum;
}

/* x.prepare(begin, length) is called by all threads before each tile. */
template <typename T, typename X>
__device__ T add_tile(const problem<T> &p, X &x, T (&tile)[THREADS][TILE_COLUMNS + 1], size_t begin,
                      unsigned length, T sum)
{
    const bool transposed = p.a.column_stride != 1;
    x.prepare(begin, length);
    return transposed ? along_memory(p, x, begin, length, sum)
                      : through_tile(p, x, tile, begin, length, sum);
}

/* Whole tiles first: there the compiler knows the length. */
template <typename T, typename X>
__device__ void along_tiles(const problem<T> &p, X x)
{
    PRIM_SHARED(T, tile, [THREADS][TILE_COLUMNS + 1]);
    const size_t output = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    const size_t whole = p.inner / TILE_COLUMNS * TILE_COLUMNS;
    T sum = 0;
    for (size_t begin = 0; begin < whole; begin += TILE_COLUMNS)
        sum = add_tile(p, x, tile, begin, TILE_COLUMNS, sum);
    if (whole < p.inner)
        sum = add_tile(p, x, tile, whole, static_cast<unsigned>(p.inner - whole), sum);
    if (output < p.outputs)
        p.scale.store(&p.y[output], sum);
}

} // namespace

#endif
