/* What of gemv is built. Remove lines to build less: a call that needs a removed line returns
 * PRIM_ERROR_UNSUPPORTED. Compile time and size of the library grow with the number of lines. */
#ifndef PRIM_GEMV_INSTANCES_H
#define PRIM_GEMV_INSTANCES_H

/* the type of A, x and y, and its C type: what the rungs up to SHUFFLE take */
#define PRIM_GEMV_TYPES(X) \
    X(CUDA_R_32F, float)   \
    X(CUDA_R_64F, double)

/* the types of A and x and of y: what WARP_PER_ROW, SPLIT and the host take */
#define PRIM_GEMV_PAIRS(X)                      \
    X(CUDA_R_32F, float, CUDA_R_32F, float)     \
    X(CUDA_R_64F, double, CUDA_R_64F, double)   \
    X(CUDA_R_32I, int32_t, CUDA_R_32I, int32_t) \
    X(CUDA_R_16F, f16, CUDA_R_16F, f16)         \
    X(CUDA_R_16F, f16, CUDA_R_32F, float)       \
    X(CUDA_R_16BF, bf16, CUDA_R_16BF, bf16)     \
    X(CUDA_R_16BF, bf16, CUDA_R_32F, float)     \
    X(CUDA_R_8I, int8_t, CUDA_R_32I, int32_t)

#endif
