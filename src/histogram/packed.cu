/* PACKED: counters of 16 bits, two to a word of shared memory, so that a block holds twice as many;
 * of still more bins, a block counts one slice, and other blocks read the same samples for the
 * others.
 *
 *     word     │ bin 1 │ bin 0 │     the addition that reaches 2^15 takes them out again, and adds
 *              └───────┴───────┘     them to the counter in global memory
 *
 *     slices   blocks 0 3 6 …  bins 0 … s − 1         each block of a row reads the same samples at
 *              blocks 1 4 7 …  bins s … 2s − 1        about the same time: memory gives them once,
 *              blocks 2 5 8 …  …                      L2 the other times
 *
 * A block meets at a barrier before 2^15 samples can have been added since the last one, and no
 * counter is above 2^15 − 1 there: so none overflows, whatever the samples are.
 *
 * Work: an addition in shared memory a sample, one after the other where lanes meet in a word;
 * equal neighbours of a thread are one. Bytes: each sample once from memory, slices − 1 times from
 * L2. Workspace: none. */
#include "histogram/vectors.cuh"

namespace
{
namespace packed_counters
{

#ifndef PK_LOADS
#define PK_LOADS 2
#endif
constexpr unsigned LOADS = PK_LOADS, COUNTING = 1024;
constexpr uint32_t FULL = 1u << 15;
constexpr unsigned MOST_SLICES = 16;

/* The counters of this block's slice, from bin `begin` on. */
struct slice {
    uint32_t *own;
    uint32_t begin, length;
    counters to;

    __device__ void add(uint32_t counter, uint32_t n)
    {
        const uint32_t at = counter - begin;
        if (at >= length)
            return;
        const unsigned shift = at % 2 * 16;
        const uint32_t before = atomicAdd(&own[at / 2], n << shift) >> shift & 0xffff;
        if (before < FULL && before + n >= FULL) {
            atomicAdd(&own[at / 2], 0u - (FULL << shift));
            to.add(counter, FULL);
        }
    }

    __device__ void one(uint32_t counter)
    {
        add(counter, 1);
    }

    template <typename T>
    __device__ void vector(const placed<T> &where)
    {
        uint32_t run = 0;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++) {
            run++;
            const bool goes_on =
                e + 1 < AT_ONCE<T> && where.bin[e] == where.bin[e + 1] && where.in[e + 1];
            if (where.in[e] && !goes_on)
                add(where.bin[e], run);
            if (!where.in[e] || !goes_on)
                run = 0;
        }
    }
};

template <typename T>
__global__ void __launch_bounds__(COUNTING, 1)
    count_samples(sample_line<T> line, quick_binning q, uint32_t slice_length, unsigned slices,
                  counters to)
{
    static_assert(COUNTING * LOADS * AT_ONCE<T> <= FULL, "what is added between two barriers");
    constexpr unsigned AT_A_TIME = LOADS;
    PRIM_SHARED_DYNAMIC(uint32_t, own);
    const uint32_t all = q.bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    const uint32_t begin = blockIdx.x % slices * slice_length;
    const uint32_t length = all - begin < slice_length ? all - begin : slice_length;
    for (unsigned w = threadIdx.x; w < (length + 1) / 2; w += COUNTING)
        own[w] = 0;
    __syncthreads();
    grid_dependency_synchronize();

    slice add = {own, begin, length, to};
    const unsigned team = blockIdx.x / slices, teams = gridDim.x / slices;
    const T *const samples = line.samples + line.head;
    constexpr size_t TILE = COUNTING * AT_A_TIME;
    if (team == 0)
        count_ends(q, line, threadIdx.x, add);
    sixteen_bytes v[AT_A_TIME];
    const auto load_tile = [&](size_t tile) {
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < AT_A_TIME; l++) {
            const size_t i = tile * TILE + l * COUNTING + threadIdx.x;
            if (i < line.vectors)
                v[l] = load_samples(samples + i * AT_ONCE<T>);
        }
    };
    size_t tile = team;
    load_tile(tile);
    while (tile * TILE < line.vectors) {
        sixteen_bytes now[AT_A_TIME];
        const size_t next = tile + teams;
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < AT_A_TIME; l++)
            now[l] = v[l];
        load_tile(next);
        __syncthreads();
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < AT_A_TIME; l++) {
            const size_t i = tile * TILE + l * COUNTING + threadIdx.x;
            if (i < line.vectors)
                count_vector<false>(q, nullptr, now[l], samples + i * AT_ONCE<T>, add);
        }
        tile = next;
    }
    __syncthreads();

    for (unsigned c = threadIdx.x; c < length; c += COUNTING) {
        const uint32_t n = own[c / 2] >> c % 2 * 16 & 0xffff;
        if (n != 0)
            to.add(begin + c, n);
    }
}

/* Counters that a block holds. */
uint32_t most_in_a_slice()
{
    return static_cast<uint32_t>(prim_device_shared_bytes() / sizeof(uint32_t)) * 2;
}

unsigned slices_of(const prim_histogram_args *args)
{
    return static_cast<unsigned>(prim_divide_up(all_counters(args), most_in_a_slice()));
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const unsigned slices = slices_of(args);
        const uint32_t length =
            static_cast<uint32_t>(prim_divide_up(all_counters(args), 2 * slices)) * 2;
        const unsigned most = prim_device_multiprocessors() / slices;
        const size_t needed = prim_divide_up(args->count, COUNTING * LOADS * AT_ONCE<T>);
        const unsigned teams = most == 0        ? 1
                               : needed < most ? static_cast<unsigned>(needed)
                                               : most;
        const cudaError_t error = prim_allow_shared(count_samples<T>, prim_device_shared_bytes());
        if (error != cudaSuccess)
            return error;
        return clear_and_launch(
            args, {args->call.stream, teams * slices, COUNTING, length / 2 * sizeof(uint32_t)},
            count_samples<T>, make_line<T>(args), make_quick_binning(args), length, slices,
            make_counters(args));
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (args->bins > PRIM_HISTOGRAM_MOST_BINS || slices_of(args) > MOST_SLICES)
        return "it would take more than 16 slices";
    return nullptr;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_count>(static_cast<const prim_histogram_args *>(args));
}

} // namespace packed_counters
} // namespace

PRIM_DEFINE_RUNG(histogram, packed) = {
    {PRIM_HISTOGRAM_PACKED, "packed",
     "16-bit counters in shared memory; of many bins, a slice for each block"},
    packed_counters::why_not,
    nullptr,
    packed_counters::launch};
