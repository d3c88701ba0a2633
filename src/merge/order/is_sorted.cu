/* prim_is_sorted(): a thread compares each key with the next one. Blocks that find two in the wrong
 * order increment a counter, and a last launch turns it into the answer. Bytes: each key once;
 * neighbours share their loads in L1. */
#include "common/block/warp.cuh"
#include "common/kernel/shared.cuh"
#include "merge/dispatch.cuh"
#include "merge/path/runs.cuh"

namespace
{
namespace is_sorted
{

constexpr unsigned BLOCK = 256, ITEMS = 8;

__global__ void begin(uint32_t *answer)
{
    *answer = 0;
}

template <typename Key>
__global__ void __launch_bounds__(BLOCK)
    count_blocks(key_order<Key> order, const Key *in, size_t count, uint32_t *answer)
{
    const size_t first = static_cast<size_t>(blockIdx.x) * BLOCK * ITEMS + threadIdx.x;
    bool wrong = false;
    PRIM_UNROLL(8)
    for (unsigned i = 0; i < ITEMS; i++) {
        const size_t x = first + i * BLOCK;
        if (x + 1 < count)
            wrong = wrong || order.before(in[x + 1], in[x]);
    }
    if (__ballot_sync(ALL_LANES, wrong) != 0 && threadIdx.x % WARP == 0)
        atomicAdd(answer, 1u);
}

__global__ void end(uint32_t *answer)
{
    *answer = *answer == 0;
}

struct run_check : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_is_sorted_args *args)
    {
        const size_t blocks = prim_divide_up(args->count, BLOCK * ITEMS);
        const cudaStream_t stream = args->call.stream;
        cudaError_t error = prim_launch({stream, 1, 1}, begin, args->answer);
        if (error == cudaSuccess && blocks > 0)
            error = prim_launch({stream, static_cast<unsigned>(blocks), BLOCK}, count_blocks<Key>,
                                order_of<Key>(args), static_cast<const Key *>(args->in),
                                args->count, args->answer);
        return error == cudaSuccess ? prim_launch({stream, 1, 1}, end, args->answer) : error;
    }
};

const char *why_not(const void *any)
{
    const prim_is_sorted_args *args = static_cast<const prim_is_sorted_args *>(any);
    return keys_why_not(args, args->count, BLOCK * ITEMS);
}

cudaError_t launch(const void *args)
{
    return dispatch<run_check>(static_cast<const prim_is_sorted_args *>(args));
}

} // namespace is_sorted
} // namespace

PRIM_DEFINE_RUNG(is_sorted, neighbours) = {{1, "neighbours", "every key and the one behind it"},
                                           is_sorted::why_not,
                                           nullptr,
                                           is_sorted::launch};
