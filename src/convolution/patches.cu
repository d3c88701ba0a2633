/* REGISTER's kernels for small squares over aligned images of f32: see patch.cuh. */
#include "convolution/instances.h"
#include "convolution/patch.cuh"
#include "convolution/register.h"

namespace
{
namespace patch
{

bool lies_in_vectors(const prim_image &image)
{
    return bytes_past_vector(image.data) == 0 && image.pitch % VECTOR_BYTES == 0;
}

/* Strips across that an image has at least: patches take longer at its sides, and more so with many
 * outputs, or under 7 x 7. */
size_t least_strips(shape of_mask, int side, int rows)
{
    if (rows > 4)
        return of_mask == WHOLE ? 64 : 4;
    return side == 3 ? 4 : side == 5 ? 5 : 16;
}

/* Whether neither walk.cuh nor a thread with fewer outputs would be faster. Where all blocks run at
 * a time, latency counts, of which patches of few rows have less. */
bool suits(const prim_convolution_args *args, shape of_mask, int side, int rows)
{
    constexpr size_t BLOCKS = 6; /* of a multiprocessor at a time */
    const size_t across = prim_divide_up(args->in.width, SPAN);
    const size_t blocks =
        across * prim_divide_up(args->in.height, static_cast<size_t>(rows) * WARPS);
    const bool is_wide = across >= least_strips(of_mask, side, rows);
    const bool run_at_a_time =
        blocks <= BLOCKS * static_cast<size_t>(prim_device_multiprocessors());
    return rows > 4 ? is_wide && !run_at_a_time : is_wide || run_at_a_time;
}

} // namespace patch
} // namespace

prim_convolution_launch prim_convolution_patches(const prim_convolution_args *args)
{
    using namespace patch;
    const prim_mask &mask = args->mask;
    const size_t width = args->in.width;
    const bool is_separable = args->mask_y.height > 0;
    if ((is_separable ? args->mask_y : mask).height != mask.width || width % COLUMNS != 0 ||
        width < 2 * COLUMNS || !lies_in_vectors(args->in) || !lies_in_vectors(args->out))
        return nullptr;
    const shape of_mask = is_separable ? SEPARABLE : WHOLE;
    const int before_pixels = before_pixel(args, mask.width, mask.anchor_x);
#define PRIM_ROW(shape, side, before, rows)                                  \
    if (of_mask == shape && mask.width == side && before_pixels == before && \
        suits(args, shape, side, rows))                                      \
        return launch<shape, side, before, rows>;
    PRIM_CONVOLUTION_PATCHES(PRIM_ROW)
#undef PRIM_ROW
    return nullptr;
}
