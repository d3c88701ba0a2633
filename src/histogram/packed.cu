/* PACKED: counters of 16 bits, two to a word of shared memory, so that a block holds twice as many.
 *
 *     word     │ bin 1 │ bin 0 │     each sample adds 1 or 2^16; every 49,152 samples the block
 *              └───────┴───────┘     empties counters from 2^12 on into those in global memory
 *
 * So no counter is above 2^12 - 1 when the next samples come, and none overflows, whatever they
 * are.
 *
 * Work: an addition in shared memory for each sample, one after the other where lanes add to one
 * word; 16 bytes of equal samples are one; a word read for every two bins in 49,152 samples; blocks
 * · bins additions in global memory, zeros left out. Bytes: each sample once. Workspace: none. What
 * holds it back: 29 instructions a sample, of 32 warps only, since one block fills a
 * multiprocessor; and lanes whose words lie in one bank wait for each other. */
#include "histogram/counters/shared_add.cuh"
#include "histogram/counters/vectors.cuh"

namespace
{
namespace packed_counters
{

/* Vectors under way in a thread: one, where a second one's samples would make the loop too long for
 * the instruction cache. */
template <typename T>
constexpr unsigned LOADS = sizeof(T) <= 2 ? 1 : 2;

/* Threads: eight and more samples at once take more registers. */
template <typename T>
constexpr unsigned COUNTING = sizeof(T) <= 2 ? 512 : 1024;

template <typename T>
constexpr unsigned TILE_SAMPLES = COUNTING<T> *LOADS<T> *AT_ONCE<T>;

constexpr uint32_t FULL = 1u << 12, FULL_BITS = (0x10000 - FULL) * 0x10001; /* of both counters */
constexpr unsigned BETWEEN_SWEEPS = 49152; /* whole tiles of any type */

/* Where counters are: first the bins, then one for samples in no bin, then those for samples
 * outside. Nobody reads the counter for samples in no bin. It may overflow, into nothing or into an
 * unused half of its word. */
struct packed_slots {
    uint32_t bins;

    __host__ __device__ uint32_t outside() const
    {
        return (bins / 2 + 1) * 2;
    }

    __host__ __device__ uint32_t words() const /* vectors of four */
    {
        return (outside() / 2 + (PRIM_HISTOGRAM_OUTSIDE_COUNTERS + 1) / 2 + 3) / 4 * 4;
    }

    __device__ uint32_t of_counter(uint32_t counter) const
    {
        return counter < bins ? counter : outside() + (counter - bins);
    }

    __device__ void add_to(const counters &to, uint32_t slot, uint32_t n) const
    {
        if (n != 0 && slot < bins)
            to.add(slot, n);
        else if (n != 0 && slot >= outside())
            to.add(slot - outside() + bins, n);
    }
};

/* The block's counters. */
struct packed_words {
    uint32_t *words;
    shared_words own;
    packed_slots slots;
    counters to;

    __device__ void add(uint32_t slot, uint32_t n)
    {
        add_some(own, slot / 2 * static_cast<uint32_t>(sizeof(uint32_t)),
                 n + slot % 2 * (n * 0xffffu)); /* fewer instructions than a shift */
    }

    __device__ void one(uint32_t counter)
    {
        add(slots.of_counter(counter), 1);
    }

    template <typename T>
    __device__ void vector(const placed<T> &where, bool)
    {
        bool equal = true;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            equal = equal && where.bin[e] == where.bin[0];
        if (equal) {
            add(where.bin[0], AT_ONCE<T>);
            return;
        }
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            add(where.bin[e], 1);
    }

    __device__ void empty(uint32_t w)
    {
        const uint32_t word = words[w];
        words[w] = 0;
        slots.add_to(to, 2 * w, word & 0xffff);
        slots.add_to(to, 2 * w + 1, word >> 16);
    }

    /* Empties full counters. By all threads of the block; has barriers. */
    __device__ void sweep()
    {
        __syncthreads();
        for (uint32_t w = 4 * threadIdx.x; w < slots.words(); w += 4 * blockDim.x) {
            const sixteen_bytes four = load_samples(words + w);
            const uint32_t any = four.words[0] | four.words[1] | four.words[2] | four.words[3];
            if ((any & FULL_BITS) != 0)
                for (uint32_t k = w; k < w + 4; k++)
                    empty(k);
        }
        __syncthreads();
    }
};

/* Tiles of the block's threads' vectors, and sweeps between them. */
template <typename T>
struct tile_loop {
    const quick_binning &q;
    const sample_line<T> &line;
    packed_words &add;

    template <quick_method METHOD>
    __device__ void run()
    {
        static_assert(BETWEEN_SWEEPS % TILE_SAMPLES<T> == 0 &&
                          FULL - 1 + BETWEEN_SWEEPS + 2 * AT_ONCE<T> <= UINT16_MAX,
                      "no counter overflows, with the samples outside of vectors");
        constexpr size_t TILE = COUNTING<T> * LOADS<T>;
        const T *const samples = line.samples + line.head;
        const size_t apart = gridDim.x * TILE;
        sixteen_bytes v[LOADS<T>];
        size_t i[LOADS<T>];
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < LOADS<T>; l++) {
            i[l] = blockIdx.x * TILE + l * COUNTING<T> + threadIdx.x;
            if (i[l] < line.vectors)
                v[l] = load_samples(samples + i[l] * AT_ONCE<T>);
        }
        unsigned until_sweep = BETWEEN_SWEEPS;
        PRIM_UNROLL(1)
        for (size_t tile = blockIdx.x * TILE; tile < line.vectors; tile += apart) {
            if (until_sweep == 0) {
                add.sweep();
                until_sweep = BETWEEN_SWEEPS;
            }
            until_sweep -= TILE_SAMPLES<T>;
            PRIM_UNROLL(8)
            for (unsigned l = 0; l < LOADS<T>; l++) {
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
    packed_words add = {own, shared_words_of(own), {q.bins}, to};
    for (unsigned w = threadIdx.x; w < add.slots.words(); w += COUNTING<T>)
        own[w] = 0;
    __syncthreads();
    grid_dependency_synchronize(); /* a full counter is added to the call's at once */

    if (blockIdx.x == 0)
        count_ends(q, line, threadIdx.x, add);
    tile_loop<T> loop = {q, line, add};
    with_method<false, T>(q, loop);
    __syncthreads();

    /* A lane for each counter: by words, their atomic additions would take twice the sectors. */
    for (uint32_t slot = threadIdx.x; slot < 2 * add.slots.words(); slot += COUNTING<T>)
        add.slots.add_to(to, slot, own[slot / 2] >> slot % 2 * 16 & 0xffff);
}

size_t shared_bytes(const prim_histogram_args *args)
{
    return packed_slots{static_cast<uint32_t>(args->bins)}.words() * sizeof(uint32_t);
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const unsigned blocks = choose_blocks(args->count, TILE_SAMPLES<T>, blocks_of(args));
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
        return "so many counters of 16 bits do not fit in a block's shared memory";
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
