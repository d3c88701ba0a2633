/* gemm: the product of two matrices. */
#ifndef PRIMITIVES_GEMM_H
#define PRIMITIVES_GEMM_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/gemm/README.md draws them. The values are pinned. */
typedef enum prim_gemm_variant {
    PRIM_GEMM_AUTO = 0,          /* the fastest rung that supports the call */
    PRIM_GEMM_ROW_PER_BLOCK = 1, /* a block for each row of C, its threads side by side */
    PRIM_GEMM_SHARED_ROW = 2,    /* the same, with A's row in shared memory */
    PRIM_GEMM_NAIVE = 3,         /* a thread for each element of C, in square blocks */
    PRIM_GEMM_TILED_16 = 4,      /* 16 × 16 tiles of A and B in shared memory */
    PRIM_GEMM_TILED_32 = 5       /* 32 × 32 tiles */
} prim_gemm_variant;

/* In what products are computed and summed. */
typedef enum prim_compute {
    PRIM_COMPUTE_DEFAULT = 0 /* in C's own type */
} prim_compute;

/* C = alpha · op_a(A) · op_b(B) + beta · C, row-major; op_a(A) is m × k, op_b(B) k × n, C m × n.
 *
 *   op_a, op_b  whether A and B are taken as they are or transposed.
 *   m, n, k    any numbers. Without elements in C nothing is written. With k = 0 or alpha = 0 A
 *              and B are not read, and 0 stands for their product.
 *   alpha, beta  used in the compute type. beta = 0: C is not read, so that NaN in it does not
 *              matter. For i32 both must be whole numbers of less than 2^63.
 *   d_a        device, row-major with lda elements from row to row: m rows of k, or with
 *              PRIM_TRANSPOSED k rows of m. May be NULL if there are none.
 *   d_b        device, likewise: k rows of n, or n rows of k. A and B may overlap.
 *   d_c        device, m rows of n, ldc elements from row to row; what lies between the rows is
 *              neither read nor written. Must overlap neither A nor B: matrices of one leading
 *              dimension are compared as rectangles, others as ranges of bytes.
 *   lda, ldb, ldc  at least the columns of what they belong to.
 *   compute    PRIM_COMPUTE_DEFAULT.
 *
 * Types (A, B and C of one type): CUDA_R_32F, CUDA_R_64F, CUDA_R_32I. Pointers need the alignment
 * of their element.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         op_a, op_b or compute does not exist
 *   PRIM_ERROR_TYPE         the types do not exist, or do not go together
 *   PRIM_ERROR_VALUE        a leading dimension is too small; i32, and alpha or beta is no whole
 *                           number of less than 2^63
 *   PRIM_ERROR_OVERLAP      C overlaps A or B
 *
 * Determinism: each rung gives the same bits in every run on one device. An element of C is one sum
 * over k from front to back in all rungs that exist, so its relative error grows with k times the
 * sum of the products' magnitudes. i32 wraps. NaN and infinities go through as in IEEE arithmetic.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * chapters 3 and 5. */
PRIM_API prim_status prim_gemm(prim_gemm_variant variant, prim_transpose op_a, prim_transpose op_b,
                               size_t m, size_t n, size_t k, double alpha, cudaDataType_t a_type,
                               const void *d_a, size_t lda, cudaDataType_t b_type, const void *d_b,
                               size_t ldb, double beta, cudaDataType_t c_type, void *d_c,
                               size_t ldc, prim_compute compute, void *d_workspace,
                               size_t workspace_bytes, cudaStream_t stream);

/* The workspace of prim_gemm(). */
PRIM_API prim_status prim_gemm_workspace_bytes(prim_gemm_variant variant, prim_transpose op_a,
                                               prim_transpose op_b, size_t m, size_t n, size_t k,
                                               cudaDataType_t a_type, cudaDataType_t b_type,
                                               cudaDataType_t c_type, prim_compute compute,
                                               size_t *bytes);

/* Would prim_gemm() run here? */
PRIM_API bool prim_gemm_supports(prim_gemm_variant variant, prim_transpose op_a,
                                 prim_transpose op_b, size_t m, size_t n, size_t k,
                                 cudaDataType_t a_type, cudaDataType_t b_type,
                                 cudaDataType_t c_type, prim_compute compute);

/* What AUTO takes for prim_gemm(). */
PRIM_API prim_gemm_variant prim_gemm_choose(prim_transpose op_a, prim_transpose op_b, size_t m,
                                            size_t n, size_t k, cudaDataType_t a_type,
                                            cudaDataType_t b_type, cudaDataType_t c_type,
                                            prim_compute compute);

/* prim_gemm() on the CPU, in host memory, done when the call returns.
 *
 *   threads    1: one thread. n > 1: that many OpenMP threads, each for whole rows of C; the result
 *              does not depend on it.
 *
 * Returns PRIM_OK, PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED, _SIZE, _OVERLAP, PRIM_ERROR_VALUE
 * (also: threads is not 1 to 1024), or PRIM_ERROR_UNSUPPORTED (threads > 1 in a library built
 * without OpenMP, or types that were trimmed from src/gemm/instances.h). */
PRIM_API prim_status prim_gemm_host(prim_transpose op_a, prim_transpose op_b, size_t m, size_t n,
                                    size_t k, double alpha, cudaDataType_t a_type, const void *h_a,
                                    size_t lda, cudaDataType_t b_type, const void *h_b, size_t ldb,
                                    double beta, cudaDataType_t c_type, void *h_c, size_t ldc,
                                    prim_compute compute, int threads);

/* The variants: PRIM_GEMM_AUTO at index 0, then up the ladder; NULL behind the last. */
PRIM_API const prim_variant *prim_gemm_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_gemm_variant_info(prim_gemm_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
