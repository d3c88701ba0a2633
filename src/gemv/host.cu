/* gemv on the CPU: some elements of y at a time, so that memory is read as it lies. */
#include "common/threads.cuh"
#include "gemv/problem.cuh"

namespace
{
namespace host
{

constexpr size_t SUMS = 64; /* that a CPU keeps at hand */

template <typename T>
void multiply_outputs(const problem<T> &p, size_t first, size_t count)
{
    T sums[SUMS] = {0};
    for (size_t i = 0; i < p.inner; i++)
        for (size_t o = 0; o < count; o++)
            sums[o] = add_product(sums[o], p.a.at(first + o, i), p.x[i]);
    for (size_t o = 0; o < count; o++)
        p.scale.store(&p.y[first + o], sums[o]);
}

struct gemv_on_host {
    template <typename T>
    static prim_status run(const prim_gemv_args *args, int threads)
    {
        const problem<T> p = make_problem<T>(args);
        (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
        for (size_t first = 0; first < p.outputs; first += SUMS)
            multiply_outputs(p, first, p.outputs - first < SUMS ? p.outputs - first : SUMS);
        return PRIM_OK;
    }
    static prim_status not_built(const prim_gemv_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: the library is not built for this type",
                         args->call.name);
    }
};

} // namespace host
} // namespace

prim_status prim_gemv_on_host(const prim_gemv_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<host::gemv_on_host>(args, threads) : status;
}
