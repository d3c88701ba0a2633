/* SHARED_ROW: a block for each row of C, with A's row in shared memory.
 *
 *     A's row i ──→ shared memory, 1024 elements at a time ──→ read by all 256 threads
 *     B         ──→ read from global memory, as in ROW_PER_BLOCK
 *
 * Half of the loads now come from shared memory, one word for all lanes. What still holds it back:
 * it was the cheap half; B is read m times as before.
 *
 * Work: m · n · k products. Steps: k · ⌈n / 256⌉. Bytes that pass the caches: 4 m · n · k for f32,
 * and A ⌈n / 256⌉ times where k is more than 1024. */
#include "gemm/gemm_problem.cuh"
#include "gemm/rows.cuh"

namespace
{

struct shared_row_rung : device_rung {
    template <typename Product>
    static cudaError_t run(const problem<Product> &p, cudaStream_t stream)
    {
        return launch_rows(stream, shared_row<Product>, p);
    }
};

} // namespace

cudaError_t prim_gemm_shared_row(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return for_gemm<shared_row_rung>(args, args->call.stream);
}
