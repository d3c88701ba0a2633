/* SELL: a warp for each slice of 32 rows, ELL within the slice.
 *
 *     rows         slices of, here, 2 rows     a slice is as wide as its longest row, so a long
 *     a b c        a d  b e  c ·               row pads 31 others and not the whole matrix;
 *     d e          f g  h ·                    · padding
 *     f h
 *     g            slice_offsets  0  6  10
 *
 * What changed from ELL: less padding. Rows that were sorted by length within groups of sigma rows
 * have even less of it; y is then written by the permutation. A slice of more than 256 columns is
 * shared by its block's eight warps. What still holds it back: the longest rows, and their padding.
 *
 * Work: entries. Steps: the longest row. Bytes: value and column of each entry and each padding, an
 * offset for each slice, y, and x by column.
 * Source: A. Monakov, A. Lokhmotov and A. Avetisyan, Automatically Tuning Sparse Matrix-Vector
 * Multiplication for GPU Architectures, HiPEAC 2010; sigma: M. Kreutzer et al., SIAM J. Sci.
 * Comput. 36 (2014). */
#include "common/shared.cuh"
#include "common/warp.cuh"
#include "sparse/csr.cuh"
#include "sparse/strip.cuh"

namespace
{
namespace sell
{

constexpr unsigned SLICE = PRIM_SPARSE_SLICE_ROWS;

/* A block's slices, and the sums of one that all its warps share. */
constexpr unsigned SLICES = THREADS / SLICE, WIDE = 256;

template <typename V, typename X, typename Offset>
struct slices {
    csr_rows<Offset, V, X> m;
    const int32_t *row_at; /* NULL: each row is at its own place */

    /* A slice's width, in entries of a row. */
    __device__ size_t width(size_t slice) const
    {
        if (slice * SLICE >= m.rows)
            return 0;
        return (static_cast<size_t>(m.offsets[slice + 1]) - static_cast<size_t>(m.offsets[slice])) /
               SLICE;
    }
    __device__ size_t first(size_t slice, unsigned lane) const
    {
        return static_cast<size_t>(m.offsets[slice]) + lane;
    }
    __device__ void store(size_t place, working_t<V> sum) const
    {
        if (place < m.rows)
            m.of.store(row_at != nullptr ? static_cast<size_t>(row_at[place]) : place, sum);
    }
};

/* Each warp a part of the steps; the parts are added up in order. */
template <typename V, typename X, typename Offset>
__device__ void multiply_wide(const slices<V, X, Offset> &a, size_t slice, size_t width)
{
    using sums_type = working_t<V>;
    PRIM_SHARED(sums_type, sums, [SLICES][SLICE]);
    const unsigned warp = threadIdx.x / SLICE, lane = threadIdx.x % SLICE;
    const size_t part = (width + SLICES - 1) / SLICES, begin = warp * part,
                 left = begin < width ? width - begin : 0;
    __syncthreads();
    sums[warp][lane] = sum_of_strip(a.m.of, a.first(slice, lane) + begin * SLICE, SLICE,
                                    left < part ? left : part);
    __syncthreads();
    working_t<V> sum = sums[0][lane];
    for (unsigned w = 1; w < SLICES; w++)
        sum = add(sum, sums[w][lane]);
    if (warp == 0)
        a.store(slice * SLICE + lane, sum);
}

/* As many as a multiprocessor holds, where registers allow. */
template <typename V>
[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = sizeof(working_t<V>) > 4 ? 5 : 6;

template <typename V, typename X, typename Offset>
__global__ void __launch_bounds__(THREADS, blocks_at_once(THREADS, BLOCKS_AT_ONCE<V>))
    multiply(slices<V, X, Offset> a)
{
    const size_t first = static_cast<size_t>(blockIdx.x) * SLICES,
                 mine = first + threadIdx.x / SLICE;
    const unsigned lane = threadIdx.x % SLICE;
    /* Each warp reads the widths of all its block's slices at once. */
    const size_t its = a.m.of.x != nullptr && lane < SLICES ? a.width(first + lane) : 0;
    const unsigned long long all = __shfl_sync(ALL_LANES, static_cast<unsigned long long>(its),
                                               static_cast<int>(threadIdx.x / SLICE));
    const size_t width = all;
    unsigned wide = __ballot_sync(ALL_LANES, its > WIDE);
    if (width <= WIDE)
        a.store(mine * SLICE + lane, width > 0
                                         ? sum_of_strip(a.m.of, a.first(mine, lane), SLICE, width)
                                         : working_t<V>(0));
    for (unsigned s = 0; wide != 0; s++, wide >>= 1)
        if ((wide & 1) != 0)
            multiply_wide(a, first + s, a.width(first + s));
}

struct run_product : launch_run {
    template <typename V, typename X, typename Offset>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        if (m->rows == 0)
            return cudaSuccess;
        const slices<V, X, Offset> a = {{static_cast<const Offset *>(m->slice_offsets), m->rows,
                                         make_entries<V, X>(args, m->column_indices, m->values)},
                                        m->permutation};
        return prim_launch({args->call.stream, blocks_for(m->rows, THREADS), THREADS},
                           multiply<V, X, Offset>, a);
    }
};

const char *why_not(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    return format_why_not(args, PRIM_SPARSE_SELL, dispatch_csr_mixed<is_built>);
}

cudaError_t launch(const void *args)
{
    return dispatch_csr_mixed<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace sell
} // namespace

PRIM_DEFINE_RUNG(spmv, sell) = {
    {PRIM_SPMV_SELL, "sell", "SELL, a warp for each slice of 32 rows, ELL within the slice"},
    sell::why_not,
    nullptr,
    sell::launch};
