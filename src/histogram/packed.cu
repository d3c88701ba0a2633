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
 * 16 bytes of equal samples are one. Bytes: each sample once from memory, slices − 1 times from
 * L2. Workspace: none. */
#include "histogram/shared_add.cuh"
#include "histogram/vectors.cuh"

namespace
{
namespace packed_counters
{

constexpr unsigned LOADS = 2;

/* Threads: eight samples at once take more registers. */
template <typename T>
constexpr unsigned COUNTING = sizeof(T) == 2 ? 512 : 1024;

constexpr uint32_t FULL = 1u << 15;
constexpr unsigned MOST_SLICES = 16;

/* The counters of this block's slice, from bin `begin` on. */
struct slice {
    shared_words own;
    uint32_t begin, length;
    counters to;

    __device__ static unsigned shift_of(uint32_t at)
    {
        return at % 2 * 16;
    }

    /* What the counter's word held before; nothing where it is no counter of this slice. */
    __device__ uint32_t add(uint32_t at, uint32_t n, bool on)
    {
        return add_and_tell(own, at / 2 * sizeof(uint32_t), n << shift_of(at), on && at < length);
    }

    /* Did that addition make it FULL? */
    __device__ static bool fills(uint32_t at, uint32_t before, uint32_t n)
    {
        const uint32_t counter = before >> shift_of(at) & 0xffff;
        return counter < FULL && counter + n >= FULL;
    }

    __device__ void empty(uint32_t at)
    {
        add_and_tell(own, at / 2 * sizeof(uint32_t), 0u - (FULL << shift_of(at)), true);
        to.add(begin + at, FULL);
    }

    __device__ void some(uint32_t at, uint32_t n, bool on)
    {
        if (fills(at, add(at, n, on), n))
            empty(at);
    }

    __device__ void one(uint32_t counter)
    {
        some(counter - begin, 1, true);
    }

    template <typename T>
    __device__ void vector(const placed<T> &where)
    {
        bool equal = true;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            equal = equal && where.in[e] && where.bin[e] == where.bin[0];
        if (equal) {
            some(where.bin[0] - begin, AT_ONCE<T>, true);
            return;
        }
        uint32_t before[AT_ONCE<T>];
        bool any = false;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++) /* all under way before the first is looked at */
            before[e] = add(where.bin[e] - begin, 1, where.in[e]);
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            any |= fills(where.bin[e] - begin, before[e], 1);
        if (!any)
            return;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            if (fills(where.bin[e] - begin, before[e], 1))
                empty(where.bin[e] - begin);
    }
};

template <typename T>
__global__ void __launch_bounds__(COUNTING<T>, 1)
    count_samples(sample_line<T> line, quick_binning q, uint32_t slice_length, unsigned slices,
                  counters to)
{
    static_assert(COUNTING<T> * LOADS * AT_ONCE<T> <= FULL, "what is added between two barriers");
    PRIM_SHARED_DYNAMIC(uint32_t, own);
    const uint32_t all = q.bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    const uint32_t begin = blockIdx.x % slices * slice_length;
    const uint32_t length = all - begin < slice_length ? all - begin : slice_length;
    for (unsigned w = threadIdx.x; w < (length + 1) / 2; w += COUNTING<T>)
        own[w] = 0;
    __syncthreads();
    grid_dependency_synchronize();

    slice add = {shared_words_of(own), begin, length, to};
    const unsigned team = blockIdx.x / slices, teams = gridDim.x / slices;
    const T *const samples = line.samples + line.head;
    constexpr size_t TILE = COUNTING<T> * LOADS;
    if (team == 0)
        count_ends(q, line, threadIdx.x, add);
    sixteen_bytes v[LOADS];
    size_t i[LOADS];
    PRIM_UNROLL(8)
    for (unsigned l = 0; l < LOADS; l++) {
        i[l] = team * TILE + l * COUNTING<T> + threadIdx.x;
        if (i[l] < line.vectors)
            v[l] = load_samples(samples + i[l] * AT_ONCE<T>);
    }
    for (size_t tile = team; tile * TILE < line.vectors; tile += teams) {
        __syncthreads();
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < LOADS; l++) {
            if (i[l] < line.vectors)
                count_vector<false>(q, nullptr, v[l], samples + i[l] * AT_ONCE<T>, add);
            i[l] += teams * TILE; /* on its way while the others are counted */
            if (i[l] < line.vectors)
                v[l] = load_samples(samples + i[l] * AT_ONCE<T>);
        }
    }
    __syncthreads();

    for (unsigned c = threadIdx.x; c < length; c += COUNTING<T>) {
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
        if constexpr (sizeof(T) == 1)
            return not_built(args);
        else
            return run_wide<T>(args);
    }

    template <typename T>
    static cudaError_t run_wide(const prim_histogram_args *args)
    {
        const unsigned slices = slices_of(args);
        const uint32_t length =
            static_cast<uint32_t>(prim_divide_up(all_counters(args), 2 * slices)) * 2;
        const unsigned most = prim_device_multiprocessors() / slices;
        const size_t needed = prim_divide_up(args->count, COUNTING<T> * LOADS * AT_ONCE<T>);
        const unsigned teams = most == 0 ? 1 : needed < most ? static_cast<unsigned>(needed) : most;
        const cudaError_t error = prim_allow_shared(count_samples<T>, prim_device_shared_bytes());
        if (error != cudaSuccess)
            return error;
        return clear_and_launch(
            args, {args->call.stream, teams * slices, COUNTING<T>, length / 2 * sizeof(uint32_t)},
            count_samples<T>, make_line<T>(args), make_quick_binning(args), length, slices,
            make_counters(args));
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (prim_element_bytes(args->sample_type) == 1)
        return "of 8-bit samples it is not built";
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
