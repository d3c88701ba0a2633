/* How the textbook rungs reach any length: a pass leaves one value for each block, and passes
 * follow each other until one value is left.
 *
 *     elements   ████████████████████████████████   first pass: converts and transforms
 *     partials   █   █   █   █   █   █   █   █
 *     partials   █               █                  further passes: combine only
 *     result     █                                                                       */
#ifndef PRIM_REDUCE_PASSES_CUH
#define PRIM_REDUCE_PASSES_CUH

#include "common/launch.cuh"
#include "reduce/dispatch.cuh"

namespace
{

template <typename In, typename Out>
using block_kernel = void (*)(const In *in, size_t count, prim_transform transform, Out *out);

/* Element i of in, or the identity behind the end. */
template <typename Operator, typename Out, typename In>
__device__ Out load_or_identity(const In *in, size_t i, size_t count, prim_transform transform)
{
    return i < count ? load<Out>(&in[i], transform) : Operator::template identity<Out>();
}

template <typename In, typename Out>
cudaError_t reduce_in_passes(const prim_reduce_args *args, unsigned block_elements,
                             unsigned block_threads, block_kernel<In, Out> first,
                             block_kernel<Out, Out> further)
{
    Out *const result = static_cast<Out *>(args->out);
    Out *partials = static_cast<Out *>(args->workspace);
    const auto blocks_for = [block_elements](size_t count) {
        return count <= block_elements ? 1u
                                       : static_cast<unsigned>((count - 1) / block_elements + 1);
    };

    unsigned left = blocks_for(args->count);
    cudaError_t error =
        prim_launch(args->stream, left, block_threads, first, static_cast<const In *>(args->in),
                    args->count, args->transform, left == 1 ? result : partials);
    while (error == cudaSuccess && left > 1) {
        const unsigned blocks = blocks_for(left);
        error = prim_launch(args->stream, blocks, block_threads, further, partials, left,
                            PRIM_TRANSFORM_NONE, blocks == 1 ? result : partials + left);
        partials += left;
        left = blocks;
    }
    return error;
}

} // namespace

#endif
