/* XNOR_TILED, XNOR_TILED_TRANSPOSED: the tiled kernel on packed words, 16 × 16 of them, with the
 * bit counts in shared memory too; tiles.cuh draws it.
 *
 * The two differ in what threadIdx.x counts. As the row, the lanes of a warp read down a column of
 * A's tile, 16 words apart: 16 rows in 2 banks, eight turns for one read; and they write C down a
 * column, a sector for each. As the column, they read one row of B's tile and one word of A's for
 * each half of the warp, and write C side by side.
 *
 * What holds them back: the look-ups. Lanes that ask for different words of one bank take turns,
 * and the table has 64 words in 32 banks; a GPU's own bit count needs none of this.
 *
 * Work: m · n · ⌈k / 32⌉ words, 4 look-ups each. Bytes from global memory: 8 m · n · ⌈k / 32⌉ / 16.
 */
#include "gemm/binary_product.cuh"
#include "gemm/tiles.cuh"

namespace
{

template <thread_x THREAD_X>
struct xnor_tiled_rung : device_rung {
    template <typename Product>
    static cudaError_t run(const problem<Product> &p, cudaStream_t stream)
    {
        return launch_squares<PRIM_BINARY_TILE>(stream, tiled<Product, PRIM_BINARY_TILE, THREAD_X>,
                                                p);
    }
};

} // namespace

cudaError_t prim_binary_xnor_tiled(const void *any)
{
    const prim_binary_gemm_args *args = static_cast<const prim_binary_gemm_args *>(any);
    return for_binary<xnor_tiled_rung<X_IS_ROW>, shared_table_product>(args, args->call.stream);
}

cudaError_t prim_binary_xnor_tiled_transposed(const void *any)
{
    const prim_binary_gemm_args *args = static_cast<const prim_binary_gemm_args *>(any);
    return for_binary<xnor_tiled_rung<X_IS_COLUMN>, shared_table_product>(args, args->call.stream);
}
