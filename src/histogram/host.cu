/* The CPU's versions: one loop, and the same loop shared by threads that add atomically. Which
 * counter a sample belongs to is the kernels' own code. */
#include <cstring>

#include "common/threads.cuh"
#include "histogram/bins.cuh"

namespace
{
namespace host
{

void clear_host_counters(const prim_histogram_args *args)
{
    if ((args->flags & PRIM_HISTOGRAM_ADD) != 0)
        return;
    std::memset(args->counters, 0, args->bins * sizeof(uint32_t));
    if (args->outside == PRIM_OUTSIDE_COUNT)
        std::memset(args->outside_counters, 0, PRIM_HISTOGRAM_OUTSIDE_COUNTERS * sizeof(uint32_t));
}

struct host_version {
    template <typename T>
    static prim_status run(const prim_histogram_args *args, int threads)
    {
        (void)threads; /* the latter without OpenMP */
        const binning b = make_binning(args);
        const T *samples = static_cast<const T *>(args->samples);
        uint32_t *counters = static_cast<uint32_t *>(args->counters);
        uint32_t *outside = static_cast<uint32_t *>(args->outside_counters);
        clear_host_counters(args);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
        for (size_t i = 0; i < args->count; i++) {
            const size_t counter = counter_of(b, samples[i]);
            if (counter == NOWHERE)
                continue;
            uint32_t &c = counter < b.bins ? counters[counter] : outside[counter - b.bins];
#pragma omp atomic
            c++;
        }
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
