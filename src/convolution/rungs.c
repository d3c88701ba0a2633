/* convolution's rungs, upwards, and which of them AUTO takes. */
#include "common/host/device.h"
#include "convolution/convolution_args.h"

#define RUNGS(X)                 \
    X(convolution, basic)        \
    X(convolution, constant)     \
    X(convolution, tiled_halo)   \
    X(convolution, tiled_cached) \
    X(convolution, small)        \
    X(convolution, register)     \
    X(convolution, tensor)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_convolution_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* TENSOR takes tiles of 64 rows, of which images of few rows would leave most empty. And it has a
 * long beginning: up to so many elements of a multiprocessor REGISTER is faster, as measured on an
 * H200. REGISTER is slow under masks of more than 8 columns, and fast under the smallest. */
static bool is_for_tensor(const prim_convolution_args *args)
{
    const size_t least_rows = 32, least_bytes = 128, register_columns = 8, few_weights = 25;
    const size_t line = args->in.width * (size_t)args->in.channels;
    const size_t least = args->mask.width > register_columns                  ? 16000
                         : args->mask.width * args->mask.height < few_weights ? 80000
                                                                              : 40000;
    return args->in.height >= least_rows && line >= least_bytes &&
           line >= least * prim_device_multiprocessors() / args->in.height;
}

/* Whether REGISTER is faster than TENSOR for a square mask of i8, whose sums are small whatever the
 * weights. Images narrower than a tile leave most of it empty. And TENSOR loads rows that begin at
 * odd addresses through registers, so that under 3 × 3 REGISTER is faster. */
static bool is_for_register(const prim_convolution_args *args)
{
    const size_t side = args->mask.width, tile_bytes = 256, vector_bytes = 16;
    const int32_t most_divisor = 1 << 22;
    const bool has_short_rows = args->in.width * (size_t)args->in.channels <= tile_bytes;
    const bool is_odd = args->in.pitch % vector_bytes != 0 && args->in.channels % 2 == 1;
    if (args->mask.type != CUDA_R_8I || side != args->mask.height ||
        args->mask.divisor >= most_divisor || args->mask.divisor <= -most_divisor)
        return false;
    return has_short_rows ? side == 3 || side == 5 || side == 7 : is_odd && side == 3;
}

/* REGISTER takes every call. No size is known for which a rung other than SMALL or TENSOR is
 * faster. */
int prim_convolution_choose_rung(const void *any)
{
    const prim_convolution_args *args = any;
    if (prim_convolution_is_small(args))
        return PRIM_CONVOLUTION_SMALL;
    if (is_for_tensor(args) && !is_for_register(args) &&
        prim_convolution_tensor_rung.why_not(args) == NULL)
        return PRIM_CONVOLUTION_TENSOR;
    return prim_preferred_rung(prim_convolution_rungs, &prim_convolution_register_rung, args);
}
