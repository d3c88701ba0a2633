/* A sparse product as its kernels take it. */
#ifndef PRIM_SPARSE_PROBLEM_CUH
#define PRIM_SPARSE_PROBLEM_CUH

#include "common/launch.cuh"
#include "common/scaled.cuh"
#include "common/sizes.h"
#include "sparse/instances.h"
#include "sparse/sparse_variants.h"

namespace
{

constexpr unsigned THREADS = PRIM_SPARSE_THREADS;

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
    const scaled<T> scale = {scalar_as<T>(args->alpha), scalar_as<T>(args->beta)};
    return {columns, static_cast<const T *>(values),
            scale.alpha != 0 ? static_cast<const T *>(args->x) : nullptr, static_cast<T *>(args->y),
            scale};
}

/* Run::run<T>(args, more…) for the type of the values, or Run::not_built(args, more…). */
template <typename Run, typename... More>
auto for_values(const prim_spmv_args *args, More... more)
{
#define TYPE(type_enum, type_c)    \
    if (args->y_type == type_enum) \
        return Run::template run<type_c>(args, more...);
    PRIM_SPARSE_TYPES(TYPE)
#undef TYPE
    return Run::not_built(args, more...);
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
