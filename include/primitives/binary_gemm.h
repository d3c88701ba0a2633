/* Binary gemm: the product of two matrices whose elements are +1 or -1, 32 of them in a word. */
#ifndef PRIMITIVES_BINARY_GEMM_H
#define PRIMITIVES_BINARY_GEMM_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/binary_gemm/README.md draws them. The values never change. */
typedef enum prim_binary_gemm_variant {
    PRIM_BINARY_GEMM_AUTO = 0,            /* the fastest rung that supports the call */
    PRIM_BINARY_GEMM_XNOR_GLOBAL = 1,     /* a block for each row of C, all from global memory */
    PRIM_BINARY_GEMM_XNOR_SHARED_ROW = 2, /* A's row in shared memory */
    PRIM_BINARY_GEMM_XNOR_TILED = 3,      /* 16 × 16 tiles and the bit counts in shared memory */
    PRIM_BINARY_GEMM_XNOR_TILED_TRANSPOSED = 4 /* the same with x and y exchanged: no conflicts */
} prim_binary_gemm_variant;

/* Packing. Element i of the packed dimension is bit i % 32 of word i / 32; the bit is 1 for +1,
 * which stands for every element ≥ 0 (-0 too), and 0 for -1, which stands for the others and NaN.
 * The unused bits of the last word are 0.
 *
 *   _rows      packs along the rows: d_in has rows × columns elements, d_packed rows × words with
 *              words = ⌈columns / 32⌉. For A.
 *   _columns   packs along the columns: d_packed has words × columns, words = ⌈rows / 32⌉. For B.
 *   d_in       device, row-major, ld (at least columns) elements from row to row.
 *   d_packed   device, row-major, 32-bit words, packed_ld (at least the words or columns of a row)
 *              from row to row. Must not overlap d_in's bytes from first to last. Every word of a
 *              row is written.
 *
 * Types: CUDA_R_32F, CUDA_R_32I, CUDA_R_8I. Pointers may be NULL where they are empty.
 *
 * Return PRIM_OK, PRIM_ERROR_TYPE, _NULL, _MISALIGNED, _SIZE, _OVERLAP, PRIM_ERROR_VALUE (a leading
 * dimension is too small), PRIM_ERROR_UNSUPPORTED (too large for a grid, or a type that was trimmed
 * from src/binary_gemm/instances.h) or PRIM_ERROR_CUDA. */
PRIM_API prim_status prim_binary_pack_rows(cudaDataType_t in_type, const void *d_in, size_t rows,
                                           size_t columns, size_t ld, uint32_t *d_packed,
                                           size_t packed_ld, cudaStream_t stream);
PRIM_API prim_status prim_binary_pack_columns(cudaDataType_t in_type, const void *d_in, size_t rows,
                                              size_t columns, size_t ld, uint32_t *d_packed,
                                              size_t packed_ld, cudaStream_t stream);

/* C = A · B with A of m × k and B of k × n elements of ±1: an element of C is k minus twice the
 * number of places where A's row and B's column differ.
 *
 *   m, n       any numbers.
 *   k          any number below 2^31; 0 gives a C of zeros.
 *   d_a        device, as prim_binary_pack_rows() leaves it: m rows of ⌈k / 32⌉ words, lda words
 *              from row to row. The unused bits of each last word must be 0.
 *   d_b        device, as prim_binary_pack_columns() leaves it: ⌈k / 32⌉ rows of n words, ldb words
 *              from row to row. The unused bits of the last row must be 0. A and B may overlap.
 *   d_c        device, m rows of n elements, ldc from row to row; gaps between rows are not
 *              written. Must overlap neither A nor B: matrices of one leading dimension are
 *              compared as rectangles, others as ranges of bytes.
 *
 * Types of C: CUDA_R_32I, exact; CUDA_R_32F, exact up to a k of 2^24 and rounded beyond.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_TYPE         c_type is none of the two
 *   PRIM_ERROR_VALUE        a leading dimension is too small, or k is 2^31 or more
 *   PRIM_ERROR_OVERLAP      C overlaps A or B
 *
 * Determinism: counting is exact, so every rung gives the same bits.
 * Source: Courbariaux, Hubara, Soudry, El-Yaniv and Bengio, Binarized Neural Networks (2016). */
PRIM_API prim_status prim_binary_gemm(prim_binary_gemm_variant variant, size_t m, size_t n,
                                      size_t k, const uint32_t *d_a, size_t lda,
                                      const uint32_t *d_b, size_t ldb, cudaDataType_t c_type,
                                      void *d_c, size_t ldc, void *d_workspace,
                                      size_t workspace_bytes, cudaStream_t stream);

/* The workspace of prim_binary_gemm(). */
PRIM_API prim_status prim_binary_gemm_workspace_bytes(prim_binary_gemm_variant variant, size_t m,
                                                      size_t n, size_t k, cudaDataType_t c_type,
                                                      size_t *bytes);

/* Would prim_binary_gemm() run here? */
PRIM_API bool prim_binary_gemm_supports(prim_binary_gemm_variant variant, size_t m, size_t n,
                                        size_t k, cudaDataType_t c_type);

/* What AUTO takes for prim_binary_gemm(). */
PRIM_API prim_binary_gemm_variant prim_binary_gemm_choose(size_t m, size_t n, size_t k,
                                                          cudaDataType_t c_type);

/* The same on the CPU, in host memory, done when the calls return.
 *
 *   threads    1: one thread. n > 1: that many OpenMP threads, each for whole rows of the result,
 *              which does not depend on it.
 *
 * Return what the calls above do, except for variants, workspaces and CUDA; PRIM_ERROR_VALUE also
 * for threads that are not 1 to 1024, PRIM_ERROR_UNSUPPORTED also for threads > 1 in a library
 * built without OpenMP. */
PRIM_API prim_status prim_binary_pack_rows_host(cudaDataType_t in_type, const void *h_in,
                                                size_t rows, size_t columns, size_t ld,
                                                uint32_t *h_packed, size_t packed_ld, int threads);
PRIM_API prim_status prim_binary_pack_columns_host(cudaDataType_t in_type, const void *h_in,
                                                   size_t rows, size_t columns, size_t ld,
                                                   uint32_t *h_packed, size_t packed_ld,
                                                   int threads);
PRIM_API prim_status prim_binary_gemm_host(size_t m, size_t n, size_t k, const uint32_t *h_a,
                                           size_t lda, const uint32_t *h_b, size_t ldb,
                                           cudaDataType_t c_type, void *h_c, size_t ldc,
                                           int threads);

/* The variants: PRIM_BINARY_GEMM_AUTO at index 0, then up the ladder; NULL behind the last. */
PRIM_API const prim_variant *prim_binary_gemm_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_binary_gemm_variant_info(prim_binary_gemm_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
