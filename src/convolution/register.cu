/* REGISTER: each element that a thread reads serves many products.
 *
 *     out   ┌─┬─┬─┬─┐        A thread has several outputs, one below the other and side by side,
 *           │ │ │ │ │        with their sums in registers: a row of the input is read once for
 *           ├─┼─┼─┼─┤        all of them, each element for up to w · h products. Rows come through
 *           │ │ │ │ │        shared memory, some ahead of those that are summed, and each warp has
 *           └─┴─┴─┴─┘        rows of its own, so that none waits for another.
 *
 * Where the mask's sides are known when it is compiled (odd squares of 3 to 15, as whole or
 * separable masks, and rows of 3 to 15 weights; f32, one channel, weights on the host), a thread
 * walks down 4 columns with a window that slides: walk.cuh; and down 16 of bytes: bytes.cuh. Where
 * rows are aligned, under squares of 3 to 7, it reads all that its outputs need at once: patch.cuh.
 * Squares of 3 to 7 over all types and channels have a window over columns a warp apart:
 * sliding.cuh.
 * All other masks have one kernel, whose tile is planar by channel and aligned, so that its speed
 * does not hang on a list: 4 x 4 outputs of a thread, with the mask's width known when it is
 * compiled and weights as arguments (window.cuh), or along the mask's row in pieces
 * (window_wide.cuh). How large a tile is follows from the image: window_shape.c.
 *
 * Over thin images most of such a tile would be empty. There threads are anywhere in a run of rows
 * or columns: narrow.cuh, low.cuh; thin.cuh and any.cuh for masks known at the call alone.
 * Separable masks of other sides take two passes of these.
 *
 * Only rows and columns at the image's sides apply the boundary.
 *
 * Work: w · h products an output; of separable masks w + h. Steps: as many. Bytes: out once, in
 * once and, out of L2, what strips that meet both need.
 * Source: the sliding window is that of Chen, Wahib, Takizawa, Takano and Matsuoka, A versatile
 * software systolic execution model for GPU memory-bound kernels, SC 2019, through shared memory in
 * place of shuffles. */
#include "common/host/element.h"
#include "common/host/ladder.h"
#include "common/host/sizes.h"
#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"
#include "convolution/instances.h"
#include "convolution/register.h"

namespace
{
namespace registers
{

bool is_separable(const prim_convolution_args *args)
{
    return args->mask_y.height > 0;
}

size_t weight_count(const prim_mask &mask)
{
    return mask.width * mask.height;
}

size_t line_of(const prim_convolution_args *args)
{
    return args->in.width * static_cast<size_t>(args->in.channels);
}

PRIM_IS_LISTED(is_compiled_side, PRIM_CONVOLUTION_SIDES, size_t)

/* walk.cuh takes it, and the image is no smaller than the mask. */
bool is_walked(const prim_convolution_args *args)
{
    const size_t MOST_COLUMNS = 0x7fffffff; /* of an image that is not folded */
    const prim_mask &mask = args->mask, &mask_y = args->mask_y;
    const prim_image &in = args->in;
    const size_t rows = is_separable(args) ? mask_y.height : mask.height;
    if (in.type != CUDA_R_32F || args->out.type != CUDA_R_32F || in.channels != 1 ||
        mask.h_values == nullptr || !is_compiled_side(mask.width) || in.width < mask.width ||
        in.height < rows || (in.height > 1 && in.width > MOST_COLUMNS))
        return false;
    if (is_separable(args))
        return rows == mask.width && mask_y.h_values != nullptr;
    return rows == 1 || rows == mask.width;
}

/* Whether rows are too short for strips, or too few for a sliding window. */
bool is_thin(const prim_convolution_args *args)
{
    enum { MOST_LINE = 256, STRIP = 128 }; /* of a block, and what a strip of walk.cuh has */
    const size_t line = line_of(args), strips = prim_divide_up(line, STRIP);
    if (line > MOST_LINE)
        return args->in.height < args->mask.height;
    return !is_walked(args) || 4 * line <= 3 * strips * STRIP; /* others fill their strips */
}

/* narrow.cuh and low.cuh take it with a mask that is known at compile time. */
bool has_thin_square(const prim_convolution_args *args)
{
    const prim_mask &mask = args->mask;
    const bool is_f32 = args->in.type == CUDA_R_32F && args->out.type == CUDA_R_32F;
    const bool is_u8 = args->in.type == CUDA_R_8U && args->out.type == CUDA_R_8U;
    if (is_separable(args) || (!is_f32 && !is_u8) || mask.h_values == nullptr ||
        mask.width != mask.height || !is_thin(args))
        return false;
#define PRIM_SIDE(side)     \
    if (mask.width == side) \
        return is_f32 || prim_convolution_has_tiny_sums(args);
    PRIM_CONVOLUTION_THIN_SIDES(PRIM_SIDE)
#undef PRIM_SIDE
    return false;
}

/* A strip has more lanes than a row has work for, and there is any.cu's way for narrow images. */
bool is_too_narrow_for_strips(const prim_convolution_args *args)
{
    const size_t least_columns = 33; /* of 128 */
    return prim_convolution_is_narrow(args) && args->in.width < least_columns;
}

bool has_strips(const prim_convolution_args *args)
{
    return is_walked(args) && !is_too_narrow_for_strips(args);
}

/* Bytes under a square from the host, no wider than the image. */
bool is_square_over_bytes(const prim_convolution_args *args)
{
    const prim_mask &mask = args->mask;
    const prim_image &in = args->in;
    const size_t most_elements = 0x7fffffff - 1024; /* of a line */
    return !is_separable(args) && in.type == CUDA_R_8U && args->out.type == CUDA_R_8U &&
           mask.h_values != nullptr && mask.width == mask.height && in.width >= mask.width &&
           line_of(args) <= most_elements;
}

bool has_bytes(const prim_convolution_args *args)
{
    if (prim_convolution_has_integers(args) || !is_square_over_bytes(args))
        return false;
#define PRIM_ROW(side, channel_count)                                   \
    if (args->mask.width == side && args->in.channels == channel_count) \
        return prim_convolution_has_tiny_sums(args);
    PRIM_CONVOLUTION_BYTES(PRIM_ROW)
#undef PRIM_ROW
    return false;
}

bool has_byte_integers(const prim_convolution_args *args)
{
    return prim_convolution_has_integers(args) && is_square_over_bytes(args) &&
           prim_convolution_has_byte_integers(args);
}

/* sliding.cuh takes it, and the image is neither narrow nor lower than the mask. */
bool slides(const prim_convolution_args *args)
{
    const size_t most_elements = 0x7fffffff - 1024; /* of a line */
    const prim_mask &mask = args->mask;
    if (is_separable(args) || prim_convolution_has_integers(args) || mask.h_values == nullptr ||
        mask.width != mask.height || prim_convolution_is_narrow(args) ||
        args->in.height < mask.height || line_of(args) > most_elements)
        return false;
#define PRIM_SIDE(side)     \
    if (mask.width == side) \
        return true;
    PRIM_CONVOLUTION_SLIDING_SIDES(PRIM_SIDE)
#undef PRIM_SIDE
    return false;
}

/* Images of fewer columns or rows leave most of a tile of the window empty. */
bool has_window(const prim_convolution_args *args)
{
    enum { LEAST_COLUMNS = 33, LEAST_ROWS = 5 };
    return !is_separable(args) && args->in.width >= LEAST_COLUMNS && args->in.height >= LEAST_ROWS;
}

PRIM_IS_LISTED(is_width_of_f32, PRIM_CONVOLUTION_F32_WIDTHS, size_t)
PRIM_IS_LISTED(is_width, PRIM_CONVOLUTION_WIDTHS, size_t)

/* The sums between two passes: with a row more, for rows outside of the image. */
size_t sum_bytes(const prim_convolution_args *args)
{
    const size_t bytes =
        prim_convolution_has_integers(args) ? sizeof(int32_t) : prim_element_bytes(args->mask.type);
    return (args->in.height + 1) * args->in.width * static_cast<size_t>(args->in.channels) * bytes;
}

bool copies_weights(const prim_convolution_args *args)
{
    return args->mask.d_values == nullptr &&
           weight_count(args->mask) > PRIM_CONVOLUTION_FEW_WEIGHTS;
}

size_t workspace_bytes(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    if (args->in.width == 0 || args->in.height == 0 || has_strips(args))
        return 0;
    if (is_separable(args))
        return prim_convolution_has_low_separable(args) ? 0 : sum_bytes(args);
    return copies_weights(args) ? prim_convolution_weight_words(&args->mask) * sizeof(uint32_t) : 0;
}

/* Blocks of 4 warps for a strip each, of 8 rows at least: the least that a launch may have. */
const char *why_not(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    enum { LEAST_COLUMNS = 128, LEAST_ROWS = 8 };
    if (!prim_convolution_any_is_built(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(prim_divide_up(args->in.height, LEAST_ROWS),
                            prim_divide_up(line_of(args), LEAST_COLUMNS))
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

cudaError_t launch_window(const prim_convolution_args *args)
{
    const bool is_f32 = args->in.type == CUDA_R_32F;
    if (!prim_convolution_has_few_weights(args))
        return prim_convolution_window_wide(args);
    if (is_f32 && is_width_of_f32(args->mask.width))
        return prim_convolution_window_f32(args);
    const bool has_long_sums = prim_convolution_sum_type(args) == CUDA_R_64I;
    return !is_f32 && !has_long_sums && is_width(args->mask.width)
               ? prim_convolution_window_types(args)
               : prim_convolution_window_wide(args);
}

/* Any mask. */
cudaError_t launch_any(const prim_convolution_args *args)
{
    return has_window(args) ? launch_window(args) : prim_convolution_any(args);
}

cudaError_t launch_with_copy(const prim_convolution_args *args)
{
    prim_convolution_args copied = *args;
    const cudaError_t error = prim_convolution_put_weights(args, args->call.workspace);
    copied.mask.h_values = nullptr;
    copied.mask.d_values = args->call.workspace;
    return error != cudaSuccess ? error : launch_any(&copied);
}

cudaError_t launch(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    if (args->in.width == 0 || args->in.height == 0)
        return cudaSuccess;
    if (is_separable(args) && !has_strips(args))
        return prim_convolution_has_low_separable(args) ? prim_convolution_low_separable(args)
                                                        : prim_convolution_two_passes(args);
    if (has_thin_square(args))
        return prim_convolution_thin_square(args);
    if (has_strips(args)) {
        const prim_convolution_launch patches = prim_convolution_patches(args);
        return patches != nullptr       ? patches(args)
               : is_separable(args)     ? prim_convolution_separable(args)
               : args->mask.height == 1 ? prim_convolution_row(args)
                                        : prim_convolution_square(args);
    }
    if (has_bytes(args))
        return prim_convolution_bytes(args);
    if (has_byte_integers(args))
        return prim_convolution_byte_integers(args);
    if (slides(args))
        return prim_convolution_sliding(args);
    return copies_weights(args) ? launch_with_copy(args) : launch_any(args);
}

} // namespace registers
} // namespace

PRIM_DEFINE_RUNG(convolution, register) = {
    {PRIM_CONVOLUTION_REGISTER, "register", "a window of sums in registers slides down the rows"},
    registers::why_not,
    registers::workspace_bytes,
    registers::launch};
