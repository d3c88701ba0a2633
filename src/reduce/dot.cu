/* VECTORIZED, for dot products: the tiles of vectorized.cu, whose elements are products of two
 * arrays' elements. Two loads take the place of one, so eight are in flight in each thread.
 *
 * Bytes: each element of both arrays once, and the tiles' sums. */
#include "reduce/tile/tiles.cuh"
#include "reduce/vectorized.h"

namespace
{
namespace dot
{

template <typename In, typename Out>
products<In, Out> products_of(const prim_reduce_args *args)
{
    return {static_cast<const In *>(args->in), static_cast<const In *>(args->in_y),
            is_aligned<In>(args)};
}

struct add_products : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        return reduce_in_tiles<Operator>(products_of<In, Out>(args), args,
                                         results_of<In, Out>(args));
    }
};

/* The first pass alone. */
struct add_to_values : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        return launch_tile_values<Operator, Out>(products_of<In, Out>(args), args);
    }
};

} // namespace dot
} // namespace

cudaError_t prim_reduce_launch_dot(const prim_reduce_args *args)
{
    return dispatch_sum<is_built_in(PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_DOT), dot::add_products>(
        args);
}

cudaError_t prim_reduce_dot_tile_values(const prim_reduce_args *args)
{
    return dispatch_sum<is_built_in(PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_DOT), dot::add_to_values>(
        args);
}
