/* CSR_MERGE: tiles of equal work, for rows of any lengths.
 *
 *     rows      0  1  2         3  4   5                     a row is its entries and one more
 *     tiles     |        |        |        |        |        of equal work: tile_begins.cuh
 *
 *     a tile    entries   ■■■■■■■■■■■■■■■■■■■■■■■■        copied to shared memory: tile.cuh
 *               short     ■■  ■■                          a lane a row
 *               middle      ■■  ■■■■                      1, 2 or 4 lanes a row
 *               strips              ■■■■■■|■■■■■■         divided among warps: csr_strips.cuh
 *
 * A first launch searches where each tile begins. A block then copies its entries, meanwhile finds
 * the kinds of its rows, and sums them, with the fewest lanes for each row that keep most threads
 * busy. Where lengths differ much, as in a graph, it gathers x by entries first. A matrix that
 * caches hold is not cut into tiles, and has one launch: row_blocks.cuh.
 *
 * The pieces of a row and the order of its sum depend only on its length, not on its place in the
 * matrix, the tiles, the device or the number of its lanes: the same row has the same bits
 * everywhere. What holds it back: each tile waits for its entries, then for its x; registers allow
 * six tiles on a multiprocessor to hide that, and more tiles would leave less of x in L1.
 *
 * Work: entries and rows. Steps: of a tile, and pieces / 32 for the longest row. Bytes: entries
 * once, offsets twice, y, and x by column.
 * Source: the balance of D. Merrill and M. Garland, Merge-Based Parallel Sparse Matrix-Vector
 * Multiplication, SC16 (2016); cut by rows, for the sake of the order. */
#include "common/host/element.h"
#include "sparse/csr/csr.cuh"
#include "sparse/csr/csr_rows.cuh"
#include "sparse/csr/row_blocks.cuh"
#include "sparse/scale.cuh"

namespace
{
namespace csr_merge
{

/* Blocks on a multiprocessor: doubles take more registers and shared memory. */
template <typename V>
[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = sizeof(V) == 8 ? 4 : 6;

template <typename V>
struct room {
    static constexpr unsigned BYTES =
        STAGED * (sizeof(int32_t) + sizeof(V)) + 4 * VECTOR_BYTES + sizeof(uint16_t);

    alignas(16) unsigned char bytes[(BYTES + 15) / 16 * 16];
    unsigned kinds[TILE_WARPS];
    strip_list<STRIPS> strips;
};

/* ---- a tile ---- */

template <typename V, typename X, typename Offset>
__device__ tile_arrays<V> stage_tile(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                                     room<V> &r)
{
    const unsigned fit = STAGED - t.rows, count = t.entries < fit ? t.entries : fit;
    unsigned char *const for_values = r.bytes + staged_bytes<int32_t>(count);
    unsigned char *const for_begins = for_values + staged_bytes<V>(count);
    return {stage(r.bytes, a.of.columns + t.first_entry, count),
            stage(for_values, a.of.values + t.first_entry, count),
            reinterpret_cast<uint16_t *>(for_begins), count};
}

template <typename V, typename X, typename Offset>
__global__ void __launch_bounds__(TILE_THREADS, blocks_at_once(TILE_THREADS, BLOCKS_AT_ONCE<V>))
    multiply(csr_problem<V, X, Offset> a)
{
    using T = working_t<V>;
    PRIM_SHARED(room<V>, r, );
    if (threadIdx.x == 0)
        r.strips.count = 0;
    __syncthreads();
    grid_dependency_synchronize();
    const csr_tile t = this_tile(a.p);
    const tile_arrays<V> in = stage_tile(a, t, r);
    note_rows(a.p, t, in.begins, r.kinds, &r.strips);
    wait_for_copies();
    __syncthreads();
    const unsigned kinds = kinds_of_tile(r.kinds);
    if constexpr (sizeof(T) == sizeof(int32_t)) { /* x fits into its column's place */
        if (rows_are_unlike(t, in.count, kinds)) {
            gather<STEPS>(in.columns, in.count, a.of.x);
            __syncthreads();
            sum_rows(a, t, in, x_in_place<T>{}, kinds, r.strips);
            return;
        }
    }
    sum_rows(a, t, in, x_by_column<X>{a.of.x}, kinds, r.strips);
}

/* ---- the rung ---- */

struct run_product : launch_run {
    template <typename V, typename X, typename Offset>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        if (m->rows == 0)
            return cudaSuccess;
        csr_problem<V, X, Offset> a = {plan_rows<Offset>(m),
                                       make_entries<V, X>(args, m->column_indices, m->values)};
        if (a.of.x == nullptr)
            return launch_scale<X>(args);
        const cudaStream_t stream = args->call.stream;
        if (goes_by_rows(m)) {
            const unsigned each = rows_of_block(m);
            return prim_launch({stream, blocks_for(m->rows, each), TILE_THREADS},
                               multiply_rows<V, X, Offset>, a, each);
        }
        a.p.boundaries = static_cast<boundary *>(args->call.workspace);
        put_pieces(&a.p, args, a.p.boundaries + a.p.tiles + 1);
        const unsigned blocks = static_cast<unsigned>(a.p.tiles);
        const cudaError_t error = prim_launch({stream, blocks_for(a.p.tiles + 1, FINDERS), FINDERS},
                                              find_tiles<Offset>, a.p);
        return error == cudaSuccess ? prim_launch_dependent({stream, blocks, TILE_THREADS},
                                                            multiply<V, X, Offset>, a)
                                    : error;
    }
};

/* NULL where y is only scaled, or has no elements. */
struct choose_route {
    template <typename V, typename X, typename Offset>
    static const char *run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        const bool has_products =
            m->columns > 0 && make_scaled<working_t<V>>(args->alpha, args->beta).alpha != 0;
        return m->rows == 0 || !has_products ? nullptr : goes_by_rows(m) ? "rows" : "tiles";
    }
    static const char *not_built(const prim_spmv_args *)
    {
        return nullptr;
    }
};

size_t workspace_bytes(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    const prim_sparse *m = &args->matrix;
    return m->rows == 0 || goes_by_rows(m) ? 0 : boundaries_bytes(m) + pieces_bytes(args);
}

const char *why_not(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    const char *const reason = format_why_not(args, PRIM_SPARSE_CSR, dispatch_csr_mixed<is_built>);
    return reason == nullptr && !prim_fits_a_grid(1, tiles_of(&args->matrix)) ? PRIM_GRID_TOO_SMALL
                                                                              : reason;
}

cudaError_t launch(const void *args)
{
    return dispatch_csr_mixed<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace csr_merge
} // namespace

const char *prim_spmv_csr_merge_route(const prim_spmv_args *args)
{
    return dispatch_csr_mixed<csr_merge::choose_route>(args);
}

PRIM_DEFINE_RUNG(spmv, csr_merge) = {
    {PRIM_SPMV_CSR_MERGE, "csr_merge", "CSR, tiles of equal work, whatever the rows"},
    csr_merge::why_not,
    csr_merge::workspace_bytes,
    csr_merge::launch};
