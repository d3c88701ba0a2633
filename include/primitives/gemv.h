/* gemv: the product of a matrix and a vector. */
#ifndef PRIMITIVES_GEMV_H
#define PRIMITIVES_GEMV_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/gemv/README.md draws them. The values never change. */
typedef enum prim_gemv_variant {
    PRIM_GEMV_AUTO = 0,           /* SPLIT, or WARP_PER_ROW for short rows */
    PRIM_GEMV_ROW_PER_THREAD = 1, /* each thread walks along a row of op(A), coalesced or not */
    PRIM_GEMV_COLUMN = 2,         /* neighbouring threads read neighbouring elements of A */
    PRIM_GEMV_CONSTANT = 3,       /* the same, and x in constant memory, in pieces of 64 KB */
    PRIM_GEMV_SHARED = 4,         /* the same, and x in shared memory */
    PRIM_GEMV_SHUFFLE = 5,        /* the same, and x in registers, handed round in the warp */
    PRIM_GEMV_WARP_PER_ROW = 6,   /* the lanes of a warp side by side in a row, 16 bytes each */
    PRIM_GEMV_SPLIT = 7           /* the inner dimension split over blocks, sums added in order */
} prim_gemv_variant;

/* y = alpha · op(A) · x + beta · y, A being row-major. A column-major matrix is passed as its
 * transpose, with rows and columns exchanged.
 *
 *   a          device, as it is stored.
 *   op         PRIM_NOT_TRANSPOSED: x has a.columns elements and y a.rows; PRIM_TRANSPOSED: x has
 *              a.rows elements and y a.columns.
 *   alpha, beta  used in the type of y, f32 for halves; whole numbers of less than 2^63 for a y of
 *              i32. beta = 0: y is not read. alpha = 0: A and x are not read.
 *   x          device. May overlap A.
 *   y          device. Must overlap neither A's bytes from first to last nor x.
 *
 * PRIM_GEMV_CONSTANT is the one call of the kit that has state: all its calls in a process share 64
 * KB of each device's constant memory. Calls of it on one device must be ordered, best by one
 * stream, and it cannot be captured into a graph (PRIM_ERROR_UNSUPPORTED).
 *
 * Types: A and x of one type, y of it or of another:
 *     CUDA_R_32F, CUDA_R_64F, and y the same: all variants
 *     CUDA_R_32I, and y the same: AUTO, WARP_PER_ROW and SPLIT
 *     CUDA_R_16F, and y CUDA_R_16F or _32F: likewise
 *     CUDA_R_16BF, and y CUDA_R_16BF or _32F: likewise
 *     CUDA_R_8I, and y CUDA_R_32I: likewise
 * Halves are multiplied and summed in f32, and rounded once, to nearest; integers wrap. Pointers
 * need the alignment of their element.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         op does not exist
 *   PRIM_ERROR_TYPE         the types do not exist, or cannot be combined
 *   PRIM_ERROR_VALUE        x.count or y.count does not fit op(A); y of i32, and alpha or beta is
 *                           no whole number of less than 2^63
 *   PRIM_ERROR_OVERLAP      y overlaps A or x
 *   PRIM_ERROR_UNSUPPORTED  also: PRIM_GEMV_WARP_PER_ROW with PRIM_TRANSPOSED, types that a variant
 *                           does not take, and more rows than a variant has blocks for, from 2^31
 *                           on; AUTO takes any number
 *
 * Determinism: each rung gives the same bits in every run on one device. AUTO, WARP_PER_ROW and
 * SPLIT each give the same bits on every GPU, whatever the alignment and ld: they round a product
 * before they add it, and the order of additions follows from the shape, the op and the types.
 * prim_gemv_host() gives AUTO's. (The bits of a NaN are not promised.) Their error, relative to the
 * sum of the products' magnitudes, grows with the length of a thread's part, a 32nd of the whole
 * length or less. In the others an element of y is one sum from front to back (PRIM_GEMV_CONSTANT:
 * one for each 64 KB of x, added in turn), whose error grows with the whole length. NaN and
 * infinities propagate as in IEEE arithmetic. */
PRIM_API prim_status prim_gemv(prim_gemv_variant variant, prim_transpose op, double alpha,
                               prim_matrix a, prim_vector x, double beta, prim_vector y,
                               const prim_call *call);

/* prim_gemv() on the CPU, in host memory, done when the call returns: AUTO's bits.
 *
 *   threads    1: one thread. n > 1: that many OpenMP threads, each for its own elements of y; the
 *              result does not depend on it.
 *
 * Returns PRIM_OK, PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED, _SIZE, _OVERLAP, PRIM_ERROR_VALUE
 * (also: threads is not 1 to 1024), or PRIM_ERROR_UNSUPPORTED (threads > 1 in a library built
 * without OpenMP, or types that were trimmed from src/gemv/instances.h). */
PRIM_API prim_status prim_gemv_host(prim_transpose op, double alpha, prim_matrix a, prim_vector x,
                                    double beta, prim_vector y, int threads);

/* A batch of products of one shape: y_i = alpha · op(A_i) · x_i + beta · y_i, for each i below
 * `batches`.
 *
 *   batches    any number; 0 writes nothing.
 *   a, x, y    device, those of product 0; their `stride` is that to the operands of product 1, and
 *              so on. The bytes from the first y's first element to the last y's last one must
 *              overlap neither those of all A nor those of all x. Gaps between rows, matrices and
 *              x may be read, but do not matter.
 *   a.stride, x.stride  any numbers; with 0 one matrix or vector serves all products.
 *   y.stride   with two products or more, at least y.count.
 *
 * AUTO, WARP_PER_ROW and SPLIT take batches; the other variants single products, so `batches` = 1.
 * All else as for prim_gemv(); each product has the same bits that prim_gemv() gives it. Returns
 * what prim_gemv() does, and
 *   PRIM_ERROR_VALUE        the y_i would overlap: y.stride is too small */
PRIM_API prim_status prim_gemv_batched(prim_gemv_variant variant, prim_transpose op, double alpha,
                                       prim_matrix a, prim_vector x, double beta, prim_vector y,
                                       size_t batches, const prim_call *call);

/* prim_gemv_batched() on the CPU, as prim_gemv_host() is prim_gemv(). */
PRIM_API prim_status prim_gemv_batched_host(prim_transpose op, double alpha, prim_matrix a,
                                            prim_vector x, double beta, prim_vector y,
                                            size_t batches, int threads);

/* The variants: PRIM_GEMV_AUTO at index 0, then up the ladder; NULL after the last. */
PRIM_API const prim_variant *prim_gemv_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_gemv_variant_info(prim_gemv_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
