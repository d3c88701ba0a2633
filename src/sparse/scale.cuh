/* A product without entries: y = beta · y. */
#ifndef PRIM_SPARSE_SCALE_CUH
#define PRIM_SPARSE_SCALE_CUH

#include "sparse/problem.cuh"

namespace
{

template <typename X>
__global__ void __launch_bounds__(THREADS) scale_y(size_t rows, entries<working_t<X>, X> of)
{
    const size_t row = this_thread();
    if (row < rows)
        of.store(row, working_t<X>(0));
}

template <typename X>
cudaError_t launch_scale(const prim_spmv_args *args)
{
    const size_t rows = args->matrix.rows;
    if (rows == 0)
        return cudaSuccess;
    return prim_launch({args->call.stream, blocks_for(rows, THREADS), THREADS}, scale_y<X>, rows,
                       make_entries<working_t<X>, X>(args, nullptr, nullptr));
}

} // namespace

#endif
