/* What of binary gemm is built. Remove lines to build less: a call that needs a removed line
 * returns PRIM_ERROR_UNSUPPORTED. Compile time and size of the library grow with the lines. */
#ifndef PRIM_BINARY_GEMM_INSTANCES_H
#define PRIM_BINARY_GEMM_INSTANCES_H

/* the type of C, and its C type */
#define PRIM_BINARY_GEMM_TYPES(X) \
    X(CUDA_R_32I, int32_t)        \
    X(CUDA_R_32F, float)

/* packing and unpacking: the type of the elements, and its C type */
#define PRIM_BINARY_PACK_TYPES(X) \
    X(CUDA_R_8I, int8_t)          \
    X(CUDA_R_32I, int32_t)        \
    X(CUDA_R_16F, f16)            \
    X(CUDA_R_32F, float)

#endif
