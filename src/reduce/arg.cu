/* VECTORIZED, for the first extreme element: the tiles of vectorized.cu, whose values are an
 * element and its index.
 *
 * Floats are compared as integers of the same order, with NaN before all, so that one comparison
 * decides. A vector's best is found with an index inside the vector and then compared with the best
 * so far: the 64-bit index is touched once for 16 bytes. (To look for the place of a tile's winner
 * only, by reading its vector again, was no faster.)
 *
 * Bytes: each element once, and 16 bytes for each tile. */
#include "reduce/tiles.cuh"

namespace
{

/* A value and an index, each at its own place. */
template <typename In, class Extreme>
struct element_and_index {
    In *value;
    uint64_t *index;

    template <typename Candidate>
    __device__ void store(size_t row, Candidate found) const
    {
        value[row] = element_of<In, Extreme>(found.key);
        index[row] = found.index;
    }
};

struct arg_rung : device_rung {
    template <typename In, typename, class Extreme>
    static cudaError_t run(const prim_reduce_args *args)
    {
        const candidates<In, Extreme> source = {static_cast<const In *>(args->in),
                                                is_aligned<In>(args), transform_of(args)};
        const element_and_index<In, Extreme> result = {static_cast<In *>(args->out),
                                                       static_cast<uint64_t *>(args->out_index)};
        return reduce_in_tiles<first_of<Extreme>>(source, args, result);
    }
};

} // namespace

cudaError_t prim_reduce_arg(const prim_reduce_args *args)
{
    return args->op == PRIM_OP_MIN ? dispatch_elements<arg_rung, least>(args)
                                   : dispatch_elements<arg_rung, greatest>(args);
}
