/* XNOR_GLOBAL: ROW_PER_BLOCK's kernel on packed words, with the bit counts in a table in global
 * memory.
 *
 *     A's word ─┐
 *               xor ──→ 4 bytes ──→ 4 look-ups ──→ + + +      32 products of ±1 in one step
 *     B's word ─┘
 *
 * A 32nd of the bytes and steps of a product of floats. What holds it back: B is read m times, and
 * a step costs two words and four look-ups.
 *
 * Work: m · n · ⌈k / 32⌉ words. Bytes that pass the caches: 12 m · n · ⌈k / 32⌉. */
#include "gemm/binary_product.cuh"
#include "gemm/rows.cuh"

namespace
{

struct xnor_global_rung : device_rung {
    template <typename Product>
    static cudaError_t run(const problem<Product> &p, cudaStream_t stream)
    {
        return launch_rows(stream, row_per_block<Product>, p);
    }
};

} // namespace

cudaError_t prim_binary_xnor_global(const void *any)
{
    const prim_binary_gemm_args *args = static_cast<const prim_binary_gemm_args *>(any);
    return for_binary<xnor_global_rung, global_table_product>(args, args->call.stream);
}
