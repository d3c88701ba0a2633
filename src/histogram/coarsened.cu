/* COARSENED: a thread takes 16 bytes of samples at a time, two loads in flight, and merges equal
 * neighbours into one addition.
 *
 *     16 bytes     a a a b b c c c
 *     additions    a: +3   b: +2   c: +3       in the block's shared memory, as in PRIVATIZED;
 *                                              in global memory where bins are too many
 *
 * In global memory, warps hold back what they add to the counters that they meet often: held.cuh.
 *
 * Work: an addition for each run of equal samples; runs end with the 16 bytes. Bytes: each sample
 * once. What holds it back: lanes that add different amounts to one counter still do so one after
 * the other. Bins need no division: quick.cuh.
 * Source: W. Hwu, D. Kirk and I. El Hajj, Programming Massively Parallel Processors, 4th edition,
 * 2022, chapter 9: coarsening and aggregation. */
#include "histogram/counters/held.cuh"
#include "histogram/counters/vectors.cuh"

namespace
{
namespace coarsened
{

constexpr unsigned LOADS = 2, COUNTING = 512;
constexpr size_t MOST_SHARED = 48 * 1024; /* what every GPU gives a block */

/* Counts in the block's shared memory: runs of equal bins become one addition each. */
struct shared_counters {
    static constexpr bool BY_WARPS = false;
    uint32_t *own;
    uint32_t bins;

    __device__ void add(uint32_t counter, uint32_t n) const
    {
        atomicAdd(&own[counter], n);
    }

    __device__ void one(uint32_t counter)
    {
        add(counter, 1);
    }

    template <typename T>
    __device__ void vector(const placed<T> &where, bool)
    {
        uint32_t ones[AT_ONCE<T>];
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            ones[e] = 1;
        add_runs(*this, where.bin, ones, bins);
    }
};

/* Counts in global memory: warps hold back the counters that they meet often. */
struct global_counters {
    static constexpr bool BY_WARPS = true;
    held_counters<counters, uint32_t, uint32_t> held;
    uint32_t bins;

    __device__ void one(uint32_t counter)
    {
        held.to.add(counter, 1);
    }

    /* One in each lane, NOWHERE for none. */
    __device__ void one_each(size_t counter)
    {
        const uint32_t ones[1] = {1};
        uint32_t at[1] = {static_cast<uint32_t>(counter)};
        held.add(at, ones);
    }

    template <typename T>
    __device__ void vector(const placed<T> &where, bool whole_warp)
    {
        uint32_t at[AT_ONCE<T>], ones[AT_ONCE<T>];
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++) {
            at[e] = where.bin[e] < bins ? where.bin[e] : held.NONE;
            ones[e] = 1;
        }
        if (whole_warp)
            held.add(at, ones);
        else
            add_runs(held.to, at, ones, held.NONE);
    }
};

template <bool SHARED, typename T>
__global__ void __launch_bounds__(COUNTING, 1)
    count_samples(sample_line<T> line, quick_binning q, counters to)
{
    if constexpr (SHARED) {
        PRIM_SHARED_DYNAMIC(uint32_t, own);
        const unsigned all = q.bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
        for (unsigned c = threadIdx.x; c < all; c += COUNTING)
            own[c] = 0;
        __syncthreads();
        shared_counters add = {own, q.bins};
        count_line<false, LOADS>(q, nullptr, line, add);
        __syncthreads();
        grid_dependency_synchronize();
        for (unsigned c = threadIdx.x; c < all; c += COUNTING)
            if (own[c] != 0)
                to.add(c, own[c]);
    } else {
        grid_dependency_synchronize();
        global_counters add = {{to, {}, {}}, q.bins};
        add.held.begin();
        count_line<false, LOADS>(q, nullptr, line, add);
        add.held.end();
    }
}

/* Of a block's counters; 0: it counts in global memory. The only place that chooses. */
size_t shared_bytes(const prim_histogram_args *args)
{
    const size_t bytes = all_counters(args) * sizeof(uint32_t);
    return bytes <= MOST_SHARED ? bytes : 0;
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const size_t shared = shared_bytes(args);
        const unsigned blocks = choose_blocks(args->count, COUNTING * AT_ONCE<T>, 2);
        return clear_and_launch(args, {args->call.stream, blocks, COUNTING, shared},
                                shared != 0 ? count_samples<true, T> : count_samples<false, T>,
                                make_line<T>(args), make_quick_binning(args), make_counters(args));
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (args->bins > PRIM_HISTOGRAM_MOST_BINS)
        return PRIM_HISTOGRAM_TOO_MANY_BINS;
    return dispatch<is_built>(args) ? nullptr : PRIM_TYPES_NOT_BUILT;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_count>(static_cast<const prim_histogram_args *>(args));
}

} // namespace coarsened
} // namespace

const char *prim_histogram_coarsened_route(const prim_histogram_args *args)
{
    return coarsened::shared_bytes(args) != 0 ? "shared_memory" : "global_memory";
}

PRIM_DEFINE_RUNG(histogram,
                 coarsened) = {{PRIM_HISTOGRAM_COARSENED, "coarsened",
                                "16-byte loads, and one addition for equal neighbours of a thread"},
                               coarsened::why_not,
                               nullptr,
                               coarsened::launch};
