/* ELL: a thread for each row, along columns of equal length; ell.cuh draws it.
 *
 * Reads are coalesced although a thread has a row to itself. What holds it back: memory and time
 * depend on the longest row, so one long row ruins both.
 *
 * Work: entries. Steps: the longest row. Bytes: rows · width of value and column at most, y, and x
 * as the columns ask for it.
 * Source: N. Bell and M. Garland, NVIDIA 2008. */
#include "sparse/ell.cuh"

namespace
{
namespace ell
{

struct run_product : launch_run {
    template <typename V, typename X>
    static cudaError_t run(const prim_spmv_args *args)
    {
        return launch_ell<V, X>(args);
    }
};

const char *why_not(const void *args)
{
    return mixed_why_not(static_cast<const prim_spmv_args *>(args), PRIM_SPARSE_ELL);
}

cudaError_t launch(const void *args)
{
    return dispatch_mixed<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace ell
} // namespace

PRIM_DEFINE_RUNG(spmv, ell) = {
    {PRIM_SPMV_ELL, "ell", "ELL, a thread for each row, along columns of equal length"},
    ell::why_not,
    nullptr,
    ell::launch};
