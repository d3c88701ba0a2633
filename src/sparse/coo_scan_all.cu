/* COO_SCAN_ALL: each row's thread reads all entries and adds up those of its row.
 *
 *     entries   (0,1) (0,3) (2,0) (2,2) …     all threads read the same entry in the same step,
 *     thread 2    ·     ·    +=    +=   …     and most of them skip it
 *
 * Entries need no order, no thread waits for another, and no sum is shared. What holds it back: the
 * work, rows times entries.
 *
 * Work: rows · entries comparisons. Steps: entries. Bytes: every thread reads all row indices, from
 * the cache. */
#include "sparse/problem.cuh"

namespace
{
namespace coo_scan_all
{

template <typename T>
__global__ void __launch_bounds__(THREADS)
    multiply(const int32_t *row_of, size_t rows, size_t count, entries<T> of)
{
    const size_t row = this_thread();
    if (row >= rows)
        return;
    T sum = 0;
    for (size_t e = 0; of.x != nullptr && e < count; e++)
        if (static_cast<size_t>(row_of[e]) == row)
            sum = of.add(sum, e);
    of.store(row, sum);
}

struct run_product : launch_run {
    template <typename T>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        if (m->rows == 0)
            return cudaSuccess;
        return prim_launch({args->call.stream, blocks_for(m->rows, THREADS), THREADS}, multiply<T>,
                           m->row_indices, m->rows, m->entries,
                           make_entries<T>(args, m->column_indices, m->values));
    }
};

} // namespace coo_scan_all
} // namespace

PRIM_DEFINE_RUNG(spmv, coo_scan_all) = {
    {PRIM_SPMV_COO_SCAN_ALL, "coo_scan_all", "COO, each row's thread looks through all entries"},
    format_why_not<PRIM_SPARSE_COO>,
    nullptr,
    launch_product<coo_scan_all::run_product>};
