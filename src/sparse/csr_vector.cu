/* CSR_VECTOR: a warp for each row.
 *
 *     row   ■■■■■■■■ ■■■■■■■■ ■■■         lane l takes entries l, l + 32, …, coalesced; then
 *     lane  01234567 …                    the warp reduces its 32 sums: 16, 8, 4, 2, 1 apart
 *
 * Reads are coalesced, and a long row is shared by 32 lanes. What holds it back: a row of a few
 * entries leaves most lanes idle, and still costs the five steps of the reduction.
 *
 * Work: entries, and 31 additions a row. Steps: ⌈longest row / 32⌉ + 5. Bytes: entries once,
 * offsets, y, and x by column.
 * Source: N. Bell and M. Garland, NVIDIA 2008. */
#include "common/block/warp.cuh"
#include "sparse/csr/csr.cuh"

namespace
{
namespace csr_vector
{

template <typename T, typename Offset>
__global__ void __launch_bounds__(THREADS) multiply(csr_rows<Offset, T> m)
{
    const size_t row = this_thread() / WARP;
    const unsigned lane = threadIdx.x % WARP;
    if (row >= m.rows) /* the whole warp */
        return;
    T sum = 0;
    if (m.of.x != nullptr)
        for (size_t e = static_cast<size_t>(m.offsets[row]) + lane,
                    end = static_cast<size_t>(m.offsets[row + 1]);
             e < end; e += WARP)
            sum = m.of.add(sum, e);
    sum = reduce_warp<sum_operator>(sum);
    if (lane == 0)
        m.of.store(row, sum);
}

struct run_product : launch_run {
    template <typename T, typename Offset>
    static cudaError_t run(const prim_spmv_args *args)
    {
        return launch_csr(args, multiply<T, Offset>, THREADS / WARP);
    }
};

cudaError_t launch(const void *args)
{
    return dispatch_csr<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace csr_vector
} // namespace

PRIM_DEFINE_RUNG(spmv,
                 csr_vector) = {{PRIM_SPMV_CSR_VECTOR, "csr_vector", "CSR, a warp for each row"},
                                csr_why_not,
                                nullptr,
                                csr_vector::launch};
