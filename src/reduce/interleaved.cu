/* INTERLEAVED: neighbours first.
 *
 * Each thread loads one element into shared memory. Then every second thread adds its
 * neighbour's value, then every fourth, and so on:
 *
 *     stride 1    0←1  2←3  4←5  6←7
 *     stride 2    0←───2    4←───6
 *     stride 4    0←────────4
 *
 * In every step the working threads are spread over all warps: after the first step, each warp
 * runs with half of its lanes idle, then three quarters, and none retires before the stride
 * exceeds a warp. This rung is here to show that; SEQUENTIAL avoids it.
 *
 * Work: count - 1 combinations. Steps: log2(256) a block, in log256(count) passes.
 * Bytes: each element once, and 1/256 of them again for each further pass.
 * Source: M. Harris, Optimizing Parallel Reduction in CUDA, NVIDIA 2007, kernel 1. */
#include "common/kernel/shared.cuh"
#include "reduce/passes.cuh"

namespace
{
namespace interleaved
{

constexpr unsigned THREADS = 256; /* and elements of a block */

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(THREADS)
    reduce_blocks(row_blocks<In> rows, prim_transform transform, Out *out)
{
    PRIM_SHARED(Out, partial, [THREADS]);
    const unsigned t = threadIdx.x;
    const row_block<In> block = this_block(rows, THREADS);

    partial[t] = load_or_identity<Operator, Out>(block, t, transform);
    for (unsigned stride = 1; stride < THREADS; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0)
            partial[t] = Operator::combine(partial[t], partial[t + stride]);
    }
    if (t == 0)
        out[blockIdx.x] = partial[0];
}

struct lesson {
    static constexpr unsigned OF_BLOCK = THREADS, BLOCK = THREADS; /* elements; threads */
    template <typename In, typename Out, typename Operator>
    static constexpr block_kernel<In, Out> kernel = reduce_blocks<In, Out, Operator>;
};

} // namespace interleaved
} // namespace

PRIM_DEFINE_RUNG(reduce, interleaved) =
    rung_of_passes<PRIM_REDUCE_INTERLEAVED, interleaved::lesson>(
        "interleaved", "neighbours first; the stride doubles, warps diverge");
