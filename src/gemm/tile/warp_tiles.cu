/* Compiles the kernels of warp_tiles.cuh, once for the rungs that launch them. */
#include "gemm/tile/warp_tiles.cuh"

#include "gemm/tile/plan.h"
#include "gemm/tile/tiles.h"

namespace
{
namespace warp_tiles
{

/* Whether the lines of an operand consist of whole vectors; the kernel checks its pointers. */
inline bool has_vectors(size_t ld, size_t stride, size_t length, size_t vector)
{
    return ld % vector == 0 && stride % vector == 0 && length % vector == 0;
}

template <typename In, typename Out>
cut make_cut(const prim_gemm_args *args, prim_gemm_plan plan, const problem<In, Out> &p)
{
    constexpr size_t VECTOR = VECTOR_ELEMENTS<sum_of<Out>>;
    cut how = {};
    how.parts = p.k == 0 ? 1 : plan.parts;
    how.part = plan.part;
    how.partial = how.parts > 1 ? args->call.workspace : nullptr;
    how.partial_ld = prim_gemm_plan_ld(args);
    /* Types that are converted are loaded by elements. */
    const bool vectors = sizeof(In) == sizeof(sum_of<Out>);
    const size_t a_line = args->op_a == PRIM_TRANSPOSED ? args->m : args->k;
    const size_t b_line = args->op_b == PRIM_TRANSPOSED ? args->k : args->n;
    how.a_vectors = vectors && has_vectors(args->lda, args->a_stride, a_line, VECTOR);
    how.b_vectors = vectors && has_vectors(args->ldb, args->b_stride, b_line, VECTOR);
    how.c_vectors = has_vectors(args->ldc, args->c_stride, VECTOR, VECTOR);
    return how;
}

template <typename In, typename Out>
cudaError_t launch_second_pass(const prim_gemm_args *args, const problem<In, Out> &p,
                               const cut &how)
{
    const size_t vectors =
        args->batches * args->m * (how.partial_ld / VECTOR_ELEMENTS<sum_of<Out>>);
    const unsigned blocks = static_cast<unsigned>(prim_divide_up(vectors, PASS_THREADS));
    return prim_launch_dependent({args->call.stream, blocks, PASS_THREADS}, add_parts<Out>,
                                 target_of(p), how);
}

struct launch_add_parts : launch_run {
    template <typename In, typename Out>
    static cudaError_t run(const prim_gemm_args *args, unsigned parts)
    {
        const problem<In, Out> p = make_problem<In, Out>(args);
        prim_gemm_plan plan = {};
        plan.parts = parts;
        return launch_second_pass(args, p, make_cut(args, plan, p));
    }
};

/* Whether all lines of A along k and of B along the tile are whole vectors, as far as the host can
 * tell. Known at compile time, it removes the branches from the kernel's loop. */
inline bool has_whole_vectors(const prim_gemm_args *args, const cut &how)
{
    return !args->pointers && args->lda > 1 && args->ldb > 1 && how.a_vectors && how.b_vectors &&
           args->op_a == PRIM_NOT_TRANSPOSED && args->op_b == PRIM_NOT_TRANSPOSED &&
           bytes_past_vector(args->a) == 0 && bytes_past_vector(args->b) == 0;
}

template <class Shape, typename In, typename Out>
cudaError_t launch_kernel(const prim_gemm_args *args, size_t blocks, const problem<In, Out> &p,
                          const cut &how)
{
    const launch_config where = {args->call.stream, static_cast<unsigned>(blocks), Shape::THREADS};
    if constexpr (std::is_same<In, float>::value && Shape::HOLDS &&
                  Shape::THREADS >= Shape::M * Shape::K / VECTOR_ELEMENTS<float>)
        if (has_whole_vectors(args, how))
            return prim_launch(where, multiply<Shape, VECTORS_ALONG_K, VECTORS_ALONG_TILE, In, Out>,
                               p, how);
    return prim_launch(where, multiply<Shape, ANY, ANY, In, Out>, p, how);
}

template <class Shape, typename In, typename Out>
cudaError_t launch_shape(const prim_gemm_args *args, prim_gemm_plan plan)
{
    const problem<In, Out> p = make_problem<In, Out>(args);
    cut how = make_cut(args, plan, p);
    how.tiles_m = static_cast<unsigned>(prim_divide_up(args->m, Shape::M));
    how.tiles_n = static_cast<unsigned>(prim_divide_up(args->n, Shape::N));
    const size_t blocks =
        static_cast<size_t>(how.tiles_m) * how.tiles_n * how.parts * args->batches;
    if (blocks == 0)
        return cudaSuccess;
    const cudaError_t error = launch_kernel<Shape>(args, blocks, p, how);
    return error != cudaSuccess || how.partial == nullptr ? error
                                                          : launch_second_pass(args, p, how);
}

#define LAUNCH(M, N, K, WARPS_M, WARPS_N, LANES_M, STAGES, BLOCKS, ...)                         \
    if (plan.tile == at++)                                                                      \
        return launch_shape<tile_shape<M, N, K, WARPS_M, WARPS_N, LANES_M, STAGES, BLOCKS>, In, \
                            Out>(args, plan);

struct launch_tiles : launch_run {
    template <typename In, typename Out>
    static cudaError_t run(const prim_gemm_args *args, prim_gemm_plan plan)
    {
        unsigned at = 0;
        if constexpr (std::is_same<In, float>::value) {
            PRIM_GEMM_TILES_F32(LAUNCH)
        } else if constexpr (std::is_same<In, double>::value) {
            PRIM_GEMM_TILES_F64(LAUNCH)
        } else if constexpr (std::is_same<In, int32_t>::value) {
            PRIM_GEMM_TILES_I32(LAUNCH)
        } else if constexpr (IS_HALF<In>) {
            PRIM_GEMM_TILES_HALVES(LAUNCH)
        } else {
            PRIM_GEMM_TILES_I8(LAUNCH)
        }
        return cudaErrorInvalidValue;
    }
};

} // namespace warp_tiles
} // namespace

bool prim_gemm_has_tiles(const prim_gemm_args *args)
{
    return dispatch_all<is_built>(args);
}

cudaError_t prim_gemm_add_parts(const prim_gemm_args *args, unsigned parts)
{
    return dispatch_all<warp_tiles::launch_add_parts>(args, parts);
}

cudaError_t prim_gemm_launch_tiles(const prim_gemm_args *args, prim_gemm_plan plan)
{
    return dispatch_all<warp_tiles::launch_tiles>(args, plan);
}
