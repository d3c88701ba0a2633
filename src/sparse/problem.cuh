/* A sparse product as its kernels take it. */
#ifndef PRIM_SPARSE_PROBLEM_CUH
#define PRIM_SPARSE_PROBLEM_CUH

#include "common/dispatch.cuh"
#include "common/launch.cuh"
#include "common/scaled.cuh"
#include "common/sizes.h"
#include "sparse/instances.h"
#include "sparse/sparse_args.h"

namespace
{

constexpr unsigned THREADS = 256; /* a block of every rung */

/* Column numbers and values side by side, with x and what becomes of a row's sum. */
template <typename T>
struct entries {
    const int32_t *columns;
    const T *values;
    const T *x; /* NULL: alpha is 0, and no entry is looked at */
    T *y;
    scaled<T> scale;

    __host__ __device__ T add(T sum, size_t entry) const
    {
        return add_product(sum, values[entry], x[columns[entry]]);
    }
};

template <typename T>
entries<T> make_entries(const prim_spmv_args *args, const int32_t *columns, const void *values)
{
    const scaled<T> scale = make_scaled<T>(args->alpha, args->beta);
    return {columns, static_cast<const T *>(values),
            scale.alpha != 0 ? static_cast<const T *>(args->x) : nullptr, static_cast<T *>(args->y),
            scale};
}

/* Run::run<T>(args, more…) for the type of the values. */
PRIM_DISPATCH_TYPE(dispatch, PRIM_SPARSE_TYPES, y_type)

inline const char *format_why_not(const prim_spmv_args *args, prim_sparse_format format)
{
    if (args->matrix.format != format)
        return "it is for matrices of another format";
    return dispatch<is_built>(args) ? nullptr : PRIM_TYPES_NOT_BUILT;
}

/* A thread for each of `count`, or so many blocks of them. */
inline unsigned blocks_for(size_t count, size_t of_a_block)
{
    return static_cast<unsigned>(prim_divide_up(count, of_a_block));
}

/* What thread this is of all. */
__device__ inline size_t this_thread()
{
    return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

} // namespace

#endif
