/* A gemm call as kernels' argument: C = alpha · A · B + beta · C, the ops applied, for each product
 * of a batch. */
#ifndef PRIM_GEMM_PROBLEM_CUH
#define PRIM_GEMM_PROBLEM_CUH

#include "common/host/sizes.h"
#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"
#include "common/math/matrix.cuh"
#include "common/math/scaled.cuh"
#include "common/math/values.cuh"
#include "gemm/gemm_args.h"
#include "gemm/instances.h"

namespace
{

/* Products are summed in the type of C, those of halves in f32. */
template <typename Out>
using sum_of = accumulator_t<Out>;

/* Where the matrices of a batch lie: a stride apart, or by a pointer each. */
template <typename In, typename Out>
struct batch_of {
    size_t count, a_stride, b_stride, c_stride;
    const In *const *a, *const *b; /* not NULL: device arrays of pointers */
    Out *const *c;
};

template <typename In, typename Out = In>
struct problem {
    op_matrix<In> a, b;
    Out *c;
    size_t m, n, k, ldc;
    scaled<sum_of<Out>> scale;
    batch_of<In, Out> batch;

    /* Product i alone. Where nothing is summed, the pointers to A and B may be NULL. */
    __host__ __device__ problem at(size_t i) const
    {
        problem one = *this;
        const bool pointers = batch.c != nullptr;
        one.c = pointers ? batch.c[i] : c + i * batch.c_stride;
        if (k > 0) {
            one.a.data = pointers ? batch.a[i] : a.data + i * batch.a_stride;
            one.b.data = pointers ? batch.b[i] : b.data + i * batch.b_stride;
        }
        return one;
    }

    __host__ __device__ void store(size_t row, size_t column, sum_of<Out> sum) const
    {
        scale.store(&c[row * ldc + column], sum);
    }
};

template <typename In, typename Out = In>
problem<In, Out> make_problem(const prim_gemm_args *args)
{
    using Sum = sum_of<Out>;
    batch_of<In, Out> batch = {args->batches, args->a_stride, args->b_stride, args->c_stride,
                               nullptr,       nullptr,        nullptr};
    if (args->pointers) {
        batch.a = static_cast<const In *const *>(args->a);
        batch.b = static_cast<const In *const *>(args->b);
        batch.c = static_cast<Out *const *>(args->c);
    }
    return {make_matrix<In>(args->pointers ? nullptr : args->a, args->lda, args->op_a),
            make_matrix<In>(args->pointers ? nullptr : args->b, args->ldb, args->op_b),
            args->pointers ? nullptr : static_cast<Out *>(args->c),
            args->m,
            args->n,
            length_of_sums<Sum>(args->k, args->alpha),
            args->ldc,
            make_scaled<Sum>(args->alpha, args->beta),
            batch};
}

/* Run::run<T, T>(args, more…) for matrices of one type T. */
template <class Run, typename Args, typename... More>
auto dispatch(const Args *args, More... more)
{
#define PRIM_GEMM_ROW(value, type)                      \
    if (args->a_type == value && args->c_type == value) \
        return Run::template run<type, type>(args, more...);
    PRIM_GEMM_TYPES(PRIM_GEMM_ROW)
    return Run::not_built(args, more...);
}

/* The same, and Run::run<In, Out> where those of A and B are narrower. */
template <class Run, typename Args, typename... More>
auto dispatch_all(const Args *args, More... more)
{
#define PRIM_GEMM_NARROW_ROW(in_value, in, out_value, out)     \
    if (args->a_type == in_value && args->c_type == out_value) \
        return Run::template run<in, out>(args, more...);
    PRIM_GEMM_NARROW_TYPES(PRIM_GEMM_NARROW_ROW)
    return dispatch<Run>(args, more...);
}

/* ---- a grid: blocks of one product along x, products along y and z ---- */

constexpr size_t MOST_ALONG_Y = 65535;

/* This block's product; none is left for some of the last blocks. */
template <typename T>
__device__ bool take_product(const problem<T> &all, problem<T> &mine)
{
    const size_t i = blockIdx.y + static_cast<size_t>(blockIdx.z) * gridDim.y;
    if (i >= all.batch.count)
        return false;
    mine = all.at(i);
    return true;
}

/* Where a textbook rung has a block for each row of C. */
struct rows_of_c {
    static size_t down(const prim_gemm_args *args)
    {
        return args->m;
    }
    static size_t across(const prim_gemm_args *)
    {
        return 1;
    }
};

/* Where it has one for each square; squares lie row by row along x. */
template <size_t SIDE>
struct squares_of_c {
    static size_t down(const prim_gemm_args *args)
    {
        return prim_divide_up(args->m, SIDE);
    }
    static size_t across(const prim_gemm_args *args)
    {
        return prim_divide_up(args->n, SIDE);
    }
};

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

/* ---- a textbook rung ---- */

template <typename T>
using block_kernel = void (*)(problem<T> all);

/* What a lesson has: rows_of_c or squares_of_c, its blocks; BLOCK, the threads of one; and its
 * kernel<T>. */
template <class Lesson>
struct blocks_of_c : launch_run {
    static const char *why_not(const void *any)
    {
        const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
        if (!dispatch<is_built>(args))
            return PRIM_TYPES_NOT_BUILT;
        const bool fits = prim_fits_a_grid(Lesson::down(args), Lesson::across(args)) &&
                          args->batches <= MOST_ALONG_Y * MOST_ALONG_Y;
        return fits ? nullptr : PRIM_GRID_TOO_SMALL;
    }

    template <typename T, typename>
    static cudaError_t run(const prim_gemm_args *args)
    {
        if (args->m == 0 || args->n == 0 || args->batches == 0)
            return cudaSuccess;
        const size_t x = Lesson::down(args) * Lesson::across(args);
        const size_t y = args->batches < MOST_ALONG_Y ? args->batches : MOST_ALONG_Y;
        const dim3 grid(static_cast<unsigned>(x), static_cast<unsigned>(y),
                        static_cast<unsigned>(prim_divide_up(args->batches, y)));
        return prim_launch({args->call.stream, grid, Lesson::BLOCK}, Lesson::template kernel<T>,
                           make_problem<T>(args));
    }
    static cudaError_t launch(const void *args)
    {
        return dispatch<blocks_of_c>(static_cast<const prim_gemm_args *>(args));
    }
};

template <prim_gemm_variant RUNG, class Lesson>
constexpr prim_rung rung_of_blocks(const char *name, const char *idea)
{
    using rung = blocks_of_c<Lesson>;
    return {{RUNG, name, idea}, rung::why_not, nullptr, rung::launch};
}

} // namespace

#endif
