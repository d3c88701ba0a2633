/* The CPU's product: any format, row by row. */
#include "common/host/threads.cuh"
#include "sparse/problem.cuh"
#include "sparse/rows/rows.h"

namespace
{
namespace host
{

template <typename V, typename X>
working_t<V> sum_of(const prim_row &row, const X *x)
{
    working_t<V> sum = 0;
    for (int s = 0; s < row.strip_count; s++) {
        const prim_strip &strip = row.strips[s];
        const V *values = static_cast<const V *>(strip.values);
        for (size_t i = 0; i < strip.count; i++) {
            const size_t entry = strip.first + i * strip.stride;
            sum = add_product(sum, number(values[entry]), number(x[strip.columns[entry]]));
        }
    }
    return sum;
}

struct host_version {
    template <typename V, typename X>
    static prim_status run(const prim_spmv_args *args, int threads)
    {
        (void)threads; /* without OpenMP */
        const entries<V, X> of = make_entries<V, X>(args, nullptr, nullptr);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
        for (size_t place = 0; place < args->matrix.rows; place++) {
            const prim_row row = prim_sparse_row_at(&args->matrix, place);
            of.store(row.row, of.x != nullptr ? sum_of<V>(row, of.x) : working_t<V>(0));
        }
        return PRIM_OK;
    }
    static prim_status not_built(const prim_spmv_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this build of the library has no code for these types",
                         args->call.name);
    }
};

} // namespace host
} // namespace

prim_status prim_spmv_on_host(const prim_spmv_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch_mixed<host::host_version>(args, threads) : status;
}
