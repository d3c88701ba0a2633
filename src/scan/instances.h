/* What of scan is built. To build less, remove lines, or name variants to leave out: a call that
 * needs one of these returns PRIM_ERROR_UNSUPPORTED. Compile time and size of the library grow with
 * what is built. Summed-area tables of i8, i16, u8, u16, f16 or bf16 into the same need i32, u32 or
 * f32 as well: their aggregates have these types. */
#ifndef PRIM_SCAN_INSTANCES_H
#define PRIM_SCAN_INSTANCES_H

/* kinds of call: prim_scan(), prim_scan_rows() of more than one row, prim_scan_2d(), which needs
 * the rows too */
#define PRIM_SCAN_KINDS(X) \
    X(PRIM_SCAN_VECTOR)    \
    X(PRIM_SCAN_ROWS)      \
    X(PRIM_SCAN_TABLE)

/* Variants that are left out: none. To build less, name them here:
 *
 *     #define PRIM_SCAN_LEFT_OUT(X) X(PRIM_SCAN_KOGGE_STONE) X(PRIM_SCAN_CHAINED)
 *
 * AUTO takes the fastest of those that stay. Where the order decides about bits, in sums and
 * products of floats, REDUCE_THEN_SCAN, CHAINED and CLUSTER have those of the CPU's version.
 * Summed-area tables need REDUCE_THEN_SCAN or a textbook variant; CHAINED has their sums alone. */
#define PRIM_SCAN_LEFT_OUT(X)

/* in_type, its C type, out_type, its C type */
#define PRIM_SCAN_INTEGER_TYPES(X)                \
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

#define PRIM_SCAN_FLOAT_TYPES(X)              \
    X(CUDA_R_16F, f16, CUDA_R_16F, f16)       \
    X(CUDA_R_16BF, bf16, CUDA_R_16BF, bf16)   \
    X(CUDA_R_32F, float, CUDA_R_32F, float)   \
    X(CUDA_R_64F, double, CUDA_R_64F, double) \
    X(CUDA_R_16F, f16, CUDA_R_32F, float)     \
    X(CUDA_R_16BF, bf16, CUDA_R_32F, float)   \
    X(CUDA_R_32F, float, CUDA_R_64F, double)

/* operator, the struct in common/math/numeric.cuh */
#define PRIM_SCAN_OPERATORS(X)           \
    X(PRIM_OP_SUM, sum_operator)         \
    X(PRIM_OP_PRODUCT, product_operator) \
    X(PRIM_OP_MIN, min_operator)         \
    X(PRIM_OP_MAX, max_operator)

/* The pairs that the rungs up to SHUFFLE have, where they are among the above. */
#define PRIM_SCAN_TEXTBOOK_TYPES(X)             \
    X(CUDA_R_32I, int32_t, CUDA_R_32I, int32_t) \
    X(CUDA_R_32F, float, CUDA_R_32F, float)     \
    X(CUDA_R_64F, double, CUDA_R_64F, double)

#define PRIM_SCAN_TEXTBOOK_OPERATORS(X) \
    X(PRIM_OP_SUM, sum_operator)        \
    X(PRIM_OP_MIN, min_operator)        \
    X(PRIM_OP_MAX, max_operator)

#endif
