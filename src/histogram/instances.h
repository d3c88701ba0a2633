/* What of histogram is built. Remove lines to build less: a call that needs what is gone returns
 * PRIM_ERROR_UNSUPPORTED. */
#ifndef PRIM_HISTOGRAM_INSTANCES_H
#define PRIM_HISTOGRAM_INSTANCES_H

/* sample_type, its C type */
#define PRIM_HISTOGRAM_TYPES(X) \
    X(CUDA_R_8U, uint8_t)       \
    X(CUDA_R_32I, int32_t)      \
    X(CUDA_R_32F, float)

#endif
