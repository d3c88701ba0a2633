/* REGISTER over images of fewer rows than a mask, or not many more: a block takes all rows of
 * some columns, and a thread a row of outputs anywhere in it.
 *
 *     row 0     0 0 0 … 0 1 1 1 … 1 2 2 …      lanes lie OUTPUTS pixels apart: an odd number, so
 *     row 1     k k k …                        that they find banks of their own
 *
 * That is short_rows.cuh with rows and columns exchanged: a strip would load and sum halo rows, 5
 * for each row under 5 × 5. Here a thread computes once which row to read for each row of the mask.
 * Products are added row by row of the mask all the same. */
#ifndef PRIM_CONVOLUTION_FEW_ROWS_CUH
#define PRIM_CONVOLUTION_FEW_ROWS_CUH

#include "convolution/short_rows.cuh"

namespace
{
namespace few_rows
{

template <typename Source, typename Element>
struct image_of_columns {
    const Source *in;
    Element *out;
    size_t in_pitch, out_pitch;
    int64_t width;
    int height, channels;
    int before_x, before_y;
    int groups; /* of outputs side by side, in each row of a block; 0: the image has many rows */
    int row, out_row; /* from row to row in shared memory, whole vectors */
    int out_at;       /* elements before them in shared memory, of the output */
    int rows_at, sums_at, places_at,
        column_at; /* bytes, of masks that are known at the call alone */
    int mask_width, mask_height;
    bool is_separable;
    prim_boundary boundary;
    Source fill[PRIM_CONVOLUTION_MOST_CHANNELS];

    /* Rows in shared memory: with one of fills. */
    __host__ __device__ int rows() const
    {
        return height + (boundary == PRIM_BOUNDARY_CONSTANT ? 1 : 0);
    }
    __device__ const Source *row_in(int y) const
    {
        return reinterpret_cast<const Source *>(reinterpret_cast<const char *>(in) +
                                                static_cast<size_t>(y) * in_pitch);
    }
    __device__ Element *row_out(int y) const
    {
        return reinterpret_cast<Element *>(reinterpret_cast<char *>(out) +
                                           static_cast<size_t>(y) * out_pitch);
    }
    /* A row of outputs, from pixel x on, in shared memory: aligned as it is in memory. */
    __device__ Element *row_in_shared(uint8_t *shared, int y, int64_t x) const
    {
        return reinterpret_cast<Element *>(shared) + out_at + y * out_row +
               runs::past_vector(row_out(y) + x * channels);
    }
};

/* A block's columns, and those that its windows reach. */
template <typename Source>
struct columns {
    int64_t x, first_x; /* of the outputs, and of what is read */
    int outputs, needed;
    bool are_inside;

    template <typename Image>
    __device__ columns(const Image &p, int wide, int side)
        : x(static_cast<int64_t>(blockIdx.x) * wide), first_x(x - p.before_x),
          outputs(static_cast<int>(p.width - x < wide ? p.width - x : wide)),
          needed(outputs + side - 1), are_inside(first_x >= 0 && first_x + needed <= p.width)
    {
    }

    /* How many elements row y begins past a vector: as in memory, where it is copied as it is. */
    template <typename Image>
    __device__ int past(const Image &p, int y) const
    {
        return are_inside ? runs::past_vector(p.row_in(y) + first_x * p.channels) : 0;
    }
};

template <typename Source, typename Element>
__device__ void bring(const image_of_columns<Source, Element> &p, const columns<Source> &of,
                      Source *to)
{
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const int count = of.needed * p.channels;
    PRIM_UNROLL(1)
    for (int y = 0; y < p.height; y++, to += p.row) {
        if (of.are_inside) {
            runs::copy<true>(to + of.past(p, y), p.row_in(y) + of.first_x * p.channels, count);
            continue;
        }
        PRIM_UNROLL(1)
        for (int k = thread; k < count; k += threads) {
            const int channel = k % p.channels;
            const int64_t x = stand_in(p.boundary, of.first_x + k / p.channels, p.width);
            to[k] = x == FILL ? p.fill[channel] : p.row_in(y)[x * p.channels + channel];
        }
    }
    if (p.boundary == PRIM_BOUNDARY_CONSTANT)
        for (int k = thread; k < count; k += threads)
            to[k] = p.fill[k % p.channels];
}

template <typename Source, typename Element>
__device__ void write(const image_of_columns<Source, Element> &p, const columns<Source> &of,
                      uint8_t *shared)
{
    PRIM_UNROLL(1)
    for (int y = 0; y < p.height; y++)
        runs::copy<false>(p.row_out(y) + of.x * p.channels,
                          static_cast<const Element *>(p.row_in_shared(shared, y, of.x)),
                          of.outputs * p.channels);
}

/* Rows to read are listed in shared memory, and so are weights. The sums of rows of separable masks
 * lie there too, between two barriers: also those of a row outside. */

template <typename Sum>
constexpr int OUTPUTS = sizeof(Sum) > 4 ? 9 : 15; /* of a thread */

/* COUNT taps of a row: pixels and outputs lie `channels` apart. */
template <typename Pixel, int COUNT, typename Sum>
__device__ void add_taps(Sum (&sums)[OUTPUTS<Sum>], const Sum (&w)[COUNT],
                         const typename Pixel::source *from, int channels)
{
    PRIM_UNROLL(OUTPUTS<Sum> + COUNT - 1)
    for (int k = 0; k < OUTPUTS<Sum> + COUNT - 1; k++, from += channels) {
        const Sum x = Pixel::loaded(*from);
        PRIM_UNROLL(OUTPUTS<Sum>)
        for (int o = 0; o < OUTPUTS<Sum>; o++)
            if (k - o >= 0 && k - o < COUNT)
                sums[o] = add_product(sums[o], w[k - o], x);
    }
}

/* COUNT taps from `tap` on, of the mask's row `row`. */
template <typename Pixel, int COUNT, typename Sum>
__device__ void add_part(Sum (&sums)[OUTPUTS<Sum>], const listed::shared_weights<Sum> &weights,
                         int row, int tap, const typename Pixel::source *from, int channels)
{
    Sum w[COUNT];
    weights.read(row, tap, w);
    add_taps<Pixel>(sums, w, from, channels);
}

/* Row `row` of the mask. */
template <typename Pixel, typename Sum>
__device__ void add_row(Sum (&sums)[OUTPUTS<Sum>], const listed::shared_weights<Sum> &weights,
                        int row, int width, const typename Pixel::source *from, int channels)
{
    int i = 0;
    PRIM_UNROLL(1)
    for (; i + listed::TAPS <= width; i += listed::TAPS, from += listed::TAPS * channels)
        add_part<Pixel, listed::TAPS>(sums, weights, row, i, from, channels);
    if (i + 3 == width)
        add_part<Pixel, 3>(sums, weights, row, i, from, channels);
    else if (i + 2 == width)
        add_part<Pixel, 2>(sums, weights, row, i, from, channels);
    else if (i < width)
        add_part<Pixel, 1>(sums, weights, row, i, from, channels);
}

/* The sums of all rows along them, of a thread's columns: each thread takes its row, and the first
 * ones that of fills. */
template <typename Pixel, class Image>
__device__ void sum_rows(const Image &p, const columns<typename Pixel::source> &of,
                         const listed::shared_weights<typename Pixel::sum> &weights,
                         const typename Pixel::source *rows, typename Pixel::row_sum *row_sums,
                         int first_row, int first)
{
    using sum = typename Pixel::sum;
    PRIM_UNROLL(1)
    for (int y = first_row; y < p.rows(); y += p.height) {
        const int past = y < p.height ? of.past(p, y) : 0;
        sum sums[OUTPUTS<sum>] = {};
        add_row<Pixel>(sums, weights, 0, p.mask_width, rows + y * p.row + past + first, p.channels);
        PRIM_UNROLL(OUTPUTS<sum>)
        for (int o = 0; o < OUTPUTS<sum>; o++)
            row_sums[y * p.out_row + first + o * p.channels] =
                static_cast<typename Pixel::row_sum>(sums[o]);
    }
}

template <typename Pixel>
__device__ void
convolve_any(const image_of_columns<typename Pixel::source, typename Pixel::element> &p,
             const listed::weights<typename Pixel::sum> &w, const typename Pixel::ending &end,
             uint8_t *shared)
{
    using source = typename Pixel::source;
    using sum = typename Pixel::sum;
    using row_sum = typename Pixel::row_sum;
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const columns<source> of(p, p.groups * OUTPUTS<sum>, p.mask_width);
    source *const rows = reinterpret_cast<source *>(shared + p.rows_at);
    row_sum *const row_sums = reinterpret_cast<row_sum *>(shared + p.sums_at);
    int *const places = reinterpret_cast<int *>(shared + p.places_at);
    sum *const own = reinterpret_cast<sum *>(shared), *const column = reinterpret_cast<sum *>(
                                                          shared + p.column_at);
    const listed::shared_weights<sum> weights = {own, listed::padded(p.mask_width)};
    bring(p, of, rows);
    listed::bring(w, p.mask_width, 0, p.is_separable ? 1 : p.mask_height, weights.padded, own);
    for (int k = thread; p.is_separable && k < p.mask_height; k += threads)
        column[k] = w.of_column(k, p.mask_width);
    for (int k = thread; k < p.height + p.mask_height - 1; k += threads) {
        const int y = stand_in(p.boundary, k - p.before_y, p.height);
        const int row = y == FILL ? p.height : y;
        places[k] =
            p.is_separable ? row * p.out_row : row * p.row + (y == FILL ? 0 : of.past(p, y));
    }
    wait_for_copies();
    __syncthreads();
    const runs::place at(thread, p.groups * p.channels);
    const int group = at.column / p.channels, channel = at.column % p.channels;
    const int first = group * OUTPUTS<sum> * p.channels + channel;
    const bool has_outputs = at.row < p.height; /* other threads only copy */
    if (p.is_separable) {
        if (has_outputs)
            sum_rows<Pixel>(p, of, weights, rows, row_sums, at.row, first);
        __syncthreads();
    }
    if (has_outputs) {
        sum sums[OUTPUTS<sum>] = {};
        PRIM_UNROLL(1)
        for (int j = 0; j < p.mask_height; j++) {
            const int from = places[at.row + j] + first;
            if (p.is_separable) {
                const sum weight[1] = {column[j]};
                add_taps<pixel<row_sum, row_sum, sum>>(sums, weight, row_sums + from, p.channels);
            } else
                add_row<Pixel>(sums, weights, j, p.mask_width, rows + from, p.channels);
        }
        typename Pixel::element *const out = p.row_in_shared(shared, at.row, of.x) + first;
        PRIM_UNROLL(OUTPUTS<sum>)
        for (int o = 0; o < OUTPUTS<sum>; o++)
            out[o * p.channels] = Pixel::stored(sums[o], end);
    }
    __syncthreads();
    write(p, of, shared);
}

/* ---- on the host ---- */

/* Room for a row of that many elements, which may begin anywhere in a vector. */
template <typename T>
int row_for(int elements)
{
    constexpr int EACH = static_cast<int>(VECTOR_ELEMENTS<T>);
    return (elements + 2 * EACH - 1) / EACH * EACH;
}

template <typename Source, typename Element>
image_of_columns<Source, Element> make_image(const prim_convolution_args *args)
{
    const prim_image &in = args->in, &out = args->out;
    const prim_mask &rows = args->mask_y.height > 0 ? args->mask_y : args->mask;
    image_of_columns<Source, Element> p = {};
    p.in = static_cast<const Source *>(in.data);
    p.out = static_cast<Element *>(out.data);
    p.in_pitch = in.pitch;
    p.out_pitch = out.pitch;
    p.width = static_cast<int64_t>(in.width);
    p.height = static_cast<int>(in.height);
    p.channels = in.channels;
    p.before_x = before_pixel(args, args->mask.width, args->mask.anchor_x);
    p.before_y = before_pixel(args, rows.height, rows.anchor_y);
    p.mask_width = static_cast<int>(args->mask.width);
    p.mask_height = static_cast<int>(rows.height);
    p.is_separable = args->mask_y.height > 0;
    p.boundary = args->boundary;
    copy_fill(args, p.fill);
    return p;
}

/* Rows and outputs of a block after `first_bytes` of shared memory. Returns the bytes of all. */
template <typename Source, typename Element>
size_t lay_out(image_of_columns<Source, Element> *p, int outputs, size_t first_bytes)
{
    const int wide = p->groups * outputs;
    p->row = row_for<Source>((wide + p->mask_width - 1) * p->channels);
    p->out_row = row_for<Element>(wide * p->channels);
    const size_t out_at = short_rows::whole_vectors(
        first_bytes + static_cast<size_t>(p->rows() * p->row) * sizeof(Source));
    p->rows_at = static_cast<int>(first_bytes);
    p->out_at = static_cast<int>(out_at / sizeof(Element));
    return out_at + static_cast<size_t>(p->height * p->out_row) * sizeof(Element);
}

template <typename Source, typename Element>
launch_config config_of(const prim_convolution_args *args,
                        const image_of_columns<Source, Element> &p, int outputs, size_t bytes)
{
    const size_t wide = static_cast<size_t>(p.groups * outputs);
    const unsigned threads = static_cast<unsigned>(p.groups * p.height * p.channels);
    return {args->call.stream, static_cast<unsigned>(prim_divide_up(args->in.width, wide)),
            (threads + 31) / 32 * 32, bytes};
}

/* For any mask: as many groups as fit into shared memory. Returns its bytes, 0 where not even one
 * fits. */
template <typename Pixel>
size_t choose_groups_for_any(const prim_convolution_args *args,
                             image_of_columns<typename Pixel::source, typename Pixel::element> *p)
{
    using sum = typename Pixel::sum;
    constexpr int THREADS = short_rows::MOST_THREADS;
    const size_t weights = listed::weight_bytes<sum>(args->mask),
                 column = p->is_separable ? args->mask_y.height * sizeof(sum) : 0;
    const size_t places_at = short_rows::whole_vectors(weights + column);
    const size_t places = static_cast<size_t>(p->height + p->mask_height - 1) * sizeof(int);
    const size_t first_bytes = short_rows::whole_vectors(places_at + places);
    p->column_at = static_cast<int>(weights);
    p->places_at = static_cast<int>(places_at);
    for (p->groups = THREADS / (p->height * p->channels); p->groups > 0; p->groups /= 2) {
        const size_t sums_at = short_rows::whole_vectors(lay_out(p, OUTPUTS<sum>, first_bytes));
        const size_t sums = p->is_separable ? static_cast<size_t>(p->rows() * p->out_row) *
                                                  sizeof(typename Pixel::row_sum)
                                            : 0;
        p->sums_at = static_cast<int>(sums_at);
        if (sums_at + sums <= short_rows::SHARED_BYTES)
            return sums_at + sums;
    }
    return 0;
}

} // namespace few_rows
} // namespace

#endif
