/* gemm: the product of two matrices, and of batches of them. */
#ifndef PRIMITIVES_GEMM_H
#define PRIMITIVES_GEMM_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/gemm/README.md draws them. The values never change. */
typedef enum prim_gemm_variant {
    PRIM_GEMM_AUTO = 0,              /* as a rule the fastest rung that does it */
    PRIM_GEMM_ROW_PER_BLOCK = 1,     /* a block for each row of C, its threads side by side */
    PRIM_GEMM_SHARED_ROW = 2,        /* the same, with A's row in shared memory */
    PRIM_GEMM_NAIVE = 3,             /* a thread for each element of C, in square blocks */
    PRIM_GEMM_TILED_16 = 4,          /* 16 × 16 tiles of A and B in shared memory */
    PRIM_GEMM_TILED_32 = 5,          /* 32 × 32 tiles */
    PRIM_GEMM_REGISTER_TILED_1D = 6, /* 8 elements of a column of C for each thread */
    PRIM_GEMM_REGISTER_TILED = 7,    /* 8 × 8 elements of C for each thread */
    PRIM_GEMM_VECTORIZED = 8,        /* the same with 16-byte loads; double buffering */
    PRIM_GEMM_WARP_TILED = 9,        /* a part of the tile for each warp; asynchronous copies */
    PRIM_GEMM_SPLIT_K = 10, /* the same, k split over blocks; a second pass adds their sums */
    PRIM_GEMM_SMALL_PRODUCTS = 11, /* a thread for each element of C, several products in a block */
    PRIM_GEMM_MMA = 12,            /* halves on tensor cores, by mma.sync */
    PRIM_GEMM_WGMMA = 13,          /* by wgmma, from shared memory; bulk tensor copies */
    PRIM_GEMM_WGMMA_SPECIALIZED = 14, /* by wgmma: warps that load, and warps that multiply */
    PRIM_GEMM_THIN = 15               /* few rows, columns or steps of k: without tiles */
} prim_gemm_variant;

/* The type in which products are computed and summed, and what decides in which order they are. */
typedef enum prim_compute {
    PRIM_COMPUTE_DEFAULT = 0,        /* in C's own type; f32 for halves */
    PRIM_COMPUTE_BATCH_INVARIANT = 1 /* likewise; a row's bits do not depend on other rows */
} prim_compute;

/* C = alpha · op_a(A) · op_b(B) + beta · C, of row-major matrices; op_a(A) is m × k, op_b(B) k × n,
 * C m × n.
 *
 *   op_a, op_b  whether A and B are taken as they are or transposed.
 *   a, b       device, as they are stored: A has m rows of k, or with PRIM_TRANSPOSED k rows of m;
 *              B k rows of n, or n rows of k. They may overlap.
 *   c          device, m rows of n; gaps between rows are neither read nor written. Must overlap
 *              neither A nor B: matrices whose rows are equally far apart are compared as
 *              rectangles, others as ranges of bytes.
 *   m, n, k    any numbers. If C is empty, nothing is written. With k = 0 or alpha = 0, A and B are
 *              not read, and their product counts as 0.
 *   alpha, beta  used in the compute type. beta = 0: C is not read, so that NaN in it does not
 *              matter. For a C of i32 both must be whole numbers of less than 2^63.
 *   compute    PRIM_COMPUTE_DEFAULT, or _BATCH_INVARIANT: see below.
 *
 * Types: A and B of one type, and C of it or of another:
 *     CUDA_R_32F, CUDA_R_64F, CUDA_R_32I, and C the same: all variants
 *     CUDA_R_16F, and C CUDA_R_16F or _32F: WARP_TILED, the variants above it, and AUTO
 *     CUDA_R_16BF, and C CUDA_R_16BF or _32F: likewise
 *     CUDA_R_8I, and C CUDA_R_32I: likewise, without MMA, WGMMA and WGMMA_SPECIALIZED
 * Pointers need the alignment of their element. VECTORIZED and the rungs above, SMALL_PRODUCTS and
 * THIN excepted, are faster where operands consist of vectors of 16 bytes (their address, their
 * leading dimension, and the columns of those not read along k). MMA needs compute capability 8.0;
 * WGMMA and WGMMA_SPECIALIZED need a device of 9.0, and a library that was compiled for sm_90a.
 * MMA, WGMMA and WGMMA_SPECIALIZED copy 16 bytes of a line at once. Where the leading dimension of
 * A or B, or its stride in a batch, is not a multiple of 8, a first pass copies that operand to the
 * workspace, where lines begin at 16 bytes; MMA does so where that is estimated to take less time
 * than to load elements one by one. So the workspace depends on leading dimensions and strides: ask
 * with those of the call. It has no room for an operand whose address alone is not a multiple of 16
 * bytes, for matrices of a batch that overlap, for more than 32 GiB of one operand, and for the
 * operands of prim_gemm_pointers(). With these, MMA loads elements one by one, which takes several
 * times as long, and WGMMA and WGMMA_SPECIALIZED run MMA's kernels.
 * A variant refuses a C of more tiles than a grid has blocks, 2^31 - 1: 2^31 rows and more for
 * ROW_PER_BLOCK and SHARED_ROW, and otherwise more elements than any device holds. SMALL_PRODUCTS
 * refuses 2^31 elements and more.
 *
 * Batch invariance: with PRIM_COMPUTE_BATCH_INVARIANT a row of C has the same bits whatever m is
 * and wherever the row stands, alone, in a batch or by pointers, whatever the addresses, leading
 * dimensions, strides and ops are, and on all devices of one compute capability. Another n, k,
 * alpha or beta, and another build of the library, may give it other bits.
 *   - k is cut into parts by n, k and the types alone, and the sums of the parts are added in
 *     order.
 *   - AUTO goes by n, k, the types and the device's instructions alone. Of f16 and bf16 it takes
 *     WGMMA or WGMMA_SPECIALIZED where there is that, and otherwise MMA; below 8.0, and of f32 and
 *     f64, SPLIT_K if k is cut, and WARP_TILED if not.
 *   - WGMMA and WGMMA_SPECIALIZED have the same bits: their instructions are of one width, and
 *     their parts the same. Another variant by name has bits of its own, and keeps them in the same
 *     way. THIN refuses, since m decides how its sums are cut.
 *   - WGMMA and WGMMA_SPECIALIZED are MMA in no call. Operands whose address alone is not a
 *     multiple of 16 bytes, and matrices that overlap, are realigned. Batches by pointers and what
 *     remains besides are refused, also by AUTO where it would take these; MMA by name takes them.
 *   - So the workspace depends on the addresses of A and B too: ask with them, of which NULL is a
 *     multiple of 16 bytes. Where k is cut, it has room for the sums of all parts, also where m is
 *     so large that the parts are of no use; with WGMMA_SPECIALIZED, whose blocks sum the parts of
 *     a tile one after the other, for a tile of each block that runs at once.
 *   - Integers are exact, so that nothing changes.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         op_a, op_b or compute does not exist
 *   PRIM_ERROR_TYPE         the types do not exist, or cannot be combined
 *   PRIM_ERROR_VALUE        the matrices do not fit each other; C of i32, and alpha or beta is no
 *                           whole number of less than 2^63
 *   PRIM_ERROR_OVERLAP      C overlaps A or B
 *
 * Determinism: each rung gives the same bits in every run on one device. An element of C is one sum
 * over k from front to back. SPLIT_K, THIN, MMA, WGMMA and WGMMA_SPECIALIZED, and AUTO where it
 * takes these rungs, cut this sum into several and add them in a fixed order; their number depends
 * on the shape and the device, with BATCH_INVARIANT on n, k and the types. Of MMA, WGMMA and
 * WGMMA_SPECIALIZED, 16 products and the sum before them are added at once, on tensor cores, in an
 * order and with a rounding of their own, which differ between GPUs: so bits do. The error,
 * relative to the sum of the products' magnitudes, grows at most with k. A product and its addition
 * are rounded once on the GPU, twice on the CPU. Integers wrap. NaN and infinities propagate as in
 * IEEE arithmetic. Halves are multiplied and summed in f32, and rounded once, to nearest.
 * Source: Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022),
 * chapters 3, 5 and 6; S. Boehm, How to Optimize a CUDA Matmul Kernel for cuBLAS-like Performance
 * (2022); A. Kerr et al., CUTLASS: Fast Linear Algebra in CUDA C++ (2017). */
PRIM_API prim_status prim_gemm(prim_gemm_variant variant, prim_transpose op_a, prim_transpose op_b,
                               double alpha, prim_matrix a, prim_matrix b, double beta,
                               prim_matrix c, prim_compute compute, const prim_call *call);

/* prim_gemm() on the CPU, in host memory, done when the call returns.
 *
 *   threads    1: one thread. n > 1: that many OpenMP threads, each for whole rows of C; the result
 *              does not depend on it.
 *
 * Returns PRIM_OK, PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED, _SIZE, _OVERLAP, PRIM_ERROR_VALUE
 * (also: threads is not 1 to 1024), or PRIM_ERROR_UNSUPPORTED (threads > 1 in a library built
 * without OpenMP, or types that were trimmed from src/gemm/instances.h). */
PRIM_API prim_status prim_gemm_host(prim_transpose op_a, prim_transpose op_b, double alpha,
                                    prim_matrix a, prim_matrix b, double beta, prim_matrix c,
                                    prim_compute compute, int threads);

/* A batch of products of one shape: C_i = alpha · op_a(A_i) · op_b(B_i) + beta · C_i, for each i
 * below `batches`.
 *
 *   batches    any number; 0 writes nothing. A variant refuses more tiles of all C together than a
 *              grid has blocks: WARP_TILED and the variants above it 2^31 products and more,
 *              the others more than 65,535². Of halves and i8, AUTO refuses what these do.
 *   a, b, c    device, the matrices of product 0; their `stride` is that to the matrices of product
 *              1, and so on. No C may overlap any A or B.
 *   a.stride, b.stride  any numbers; with 0 one matrix serves all products.
 *   c.stride   with two products or more, either all elements of C_i lie before all of C_{i+1}, or
 *              the C_i lie side by side in rows of c.ld elements.
 *
 * Where the matrices of a batch lie side by side, or whole rows below each other, they are compared
 * as one rectangle, otherwise as the range of bytes from the first to the last element.
 *
 * All else as for prim_gemm(), variants and types too; each product has the bits that prim_gemm()
 * gives it, except where a variant, or AUTO, splits k into another number of parts, or where WGMMA
 * or WGMMA_SPECIALIZED is MMA in one of both calls; with BATCH_INVARIANT always. Returns what
 * prim_gemm() does, and
 *   PRIM_ERROR_VALUE        the C_i would overlap: c.stride is too small */
PRIM_API prim_status prim_gemm_batched(prim_gemm_variant variant, prim_transpose op_a,
                                       prim_transpose op_b, double alpha, prim_matrix a,
                                       prim_matrix b, double beta, prim_matrix c, size_t batches,
                                       prim_compute compute, const prim_call *call);

/* The same with matrices at any addresses, of one shape, ld and type: those of a, b and c.
 *
 *   a.data, b.data, c.data  device arrays of `batches` device pointers to the A_i, B_i and C_i,
 *              read when the work runs: a graph uses what they hold when it is replayed. May be
 *              NULL where batches is 0. With k = 0 or alpha = 0 those of A and B are not read.
 *   a.stride, b.stride, c.stride  not used.
 *
 * The call cannot check the pointers in the arrays. They must have the alignment of their element;
 * each C_i must overlap no other matrix; a NULL among them is valid only where the matrix is empty
 * or not read. Variants are those of prim_gemm_batched(), without WGMMA and WGMMA_SPECIALIZED; so
 * with BATCH_INVARIANT AUTO refuses halves where it would take these. */
PRIM_API prim_status prim_gemm_pointers(prim_gemm_variant variant, prim_transpose op_a,
                                        prim_transpose op_b, double alpha, prim_matrix a,
                                        prim_matrix b, double beta, prim_matrix c, size_t batches,
                                        prim_compute compute, const prim_call *call);

/* prim_gemm_batched() on the CPU, as prim_gemm_host() is prim_gemm(). prim_gemm_pointers() has no
 * host version: a loop over prim_gemm_host() does the same. */
PRIM_API prim_status prim_gemm_batched_host(prim_transpose op_a, prim_transpose op_b, double alpha,
                                            prim_matrix a, prim_matrix b, double beta,
                                            prim_matrix c, size_t batches, prim_compute compute,
                                            int threads);

/* The variants: PRIM_GEMM_AUTO at index 0, then up the ladder; NULL after the last. */
PRIM_API const prim_variant *prim_gemm_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_gemm_variant_info(prim_gemm_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
