/* The table of all patterns' entry points; each pattern's file holds its own. */
#include "entry_points.h"

extern const entry_point reduce_entry, reduce_short_entry, reduce_rows_entry, reduce_columns_entry,
    arg_reduce_entry, dot_entry;
extern const entry_point scan_entry, scan_rows_entry, scan_2d_entry;
extern const entry_point histogram_even_entry;
extern const entry_point merge_entry, merge_sort_entry, co_rank_entry;
extern const entry_point convolve_1d_entry, convolve_2d_entry;
extern const entry_point spmv_csr_entry, spmv_coo_entry, spmv_ell_entry, spmv_hyb_entry,
    spmv_jds_entry;
extern const entry_point gemm_entry, gemm_transposed_entry, gemv_entry, gemv_transposed_entry,
    binary_gemm_entry, binary_pack_rows_entry, binary_pack_columns_entry;

const entry_point *const entry_points[] = {
    /* reduce */
    &reduce_entry,
    &reduce_short_entry,
    &reduce_rows_entry,
    &reduce_columns_entry,
    &arg_reduce_entry,
    &dot_entry,
    /* scan */
    &scan_entry,
    &scan_rows_entry,
    &scan_2d_entry,
    /* histogram */
    &histogram_even_entry,
    /* merge */
    &merge_entry,
    &merge_sort_entry,
    &co_rank_entry,
    /* convolution */
    &convolve_1d_entry,
    &convolve_2d_entry,
    /* sparse products */
    &spmv_csr_entry,
    &spmv_coo_entry,
    &spmv_ell_entry,
    &spmv_hyb_entry,
    &spmv_jds_entry,
    /* dense products */
    &gemm_entry,
    &gemm_transposed_entry,
    &gemv_entry,
    &gemv_transposed_entry,
    &binary_gemm_entry,
    &binary_pack_rows_entry,
    &binary_pack_columns_entry,
};

const size_t entry_point_count = sizeof entry_points / sizeof *entry_points;
