/* MULTI_COPY: a block keeps as many copies of the counters as its shared memory holds, 32 at most,
 * and lane l counts in copy l mod copies.
 *
 *     copies    bank 0   bank 1   …  bank 31
 *     bin 0     lane 0   lane 1      lane 31       32 copies: a lane has a bank of its own, so that
 *     bin 1     lane 0   lane 1      lane 31       no two lanes ever wait for each other, whatever
 *     …                                            the samples are
 *
 * 8-bit samples are counted by their 256 values, which needs no arithmetic; the bin of each value
 * is computed once, at the end. So any number of bins will do.
 *
 * Work: an addition in shared memory for each sample, and blocks · bins in global memory. Bytes:
 * each sample once. Workspace: none. It is launched while another kernel clears the counters.
 * Source: V. Podlozhnyuk, Histogram calculation in CUDA, NVIDIA 2007, for a counter set of each
 * warp; a bank of each lane is from J. Gómez-Luna, J. González-Linares, J. Benavides and N. Guil,
 * An optimized approach to histogram computation on GPU, Machine Vision and Applications 24, 2013.
 */
#include "common/block/vectors.cuh"
#include "histogram/binning/settled.cuh"
#include "histogram/counters/copies.cuh"
#include "histogram/counters/held.cuh"
#include "histogram/counters/vectors.cuh"

namespace
{
namespace multi_copy
{

constexpr unsigned LOADS = 4;
constexpr unsigned BYTE_THREADS = 512,
                   BYTE_BLOCKS = 2; /* of 8-bit samples: 2 on a multiprocessor */
constexpr unsigned COUNTING = 1024; /* of wider ones: 1 with all its memory */

/* ---- 8-bit samples ---- */

struct byte_counters {
    shared_words own; /* the lane's copy */

    __device__ void add_byte(uint32_t word, unsigned place) const
    {
        constexpr uint32_t STRIDE = MOST_COPIES * sizeof(uint32_t);
        add_one(own, chosen_bytes(word, 0, 0x4440 + place) * STRIDE);
    }

    __device__ void add_vector(const sixteen_bytes &v) const
    {
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<uint8_t>; e++)
            add_byte(v.words[e / 4], e % 4);
    }
};

__global__ void __launch_bounds__(BYTE_THREADS, BYTE_BLOCKS)
    count_bytes(sample_line<uint8_t> line, binning b, counters to)
{
    PRIM_SHARED(uint32_t, own, [VALUES * MOST_COPIES]);
    for (unsigned w = threadIdx.x; w < VALUES * MOST_COPIES; w += BYTE_THREADS)
        own[w] = 0;
    __syncthreads();

    const byte_counters add = {shared_words_of(own + threadIdx.x % MOST_COPIES)};
    const size_t threads = static_cast<size_t>(gridDim.x) * BYTE_THREADS;
    size_t i = static_cast<size_t>(blockIdx.x) * BYTE_THREADS + threadIdx.x;
    const size_t in_vectors = line.vectors * AT_ONCE<uint8_t>;
    if (i < line.count - in_vectors)
        add.add_byte(line.samples[i < line.head ? i : i + in_vectors], 0);
    const uint8_t *const samples = line.samples + line.head;
    for (; i + (LOADS - 1) * threads < line.vectors; i += LOADS * threads) {
        sixteen_bytes v[LOADS];
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < LOADS; l++)
            v[l] = load_samples(samples + (i + l * threads) * AT_ONCE<uint8_t>);
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < LOADS; l++)
            add.add_vector(v[l]);
    }
    for (; i < line.vectors; i += threads)
        add.add_vector(load_samples(samples + i * AT_ONCE<uint8_t>));
    __syncthreads();
    grid_dependency_synchronize();

    held_counters<counters, uint32_t, uint32_t> held = {to, {}, {}};
    const bool meet = values_meet(b);
    held.begin();
    for (unsigned value = threadIdx.x; value < VALUES; value += BYTE_THREADS) { /* whole warps */
        const uint32_t n[1] = {sum_of_copies(own, value, MOST_COPIES)};
        const size_t counter = counter_of(b, static_cast<uint8_t>(value));
        uint32_t at[1] = {n[0] != 0 ? static_cast<uint32_t>(counter) : held.NONE};
        if (meet)
            held.add(at, n);
        else if (at[0] != held.NONE)
            to.add(at[0], n[0]);
    }
    held.end();
}

/* ---- wider samples ---- */

/* Counts the line's samples; `table`: shared memory for what that takes. All threads of a block
 * call it; has barriers. */
template <typename T>
__device__ void count(const quick_binning &q, uint32_t *table, const sample_line<T> &line,
                      copied_counters &add)
{
    float *const first = reinterpret_cast<float *>(table);
    if constexpr (IS_HALF<T>)
        if (q.may_settle) {
            settle<T>(q, table);
            if (*table != UNSETTLED)
                return count_settled<LOADS>(q, first, line, add);
            __syncthreads(); /* all have read it */
        }
    if (q.method == IN_FLOAT)
        make_table(q, first);
    __syncthreads();
    count_line<true, LOADS>(q, first, line, add);
}

template <typename T>
__global__ void __launch_bounds__(COUNTING, 1)
    count_samples(sample_line<T> line, quick_binning q, unsigned copies_log2, counters to)
{
    PRIM_SHARED_DYNAMIC(uint32_t, own);
    const unsigned all = q.bins + 1 + PRIM_HISTOGRAM_OUTSIDE_COUNTERS, copies = 1u << copies_log2;
    for (unsigned w = threadIdx.x; w < all << copies_log2; w += COUNTING)
        own[w] = 0;
    copied_counters add = {shared_words_of(own + (threadIdx.x & (copies - 1))),
                           static_cast<uint32_t>(copies * sizeof(uint32_t)), q.bins};
    count(q, own + (all << copies_log2), line, add);
    __syncthreads();
    grid_dependency_synchronize();

    for (unsigned c = threadIdx.x; c < all; c += COUNTING) {
        const uint32_t n = sum_of_copies(own, c, copies);
        if (n != 0 && c != q.bins)
            to.add(c < q.bins ? c : c - 1, n);
    }
}

/* ---- launching ---- */

/* Bytes of the table, for so few bins that it fits the 48 KB of every GPU beside the counters; or
 * else of settle()'s word. */
size_t table_bytes(const quick_binning &q)
{
    return q.method == IN_FLOAT ? (q.bins + 2) * sizeof(float)
           : q.may_settle       ? sizeof(uint32_t)
                                : 0;
}

size_t counter_bytes(const prim_histogram_args *args)
{
    return (args->bins + 1 + PRIM_HISTOGRAM_OUTSIDE_COUNTERS) * sizeof(uint32_t);
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        if constexpr (are_values_counted(sizeof(T)))
            return run_bytes(args);
        else
            return run_wide<T>(args);
    }

    static cudaError_t run_bytes(const prim_histogram_args *args)
    {
        const unsigned blocks =
            choose_blocks(args->count, BYTE_THREADS * AT_ONCE<uint8_t>, BYTE_BLOCKS);
        return clear_and_launch(args, {args->call.stream, blocks, BYTE_THREADS}, count_bytes,
                                make_line<uint8_t>(args), make_binning(args), make_counters(args));
    }

    template <typename T>
    static cudaError_t run_wide(const prim_histogram_args *args)
    {
        const quick_binning q = make_quick_binning(args);
        const size_t one_copy = counter_bytes(args), table = table_bytes(q);
        const unsigned blocks = choose_blocks(args->count, 2 * COUNTING * AT_ONCE<T>, 1);
        const unsigned copies_log2 =
            choose_copies_log2(one_copy, table, args->count / (blocks + 1));
        const cudaError_t error = prim_allow_shared(count_samples<T>, prim_device_shared_bytes());
        if (error != cudaSuccess)
            return error;
        return clear_and_launch(
            args, {args->call.stream, blocks, COUNTING, (one_copy << copies_log2) + table},
            count_samples<T>, make_line<T>(args), q, copies_log2, make_counters(args));
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (args->bins > PRIM_HISTOGRAM_MOST_BINS)
        return PRIM_HISTOGRAM_TOO_MANY_BINS;
    if (!are_values_counted(prim_element_bytes(args->sample_type)) &&
        counter_bytes(args) > prim_device_shared_bytes())
        return "so many counters do not fit in a block's shared memory";
    return nullptr;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_count>(static_cast<const prim_histogram_args *>(args));
}

} // namespace multi_copy
} // namespace

const char *prim_histogram_multi_copy_route(const prim_histogram_args *args)
{
    return are_values_counted(prim_element_bytes(args->sample_type)) ? "values" : "bins";
}

PRIM_DEFINE_RUNG(histogram, multi_copy) = {
    {PRIM_HISTOGRAM_MULTI_COPY, "multi_copy",
     "up to 32 copies of a block's counters, so that lanes do not wait for each other"},
    multi_copy::why_not,
    nullptr,
    multi_copy::launch};
