/* HYB: ELL for most of each row, COO by tiles for the rest.
 *
 *     a b c d e f g        ELL of width 3   a b c      COO   (0,·) d e f g
 *     h i                                   h i ·
 *     j k l m                               j k l            (2,·) m
 *
 * ELL's width is one that many rows fill, so little is padding; the rest of the few long rows is
 * summed as COO, whose time does not depend on the rows. ELL writes y = alpha · sum + beta · y for
 * all rows, and COO adds to y.
 *
 * Work, steps and bytes: those of ELL and of COO_TILED for their parts.
 * Source: N. Bell and M. Garland, NVIDIA 2008. */
#include "sparse/coo/coo_tiles.cuh"
#include "sparse/ell/strips.h"

namespace
{
namespace hyb
{

/* The workspace: first the sums of ELL's rows, then COO's. */
size_t workspace_bytes(const void *args)
{
    return prim_strips_workspace_bytes(args) + coo_tiles::workspace_bytes(args);
}

struct run_rest : launch_run {
    template <typename V, typename X>
    static cudaError_t run(const prim_spmv_args *args)
    {
        prim_spmv_args rest = *args;
        rest.call.workspace =
            static_cast<char *>(args->call.workspace) + prim_strips_workspace_bytes(args);
        return coo_tiles::add_entries<V, X>(&rest, true);
    }
};

cudaError_t launch(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    const cudaError_t error = prim_strips_multiply(args);
    return error == cudaSuccess ? dispatch_mixed<run_rest>(args) : error;
}

} // namespace hyb
} // namespace

PRIM_DEFINE_RUNG(spmv, hyb) = {
    {PRIM_SPMV_HYB, "hyb", "ELL for most of each row, COO by tiles for the rest"},
    coo_tiles::why_not<PRIM_SPARSE_HYB>,
    hyb::workspace_bytes,
    hyb::launch};
