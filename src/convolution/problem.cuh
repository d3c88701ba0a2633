/* The arguments of a convolution for kernels and the host. */
#ifndef PRIM_CONVOLUTION_PROBLEM_CUH
#define PRIM_CONVOLUTION_PROBLEM_CUH

#include "convolution/boundary.cuh"
#include "convolution/convolution_args.h"
#include "convolution/pixel.cuh"

namespace
{

/* Rows of interleaved elements, `pitch` bytes apart. */
template <typename T>
struct image {
    T *data;
    size_t pitch;
    int channels;

    __host__ __device__ T *at(int64_t x, int64_t y, int channel) const
    {
        using byte = typename std::conditional<std::is_const<T>::value, const char, char>::type;
        byte *const row = reinterpret_cast<byte *>(data) + static_cast<size_t>(y) * pitch;
        return reinterpret_cast<T *>(row) + x * channels + channel;
    }
};

/* The weights of a mask in the order of the window's elements: a flipped mask begins with its last
 * weight. */
template <typename Sum, bool = IS_OF_INTEGERS<Sum>>
struct weight_list {
    const Sum *first;
    int step; /* 1 or -1 */

    __host__ __device__ Sum operator[](int k) const
    {
        return first[k * step];
    }
};

/* Masks of i8 and i16: one kernel serves both. */
template <typename Sum>
struct weight_list<Sum, true> {
    const void *first;
    int step;
    bool is_wide;

    __host__ __device__ Sum operator[](int k) const
    {
        return is_wide ? static_cast<const int16_t *>(first)[k * step]
                       : static_cast<const int8_t *>(first)[k * step];
    }
};

inline bool is_flipped(const prim_convolution_args *args)
{
    return (args->flags & PRIM_CONVOLUTION_FLIP) != 0;
}

/* Elements of a side before the pixel itself. */
inline int before_pixel(const prim_convolution_args *args, size_t side, size_t anchor)
{
    return static_cast<int>(is_flipped(args) ? side - 1 - anchor : anchor);
}

template <typename Sum>
weight_list<Sum> list_of(const prim_convolution_args *args, const void *values, size_t count)
{
    if constexpr (IS_OF_INTEGERS<Sum>) {
        const bool is_wide = args->mask.type == CUDA_R_16I;
        const char *const first = static_cast<const char *>(values);
        const size_t to_last = (count - 1) * (is_wide ? sizeof(int16_t) : sizeof(int8_t));
        if (is_flipped(args))
            return {first == nullptr ? first : first + to_last, -1, is_wide};
        return {first, 1, is_wide};
    } else {
        const Sum *const first = static_cast<const Sum *>(values);
        if (is_flipped(args))
            return {first == nullptr ? first : first + (count - 1), -1};
        return {first, 1};
    }
}

template <typename Pixel>
typename Pixel::ending make_ending(const prim_convolution_args *args)
{
    if constexpr (Pixel::IS_DIVIDED) {
        const int32_t by = static_cast<int32_t>(prim_convolution_divisor(args));
        return {by, static_cast<float>(1.0 / by)};
    } else {
        (void)args;
        return {};
    }
}

template <typename Pixel>
struct problem {
    using source = typename Pixel::source;
    using element = typename Pixel::element;
    using sum = typename Pixel::sum;

    image<const source> in;
    image<element> out;
    int64_t width, height;
    int mask_width, mask_height, before_x, before_y; /* the mask's elements before the pixel's */
    weight_list<sum> weights;
    prim_boundary boundary;
    source fill[PRIM_CONVOLUTION_MOST_CHANNELS];
    typename Pixel::ending ending;

    /* The input's element, inside of the image or not. */
    __host__ __device__ sum value(int64_t x, int64_t y, int channel) const
    {
        const int64_t from_x = stand_in(boundary, x, width);
        const int64_t from_y = stand_in(boundary, y, height);
        return Pixel::loaded(from_x == FILL || from_y == FILL ? fill[channel]
                                                              : *in.at(from_x, from_y, channel));
    }
};

template <typename T>
void copy_fill(const prim_convolution_args *args, T (&fill)[PRIM_CONVOLUTION_MOST_CHANNELS])
{
    if (args->boundary == PRIM_BOUNDARY_CONSTANT && args->fill != nullptr)
        for (int c = 0; c < args->in.channels && c < PRIM_CONVOLUTION_MOST_CHANNELS; c++)
            fill[c] = static_cast<const T *>(args->fill)[c];
}

template <typename Pixel>
problem<Pixel> make_problem(const prim_convolution_args *args)
{
    using sum = typename Pixel::sum;
    const prim_mask &mask = args->mask;
    problem<Pixel> p = {};
    p.in = {static_cast<const typename Pixel::source *>(args->in.data), args->in.pitch,
            args->in.channels};
    p.out = {static_cast<typename Pixel::element *>(args->out.data), args->out.pitch,
             args->out.channels};
    p.width = static_cast<int64_t>(args->in.width);
    p.height = static_cast<int64_t>(args->in.height);
    p.mask_width = static_cast<int>(mask.width);
    p.mask_height = static_cast<int>(mask.height);
    p.before_x = before_pixel(args, mask.width, mask.anchor_x);
    p.before_y = before_pixel(args, mask.height, mask.anchor_y);
    p.weights = list_of<sum>(args, args->call.on_host ? mask.h_values : mask.d_values,
                             mask.width * mask.height);
    p.boundary = args->boundary;
    copy_fill(args, p.fill);
    p.ending = make_ending<Pixel>(args);
    return p;
}

/* A mask of integers on the host. */
inline weight_list<int32_t> integers_of(const prim_convolution_args *args)
{
    return list_of<int32_t>(args, args->mask.h_values, args->mask.width * args->mask.height);
}

/* The least and the largest that its sums of bytes can be. */
struct range_of_sums {
    int64_t least, most;
};

inline range_of_sums sums_of_bytes(const prim_convolution_args *args)
{
    const weight_list<int32_t> list = integers_of(args);
    range_of_sums range = {0, 0};
    for (size_t k = 0; k < args->mask.width * args->mask.height; k++) {
        const int64_t weight = list[static_cast<int>(k)];
        (weight < 0 ? range.least : range.most) += 255 * weight;
    }
    return range;
}

/* For launch bounds. Below 9.0 code needs more registers, so there are fewer blocks: that many
 * twelfths of those on 9.0. */
constexpr int blocks_here(int blocks, [[maybe_unused]] int twelfths_below_9 = 9)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    return blocks * twelfths_below_9 / 12;
#else
    return blocks;
#endif
}

} // namespace

#endif
