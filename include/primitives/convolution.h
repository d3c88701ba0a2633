/* Convolution: every element becomes a weighted sum of its neighbours. */
#ifndef PRIMITIVES_CONVOLUTION_H
#define PRIMITIVES_CONVOLUTION_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/convolution/README.md draws them. The values never change. */
typedef enum prim_convolution_variant {
    PRIM_CONVOLUTION_AUTO = 0,         /* as a rule the fastest rung that does it */
    PRIM_CONVOLUTION_BASIC = 1,        /* a thread for each output, all from global memory */
    PRIM_CONVOLUTION_CONSTANT = 2,     /* the same, and the mask travels as a kernel argument */
    PRIM_CONVOLUTION_TILED_HALO = 3,   /* an input tile with its halo in shared memory */
    PRIM_CONVOLUTION_TILED_CACHED = 4, /* a tile as large as its outputs, halo through the cache */
    PRIM_CONVOLUTION_REGISTER = 5,     /* a window of sums in registers slides down the rows */
    PRIM_CONVOLUTION_TENSOR = 6,       /* integers as products with band matrices; tensor cores */
    PRIM_CONVOLUTION_SMALL = 7         /* small tiles with their halo, and one loop for all masks */
} prim_convolution_variant;

/* What pixels outside the image are, for a row  a b c d. */
typedef enum prim_boundary {
    PRIM_BOUNDARY_CONSTANT = 0,    /* f f f | a b c d | f f f   f: the fill, 0 if none is given */
    PRIM_BOUNDARY_CLAMP = 1,       /* a a a | a b c d | d d d */
    PRIM_BOUNDARY_REFLECT = 2,     /* c b a | a b c d | d c b */
    PRIM_BOUNDARY_REFLECT_101 = 3, /* d c b | a b c d | c b a   an image of one: always a */
    PRIM_BOUNDARY_WRAP = 4         /* b c d | a b c d | a b c */
} prim_boundary;

/* Flags. Without it, the mask lies over the image as it is: correlation, as in image libraries.
 * With it, the mask is rotated by 180 degrees: convolution in the mathematical sense. */
enum { PRIM_CONVOLUTION_FLIP = 1 };

/* The weights, row by row without gaps, the same for each channel. */
typedef struct prim_mask {
    const void *h_values; /* host: what CONSTANT, SMALL and TENSOR need; read during the call */
    const void *d_values; /* device: what BASIC and TILED_… need; read as the call's work runs.
                           * AUTO and REGISTER take either: where there are both, h_values up
                           * to 256 weights, which is fastest, and d_values beyond */
    size_t width, height; /* 1 to 255; even ones too */
    size_t anchor_x, anchor_y; /* the element that lies over the pixel: less than width, height.
                                * Left out of a plain struct, it lies at 0, 0 */
    cudaDataType_t type;
    int32_t divisor; /* of i8 and i16 over bytes: what sums are divided by, negative too; 0 counts
                      * as 1. Other masks have none: 0 or 1 */
} prim_mask;

/* One whose anchor is its centre, (width / 2, height / 2), and whose divisor is 0. Either pointer
 * may be NULL, as above. */
static inline prim_mask prim_mask_of(cudaDataType_t type, const void *h_values,
                                     const void *d_values, size_t width, size_t height)
{
    prim_mask mask = {h_values, d_values, width, height, width / 2, height / 2, type, 0};
    return mask;
}

/* Without a flag      out(x, y) = Σ mask(i, j) · in(x + i - anchor_x, y + j - anchor_y)
 * PRIM_CONVOLUTION_FLIP  out(x, y) = Σ mask(i, j) · in(x - i + anchor_x, y - j + anchor_y)
 *
 *   flags      0 or PRIM_CONVOLUTION_FLIP.
 *   boundary   what in(x, y) is outside the image; an image may be smaller than the mask.
 *   h_fill     host, one element for each channel, for PRIM_BOUNDARY_CONSTANT; read during the
 *              call. NULL: zeros. Not looked at otherwise.
 *   in         device. in.data may be NULL if the image is empty.
 *   mask       see above; at least one of its pointers is not NULL. So it must be where the call
 *              is only asked, otherwise PRIM_ERROR_NULL: which variants run depends on which of the
 *              two is given. The weights themselves are not read then.
 *   out        device, of in's width, height and channels; the bytes between its rows are not
 *              written. Its bytes from first to last must overlap neither in's nor mask.d_values.
 *
 * Types (in → out, mask, sum):
 *   CUDA_R_32F → CUDA_R_32F, mask CUDA_R_32F, f32
 *   CUDA_R_64F → CUDA_R_64F, mask CUDA_R_64F, f64
 *   CUDA_R_16F → CUDA_R_16F, mask CUDA_R_32F, f32; rounded to nearest, ties to even
 *   CUDA_R_8U  → CUDA_R_8U,  mask CUDA_R_32F, f32; rounded to nearest, ties to even, and saturated
 *                                             to 0 … 255 (NaN gives 0)
 *   CUDA_R_8U  → CUDA_R_8U,  mask CUDA_R_8I or CUDA_R_16I, integers; see below
 *   CUDA_R_16U → CUDA_R_16U, mask CUDA_R_32F, f32; the same to 0 … 65535
 *   CUDA_R_8U  → CUDA_R_32F, mask CUDA_R_32F, f32; as it is
 *   CUDA_R_32I → CUDA_R_32I, mask CUDA_R_32I, i32, wrapping
 *   CUDA_R_32U → CUDA_R_32U, mask CUDA_R_32U, u32, wrapping
 *
 * Integers over bytes: the sum is exact, whatever the weights and the pixels are: in 32 bits where
 * it always fits (any mask of i8; i16 of up to 257 weights) and otherwise in 64.
 *     out(x, y) = sum / mask.divisor, rounded to nearest, ties to even, and saturated to 0 … 255
 * of the true quotient: the same bytes on every GPU and on the host. A shift by n bits is the
 * divisor 1 << n.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         boundary does not exist
 *   PRIM_ERROR_TYPE         the types do not exist, or cannot be combined
 *   PRIM_ERROR_VALUE        flags has unknown bits; channels is not 1 to 4; a pitch is less than a
 *                           row or not a multiple of the element; the images differ in width,
 *                           height or channels; the mask's sides are not 1 to 255; its anchor is
 *                           not in it; its divisor is neither 0 nor 1, and its type neither i8 nor
 *                           i16
 *   PRIM_ERROR_OVERLAP      out overlaps in or the mask
 *   PRIM_ERROR_UNSUPPORTED  the variant does not do this here: CONSTANT without h_values or with
 *                           more than 8,000 of them, BASIC and TILED_… without d_values, TILED_HALO
 *                           with a side of more than 15, all of these with types other than f32,
 *                           i32, u32 and u8 → u8 with a mask of f32; SMALL without h_values, with
 *                           more than 256 of them, or with a side of the image of more than 2^29;
 *                           TENSOR without h_values, with a side of more than 15, with masks that
 *                           are not integers, with rows of nearly 2^31 bytes, or below compute
 *                           capability 8.0; AUTO and REGISTER take every image of up to 2^34 - 9
 *                           rows
 *
 * Workspace: for REGISTER and masks of more than 256 weights that are on the host only, room for
 * these; otherwise none.
 *
 * Determinism: each rung adds an output's products in one order, row by row of the image under the
 * mask: the same bits in every run on one device, and the rungs agree. The error of f32, relative
 * to the sum of the products' magnitudes, grows with the number of weights.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * chapter 7. */
PRIM_API prim_status prim_convolve_2d(prim_convolution_variant variant, unsigned flags,
                                      prim_boundary boundary, const void *h_fill, prim_image in,
                                      prim_mask mask, prim_image out, const prim_call *call);

/* The same with a separable mask, the product of a column and a row, mask(i, j) = mask_x(i) ·
 * mask_y(j): w + h products for each output instead of w · h.
 *
 *     row(x, y) = Σ mask_x(i) · in(x + i - anchor_x, y)
 *     out(x, y) = Σ mask_y(j) · row(x, y + j - anchor_y)
 *
 * and flipped with PRIM_CONVOLUTION_FLIP, as above. The boundary applies to in; rows outside the
 * image are computed from what it gives. The sums row(x, y) have the type of sums and are not
 * rounded in between.
 *
 *   mask_x     as above; height 1 and anchor_y 0, otherwise PRIM_ERROR_VALUE.
 *   mask_y     as above, of mask_x's type; width 1 and anchor_x 0, otherwise PRIM_ERROR_VALUE.
 *
 * Integers over bytes: sums of rows are exact and not divided; only the sum of the column is
 * divided, by mask_x.divisor · mask_y.divisor, which must fit int32_t, otherwise PRIM_ERROR_VALUE.
 * That sum is exact too: i8 with w · h up to 514 has 32 bits, everything else 64.
 *
 * Everything else as for prim_convolve_2d(); out must overlap neither mask. Variants: AUTO and
 * REGISTER, and SMALL where both masks are on the host and have no more than 16 weights; the others
 * return PRIM_ERROR_UNSUPPORTED. The workspace holds the sums of rows; none is needed by SMALL, for
 * f32 of one channel where both masks are on the host and have the same odd number of 3
 * to 15 weights, and no side of the image is shorter than these; and none for most images of up to
 * 8 rows. */
PRIM_API prim_status prim_convolve_separable(prim_convolution_variant variant, unsigned flags,
                                             prim_boundary boundary, const void *h_fill,
                                             prim_image in, prim_mask mask_x, prim_mask mask_y,
                                             prim_image out, const prim_call *call);

/* The same for a vector: an image of one row, one channel and any width.
 *
 *   type       of d_in and d_out, the same for both: u8 → f32 is for images only.
 *   h_fill     host, one element.
 *   d_in, d_out  device, count elements each. May be NULL if count is 0.
 *   mask       height 1 and anchor_y 0, otherwise PRIM_ERROR_VALUE.
 *
 * Everything else as for prim_convolve_2d(). */
PRIM_API prim_status prim_convolve_1d(prim_convolution_variant variant, unsigned flags,
                                      prim_boundary boundary, const void *h_fill,
                                      cudaDataType_t type, const void *d_in, size_t count,
                                      prim_mask mask, void *d_out, const prim_call *call);

/* The same on the CPU, in host memory, done when the calls return; of the mask, h_values is read.
 *
 *   threads    1: one thread. n > 1: that many OpenMP threads, each for whole rows (a vector: for
 *              its part); the result does not depend on it.
 *
 * Return what the calls above do, except for variants, workspaces and CUDA; PRIM_ERROR_NULL where
 * mask.h_values is NULL, PRIM_ERROR_VALUE also for threads that are not 1 to 1024,
 * PRIM_ERROR_UNSUPPORTED for threads > 1 in a library built without OpenMP and for a type that was
 * trimmed from src/convolution/instances.h. */
PRIM_API prim_status prim_convolve_2d_host(unsigned flags, prim_boundary boundary,
                                           const void *h_fill, prim_image in, prim_mask mask,
                                           prim_image out, int threads);
PRIM_API prim_status prim_convolve_separable_host(unsigned flags, prim_boundary boundary,
                                                  const void *h_fill, prim_image in,
                                                  prim_mask mask_x, prim_mask mask_y,
                                                  prim_image out, int threads);
PRIM_API prim_status prim_convolve_1d_host(unsigned flags, prim_boundary boundary,
                                           const void *h_fill, cudaDataType_t type,
                                           const void *h_in, size_t count, prim_mask mask,
                                           void *h_out, int threads);

/* The variants: PRIM_CONVOLUTION_AUTO at index 0, then up the ladder; NULL after the last. */
PRIM_API const prim_variant *prim_convolution_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_convolution_variant_info(prim_convolution_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
