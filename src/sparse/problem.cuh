/* A sparse product as its kernels take it. */
#ifndef PRIM_SPARSE_PROBLEM_CUH
#define PRIM_SPARSE_PROBLEM_CUH

#include "common/host/sizes.h"
#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"
#include "common/math/scaled.cuh"
#include "common/math/values.cuh"
#include "sparse/instances.h"
#include "sparse/sparse_args.h"

namespace
{

constexpr unsigned THREADS = 256; /* a block of every rung */

/* An element as a number for arithmetic: halves as floats. */
template <typename T>
__host__ __device__ working_t<T> number(T element)
{
    return converted<T>(element);
}

__host__ __device__ inline void put(float *to, float value)
{
    *to = value;
}

__host__ __device__ inline void put(double *to, double value)
{
    *to = value;
}

template <typename Half>
__host__ __device__ void put(Half *to, float value)
{
    from_float(value, to);
}

/* Column indices and values, with x, y, alpha and beta. */
template <typename V, typename X = V>
struct entries {
    using sum_type = working_t<V>;

    const int32_t *columns;
    const V *values;
    const X *x; /* NULL: alpha is 0, and no entry is read */
    X *y;
    scaled<sum_type> scale;

    __host__ __device__ sum_type add(sum_type sum, size_t entry) const
    {
        return add_product(sum, number(values[entry]), number(x[columns[entry]]));
    }

    /* y = alpha · sum + beta · y, rounded once. */
    __host__ __device__ void store(size_t row, sum_type sum) const
    {
        scale.store(&y[row], sum);
    }

    /* y = y + alpha · sum */
    __host__ __device__ void add_to(size_t row, sum_type sum) const
    {
        put(&y[row], ::add(number(y[row]), multiply(scale.alpha, sum)));
    }
};

template <typename V, typename X = V>
entries<V, X> make_entries(const prim_spmv_args *args, const int32_t *columns, const void *values)
{
    const scaled<working_t<V>> scale = make_scaled<working_t<V>>(args->alpha, args->beta);
    return {columns, static_cast<const V *>(values),
            scale.alpha != 0 ? static_cast<const X *>(args->x) : nullptr, static_cast<X *>(args->y),
            scale};
}

/* Run::run<T>(args, more…) for the type of the values, which x and y have too. */
PRIM_DISPATCH_TYPE(dispatch, PRIM_SPARSE_TYPES, matrix.value_type)

/* Run::run<V, X>(args, more…) for the types of the values, and of x and y. */
PRIM_DISPATCH_PAIRS(dispatch_mixed, PRIM_SPARSE_MIXED_TYPES, matrix.value_type, y_type)

/* Another format is refused before the types are checked. */
inline const char *format_why_not(const prim_spmv_args *args, prim_sparse_format format,
                                  bool (*types_are_built)(const prim_spmv_args *))
{
    if (args->matrix.format != format)
        return "it takes matrices of another format";
    return types_are_built(args) ? nullptr : PRIM_TYPES_NOT_BUILT;
}

/* The same as a rung has it. */
template <prim_sparse_format FORMAT>
const char *format_why_not(const void *any)
{
    return format_why_not(static_cast<const prim_spmv_args *>(any), FORMAT,
                          [](const prim_spmv_args *args) { return dispatch<is_built>(args); });
}

template <prim_sparse_format FORMAT>
const char *mixed_why_not(const void *any)
{
    return format_why_not(
        static_cast<const prim_spmv_args *>(any), FORMAT,
        [](const prim_spmv_args *args) { return dispatch_mixed<is_built>(args); });
}

/* A rung's launch: Run::run<T>(args), or Run::run<V, X>(args). */
template <class Run>
cudaError_t launch_product(const void *args)
{
    return dispatch<Run>(static_cast<const prim_spmv_args *>(args));
}

template <class Run>
cudaError_t launch_mixed(const void *args)
{
    return dispatch_mixed<Run>(static_cast<const prim_spmv_args *>(args));
}

/* Bytes of a sum: halves are summed as floats. */
inline size_t sum_bytes(const prim_spmv_args *args)
{
    return args->matrix.value_type == CUDA_R_64F ? sizeof(double) : sizeof(float);
}

/* Blocks for `count`, of_a_block to each. */
inline unsigned blocks_for(size_t count, size_t of_a_block)
{
    return static_cast<unsigned>(prim_divide_up(count, of_a_block));
}

/* The thread's index in the grid. */
__device__ inline size_t this_thread()
{
    return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

} // namespace

#endif
