/* SHUFFLE: warps combine in registers.
 *
 * Each thread combines four elements on their way in. Then the lanes of a warp hand values down to
 * each other by shuffles, without shared memory and without a barrier:
 *
 *     lane     0    1    2    3    4  …  31
 *     16       0←16 1←17 2←18 3←19 …
 *      8       0←8  1←9  …
 *      …       0←1
 *
 * One value for each warp goes through shared memory, one barrier, and the first warp does the same
 * with those.
 *
 * What changed from SEQUENTIAL: one barrier a block instead of eight, and 32 words of shared memory
 * instead of 256; four loads in flight a thread. What still holds it back: 4 bytes a load, and a
 * launch for each pass.
 *
 * Work: count - 1 combinations. Steps: 4 + 5 + 3 a block, in log1024(count) passes.
 * Bytes: each element once, and 1/1024 of them again for each further pass.
 * Source: J. Luitjens, Faster Parallel Reductions on Kepler, NVIDIA 2014. */
#include "common/shared.cuh"
#include "common/unroll.cuh"
#include "reduce/passes.cuh"

namespace
{

constexpr unsigned SHUFFLE_THREADS = 256, LOADS = PRIM_REDUCE_SHUFFLE_ELEMENTS / SHUFFLE_THREADS,
                   WARP_LANES = 32;

template <typename Operator, typename T>
__device__ T combine_warp(T value)
{
    for (unsigned stride = WARP_LANES / 2; stride > 0; stride /= 2)
        value = Operator::combine(value, __shfl_down_sync(0xffffffffu, value, stride));
    return value;
}

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(SHUFFLE_THREADS)
    shuffle(row_blocks<In> rows, prim_transform transform, Out *out)
{
    PRIM_SHARED(Out, of_warp, [SHUFFLE_THREADS / WARP_LANES]);
    const unsigned t = threadIdx.x;
    const row_block<In> block = this_block(rows, PRIM_REDUCE_SHUFFLE_ELEMENTS);

    Out loaded[LOADS];
    PRIM_UNROLL(LOADS)
    for (unsigned i = 0; i < LOADS; i++)
        loaded[i] = load_or_identity<Operator, Out>(block, t + i * SHUFFLE_THREADS, transform);
    Out value = loaded[0];
    PRIM_UNROLL(LOADS)
    for (unsigned i = 1; i < LOADS; i++)
        value = Operator::combine(value, loaded[i]);

    value = combine_warp<Operator>(value);
    if (t % WARP_LANES == 0)
        of_warp[t / WARP_LANES] = value;
    __syncthreads();
    if (t >= WARP_LANES)
        return;
    value = combine_warp<Operator>(
        t < SHUFFLE_THREADS / WARP_LANES ? of_warp[t] : Operator::template identity<Out>());
    if (t == 0)
        out[blockIdx.x] = value;
}

struct shuffle_rung : device_rung {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        return reduce_in_passes(args, PRIM_REDUCE_SHUFFLE_ELEMENTS, SHUFFLE_THREADS,
                                shuffle<In, Out, Operator>, shuffle<Out, Out, Operator>);
    }
};

} // namespace

cudaError_t prim_reduce_shuffle(const void *args)
{
    return dispatch_textbook<shuffle_rung>(static_cast<const prim_reduce_args *>(args));
}
