/* Reduction: combine all elements of an array into one value. */
#ifndef PRIMITIVES_REDUCE_H
#define PRIMITIVES_REDUCE_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/reduce/README.md draws them. The values are pinned. */
typedef enum prim_reduce_variant {
    PRIM_REDUCE_AUTO = 0,        /* the fastest rung that supports the call */
    PRIM_REDUCE_INTERLEAVED = 1, /* neighbours first: the stride doubles, and warps diverge */
    PRIM_REDUCE_SEQUENTIAL = 2   /* halves first: the stride halves, and idle warps retire */
} prim_reduce_variant;

/* *d_out = op(t(d_in[0]), t(d_in[1]), …, t(d_in[count - 1])), t being the transform.
 *
 *   variant    a rung, or PRIM_REDUCE_AUTO. A rung runs or the call fails; none is replaced.
 *   d_in       device, `count` elements of in_type. May be NULL if count is 0.
 *   count      any number; 0 gives the operator's identity: 0 for SUM, the largest value of
 *              out_type (+inf) for MIN, the smallest (-inf) for MAX.
 *   d_out      device, 1 element of out_type. Must not overlap d_in.
 *   d_workspace  device, aligned to 256 bytes, workspace_bytes long; its content does not matter
 *              and is overwritten. Must overlap neither d_in nor d_out. NULL with
 *              workspace_bytes 0: the call allocates what it needs from the device's pool in
 *              stream order.
 *   workspace_bytes  at least what prim_reduce_workspace_bytes() says.
 *   stream     where the work is submitted.
 *
 * Types (in_type → out_type): CUDA_R_32I → CUDA_R_32I, CUDA_R_32F → CUDA_R_32F,
 * CUDA_R_64F → CUDA_R_64F, CUDA_R_8U → CUDA_R_64U. Elements are converted to out_type before the
 * transform. Pointers need the alignment of their element.
 *
 * Returns PRIM_OK or
 *   PRIM_ERROR_ENUM         variant, op or transform does not exist
 *   PRIM_ERROR_TYPE         the types do not exist, or do not go together
 *   PRIM_ERROR_NULL         d_in (with count > 0) or d_out is NULL, or d_workspace is NULL although
 *                           workspace_bytes is not 0
 *   PRIM_ERROR_MISALIGNED   d_in, d_out or d_workspace
 *   PRIM_ERROR_SIZE         the bytes of count elements do not fit size_t
 *   PRIM_ERROR_OVERLAP      d_out or d_workspace overlaps another operand
 *   PRIM_ERROR_UNSUPPORTED  the variant does not do this here: see prim_reduce_supports()
 *   PRIM_ERROR_WORKSPACE    workspace_bytes is too small, or the pool gave nothing
 *   PRIM_ERROR_CUDA         a launch failed
 *
 * Determinism: each rung gives the same bits in every run. The order in which elements are
 * combined differs between rungs, so float sums may; AUTO chooses by count, types, operator and
 * transform alone.
 * Integer sums and squares wrap. NaN: SUM, MIN and MAX give NaN if an element is one. Float sums
 * are trees of height log2(count), so their relative error grows no faster than that times the
 * sum of |elements|.
 * Source: Harris, Optimizing Parallel Reduction in CUDA (2007), kernels 1, 3 and 4. */
PRIM_API prim_status prim_reduce(prim_reduce_variant variant, prim_op op, prim_transform transform,
                                 cudaDataType_t in_type, const void *d_in, size_t count,
                                 cudaDataType_t out_type, void *d_out, void *d_workspace,
                                 size_t workspace_bytes, cudaStream_t stream);

/* *bytes = the workspace that prim_reduce() needs for these arguments on the current device; 0
 * where it needs none. Returns what prim_reduce() would for the same arguments: PRIM_ERROR_NULL
 * (bytes), _ENUM, _TYPE, _SIZE or _UNSUPPORTED. */
PRIM_API prim_status prim_reduce_workspace_bytes(prim_reduce_variant variant, prim_op op,
                                                 prim_transform transform, cudaDataType_t in_type,
                                                 size_t count, cudaDataType_t out_type,
                                                 size_t *bytes);

/* Would prim_reduce() with these arguments run on the current device? false also for arguments
 * that are invalid everywhere; prim_last_error() then says why. */
PRIM_API bool prim_reduce_supports(prim_reduce_variant variant, prim_op op,
                                   prim_transform transform, cudaDataType_t in_type, size_t count,
                                   cudaDataType_t out_type);

/* d_out[i] = op(t(d_in[i * ld]), …, t(d_in[i * ld + columns - 1])) for each row i of a matrix.
 *
 *   d_in       device, row-major, rows × columns elements of in_type. May be NULL if there are
 * none. rows       any number; 0 does nothing. columns    any number; 0 gives the operator's
 * identity for each row. ld         elements from one row's begin to the next one's, at least
 * columns. d_out      device, `rows` elements of out_type. Must not overlap the bytes from the
 * first to the last element of d_in, gaps between rows included. May be NULL if rows is 0. variant,
 * op, transform, types, d_workspace, stream: as for prim_reduce().
 *
 * Returns what prim_reduce() does, and PRIM_ERROR_VALUE where ld is less than columns.
 * Determinism, NaN and wrap as for prim_reduce(); a row's result does not depend on the others. */
PRIM_API prim_status prim_reduce_rows(prim_reduce_variant variant, prim_op op,
                                      prim_transform transform, cudaDataType_t in_type,
                                      const void *d_in, size_t rows, size_t columns, size_t ld,
                                      cudaDataType_t out_type, void *d_out, void *d_workspace,
                                      size_t workspace_bytes, cudaStream_t stream);

/* As prim_reduce_workspace_bytes() and prim_reduce_supports(), for prim_reduce_rows(). */
PRIM_API prim_status prim_reduce_rows_workspace_bytes(prim_reduce_variant variant, prim_op op,
                                                      prim_transform transform,
                                                      cudaDataType_t in_type, size_t rows,
                                                      size_t columns, cudaDataType_t out_type,
                                                      size_t *bytes);
PRIM_API bool prim_reduce_rows_supports(prim_reduce_variant variant, prim_op op,
                                        prim_transform transform, cudaDataType_t in_type,
                                        size_t rows, size_t columns, cudaDataType_t out_type);

/* *h_out = prim_reduce() on the CPU, in host memory, when the call returns.
 *
 *   h_in       host, `count` elements of in_type. May be NULL if count is 0.
 *   h_out      host, 1 element of out_type. Must not overlap h_in.
 *   threads    1: one loop from the first element to the last. n > 1: that many OpenMP threads,
 *              each over one contiguous part, the parts then combined in order.
 *
 * Returns PRIM_OK, PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED, _SIZE, _OVERLAP, PRIM_ERROR_VALUE
 * (threads is not 1 to 1024), or PRIM_ERROR_UNSUPPORTED (threads > 1 in a library built without
 * OpenMP, or types and operators that were trimmed from src/reduce/instances.h).
 *
 * Determinism: the same bits for the same count and threads. The relative error of a float sum can
 * grow with count / threads, so prefer double for long arrays.
 * NaN and overflow as above. */
PRIM_API prim_status prim_reduce_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                      const void *h_in, size_t count, cudaDataType_t out_type,
                                      void *h_out, int threads);

/* h_out[i] = prim_reduce_rows() on the CPU: each row in one loop from its first element to its
 * last, the rows shared out over `threads` OpenMP threads. The same bits for any number of threads.
 * Returns what prim_reduce_host() does; PRIM_ERROR_VALUE also where ld is less than columns. */
PRIM_API prim_status prim_reduce_rows_host(prim_op op, prim_transform transform,
                                           cudaDataType_t in_type, const void *h_in, size_t rows,
                                           size_t columns, size_t ld, cudaDataType_t out_type,
                                           void *h_out, int threads);

/* The variants, PRIM_REDUCE_AUTO first and then up the ladder: at(0) … at(count - 1). */
PRIM_API size_t prim_reduce_variant_count(void);
PRIM_API prim_reduce_variant prim_reduce_variant_at(size_t index);

/* "auto", "interleaved", …, and the idea in one line; NULL for a value that is no variant. */
PRIM_API const char *prim_reduce_variant_name(prim_reduce_variant variant);
PRIM_API const char *prim_reduce_variant_idea(prim_reduce_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
