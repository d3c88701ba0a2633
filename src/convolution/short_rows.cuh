/* REGISTER over images whose rows are shorter than a warp's strip: a block takes a run of
 * whole rows, and a thread a column of outputs anywhere in it.
 *
 *     memory      a b c d e f g h i j k l …      rows of 3: one after the other without gaps, so
 *                                                a run of them comes 16 bytes at a time
 *     row 0       a b c      thread 0 1 2        all threads are busy, however short rows are
 *     row 1       d e f             0 1 2
 *     …                             0 1 2
 *     row DOWN    · · ·      thread 3 4 5       lanes 3 and 0 lie DOWN rows apart; DOWN is odd, so
 *     …                             3 4 5       that rows of 1, 2, 4, … words spread over all banks
 *
 * A strip of 128 columns would have work for 3 of its lanes. And there each row copies its halo,
 * which would be nearly everything here; so no halo is copied: a thread computes once which columns
 * replace those that its window reaches outside, and reads them from its rows. A fill is one
 * element, which it reads for every row.
 *
 * Loads for each output: (DOWN + h - 1) · w / DOWN elements from shared memory; outputs are stored
 * through shared memory, as one run.
 *
 * A thread has columns in LAYERS that lie below each other, takes 4 taps at a time, and reads
 * weights and places of columns from shared memory. */
#ifndef PRIM_CONVOLUTION_SHORT_ROWS_CUH
#define PRIM_CONVOLUTION_SHORT_ROWS_CUH

#include "common/host/device.h"
#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "convolution/listed.cuh"
#include "convolution/runs.cuh"

namespace
{
namespace short_rows
{

constexpr int MOST_THREADS = 256; /* and elements of a line */
constexpr size_t SHARED_BYTES = 48 << 10;

template <typename Source, typename Element>
struct image_of_rows {
    const Source *in;
    Element *out;
    size_t in_pitch, out_pitch;
    int64_t height;
    int width, channels, line; /* line: elements of a row */
    int row, out_row;          /* from row to row in shared memory */
    int mask_width, mask_height, before_x, before_y;
    int groups;                      /* of outputs below each other, in each layer of a block */
    int high;                        /* rows of a block */
    int columns_at, rows_at, out_at; /* bytes before them in shared memory */
    bool in_is_whole, out_is_whole;  /* rows of memory lie without gaps */
    prim_boundary boundary;
    Source fill[PRIM_CONVOLUTION_MOST_CHANNELS];

    /* The column to read for this pixel, inside of the image or not, or FILL. */
    __device__ int column(int pixel, int channel) const
    {
        const int from = stand_in(boundary, pixel, width);
        return from == FILL ? static_cast<int>(FILL) : from * channels + channel;
    }
    __device__ const Source *row_in(int64_t y) const
    {
        return reinterpret_cast<const Source *>(reinterpret_cast<const char *>(in) +
                                                static_cast<size_t>(y) * in_pitch);
    }
    __device__ Element *row_out(int64_t y) const
    {
        return reinterpret_cast<Element *>(reinterpret_cast<char *>(out) +
                                           static_cast<size_t>(y) * out_pitch);
    }
};

/* Copies the rows from `first` on but those from `begin` to `end`, which lie inside of the image:
 * element by element. */
template <typename Source, typename Element>
__device__ void bring_outside(const image_of_rows<Source, Element> &p, Source *to, int64_t first,
                              int rows, int begin, int end)
{
    const int threads = static_cast<int>(blockDim.x), outside = rows - (end - begin);
    PRIM_UNROLL(1)
    for (int k = static_cast<int>(threadIdx.x); k < outside * p.line; k += threads) {
        const int e = k % p.line, row = k / p.line < begin ? k / p.line : k / p.line - begin + end;
        const int64_t y = stand_in(p.boundary, first + row, p.height);
        to[row * p.row + e] = y == FILL ? p.fill[e % p.channels] : p.row_in(y)[e];
    }
}

/* Copies rows that do not lie as one run: those inside by words. */
template <typename Source, typename Element>
__device__ void bring_rows(const image_of_rows<Source, Element> &p, Source *to, int64_t first,
                           int rows)
{
    const int64_t left = p.height - first;
    const int begin = first >= 0 ? 0 : -first < rows ? static_cast<int>(-first) : rows;
    const int end = left >= rows ? rows : left > begin ? static_cast<int>(left) : begin;
    runs::copy_rows<true>(
        runs::row_pointer<Source>{to + begin * p.row, p.row * static_cast<int>(sizeof(Source))},
        {p.row_in(first + begin), static_cast<int64_t>(p.in_pitch)}, end - begin, p.line);
    bring_outside(p, to, first, rows, begin, end);
}

/* Starts the copies of a block's rows; valid after a wait for copies and a barrier. Row 0. */
template <typename Source, typename Element>
__device__ const Source *bring(const image_of_rows<Source, Element> &p, uint8_t *shared,
                               int64_t first, int rows)
{
    Source *to = reinterpret_cast<Source *>(shared + p.rows_at);
    if (p.in_is_whole && first >= 0 && first + rows <= p.height) {
        const Source *const from = p.in + first * p.line;
        to += runs::past_vector(from);
        runs::copy<true>(to, from, rows * p.line);
    } else {
        to += runs::elements_past<Source, sizeof(runs::unit<Source>)>(
            p.in, first * static_cast<int64_t>(p.in_pitch));
        bring_rows(p, to, first, rows);
    }
    return to;
}

/* A block's outputs, from row y on. */
template <typename Source, typename Element>
struct outputs {
    const image_of_rows<Source, Element> &p;
    const int64_t y;
    Element *const shared;
    const int rows;

    __device__ outputs(const image_of_rows<Source, Element> &of, uint8_t *memory, int64_t first)
        : p(of), y(first), shared(reinterpret_cast<Element *>(memory + of.out_at) +
                                  runs::past_vector(of.row_out(first))),
          rows(static_cast<int>(of.height - first < of.high ? of.height - first : of.high))
    {
    }

    __device__ void write() const
    {
        if (p.out_is_whole)
            runs::copy<false>(p.out + y * p.line, static_cast<const Element *>(shared),
                              rows * p.line);
        else
            runs::copy_rows<false>(
                runs::row_pointer<Element>{p.row_out(y), static_cast<int64_t>(p.out_pitch)},
                {shared, p.out_row * static_cast<int>(sizeof(Element))}, rows, p.line);
    }
};

constexpr int DOWN = 9, LAYERS = 2;

/* COUNT taps of mask rows row, row - 1, …, for the outputs' rows 0, 1, …. */
template <typename Pixel, int COUNT, typename Rows>
__device__ void add_taps(typename Pixel::sum (&sums)[DOWN][LAYERS], const Rows &p, int row,
                         const typename Pixel::source *from, const int *columns,
                         typename Pixel::sum fill,
                         const listed::shared_weights<typename Pixel::sum> &weights, int tap)
{
    using sum = typename Pixel::sum;
    sum x[COUNT][LAYERS];
    PRIM_UNROLL(COUNT)
    for (int i = 0; i < COUNT; i++) {
        const int column = columns[(tap + i) * p.channels];
        PRIM_UNROLL(LAYERS)
        for (int c = 0; c < LAYERS; c++)
            x[i][c] =
                column == FILL ? fill : Pixel::loaded(from[column + c * p.groups * DOWN * p.row]);
    }
    PRIM_UNROLL(DOWN)
    for (int o = 0; o < DOWN; o++) {
        if (row < o || row - o >= p.mask_height)
            continue;
        sum w[COUNT];
        weights.read(row - o, tap, w);
        PRIM_UNROLL(COUNT)
        for (int i = 0; i < COUNT; i++) {
            PRIM_UNROLL(LAYERS)
            for (int c = 0; c < LAYERS; c++)
                sums[o][c] = add_product(sums[o][c], w[i], x[i][c]);
        }
    }
}

template <typename Pixel>
__device__ void
convolve_any(const image_of_rows<typename Pixel::source, typename Pixel::element> &p,
             const listed::weights<typename Pixel::sum> &w, const typename Pixel::ending &end,
             uint8_t *shared)
{
    using source = typename Pixel::source;
    using element = typename Pixel::element;
    using sum = typename Pixel::sum;
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const outputs<source, element> out(p, shared, static_cast<int64_t>(blockIdx.x) * p.high);
    const source *from = bring(p, shared, out.y - p.before_y, out.rows + p.mask_height - 1);
    sum *const own = reinterpret_cast<sum *>(shared);
    const listed::shared_weights<sum> weights = {own, listed::padded(p.mask_width)};
    listed::bring(w, p.mask_width, 0, p.mask_height, weights.padded, own);
    int *const columns = reinterpret_cast<int *>(shared + p.columns_at);
    for (int k = thread; k < p.line + (p.mask_width - 1) * p.channels; k += threads)
        columns[k] = p.column(k / p.channels - p.before_x, k % p.channels);
    wait_for_copies();
    __syncthreads();
    const runs::place at(thread, p.line);
    if (at.row < p.groups) {
        const sum fill = Pixel::loaded(p.fill[at.column % p.channels]);
        const int *const own_columns = columns + at.column;
        sum sums[DOWN][LAYERS] = {};
        from += at.row * DOWN * p.row;
        PRIM_UNROLL(1)
        for (int row = 0; row < DOWN + p.mask_height - 1; row++, from += p.row) {
            int i = 0;
            PRIM_UNROLL(1)
            for (; i + listed::TAPS <= p.mask_width; i += listed::TAPS)
                add_taps<Pixel, listed::TAPS>(sums, p, row, from, own_columns, fill, weights, i);
            if (i + 3 == p.mask_width)
                add_taps<Pixel, 3>(sums, p, row, from, own_columns, fill, weights, i);
            else if (i + 2 == p.mask_width)
                add_taps<Pixel, 2>(sums, p, row, from, own_columns, fill, weights, i);
            else if (i < p.mask_width)
                add_taps<Pixel, 1>(sums, p, row, from, own_columns, fill, weights, i);
        }
        PRIM_UNROLL(LAYERS)
        for (int c = 0; c < LAYERS; c++) {
            PRIM_UNROLL(DOWN)
            for (int o = 0; o < DOWN; o++)
                out.shared[((at.row + c * p.groups) * DOWN + o) * p.out_row + at.column] =
                    Pixel::stored(sums[o][c], end);
        }
    }
    __syncthreads();
    out.write();
}

/* ---- on the host ---- */

inline size_t whole_vectors(size_t bytes)
{
    return prim_divide_up(bytes, VECTOR_BYTES) * VECTOR_BYTES;
}

/* What a block has in shared memory: `first_bytes` of weights or fills, places of columns, rows and
 * outputs, each a vector longer, for where they begin. Returns the bytes of all. */
template <typename Source, typename Element>
size_t lay_out(image_of_rows<Source, Element> *p, size_t first_bytes, size_t column_bytes)
{
    const size_t rows = static_cast<size_t>(p->high + p->mask_height - 1);
    const size_t columns_at = whole_vectors(first_bytes),
                 rows_at = columns_at + whole_vectors(column_bytes);
    const size_t out_at =
        rows_at + whole_vectors(rows * static_cast<size_t>(p->row) * sizeof(Source)) + VECTOR_BYTES;
    p->columns_at = static_cast<int>(columns_at);
    p->rows_at = static_cast<int>(rows_at);
    p->out_at = static_cast<int>(out_at);
    return out_at + whole_vectors(static_cast<size_t>(p->high * p->out_row) * sizeof(Element)) +
           VECTOR_BYTES;
}

template <typename Source, typename Element>
image_of_rows<Source, Element> make_rows(const prim_convolution_args *args)
{
    const prim_image &in = args->in, &out = args->out;
    image_of_rows<Source, Element> p = {};
    p.in = static_cast<const Source *>(in.data);
    p.out = static_cast<Element *>(out.data);
    p.in_pitch = in.pitch;
    p.out_pitch = out.pitch;
    p.height = static_cast<int64_t>(in.height);
    p.width = static_cast<int>(in.width);
    p.channels = in.channels;
    p.line = p.width * p.channels;
    p.row = runs::row_of<Source>(p.line, in.pitch);
    p.out_row = runs::row_of<Element>(p.line, out.pitch);
    p.mask_width = static_cast<int>(args->mask.width);
    p.mask_height = static_cast<int>(args->mask.height);
    p.before_x = before_pixel(args, args->mask.width, args->mask.anchor_x);
    p.before_y = before_pixel(args, args->mask.height, args->mask.anchor_y);
    p.in_is_whole = in.pitch == static_cast<size_t>(p.line) * sizeof(Source);
    p.out_is_whole = out.pitch == static_cast<size_t>(p.line) * sizeof(Element);
    p.boundary = args->boundary;
    copy_fill(args, p.fill);
    return p;
}

/* As many groups as give a block about that many threads, or fewer for images of few rows, and that
 * they fit. Returns the bytes of shared memory, 0 where not even one group fits. */
template <typename Source, typename Element>
size_t choose_groups(image_of_rows<Source, Element> *p, int threads, int rows_of_group,
                     size_t first_bytes, size_t column_bytes)
{
    const int64_t wanted = 2 * static_cast<int64_t>(prim_device_multiprocessors());
    p->groups = threads > p->line ? threads / p->line : 1;
    for (;; p->groups = (p->groups + 1) / 2) {
        p->high = p->groups * rows_of_group;
        const size_t bytes = lay_out(p, first_bytes, column_bytes);
        const bool is_last = p->groups == 1, are_few = p->height / p->high < wanted;
        if (bytes <= SHARED_BYTES && (is_last || !are_few))
            return bytes;
        if (is_last)
            return 0;
    }
}

template <typename Source, typename Element>
launch_config config_of(const prim_convolution_args *args, const image_of_rows<Source, Element> &p,
                        size_t bytes)
{
    const size_t blocks = prim_divide_up(args->in.height, p.high);
    const unsigned threads = static_cast<unsigned>(p.groups * p.line);
    return {args->call.stream, static_cast<unsigned>(blocks), (threads + 31) / 32 * 32, bytes};
}

/* For any mask. Returns the bytes of shared memory, 0 where not even a group fits. */
template <typename Pixel>
size_t choose_groups_for_any(const prim_convolution_args *args,
                             image_of_rows<typename Pixel::source, typename Pixel::element> *p)
{
    constexpr int THREADS = 128;
    const size_t weights = listed::weight_bytes<typename Pixel::sum>(args->mask);
    const int columns = p->line + (p->mask_width - 1) * p->channels;
    return choose_groups(p, THREADS, DOWN * LAYERS, weights,
                         static_cast<size_t>(columns) * sizeof(int));
}

} // namespace short_rows
} // namespace

#endif
