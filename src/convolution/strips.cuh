/* How REGISTER's warps divide an image of f32: into strips, SPAN elements wide and some rows high,
 * which a warp walks down.
 *
 *     │ strip 0 │ strip 1 │ …
 *     │    ▼    │    ▼    │       */
#ifndef PRIM_CONVOLUTION_STRIPS_CUH
#define PRIM_CONVOLUTION_STRIPS_CUH

#include "common/host/device.h"
#include "common/host/sizes.h"
#include "convolution/problem.cuh"

namespace
{

/* In another order of these, nvcc 13.0 spills registers of patches of 7 x 7. */
struct strips {
    unsigned across;          /* strips side by side */
    size_t in_step, out_step; /* bytes from row to row */
    float *out;
    prim_boundary boundary;
    int before_x, before_y; /* elements and rows of a window before its output */
    float fill;
    int64_t line, rows;  /* of the image */
    bool copies_vectors; /* of walk.cuh: a strip's rows begin at whole vectors */
    const float *in;
    bool rows_are_aligned; /* the output's, to 16 bytes */
    int high;              /* rows of a strip */

    /* `data` plus that many bytes. Offsets, unlike pointers, may point outside of the image, and
     * the compiler still knows the address space. */
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

/* The rows of a warp's strip: row 0 is the first that a window of its outputs reaches. */
struct strip_rows {
    int64_t first_row, first_e; /* of what it reads: row, and element of a row */

    __device__ strip_rows(const strips &p, int64_t x, int64_t y)
        : first_row(y - p.before_y), first_e(x - p.before_x)
    {
    }

    /* Row `row` of the image as a row of the strip, clamped to ±2^30. */
    __device__ int near_row(int64_t row) const
    {
        constexpr int64_t FAR = 1 << 30;
        row -= first_row;
        return static_cast<int>(row < -FAR ? -FAR : row > FAR ? FAR : row);
    }
};

/* Masks of w · h weights, or of the w of a row and the h of a column after them. */
enum shape { WHOLE, SEPARABLE };

/* ---- on the host ---- */

inline void copy_weights(const prim_convolution_args *args, const prim_mask &mask, float *to)
{
    const size_t count = mask.width * mask.height;
    const weight_list<float> list = list_of<float>(args, mask.h_values, count);
    for (size_t k = 0; k < count; k++)
        to[k] = list[static_cast<int>(k)];
}

/* The images' layout; strips are cut later. */
inline strips make_strips(const prim_convolution_args *args, int span)
{
    const prim_image &in = args->in, &out = args->out;
    strips p = {};
    p.in = static_cast<const float *>(in.data);
    p.out = static_cast<float *>(out.data);
    p.in_step = in.pitch;
    p.out_step = out.pitch;
    p.line = static_cast<int64_t>(in.width);
    p.rows = static_cast<int64_t>(in.height);
    p.before_x = before_pixel(args, args->mask.width, args->mask.anchor_x);
    p.before_y = before_pixel(args, args->mask.height, args->mask.anchor_y);
    p.boundary = args->boundary;
    float fill[PRIM_CONVOLUTION_MOST_CHANNELS] = {};
    copy_fill(args, fill);
    p.fill = fill[0];
    p.across = static_cast<unsigned>(prim_divide_up(in.width, static_cast<size_t>(span)));
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
