/* What of convolution is built. Remove lines to build less: a call that needs a removed line
 * returns PRIM_ERROR_UNSUPPORTED. Compile time and size of the library grow with the lines. */
#ifndef PRIM_CONVOLUTION_INSTANCES_H
#define PRIM_CONVOLUTION_INSTANCES_H

/* The textbook's rungs: the type of an image's elements, in and out, and the struct in pixel.cuh.
 * One kernel serves both signs. */
#define PRIM_CONVOLUTION_TYPES(X) \
    X(CUDA_R_32F, f32_pixel)      \
    X(CUDA_R_32I, word_pixel)     \
    X(CUDA_R_32U, word_pixel)     \
    X(CUDA_R_8U, u8_pixel)

/* REGISTER and the host: the types of in, out and sums, and the struct. Sums of i32 and i64 over u8
 * are those of masks of i8 and i16; src/convolution/sums.c says which. */
#define PRIM_CONVOLUTION_PAIRS(X)                         \
    X(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, f32_pixel)      \
    X(CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, f64_pixel)      \
    X(CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, f16_pixel)      \
    X(CUDA_R_8U, CUDA_R_8U, CUDA_R_32F, u8_pixel)         \
    X(CUDA_R_8U, CUDA_R_8U, CUDA_R_32I, u8_i32_pixel)     \
    X(CUDA_R_8U, CUDA_R_8U, CUDA_R_64I, u8_i64_pixel)     \
    X(CUDA_R_8U, CUDA_R_32F, CUDA_R_32F, u8_to_f32_pixel) \
    X(CUDA_R_16U, CUDA_R_16U, CUDA_R_32F, u16_pixel)      \
    X(CUDA_R_32I, CUDA_R_32I, CUDA_R_32I, word_pixel)     \
    X(CUDA_R_32U, CUDA_R_32U, CUDA_R_32U, word_pixel)

/* The widths of masks that REGISTER has as template arguments: of f32, and of the other types. All
 * other widths have a kernel of their own. */
#define PRIM_CONVOLUTION_F32_WIDTHS(X) \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)
#define PRIM_CONVOLUTION_WIDTHS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)

/* The sides of separable masks that it has as template arguments, for f32. */
#define PRIM_CONVOLUTION_SIDES(X) X(3) X(5) X(7) X(9) X(11) X(13) X(15)

/* The squares, whole or separable, that it has over aligned images of f32 too: their sides, how
 * many elements of a window's row lie before its output, and the outputs of a thread, down. Of two
 * numbers of outputs, large images take the first one. */
#define PRIM_CONVOLUTION_PATCHES(X) \
    X(WHOLE, 3, 1, 3)               \
    X(WHOLE, 5, 2, 8)               \
    X(WHOLE, 5, 2, 4)               \
    X(WHOLE, 7, 3, 8)               \
    X(WHOLE, 7, 3, 4)               \
    X(SEPARABLE, 3, 1, 3)           \
    X(SEPARABLE, 5, 2, 4)           \
    X(SEPARABLE, 7, 3, 8)

/* The sides of squares that it has for u8 → u8, and the channels. */
#define PRIM_CONVOLUTION_BYTES(X) X(3, 3) X(3, 4) X(5, 3) X(5, 4)

/* The same for squares of integers, whose sums are divided by no power of two: with one, they are
 * those above. */
#define PRIM_CONVOLUTION_DIVIDED_BYTES(X) X(3, 3) X(5, 3)

#endif
