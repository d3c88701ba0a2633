/* How REGISTER's warps divide an image: into strips, SPAN elements wide and some rows high, which a
 * warp walks down; and how it finds the elements of its rows.
 *
 *     │ strip 0 │ strip 1 │ …      A vector is folded: rows of SPAN elements, each of which goes
 *     │    ▼    │    ▼    │        on where the one above ends. So there is one strip across, and
 *     ├─────────┼─────────┼─       a row's halo lies in the rows beside it.
 *     │ strip n │         │
 *
 * Rows and columns count elements, channels included: the taps of a mask lie `channels` apart. */
#ifndef PRIM_CONVOLUTION_STRIPS_CUH
#define PRIM_CONVOLUTION_STRIPS_CUH

#include "common/host/device.h"
#include "common/host/sizes.h"
#include "convolution/problem.cuh"

namespace
{

template <typename Pixel>
struct strips {
    using source = typename Pixel::source;
    using element = typename Pixel::element;

    const source *in;
    element *out;
    size_t in_step, out_step; /* bytes from row to row, folded ones too */
    size_t in_pitch;          /* bytes from line to line of the image */
    int64_t width, height;    /* of the image, in pixels */
    int64_t line, rows;       /* elements of a line of the image, rows of the output */
    int channels;
    int before_x, before_y; /* elements and rows of a window before its output */
    int high;               /* rows of a strip */
    unsigned across;        /* strips side by side */
    bool is_folded;
    bool has_outer_row;    /* row `height` of the input is that outside of its rows */
    bool rows_are_aligned; /* the output's, to 16 bytes */
    bool copies_vectors;   /* of walk.cuh: a strip's rows begin at whole vectors */
    prim_boundary boundary;
    source fill[PRIM_CONVOLUTION_MOST_CHANNELS];
    typename Pixel::ending ending;

    /* The row to read for row `row` of an image that is not folded, or FILL. */
    __device__ int64_t row_for(int64_t row) const
    {
        return row_to_read(boundary, row, height, has_outer_row);
    }

    /* The element of a line to read for number `e`, inside of it or not, or FILL. */
    __device__ int64_t column_for(int64_t e, int *channel) const
    {
        *channel = 0;
        if (is_inside(e, line))
            return e;
        const int64_t x = (e - repeat(e, static_cast<int64_t>(channels))) / channels;
        const int64_t from_x = stand_in(boundary, x, width);
        *channel = static_cast<int>(e - x * channels);
        return from_x == FILL ? FILL : from_x * channels + *channel;
    }

    /* The element to read for number `e` of row `row`, a row that exists; nullptr for the fill. */
    __device__ const source *element_at(int64_t row, int64_t e, int *channel) const
    {
        const int64_t from = column_for(e, channel);
        return from == FILL ? nullptr : row_at(in, in_pitch, row) + from;
    }

    /* `data` plus so many bytes. Offsets, unlike pointers, may point outside of the image, and the
     * compiler still knows the address space. */
    template <typename T>
    __device__ static T *bytes_behind(T *data, int64_t bytes)
    {
        using byte = typename std::conditional<std::is_const<T>::value, const char, char>::type;
        return reinterpret_cast<T *>(reinterpret_cast<byte *>(data) + bytes);
    }

    template <typename T>
    __device__ static T *row_at(T *data, size_t step, int64_t row)
    {
        using byte = typename std::conditional<std::is_const<T>::value, const char, char>::type;
        return reinterpret_cast<T *>(reinterpret_cast<byte *>(data) +
                                     static_cast<size_t>(row) * step);
    }
};

/* The rows of a warp's strip, or of a group of lanes: row 0 is the first that a window of its
 * outputs reaches. */
template <typename Pixel>
struct strip_rows {
    int64_t first_row, first_e; /* of what it reads: row, and element of a row */
    int inside_from, inside_to; /* of a folded line: the rows that lie inside with all they need */
    bool columns_are_inside;    /* of an image: all that are needed */
    int64_t step;               /* from row to row in elements of a folded line; 0 */

    __device__ strip_rows(const strips<Pixel> &p, int64_t x, int64_t y, int span, int needed)
        : first_row(y - p.before_y), first_e(x - p.before_x), inside_from(0), inside_to(0),
          columns_are_inside(first_e >= 0 && first_e + needed <= p.line),
          step(p.is_folded ? span : 0)
    {
        if (!p.is_folded)
            return;
        const int64_t last = p.line + p.before_x - needed;
        inside_from = near_row((p.before_x + span - 1) / span);
        inside_to = near_row(last < 0 ? 0 : last / span + 1);
    }

    /* Row `row` of the image as a row of the strip, clamped to ±2^30. */
    __device__ int near_row(int64_t row) const
    {
        constexpr int64_t FAR = 1 << 30;
        row -= first_row;
        return static_cast<int>(row < -FAR ? -FAR : row > FAR ? FAR : row);
    }

    __device__ bool is_inside(int row) const
    {
        return row >= inside_from && row < inside_to;
    }
    /* Element k of row `row`, for which row y of the image is read, inside or not; nullptr for the
     * fill. */
    __device__ const typename Pixel::source *element(const strips<Pixel> &p, int64_t y, int row,
                                                     int k, int *channel) const
    {
        return p.element_at(p.is_folded ? 0 : y, first_e + (first_row + row) * step + k, channel);
    }
};

/* Masks of w · h weights, or of the w of a row and the h of a column behind them. */
enum shape { WHOLE, SEPARABLE };

/* ---- on the host ---- */

inline void copy_weights(const prim_convolution_args *args, const prim_mask &mask, float *to)
{
    const size_t count = mask.width * mask.height;
    const weight_list<float> list = list_of<float>(args, mask.h_values, count);
    for (size_t k = 0; k < count; k++)
        to[k] = list[static_cast<int>(k)];
}

/* A line without rows above or below it, that neither image nor mask have, is folded. */
inline bool is_line(const prim_convolution_args *args)
{
    return args->in.height == 1 && args->mask.height == 1 && args->mask_y.height <= 1;
}

/* The images' layout; strips are cut later. */
template <typename Pixel>
strips<Pixel> make_strips(const prim_convolution_args *args, int span)
{
    using source = typename Pixel::source;
    using element = typename Pixel::element;
    const prim_image &in = args->in, &out = args->out;
    strips<Pixel> p = {};
    p.in = static_cast<const source *>(in.data);
    p.out = static_cast<element *>(out.data);
    p.width = static_cast<int64_t>(in.width);
    p.height = static_cast<int64_t>(in.height);
    p.line = p.width * in.channels;
    p.channels = in.channels;
    p.boundary = args->boundary;
    copy_fill(args, p.fill);
    p.ending = make_ending<Pixel>(args);
    p.before_x = before_pixel(args, args->mask.width, args->mask.anchor_x) * in.channels;
    p.before_y = before_pixel(args, args->mask.height, args->mask.anchor_y);
    p.is_folded = is_line(args);
    p.in_pitch = in.pitch;
    p.in_step = p.is_folded ? span * sizeof(source) : in.pitch;
    p.out_step = p.is_folded ? span * sizeof(element) : out.pitch;
    const size_t line = in.width * static_cast<size_t>(in.channels);
    const size_t parts = prim_divide_up(line, static_cast<size_t>(span));
    p.rows = p.is_folded ? static_cast<int64_t>(parts) : p.height;
    p.across = static_cast<unsigned>(p.is_folded ? 1 : parts);
    p.rows_are_aligned = (reinterpret_cast<uintptr_t>(out.data) | p.out_step) % 16 == 0;
    return p;
}

/* The height of strips, so that they fill whole waves of warps as nearly as possible. A wave takes
 * as long as a strip: its rows, its halo rows, and some time to begin; idle warps in the last wave
 * are modelled as an eighth of a wave more. `step` rows are taken at once; a multiprocessor has
 * `warps` at a time. No more rows than `most_rows`, where MOST_WAVES allow it. */
inline int rows_of_strips(int64_t rows, unsigned across, int mask_rows, int step, unsigned warps,
                          int most_rows = 1 << 20)
{
    constexpr int64_t MOST_WAVES = 12;
    const int64_t more = mask_rows - 1, begin = 1;
    const int64_t at_once = static_cast<int64_t>(prim_device_multiprocessors()) * warps;
    int64_t best = 0, least = 0;
    for (int64_t waves = 1; waves <= MOST_WAVES; waves++) {
        const int64_t most = waves * at_once / across, strips = most > 1 ? most : 1;
        int64_t high = (rows + strips - 1) / strips;
        high = (high + more + step - 1) / step * step - more; /* so that no step is cut short */
        const int64_t all = (rows + high - 1) / high * across;
        const int64_t time = (8 * ((all + at_once - 1) / at_once) + 1) * (high + more + begin);
        if (best == 0 || best > most_rows || time < least) {
            best = high;
            least = time;
        }
    }
    constexpr int64_t MOST = 1 << 20;
    return static_cast<int>(best < MOST ? best : MOST);
}

} // namespace

#endif
