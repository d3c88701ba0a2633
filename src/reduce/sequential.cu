/* SEQUENTIAL: halves first.
 *
 * Each thread combines two elements on the way into shared memory. Then the first half of the
 * threads adds the second half's values, then the first quarter the second quarter's:
 *
 *     stride 4    0←4  1←5  2←6  3←7
 *     stride 2    0←2  1←3
 *     stride 1    0←1
 *
 * The working threads are always the first ones: whole warps work or have nothing left to do, and
 * only the last five steps run with idle lanes. Neighbouring threads access neighbouring words, so
 * there are no bank conflicts. Two elements for each thread: half as many blocks, and no thread is
 * idle from the start.
 *
 * What still holds it back: one barrier for each step, five of them for a single warp's work, and
 * 4-byte loads with only two in flight a thread.
 *
 * Work: count - 1 combinations. Steps: 1 + log2(256) a block, in log512(count) passes.
 * Bytes: each element once, and 1/512 of them again for each further pass.
 * Source: M. Harris, Optimizing Parallel Reduction in CUDA, NVIDIA 2007, kernels 3 and 4. */
#include "common/kernel/shared.cuh"
#include "reduce/passes.cuh"

namespace
{
namespace sequential
{

constexpr unsigned ELEMENTS = 512, THREADS = ELEMENTS / 2; /* of a block */

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(THREADS)
    reduce_blocks(row_blocks<In> rows, prim_transform transform, Out *out)
{
    PRIM_SHARED(Out, partial, [THREADS]);
    const unsigned t = threadIdx.x;
    const row_block<In> block = this_block(rows, ELEMENTS);

    partial[t] = Operator::combine(load_or_identity<Operator, Out>(block, t, transform),
                                   load_or_identity<Operator, Out>(block, t + THREADS, transform));
    for (unsigned stride = THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride)
            partial[t] = Operator::combine(partial[t], partial[t + stride]);
    }
    if (t == 0)
        out[blockIdx.x] = partial[0];
}

struct lesson {
    static constexpr unsigned OF_BLOCK = ELEMENTS, BLOCK = THREADS; /* elements; threads */
    template <typename In, typename Out, typename Operator>
    static constexpr block_kernel<In, Out> kernel = reduce_blocks<In, Out, Operator>;
};

} // namespace sequential
} // namespace

PRIM_DEFINE_RUNG(reduce, sequential) = rung_of_passes<PRIM_REDUCE_SEQUENTIAL, sequential::lesson>(
    "sequential", "halves first; two elements a thread, the stride halves, idle warps retire");
