/* A gemv call as its kernels take it. */
#ifndef PRIM_GEMV_PROBLEM_CUH
#define PRIM_GEMV_PROBLEM_CUH

#include "common/launch.cuh"
#include "common/sizes.h"
#include "gemm/gemv_variants.h"
#include "gemm/instances.h"
#include "gemm/operands.cuh"

namespace
{

/* An element of y is `inner` products; a.at(output, i) is what it multiplies x[i] with. */
template <typename T>
struct vector_problem {
    factor<T> a;
    const T *x;
    T *y;
    size_t outputs, inner;
    dense_product<T> product;
};

template <typename T>
vector_problem<T> make_problem(const prim_gemv_args *args)
{
    const bool transposed = args->op == PRIM_TRANSPOSED;
    return {make_factor<T>(args->a, args->lda, args->op),
            static_cast<const T *>(args->x),
            static_cast<T *>(args->y),
            transposed ? args->columns : args->rows,
            effective_k<T>(transposed ? args->rows : args->columns, args->alpha),
            {scalar_as<T>(args->alpha), scalar_as<T>(args->beta)}};
}

/* Run::run(problem, more…) for the arguments' type, or Run::not_built(args, more…). */
template <typename Run, typename... More>
auto for_gemv(const prim_gemv_args *args, More... more)
{
#define TYPE(type_enum, type_c)    \
    if (args->y_type == type_enum) \
        return Run::run(make_problem<type_c>(args), more...);
    PRIM_GEMV_TYPES(TYPE)
#undef TYPE
    return Run::not_built(args, more...);
}

/* A thread for each element of y. */
template <typename T>
cudaError_t launch_outputs(cudaStream_t stream, void (*kernel)(vector_problem<T>),
                           const vector_problem<T> &p)
{
    if (p.outputs == 0)
        return cudaSuccess;
    const size_t blocks = prim_divide_up(p.outputs, PRIM_GEMV_THREADS);
    return prim_launch(stream, static_cast<unsigned>(blocks), PRIM_GEMV_THREADS, kernel, p);
}

} // namespace

#endif
