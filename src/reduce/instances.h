/* What of reduce is built. To build less, remove lines, or name variants to leave out: a call that
 * needs one of these returns PRIM_ERROR_UNSUPPORTED. Compile time and size of the library grow with
 * what is built. */
#ifndef PRIM_REDUCE_INSTANCES_H
#define PRIM_REDUCE_INSTANCES_H

/* kinds of call: prim_reduce(), prim_reduce_rows(), …_columns(), …_segments(), prim_arg_reduce(),
 * prim_dot() */
#define PRIM_REDUCE_KINDS(X) \
    X(PRIM_REDUCE_VECTOR)    \
    X(PRIM_REDUCE_ROWS)      \
    X(PRIM_REDUCE_COLUMNS)   \
    X(PRIM_REDUCE_SEGMENTS)  \
    X(PRIM_REDUCE_ARG)       \
    X(PRIM_REDUCE_DOT)

/* Variants that are left out: none. To build less, name them here:
 *
 *     #define PRIM_REDUCE_LEFT_OUT(X) X(PRIM_REDUCE_INTERLEAVED) X(PRIM_REDUCE_SEQUENTIAL)
 *
 * AUTO takes the fastest of those that stay; only VECTORIZED and SINGLE_PASS have the bits of the
 * CPU's version in sums and products of floats. Columns, segments, extreme elements and dot
 * products have VECTORIZED alone. */
#define PRIM_REDUCE_LEFT_OUT(X)

/* in_type, its C type, out_type, its C type */
#define PRIM_REDUCE_INTEGER_TYPES(X)              \
    X(CUDA_R_8I, int8_t, CUDA_R_8I, int8_t)       \
    X(CUDA_R_8U, uint8_t, CUDA_R_8U, uint8_t)     \
    X(CUDA_R_16I, int16_t, CUDA_R_16I, int16_t)   \
    X(CUDA_R_16U, uint16_t, CUDA_R_16U, uint16_t) \
    X(CUDA_R_32I, int32_t, CUDA_R_32I, int32_t)   \
    X(CUDA_R_32U, uint32_t, CUDA_R_32U, uint32_t) \
    X(CUDA_R_64I, int64_t, CUDA_R_64I, int64_t)   \
    X(CUDA_R_64U, uint64_t, CUDA_R_64U, uint64_t) \
    X(CUDA_R_8U, uint8_t, CUDA_R_32U, uint32_t)   \
    X(CUDA_R_8U, uint8_t, CUDA_R_64U, uint64_t)   \
    X(CUDA_R_32I, int32_t, CUDA_R_64I, int64_t)

#define PRIM_REDUCE_FLOAT_TYPES(X)            \
    X(CUDA_R_16F, f16, CUDA_R_16F, f16)       \
    X(CUDA_R_16BF, bf16, CUDA_R_16BF, bf16)   \
    X(CUDA_R_32F, float, CUDA_R_32F, float)   \
    X(CUDA_R_64F, double, CUDA_R_64F, double) \
    X(CUDA_R_16F, f16, CUDA_R_32F, float)     \
    X(CUDA_R_16BF, bf16, CUDA_R_32F, float)   \
    X(CUDA_R_32F, float, CUDA_R_64F, double)

/* operator, the struct in common/math/numeric.cuh */
#define PRIM_REDUCE_OPERATORS(X)         \
    X(PRIM_OP_SUM, sum_operator)         \
    X(PRIM_OP_PRODUCT, product_operator) \
    X(PRIM_OP_MIN, min_operator)         \
    X(PRIM_OP_MAX, max_operator)

/* Of integers only. */
#define PRIM_REDUCE_BIT_OPERATORS(X) \
    X(PRIM_OP_AND, and_operator)     \
    X(PRIM_OP_OR, or_operator)       \
    X(PRIM_OP_XOR, xor_operator)

/* The pairs that the rungs up to SHUFFLE have, where they are among the above. */
#define PRIM_REDUCE_TEXTBOOK_TYPES(X)           \
    X(CUDA_R_32I, int32_t, CUDA_R_32I, int32_t) \
    X(CUDA_R_32F, float, CUDA_R_32F, float)     \
    X(CUDA_R_64F, double, CUDA_R_64F, double)   \
    X(CUDA_R_8U, uint8_t, CUDA_R_64U, uint64_t)

#define PRIM_REDUCE_TEXTBOOK_OPERATORS(X) \
    X(PRIM_OP_SUM, sum_operator)          \
    X(PRIM_OP_MIN, min_operator)          \
    X(PRIM_OP_MAX, max_operator)

#endif
