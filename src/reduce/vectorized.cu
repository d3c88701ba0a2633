/* VECTORIZED: 16 bytes a load, four loads under way in each thread, and as few passes as may be.
 *
 * A block takes a tile of 16 KiB in the order of order.cuh: all four loads of a thread are issued
 * before the first is needed, so that a multiprocessor keeps 128 KiB under way, and memory, not its
 * latency, sets the pace. Blocks are many and short-lived: the last ones to end leave little idle.
 * A pass leaves one value for each tile; the second pass of 2^24 floats has one tile. From compute
 * capability 9.0 on, a pass is launched while the one before it still runs, and waits on the device
 * for its end: that hides the launch.
 *
 * Rows of up to 4 KiB are given to warps whole, eight loads a thread under way, and rows of up to
 * 512 bytes to a part of a warp: one launch, no shared memory, no barrier.
 *
 * Work: count - 1 combinations. Bytes: each element once, and 1/4096 (f32) of them again for each
 * further pass. Steps: 64 bytes' elements a thread, 8 halvings, in log4096(count) passes.
 * Source: M. Harris, Optimizing Parallel Reduction in CUDA, NVIDIA 2007, kernel 7, for the idea of
 * several elements a thread; CUDA C++ Programming Guide, Programmatic Dependent Launch. */
#include "reduce/tiles.cuh"

namespace
{

struct vectorized_rung : device_rung {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        const elements<In, Out> source = {static_cast<const In *>(args->in), is_aligned<In>(args),
                                          transform_of(args)};
        return reduce_in_tiles<Operator>(source, args, results<Out>{static_cast<Out *>(args->out)});
    }
};

} // namespace

cudaError_t prim_reduce_vectorized(const prim_reduce_args *args)
{
    return dispatch<LINES_ARE_BUILT, vectorized_rung>(args);
}
