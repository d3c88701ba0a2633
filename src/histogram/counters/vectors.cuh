/* What the rungs from COARSENED on share: samples 16 bytes at a time, several loads in flight,
 * and counters of either width. */
#ifndef PRIM_HISTOGRAM_VECTORS_CUH
#define PRIM_HISTOGRAM_VECTORS_CUH

#include "common/block/warp.cuh"
#include "common/kernel/shared.cuh"
#include "histogram/binning/quick.cuh"
#include "histogram/counters/counting.cuh"

namespace
{

/* ---- samples ---- */

/* A line of samples: whole vectors of 16 bytes, and fewer than two vectors' samples around them. */
template <typename T>
struct sample_line {
    const T *samples;
    size_t count, head, vectors; /* head: samples before the first vector */
};

template <typename T>
sample_line<T> make_line(const prim_histogram_args *args)
{
    const T *samples = static_cast<const T *>(args->samples);
    const size_t past = reinterpret_cast<uintptr_t>(samples) % sizeof(sixteen_bytes);
    const size_t to_boundary = past == 0 ? 0 : (sizeof(sixteen_bytes) - past) / sizeof(T);
    const size_t head = to_boundary < args->count ? to_boundary : args->count;
    return {samples, args->count, head, (args->count - head) / AT_ONCE<T>};
}

template <typename T>
__device__ sixteen_bytes load_samples(const T *from)
{
#ifdef __CUDA_ARCH__
    const uint4 v = *reinterpret_cast<const uint4 *>(from);
    return {{v.x, v.y, v.z, v.w}};
#else
    sixteen_bytes v;
    std::memcpy(&v, from, sizeof v);
    return v;
#endif
}

/* Counts one sample exactly. */
template <typename T, class Add>
__device__ void count_exactly(const binning &b, T sample, Add &add)
{
    const size_t counter = counter_of(b, sample);
    if (counter != NOWHERE)
        add.one(static_cast<uint32_t>(counter));
}

/* Passes the places of quick bins to add.vector(); returns a bit for each other sample. whole_warp:
 * all lanes of the warp call it. */
template <quick_method METHOD, typename T, class Add>
__device__ unsigned count_vector(const quick_binning &q, const float *first, const sixteen_bytes &v,
                                 Add &add, bool whole_warp)
{
    placed<T> where;
    place_vector<METHOD>(q, first, v, &where);
    add.vector(where, whole_warp);
    if (!q.asks)
        return 0;
    unsigned others = 0;
    PRIM_UNROLL(16)
    for (unsigned e = 0; e < AT_ONCE<T>; e++)
        others |= static_cast<unsigned>(where.bin[e] == q.bins) << e;
    return others;
}

/* Counts those others of a vector that begins at `from`. */
template <typename T, class Add>
__device__ void count_others(const quick_binning &q, unsigned others, const T *from, Add &add)
{
    PRIM_UNROLL(1)
    for (; others != 0; others >>= 1, from++)
        if ((others & 1) != 0)
            count_exactly(q.exact, *from, add);
}

/* Counts the samples outside of vectors, a thread for each. */
template <typename T, class Add>
__device__ void count_ends(const quick_binning &q, const sample_line<T> &line, size_t thread,
                           Add &add)
{
    const size_t in_vectors = line.vectors * AT_ONCE<T>;
    if (thread < line.count - in_vectors)
        count_exactly(q.exact, line.samples[thread < line.head ? thread : thread + in_vectors],
                      add);
}

/* Counts all samples of the line, shared by the grid's threads; LOADS in flight in each. */
template <unsigned LOADS, typename T, class Add>
struct line_loop {
    const quick_binning &q;
    const float *first;
    const sample_line<T> &line;
    Add &add;

    /* Counts those others of AT_A_TIME vectors: bit l · AT_ONCE + e is sample e of vector l. */
    __device__ void count_rest(uint64_t others, const T *samples, size_t i, size_t threads)
    {
        PRIM_UNROLL(1)
        for (; others != 0; i += threads, others >>= AT_ONCE<T>)
            count_others(q, static_cast<unsigned>(others) & ((1u << AT_ONCE<T>)-1),
                         samples + i * AT_ONCE<T>, add);
    }

    /* The same, one of each lane at a time. */
    __device__ void count_rest_by_warps(uint64_t others, const T *samples, size_t i, size_t threads)
    {
        PRIM_UNROLL(1)
        while (__ballot_sync(ALL_LANES, others != 0) != 0) {
            size_t counter = NOWHERE;
            if (others != 0) {
                const unsigned bit = count_wide_bits((others & (0 - others)) - 1),
                               l = bit / AT_ONCE<T>, e = bit % AT_ONCE<T>;
                counter = counter_of(q.exact, samples[(i + l * threads) * AT_ONCE<T> + e]);
                others &= others - 1;
            }
            add.one_each(counter);
        }
    }

    __device__ static unsigned count_wide_bits(uint64_t bits)
    {
        return count_bits(static_cast<uint32_t>(bits)) +
               count_bits(static_cast<uint32_t>(bits >> 32));
    }

    /* Counts AT_A_TIME vectors, `threads` apart. */
    template <quick_method METHOD, unsigned AT_A_TIME>
    __device__ void count(size_t i, size_t threads, bool whole_warp)
    {
        const T *const samples = line.samples + line.head;
        sixteen_bytes v[AT_A_TIME];
        uint64_t others = 0;
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < AT_A_TIME; l++)
            v[l] = load_samples(samples + (i + l * threads) * AT_ONCE<T>);
        PRIM_UNROLL(8)
        for (unsigned l = 0; l < AT_A_TIME; l++)
            others |=
                static_cast<uint64_t>(count_vector<METHOD, T>(q, first, v[l], add, whole_warp))
                << l * AT_ONCE<T>;
        if constexpr (Add::BY_WARPS) {
            if (whole_warp && q.asks) {
                count_rest_by_warps(others, samples, i, threads);
                return;
            }
        }
        count_rest(others, samples, i, threads);
    }

    template <quick_method METHOD>
    __device__ void run()
    {
        /* Where samples take more registers, fewer loads are in flight. */
        constexpr unsigned MOST = METHOD == EXACT       ? 1
                                  : METHOD == IN_DOUBLE ? 8 / AT_ONCE<T>
                                  : METHOD == IN_FLOAT  ? 16 / AT_ONCE<T>
                                  : AT_ONCE<T> == 16    ? 1
                                                        : LOADS;
        constexpr unsigned UNDER_WAY = MOST < LOADS ? MOST : LOADS;
        const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
        size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
        size_t last_lane = i - threadIdx.x % WARP + WARP - 1; /* the same for a warp's lanes */
        if constexpr (UNDER_WAY > 1) {
            size_t end = last_lane + (UNDER_WAY - 1) * threads;
            PRIM_UNROLL(1)
            for (; end < line.vectors; end += UNDER_WAY * threads, i += UNDER_WAY * threads)
                count<METHOD, UNDER_WAY>(i, threads, true);
            last_lane = end - (UNDER_WAY - 1) * threads;
        }
        PRIM_UNROLL(1)
        for (; i < line.vectors; i += threads, last_lane += threads)
            count<METHOD, 1>(i, threads, last_lane < line.vectors);
    }
};

template <bool TABLED, unsigned LOADS, typename T, class Add>
__device__ void count_line(const quick_binning &q, const float *first, const sample_line<T> &line,
                           Add &add)
{
    count_ends(q, line, static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x, add);
    line_loop<LOADS, T, Add> loop = {q, first, line, add};
    with_method<TABLED, T>(q, loop);
}

/* The same of halves that are settled; `end`: settle()'s word. */
template <unsigned LOADS, typename Half, class Add>
__device__ void count_settled(const quick_binning &q, const float *end,
                              const sample_line<Half> &line, Add &add)
{
    count_ends(q, line, static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x, add);
    line_loop<LOADS, Half, Add> loop = {q, end, line, add};
    loop.template run<SETTLED>();
}

/* ---- counters ---- */

/* The most samples of a block that 32 bits can count. */
constexpr size_t MOST_OF_A_BLOCK = static_cast<size_t>(1) << 31;

/* The bins, and the three counters after them. */
inline uint32_t all_counters(const prim_histogram_args *args)
{
    return static_cast<uint32_t>(args->bins) + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
}

/* ---- clearing, overlapped with the kernel that counts ---- */

[[maybe_unused]] __global__ void __launch_bounds__(THREADS)
    clear_words(uint32_t *words, size_t count, uint32_t *more, unsigned more_count)
{
    trigger_launch_completion();
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS;
    const size_t first = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    for (size_t i = first; i < count; i += threads)
        words[i] = 0;
    if (first < more_count)
        more[first] = 0;
}

/* A kernel that counts: it reads samples at once, and calls grid_dependency_synchronize() before it
 * adds to counters, so that it may be launched while these are cleared. */
template <typename... Parameters, typename... Arguments>
cudaError_t clear_and_launch(const prim_histogram_args *args, launch_config where,
                             void (*kernel)(Parameters...), Arguments... arguments)
{
    const bool adds = (args->flags & PRIM_HISTOGRAM_ADD) != 0;
    const size_t words_each =
        (args->counter_type == CUDA_R_64U ? 2 : 1) * prim_histogram_sets(args);
    if (!adds) {
        const size_t words = args->bins * words_each;
        const size_t more =
            args->outside == PRIM_OUTSIDE_COUNT ? words_each * PRIM_HISTOGRAM_OUTSIDE_COUNTERS : 0;
        const cudaError_t error =
            prim_launch({args->call.stream, choose_blocks(words, 4 * THREADS, 8), THREADS},
                        clear_words, static_cast<uint32_t *>(args->counters), words,
                        static_cast<uint32_t *>(args->outside_counters), more);
        if (error != cudaSuccess || args->count == 0)
            return error;
    }
    if (args->count == 0)
        return cudaSuccess;
    return adds ? prim_launch(where, kernel, arguments...)
                : prim_launch_dependent(where, kernel, arguments...);
}

} // namespace

#endif
