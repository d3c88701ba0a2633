/* What of merge is built. Remove lines to build less: a call that needs what is gone returns
 * PRIM_ERROR_UNSUPPORTED. Compile time and size of the library follow the number of lines. */
#ifndef PRIM_MERGE_INSTANCES_H
#define PRIM_MERGE_INSTANCES_H

/* key_type, its C type */
#define PRIM_MERGE_TYPES(X) \
    X(CUDA_R_32I, int32_t)  \
    X(CUDA_R_32U, uint32_t) \
    X(CUDA_R_32F, float)    \
    X(CUDA_R_64F, double)

#endif
