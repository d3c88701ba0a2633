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
#include "reduce/arg/candidates.cuh"
#include "reduce/tile/tiles.cuh"
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

/* The same after further passes. Their kernels are those of the keys, and the element's type is
 * chosen at the one store. */
template <typename Key, class Extreme>
struct any_element_and_index {
    void *value;
    cudaDataType_t type;
    uint64_t *index;
    unsigned front;

    template <typename In>
    __device__ void store_as(size_t row, const candidate<Key> &found) const
    {
        if constexpr (std::is_same<key_t<working_t<In>>, Key>::value)
            element_and_index<In, Extreme>{static_cast<In *>(value), index, front}.store(row,
                                                                                         found);
    }

    __device__ void store(size_t row, const candidate<Key> &found) const
    {
#define STORE_AS(in_enum, in_type, out_enum, out_type)             \
    if (std::is_same<in_type, out_type>::value && type == in_enum) \
        store_as<in_type>(row, found);
        PRIM_REDUCE_TYPES(STORE_AS)
#undef STORE_AS
    }
};

template <typename In, class Extreme>
any_element_and_index<key_t<working_t<In>>, Extreme>
further_results(const prim_reduce_args *args, const element_and_index<In, Extreme> &first)
{
    return {args->out, args->in_type, first.index, first.front};
}

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

/* Tiles of a line, wherever it begins in its first vector. */
size_t most_tiles(const prim_reduce_args *args)
{
    return first_tiles(args, VECTOR_BYTES / prim_element_bytes(args->in_type) - 1);
}

} // namespace arg
} // namespace

const char *prim_reduce_arg_why_not(const prim_reduce_args *args)
{
    return tiles_why_not(args, arg::most_tiles(args));
}

size_t prim_reduce_arg_workspace(const prim_reduce_args *args)
{
    return tiles_workspace(args, arg::most_tiles(args), sizeof(candidate<int64_t>));
}

cudaError_t prim_reduce_launch_arg(const prim_reduce_args *args)
{
    return args->op == PRIM_OP_MIN
               ? dispatch_elements<is_built_in(PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_ARG),
                                   arg::find_first, least>(args)
               : dispatch_elements<is_built_in(PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_ARG),
                                   arg::find_first, greatest>(args);
}
