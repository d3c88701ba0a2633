/* EDGES_SEARCH: for each sample a binary search among the edges, and an atomic addition, both in
 * global memory.
 *
 *     edges    0 1 2 3 4 5 6 7 8 …      sample x: half, quarter, eighth, … of the edges, until one
 *                    ↑   ↑ ↑            bin is left: log2(bins) dependent loads, from the cache if
 *                                       the edges fit there
 *
 * A thread searches for four samples at once, so that four loads are under way. Warps hold back
 * what they add to the counters that they meet often: held.cuh.
 *
 * What holds it back: the chain of loads, and additions that queue up at a counter.
 *
 * Work: count · log2(bins) comparisons, and count atomics. Bytes: each sample once. */
#include "histogram/edges.cuh"
#include "histogram/held.cuh"
#include "histogram/vectors.cuh"

namespace
{
namespace edges_search
{

constexpr unsigned AT_A_TIME = 4, BLOCKS = 4; /* a multiprocessor */

/* Steps of all searches are taken side by side: halves of a power of two that is no more than the
 * number of edges. */
template <typename Edge, typename Key>
__device__ void search(const edge_binning &b, const Key (&key)[AT_A_TIME],
                       uint32_t (&passed)[AT_A_TIME])
{
    const edges_in_memory<Edge> keys = {b};
    const uint32_t edges = static_cast<uint32_t>(b.bins) + 1;
    uint32_t step = 1;
    while (step <= edges / 2)
        step *= 2;
    PRIM_UNROLL(1)
    for (; step > 0; step /= 2) {
        PRIM_UNROLL(4)
        for (unsigned n = 0; n < AT_A_TIME; n++)
            if (passed[n] + step <= edges && keys(passed[n] + step - 1) <= key[n])
                passed[n] += step;
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    count_samples(const T *samples, size_t count, edge_binning b, counters to)
{
    using Edge = edge_of_t<T>;
    using Key = key_of_t<Edge>;
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS;
    size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    held_counters<counters, uint32_t, uint32_t> held = {to, {}, {}};
    const uint32_t ones[AT_A_TIME] = {1, 1, 1, 1};
    grid_dependency_synchronize();
    held.begin();
    const edges_in_memory<Edge> edges = {b};
    const Key last = edges(b.bins);
    PRIM_UNROLL(1)
    for (size_t first = i - threadIdx.x % WARP; first < count; /* the same for a warp's lanes */
         first += AT_A_TIME * threads, i += AT_A_TIME * threads) {
        T sample[AT_A_TIME];
        Key key[AT_A_TIME];
        uint32_t passed[AT_A_TIME], at[AT_A_TIME];
        PRIM_UNROLL(4)
        for (unsigned n = 0; n < AT_A_TIME; n++) {
            sample[n] = samples[i + n * threads < count ? i + n * threads : count - 1];
            key[n] = key_of_sample(b, sample[n]);
            passed[n] = 0;
        }
        search<Edge>(b, key, passed);
        PRIM_UNROLL(4)
        for (unsigned n = 0; n < AT_A_TIME; n++) {
            const size_t place = is_nan_sample(sample[n])
                                     ? b.bins + NOT_A_NUMBER
                                     : place_behind(b, passed[n], key[n] == last);
            at[n] = i + n * threads < count
                        ? static_cast<uint32_t>(counter_at(place, b.bins, b.outside))
                        : held.NONE;
        }
        held.add(at, ones);
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
