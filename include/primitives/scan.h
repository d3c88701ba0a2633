/* Scan: combines every prefix of an array into one value (prefix sums). */
#ifndef PRIMITIVES_SCAN_H
#define PRIMITIVES_SCAN_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/scan/README.md draws them. The values never change.
 *
 * Each rung combines in an order that depends only on count, types, operator and transform: not on
 * timing, on a pointer's alignment or on being in place. So each gives the same bits in every run.
 * REDUCE_THEN_SCAN, CHAINED, CLUSTER and the host versions share one order, which
 * src/scan/README.md draws: on every device, for any number of host threads, for an array and for
 * each row of a matrix. The order of LOOKBACK depends also on the number of rows and on the device.
 * AUTO takes one of these four rungs by size and device, and LOOKBACK only where the order changes
 * no bit: for integers, minima and maxima. So along arrays and rows AUTO has the bits of the host
 * versions on every GPU, except for the bits of a NaN. Summed-area tables have orders of their own:
 * see prim_scan_2d().
 *
 * LOOKBACK and CHAINED do what they are named for within an array, and within long rows where there
 * are too few rows for all blocks. Where there are more rows, a block takes each row by itself,
 * tile after tile, or several short ones; then nothing looks back, and there is no chain between
 * blocks. prim_answer's route says which way a call takes. */
typedef enum prim_scan_variant {
    PRIM_SCAN_AUTO = 0,             /* as a rule the fastest rung that does it */
    PRIM_SCAN_KOGGE_STONE = 1,      /* every thread works in every step: few steps, much work */
    PRIM_SCAN_BRENT_KUNG = 2,       /* a tree up and a tree down: twice the steps, little work */
    PRIM_SCAN_COARSENED = 3,        /* each thread scans a run, then come the runs' totals */
    PRIM_SCAN_SHUFFLE = 4,          /* warps scan in registers; one barrier a block */
    PRIM_SCAN_REDUCE_THEN_SCAN = 5, /* the aggregates of tiles first, then the results */
    PRIM_SCAN_LOOKBACK = 6,         /* each element read once; decoupled look-back */
    PRIM_SCAN_CLUSTER = 7,          /* one launch of up to eight blocks, which share memory */
    PRIM_SCAN_CHAINED = 8           /* each element read once; carries made one after the other */
} prim_scan_variant;

/* Whether an element's result includes the element itself. */
typedef enum prim_scan_kind { PRIM_SCAN_INCLUSIVE = 0, PRIM_SCAN_EXCLUSIVE = 1 } prim_scan_kind;

/* What stands before the first element, and where the total goes. NULL, or one that is all zero,
 * means the operator's identity and no total. */
typedef struct prim_scan_ends {
    const void *h_initial; /* host, 1 element of out_type: stands before the first element, in
                            * inclusive scans too, and is not transformed. Read during the call, so
                            * that a captured graph keeps its value. NULL: the operator's identity:
                            * 0 for SUM, 1 for PRODUCT, the largest value of out_type (+inf) for
                            * MIN, the smallest (-inf) for MAX */
    const void *d_initial; /* device, 1 element of out_type: the same, read when the work runs;
                            * h_initial must then be NULL. May be the total of the same call, and
                            * must overlap nothing else. NULL: h_initial is used. For a _host call
                            * always NULL */
    void *total;           /* device, or host for a _host call, 1 element of out_type; d_total or
                            * h_total below. Must overlap neither d_in nor d_out. NULL: not
                            * wanted */
} prim_scan_ends;

/* Inclusive: d_out[i] = op(initial, t(d_in[0]), …, t(d_in[i])), exclusive: the same up to
 * t(d_in[i - 1]), so that d_out[0] = initial; t being the transform. *d_total = the same over all
 * elements, initial included.
 *
 *   op         SUM, PRODUCT, MIN or MAX.
 *   d_in       device, `count` elements of in_type. May be NULL if count is 0.
 *   count      any number; 0 writes nothing but *d_total, which is then the initial value.
 *   d_out      device, `count` elements of out_type. May be d_in itself where out_type is in_type;
 *              must not overlap it in any other way. May be NULL if count is 0.
 *   ends       host, read during the call; may be NULL. Where count is a whole number of tiles, the
 *              total is the carry-in of the next tile, whose last bits may differ from
 *              d_out[count - 1].
 *
 * Types: in_type is CUDA_R_8I, _8U, _16I, _16U, _32I, _32U, _64I, _64U, _16F, _16BF, _32F or _64F,
 * and out_type the same, or wider: 8U → 32U, 8U → 64U, 32I → 64I, 16F → 32F, 16BF → 32F,
 * 32F → 64F. Elements are converted to out_type before the transform; 16F and 16BF are combined as
 * 32F and rounded as they are stored. Pointers need the alignment of their element.
 * REDUCE_THEN_SCAN, LOOKBACK and CLUSTER take all of this, CLUSTER up to eight tiles from compute
 * capability 9.0 on; CHAINED takes floats with SUM and PRODUCT, and in prim_scan_2d() all types
 * with SUM; the rungs below take 32I, 32F and 64F with SUM, MIN and MAX.
 *
 * Pieces: a tile is 32 KiB of the wider of the two types, 8192 elements of 32F. An array that is
 * scanned in pieces, each of whole tiles but the last, and each with the d_total of the one before
 * as its d_initial, has the bits of one call for the whole from AUTO, REDUCE_THEN_SCAN, CHAINED and
 * CLUSTER: of integers, minima and maxima however it is cut, and of sums and products where
 * out_type is 32F or 64F, which d_total does not round.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         kind, op or transform does not exist
 *   PRIM_ERROR_TYPE         the types do not exist, or cannot be combined
 *   PRIM_ERROR_VALUE        h_initial and d_initial are both given
 *   PRIM_ERROR_OVERLAP      d_out overlaps d_in without being it, d_total one of them, or d_initial
 *                           one of the three without being d_total
 *
 * Determinism: see prim_scan_variant. Float sums are rounded separately for each result, so they
 * need not grow from one element to the next even where all elements are positive. A square is
 * rounded before it is added. A sum of elements that are all -0 may be +0.
 * Integers wrap. NaN: all operators give NaN from the first element on that is one. Up to SHUFFLE
 * each float sum is a tree of a height that grows with log2(count), and so does its error relative
 * to the sum of |elements|; runs within it have up to 32 elements. REDUCE_THEN_SCAN, CHAINED and
 * CLUSTER combine tiles one after the other, LOOKBACK groups of 32 tiles of its own size (294912
 * elements of 32F in a large array): the error grows no faster than 100 + count / 8000 roundings in
 * these three, and than 100 + count / 50000 in LOOKBACK.
 * Source: Kogge and Stone (1973), Brent and Kung (1982); on GPUs: Hwu, Kirk and El Hajj,
 * Programming Massively Parallel Processors, 4th edition (2022), chapter 11; Merrill and Garland
 * (2016) for LOOKBACK. */
PRIM_API prim_status prim_scan(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                               prim_transform transform, cudaDataType_t in_type, const void *d_in,
                               size_t count, cudaDataType_t out_type, void *d_out,
                               const prim_scan_ends *ends, const prim_call *call);

/* prim_scan() of each row i of a matrix by itself: from in(i, 0), … to out(i, 0), …
 *
 *   in         device. Any numbers of rows and columns; 0 writes nothing. Gaps between rows may be
 *              read, but what is in them changes nothing.
 *   out        device, of the same rows and columns. Gaps between rows are not written. May be `in`
 *              itself, with the same ld, where its type is in.type. Otherwise the two must share no
 *              element; where their lds differ, the bytes from the first to the last element must
 *              not overlap, gaps between rows included.
 *   ends       as for prim_scan(), the same for every row; without a total.
 *
 * kind, op, transform, types: as for prim_scan(). CLUSTER takes one row only.
 *
 * Returns what prim_scan() does, and PRIM_ERROR_VALUE also where `out` has other rows or columns
 * than `in`, or `ends` has a total.
 * Determinism, NaN and wrap as for prim_scan(); a row's result does not depend on the elements of
 * other rows, and except with LOOKBACK has the bits that prim_scan() gives for the row alone. */
PRIM_API prim_status prim_scan_rows(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                                    prim_transform transform, prim_matrix in, prim_matrix out,
                                    const prim_scan_ends *ends, const prim_call *call);

/* out(i, j) = op over all t(in(k, l)) with k ≤ i and l ≤ j: inclusive in both directions. For SUM
 * that is the summed-area table, from which the sum over any rectangle follows with three
 * additions.
 *
 * All arguments as for prim_scan_rows(), with op SUM, MIN or MAX. The rows are scanned first, then
 * the columns of the result. Variants: all but LOOKBACK and CLUSTER; CHAINED takes SUM only, of all
 * types.
 * Returns what prim_scan_rows() does; PRIM_ERROR_ENUM also for another op.
 * Determinism: each rung's order depends on rows, columns and types alone; the rung that AUTO
 * takes, on these and op. The error of a float sum, relative to the sum of |elements|, grows with
 * log2(rows) + log2(columns); in CHAINED with rows / 64 + columns / 128 (results of 8 bytes:
 * rows / 48 + columns / 64). NaN and wrap as for prim_scan(). */
PRIM_API prim_status prim_scan_2d(prim_scan_variant variant, prim_op op, prim_transform transform,
                                  prim_matrix in, prim_matrix out, const prim_call *call);

/* prim_scan() on the CPU, in host memory, done when the call returns.
 *
 *   h_in       host, `count` elements of in_type. May be NULL if count is 0.
 *   h_out      host, `count` elements of out_type. May be h_in itself where out_type is in_type;
 *              must not overlap it in any other way. May be NULL if count is 0.
 *   ends       NULL, or with d_initial NULL and a total in host memory, which must overlap neither
 *              h_in nor h_out.
 *   threads    OpenMP threads, which share the array's tiles.
 *
 * Returns PRIM_OK, PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED, _SIZE, _OVERLAP, PRIM_ERROR_VALUE
 * (threads is not 1 to 1024, or d_initial is given), or PRIM_ERROR_UNSUPPORTED (threads > 1 in a
 * library built without OpenMP, or types and operators that were trimmed from
 * src/scan/instances.h).
 *
 * Determinism: the bits of AUTO on a device, whatever the threads. Errors, NaN and overflow as
 * above.
 */
PRIM_API prim_status prim_scan_host(prim_scan_kind kind, prim_op op, prim_transform transform,
                                    cudaDataType_t in_type, const void *h_in, size_t count,
                                    cudaDataType_t out_type, void *h_out,
                                    const prim_scan_ends *ends, int threads);

/* prim_scan_rows() and prim_scan_2d() on the CPU. `threads` OpenMP threads share the rows, each
 * whole, and then the columns. A single row is shared as in prim_scan_host(). Rows have the bits of
 * REDUCE_THEN_SCAN; a summed-area table is combined in an order of its own, the same for any number
 * of threads. In 16F and 16BF, the rows' prefixes are rounded before the columns are combined.
 * Return what prim_scan_host() does; PRIM_ERROR_VALUE and PRIM_ERROR_ENUM also where
 * prim_scan_rows() and prim_scan_2d() say it. */
PRIM_API prim_status prim_scan_rows_host(prim_scan_kind kind, prim_op op, prim_transform transform,
                                         prim_matrix in, prim_matrix out,
                                         const prim_scan_ends *ends, int threads);
PRIM_API prim_status prim_scan_2d_host(prim_op op, prim_transform transform, prim_matrix in,
                                       prim_matrix out, int threads);

/* The variants: PRIM_SCAN_AUTO at index 0, then up the ladder; NULL after the last. */
PRIM_API const prim_variant *prim_scan_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_scan_variant_info(prim_scan_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
