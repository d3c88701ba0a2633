/* EDGES_SEARCH: for each sample a binary search among the edges, and an atomic addition, both in
 * global memory.
 *
 *     edges    0 1 2 3 4 5 6 7 8 …      sample x: half, quarter, eighth, … of the edges, until one
 *                    ↑   ↑ ↑            bin is left: log2(bins) dependent loads, from the cache if
 *                                       the edges fit there
 *
 * Warps hold back what they add to the counters that they meet often: held.cuh.
 *
 * What holds it back: the chain of loads, and additions that queue up at a counter.
 *
 * Work: count · log2(bins) comparisons, and count atomics. Bytes: each sample once. */
#include "histogram/counters/held.cuh"
#include "histogram/counters/vectors.cuh"
#include "histogram/edges/edges.cuh"

namespace
{
namespace edges_search
{

constexpr unsigned BLOCKS = 8; /* a multiprocessor */

template <typename T>
__global__ void __launch_bounds__(THREADS)
    count_samples(const T *samples, size_t count, edge_binning b, counters to)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS;
    size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    held_counters<counters, uint32_t, uint32_t> held = {to, {}, {}};
    const uint32_t one[1] = {1};
    grid_dependency_synchronize();
    held.begin();
    PRIM_UNROLL(1)
    for (size_t first = i - threadIdx.x % WARP; first < count; /* the same for a warp's lanes */
         first += threads, i += threads) {
        const size_t counter = i < count ? counter_between_edges(b, samples[i]) : NOWHERE;
        uint32_t at[1] = {static_cast<uint32_t>(counter)}; /* NOWHERE becomes NONE */
        held.add(at, one);
    }
    held.end();
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        return clear_and_launch(
            args, {args->call.stream, choose_blocks(args->count, THREADS, BLOCKS), THREADS},
            count_samples<T>, static_cast<const T *>(args->samples), args->count,
            make_edge_binning(args), make_counters(args));
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return args->bins > PRIM_HISTOGRAM_MOST_BINS ? PRIM_HISTOGRAM_TOO_MANY_BINS : nullptr;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_count>(static_cast<const prim_histogram_args *>(args));
}

} // namespace edges_search
} // namespace

PRIM_DEFINE_RUNG(histogram, edges_search) = {
    {PRIM_HISTOGRAM_EDGES_SEARCH, "edges_search",
     "a binary search among the edges and an atomic addition for each sample"},
    edges_search::why_not,
    nullptr,
    edges_search::launch};
