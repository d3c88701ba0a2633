/* Kernels in which a block computes a square of C, a thread each element.
 *
 * The tiled one brings squares of A and B into shared memory, one behind the other along k. Each
 * element then serves a whole row or column of threads:
 *
 *               B  ·[▒]·
 *                  ·[▒]·   step 0, 1, … down B and along A
 *     A  ·······
 *        [▒][▒]→   ·[C]·   each element is read n / side and m / side times, not n and m times
 *        ·······
 *
 * THREAD_X says what threadIdx.x counts. Threads of a warp differ in x first: where x is the
 * column, they read one row of B's tile and write one row of C, side by side. Where it is the row,
 * they read down a column of A's tile, whose elements lie `side` words apart in two of the 32
 * banks, and write down a column of C. */
#ifndef PRIM_GEMM_TILES_CUH
#define PRIM_GEMM_TILES_CUH

#include "common/launch.cuh"
#include "common/shared.cuh"
#include "common/sizes.h"
#include "common/unroll.cuh"
#include "gemm/operands.cuh"

namespace
{

enum thread_x { X_IS_COLUMN, X_IS_ROW };

/* A thread's place in its block's square, and that square's first element in C. Squares lie along
 * one dimension of the grid, row by row. */
template <unsigned SIDE>
struct square {
    unsigned x, y; /* column and row */
    size_t first_row, first_column;

    __device__ square(size_t n, thread_x counts)
        : x(counts == X_IS_COLUMN ? threadIdx.x : threadIdx.y),
          y(counts == X_IS_COLUMN ? threadIdx.y : threadIdx.x)
    {
        const unsigned across = static_cast<unsigned>((n + SIDE - 1) / SIDE);
        first_row = static_cast<size_t>(blockIdx.x / across) * SIDE;
        first_column = static_cast<size_t>(blockIdx.x % across) * SIDE;
    }
    __device__ size_t row() const
    {
        return first_row + y;
    }
    __device__ size_t column() const
    {
        return first_column + x;
    }
};

template <typename Product, unsigned SIDE>
__global__ void __launch_bounds__(SIDE *SIDE) naive(problem<Product> p)
{
    const Product product = p.product.in_block();
    const square<SIDE> s(p.n, X_IS_COLUMN);
    if (s.row() >= p.m || s.column() >= p.n)
        return;
    typename Product::sum sum = 0;
    for (size_t k = 0; k < p.k; k++)
        sum = product.add_product(sum, p.a.at(s.row(), k), p.b.at(k, s.column()));
    product.store(&p.c[s.row() * p.ldc + s.column()], sum);
}

/* Brings f's square at (row, column) into the tile, with zeros behind its ends at (rows, columns).
 * x runs along memory: where f is transposed, that is down the tile. */
template <typename T, unsigned SIDE, unsigned WIDTH>
__device__ void bring(T (&tile)[SIDE][WIDTH], const factor<T> &f, unsigned x, unsigned y,
                      size_t row, size_t column, size_t rows, size_t columns)
{
    const bool transposed = f.column_stride != 1;
    const unsigned down = transposed ? x : y, across = transposed ? y : x;
    const bool inside = row + down < rows && column + across < columns;
    tile[down][across] = inside ? f.at(row + down, column + across) : T(0);
}

/* With x as the column the tiles are one word wider than the square, so that a transposed one can
 * be written down its columns without two lanes meeting in a bank. */
template <typename Product, unsigned SIDE, thread_x THREAD_X>
__global__ void __launch_bounds__(SIDE *SIDE) tiled(problem<Product> p)
{
    constexpr unsigned WIDTH = THREAD_X == X_IS_COLUMN ? SIDE + 1 : SIDE;
    using element = typename Product::element;
    PRIM_SHARED(element, tile_a, [SIDE][WIDTH]);
    PRIM_SHARED(element, tile_b, [SIDE][WIDTH]);
    const Product product = p.product.in_block();
    const square<SIDE> s(p.n, THREAD_X);
    typename Product::sum sum = 0;
    for (size_t begin = 0; begin < p.k; begin += SIDE) {
        bring(tile_a, p.a, s.x, s.y, s.first_row, begin, p.m, p.k);
        bring(tile_b, p.b, s.x, s.y, begin, s.first_column, p.k, p.n);
        __syncthreads();
        PRIM_UNROLL(8) /* all 16 at once, and the look-ups of binary products spill */
        for (unsigned k = 0; k < SIDE; k++)
            sum = product.add_product(sum, tile_a[s.y][k], tile_b[k][s.x]);
        __syncthreads(); /* before the next tiles come */
    }
    if (s.row() < p.m && s.column() < p.n)
        product.store(&p.c[s.row() * p.ldc + s.column()], sum);
}

template <unsigned SIDE, typename Product>
cudaError_t launch_squares(cudaStream_t stream, void (*kernel)(problem<Product>),
                           const problem<Product> &p)
{
    if (p.m == 0 || p.n == 0)
        return cudaSuccess;
    const size_t squares = prim_divide_up(p.m, SIDE) * prim_divide_up(p.n, SIDE);
    return prim_launch(stream, static_cast<unsigned>(squares), dim3(SIDE, SIDE), kernel, p);
}

} // namespace

#endif
