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
 * only the last five steps run with idle lanes. Neighbouring threads touch neighbouring words, so
 * no two lanes of a warp meet in a bank. Two elements a thread: half as many blocks, and
 * no thread sits idle from the start.
 *
 * What still holds it back: one barrier for each step, five of them for a single warp's work, and
 * 4-byte loads with only two in flight a thread.
 *
 * Work: count - 1 combinations. Steps: 1 + log2(256) a block, in log512(count) passes.
 * Bytes: each element once, and 1/512 of them again for each further pass.
 * Source: M. Harris, Optimizing Parallel Reduction in CUDA, NVIDIA 2007, kernels 3 and 4. */
#include "common/shared.cuh"
#include "reduce/passes.cuh"

namespace
{

constexpr unsigned SEQUENTIAL_THREADS = PRIM_REDUCE_SEQUENTIAL_ELEMENTS / 2;

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(SEQUENTIAL_THREADS)
    sequential(row_blocks<In> rows, prim_transform transform, Out *out)
{
    PRIM_SHARED(Out, partial, [SEQUENTIAL_THREADS]);
    const unsigned t = threadIdx.x;
    const row_block<In> block = this_block(rows, 2 * SEQUENTIAL_THREADS);

    partial[t] = Operator::combine(
        load_or_identity<Operator, Out>(block, t, transform),
        load_or_identity<Operator, Out>(block, t + SEQUENTIAL_THREADS, transform));
    for (unsigned stride = SEQUENTIAL_THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride)
            partial[t] = Operator::combine(partial[t], partial[t + stride]);
    }
    if (t == 0)
        out[blockIdx.x] = partial[0];
}

struct sequential_rung : device_rung {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        return reduce_in_passes(args, PRIM_REDUCE_SEQUENTIAL_ELEMENTS, SEQUENTIAL_THREADS,
                                sequential<In, Out, Operator>, sequential<Out, Out, Operator>);
    }
};

} // namespace

cudaError_t prim_reduce_sequential(const void *args)
{
    return dispatch_textbook<sequential_rung>(static_cast<const prim_reduce_args *>(args));
}
