/* What of the sparse products is built. Remove lines to build less: a call that needs what is gone
 * returns PRIM_ERROR_UNSUPPORTED. Compile time and size of the library follow the number of lines.
 */
#ifndef PRIM_SPARSE_INSTANCES_H
#define PRIM_SPARSE_INSTANCES_H

/* the type of values, x and y, and its C type */
#define PRIM_SPARSE_TYPES(X) \
    X(CUDA_R_32F, float)     \
    X(CUDA_R_64F, double)

/* the type of CSR's offsets, and its C type */
#define PRIM_SPARSE_OFFSETS(X) \
    X(CUDA_R_32I, int32_t)     \
    X(CUDA_R_64I, int64_t)

#endif
