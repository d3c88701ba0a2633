/* CSR_VECTOR: a warp for each row.
 *
 *     row   ■■■■■■■■ ■■■■■■■■ ■■■         lane l takes entries l, l + 32, …, side by side;
 *     lane  01234567 …                    then the 32 sums fold: 16, 8, 4, 2, 1 lanes apart
 *
 * Reads are whole, and a long row is shared out. What holds it back: a row of a few entries leaves
 * most lanes without any, and costs five steps of folding all the same.
 *
 * Work: entries, and 31 additions a row. Steps: ⌈longest row / 32⌉ + 5. Bytes: entries once,
 * offsets, y, and x as the columns ask for it.
 * Source: N. Bell and M. Garland, NVIDIA 2008. */
#include "sparse/csr.cuh"

namespace
{

constexpr unsigned LANES = 32;

template <typename T, typename Offset>
__global__ void __launch_bounds__(THREADS) csr_vector(csr_rows<T, Offset> m)
{
    const size_t row = this_thread() / LANES;
    const unsigned lane = threadIdx.x % LANES;
    if (row >= m.rows) /* the whole warp */
        return;
    T sum = 0;
    if (m.of.x != nullptr)
        for (size_t e = static_cast<size_t>(m.offsets[row]) + lane,
                    end = static_cast<size_t>(m.offsets[row + 1]);
             e < end; e += LANES)
            sum = m.of.add(sum, e);
    for (unsigned apart = LANES / 2; apart > 0; apart /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, apart);
    if (lane == 0)
        m.of.scale.store(&m.of.y[row], sum);
}

struct csr_vector_rung {
    template <typename T, typename Offset>
    static cudaError_t csr(const prim_spmv_args *args)
    {
        return launch_csr(args, csr_vector<T, Offset>, THREADS / LANES);
    }
};

} // namespace

cudaError_t prim_spmv_csr_vector(const void *args)
{
    return for_values<for_offsets<csr_vector_rung>>(static_cast<const prim_spmv_args *>(args));
}
