/* prim_co_rank(): a binary search for each diagonal, by a thread of its own. */
#include "merge/dispatch.cuh"
#include "merge/path/runs.cuh"

namespace
{
namespace ranks
{

constexpr unsigned SEARCHES = 256; /* of a block */

template <typename Key>
__global__ void __launch_bounds__(SEARCHES)
    search(key_order<Key> order, runs<Key, size_t> r, const uint64_t *diagonals, size_t count,
           uint64_t *ranks)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * SEARCHES + threadIdx.x;
    if (i < count)
        ranks[i] = co_rank(order, r, smaller<size_t>(diagonals[i], r.a_count + r.b_count));
}

struct run_search : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_co_rank_args *args)
    {
        const runs<Key, size_t> r = {static_cast<const Key *>(args->a), args->a_count,
                                     static_cast<const Key *>(args->b), args->b_count};
        const size_t blocks = prim_divide_up(args->count, SEARCHES);
        if (blocks == 0)
            return cudaSuccess;
        return prim_launch({args->call.stream, static_cast<unsigned>(blocks), SEARCHES},
                           search<Key>, order_of<Key>(args), r, args->diagonals, args->count,
                           args->ranks);
    }
};

const char *why_not(const void *any)
{
    const prim_co_rank_args *args = static_cast<const prim_co_rank_args *>(any);
    return keys_why_not(args, args->count, SEARCHES);
}

cudaError_t launch(const void *args)
{
    return dispatch<run_search>(static_cast<const prim_co_rank_args *>(args));
}

} // namespace ranks
} // namespace

PRIM_DEFINE_RUNG(co_rank, search) = {
    {1, "search", "one binary search a thread"}, ranks::why_not, nullptr, ranks::launch};
