/* A gemm call as its kernels take it: C = alpha · A · B + beta · C, the ops applied. */
#ifndef PRIM_GEMM_PROBLEM_CUH
#define PRIM_GEMM_PROBLEM_CUH

#include "common/dispatch.cuh"
#include "common/launch.cuh"
#include "common/matrix.cuh"
#include "common/scaled.cuh"
#include "common/sizes.h"
#include "gemm/gemm_args.h"
#include "gemm/instances.h"

namespace
{

template <typename T>
struct problem {
    op_matrix<T> a, b;
    T *c;
    size_t m, n, k, ldc;
    scaled<T> scale;

    __host__ __device__ void store(size_t row, size_t column, T sum) const
    {
        scale.store(&c[row * ldc + column], sum);
    }
};

template <typename T>
problem<T> make_problem(const prim_gemm_args *args)
{
    return {make_matrix<T>(args->a, args->lda, args->op_a),
            make_matrix<T>(args->b, args->ldb, args->op_b),
            static_cast<T *>(args->c),
            args->m,
            args->n,
            length_of_sums<T>(args->k, args->alpha),
            args->ldc,
            make_scaled<T>(args->alpha, args->beta)};
}

/* Run::run<T>(args, more…) for the type of the matrices. */
PRIM_DISPATCH_TYPE(dispatch, PRIM_GEMM_TYPES, c_type)

/* A launch of so many blocks, unless C is empty. */
template <typename T>
cudaError_t launch_blocks(const prim_gemm_args *args, size_t blocks, dim3 threads,
                          void (*kernel)(problem<T>))
{
    if (blocks == 0)
        return cudaSuccess;
    return prim_launch({args->call.stream, static_cast<unsigned>(blocks), threads}, kernel,
                       make_problem<T>(args));
}

inline const char *blocks_why_not(const prim_gemm_args *args, size_t down, size_t across)
{
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(down, across) ? nullptr : PRIM_GRID_TOO_SMALL;
}

/* ---- a block for each square of C; squares lie row by row along one dimension of the grid ---- */

inline size_t squares_of(const prim_gemm_args *args, size_t side)
{
    return prim_divide_up(args->m, side) * prim_divide_up(args->n, side);
}

inline const char *squares_why_not(const prim_gemm_args *args, size_t side)
{
    return blocks_why_not(args, prim_divide_up(args->m, side), prim_divide_up(args->n, side));
}

/* The first element of this block's square. */
struct square {
    size_t row, column;
};

__device__ inline square this_square(size_t n, unsigned side)
{
    const unsigned across = static_cast<unsigned>((n + side - 1) / side);
    return {static_cast<size_t>(blockIdx.x / across) * side,
            static_cast<size_t>(blockIdx.x % across) * side};
}

} // namespace

#endif
