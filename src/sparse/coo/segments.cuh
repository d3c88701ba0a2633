/* Sums of consecutive numbers that belong to the same row, added to y. The rows ascend.
 *
 *     rows     0 0 0 1 1 2 2 2 | 2 2 3 3 4 4 4 4 | 4 5 5       a block takes 256 of them
 *     sums     A     B   C       C'  D   E         E' F
 *                    │               │                         rows that lie inside of a block are
 *                    ↓               ↓                         complete: added to y
 *     carries  A     C           C'  E             E' F        the first and the last sum of each
 *                                                              block may not be: they are numbers
 *                                                              with ascending rows, so the next
 *                                                              level does the same with them
 *
 * Every row is added to y by one thread, once: no atomics, and the same bits in every run. A block
 * of only one row leaves its sum as the first carry and 0 as the last. */
#ifndef PRIM_SPARSE_SEGMENTS_CUH
#define PRIM_SPARSE_SEGMENTS_CUH

#include "common/host/element.h"
#include "common/host/sizes.h"
#include "common/kernel/shared.cuh"
#include "sparse/problem.cuh"

namespace
{

/* Each block of a level leaves two sums, of its first row and of its last, until one block is left:
 * the sums of all levels. */
inline size_t carries_of(size_t entries)
{
    size_t sums = 0;
    for (size_t left = entries; left > THREADS;)
        sums += left = 2 * prim_divide_up(left, THREADS);
    return sums;
}

inline size_t segments_workspace(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    return carries_of(args->matrix.entries) * (prim_element_bytes(args->y_type) + sizeof(int32_t));
}

/* A block for that many entries; rows, which are below 2^31, always fit. */
inline const char *segments_why_not(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    const char *const reason = format_why_not<PRIM_SPARSE_COO>(args);
    return reason == nullptr && !prim_fits_a_grid(1, prim_divide_up(args->matrix.entries, THREADS))
               ? PRIM_GRID_TOO_SMALL
               : reason;
}

/* Numbers with their rows: the products of entries, or the carries of the level before. */
template <typename T, typename X = T>
struct numbers {
    const int32_t *rows;
    size_t count;
    entries<T, X> products; /* where columns is NULL, values are the numbers themselves */

    __device__ T at(size_t i) const
    {
        return products.columns != nullptr ? products.add(T(0), i) : products.values[i];
    }
};

/* Where a level's carries go: two for each block. */
template <typename T>
struct carries {
    T *sums;
    int32_t *rows;
};

/* An inclusive segmented scan of a block's numbers by rows: the stride doubles, as in a Kogge-Stone
 * scan, and stops at the row's beginning. No barrier follows: a thread goes on with its own sum. */
template <typename T>
__device__ void scan_rows(T (&sums)[2][THREADS], const int32_t (&rows)[THREADS], unsigned *from)
{
    const unsigned t = threadIdx.x;
    for (unsigned stride = 1; stride < THREADS; stride *= 2) {
        __syncthreads();
        const bool same = t >= stride && rows[t - stride] == rows[t];
        sums[1 - *from][t] = same ? sums[*from][t - stride] + sums[*from][t] : sums[*from][t];
        *from = 1 - *from;
    }
}

template <typename T, typename X>
__global__ void __launch_bounds__(THREADS) sum_segments(numbers<T, X> in, carries<T> out)
{
    PRIM_SHARED(T, sums, [2][THREADS]);
    PRIM_SHARED(int32_t, rows, [THREADS]);
    trigger_launch_completion();
    grid_dependency_synchronize();
    const unsigned t = threadIdx.x;
    const size_t first = static_cast<size_t>(blockIdx.x) * THREADS;
    const unsigned count =
        in.count - first < THREADS ? static_cast<unsigned>(in.count - first) : THREADS;
    /* Past the end, the last row goes on with zeros. */
    rows[t] = in.rows[first + (t < count ? t : count - 1)];
    sums[0][t] = t < count ? in.at(first + t) : T(0);
    unsigned from = 0;
    scan_rows(sums, rows, &from);

    const bool ends_row = t == THREADS - 1 || rows[t + 1] != rows[t];
    if (!ends_row)
        return;
    const bool alone = gridDim.x == 1;
    const bool is_first = rows[t] == rows[0], is_last = t == THREADS - 1;
    const T sum = sums[from][t];
    if (alone || (!is_first && !is_last))
        in.products.add_to(static_cast<size_t>(rows[t]), sum);
    if (!alone && is_first) {
        out.sums[2 * blockIdx.x] = sum;
        out.rows[2 * blockIdx.x] = rows[t];
    }
    if (!alone && is_last) {
        out.sums[2 * blockIdx.x + 1] = is_first ? T(0) : sum;
        out.rows[2 * blockIdx.x + 1] = rows[t];
    }
}

/* Level after level, each on the carries of the one before. */
template <typename T, typename X>
cudaError_t add_levels(cudaStream_t stream, numbers<T, X> in, carries<T> out)
{
    cudaError_t error = cudaSuccess;
    while (in.count > 0 && error == cudaSuccess) {
        const unsigned blocks = blocks_for(in.count, THREADS);
        error = prim_launch_dependent({stream, blocks, THREADS}, sum_segments<T, X>, in, out);
        in.rows = out.rows;
        in.products.values = out.sums;
        in.products.columns = nullptr;
        in.count = blocks == 1 ? 0 : 2 * static_cast<size_t>(blocks);
        out.sums += in.count;
        out.rows += in.count;
    }
    return error;
}

/* All sums lie before all rows in the workspace, so that both are aligned. */
template <typename T>
cudaError_t add_segments(const prim_spmv_args *args)
{
    const prim_sparse *m = &args->matrix;
    carries<T> out = {static_cast<T *>(args->call.workspace), nullptr};
    out.rows = reinterpret_cast<int32_t *>(out.sums + carries_of(m->entries));
    const numbers<T> in = {m->row_indices, m->entries,
                           make_entries<T>(args, m->column_indices, m->values)};
    return in.products.x == nullptr ? cudaSuccess : add_levels(args->call.stream, in, out);
}

} // namespace

#endif
