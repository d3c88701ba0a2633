/* XNOR_SHARED_ROW: SHARED_ROW's kernel on packed words.
 *
 * A's row comes from shared memory. It is short now, one word for 32 elements, so little is saved:
 * B's words and the bit counts still come from global memory.
 *
 * Work: m · n · ⌈k / 32⌉ words. Bytes that pass the caches: 8 m · n · ⌈k / 32⌉. */
#include "gemm/binary_product.cuh"
#include "gemm/rows.cuh"

namespace
{

struct xnor_shared_row_rung : device_rung {
    template <typename Product>
    static cudaError_t run(const problem<Product> &p, cudaStream_t stream)
    {
        return launch_rows(stream, shared_row<Product>, p);
    }
};

} // namespace

cudaError_t prim_binary_xnor_shared_row(const void *any)
{
    const prim_binary_gemm_args *args = static_cast<const prim_binary_gemm_args *>(any);
    return for_binary<xnor_shared_row_rung, global_table_product>(args, args->call.stream);
}
