/* What of the sparse products is built. Remove lines to build less: a call that needs a removed
 * line returns PRIM_ERROR_UNSUPPORTED. Compile time and size of the library grow with the number of
 * lines. */
#ifndef PRIM_SPARSE_INSTANCES_H
#define PRIM_SPARSE_INSTANCES_H

/* the textbook's rungs: the type of values, x and y, and its C type */
#define PRIM_SPARSE_TYPES(X) \
    X(CUDA_R_32F, float)     \
    X(CUDA_R_64F, double)

/* the others: the type of values, the type of x and y, and their C types */
#define PRIM_SPARSE_MIXED_TYPES(X)            \
    X(CUDA_R_32F, float, CUDA_R_32F, float)   \
    X(CUDA_R_64F, double, CUDA_R_64F, double) \
    X(CUDA_R_16F, f16, CUDA_R_16F, f16)       \
    X(CUDA_R_16F, f16, CUDA_R_32F, float)     \
    X(CUDA_R_16BF, bf16, CUDA_R_16BF, bf16)   \
    X(CUDA_R_16BF, bf16, CUDA_R_32F, float)

/* the type of values of a matrix that becomes dense, and its C type */
#define PRIM_SPARSE_DENSE_TYPES(X) \
    X(CUDA_R_32F, float)           \
    X(CUDA_R_64F, double)          \
    X(CUDA_R_16F, f16)             \
    X(CUDA_R_16BF, bf16)

/* the type of CSR's and SELL's offsets, and its C type */
#define PRIM_SPARSE_OFFSETS(X) \
    X(CUDA_R_32I, int32_t)     \
    X(CUDA_R_64I, int64_t)

#endif
