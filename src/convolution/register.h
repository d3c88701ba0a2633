/* REGISTER's launches, each with kernels of its own; register.cu says which masks they take. */
#ifndef PRIM_CONVOLUTION_REGISTER_H
#define PRIM_CONVOLUTION_REGISTER_H

#include <cuda_runtime_api.h>

#include "convolution/convolution_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Host masks of more weights go through the workspace. */
enum { PRIM_CONVOLUTION_FEW_WEIGHTS = 256 };

/* Whether a call's weights are on the host, and few enough to be a launch's arguments. */
static inline bool prim_convolution_has_few_weights(const prim_convolution_args *args)
{
    const prim_mask *const mask = &args->mask;
    return mask->h_values != NULL && mask->width * mask->height <= PRIM_CONVOLUTION_FEW_WEIGHTS;
}

/* Masks of a width from instances.h with few weights, of f32, and of other types but with long
 * sums. */
cudaError_t prim_convolution_window_f32(const prim_convolution_args *args);
cudaError_t prim_convolution_window_types(const prim_convolution_args *args);

/* Any mask: few weights, or all on the device. */
cudaError_t prim_convolution_window_wide(const prim_convolution_args *args);

/* Masks whose sides are known at compile time: of one channel of f32, from host memory, no larger
 * than the image. */
cudaError_t prim_convolution_square(const prim_convolution_args *args);
cudaError_t prim_convolution_row(const prim_convolution_args *args);
cudaError_t prim_convolution_separable(const prim_convolution_args *args);

/* The launch of small squares of these, whole or separable, over aligned rows; NULL where another
 * is faster. */
typedef cudaError_t (*prim_convolution_launch)(const prim_convolution_args *args);
prim_convolution_launch prim_convolution_patches(const prim_convolution_args *args);

/* Whether subnormal floats hold all products and sums of u8 → u8. Reads the weights on the host. */
bool prim_convolution_has_tiny_sums(const prim_convolution_args *args);

/* Squares over u8 → u8 of 1, 3 or 4 channels, with tiny sums. */
cudaError_t prim_convolution_bytes(const prim_convolution_args *args);

/* The same with masks of integers, where the first one returns true; it reads the weights. */
bool prim_convolution_has_byte_integers(const prim_convolution_args *args);
cudaError_t prim_convolution_byte_integers(const prim_convolution_args *args);

/* Squares of a side from instances.h over any channels, with masks from the host that are not
 * integers over bytes. */
cudaError_t prim_convolution_sliding(const prim_convolution_args *args);

/* Squares of a side from instances.h over narrow and low images of f32, or of u8 → u8 with tiny
 * sums; the weights are on the host. */
cudaError_t prim_convolution_thin_square(const prim_convolution_args *args);

/* Whether the image is narrow for any.cuh: it has fewer columns than a warp's places. */
bool prim_convolution_is_narrow(const prim_convolution_args *args);

/* Any mask over thin images: few weights on the host, or all on the device. */
cudaError_t prim_convolution_any(const prim_convolution_args *args);

/* A separable mask over an image of few rows, in one launch, where the first one returns true. */
bool prim_convolution_has_low_separable(const prim_convolution_args *args);
cudaError_t prim_convolution_low_separable(const prim_convolution_args *args);

/* A separable mask as two masks, one launch behind the other, with all sums of rows between them in
 * the workspace. */
cudaError_t prim_convolution_two_passes(const prim_convolution_args *args);

/* How many words of 4 bytes hold a mask's weights. */
size_t prim_convolution_weight_words(const prim_mask *mask);

/* Copies weights from the host, as launches' arguments, into device memory, by words. */
cudaError_t prim_convolution_put_weights(const prim_convolution_args *args, void *d_values);

/* Are its kernels built for the types? */
bool prim_convolution_any_is_built(const prim_convolution_args *args);

#if defined(__cplusplus)
}
#endif

#endif
