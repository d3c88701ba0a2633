/* The host versions: the sums of BASIC, one after the other or on several threads. */
#include "common/host/threads.cuh"
#include "convolution/direct.cuh"
#include "convolution/dispatch.cuh"

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

/* ---- separable masks ---- */

template <typename Sum>
struct column_mask {
    weight_list<Sum> weights;
    int height, before;
};

/* The sum of a row under the mask's row; for a row outside of the image, of its replacement. */
template <typename Pixel>
typename Pixel::sum sum_of_row(const problem<Pixel> &p, int64_t x, int64_t y, int channel)
{
    const int64_t first_x = x - p.before_x;
    return window_is_inside(p, first_x, y) ? sum_inside(p, p.weights, first_x, y, channel)
                                           : sum_at_edge(p, p.weights, first_x, y, channel);
}

/* Rows first … last - 1 of one column: each sum of a row is made once, and kept for as many outputs
 * as the column's mask is high. */
template <typename Pixel>
void convolve_column(const problem<Pixel> &p, const column_mask<typename Pixel::sum> &mask,
                     int64_t x, int channel, int64_t first, int64_t last)
{
    typename Pixel::sum rows[PRIM_CONVOLUTION_MOST_SIDE];
    const int64_t begin = first - mask.before;
    for (int64_t y = begin; y < last - mask.before + mask.height - 1; y++) {
        rows[(y - begin) % mask.height] = sum_of_row(p, x, y, channel);
        const int64_t output = y - (mask.height - 1) + mask.before;
        if (output < first)
            continue;
        typename Pixel::sum sum = 0;
        for (int j = 0; j < mask.height; j++)
            sum = add_product(sum, mask.weights[j], rows[(y - begin + 1 + j) % mask.height]);
        *p.out.at(x, output, channel) = Pixel::stored(sum, p.ending);
    }
}

/* Whole rows for each thread. */
template <typename Pixel>
void convolve_separably(const problem<Pixel> &p, const column_mask<typename Pixel::sum> &mask,
                        size_t height, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int part = 0; part < threads; part++) {
        const int64_t first = static_cast<int64_t>(part_begin(height, threads, part));
        const int64_t last = static_cast<int64_t>(part_begin(height, threads, part + 1));
        for (int64_t x = 0; x < p.width && first < last; x++)
            for (int channel = 0; channel < p.in.channels; channel++)
                convolve_column(p, mask, x, channel, first, last);
    }
}

struct host_version {
    template <typename Pixel>
    static prim_status run(const prim_convolution_args *args, int threads)
    {
        using sum = typename Pixel::sum;
        const problem<Pixel> p = make_problem<Pixel>(args);
        const prim_mask &column = args->mask_y;
        if (args->kind == PRIM_CONVOLUTION_SEPARABLE)
            convolve_separably(p,
                               column_mask<sum>{list_of<sum>(args, column.h_values, column.height),
                                                static_cast<int>(column.height),
                                                before_pixel(args, column.height, column.anchor_y)},
                               args->in.height, threads);
        else if (p.width > 0 && p.height == 1)
            convolve_row(p, args->in.width, threads);
        else if (p.width > 0)
            convolve_rows(p, args->in.width, threads);
        return PRIM_OK;
    }
    static prim_status not_built(const prim_convolution_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this build of the library has no code for this type",
                         args->call.name);
    }
};

} // namespace host
} // namespace

prim_status prim_convolution_on_host(const prim_convolution_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch_pair<host::host_version>(args, threads) : status;
}
