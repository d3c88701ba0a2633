/* ROW_PER_BLOCK: a block for each row of C, its threads side by side.
 *
 *     block i     row i of A:  a0 a1 a2 …    every thread reads all of it, from global memory
 *                 thread t:  C[i][t] = a0·B[0][t] + a1·B[1][t] + …
 *
 * Neighbouring threads read neighbouring elements of B and write neighbouring ones of C, and all
 * of them read one element of A at a time: the reads are coalesced or broadcast. What holds it
 * back: every block reads all of B, so B is read m times, through the caches; each product costs
 * two loads.
 *
 * Work: m · n · k products. Steps: k · ⌈n / 256⌉. Bytes that pass the caches: 8 m · n · k for f32.
 * With an op on B, neighbouring threads read elements that lie ldb apart. */
#include "gemm/problem.cuh"

namespace
{
namespace row_per_block
{

constexpr unsigned THREADS = 256;

template <typename T>
__global__ void __launch_bounds__(THREADS) multiply(problem<T> all)
{
    problem<T> p;
    if (!take_product(all, p))
        return;
    const size_t i = blockIdx.x;
    for (size_t j = threadIdx.x; j < p.n; j += THREADS) {
        T sum = 0;
        for (size_t k = 0; k < p.k; k++)
            sum = add_product(sum, p.a.at(i, k), p.b.at(k, j));
        p.store(i, j, sum);
    }
}

struct lesson : rows_of_c {
    static constexpr dim3 BLOCK = THREADS;
    template <typename T>
    static constexpr block_kernel<T> kernel = multiply<T>;
};

} // namespace row_per_block
} // namespace

PRIM_DEFINE_RUNG(gemm, row_per_block) =
    rung_of_blocks<PRIM_GEMM_ROW_PER_BLOCK, row_per_block::lesson>(
        "row_per_block", "a block for each row of C, its threads side by side");
