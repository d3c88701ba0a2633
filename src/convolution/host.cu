/* The CPU's versions: the sums are those of BASIC, one behind the other or on several threads. */
#include "common/threads.cuh"
#include "convolution/dispatch.cuh"
#include "convolution/window.cuh"

namespace
{
namespace host
{

template <typename Pixel>
void convolve_part(const problem<Pixel> &p, int64_t y, size_t first, size_t last)
{
    for (size_t x = first; x < last; x++)
        for (int channel = 0; channel < p.in.channels; channel++)
            convolve_element(p, p.weights, static_cast<int64_t>(x), y, channel);
}

/* One row: a part for each thread. */
template <typename Pixel>
void convolve_row(const problem<Pixel> &p, size_t width, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int part = 0; part < threads; part++)
        convolve_part(p, 0, part_begin(width, threads, part), part_begin(width, threads, part + 1));
}

/* Several rows: whole ones for each thread. */
template <typename Pixel>
void convolve_rows(const problem<Pixel> &p, size_t width, int threads)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int64_t y = 0; y < p.height; y++)
        convolve_part(p, y, 0, width);
}

struct host_version {
    template <typename Pixel>
    static prim_status run(const prim_convolution_args *args, int threads)
    {
        const problem<Pixel> p = make_problem<Pixel>(args);
        if (p.width > 0 && p.height == 1)
            convolve_row(p, args->in.width, threads);
        else if (p.width > 0)
            convolve_rows(p, args->in.width, threads);
        return PRIM_OK;
    }
    static prim_status not_built(const prim_convolution_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: the library is not built for this type",
                         args->call.name);
    }
};

} // namespace host
} // namespace

prim_status prim_convolution_on_host(const prim_convolution_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<host::host_version>(args, threads) : status;
}
