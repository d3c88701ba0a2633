/* What of gemm is built. Remove lines to build less: a call that needs a removed line returns
 * PRIM_ERROR_UNSUPPORTED. Compile time and size of the library grow with the number of lines. */
#ifndef PRIM_GEMM_INSTANCES_H
#define PRIM_GEMM_INSTANCES_H

/* the type of A, B and C, and its C type */
#define PRIM_GEMM_TYPES(X) \
    X(CUDA_R_32I, int32_t) \
    X(CUDA_R_32F, float)   \
    X(CUDA_R_64F, double)

/* narrow types, with the types of C that they go together with, in WARP_TILED and SPLIT_K */
#define PRIM_GEMM_NARROW_TYPES(X)           \
    X(CUDA_R_16F, f16, CUDA_R_16F, f16)     \
    X(CUDA_R_16F, f16, CUDA_R_32F, float)   \
    X(CUDA_R_16BF, bf16, CUDA_R_16BF, bf16) \
    X(CUDA_R_16BF, bf16, CUDA_R_32F, float) \
    X(CUDA_R_8I, int8_t, CUDA_R_32I, int32_t)

#endif
