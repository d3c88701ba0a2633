/* COO_SEGMENTED: blocks of entries, summed by rows within the block; segments.cuh draws it.
 *
 * First y becomes beta · y, for rows without entries too; then the sums are added. Work and time
 * depend only on the number of entries, not on the rows. What holds it back: eight steps with a
 * barrier for one entry of each thread, and a row index for each entry.
 *
 * Work: entries · log2(256) at most. Steps: 8 a block, log128(entries) levels. Bytes: 12 for each
 * entry in f32, y three times, and x by column.
 * Source: N. Bell and M. Garland, NVIDIA 2008. */
#include "sparse/coo/segments.cuh"
#include "sparse/scale.cuh"

namespace
{
namespace coo_segmented
{

struct run_product : launch_run {
    template <typename T>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const cudaError_t error = launch_scale<T>(args);
        return error == cudaSuccess ? add_segments<T>(args) : error;
    }
};

} // namespace coo_segmented
} // namespace

PRIM_DEFINE_RUNG(spmv,
                 coo_segmented) = {{PRIM_SPMV_COO_SEGMENTED, "coo_segmented",
                                    "COO, blocks of entries, summed by rows within the block"},
                                   segments_why_not,
                                   segments_workspace,
                                   launch_product<coo_segmented::run_product>};
