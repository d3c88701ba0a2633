/* What of histogram is built. Remove lines to build less: a call that needs a removed line returns
 * PRIM_ERROR_UNSUPPORTED. */
#ifndef PRIM_HISTOGRAM_INSTANCES_H
#define PRIM_HISTOGRAM_INSTANCES_H

/* sample_type, and the C type of its bits: kernels branch on the sign of integers, so that one
 * kernel serves signed and unsigned ones. */
#define PRIM_HISTOGRAM_TYPES(X) \
    X(CUDA_R_8I, uint8_t)       \
    X(CUDA_R_8U, uint8_t)       \
    X(CUDA_R_16I, uint16_t)     \
    X(CUDA_R_16U, uint16_t)     \
    X(CUDA_R_32I, uint32_t)     \
    X(CUDA_R_32U, uint32_t)     \
    X(CUDA_R_64I, uint64_t)     \
    X(CUDA_R_64U, uint64_t)     \
    X(CUDA_R_16F, f16)          \
    X(CUDA_R_16BF, bf16)        \
    X(CUDA_R_32F, float)        \
    X(CUDA_R_64F, double)

/* The types that the rungs up to PRIVATIZED have, where they are among the above. */
#define PRIM_HISTOGRAM_TEXTBOOK_TYPES(X) \
    X(CUDA_R_8U, uint8_t)                \
    X(CUDA_R_32I, uint32_t)              \
    X(CUDA_R_32F, float)

#endif
