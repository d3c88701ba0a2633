/* NAIVE: a thread for each element of C, in blocks of 16 × 16.
 *
 *     thread (x, y):  C[y][x] = Σ A[y][k] · B[k][x]
 *
 * As in ROW_PER_BLOCK each product costs two loads, but a block now needs only 16 rows of A and 16
 * columns of B, so that the L1 cache has most of them; and there is a thread for each element
 * whatever the shape. What holds it back: one product for two loads.
 *
 * Work: m · n · k products. Steps: k. Bytes that pass L1: 8 m · n · k for f32. */
#include "gemm/problem.cuh"

namespace
{
namespace naive
{

constexpr unsigned SIDE = 16;

template <typename T>
__global__ void __launch_bounds__(SIDE *SIDE) multiply(problem<T> all)
{
    problem<T> p;
    if (!take_product(all, p))
        return;
    const square block = this_square(p.n, SIDE);
    const size_t row = block.row + threadIdx.y, column = block.column + threadIdx.x;
    if (row >= p.m || column >= p.n)
        return;
    T sum = 0;
    for (size_t k = 0; k < p.k; k++)
        sum = add_product(sum, p.a.at(row, k), p.b.at(k, column));
    p.store(row, column, sum);
}

struct lesson : squares_of_c<SIDE> {
    static constexpr dim3 BLOCK = {SIDE, SIDE};
    template <typename T>
    static constexpr block_kernel<T> kernel = multiply<T>;
};

} // namespace naive
} // namespace

PRIM_DEFINE_RUNG(gemm, naive) = rung_of_blocks<PRIM_GEMM_NAIVE, naive::lesson>(
    "naive", "a thread for each element of C, in blocks of 16 × 16");
