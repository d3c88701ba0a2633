/* JDS: rows sorted by length, a launch for each group of equal ones.
 *
 *     rows       by length     groups                    like ELL within a group, without padding
 *     0  ■■      2  ■■■■       width 4: row 2
 *     1  ■■      0  ■■         width 2: rows 0, 1, 3     y[permutation[place]] takes the sum
 *     2  ■■■■    1  ■■
 *     3  ■■      3  ■■
 *
 * The threads of a warp have rows of one length: none waits, and all reads are whole. What holds it
 * back: a matrix with many different lengths needs many launches of few threads each, one behind
 * the other; and y is written where the permutation says.
 *
 * Work: entries. Steps: the sum of the groups' widths. Launches: groups. Bytes: entries once, the
 * permutation, y in sectors, x as the columns ask for it.
 * Source: Y. Saad, Krylov subspace methods on supercomputers, SIAM J. Sci. Stat. Comput. 10
 * (1989). */
#include "sparse/problem.cuh"

namespace
{
namespace jds
{

template <typename T>
__global__ void __launch_bounds__(THREADS)
    jds_group(const int32_t *row_at, prim_jds_group group, entries<T> of)
{
    const size_t place = this_thread();
    if (place >= group.rows)
        return;
    T sum = 0;
    for (size_t s = 0; of.x != nullptr && s < group.width; s++)
        sum = of.add(sum, group.first_entry + s * group.rows + place);
    of.scale.store(&of.y[row_at[group.first_row + place]], sum);
}

struct run_product : launch_run {
    template <typename T>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        const entries<T> of = make_entries<T>(args, m->column_indices, m->values);
        cudaError_t error = cudaSuccess;
        for (size_t g = 0; g < m->group_count && error == cudaSuccess; g++)
            if (m->h_groups[g].rows > 0)
                error = prim_launch(
                    {args->call.stream, blocks_for(m->h_groups[g].rows, THREADS), THREADS},
                    jds_group<T>, m->permutation, m->h_groups[g], of);
        return error;
    }
};

const char *why_not(const void *args)
{
    return format_why_not(static_cast<const prim_spmv_args *>(args), PRIM_SPARSE_JDS);
}

cudaError_t launch(const void *args)
{
    return dispatch<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace jds
} // namespace

PRIM_DEFINE_RUNG(spmv, jds) = {
    {PRIM_SPMV_JDS, "jds", "JDS, rows sorted by length, a launch for each group of equal ones"},
    jds::why_not,
    nullptr,
    jds::launch};
