/* ELL: every row has room for as many entries as the others, and the first entries of all rows lie
 * side by side, then the second ones:
 *
 *     rows       ell_columns, ell_values       thread r of a warp reads entry s of row r:
 *     a b c      a d f g                       neighbours, in every step
 *     d e        b e · h
 *     f          c · · ·                       · padding: the row is over
 *     g h                                                                                 */
#ifndef PRIM_SPARSE_ELL_CUH
#define PRIM_SPARSE_ELL_CUH

#include "sparse/problem.cuh"

namespace
{

template <typename T>
struct ell_rows {
    size_t rows, width, ld;
    entries<T> of;
};

template <typename T>
__global__ void __launch_bounds__(THREADS) ell_product(ell_rows<T> m)
{
    const size_t row = this_thread();
    if (row >= m.rows)
        return;
    T sum = 0;
    for (size_t s = 0; m.of.x != nullptr && s < m.width; s++) {
        const size_t entry = s * m.ld + row;
        if (m.of.columns[entry] < 0)
            break;
        sum = m.of.add(sum, entry);
    }
    m.of.scale.store(&m.of.y[row], sum);
}

template <typename T>
cudaError_t launch_ell(const prim_spmv_args *args)
{
    const prim_sparse *m = &args->matrix;
    if (m->rows == 0)
        return cudaSuccess;
    const ell_rows<T> rows = {m->rows, m->ell_width, m->ell_ld,
                              make_entries<T>(args, m->ell_columns, m->ell_values)};
    return prim_launch({args->call.stream, blocks_for(m->rows, THREADS), THREADS}, ell_product<T>,
                       rows);
}

} // namespace

#endif
