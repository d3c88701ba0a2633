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

/* Whether walk.cuh, or a thread with fewer outputs, would take longer. Patches take longer at the
 * image's sides, under 7 x 7 twice as long, and more so with many outputs. Where all blocks run
 * at a time, latency counts, and patches have less. */
bool suits(const prim_convolution_args *args, int side, int rows)
{
    constexpr size_t BLOCKS = 6; /* of a multiprocessor at a time */
    const size_t least = rows > 4 ? 64 : side == 3 ? 4 : side == 5 ? 5 : 16; /* strips across */
    const size_t across = prim_divide_up(args->in.width, SPAN);
    const size_t blocks =
        across * prim_divide_up(args->in.height, static_cast<size_t>(rows) * WARPS);
    const bool run_at_a_time =
        blocks <= BLOCKS * static_cast<size_t>(prim_device_multiprocessors());
    return rows > 4 ? across >= least && !run_at_a_time : across >= least || run_at_a_time;
}

using launch_function = cudaError_t (*)(const prim_convolution_args *);

/* NULL: no kernel takes it. */
launch_function launch_of(const prim_convolution_args *args)
{
    const prim_mask &mask = args->mask;
    const size_t width = args->in.width;
    if (mask.height != mask.width || width % COLUMNS != 0 || width < 2 * COLUMNS ||
        !lies_in_vectors(args->in) || !lies_in_vectors(args->out))
        return nullptr;
    const int of_mask = before_pixel(args, mask.width, mask.anchor_x);
#define PRIM_ROW(side, before, rows)                                        \
    if (mask.width == side && of_mask == before && suits(args, side, rows)) \
        return launch<side, before, rows>;
    PRIM_CONVOLUTION_PATCHES(PRIM_ROW)
#undef PRIM_ROW
    return nullptr;
}

} // namespace patch
} // namespace

bool prim_convolution_has_patches(const prim_convolution_args *args)
{
    return patch::launch_of(args) != nullptr;
}

cudaError_t prim_convolution_patches(const prim_convolution_args *args)
{
    return patch::launch_of(args)(args);
}
