/* prim_co_ranks(): a block for each diagonal, a warp for each run (splitters.cuh). */
#include "common/kernel/shared.cuh"
#include "merge/dispatch.cuh"
#include "merge/path/splitters.cuh"

namespace
{
namespace co_ranks
{

constexpr unsigned RUNS = PRIM_CO_RANKS_MOST_RUNS;

template <typename Key>
struct many_runs {
    const Key *keys[RUNS];
    size_t counts[RUNS]; /* 0 after the last run */
};

template <typename Key>
__global__ void __launch_bounds__(RUNS *WARP)
    split(key_order<Key> order, many_runs<Key> runs, unsigned run_count, const uint64_t *diagonals,
          uint64_t *ranks)
{
    using memory = splitter_memory<Key, RUNS>;
    PRIM_SHARED(memory, shared, );
    const unsigned t = threadIdx.x;
    uint64_t all = 0;
    for (unsigned r = 0; r < RUNS; r++)
        all += runs.counts[r];
    if (t < RUNS) {
        shared.keys[t] = runs.keys[t];
        shared.count[t] = runs.counts[t];
    }
    split_runs<Key, RUNS>(order, smaller(diagonals[blockIdx.x], all), shared);
    if (t < run_count)
        ranks[static_cast<size_t>(blockIdx.x) * run_count + t] = shared.low[t];
}

struct run_split : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_co_ranks_args *args)
    {
        many_runs<Key> runs = {};
        if (args->count == 0)
            return cudaSuccess;
        for (size_t r = 0; r < args->run_count; r++) {
            runs.keys[r] = static_cast<const Key *>(args->runs[r]);
            runs.counts[r] = args->counts[r];
        }
        return prim_launch({args->call.stream, static_cast<unsigned>(args->count), RUNS * WARP},
                           split<Key>, order_of<Key>(args), runs,
                           static_cast<unsigned>(args->run_count), args->diagonals, args->ranks);
    }
};

const char *why_not(const void *any)
{
    return keys_why_not(static_cast<const prim_co_ranks_args *>(any),
                        static_cast<const prim_co_ranks_args *>(any)->count, 1);
}

cudaError_t launch(const void *args)
{
    return dispatch<run_split>(static_cast<const prim_co_ranks_args *>(args));
}

} // namespace co_ranks
} // namespace

PRIM_DEFINE_RUNG(co_ranks, split) = {
    {1, "split", "a block a diagonal, a warp a run"}, co_ranks::why_not, nullptr, co_ranks::launch};
