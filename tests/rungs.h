/* What the headers promise of a rung beyond what they promise of the textbook's: a table that all
 * tests ask, in rungs.c. It is written from the headers' sentences, and not from the code. */
#ifndef TESTS_RUNGS_H
#define TESTS_RUNGS_H

#include <primitives/convolution.h>
#include <primitives/gemm.h>
#include <primitives/gemv.h>
#include <primitives/histogram.h>
#include <primitives/merge.h>
#include <primitives/reduce.h>
#include <primitives/scan.h>
#include <primitives/sparse.h>

/* Some of them together: with |. */
typedef enum rung_property {
    /* All types of the header, with all operators. The textbook's rungs take
     *     of reduce       i32, f32, f64 and u8 → u64 with SUM, MIN and MAX
     *     of scan         i32, f32 and f64 with these
     *     of gemm         i32, f32 and f64
     *     of gemv, spmv   f32 and f64
     *     of histogram    u8, i32 and f32, counted in u32
     *     of convolution  f32, i32, u32, and u8 under f32 */
    TAKES_ALL_TYPES = 1,
    /* All calls of the header. The textbook's rungs take
     *     of reduce             arrays and rows
     *     of scan, gemm, spmv   all of them
     *     of gemv               no batches
     *     of merge, its sort    no values beside the keys
     *     of convolution        one mask, which is on the device */
    TAKES_ALL_CALLS = 2,
    /* It combines in the order of the CPU's version, so it has the same bits; of scan, some have it
     * only in rows that fit a chunk. */
    HAS_HOST_ORDER_IN_SHORT_ROWS = 4,
    HAS_HOST_ORDER = 8 | HAS_HOST_ORDER_IN_SHORT_ROWS,
    /* Scan: blocks take tiles of vectors; the textbook's rungs go element by element, and have
     * blocks for each line. */
    GOES_BY_TILES = 16,
    /* Of gemm: f16 and bf16, and nothing else. */
    TAKES_HALVES_ONLY = 32,
    /* Of gemm: no batches by pointers; and it needs 9.0. */
    TAKES_NO_POINTERS = 64
} rung_property;

/* Has the rung all of these? Without a line in the table it has none. */
bool reduce_rung_has(prim_reduce_variant variant, unsigned properties);
bool scan_rung_has(prim_scan_variant variant, unsigned properties);
bool gemm_rung_has(prim_gemm_variant variant, unsigned properties);
/* Whether it takes A and B of the type, on the current device. */
bool gemm_rung_takes(prim_gemm_variant variant, cudaDataType_t type);
bool gemv_rung_has(prim_gemv_variant variant, unsigned properties);
bool histogram_rung_has(prim_histogram_variant variant, unsigned properties);
bool merge_rung_has(prim_merge_variant variant, unsigned properties);
bool convolution_rung_has(prim_convolution_variant variant, unsigned properties);
bool spmv_rung_has(prim_spmv_variant variant, unsigned properties);

#endif
