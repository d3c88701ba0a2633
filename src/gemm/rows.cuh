/* Kernels in which a block computes a row of C, and its threads stride over the row's columns:
 *
 *     A  ▒▒▒▒▒▒   block i reads row i      B  │ │ │    thread t reads columns t, t + threads, …
 *                                             │ │ │
 *                                          C  ▪ ▪ ▪    and writes them in row i */
#ifndef PRIM_GEMM_ROWS_CUH
#define PRIM_GEMM_ROWS_CUH

#include "common/launch.cuh"
#include "common/shared.cuh"
#include "gemm/operands.cuh"

namespace
{

constexpr unsigned ROW_THREADS = 256;
constexpr unsigned ROW_PIECE = 1024; /* elements of A's row that fit the shared memory at a time */

template <typename Product>
__global__ void __launch_bounds__(ROW_THREADS) row_per_block(problem<Product> p)
{
    const Product product = p.product.in_block();
    const size_t i = blockIdx.x;
    for (size_t j = threadIdx.x; j < p.n; j += ROW_THREADS) {
        typename Product::sum sum = 0;
        for (size_t k = 0; k < p.k; k++)
            sum = product.add_product(sum, p.a.at(i, k), p.b.at(k, j));
        product.store(&p.c[i * p.ldc + j], sum);
    }
}

/* A row that fits one piece is brought once; a longer one anew for each stride of columns. */
template <typename Product>
__global__ void __launch_bounds__(ROW_THREADS) shared_row(problem<Product> p)
{
    PRIM_SHARED(typename Product::element, row, [ROW_PIECE]);
    const Product product = p.product.in_block();
    const size_t i = blockIdx.x;
    for (size_t first = 0; first < p.n; first += ROW_THREADS) {
        const size_t j = first + threadIdx.x;
        typename Product::sum sum = 0;
        for (size_t begin = 0; begin < p.k; begin += ROW_PIECE) {
            const unsigned length =
                p.k - begin < ROW_PIECE ? static_cast<unsigned>(p.k - begin) : ROW_PIECE;
            if (first == 0 || p.k > ROW_PIECE) {
                __syncthreads(); /* the piece before is read to its end */
                for (unsigned k = threadIdx.x; k < length; k += ROW_THREADS)
                    row[k] = p.a.at(i, begin + k);
                __syncthreads();
            }
            for (unsigned k = 0; j < p.n && k < length; k++)
                sum = product.add_product(sum, row[k], p.b.at(begin + k, j));
        }
        if (j < p.n)
            product.store(&p.c[i * p.ldc + j], sum);
    }
}

template <typename Product>
cudaError_t launch_rows(cudaStream_t stream, void (*kernel)(problem<Product>),
                        const problem<Product> &p)
{
    if (p.m == 0 || p.n == 0)
        return cudaSuccess;
    return prim_launch(stream, static_cast<unsigned>(p.m), ROW_THREADS, kernel, p);
}

} // namespace

#endif
