/* A convolution as its kernels and the host see it. */
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

/* The mask is always walked forwards, so that all rungs add in one order; a turned one walks the
 * image backwards: step is 1 or -1. */
template <typename Pixel>
struct problem {
    using element = typename Pixel::element;
    using sum = typename Pixel::sum;

    image<const element> in;
    image<element> out;
    int64_t width, height;
    int mask_width, mask_height, anchor_x, anchor_y, step;
    const sum *weights;
    prim_boundary boundary;
    element fill[PRIM_CONVOLUTION_MOST_CHANNELS];

    /* Where the first weight lies for output (x, y). */
    __host__ __device__ int64_t first_x(int64_t x) const
    {
        return x - step * anchor_x;
    }
    __host__ __device__ int64_t first_y(int64_t y) const
    {
        return y - step * anchor_y;
    }
    /* The input's element, wherever it lies. */
    __host__ __device__ sum value(int64_t x, int64_t y, int channel) const
    {
        const int64_t from_x = stand_in(boundary, x, width);
        const int64_t from_y = stand_in(boundary, y, height);
        return from_x == FILL || from_y == FILL ? fill[channel] : *in.at(from_x, from_y, channel);
    }
};

template <typename Pixel>
problem<Pixel> make_problem(const prim_convolution_args *args)
{
    using element = typename Pixel::element;
    problem<Pixel> p = {};
    p.in = {static_cast<const element *>(args->in.data), args->in.pitch, args->in.channels};
    p.out = {static_cast<element *>(args->out.data), args->out.pitch, args->out.channels};
    p.width = static_cast<int64_t>(args->in.width);
    p.height = static_cast<int64_t>(args->in.height);
    p.mask_width = static_cast<int>(args->mask.width);
    p.mask_height = static_cast<int>(args->mask.height);
    p.anchor_x = static_cast<int>(args->mask.anchor_x);
    p.anchor_y = static_cast<int>(args->mask.anchor_y);
    p.step = (args->flags & PRIM_CONVOLUTION_FLIP) != 0 ? -1 : 1;
    p.weights = static_cast<const typename Pixel::sum *>(args->call.on_host ? args->mask.h_values
                                                                            : args->mask.d_values);
    p.boundary = args->boundary;
    if (args->boundary == PRIM_BOUNDARY_CONSTANT && args->fill != nullptr)
        for (int c = 0; c < args->in.channels && c < PRIM_CONVOLUTION_MOST_CHANNELS; c++)
            p.fill[c] = static_cast<const element *>(args->fill)[c];
    return p;
}

} // namespace

#endif
