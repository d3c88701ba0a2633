/* What of convolution is built. Remove lines to build less: a call that needs what is gone returns
 * PRIM_ERROR_UNSUPPORTED. Compile time and size of the library follow the number of lines. */
#ifndef PRIM_CONVOLUTION_INSTANCES_H
#define PRIM_CONVOLUTION_INSTANCES_H

/* the type of an image's elements, the struct in pixel.cuh */
#define PRIM_CONVOLUTION_TYPES(X) \
    X(CUDA_R_32F, f32_pixel)      \
    X(CUDA_R_32I, i32_pixel)      \
    X(CUDA_R_8U, u8_pixel)

#endif
