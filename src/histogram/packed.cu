/* PACKED: counters of 16 bits, two to a word of shared memory, so that a block holds twice as many.
 *
 *     word     │ bin 1 │ bin 0 │     the addition that reaches 2^15 subtracts them again, and adds
 *              └───────┴───────┘     them to the counter in global memory
 *
 * A block meets at a barrier before 2^15 samples can have been added since the last one, and no
 * counter is above 2^15 − 1 there: so none overflows, whatever the samples are.
 *
 * Work: an addition in shared memory for each sample, one after the other where lanes add to one
 * word; 16 bytes of equal samples are one; blocks · bins additions in global memory, zeros left
 * out. Bytes: each sample once. Workspace: none. What holds it back: an addition that returns the
 * old value costs a round trip to shared memory, and one block fills a multiprocessor. */
#include "histogram/shared_add.cuh"
#include "histogram/vectors.cuh"

namespace
{
namespace packed_counters
{

constexpr unsigned LOADS = 2;

/* Threads: eight and more samples at once take more registers. */
template <typename T>
constexpr unsigned COUNTING = sizeof(T) <= 2 ? 512 : 1024;

constexpr uint32_t FULL = 1u << 15;

/* The block's counters. */
struct packed_words {
    shared_words own;
    uint32_t bins;
    counters to;

    __device__ static unsigned shift_of(uint32_t at)
    {
        return at % 2 * 16;
    }

    /* Returns what the counter's word held before. */
    __device__ uint32_t add(uint32_t at, uint32_t n, bool on)
    {
        return add_and_tell(own, at / 2 * sizeof(uint32_t), n << shift_of(at), on);
    }

    /* Whether that addition made the counter FULL. */
    __device__ static bool fills(uint32_t at, uint32_t before, uint32_t n)
    {
        const uint32_t counter = before >> shift_of(at) & 0xffff;
        return counter < FULL && counter + n >= FULL;
    }

    __device__ void empty(uint32_t at)
    {
        add_and_tell(own, at / 2 * sizeof(uint32_t), 0u - (FULL << shift_of(at)), true);
        to.add(at, FULL);
    }

    __device__ void some(uint32_t at, uint32_t n, bool on)
    {
        if (fills(at, add(at, n, on), n))
            empty(at);
    }

    __device__ void one(uint32_t counter)
    {
        some(counter, 1, true);
    }

    template <typename T>
    __device__ void vector(const placed<T> &where, bool)
    {
        bool equal = true;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            equal = equal && where.bin[e] == where.bin[0];
        if (equal) {
            some(where.bin[0], AT_ONCE<T>, where.bin[0] < bins);
            return;
        }
        uint32_t before[AT_ONCE<T>];
        bool any = false;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++) /* all issued before the first is used */
            before[e] = add(where.bin[e], 1, where.bin[e] < bins);
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            any |= fills(where.bin[e], before[e], 1);
        if (!any)
            return;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            if (fills(where.bin[e], before[e], 1))
                empty(where.bin[e]);
    }
};

/* Tiles of the block's threads' vectors, a barrier before each. */
template <typename T>
struct tile_loop {
    const quick_binning &q;
    const sample_line<T> &line;
    packed_words &add;

    template <quick_method METHOD>
    __device__ void run()
    {
        static_assert(COUNTING<T> * LOADS * AT_ONCE<T> <= FULL, "what two barriers have between");
        constexpr size_t TILE = COUNTING<T> * LOADS;
        const T *const samples = line.samples + line.head;
        const size_t apart = gridDim.x * TILE;
        sixteen_bytes v[LOADS];
        size_t i[LOADS];
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < LOADS; l++) {
            i[l] = blockIdx.x * TILE + l * COUNTING<T> + threadIdx.x;
            if (i[l] < line.vectors)
                v[l] = load_samples(samples + i[l] * AT_ONCE<T>);
        }
        PRIM_UNROLL(1)
        for (size_t tile = blockIdx.x * TILE; tile < line.vectors; tile += apart) {
            __syncthreads();
            PRIM_UNROLL(8)
            for (unsigned l = 0; l < LOADS; l++) {
                const T *const from = samples + i[l] * AT_ONCE<T>;
                unsigned others = 0;
                if (i[l] < line.vectors)
                    others = count_vector<METHOD, T>(q, nullptr, v[l], add, false);
                i[l] += apart; /* loaded while the others are counted */
                if (i[l] < line.vectors)
                    v[l] = load_samples(samples + i[l] * AT_ONCE<T>);
                count_others(q, others, from, add);
            }
        }
    }
};

template <typename T>
__global__ void __launch_bounds__(COUNTING<T>, 1)
    count_samples(sample_line<T> line, quick_binning q, counters to)
{
    PRIM_SHARED_DYNAMIC(uint32_t, own);
    const uint32_t all = q.bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    for (unsigned w = threadIdx.x; w < (all + 1) / 2; w += COUNTING<T>)
        own[w] = 0;
    __syncthreads();
    grid_dependency_synchronize(); /* a full counter is added to the call's at once */

    packed_words add = {shared_words_of(own), q.bins, to};
    if (blockIdx.x == 0)
        count_ends(q, line, threadIdx.x, add);
    tile_loop<T> loop = {q, line, add};
    with_method<false, T>(q, loop);
    __syncthreads();

    for (unsigned c = threadIdx.x; c < all; c += COUNTING<T>) {
        const uint32_t n = own[c / 2] >> c % 2 * 16 & 0xffff;
        if (n != 0)
            to.add(c, n);
    }
}

size_t shared_bytes(const prim_histogram_args *args)
{
    return prim_divide_up(args->bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS, 2) * sizeof(uint32_t);
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const unsigned blocks =
            choose_blocks(args->count, COUNTING<T> * LOADS * AT_ONCE<T>, blocks_of(args));
        const cudaError_t error = prim_allow_shared(count_samples<T>, prim_device_shared_bytes());
        if (error != cudaSuccess)
            return error;
        return clear_and_launch(args, {args->call.stream, blocks, COUNTING<T>, shared_bytes(args)},
                                count_samples<T>, make_line<T>(args), make_quick_binning(args),
                                make_counters(args));
    }

    /* Two on a multiprocessor where both fit. */
    static unsigned blocks_of(const prim_histogram_args *args)
    {
        return shared_bytes(args) + 1024 <= prim_device_shared_bytes() / 2 ? 2 : 1;
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (args->bins > PRIM_HISTOGRAM_MOST_BINS || shared_bytes(args) > prim_device_shared_bytes())
        return "a block's shared memory does not hold so many counters of 16 bits";
    return nullptr;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_count>(static_cast<const prim_histogram_args *>(args));
}

} // namespace packed_counters
} // namespace

PRIM_DEFINE_RUNG(histogram, packed) = {
    {PRIM_HISTOGRAM_PACKED, "packed", "counters of 16 bits, two to a word of shared memory"},
    packed_counters::why_not,
    nullptr,
    packed_counters::launch};
