/* A call for the rungs of wgmma, on the host: what they refuse, C and the maps of A and B as their
 * kernels take them. */
#ifndef PRIM_GEMM_WGMMA_CALL_CUH
#define PRIM_GEMM_WGMMA_CALL_CUH

#include "common/host/device.h"
#include "gemm/problem.cuh"
#include "gemm/tensor/boxes.cuh"
#include "gemm/tensor/c_of_warpgroup.cuh"
#include "gemm/tensor/operands.h"
#include "gemm/tensor/realign.h"
#include "gemm/tile/plan.h"

extern "C" const prim_rung prim_gemm_mma_rung; /* for operands that no copy reaches */

namespace
{
namespace boxes
{

inline const char *wgmma_why_not(const prim_gemm_args *args, prim_gemm_plan plan)
{
    if (args->a_type != CUDA_R_16F && args->a_type != CUDA_R_16BF)
        return "it takes f16 and bf16 only";
    if (!prim_gemm_has_tiles(args))
        return PRIM_TYPES_NOT_BUILT;
    if (!prim_device_has_wgmma())
        return "it needs a device of compute capability 9.0, and code compiled for 9.0a";
    if (args->pointers)
        return "it takes batches with a stride, but no arrays of pointers";
    if (prim_gemm_is_invariant(args) &&
        prim_gemm_way_of(args, PRIM_GEMM_BY_WGMMA) == PRIM_GEMM_UNREACHED)
        return "tensor copies cannot read these operands, and MMA's kernels would give other bits";
    return prim_gemm_plan_fits(args, plan) ? nullptr : PRIM_GRID_TOO_SMALL;
}

/* C, or with several parts their sums in the workspace. */
inline c_matrices c_of(const prim_gemm_args *args, unsigned parts)
{
    c_matrices c = {};
    c.data = parts > 1 ? args->call.workspace : args->c;
    c.ld = parts > 1 ? prim_gemm_plan_ld(args) : args->ldc;
    c.stride = parts > 1 ? args->m * c.ld : args->c_stride;
    c.m = static_cast<unsigned>(args->m);
    c.n = static_cast<unsigned>(args->n);
    c.scale = parts > 1 ? scaled<float>{1, 0} : make_scaled<float>(args->alpha, args->beta);
    c.is_half = parts == 1 && args->c_type == args->a_type;
    const size_t vector = 16 / (c.is_half ? sizeof(uint16_t) : sizeof(float));
    c.in_vectors = reinterpret_cast<uintptr_t>(c.data) % 16 == 0 && c.ld % vector == 0 &&
                   c.stride % vector == 0;
    return c;
}

/* How k is cut, in steps of a box. Each part has a matrix of sums of its own, unless a block sums
 * them in turn: then there is one, C. */
struct cut_of_k {
    unsigned steps, parts, part;
};

inline cut_of_k cut_of(const prim_gemm_args *args, prim_gemm_plan plan)
{
    const size_t k = length_of_sums<float>(args->k, args->alpha);
    return k == 0 ? cut_of_k{0, 1, 1}
                  : cut_of_k{static_cast<unsigned>(prim_divide_up(k, BOX)),
                             plan.in_turn ? 1 : plan.parts, static_cast<unsigned>(plan.part / BOX)};
}

/* A's and B's; where nothing is multiplied, none. */
struct maps {
    prim_tensor_map a, b;
};

inline cudaError_t make_maps(maps *made, const prim_gemm_args *args, const cut_of_k &k)
{
    const prim_gemm_operands x = prim_gemm_operands_of(args);
    *made = {};
    if (k.steps == 0)
        return cudaSuccess;
    const cudaError_t error = prim_make_tensor_map(&made->a, &x.a);
    return error != cudaSuccess ? error : prim_make_tensor_map(&made->b, &x.b);
}

/* Launch::run<A, B, Half>(args, plan) for the call's ops. */
template <class Launch, typename Half>
cudaError_t launch_ops(const prim_gemm_args *args, prim_gemm_plan plan)
{
    const bool a_along_k = args->op_a == PRIM_NOT_TRANSPOSED;
    if (args->op_b == PRIM_TRANSPOSED)
        return a_along_k ? Launch::template run<K_MAJOR, K_MAJOR, Half>(args, plan)
                         : Launch::template run<MN_MAJOR, K_MAJOR, Half>(args, plan);
    return a_along_k ? Launch::template run<K_MAJOR, MN_MAJOR, Half>(args, plan)
                     : Launch::template run<MN_MAJOR, MN_MAJOR, Half>(args, plan);
}

/* For its types too, and the second pass where k is cut. */
template <class Launch>
cudaError_t launch_call(const prim_gemm_args *args, prim_gemm_plan plan)
{
    if (args->m == 0 || args->n == 0 || args->batches == 0)
        return cudaSuccess;
    const cudaError_t error = args->a_type == CUDA_R_16F ? launch_ops<Launch, f16>(args, plan)
                                                         : launch_ops<Launch, bf16>(args, plan);
    const unsigned parts = cut_of(args, plan).parts;
    return error != cudaSuccess || parts < 2 ? error : prim_gemm_add_parts(args, parts);
}

/* What a rung says and does of a call, by its plans and its kernels. Operands that no copy reaches,
 * not even realigned, go to MMA's; with BATCH_INVARIANT they are refused. */
template <prim_gemm_plan (*PLAN)(const prim_gemm_args *), class Launch>
struct wgmma_rung {
    static const char *why_not(const void *any)
    {
        const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
        return wgmma_why_not(args, PLAN(args));
    }

    /* Where a call is only asked, nobody knows whether copies will reach its operands. If they do
     * not, MMA's kernels run, or with BATCH_INVARIANT none. */
    static size_t workspace_bytes(const void *any)
    {
        const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
        const size_t bytes = prim_gemm_realigned_bytes(args, PRIM_GEMM_BY_WGMMA) +
                             prim_gemm_plan_bytes(args, PLAN(args)),
                     otherwise = prim_gemm_is_invariant(args)
                                     ? 0
                                     : prim_gemm_mma_rung.workspace_bytes(args);
        return bytes > otherwise ? bytes : otherwise;
    }

    static cudaError_t launch(const void *any)
    {
        const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
        const prim_gemm_way way = prim_gemm_way_of(args, PRIM_GEMM_BY_WGMMA);
        if (way == PRIM_GEMM_UNREACHED)
            return prim_gemm_mma_rung.launch(args);
        prim_gemm_args now;
        const cudaError_t error = prim_gemm_realign(args, way, &now);
        return error != cudaSuccess ? error : launch_call<Launch>(&now, PLAN(&now));
    }
};

} // namespace boxes
} // namespace

#endif
