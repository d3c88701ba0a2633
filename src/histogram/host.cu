/* The host versions: one loop, and the same loop shared by threads that add atomically. A sample's
 * counter is found by the kernels' own code. */
#include <cstdlib>
#include <cstring>

#include "common/host/threads.cuh"
#include "histogram/channels/channels.cuh"
#include "histogram/edges/edges.cuh"
#include "histogram/weighted/weighted.cuh"

namespace
{
namespace host
{

/* Zeros, unless the call adds. */
template <typename Counter>
void start_counters(const prim_histogram_args *args)
{
    const size_t sets = prim_histogram_sets(args);
    if ((args->flags & PRIM_HISTOGRAM_ADD) != 0)
        return;
    std::memset(args->counters, 0, sets * args->bins * sizeof(Counter));
    if (args->outside == PRIM_OUTSIDE_COUNT)
        std::memset(args->outside_counters, 0,
                    sets * PRIM_HISTOGRAM_OUTSIDE_COUNTERS * sizeof(Counter));
}

/* Adds 1 to a counter of a set: a bin, bins + 0 … 2 for d_outside's, or NOWHERE. */
template <typename Counter>
void add_one(const prim_histogram_args *args, size_t set, size_t counter)
{
    Counter *counters = static_cast<Counter *>(args->counters) + set * args->bins;
    Counter *outside =
        static_cast<Counter *>(args->outside_counters) + set * PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    if (counter == NOWHERE)
        return;
    Counter &c = counter < args->bins ? counters[counter] : outside[counter - args->bins];
#pragma omp atomic
    c++;
}

/* counter_for(sample), as above. */
template <typename T, typename Counter, class CounterFor>
void count_samples(const prim_histogram_args *args, int threads, const CounterFor &counter_for)
{
    (void)threads; /* where there is no OpenMP */
    const T *samples = static_cast<const T *>(args->samples);
    start_counters<Counter>(args);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < args->count; i++)
        add_one<Counter>(args, 0, counter_for(samples[i]));
}

template <typename T, class CounterFor>
prim_status count_by(const prim_histogram_args *args, int threads, const CounterFor &counter_for)
{
    if (args->counter_type == CUDA_R_64U)
        count_samples<T, uint64_t>(args, threads, counter_for);
    else
        count_samples<T, uint32_t>(args, threads, counter_for);
    return PRIM_OK;
}

struct host_run {
    static prim_status not_built(const prim_histogram_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this build of the library has no code for these samples",
                         args->call.name);
    }
};

struct even_bins : host_run {
    template <typename T>
    static prim_status run(const prim_histogram_args *args, int threads)
    {
        const binning b = make_binning(args);
        return count_by<T>(args, threads, [&b](T sample) { return counter_of(b, sample); });
    }
};

struct bins_between_edges : host_run {
    template <typename T>
    static prim_status run(const prim_histogram_args *args, int threads)
    {
        const edge_binning b = make_edge_binning(args);
        return count_by<T>(args, threads,
                           [&b](T sample) { return counter_between_edges(b, sample); });
    }
};

/* Pixels are shared by the threads, row by row. */
template <typename T, typename Counter>
void count_pixels(const prim_histogram_args *args, int threads)
{
    (void)threads;
    const prim_image &image = args->image;
    const channel_binnings b = make_channel_binnings(args);
    const size_t channels = static_cast<size_t>(image.channels);
    start_counters<Counter>(args);
#pragma omp parallel for collapse(2) num_threads(threads) schedule(static) if (threads > 1)
    for (size_t y = 0; y < image.height; y++)
        for (size_t x = 0; x < image.width; x++) {
            const char *row = static_cast<const char *>(image.data) + y * image.pitch;
            const T *pixel = reinterpret_cast<const T *>(row) + x * channels;
            for (size_t c = 0; c < channels; c++)
                add_one<Counter>(args, c, counter_of(b.of[c], pixel[c]));
        }
}

struct channels_of_image : host_run {
    template <typename T>
    static prim_status run(const prim_histogram_args *args, int threads)
    {
        if (args->counter_type == CUDA_R_64U)
            count_pixels<T, uint64_t>(args, threads);
        else
            count_pixels<T, uint32_t>(args, threads);
        return PRIM_OK;
    }
};

/* Converts sums in fixed point, of bins and of samples outside, to the call's. */
template <typename Sum>
void finish_sums(const prim_histogram_args *args, const weigher &w, const int64_t *sums)
{
    const bool adds = (args->flags & PRIM_HISTOGRAM_ADD) != 0;
    Sum *bins = static_cast<Sum *>(args->counters),
        *outside = static_cast<Sum *>(args->outside_counters);
    for (size_t b = 0; b < args->bins; b++)
        bins[b] = finished_sum(w, sums[b], adds, adds ? bins[b] : Sum(0));
    for (size_t i = 0; i < PRIM_HISTOGRAM_OUTSIDE_COUNTERS && args->outside == PRIM_OUTSIDE_COUNT;
         i++)
        outside[i] = finished_sum(w, sums[args->bins + i], adds, adds ? outside[i] : Sum(0));
}

inline uint64_t largest_bits(const weight_list &list, int threads)
{
    uint64_t largest = 0;
    (void)threads;
#pragma omp parallel for reduction(max : largest) num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < list.count; i++) {
        const uint64_t bits = magnitude_bits(weight_at(list, i));
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

struct weighted_bins : host_run {
    template <typename T>
    static prim_status run(const prim_histogram_args *args, int threads, int64_t *sums)
    {
        const T *samples = static_cast<const T *>(args->samples);
        const binning b = make_binning(args);
        const weight_list list = make_weights(args);
        weigher w = make_weigher(list, list.is_given ? 0 : largest_bits(list, threads));
        bool is_unfit = w.is_unfit;
#pragma omp parallel for firstprivate(w) reduction(||                               \
                                                   : is_unfit) num_threads(threads) \
    schedule(static) if (threads > 1)
        for (size_t i = 0; i < args->count; i++) {
            const int64_t fixed = w.fixed(weight_at(list, i));
            const size_t counter = counter_of(b, samples[i]);
            is_unfit = is_unfit || w.is_unfit;
            if (counter == NOWHERE)
                continue;
#pragma omp atomic
            sums[counter] += fixed;
        }
        w.is_unfit = is_unfit;
        if (list.is_double)
            finish_sums<double>(args, w, sums);
        else
            finish_sums<float>(args, w, sums);
        return PRIM_OK;
    }

    static prim_status not_built(const prim_histogram_args *args, int threads, int64_t *)
    {
        return host_run::not_built(args, threads);
    }
};

template <typename Edge>
size_t descent_of(const void *h_edges, size_t bins)
{
    const Edge *edges = static_cast<const Edge *>(h_edges);
    size_t i = 0;
    while (i <= bins && !is_nan(edges[i]) && (i == 0 || edges[i - 1] <= edges[i]))
        i++;
    return i;
}

} // namespace host
} // namespace

prim_status prim_histogram_on_host(const prim_histogram_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<host::even_bins>(args, threads) : status;
}

prim_status prim_histogram_edges_on_host(const prim_histogram_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<host::bins_between_edges>(args, threads) : status;
}

prim_status prim_histogram_channels_on_host(const prim_histogram_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<host::channels_of_image>(args, threads) : status;
}

prim_status prim_histogram_weighted_on_host(const prim_histogram_args *args, int threads)
{
    prim_status status = check_threads(&args->call, threads);
    if (status != PRIM_OK || (args->count == 0 && (args->flags & PRIM_HISTOGRAM_ADD) != 0))
        return status;
    const size_t count = args->bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    int64_t *const sums = static_cast<int64_t *>(std::calloc(count, sizeof(int64_t)));
    if (sums == nullptr)
        return prim_fail(PRIM_ERROR_WORKSPACE, "%s: calloc() has no memory for %zu sums",
                         args->call.name, count);
    status = dispatch<host::weighted_bins>(args, threads, sums);
    std::free(sums);
    return status;
}

size_t prim_histogram_descent(cudaDataType_t edge_type, const void *h_edges, size_t bins)
{
    switch (edge_type) {
    case CUDA_R_32I:
        return host::descent_of<int32_t>(h_edges, bins);
    case CUDA_R_32U:
        return host::descent_of<uint32_t>(h_edges, bins);
    case CUDA_R_64I:
        return host::descent_of<int64_t>(h_edges, bins);
    case CUDA_R_64U:
        return host::descent_of<uint64_t>(h_edges, bins);
    case CUDA_R_32F:
        return host::descent_of<float>(h_edges, bins);
    default:
        return host::descent_of<double>(h_edges, bins);
    }
}
