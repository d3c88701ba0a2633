/* Binary gemm: the product of two matrices whose elements are +1 or -1, 32 of them in a word; what
 * it is made of, counts of bits; and a binarised layer, whose output is such a matrix again. */
#ifndef PRIMITIVES_BINARY_GEMM_H
#define PRIMITIVES_BINARY_GEMM_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/binary_gemm/README.md draws them. The values never change. */
typedef enum prim_binary_gemm_variant {
    PRIM_BINARY_GEMM_AUTO = 0,            /* as a rule the fastest rung that does it */
    PRIM_BINARY_GEMM_XNOR_GLOBAL = 1,     /* a block for each row of C, all from global memory */
    PRIM_BINARY_GEMM_XNOR_SHARED_ROW = 2, /* A's row in shared memory */
    PRIM_BINARY_GEMM_XNOR_TILED = 3,      /* 16 × 16 tiles and the bit counts in shared memory */
    PRIM_BINARY_GEMM_XNOR_TILED_TRANSPOSED = 4, /* the same with x and y exchanged: no conflicts */
    PRIM_BINARY_GEMM_POPCOUNT = 5, /* tiles in registers, and fewer bit counts than words */
    PRIM_BINARY_GEMM_MMA = 6,      /* bits on tensor cores, by mma.sync */
    PRIM_BINARY_GEMM_WGMMA = 7     /* the same by wgmma: warps that load, and warps that multiply */
} prim_binary_gemm_variant;

/* What is counted of A's row and B's column. The values never change. */
typedef enum prim_binary_op {
    PRIM_BINARY_DOT = 0, /* the sum of the products of ±1: k - 2 · XOR */
    PRIM_BINARY_XOR = 1, /* the places in which the two differ */
    PRIM_BINARY_AND = 2  /* the places in which both bits are 1 */
} prim_binary_op;

/* A matrix of ±1, 32 elements in a word. The call says which of the two dimensions is packed;
 * element i of that dimension is bit i % 32 of word i / 32. The bit is 1 for +1 and 0 for -1. */
typedef struct prim_bits {
    uint32_t *words; /* device, or host for a _host call: row by row, ⌈columns / 32⌉ words in each
                      * of `rows` rows where rows are packed, `columns` words in each of ⌈rows / 32⌉
                      * where columns are. An input is only read; may be NULL if there are none */
    size_t rows, columns; /* of elements */
    size_t ld; /* words from the start of one row of words to the next; 0: none between them */
} prim_bits;

/* One whose words may be const. */
PRIM_KEEPS(1)
static inline prim_bits prim_bits_of(const uint32_t *words, size_t rows, size_t columns, size_t ld)
{
    prim_bits bits = {(uint32_t *)(uintptr_t)words, rows, columns, ld};
    return bits;
}

/* Packs elements into bits: along the rows for A, along the columns for B, or, for a B that lies
 * transposed, n × k, as weights often do, into the words where prim_binary_pack_columns() puts
 * them. +1 stands for every element ≥ 0 (also -0), and -1 for the others and for NaN. The unused
 * bits of the last word are 0.
 *
 *   in         device.
 *   packed     device, of in's rows and columns; of prim_binary_pack_transposed(), of its columns
 *              and rows. Must not overlap in's bytes from first to last. Every word of a row is
 *              written.
 *
 * Types: CUDA_R_32F, CUDA_R_16F, CUDA_R_32I, CUDA_R_8I. There are no variants, and no workspace is
 * needed.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_TYPE         in's type is not one of the four
 *   PRIM_ERROR_VALUE        packed has not in's rows and columns, or transposed, columns and rows
 *   PRIM_ERROR_OVERLAP      packed overlaps in
 *   PRIM_ERROR_UNSUPPORTED  too large for a grid, or a type that was trimmed from
 *                           src/binary_gemm/instances.h */
PRIM_API prim_status prim_binary_pack_rows(prim_matrix in, prim_bits packed, const prim_call *call);
PRIM_API prim_status prim_binary_pack_columns(prim_matrix in, prim_bits packed,
                                              const prim_call *call);
PRIM_API prim_status prim_binary_pack_transposed(prim_matrix in, prim_bits packed,
                                                 const prim_call *call);

/* Unpacks bits into elements: the +1 and -1 that stand for the bits in the words which the packing
 * call of the same name writes.
 *
 *   packed     device, of out's rows and columns; of prim_binary_unpack_transposed(), of its
 *              columns and rows. The unused bits of the last word may be anything.
 *   out        device; gaps between rows are not written. Must not overlap packed's bytes from
 *              first to last. Rows that begin at a multiple of 16 bytes are written fastest.
 *
 * Types: those of packing. There are no variants, and no workspace is needed.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_TYPE         out's type is not one of the four
 *   PRIM_ERROR_VALUE        packed has not out's rows and columns, or transposed, columns and rows
 *   PRIM_ERROR_OVERLAP      out overlaps packed
 *   PRIM_ERROR_UNSUPPORTED  as packing */
PRIM_API prim_status prim_binary_unpack_rows(prim_bits packed, prim_matrix out,
                                             const prim_call *call);
PRIM_API prim_status prim_binary_unpack_columns(prim_bits packed, prim_matrix out,
                                                const prim_call *call);
PRIM_API prim_status prim_binary_unpack_transposed(prim_bits packed, prim_matrix out,
                                                   const prim_call *call);

/* C = A · B with A of m × k and B of k × n elements of ±1: an element of C is k minus twice the
 * number of places where A's row and B's column differ.
 *
 *   m, n       any numbers.
 *   k          any number below 2^31; 0 gives a C of zeros.
 *   a          device, m × k as prim_binary_pack_rows() leaves it: the unused bits of each row's
 *              last word must be 0.
 *   b          device, k × n as prim_binary_pack_columns() leaves it: the unused bits of the last
 *              row of words must be 0. A and B may overlap.
 *   c          device, m × n; gaps between rows are not written. Must overlap neither A nor B:
 *              matrices of one leading dimension are compared as rectangles, others as ranges of
 *              bytes.
 *
 * Types of C: CUDA_R_32I, exact; CUDA_R_32F, exact up to a k of 2^24 and rounded beyond.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_TYPE         C's type is not one of the two
 *   PRIM_ERROR_VALUE        the matrices do not fit each other, or k is 2^31 or more
 *   PRIM_ERROR_OVERLAP      C overlaps A or B
 *   PRIM_ERROR_UNSUPPORTED  MMA before compute capability 8.0; WGMMA without a device of 9.0 and
 *                           code for 9.0a, or with 2^31 - 1024 or more rows or columns; C's type
 *                           was trimmed from src/binary_gemm/instances.h; or it is too large for a
 *                           grid
 *
 * Determinism: counting is exact, so every rung gives the same bits.
 * Source: Courbariaux, Hubara, Soudry, El-Yaniv and Bengio, Binarized Neural Networks (2016). */
PRIM_API prim_status prim_binary_gemm(prim_binary_gemm_variant variant, prim_bits a, prim_bits b,
                                      prim_matrix c, const prim_call *call);

/* The same with an op; with PRIM_BINARY_DOT it is prim_binary_gemm().
 *
 * Returns what prim_binary_gemm() does, and
 *   PRIM_ERROR_ENUM         the op does not exist
 *   PRIM_ERROR_UNSUPPORTED  variant is XNOR_…, and op is not PRIM_BINARY_DOT */
PRIM_API prim_status prim_binary_count(prim_binary_gemm_variant variant, prim_binary_op op,
                                       prim_bits a, prim_bits b, prim_matrix c,
                                       const prim_call *call);

/* A binarised layer: prim_binary_count(), whose values become bits. A bit is 1 where the value is
 * at least the threshold of its column. Batch normalization with a negative scale needs 1 up to a
 * threshold instead: v ≤ t is -v ≥ -t, and inverting the bits of B's column gives -v with
 * PRIM_BINARY_DOT.
 *
 *   d_thresholds   device, a threshold for each of the n columns. May overlap A and B.
 *   packed         device, m × n as prim_binary_pack_rows() leaves it: the next layer's A. Every
 *                  word of a row is written, the unused bits of the last one as 0. Must overlap
 *                  none of the inputs, as C in prim_binary_gemm().
 *
 * Returns what prim_binary_count() does for C, and
 *   PRIM_ERROR_UNSUPPORTED  variant is XNOR_…, with any op */
PRIM_API prim_status prim_binary_layer(prim_binary_gemm_variant variant, prim_binary_op op,
                                       prim_bits a, prim_bits b, const int32_t *d_thresholds,
                                       prim_bits packed, const prim_call *call);

/* The same on the CPU, in host memory, done when the calls return.
 *
 *   threads    1: one thread. n > 1: that many OpenMP threads, each for whole rows of the result,
 *              which does not depend on it.
 *
 * Return what the calls above do, except for variants, workspaces and CUDA; PRIM_ERROR_VALUE also
 * for threads that are not 1 to 1024, PRIM_ERROR_UNSUPPORTED also for threads > 1 in a library
 * built without OpenMP. */
PRIM_API prim_status prim_binary_pack_rows_host(prim_matrix in, prim_bits packed, int threads);
PRIM_API prim_status prim_binary_pack_columns_host(prim_matrix in, prim_bits packed, int threads);
PRIM_API prim_status prim_binary_pack_transposed_host(prim_matrix in, prim_bits packed,
                                                      int threads);
PRIM_API prim_status prim_binary_unpack_rows_host(prim_bits packed, prim_matrix out, int threads);
PRIM_API prim_status prim_binary_unpack_columns_host(prim_bits packed, prim_matrix out,
                                                     int threads);
PRIM_API prim_status prim_binary_unpack_transposed_host(prim_bits packed, prim_matrix out,
                                                        int threads);
PRIM_API prim_status prim_binary_gemm_host(prim_bits a, prim_bits b, prim_matrix c, int threads);
PRIM_API prim_status prim_binary_count_host(prim_binary_op op, prim_bits a, prim_bits b,
                                            prim_matrix c, int threads);
PRIM_API prim_status prim_binary_layer_host(prim_binary_op op, prim_bits a, prim_bits b,
                                            const int32_t *h_thresholds, prim_bits packed,
                                            int threads);

/* The variants: PRIM_BINARY_GEMM_AUTO at index 0, then up the ladder; NULL after the last. */
PRIM_API const prim_variant *prim_binary_gemm_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_binary_gemm_variant_info(prim_binary_gemm_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
