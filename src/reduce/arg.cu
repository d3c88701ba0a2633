/* VECTORIZED, for the first extreme element: the tiles of vectorized.cu, whose values are an
 * element and its index.
 *
 * Floats are compared as integers of the same order, with NaN before all, so that one integer
 * comparison is enough. A vector's best is found with an index inside the vector and then compared
 * with the best so far: the 64-bit index is updated once for 16 bytes. (To search the index only
 * for a tile's winner, by reading its vector again, was no faster.)
 *
 * Whatever the order, the result is the same. So tiles begin at whole vectors of memory, also where
 * the array does not: what lies in front of it in its first vector is left out.
 *
 * Bytes: each element once, and 16 bytes for each tile. */
#include "reduce/tiles.cuh"
#include "reduce/vectorized.h"

namespace
{
namespace arg
{

/* Where the value and the index of the result go, which was counted from `front` elements before
 * the first. */
template <typename In, class Extreme>
struct element_and_index {
    In *value;
    uint64_t *index;
    unsigned front;

    template <typename Candidate>
    __device__ void store(size_t row, Candidate found) const
    {
        value[row] = element_with_key<In, Extreme>(found.key);
        index[row] = found.index - front;
    }
};

struct find_first : launch_run {
    template <typename In, class Extreme>
    static cudaError_t run(const prim_reduce_args *args)
    {
        const In *const in = static_cast<const In *>(args->in);
        const unsigned front = bytes_past_vector(in) / sizeof(In);
        const candidates<In, Extreme> source = {in - front, front, transform_of(args)};
        const element_and_index<In, Extreme> result = {static_cast<In *>(args->out),
                                                       args->out_index, front};
        prim_reduce_args from_vector = *args;
        from_vector.columns += front;
        return reduce_in_tiles<first_of<Extreme>>(source, &from_vector, result);
    }
};

} // namespace arg
} // namespace

cudaError_t prim_reduce_launch_arg(const prim_reduce_args *args)
{
    return args->op == PRIM_OP_MIN ? dispatch_elements<arg::find_first, least>(args)
                                   : dispatch_elements<arg::find_first, greatest>(args);
}
