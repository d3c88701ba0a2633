/* REGISTER's launches, each with kernels of its own; register.cu says which masks they take. */
#ifndef PRIM_CONVOLUTION_REGISTER_H
#define PRIM_CONVOLUTION_REGISTER_H

#include <cuda_runtime_api.h>

#include "convolution/convolution_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* The name of the way that REGISTER takes a call, unless its weights are such that it cannot. */
const char *prim_convolution_register_route(const prim_convolution_args *args);

/* Whether it goes down strips or patches of f32, which are fast for small images too. */
bool prim_convolution_walks(const prim_convolution_args *args);

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

/* Any mask over thin images, and separable ones over those of few rows, in one launch: where the
 * first one returns true. Few weights on the host, or all on the device. */
bool prim_convolution_has_thin(const prim_convolution_args *args);
cudaError_t prim_convolution_thin(const prim_convolution_args *args);

/* Squares over u8 → u8, where subnormal floats hold all products and sums: the first one reads the
 * weights, on the host. Of a call that is only asked it cannot, and supposes that they do. */
bool prim_convolution_has_tiny_sums(const prim_convolution_args *args);
cudaError_t prim_convolution_bytes(const prim_convolution_args *args);

/* The same with masks of integers. */
bool prim_convolution_has_byte_integers(const prim_convolution_args *args);
cudaError_t prim_convolution_byte_integers(const prim_convolution_args *args);

/* ---- separable masks ---- */

/* Those whose side is from instances.h: of one channel of f32, from host memory, no larger than the
 * image. */
cudaError_t prim_convolution_separable(const prim_convolution_args *args);

/* The launch of small ones of these, or of such squares, over aligned rows; NULL where another is
 * faster. */
typedef cudaError_t (*prim_convolution_launch)(const prim_convolution_args *args);
prim_convolution_launch prim_convolution_patches(const prim_convolution_args *args);

/* As two masks, one launch after the other: `args` says the types, and `across` and `down` what
 * either launch reads and writes. */
cudaError_t prim_convolution_two_passes(const prim_convolution_args *args,
                                        const prim_convolution_args *across,
                                        const prim_convolution_args *down);

/* ---- all masks ---- */

/* How many words of 4 bytes hold a mask's weights. */
size_t prim_convolution_weight_words(const prim_mask *mask);

/* Copies weights from the host, as launches' arguments, into device memory, by words. */
cudaError_t prim_convolution_put_weights(const prim_convolution_args *args, void *d_values);

#if defined(__cplusplus)
}
#endif

#endif
