/* REGISTER's launches: the arguments of its kernels, and which of them a call takes. */
#ifndef PRIM_CONVOLUTION_WINDOW_LAUNCH_CUH
#define PRIM_CONVOLUTION_WINDOW_LAUNCH_CUH

#include "common/host/device.h"
#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "convolution/instances.h"
#include "convolution/listed.cuh"
#include "convolution/window.cuh"

namespace
{
namespace window
{

/* Whether a row of a thread's outputs is whole vectors, in each of `rows` rows. */
template <typename Element>
bool stores_from_registers(const prim_image &out, size_t rows)
{
    const size_t bytes = sizeof(typename elements_of_row<Element>::part);
    return out.channels == 1 && lines_are_aligned(out.data, rows, out.pitch, bytes);
}

/* The range of sums is known of bytes, where the weights are few, and on the host. */
template <typename Pixel>
ending<Pixel> ending_of(const prim_convolution_args *args)
{
    if constexpr (std::is_same<ending<Pixel>, biased_ending>::value) {
        const int64_t by = prim_convolution_divisor(args);
        const bool is_of_bytes = std::is_same<typename Pixel::source, uint8_t>::value;
        if (is_of_bytes && prim_convolution_has_few_weights(args)) {
            const range_of_sums range = sums_of_bytes(args);
            return make_biased_ending(by, range.least, range.most);
        }
        return make_biased_ending(by, 0, INT32_MAX); /* a range that is too large to be quick */
    } else {
        return make_ending<Pixel>(args);
    }
}

/* Small images have one row a thread, for which there are kernels of f32 and wide ones: so there
 * are half as many of other types. */
template <typename Pixel>
constexpr bool HAS_SINGLE_ROWS = std::is_same<Pixel, f32_pixel>::value;

/* Whether whole masks have such a pixel; the two launches of a separable one have others too, which
 * always have several rows a thread. */
#define PRIM_SAME_PIXEL(in_value, out_value, sum_value, pixel_struct) \
    || std::is_same<Pixel, pixel_struct>::value
template <typename Pixel>
constexpr bool IS_WHOLE = false PRIM_CONVOLUTION_PAIRS(PRIM_SAME_PIXEL);
#undef PRIM_SAME_PIXEL

/* `rows`, `reach` and `weight_bytes`: see window_shape.h. */
template <typename Pixel>
task<Pixel> make_task(const prim_convolution_args *args, int rows, int reach, size_t weight_bytes)
{
    using source = typename Pixel::source;
    using element = typename Pixel::element;
    const prim_image &in = args->in, &out = args->out;
    const prim_mask &mask = args->mask;
    task<Pixel> p = {};
    p.in = static_cast<const source *>(in.data);
    p.out = static_cast<element *>(out.data);
    p.in_pitch = in.pitch;
    p.out_pitch = out.pitch;
    p.width = static_cast<int64_t>(in.width);
    p.height = static_cast<int64_t>(in.height);
    p.rows = p.height + args->writes_outer_row;
    p.has_outer_row = args->reads_outer_row;
    p.channels = in.channels;
    p.mask_width = static_cast<int>(mask.width);
    p.mask_height = static_cast<int>(mask.height);
    p.before_x = before_pixel(args, mask.width, mask.anchor_x);
    p.before_y = before_pixel(args, mask.height, mask.anchor_y);
    p.has_near_columns = in.width >= mask.width;
    p.has_near_rows = in.height >= mask.height;
    p.stores_from_registers = stores_from_registers<element>(out, static_cast<size_t>(p.rows));
    p.boundary = args->boundary;
    copy_fill(args, p.fill);
    p.end = ending_of<Pixel>(args);
    prim_window_call call = {};
    call.width = in.width;
    call.height = static_cast<size_t>(p.rows);
    call.mask_width = mask.width;
    call.mask_height = mask.height;
    call.channels = in.channels;
    call.source_bytes = static_cast<int>(sizeof(source));
    call.element_bytes = static_cast<int>(sizeof(element));
    call.rows = rows;
    call.has_single_rows = weight_bytes > 0 || HAS_SINGLE_ROWS<Pixel>;
    call.never_has_single_rows = !IS_WHOLE<Pixel>;
    call.reach = reach;
    call.weight_bytes = weight_bytes;
    call.stores_from_registers = p.stores_from_registers;
    call.multiprocessors = prim_device_multiprocessors();
    p.shape = prim_convolution_window_shape(&call);
    p.in_step = in.pitch * static_cast<size_t>(p.shape.copy_rows);
    return p;
}

/* A grid has a block for each tile; images of more tiles than that take several launches, each for
 * some rows of tiles. */
template <typename Pixel, typename Weights>
cudaError_t launch_tiles(const prim_convolution_args *args, task<Pixel> p, const Weights &w,
                         void (*kernel)(task<Pixel>, Weights))
{
    constexpr size_t MOST_DOWN = 65535; /* what a grid has */
    const prim_window_shape &shape = p.shape;
    const size_t across = prim_divide_up(args->in.width, static_cast<size_t>(shape.columns)),
                 down =
                     prim_divide_up(static_cast<size_t>(p.rows), static_cast<size_t>(shape.high));
    const unsigned threads = static_cast<unsigned>(p.channels) << shape.thread_bits;
    for (size_t first = 0; first < down; first += MOST_DOWN) {
        const size_t left = down - first, rows = left < MOST_DOWN ? left : MOST_DOWN;
        const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(rows));
        p.first_y = static_cast<int64_t>(first) * shape.high;
        const cudaError_t error =
            prim_launch({args->call.stream, grid, threads, static_cast<size_t>(shape.shared_bytes)},
                        kernel, p, w);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

/* The wide kernel takes high masks whose tiles do not fit shared memory, and what has no kernel of
 * single rows. */
template <typename Pixel, int WIDTH>
cudaError_t launch_width(const prim_convolution_args *args)
{
    constexpr int VECTORS = (WIDTH + COLUMNS - 1 + COLUMNS - 1) / COLUMNS;
    constexpr int MOST_ROWS = ROWS_UNDER<Pixel, WIDTH>;
    const task<Pixel> p = make_task<Pixel>(args, MOST_ROWS, VECTORS * COLUMNS, 0);
    weights<typename Pixel::sum> w = {};
    listed::copy_from_host(args, args->mask, w.values);
    if (p.shape.rows == MOST_ROWS)
        return launch_tiles(args, p, w, convolve<Pixel, WIDTH, MOST_ROWS>);
    if constexpr (HAS_SINGLE_ROWS<Pixel>)
        if (p.shape.rows == 1)
            return launch_tiles(args, p, w, convolve<Pixel, WIDTH, 1>);
    return prim_convolution_window_wide(args);
}

} // namespace window
} // namespace

/* A case for each width of a list. */
#define PRIM_WINDOW_CASE(pixel_struct, mask_width) \
    case mask_width:                               \
        return window::launch_width<pixel_struct, mask_width>(args);

#endif
