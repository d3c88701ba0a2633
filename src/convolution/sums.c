/* The type of convolution's sums, and their divisor.
 *
 * A sum of integers over bytes is exact:
 *     |sum| <= 255 · 2^7 · weights      i8: of 255 × 255 weights too below 2^31
 *     |sum| <= 255 · 2^15 · weights     i16: of up to 257 weights below 2^31
 * and of a separable mask, whose weights are products of two, 255 · 2^14 or 255 · 2^30 times their
 * number. A sum of rows alone stays below 2^31 always. */
#include "convolution/convolution_args.h"

/* The largest masks whose sums all fit 32 bits. */
_Static_assert((INT64_C(255) << 7) * 255 * 255 <= INT32_MAX, "any mask of i8");
_Static_assert((INT64_C(255) << 15) * 257 <= INT32_MAX, "257 weights of i16");
_Static_assert((INT64_C(255) << 15) * 258 > INT32_MAX, "and no more");
_Static_assert((INT64_C(255) << 14) * 514 <= INT32_MAX, "514 products of i8");
_Static_assert((INT64_C(255) << 14) * 515 > INT32_MAX, "and no more");
_Static_assert((INT64_C(255) << 15) * 255 <= INT32_MAX, "a sum of a row");

bool prim_convolution_has_integers(const prim_convolution_args *args)
{
    return args->mask.type == CUDA_R_8I || args->mask.type == CUDA_R_16I;
}

/* The largest sum, which is below 2^63 for all masks. */
static uint64_t largest_sum(const prim_convolution_args *args)
{
    const uint64_t weight = args->mask.type == CUDA_R_8I ? 1 << 7 : 1 << 15;
    const uint64_t row = 255 * weight * args->mask.width;
    return args->kind == PRIM_CONVOLUTION_SEPARABLE ? row * weight * args->mask_y.height
                                                    : row * args->mask.height;
}

cudaDataType_t prim_convolution_sum_type(const prim_convolution_args *args)
{
    if (!prim_convolution_has_integers(args))
        return args->mask.type;
    return largest_sum(args) <= INT32_MAX ? CUDA_R_32I : CUDA_R_64I;
}

static int64_t divisor_of(const prim_mask *mask)
{
    return mask->divisor == 0 ? 1 : mask->divisor;
}

int64_t prim_convolution_divisor(const prim_convolution_args *args)
{
    return divisor_of(&args->mask) * divisor_of(&args->mask_y);
}
