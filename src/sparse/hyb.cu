/* HYB: ELL for most of each row, segmented COO for the rest.
 *
 *     a b c d e f g        ELL of width 3   a b c      COO   (0,·) d e f g
 *     h i                                   h i ·
 *     j k l m                               j k l            (2,·) m
 *
 * ELL's width is what many rows fill, so little is padding; the few long rows leave the rest to a
 * sum that does not care for rows. ELL writes y = alpha · sum + beta · y for all rows, COO adds.
 *
 * Work, steps and bytes: those of ELL and of COO_SEGMENTED for their parts.
 * Source: N. Bell and M. Garland, NVIDIA 2008. */
#include "sparse/ell.cuh"
#include "sparse/segments.cuh"

namespace
{
namespace hyb
{

struct run_product : launch_run {
    template <typename T>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const cudaError_t error = launch_ell<T>(args);
        return error == cudaSuccess ? add_segments<T>(args) : error;
    }
};

const char *why_not(const void *args)
{
    return segments_why_not(static_cast<const prim_spmv_args *>(args), PRIM_SPARSE_HYB);
}

cudaError_t launch(const void *args)
{
    return dispatch<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace hyb
} // namespace

PRIM_DEFINE_RUNG(spmv, hyb) = {
    {PRIM_SPMV_HYB, "hyb", "ELL for most of each row, segmented COO for the rest"},
    hyb::why_not,
    segments_workspace,
    hyb::launch};
