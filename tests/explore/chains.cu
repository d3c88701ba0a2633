/* Calls one behind the other, with nothing between them: each launch but the first may begin before
 * the one ahead has ended, and what the second call reads, the first one has just written. */
#include <cstdlib>

#include <primitives/scan.h>

#include "explorations.h"

#include "reduce/tile/tiles.cuh"

namespace
{

/* Ones; what a first call makes of them, and a second one of that; what both work in. */
struct buffers {
    size_t count;
    float *h, *d_in, *d_between, *d_out;
    void *d_workspace;
};

buffers allocate(size_t count, size_t workspace_bytes)
{
    buffers b = {};
    const size_t bytes = count * sizeof *b.h;
    b.count = count;
    b.h = static_cast<float *>(malloc(bytes));
    for (size_t i = 0; i < count; i++)
        b.h[i] = 1;
    cudaMalloc(&b.d_in, bytes);
    cudaMalloc(&b.d_between, bytes);
    cudaMalloc(&b.d_out, bytes);
    cudaMalloc(&b.d_workspace, workspace_bytes);
    cudaMemcpy(b.d_in, b.h, bytes, cudaMemcpyHostToDevice);
    return b;
}

void get_results(const buffers *b, size_t count)
{
    cudaMemcpy(b->h, b->d_out, count * sizeof *b->h, cudaMemcpyDeviceToHost);
}

void release(buffers *b)
{
    cudaFree(b->d_in);
    cudaFree(b->d_between);
    cudaFree(b->d_out);
    cudaFree(b->d_workspace);
    free(b->h);
}

/* ---- a scan of a scan's results ---- */

struct scan_call {
    prim_scan_variant variant;
    size_t count;
};

prim_status scan(const scan_call *s, const float *d_in, float *d_out, const prim_call *call)
{
    return prim_scan(s->variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                     d_in, s->count, CUDA_R_32F, d_out, nullptr, call);
}

const char *scan_twice(void *context)
{
    const scan_call *const s = static_cast<const scan_call *>(context);
    prim_answer answer = {};
    prim_call call = {};
    call.answer = &answer;
    scan(s, nullptr, nullptr, &call);
    buffers b = allocate(s->count, answer.workspace_bytes);
    call = {};
    call.d_workspace = b.d_workspace;
    call.workspace_bytes = answer.workspace_bytes;
    prim_status status = scan(s, b.d_in, b.d_between, &call);
    if (status == PRIM_OK)
        status = scan(s, b.d_between, b.d_out, &call);
    get_results(&b, b.count);
    const char *wrong = status != PRIM_OK ? prim_last_error(nullptr) : nullptr;
    for (size_t i = 0; wrong == nullptr && i < b.count; i++)
        if (b.h[i] != static_cast<float>((i + 1) * (i + 2) / 2))
            wrong = "a sum is wrong";
    release(&b);
    return wrong;
}

/* ---- a sum in two passes, of an array whose first element is such a sum ---- */

cudaError_t reduce(const buffers *b, float *d_out)
{
    prim_reduce_args args = {};
    args.kind = PRIM_REDUCE_VECTOR;
    args.op = PRIM_OP_SUM;
    args.in = b->d_in;
    args.in_type = args.out_type = CUDA_R_32F;
    args.rows = 1;
    args.columns = args.ld = b->count;
    args.out = d_out;
    args.call.workspace = b->d_workspace;
    return reduce_in_tiles<sum_operator>(elements_of<float, float>(&args, true), &args,
                                         results_of<float, float>(&args));
}

const char *reduce_twice(void *context)
{
    const size_t count = *static_cast<const size_t *>(context);
    buffers b = allocate(count, 256);
    cudaError_t error = reduce(&b, b.d_in);
    if (error == cudaSuccess)
        error = reduce(&b, b.d_out);
    get_results(&b, 1);
    const size_t sum = static_cast<size_t>(b.h[0]);
    release(&b);
    return error != cudaSuccess   ? "a launch fails"
           : sum != 2 * count - 1 ? "the sum is wrong"
                                  : nullptr;
}

scan_call looked_back = {PRIM_SCAN_LOOKBACK, 1100},
          reduced_first = {PRIM_SCAN_REDUCE_THEN_SCAN, 1100};
size_t reduced = 2 * 4096 + 1;

} // namespace

const protocol chains[] = {
    {"twice, look-back of 2 tiles", scan_twice, &looked_back, 2, 2, nullptr, 17},
    {"twice, reduce then scan", scan_twice, &reduced_first, 1, 1, nullptr, 1},
    {"twice, reduce", reduce_twice, &reduced, 1, 1, nullptr, 1},
};
const size_t chain_count = sizeof chains / sizeof *chains;
