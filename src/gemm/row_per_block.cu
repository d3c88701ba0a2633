/* ROW_PER_BLOCK: a block for each row of C, its threads side by side.
 *
 *     block i     row i of A:  a0 a1 a2 …    every thread reads all of it, from global memory
 *                 thread t:  C[i][t] = a0·B[0][t] + a1·B[1][t] + …
 *
 * Neighbouring threads read neighbouring elements of B and write neighbouring ones of C, and all
 * of them read one element of A at a time: the reads are few and whole. What holds it back: every
 * block reads all of B, so B is read m times, and the caches have to carry it; each product costs
 * two loads.
 *
 * Work: m · n · k products. Steps: k · ⌈n / 256⌉. Bytes that pass the caches: 8 m · n · k for f32.
 * With an op on B, neighbouring threads read elements that lie ldb apart. */
#include "gemm/gemm_problem.cuh"
#include "gemm/rows.cuh"

namespace
{

struct row_per_block_rung : device_rung {
    template <typename Product>
    static cudaError_t run(const problem<Product> &p, cudaStream_t stream)
    {
        return launch_rows(stream, row_per_block<Product>, p);
    }
};

} // namespace

cudaError_t prim_gemm_row_per_block(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return for_gemm<row_per_block_rung>(args, args->call.stream);
}
