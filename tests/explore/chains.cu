/* Calls one behind the other, with nothing between them: each launch but the first may begin before
 * the one ahead has ended, and what the second call reads, the first one has just written. */
#include <cstdlib>

#include <primitives/scan.h>

#include "explorations.h"

#include "reduce/tile/tiles.cuh"

namespace
{

constexpr size_t MOST = 2 * 4096 + 1, SECOND = 2 * 4096 + 4, WORKSPACE_BYTES = 4096;

/* Of `count` elements; and the results of a second call, on those of the first one. */
struct twofold {
    bool (*call)(const twofold *t, const float *d_in, float *d_out, void *d_workspace);
    size_t count, results;
    float (*expected)(const twofold *t, size_t i);
    prim_scan_variant variant;
};

/* Of ones; the first call's results, and more ones, are what the second one takes. */
const char *run_twice(void *context)
{
    const twofold *const t = static_cast<const twofold *>(context);
    static float h[2 * SECOND];
    float *d_in = nullptr, *d_out = nullptr;
    void *d_workspace = nullptr;
    for (float &one : h)
        one = 1;
    cudaMalloc(&d_in, sizeof h);
    cudaMalloc(&d_out, sizeof h);
    cudaMalloc(&d_workspace, WORKSPACE_BYTES);
    cudaMemcpy(d_in, h, sizeof h, cudaMemcpyHostToDevice);
    const bool runs = t->call(t, d_in, d_in + SECOND, d_workspace) &&
                      t->call(t, d_in + SECOND, d_out, d_workspace);
    cudaMemcpy(h, d_out, t->results * sizeof *h, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_workspace);
    for (size_t i = 0; i < t->results; i++)
        if (h[i] != t->expected(t, i))
            return runs ? "a result is wrong" : "a call fails";
    return nullptr;
}

/* ---- a scan of a scan's results ---- */

bool scan(const twofold *t, const float *d_in, float *d_out, void *d_workspace)
{
    prim_call call = {};
    call.d_workspace = d_workspace;
    call.workspace_bytes = WORKSPACE_BYTES;
    return prim_scan(t->variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                     d_in, t->count, CUDA_R_32F, d_out, nullptr, &call) == PRIM_OK;
}

float sum_of_sums(const twofold *, size_t i)
{
    return static_cast<float>((i + 1) * (i + 2) / 2);
}

/* ---- a sum in two passes, of an array whose first element is such a sum ---- */

bool reduce(const twofold *t, const float *d_in, float *d_out, void *d_workspace)
{
    prim_reduce_args args = {};
    args.kind = PRIM_REDUCE_VECTOR;
    args.op = PRIM_OP_SUM;
    args.in = d_in;
    args.in_type = args.out_type = CUDA_R_32F;
    args.rows = 1;
    args.columns = args.ld = t->count;
    args.out = d_out;
    args.call.workspace = d_workspace;
    return reduce_in_tiles<sum_operator>(elements_of<float, float>(&args, true), &args,
                                         results_of<float, float>(&args)) == cudaSuccess;
}

float sum_with_sum(const twofold *t, size_t)
{
    return static_cast<float>(2 * t->count - 1);
}

twofold looked_back = {scan, 1100, 1100, sum_of_sums, PRIM_SCAN_LOOKBACK},
        reduced_first = {scan, 1100, 1100, sum_of_sums, PRIM_SCAN_REDUCE_THEN_SCAN},
        reduced = {reduce, MOST, 1, sum_with_sum, PRIM_SCAN_AUTO};

} // namespace

const protocol chains[] = {
    {"twice, look-back of 2 tiles", run_twice, &looked_back, 2, 2, nullptr, 17},
    {"twice, reduce then scan", run_twice, &reduced_first, 1, 1, nullptr, 1},
    {"twice, reduce", run_twice, &reduced, 1, 1, nullptr, 1},
};
const size_t chain_count = sizeof chains / sizeof *chains;
