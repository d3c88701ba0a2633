/* Reduction: combine all elements of an array, of each of its segments, of each row or of each
 * column of a matrix into one value; find the first extreme element; the dot product of two
 * vectors. */
#ifndef PRIMITIVES_REDUCE_H
#define PRIMITIVES_REDUCE_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/reduce/README.md draws them. The values never change.
 *
 * VECTORIZED, SINGLE_PASS and the host versions combine in one and the same order, which depends
 * only on count, types, operator and transform: not on the device's size, on timing, on the number
 * of host threads or on a pointer's alignment. AUTO takes one of the two, so its result has the
 * same bits on every GPU, in every run, and as prim_reduce_host() gives them. The first three rungs
 * each have an order of their own, the same in every run. */
typedef enum prim_reduce_variant {
    PRIM_REDUCE_AUTO = 0,        /* as a rule the fastest rung that does it */
    PRIM_REDUCE_INTERLEAVED = 1, /* neighbours first: the stride doubles, and warps diverge */
    PRIM_REDUCE_SEQUENTIAL = 2,  /* halves first: the stride halves, and idle warps retire */
    PRIM_REDUCE_SHUFFLE = 3,     /* warps combine in registers; one barrier a block */
    PRIM_REDUCE_VECTORIZED =
        4, /* 16-byte loads, several in flight; the next pass is launched early */
    PRIM_REDUCE_SINGLE_PASS = 5 /* one launch: a cluster shares its blocks' memory */
} prim_reduce_variant;

/* *d_out = op(t(d_in[0]), t(d_in[1]), …, t(d_in[count - 1])), t being the transform.
 *
 *   op         SUM, PRODUCT, MIN, MAX; for integers also AND, OR, XOR.
 *   d_in       device, `count` elements of in_type. May be NULL if count is 0.
 *   count      any number; 0 gives the operator's identity: 0 for SUM, OR and XOR, 1 for PRODUCT,
 *              all bits for AND, the largest value of out_type (+inf) for MIN, the smallest
 *              (-inf) for MAX.
 *   d_out      device, 1 element of out_type. Must not overlap d_in.
 *
 * Types: in_type is CUDA_R_8I, _8U, _16I, _16U, _32I, _32U, _64I, _64U, _16F, _16BF, _32F or _64F,
 * and out_type the same, or wider: 8U → 32U, 8U → 64U, 32I → 64I, 16F → 32F, 16BF → 32F,
 * 32F → 64F. Integers are converted to out_type before the transform; 16F and 16BF are combined as
 * 32F and rounded once, at the end. Pointers need the alignment of their element; d_in at a
 * multiple of 16 bytes is read fastest. VECTORIZED takes all of this, and so does SINGLE_PASS for
 * one row of up to 256 KiB, from compute capability 9.0 on; the rungs below take 32I, 32F, 64F and
 * 8U → 64U with SUM, MIN and MAX.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         op or transform does not exist
 *   PRIM_ERROR_TYPE         the types do not exist or cannot be combined, or a bit operator (AND,
 *                           OR, XOR) is to combine floats
 *   PRIM_ERROR_OVERLAP      d_out overlaps d_in
 *
 * Determinism: see prim_reduce_variant. A square is rounded before it is added.
 * Integers wrap. NaN: the result is NaN if an element is one, always the same quiet NaN from
 * VECTORIZED, SINGLE_PASS and the host. Float sums start from +0 and are trees above runs of at
 * most 64 elements, so their error, relative to the sum of |elements|, grows no faster than
 * log2(count) + 64 roundings.
 * Source: Harris, Optimizing Parallel Reduction in CUDA (2007); NVIDIA, Faster Parallel Reductions
 * on Kepler (2014) for the shuffles. */
PRIM_API prim_status prim_reduce(prim_reduce_variant variant, prim_op op, prim_transform transform,
                                 cudaDataType_t in_type, const void *d_in, size_t count,
                                 cudaDataType_t out_type, void *d_out, const prim_call *call);

/* How to reduce an array that comes in pieces, for example because it is larger than memory. AUTO,
 * VECTORIZED, SINGLE_PASS and the host cut an array into tiles of PRIM_REDUCE_TILE_BYTES, the last
 * of which may be shorter, and reduce the array of the tiles' values in the same way. So with
 *
 *     n = PRIM_REDUCE_TILE_BYTES / bytes of an element of in_type
 *
 * the values of a piece of `tiles` tiles, which begins at tile `first` of the whole, come from
 *
 *     prim_reduce_rows(PRIM_REDUCE_AUTO, op, transform,
 *                      prim_matrix_of(in_type, d_piece, tiles, n, 0), value_type,
 *                      d_values + first, …)
 *
 * and that of a last tile of fewer elements from prim_reduce(). In the end
 *
 *     prim_reduce(PRIM_REDUCE_AUTO, op, PRIM_TRANSFORM_NONE, value_type, d_values, all_tiles,
 *                 value_type, d_out, …)
 *
 * gives the bits that one call gives for the whole array with value_type as its out_type.
 * value_type is any out_type that in_type has, except 16F and 16BF: take 32F for these. Pieces may
 * be of any number of tiles, and come in any order, on any stream and from any GPU; values of tiles
 * on many GPUs are what prim_distributed_reduce() takes. examples/float_sum.c does all that. */
enum { PRIM_REDUCE_TILE_BYTES = 16384 };

/* d_out[i] = op(t(in(i, 0)), …, t(in(i, columns - 1))) for each row i of a matrix.
 *
 *   in         device. 0 rows: nothing is done; 0 columns: each row gives the operator's identity.
 *              Gaps between rows may be read, but what is in them changes nothing.
 *   d_out      device, in.rows elements of out_type. Must not overlap the bytes from the first to
 *              the last element of `in`, gaps between rows included. May be NULL if in.rows is 0.
 *   op, transform, types: as for prim_reduce().
 *
 * Returns what prim_reduce() does.
 * Determinism, NaN and wrap as for prim_reduce(): a row's result has the bits that prim_reduce()
 * gives for the row alone, with the same variant or with AUTO. */
PRIM_API prim_status prim_reduce_rows(prim_reduce_variant variant, prim_op op,
                                      prim_transform transform, prim_matrix in,
                                      cudaDataType_t out_type, void *d_out, const prim_call *call);

/* d_out[j] = op(t(in(0, j)), …, t(in(rows - 1, j))) for each column j of a matrix.
 *
 *   in         device. 0 rows: each column gives the operator's identity; 0 columns: nothing is
 *              done.
 *   d_out      device, in.columns elements of out_type, otherwise as that of prim_reduce_rows().
 *   everything else as for prim_reduce_rows(). Variants: VECTORIZED and AUTO.
 *
 * Returns what prim_reduce_rows() does.
 * Determinism: the order in which a column is combined follows from rows, columns, types, operator
 * and transform alone, so AUTO gives the bits of prim_reduce_columns_host() on every GPU. It is not
 * the order of prim_reduce() over the same elements. NaN and wrap as there. */
PRIM_API prim_status prim_reduce_columns(prim_reduce_variant variant, prim_op op,
                                         prim_transform transform, prim_matrix in,
                                         cudaDataType_t out_type, void *d_out,
                                         const prim_call *call);

/* The segments of an array: segment s has the elements offsets[s] to offsets[s + 1] - 1. */
typedef struct prim_segments {
    const void *offsets; /* device, or host for a _host call: count + 1 ascending ones, in elements,
                          * from 0 to the array's count. Equal ones make an empty segment. They need
                          * not begin with 0 nor end with the array: elements outside belong to no
                          * segment. May be NULL if count is 0 */
    size_t count;        /* of segments */
    cudaDataType_t type; /* of the offsets: CUDA_R_32I or CUDA_R_64I */
} prim_segments;

/* d_out[s] = op(t(d_in[offsets[s]]), …, t(d_in[offsets[s + 1] - 1])) for each segment s of an
 * array.
 *
 *   d_in       device, `count` elements of in_type. May be NULL if count is 0.
 *   segments   any number, of lengths that may differ by any amount. An empty one gives the
 *              operator's identity; with none, nothing is done.
 *   d_out      device, segments.count elements of out_type. Must overlap neither d_in nor the
 *              offsets. May be NULL if there are none.
 *   op, transform, types: as for prim_reduce(). Variants: VECTORIZED and AUTO.
 *
 * Workspace: up to 32 bytes for each 16 KiB of elements, as much for each 4096 segments (2048 of
 * 8-byte elements), and 64 bytes; none for small calls.
 * The call reads the offsets on the device, in stream order, without synchronising. Where offsets
 * do not ascend or point outside d_in, results are undefined, but nothing outside the operands is
 * read or written.
 *
 * Returns what prim_reduce() does, PRIM_ERROR_TYPE also for offsets of another type, and
 * PRIM_ERROR_OVERLAP where d_out overlaps the offsets.
 * Determinism, NaN and wrap as for prim_reduce(): a segment's result has the bits that
 * prim_reduce() with AUTO gives for the segment alone; it depends neither on its place nor on other
 * segments.
 * Source: D. Merrill and M. Garland, Merge-Based Parallel Sparse Matrix-Vector Multiplication,
 * SC16 (2016), for the balance of segments and elements. */
PRIM_API prim_status prim_reduce_segments(prim_reduce_variant variant, prim_op op,
                                          prim_transform transform, cudaDataType_t in_type,
                                          const void *d_in, size_t count, prim_segments segments,
                                          cudaDataType_t out_type, void *d_out,
                                          const prim_call *call);

/* *d_index = the smallest i at which t(d_in[i]) is the least (op MIN) or the greatest (op MAX) of
 * all, and *d_value = t(d_in[*d_index]).
 *
 *   op         PRIM_OP_MIN or PRIM_OP_MAX.
 *   d_in       device, `count` elements of in_type, any of prim_reduce()'s.
 *   count      at least 1: an empty array has no extreme element.
 *   d_value    device, 1 element of in_type.
 *   d_index    device, 1 uint64_t.
 *   transform: as for prim_reduce(). Variants: VECTORIZED and AUTO.
 *   d_value, d_index and d_in must not overlap each other.
 *
 * Returns what prim_reduce() does; PRIM_ERROR_ENUM also for another op, PRIM_ERROR_SIZE also where
 * count is 0.
 * Determinism: there is one right answer, and every variant gives it. NaN comes before all: the
 * index is that of the first NaN if there is one, and the value the one quiet NaN that
 * prim_reduce() gives. -0 is less than +0. Squares of integers wrap before they are compared;
 * squares of 16F and 16BF are compared as 32F, and the value is rounded. */
PRIM_API prim_status prim_arg_reduce(prim_reduce_variant variant, prim_op op,
                                     prim_transform transform, cudaDataType_t in_type,
                                     const void *d_in, size_t count, void *d_value,
                                     uint64_t *d_index, const prim_call *call);

/* *d_out = d_x[0] * d_y[0] + d_x[1] * d_y[1] + … + d_x[count - 1] * d_y[count - 1].
 *
 *   in_type    of both vectors; with out_type, any pair of prim_reduce()'s.
 *   d_x, d_y   device, `count` elements of in_type each. They may overlap or be the same. May be
 *              NULL if count is 0.
 *   count      any number; 0 gives 0.
 *   d_out      device, 1 element of out_type. Must overlap neither d_x nor d_y.
 *
 * Variants: VECTORIZED and AUTO.
 *
 * Returns what prim_reduce() does.
 * Determinism: the order is that of prim_reduce() with SUM, for the same count and types, and each
 * product is rounded before it is added (to 32F for 16F and 16BF): AUTO gives the bits of
 * prim_dot_host() on every GPU. Integers wrap; NaN and the error bound as for prim_reduce(), of
 * the products. */
PRIM_API prim_status prim_dot(prim_reduce_variant variant, cudaDataType_t in_type, const void *d_x,
                              const void *d_y, size_t count, cudaDataType_t out_type, void *d_out,
                              const prim_call *call);

/* prim_reduce() on the CPU, in host memory, done when the call returns: *h_out has the bits that
 * PRIM_REDUCE_AUTO gives on a GPU.
 *
 *   h_in       host, `count` elements of in_type. May be NULL if count is 0.
 *   h_out      host, 1 element of out_type. Must not overlap h_in.
 *   threads    1 to 1024 OpenMP threads, which share the work. The result is the same for any
 *              number.
 *
 * Returns PRIM_OK, PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED, _SIZE, _OVERLAP, PRIM_ERROR_VALUE
 * (threads is not 1 to 1024), or PRIM_ERROR_UNSUPPORTED (threads > 1 in a library built without
 * OpenMP, or a call, types or an operator that were trimmed from src/reduce/instances.h).
 *
 * Determinism, NaN and overflow as for prim_reduce() with AUTO. */
PRIM_API prim_status prim_reduce_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                      const void *h_in, size_t count, cudaDataType_t out_type,
                                      void *h_out, int threads);

/* The other calls on the CPU, with the bits of AUTO, as prim_reduce_host(). The operands are those
 * of the calls above, in host memory. They return what prim_reduce_host() does; the first two also
 * PRIM_ERROR_VALUE where ld is less than columns, prim_arg_reduce_host() also PRIM_ERROR_SIZE where
 * count is 0. */
PRIM_API prim_status prim_reduce_rows_host(prim_op op, prim_transform transform, prim_matrix in,
                                           cudaDataType_t out_type, void *h_out, int threads);
PRIM_API prim_status prim_reduce_columns_host(prim_op op, prim_transform transform, prim_matrix in,
                                              cudaDataType_t out_type, void *h_out, int threads);
PRIM_API prim_status prim_reduce_segments_host(prim_op op, prim_transform transform,
                                               cudaDataType_t in_type, const void *h_in,
                                               size_t count, prim_segments segments,
                                               cudaDataType_t out_type, void *h_out, int threads);
PRIM_API prim_status prim_arg_reduce_host(prim_op op, prim_transform transform,
                                          cudaDataType_t in_type, const void *h_in, size_t count,
                                          void *h_value, uint64_t *h_index, int threads);
PRIM_API prim_status prim_dot_host(cudaDataType_t in_type, const void *h_x, const void *h_y,
                                   size_t count, cudaDataType_t out_type, void *h_out, int threads);

/* The variants: PRIM_REDUCE_AUTO at index 0, then up the ladder; NULL after the last. */
PRIM_API const prim_variant *prim_reduce_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_reduce_variant_info(prim_reduce_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
