/* ELL: every row has room for as many entries as the others, and the first entries of all rows lie
 * side by side, then the second ones:
 *
 *     rows       ell_columns, ell_values       thread r of a warp reads entry s of row r:
 *     a b c      a d f g                       neighbours, in every step
 *     d e        b e · h
 *     f          c · · ·                       · padding: the row has ended
 *     g h                                                                                 */
#ifndef PRIM_SPARSE_ELL_CUH
#define PRIM_SPARSE_ELL_CUH

#include "sparse/strip.cuh"

namespace
{

template <typename V, typename X>
struct ell_rows {
    size_t rows, width, ld;
    entries<V, X> of;
};

template <typename V, typename X>
__global__ void __launch_bounds__(THREADS) ell_product(ell_rows<V, X> m)
{
    const size_t row = this_thread();
    if (row >= m.rows)
        return;
    working_t<V> sum = 0;
    if (m.of.x != nullptr)
        sum = sum_of_strip(m.of, row, m.ld, m.width);
    m.of.store(row, sum);
}

template <typename V, typename X>
cudaError_t launch_ell(const prim_spmv_args *args)
{
    const prim_sparse *m = &args->matrix;
    if (m->rows == 0)
        return cudaSuccess;
    const ell_rows<V, X> rows = {m->rows, m->ell_width, m->ell_ld,
                                 make_entries<V, X>(args, m->ell_columns, m->ell_values)};
    return prim_launch({args->call.stream, blocks_for(m->rows, THREADS), THREADS},
                       ell_product<V, X>, rows);
}

} // namespace

#endif
