/* WEIGHTED_MULTI_COPY: a block adds in as many copies of the sums as its shared memory holds, 32 at
 * most, lane l in copy l mod copies; a sum is two words of 32 bits.
 *
 *     low words     bin 0: copies 0 1 2 …   bin 1: …      an addition returns the old value: where
 *     high words    bin 0: copies 0 1 2 …   bin 1: …      it carries, the high word is incremented
 *
 * Shared memory has atomic additions of 32 bits, where one of 64 would be a compare-and-swap loop.
 * The addition that carries sees its carry, so the two words are the sum when all have added, in
 * any order.
 *
 * Samples are loaded 16 bytes at a time, and binned as in MULTI_COPY without its table.
 *
 * Work: two additions in shared memory for each sample, and blocks · bins in global memory. Bytes:
 * each sample once, and each weight once, or twice where the largest has to be found. */
#include "histogram/counters/copies.cuh"
#include "histogram/counters/vectors.cuh"
#include "histogram/weighted/weighted.cuh"

namespace
{
namespace weighted_multi_copy
{

constexpr unsigned COUNTING = 512;

/* A block's sums; `low` and `high` are the lane's copy. */
struct block_sums {
    uint32_t *low, *high;
    unsigned copies_log2;

    __device__ void add(uint32_t counter, int64_t fixed) const
    {
        const uint32_t at = counter << copies_log2, n = static_cast<uint32_t>(fixed);
        const uint32_t before = atomicAdd(&low[at], n);
        const uint32_t carry = before + n < before ? 1 : 0;
        const uint32_t more = static_cast<uint32_t>(static_cast<uint64_t>(fixed) >> 32) + carry;
        if (more != 0)
            atomicAdd(&high[at], more);
    }
};

/* The weights of vectors' samples, a vector at a time. */
template <typename T>
struct weighted_loop {
    const quick_binning &q;
    const sample_line<T> &line;
    const weight_list &list;
    const block_sums &sums;
    weigher &w;

    __device__ void add_exactly(size_t i)
    {
        const size_t counter = counter_of(q.exact, line.samples[i]);
        const int64_t fixed = w.fixed(weight_at(list, i));
        if (counter != NOWHERE)
            sums.add(static_cast<uint32_t>(counter), fixed);
    }

    template <quick_method METHOD>
    __device__ void run()
    {
        const size_t threads = static_cast<size_t>(gridDim.x) * COUNTING;
        size_t i = static_cast<size_t>(blockIdx.x) * COUNTING + threadIdx.x;
        PRIM_UNROLL(1)
        for (; i < line.vectors; i += threads) {
            const size_t from = line.head + i * AT_ONCE<T>;
            placed<T> where;
            unsigned others = 0;
            place_vector<METHOD>(q, nullptr, load_samples(line.samples + from), &where);
            PRIM_UNROLL(16)
            for (unsigned e = 0; e < AT_ONCE<T>; e++) {
                const int64_t fixed = w.fixed(weight_at(list, from + e));
                if (where.bin[e] < q.bins)
                    sums.add(where.bin[e], fixed);
                else
                    others |= 1u << e;
            }
            PRIM_UNROLL(1)
            for (size_t at = from; q.asks && others != 0; others >>= 1, at++)
                if ((others & 1) != 0)
                    add_exactly(at);
        }
    }
};

template <typename T>
__global__ void __launch_bounds__(COUNTING, 1)
    add_weights(sample_line<T> line, weight_list list, quick_binning q, unsigned copies_log2,
                unsigned long long *words)
{
    PRIM_SHARED_DYNAMIC(uint32_t, own);
    const unsigned all = q.bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS, copies = 1u << copies_log2;
    for (unsigned i = threadIdx.x; i < 2 * all << copies_log2; i += COUNTING)
        own[i] = 0;
    __syncthreads();

    uint32_t *const low = own + (threadIdx.x & (copies - 1));
    const block_sums sums = {low, low + (all << copies_log2), copies_log2};
    weigher w = make_weigher(list, words[LARGEST_WORD]);
    weighted_loop<T> loop = {q, line, list, sums, w};
    const size_t in_vectors = line.vectors * AT_ONCE<T>,
                 end = static_cast<size_t>(blockIdx.x) * COUNTING + threadIdx.x;
    if (end < line.count - in_vectors)
        loop.add_exactly(end < line.head ? end : end + in_vectors);
    with_method<false, T>(q, loop);
    if (w.is_unfit)
        atomicMax(&words[UNFIT_WORD], 1ull);
    __syncthreads();

    for (unsigned c = threadIdx.x; c < all; c += COUNTING) {
        unsigned long long sum = 0;
        for (unsigned i = 0; i < copies; i++) { /* every lane begins in its own bank */
            const unsigned at = c * copies + ((i + threadIdx.x) & (copies - 1));
            sum += own[at];
            sum += static_cast<unsigned long long>(own[(all << copies_log2) + at]) << 32;
        }
        if (sum != 0)
            atomicAdd(&words[FIRST_SUM_WORD + c], sum);
    }
}

/* Bytes of one copy. */
size_t sum_bytes(const prim_histogram_args *args)
{
    return (args->bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS) * sizeof(uint64_t);
}

struct run_add : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const size_t one_copy = sum_bytes(args);
        const unsigned blocks = choose_blocks(args->count, 2 * COUNTING * AT_ONCE<T>, 1);
        const unsigned copies_log2 = choose_copies_log2(one_copy, 0, args->count / (blocks + 1));
        bool is_done;
        cudaError_t error = prim_allow_shared(add_weights<T>, prim_device_shared_bytes());
        if (error == cudaSuccess)
            error = prim_histogram_weighted_begin(args, &is_done);
        if (error != cudaSuccess || is_done)
            return error;
        error = prim_launch({args->call.stream, blocks, COUNTING, one_copy << copies_log2},
                            add_weights<T>, make_line<T>(args), make_weights(args),
                            make_quick_binning_without_table(args), copies_log2,
                            static_cast<unsigned long long *>(args->call.workspace));
        return error == cudaSuccess ? prim_histogram_weighted_end(args) : error;
    }

    static quick_binning make_quick_binning_without_table(const prim_histogram_args *args)
    {
        quick_binning q = make_quick_binning(args);
        q.method = q.method == IN_FLOAT ? IN_DOUBLE : q.method;
        return q;
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (args->bins > PRIM_HISTOGRAM_MOST_BINS || sum_bytes(args) > prim_device_shared_bytes())
        return "so many sums do not fit in a block's shared memory";
    return nullptr;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_add>(static_cast<const prim_histogram_args *>(args));
}

} // namespace weighted_multi_copy
} // namespace

PRIM_DEFINE_RUNG(histogram, weighted_multi_copy) = {
    {PRIM_HISTOGRAM_WEIGHTED_MULTI_COPY, "weighted_multi_copy",
     "up to 32 copies of a block's sums in shared memory, each of two words and a carry"},
    weighted_multi_copy::why_not,
    prim_histogram_weighted_bytes,
    weighted_multi_copy::launch};
