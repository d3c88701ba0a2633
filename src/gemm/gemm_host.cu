/* gemm on the CPU. */
#include "gemm/gemm_problem.cuh"
#include "gemm/host.cuh"

namespace
{

struct gemm_on_host {
    template <typename Product>
    static prim_status run(const problem<Product> &p, int threads)
    {
        multiply_on_host(p, threads);
        return PRIM_OK;
    }
    static prim_status not_built(const prim_gemm_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: this library was built without these types",
                         args->call.name);
    }
};

} // namespace

prim_status prim_gemm_on_host(const prim_gemm_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? for_gemm<gemm_on_host>(args, threads) : status;
}
