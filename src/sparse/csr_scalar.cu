/* CSR_SCALAR: a thread for each row.
 *
 *     row 0   ■■■            thread 0   3 steps
 *     row 1   ■              thread 1   1 step, then it waits for its warp
 *     row 2   ■■■■■■■■■■     thread 2   10 steps: the whole warp takes that many
 *
 * In one step the threads of a warp read entries that lie a row's length apart: not coalesced, a
 * sector of 32 bytes for 4 bytes each. What holds it back: that, and the longest row of each warp.
 * Good for rows of a few entries.
 *
 * Work: entries. Steps: the longest row. Bytes: entries once (value and column) if L1 keeps the
 * sectors, offsets, y, and x by column.
 * Source: N. Bell and M. Garland, NVIDIA 2008. */
#include "sparse/csr/csr.cuh"

namespace
{
namespace csr_scalar
{

template <typename T, typename Offset>
__global__ void __launch_bounds__(THREADS) multiply(csr_rows<Offset, T> m)
{
    const size_t row = this_thread();
    if (row >= m.rows)
        return;
    T sum = 0;
    if (m.of.x != nullptr)
        for (Offset e = m.offsets[row]; e < m.offsets[row + 1]; e++)
            sum = m.of.add(sum, static_cast<size_t>(e));
    m.of.store(row, sum);
}

struct run_product : launch_run {
    template <typename T, typename Offset>
    static cudaError_t run(const prim_spmv_args *args)
    {
        return launch_csr(args, multiply<T, Offset>, THREADS);
    }
};

cudaError_t launch(const void *args)
{
    return dispatch_csr<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace csr_scalar
} // namespace

PRIM_DEFINE_RUNG(spmv,
                 csr_scalar) = {{PRIM_SPMV_CSR_SCALAR, "csr_scalar", "CSR, a thread for each row"},
                                csr_why_not,
                                nullptr,
                                csr_scalar::launch};
