/* REGISTER over low images, of fewer rows than a mask or not many more: a block takes all rows of
 * some columns, and a thread a row of outputs anywhere in it.
 *
 *     row 0     0 0 0 … 0 1 1 1 … 1 2 2 …      lanes lie OUTPUTS pixels apart: an odd number, so
 *     row 1     k k k …                        that they find banks of their own
 *
 * That is narrow.cuh with rows and columns exchanged: a strip would load and sum halo rows, 5 for
 * each row under 5 × 5. Here a thread computes once which row to read for each row of the mask.
 * Products are added row by row of the mask all the same. */
#ifndef PRIM_CONVOLUTION_LOW_CUH
#define PRIM_CONVOLUTION_LOW_CUH

#include "convolution/narrow.cuh"

namespace
{
namespace low
{

template <typename Source, typename Element>
struct image_of_columns {
    const Source *in;
    Element *out;
    size_t in_pitch, out_pitch;
    int64_t width;
    int height, channels;
    int before_x, before_y;
    int groups;       /* of outputs side by side, in each row of a block; 0: the image is not low */
    int row, out_row; /* from row to row in shared memory, whole vectors */
    int out_at;       /* elements before them in shared memory, of the output */
    prim_boundary boundary;
    Source fill[PRIM_CONVOLUTION_MOST_CHANNELS];

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

template <class Kind, int SIDE>
__device__ void
convolve_square(const image_of_columns<typename Kind::source, typename Kind::element> &p,
                const float (&weights)[SIDE * SIDE], const typename Kind::ending &end,
                uint8_t *shared)
{
    using source = typename Kind::source;
    using element = typename Kind::element;
    constexpr int OUTPUTS = Kind::OUTPUTS;
    const columns<source> of(p, p.groups * OUTPUTS, SIDE);
    source *const rows = reinterpret_cast<source *>(shared);
    element *const outs = reinterpret_cast<element *>(shared) + p.out_at;
    bring(p, of, rows);
    const runs::place at(static_cast<int>(threadIdx.x), p.groups * p.channels);
    const int group = at.column / p.channels, channel = at.column % p.channels;
    const int first = group * OUTPUTS * p.channels + channel;
    int taps[SIDE];
    PRIM_UNROLL(SIDE)
    for (int j = 0; j < SIDE; j++) {
        const int y = stand_in(p.boundary, at.row + j - p.before_y, p.height);
        taps[j] = first + (y == FILL ? p.height * p.row : y * p.row + of.past(p, y));
    }
    wait_for_copies();
    __syncthreads();
    if (at.row < p.height) { /* other threads only copy */
        float sums[OUTPUTS] = {};
        PRIM_UNROLL(SIDE)
        for (int j = 0; j < SIDE; j++) {
            const source *from = rows + taps[j];
            PRIM_UNROLL(OUTPUTS + SIDE - 1)
            for (int k = 0; k < OUTPUTS + SIDE - 1; k++, from += p.channels) {
                const float x = Kind::loaded(*from);
                PRIM_UNROLL(OUTPUTS)
                for (int o = 0; o < OUTPUTS; o++)
                    if (k - o >= 0 && k - o < SIDE)
                        sums[o] = add_product(sums[o], weights[j * SIDE + k - o], x);
            }
        }
        element *const out =
            outs + at.row * p.out_row + runs::past_vector(p.row_out(at.row) + of.x * p.channels);
        Kind::store(end, sums, out + first, p.channels);
    }
    __syncthreads();
    PRIM_UNROLL(1)
    for (int y = 0; y < p.height; y++) {
        element *const to = p.row_out(y) + of.x * p.channels;
        runs::copy<false>(
            to, static_cast<const element *>(outs + y * p.out_row + runs::past_vector(to)),
            of.outputs * p.channels);
    }
}

/* ---- on the host ---- */

/* Room for a row of so many elements, which may begin anywhere in a vector. */
template <typename T>
int row_for(int elements)
{
    constexpr int EACH = static_cast<int>(VECTOR_ELEMENTS<T>);
    return (elements + 2 * EACH - 1) / EACH * EACH;
}

/* For blocks of about so many threads. *bytes: of shared memory. */
template <class Kind>
image_of_columns<typename Kind::source, typename Kind::element>
make_columns(const prim_convolution_args *args, int threads, size_t *bytes)
{
    using source = typename Kind::source;
    using element = typename Kind::element;
    const prim_image &in = args->in, &out = args->out;
    image_of_columns<source, element> p = {};
    p.in = static_cast<const source *>(in.data);
    p.out = static_cast<element *>(out.data);
    p.in_pitch = in.pitch;
    p.out_pitch = out.pitch;
    p.width = static_cast<int64_t>(in.width);
    p.height = static_cast<int>(in.height);
    p.channels = in.channels;
    p.before_x = before_pixel(args, args->mask.width, args->mask.anchor_x);
    p.before_y = before_pixel(args, args->mask.height, args->mask.anchor_y);
    p.groups = threads / (p.height * p.channels);
    const int wide = p.groups * Kind::OUTPUTS, halo = static_cast<int>(args->mask.width) - 1;
    p.row = row_for<source>((wide + halo) * p.channels);
    p.out_row = row_for<element>(wide * p.channels);
    const int rows = p.height + (args->boundary == PRIM_BOUNDARY_CONSTANT ? 1 : 0);
    const size_t out_at = narrow::whole_vectors(static_cast<size_t>(rows * p.row) * sizeof(source));
    p.out_at = static_cast<int>(out_at / sizeof(element));
    *bytes = out_at + static_cast<size_t>(p.height * p.out_row) * sizeof(element);
    p.boundary = args->boundary;
    copy_fill(args, p.fill);
    return p;
}

} // namespace low
} // namespace

#endif
