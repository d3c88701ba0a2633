/* NAIVE: a thread for each element of C, in blocks of 16 × 16.
 *
 *     thread (x, y):  C[y][x] = Σ A[y][k] · B[k][x]
 *
 * As in ROW_PER_BLOCK each product costs two loads, but a block now needs only 16 rows of A and 16
 * columns of B, so that the L1 cache has most of them; and there is a thread for each element
 * whatever the shape. What holds it back: one product for two loads.
 *
 * Work: m · n · k products. Steps: k. Bytes that pass L1: 8 m · n · k for f32. */
#include "gemm/gemm_problem.cuh"
#include "gemm/tiles.cuh"

namespace
{

struct naive_rung : device_rung {
    template <typename Product>
    static cudaError_t run(const problem<Product> &p, cudaStream_t stream)
    {
        return launch_squares<PRIM_GEMM_NAIVE_SIDE>(stream, naive<Product, PRIM_GEMM_NAIVE_SIDE>,
                                                    p);
    }
};

} // namespace

cudaError_t prim_gemm_naive(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return for_gemm<naive_rung>(args, args->call.stream);
}
