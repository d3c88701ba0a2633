/* What of scan is built. Remove lines to build less: a call that needs what is gone returns
 * PRIM_ERROR_UNSUPPORTED. Compile time and size of the library follow the number of lines. */
#ifndef PRIM_SCAN_INSTANCES_H
#define PRIM_SCAN_INSTANCES_H

/* in_type, its C type, out_type, its C type */
#define PRIM_SCAN_TYPES(X)                      \
    X(CUDA_R_32I, int32_t, CUDA_R_32I, int32_t) \
    X(CUDA_R_32F, float, CUDA_R_32F, float)     \
    X(CUDA_R_64F, double, CUDA_R_64F, double)

/* operator, the struct in common/numeric.cuh */
#define PRIM_SCAN_OPERATORS(X)   \
    X(PRIM_OP_SUM, sum_operator) \
    X(PRIM_OP_MIN, min_operator) \
    X(PRIM_OP_MAX, max_operator)

#endif
