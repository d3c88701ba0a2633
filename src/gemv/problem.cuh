/* A gemv call as its kernels take it. */
#ifndef PRIM_GEMV_PROBLEM_CUH
#define PRIM_GEMV_PROBLEM_CUH

#include "common/dispatch.cuh"
#include "common/launch.cuh"
#include "common/matrix.cuh"
#include "common/scaled.cuh"
#include "common/sizes.h"
#include "gemv/gemv_args.h"
#include "gemv/instances.h"

namespace
{

constexpr unsigned THREADS = 128; /* a block, one for each element of y */

/* An element of y is `inner` products; a.at(output, i) is what it multiplies x[i] with. */
template <typename T>
struct problem {
    op_matrix<T> a;
    const T *x;
    T *y;
    size_t outputs, inner;
    scaled<T> scale;
};

template <typename T>
problem<T> make_problem(const prim_gemv_args *args)
{
    const bool transposed = args->op == PRIM_TRANSPOSED;
    return {make_matrix<T>(args->a, args->lda, args->op),
            static_cast<const T *>(args->x),
            static_cast<T *>(args->y),
            transposed ? args->columns : args->rows,
            length_of_sums<T>(transposed ? args->rows : args->columns, args->alpha),
            make_scaled<T>(args->alpha, args->beta)};
}

/* Run::run<T>(args, more…) for the type of matrix and vectors. */
PRIM_DISPATCH_TYPE(dispatch, PRIM_GEMV_TYPES, y_type)

/* All rungs have a thread for each element of y. */
inline const char *outputs_why_not(const void *any)
{
    const prim_gemv_args *args = static_cast<const prim_gemv_args *>(any);
    const size_t outputs = args->op == PRIM_TRANSPOSED ? args->columns : args->rows;
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(1, prim_divide_up(outputs, THREADS)) ? nullptr : PRIM_GRID_TOO_SMALL;
}

template <typename T>
cudaError_t launch_outputs(cudaStream_t stream, void (*kernel)(problem<T>), const problem<T> &p)
{
    if (p.outputs == 0)
        return cudaSuccess;
    const size_t blocks = prim_divide_up(p.outputs, THREADS);
    return prim_launch({stream, static_cast<unsigned>(blocks), THREADS}, kernel, p);
}

} // namespace

#endif
