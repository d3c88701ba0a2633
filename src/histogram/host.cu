/* The CPU's versions: one loop, and the same loop shared by threads that add atomically. Which
 * counter a sample belongs to is the kernels' own code. */
#include <cstring>

#include "common/threads.cuh"
#include "histogram/bins.cuh"

namespace
{
namespace host
{

template <typename T, typename Counter>
void count_samples(const prim_histogram_args *args, int threads)
{
    (void)threads; /* where there is no OpenMP */
    const binning b = make_binning(args);
    const T *samples = static_cast<const T *>(args->samples);
    Counter *counters = static_cast<Counter *>(args->counters);
    Counter *outside = static_cast<Counter *>(args->outside_counters);
    if ((args->flags & PRIM_HISTOGRAM_ADD) == 0) {
        std::memset(counters, 0, args->bins * sizeof *counters);
        if (args->outside == PRIM_OUTSIDE_COUNT)
            std::memset(outside, 0, PRIM_HISTOGRAM_OUTSIDE_COUNTERS * sizeof *outside);
    }
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < args->count; i++) {
        const size_t counter = counter_of(b, samples[i]);
        if (counter == NOWHERE)
            continue;
        Counter &c = counter < b.bins ? counters[counter] : outside[counter - b.bins];
#pragma omp atomic
        c++;
    }
}

struct host_version {
    template <typename T>
    static prim_status run(const prim_histogram_args *args, int threads)
    {
        if (args->counter_type == CUDA_R_64U)
            count_samples<T, uint64_t>(args, threads);
        else
            count_samples<T, uint32_t>(args, threads);
        return PRIM_OK;
    }
    static prim_status not_built(const prim_histogram_args *args, int threads)
    {
        (void)threads;
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: the library is not built for these samples",
                         args->call.name);
    }
};

} // namespace host
} // namespace

prim_status prim_histogram_on_host(const prim_histogram_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<host::host_version>(args, threads) : status;
}
