/* JDS: rows sorted by length, a launch for each group of equal ones.
 *
 *     rows       by length     groups                    like ELL within a group, without padding
 *     0  ■■      2  ■■■■       width 4: row 2
 *     1  ■■      0  ■■         width 2: rows 0, 1, 3     y[permutation[place]] takes the sum
 *     2  ■■■■    1  ■■
 *     3  ■■      3  ■■
 *
 * The threads of a warp have rows of one length: none waits, and all reads are coalesced. Groups
 * run concurrently from compute capability 9.0 on. What holds it back: a matrix with many different
 * lengths needs many launches of few threads each; and writes of y are scattered by the
 * permutation.
 *
 * Work: entries. Steps: the sum of the groups' widths. Launches: groups. Bytes: entries once, the
 * permutation, y by sectors, x by column.
 * Source: Y. Saad, Krylov subspace methods on supercomputers, SIAM J. Sci. Stat. Comput. 10
 * (1989). */
#include "sparse/strip.cuh"

namespace
{
namespace jds
{

template <typename V, typename X>
__global__ void __launch_bounds__(THREADS)
    jds_group(const int32_t *row_at, prim_jds_group group, entries<V, X> of)
{
    const size_t place = this_thread();
    trigger_launch_completion(); /* groups write different rows, so the next launch need not wait */
    if (place < group.rows) {
        working_t<V> sum = 0;
        if (of.x != nullptr)
            sum = sum_of_strip(of, group.first_entry + place, group.rows, group.width);
        of.store(static_cast<size_t>(row_at[group.first_row + place]), sum);
    }
    grid_dependency_synchronize(); /* for work that waits for the last launch */
}

struct run_product : launch_run {
    template <typename V, typename X>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        const entries<V, X> of = make_entries<V, X>(args, m->column_indices, m->values);
        cudaError_t error = cudaSuccess;
        bool first = true;
        for (size_t g = 0; g < m->group_count && error == cudaSuccess; g++) {
            const prim_jds_group &group = m->h_groups[g];
            if (group.rows == 0)
                continue;
            const launch_config where = {args->call.stream, blocks_for(group.rows, THREADS),
                                         THREADS};
            error = first
                        ? prim_launch(where, jds_group<V, X>, m->permutation, group, of)
                        : prim_launch_dependent(where, jds_group<V, X>, m->permutation, group, of);
            first = false;
        }
        return error;
    }
};

const char *why_not(const void *args)
{
    return mixed_why_not(static_cast<const prim_spmv_args *>(args), PRIM_SPARSE_JDS);
}

cudaError_t launch(const void *args)
{
    return dispatch_mixed<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace jds
} // namespace

PRIM_DEFINE_RUNG(spmv, jds) = {
    {PRIM_SPMV_JDS, "jds", "JDS, rows sorted by length, a launch for each group of equal ones"},
    jds::why_not,
    nullptr,
    jds::launch};
