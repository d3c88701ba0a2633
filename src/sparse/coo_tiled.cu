/* COO_TILED: spans of 1024 entries for each warp, in registers; coo_tiles.cuh draws it.
 *
 * What changed from COO_SEGMENTED: a lane has 4 entries at a time instead of one, and the scan is
 * within a warp, without barriers and shared memory; two carries for 1024 entries instead of 256.
 * What holds it back: a row index for each entry, and y twice.
 *
 * Work: entries. Steps: of a tile, and log128(entries / 1024) levels. Bytes: 12 for each entry in
 * f32, y twice, or three times where it is scaled, and x by column. */
#include "sparse/coo/coo_tiles.cuh"
#include "sparse/scale.cuh"

namespace
{
namespace coo_tiled
{

struct run_product : launch_run {
    template <typename V, typename X>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const cudaError_t error = launch_scale<X>(args);
        const bool adds = make_scaled<working_t<X>>(0, args->beta).beta != 0;
        return error == cudaSuccess ? coo_tiles::add_entries<V, X>(args, adds) : error;
    }
};

} // namespace coo_tiled
} // namespace

PRIM_DEFINE_RUNG(spmv, coo_tiled) = {
    {PRIM_SPMV_COO_TILED, "coo_tiled", "COO, spans of entries for each warp, in registers"},
    coo_tiles::why_not<PRIM_SPARSE_COO>,
    coo_tiles::workspace_bytes,
    launch_mixed<coo_tiled::run_product>};
