/* SHUFFLE: warps combine in registers.
 *
 * Each thread combines four elements as it loads them. Then the lanes of a warp exchange values by
 * shuffles, without shared memory and without a barrier:
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
#include "common/block/warp.cuh"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "reduce/passes.cuh"

namespace
{
namespace shuffle
{

[[maybe_unused]] constexpr unsigned ELEMENTS = 1024, THREADS = 256,
                                    LOADS = ELEMENTS / THREADS; /* of a block */

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(THREADS)
    reduce_blocks(row_blocks<In> rows, prim_transform transform, Out *out)
{
    PRIM_SHARED(Out, of_warp, [THREADS / WARP]);
    const unsigned t = threadIdx.x;
    const row_block<In> block = this_block(rows, ELEMENTS);

    Out loaded[LOADS];
    PRIM_UNROLL(LOADS)
    for (unsigned i = 0; i < LOADS; i++)
        loaded[i] = load_or_identity<Operator, Out>(block, t + i * THREADS, transform);
    Out value = loaded[0];
    PRIM_UNROLL(LOADS)
    for (unsigned i = 1; i < LOADS; i++)
        value = Operator::combine(value, loaded[i]);

    value = reduce_warp<Operator>(value);
    if (t % WARP == 0)
        of_warp[t / WARP] = value;
    __syncthreads();
    if (t >= WARP)
        return;
    value =
        reduce_warp<Operator>(t < THREADS / WARP ? of_warp[t] : Operator::template identity<Out>());
    if (t == 0)
        out[blockIdx.x] = value;
}

struct lesson {
    static constexpr unsigned OF_BLOCK = ELEMENTS, BLOCK = THREADS; /* elements; threads */
    template <typename In, typename Out, typename Operator>
    static constexpr block_kernel<In, Out> kernel = reduce_blocks<In, Out, Operator>;
};

} // namespace shuffle
} // namespace

PRIM_DEFINE_RUNG(reduce, shuffle) = rung_of_passes<PRIM_REDUCE_SHUFFLE, shuffle::lesson>(
    "shuffle", "warps combine in registers; one barrier a block");
