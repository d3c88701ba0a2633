/* REGISTER: each element that a thread reads serves many products.
 *
 *     tile   ┌───────────────┐    A block copies the input of its outputs into shared memory, with
 *            │ ┌─┬─┬─┬─┐     │    the halo. A thread has 4 x 4 outputs, whose sums are registers;
 *            │ ├─┼─┼─┼─┤     │    row by row of the mask it reads the elements of their windows
 *            │ ├─┼─┼─┼─┤     │    as vectors, each for up to 4 · 4 · w products, and each weight
 *            │ └─┴─┴─┴─┘     │    serves 16.
 *            └───────────────┘
 *
 * The mask's width is known when the kernel is compiled, up to 16 of f32 and 8 of other types, if
 * its weights are few and on the host: window.cuh. All other masks have a second kernel, which goes
 * along the mask's row in pieces: window_wide.cu. Both take every type, number of channels,
 * boundary and alignment: that is resolved where tiles are copied (window_tile.cuh) and outputs
 * stored (window_output.cuh). How large a tile is follows from the image: window_shape.c.
 *
 * Where another kernel is faster, it is taken: for small squares patches.cu, over aligned rows of
 * f32, and bytes.cuh; for thin images, where most of a tile would be empty, thin.cu. Separable
 * masks have walk.cuh and patches.cu where the sides are known when they are compiled (odd ones of
 * 3 to 15; f32, one channel, weights on the host), thin.cu for images of few rows, or the window
 * twice, along rows and then along columns.
 *
 * Only tiles at the image's sides apply the boundary.
 *
 * Work: w · h products an output; of separable masks w + h. Steps: as many. Bytes: out once, in
 * once and, out of L2, the halos of tiles.
 * Source: register tiling of Volkov and Demmel, Benchmarking GPUs to tune dense linear algebra, SC
 * 2008, over the tiles of TILED_HALO. */
#include "common/host/device.h"
#include "common/host/element.h"
#include "common/host/ladder.h"
#include "common/host/sizes.h"
#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"
#include "convolution/dispatch.cuh"
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

PRIM_IS_LISTED(is_width_of_f32, PRIM_CONVOLUTION_F32_WIDTHS, size_t)
PRIM_IS_LISTED(is_width, PRIM_CONVOLUTION_WIDTHS, size_t)
PRIM_IS_LISTED(is_compiled_side, PRIM_CONVOLUTION_SIDES, size_t)

/* A mask that walk.cuh takes if it is separable, and patches.cu if it is small; the image is no
 * smaller. In narrower images a strip has more lanes than a row has work for. */
bool has_strips(const prim_convolution_args *args)
{
    const size_t most_columns = 0x7fffffff; /* of an image that is not folded */
    const size_t least_columns = 33;        /* of 128 */
    const prim_mask &mask = args->mask, &column = is_separable(args) ? args->mask_y : args->mask;
    const prim_image &in = args->in;
    return in.type == CUDA_R_32F && args->out.type == CUDA_R_32F && in.channels == 1 &&
           mask.h_values != nullptr && column.h_values != nullptr && column.height == mask.width &&
           is_compiled_side(mask.width) && in.width >= mask.width && in.height >= mask.width &&
           in.width <= most_columns && in.width >= least_columns;
}

/* Large images of which most of a tile would be empty, so that window.cuh's work is what takes
 * time; of small ones the beginning and the end are, which it has shorter. As measured on an
 * H200. */
bool is_thin(const prim_convolution_args *args)
{
    constexpr size_t MANY = 512, VERY_MANY = 8192; /* pixels for each multiprocessor */
    constexpr size_t FEW_COLUMNS = 4, COLUMNS = 12, ROWS = 3;
    const size_t multiprocessors = prim_device_multiprocessors();
    const prim_image &in = args->in;
    const auto has = [&](size_t pixels) {
        return in.width >= prim_divide_up(pixels * multiprocessors, in.height);
    };
    return (in.width <= FEW_COLUMNS && has(MANY)) || (in.width <= COLUMNS && has(VERY_MANY)) ||
           (in.height <= ROWS && has(in.type == CUDA_R_32F ? 4 * VERY_MANY : VERY_MANY));
}

/* Bytes under a square from the host, over an image of enough strips of bytes.cuh: with fewer the
 * window is faster, under 5 × 5 up to four times the size. As measured on an H200. */
bool is_square_over_bytes(const prim_convolution_args *args)
{
    const prim_mask &mask = args->mask;
    const prim_image &in = args->in;
    const size_t least_elements = 1024, most_elements = 0x7fffffff - 1024; /* of a line */
    const size_t least_rows = 5;
    const size_t enough = (mask.width <= 3 ? 16000 : 64000) * prim_device_multiprocessors();
    return line_of(args) >= least_elements && line_of(args) >= enough / in.height &&
           in.height >= least_rows && in.type == CUDA_R_8U && args->out.type == CUDA_R_8U &&
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
    if (args->in.width == 0 || args->in.height == 0)
        return 0;
    if (is_separable(args))
        return has_strips(args) || prim_convolution_has_thin(args) ? 0 : sum_bytes(args);
    return copies_weights(args) ? prim_convolution_weight_words(&args->mask) * sizeof(uint32_t) : 0;
}

/* Blocks of 4 warps for a strip each, of 8 rows at least: the least that a launch may have. */
const char *why_not(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    enum { LEAST_COLUMNS = 128, LEAST_ROWS = 8 };
    if (!dispatch_pair<is_built>(args))
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

/* A thin image has no row of fills after it. */
cudaError_t launch_part(const prim_convolution_args *args)
{
    const bool has_outer_row = args->writes_outer_row || args->reads_outer_row;
    return !has_outer_row && is_thin(args) && prim_convolution_has_thin(args)
               ? prim_convolution_thin(args)
               : launch_window(args);
}

/* Where row sums are elements too, either part is a whole mask. */
cudaError_t launch_two_windows(const prim_convolution_args *args)
{
    const prim_image &in = args->in;
    const bool has_integers = prim_convolution_has_integers(args);
    const size_t sum = has_integers ? sizeof(int32_t) : prim_element_bytes(args->mask.type);
    prim_convolution_args across = *args, down = *args;
    across.mask_y = down.mask_y = {};
    across.out.data = args->call.workspace;
    across.out.pitch = line_of(args) * sum;
    across.writes_outer_row = down.reads_outer_row = args->boundary == PRIM_BOUNDARY_CONSTANT;
    down.in.data = across.out.data;
    down.in.pitch = across.out.pitch;
    down.mask = args->mask_y;
    down.mask.divisor = static_cast<int32_t>(prim_convolution_divisor(args));
    down.fill = nullptr; /* of another type, and in the outer row already */
    if (has_integers || in.type != args->out.type || prim_element_bytes(in.type) < sum)
        return prim_convolution_two_passes(args, &across, &down);
    const cudaError_t error = launch_part(&across);
    return error != cudaSuccess ? error : launch_part(&down);
}

cudaError_t launch_patches(const prim_convolution_args *args)
{
    return prim_convolution_patches(args)(args);
}

/* ---- routes ---- */

struct route {
    const char *name;
    cudaError_t (*launch)(const prim_convolution_args *args);
};

const route WINDOW = {"window", launch_window};
const route THIN = {"thin", prim_convolution_thin};
const route PATCHES = {"patches", launch_patches};
const route BYTES = {"bytes", prim_convolution_bytes};
const route BYTE_INTEGERS = {"byte_integers", prim_convolution_byte_integers};
const route STRIPS = {"strips", prim_convolution_separable};
const route LOW_SEPARABLE = {"low_separable", prim_convolution_thin};
const route TWO_WINDOWS = {"two_windows", launch_two_windows};

/* The only place that chooses. */
const route &route_of(const prim_convolution_args *args)
{
    const bool walks = has_strips(args);
    if (walks && prim_convolution_patches(args) != nullptr)
        return PATCHES;
    if (is_separable(args))
        return walks ? STRIPS : prim_convolution_has_thin(args) ? LOW_SEPARABLE : TWO_WINDOWS;
    return has_bytes(args)                                    ? BYTES
           : has_byte_integers(args)                          ? BYTE_INTEGERS
           : is_thin(args) && prim_convolution_has_thin(args) ? THIN
                                                              : WINDOW;
}

cudaError_t launch_with_copy(const prim_convolution_args *args)
{
    prim_convolution_args copied = *args;
    const cudaError_t error = prim_convolution_put_weights(args, args->call.workspace);
    copied.mask.h_values = nullptr;
    copied.mask.d_values = args->call.workspace;
    return error != cudaSuccess ? error : route_of(&copied).launch(&copied);
}

cudaError_t launch(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    if (args->in.width == 0 || args->in.height == 0)
        return cudaSuccess;
    return !is_separable(args) && copies_weights(args) ? launch_with_copy(args)
                                                       : route_of(args).launch(args);
}

} // namespace registers
} // namespace

const char *prim_convolution_register_route(const prim_convolution_args *args)
{
    const bool is_empty = args->in.width == 0 || args->in.height == 0;
    return is_empty ? nullptr : registers::route_of(args).name;
}

bool prim_convolution_walks(const prim_convolution_args *args)
{
    using namespace registers;
    return has_strips(args) && (is_separable(args) || prim_convolution_patches(args) != nullptr);
}

PRIM_DEFINE_RUNG(convolution, register) = {
    {PRIM_CONVOLUTION_REGISTER, "register", "a window of sums in registers slides down the rows"},
    registers::why_not,
    registers::workspace_bytes,
    registers::launch};
