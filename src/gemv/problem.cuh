/* A gemv call as kernels' argument. */
#ifndef PRIM_GEMV_PROBLEM_CUH
#define PRIM_GEMV_PROBLEM_CUH

#include "common/host/sizes.h"
#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"
#include "common/math/matrix.cuh"
#include "common/math/scaled.cuh"
#include "common/math/values.cuh"
#include "gemv/gemv_args.h"
#include "gemv/instances.h"

namespace
{

constexpr unsigned THREADS = 128; /* a block, one for each element of y */

/* An element of y is `inner` products; a.at(output, i) is what it multiplies x[i] with. Products
 * are summed in the type of y, those of halves in f32. */
template <typename In, typename Out = In>
struct problem {
    using element = In;
    using sum_type = accumulator_t<Out>;

    op_matrix<In> a;
    const In *x;
    Out *y;
    size_t outputs, inner;
    scaled<sum_type> scale;
    size_t a_stride, x_stride, y_stride; /* from product to product of a batch */

    /* Product `product` of the batch. */
    __host__ __device__ problem at(size_t product) const
    {
        problem p = *this;
        p.a.data += product * a_stride;
        p.x += product * x_stride;
        p.y += product * y_stride;
        return p;
    }

    __host__ __device__ void store(size_t output, sum_type sum) const
    {
        const sum_type before = scale.beta == 0 ? sum_type(0) : value_of(y[output]);
        y[output] = finished<Out>(scale.of(before, sum));
    }

    /* An element as it is multiplied. */
    template <typename T>
    __host__ __device__ static sum_type value_of(T element)
    {
        return static_cast<sum_type>(converted<Out>(element));
    }
};

template <typename In, typename Out = In>
problem<In, Out> make_problem(const prim_gemv_args *args)
{
    using sum_type = accumulator_t<Out>;
    const bool transposed = args->op == PRIM_TRANSPOSED;
    const size_t length = transposed ? args->columns : args->rows,
                 inner = transposed ? args->rows : args->columns;
    return {make_matrix<In>(args->a, args->lda, args->op),
            static_cast<const In *>(args->x),
            static_cast<Out *>(args->y),
            length,
            length_of_sums<sum_type>(inner, args->alpha),
            make_scaled<sum_type>(args->alpha, args->beta),
            length > 0 && inner > 0 ? args->a_stride : 0, /* what is empty may be NULL */
            inner > 0 ? args->x_stride : 0,
            length > 0 ? args->y_stride : 0};
}

/* The products of a batch lie along a grid's second dimension, which has room for this many:
 * launch(problem, product, count) for each grid. */
constexpr size_t PRODUCTS_AT_ONCE = 65535;

template <class Problem, class Launch>
cudaError_t launch_products(const Problem &p, size_t batches, const Launch &launch)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < batches && error == cudaSuccess; i += PRODUCTS_AT_ONCE) {
        const size_t left = batches - i, count = left < PRODUCTS_AT_ONCE ? left : PRODUCTS_AT_ONCE;
        error = launch(p.at(i), i, static_cast<unsigned>(count));
    }
    return error;
}

/* Run::run<T>(args, more…) for matrix and vectors of one type T. */
template <class Run, typename Args, typename... More>
auto dispatch(const Args *args, More... more)
{
#define PRIM_GEMV_ROW(value, type)                      \
    if (args->a_type == value && args->y_type == value) \
        return Run::template run<type>(args, more...);
    PRIM_GEMV_TYPES(PRIM_GEMV_ROW)
    return Run::not_built(args, more...);
}

/* Run::run<In, Out>(args, more…), also where y has another type than matrix and x. */
PRIM_DISPATCH_PAIRS(dispatch_pairs, PRIM_GEMV_PAIRS, a_type, y_type)

/* ---- a textbook rung: a thread for each element of y ---- */

inline const char *outputs_why_not(const void *any)
{
    const prim_gemv_args *args = static_cast<const prim_gemv_args *>(any);
    const size_t outputs = args->op == PRIM_TRANSPOSED ? args->columns : args->rows;
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (args->batches != 1)
        return "it computes single products only, no batches";
    return prim_fits_a_grid(1, prim_divide_up(outputs, THREADS)) ? nullptr : PRIM_GRID_TOO_SMALL;
}

template <typename T>
using output_kernel = void (*)(problem<T> p);

template <typename T>
cudaError_t launch_outputs(cudaStream_t stream, output_kernel<T> kernel, const problem<T> &p)
{
    if (p.outputs == 0)
        return cudaSuccess;
    const size_t blocks = prim_divide_up(p.outputs, THREADS);
    return prim_launch({stream, static_cast<unsigned>(blocks), THREADS}, kernel, p);
}

template <class Run>
cudaError_t launch_textbook(const void *args)
{
    return dispatch<Run>(static_cast<const prim_gemv_args *>(args));
}

template <class Lesson>
struct run_outputs : launch_run {
    template <typename T>
    static cudaError_t run(const prim_gemv_args *args)
    {
        return launch_outputs(args->call.stream, Lesson::template kernel<T>, make_problem<T>(args));
    }
};

/* What a lesson has: its kernel<T>. */
template <prim_gemv_variant RUNG, class Lesson>
constexpr prim_rung rung_of_outputs(const char *name, const char *idea)
{
    return {{RUNG, name, idea}, outputs_why_not, nullptr, launch_textbook<run_outputs<Lesson>>};
}

} // namespace

#endif
