/* The table of all patterns' entry points; each pattern's file holds its own. */
#include "entry_points.h"

extern const entry_point histogram_even_entry;
extern const entry_point reduce_entry, reduce_rows_entry;
extern const entry_point scan_entry, scan_rows_entry, scan_2d_entry;
extern const entry_point spmv_csr_entry, spmv_coo_entry, spmv_ell_entry, spmv_hyb_entry,
    spmv_jds_entry;

const entry_point *const entry_points[] = {
    &reduce_entry,    &reduce_rows_entry, &histogram_even_entry, &scan_entry,
    &scan_rows_entry, &scan_2d_entry,     &spmv_csr_entry,       &spmv_coo_entry,
    &spmv_ell_entry,  &spmv_hyb_entry,    &spmv_jds_entry,
};

const size_t entry_point_count = sizeof entry_points / sizeof *entry_points;
