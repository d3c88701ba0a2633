/* gemm on the CPU. */
#include "common/host/threads.cuh"
#include "gemm/problem.cuh"

namespace
{
namespace host
{

constexpr size_t SUMS = 64; /* that stay in a CPU's registers and L1 */

/* Some columns of a row of C: along B's rows, so that memory is read in order. */
template <typename In, typename Out>
void multiply_columns(const problem<In, Out> &p, size_t i, size_t first, size_t count)
{
    using Sum = sum_of<Out>;
    Sum sums[SUMS] = {0};
    for (size_t k = 0; k < p.k; k++) {
        const Sum a = static_cast<Sum>(converted<Sum>(p.a.at(i, k)));
        for (size_t j = 0; j < count; j++)
            sums[j] =
                add_product(sums[j], a, static_cast<Sum>(converted<Sum>(p.b.at(k, first + j))));
    }
    for (size_t j = 0; j < count; j++)
        p.store(i, first + j, sums[j]);
}

struct gemm_on_host {
    template <typename In, typename Out>
    static prim_status run(const prim_gemm_args *args, int threads)
    {
        const problem<In, Out> all = make_problem<In, Out>(args);
        (void)threads; /* without OpenMP */
        if (all.n == 0)
            return PRIM_OK;
        for (size_t product = 0; product < all.batch.count && all.m > 0; product++) {
            const problem<In, Out> p = all.at(product);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
            for (size_t i = 0; i < p.m; i++)
                for (size_t first = 0; first < p.n; first += SUMS)
                    multiply_columns(p, i, first, p.n - first < SUMS ? p.n - first : SUMS);
        }
        return PRIM_OK;
    }
    static prim_status not_built(const prim_gemm_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this build of the library has no code for this type",
                         args->call.name);
    }
};

} // namespace host
} // namespace

prim_status prim_gemm_on_host(const prim_gemm_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch_all<host::gemm_on_host>(args, threads) : status;
}
