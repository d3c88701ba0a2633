/* TILED_16, TILED_32: tiles of A and B in shared memory, one after the other along k.
 *
 *               B  ·[▒]·
 *                  ·[▒]·   step 0, 1, … down B and along A
 *     A  ·······
 *        [▒][▒]→   ·[C]·   each element is read n / side and m / side times, not n and m times
 *        ·······
 *
 * Each element of A and B is read from global memory once for a square of C instead of once for an
 * element: 16 or 32 times less often. Each product still costs two loads, but from shared memory.
 * What holds it back: those two loads (a thread computes one element only, so nothing stays in
 * registers), and two barriers for 16 or 32 products.
 *
 * Work: m · n · k products. Steps: k, and 2 · k / side barriers. Bytes from global memory:
 * 8 m · n · k / side for f32. Shared memory: 2 · side · (side + 1) elements.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * chapter 5. */
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "gemm/problem.cuh"

namespace
{
namespace tiled
{

/* Loads the square of a matrix at (row, column) into the tile, with zeros past the ends at (rows,
 * columns). Reads are coalesced: down the tile where the matrix is transposed. Rows are padded by a
 * word, which avoids bank conflicts then. */
template <typename T, unsigned SIDE>
__device__ void bring(T (&tile)[SIDE][SIDE + 1], const op_matrix<T> &from, size_t row,
                      size_t column, size_t rows, size_t columns)
{
    const bool transposed = from.column_stride != 1;
    const unsigned down = transposed ? threadIdx.x : threadIdx.y;
    const unsigned across = transposed ? threadIdx.y : threadIdx.x;
    const bool inside = row + down < rows && column + across < columns;
    tile[down][across] = inside ? from.at(row + down, column + across) : T(0);
}

template <typename T, unsigned SIDE>
__global__ void __launch_bounds__(SIDE *SIDE) multiply(problem<T> all)
{
    PRIM_SHARED(T, tile_a, [SIDE][SIDE + 1]);
    PRIM_SHARED(T, tile_b, [SIDE][SIDE + 1]);
    problem<T> p;
    if (!take_product(all, p))
        return;
    const square block = this_square(p.n, SIDE);
    T sum = 0;
    for (size_t begin = 0; begin < p.k; begin += SIDE) {
        bring(tile_a, p.a, block.row, begin, p.m, p.k);
        bring(tile_b, p.b, begin, block.column, p.k, p.n);
        __syncthreads();
        PRIM_UNROLL(8)
        for (unsigned k = 0; k < SIDE; k++)
            sum = add_product(sum, tile_a[threadIdx.y][k], tile_b[k][threadIdx.x]);
        __syncthreads(); /* before the next tiles are loaded */
    }
    const size_t row = block.row + threadIdx.y, column = block.column + threadIdx.x;
    if (row < p.m && column < p.n)
        p.store(row, column, sum);
}

template <unsigned SIDE>
struct lesson : squares_of_c<SIDE> {
    static constexpr dim3 BLOCK = {SIDE, SIDE};
    template <typename T>
    static constexpr block_kernel<T> kernel = multiply<T, SIDE>;
};

} // namespace tiled
} // namespace

PRIM_DEFINE_RUNG(gemm, tiled_16) = rung_of_blocks<PRIM_GEMM_TILED_16, tiled::lesson<16>>(
    "tiled_16", "16 × 16 tiles of A and B in shared memory");

PRIM_DEFINE_RUNG(gemm, tiled_32) = rung_of_blocks<PRIM_GEMM_TILED_32, tiled::lesson<32>>(
    "tiled_32", "32 × 32 tiles of A and B in shared memory");
