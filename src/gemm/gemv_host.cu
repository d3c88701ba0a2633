/* gemv on the CPU: a matrix of one column is what x and y are. */
#include "gemm/gemv_problem.cuh"
#include "gemm/host.cuh"

namespace
{

/* Transposed, y is a row: so both ops run along A as it lies. */
template <typename T>
problem<dense_product<T>> as_matrices(const vector_problem<T> &p)
{
    const factor<T> x_row = {p.x, 0, 1};
    const factor<T> a_transposed = {p.a.data, p.a.column_stride, p.a.row_stride};
    return {x_row, a_transposed, p.y, 1, p.outputs, p.inner, p.outputs, p.product};
}

struct gemv_on_host {
    template <typename T>
    static prim_status run(const vector_problem<T> &p, int threads)
    {
        (void)threads; /* without OpenMP */
        const problem<dense_product<T>> row = as_matrices(p);
        const size_t groups = (p.outputs + HOST_COLUMNS - 1) / HOST_COLUMNS;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
        for (size_t group = 0; group < groups; group++) {
            const size_t first = group * HOST_COLUMNS, left = p.outputs - first;
            multiply_columns(row, 0, first, left < HOST_COLUMNS ? left : HOST_COLUMNS);
        }
        return PRIM_OK;
    }
    static prim_status not_built(const prim_gemv_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: this library was built without these types",
                         args->call.name);
    }
};

} // namespace

prim_status prim_gemv_on_host(const prim_gemv_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? for_gemv<gemv_on_host>(args, threads) : status;
}
