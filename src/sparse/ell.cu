/* ELL: a thread for each row, along columns of equal length; ell.cuh draws it.
 *
 * Reads are whole although a thread has a row to itself. What holds it back: room and time follow
 * the longest row, so one long row spoils it.
 *
 * Work: entries. Steps: the longest row. Bytes: rows · width of value and column at most, y, and x
 * as the columns ask for it.
 * Source: N. Bell and M. Garland, NVIDIA 2008. */
#include "sparse/ell.cuh"

namespace
{

struct ell_rung : device_rung {
    template <typename T>
    static cudaError_t run(const prim_spmv_args *args)
    {
        return launch_ell<T>(args);
    }
};

} // namespace

cudaError_t prim_spmv_ell(const void *args)
{
    return for_values<ell_rung>(static_cast<const prim_spmv_args *>(args));
}
