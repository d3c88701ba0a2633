/* TILED_16, TILED_32: tiles of A and B in shared memory; tiles.cuh draws it.
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
#include "gemm/gemm_problem.cuh"
#include "gemm/tiles.cuh"

namespace
{

template <unsigned SIDE>
struct tiled_rung : device_rung {
    template <typename Product>
    static cudaError_t run(const problem<Product> &p, cudaStream_t stream)
    {
        return launch_squares<SIDE>(stream, tiled<Product, SIDE, X_IS_COLUMN>, p);
    }
};

} // namespace

cudaError_t prim_gemm_tiled_16(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return for_gemm<tiled_rung<16>>(args, args->call.stream);
}

cudaError_t prim_gemm_tiled_32(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return for_gemm<tiled_rung<32>>(args, args->call.stream);
}
