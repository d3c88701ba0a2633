/* prim_co_rank(): a binary search for each diagonal, by a thread of its own. */
#include "common/sizes.h"
#include "merge/dispatch.cuh"
#include "merge/runs.cuh"

namespace
{

template <typename Key>
__global__ void __launch_bounds__(PRIM_CO_RANK_THREADS)
    search(key_order<Key> order, runs<Key, size_t> r, const uint64_t *diagonals, size_t count,
           uint64_t *ranks)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * PRIM_CO_RANK_THREADS + threadIdx.x;
    if (i < count)
        ranks[i] = co_rank(order, r, smaller<size_t>(diagonals[i], r.a_count + r.b_count));
}

struct search_rung : device_rung {
    template <typename Key>
    static cudaError_t run(const prim_co_rank_args *args)
    {
        const runs<Key, size_t> r = {static_cast<const Key *>(args->a), args->a_count,
                                     static_cast<const Key *>(args->b), args->b_count};
        const size_t blocks = prim_divide_up(args->count, PRIM_CO_RANK_THREADS);
        if (blocks == 0)
            return cudaSuccess;
        return prim_launch(args->call.stream, static_cast<unsigned>(blocks), PRIM_CO_RANK_THREADS,
                           search<Key>, order_of<Key>(args->order), r, args->diagonals, args->count,
                           args->ranks);
    }
};

} // namespace

cudaError_t prim_co_rank_search(const void *args)
{
    return dispatch<search_rung>(static_cast<const prim_co_rank_args *>(args));
}
