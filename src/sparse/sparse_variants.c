/* The one table of the sparse product's rungs, and what its columns need. */
#include "sparse/sparse_variants.h"

#include "common/element.h"
#include "common/sizes.h"
#include "sparse/instances.h"

static bool type_is_built(const prim_spmv_args *args)
{
#define BUILT(type_enum, type_c)   \
    if (args->y_type == type_enum) \
        return true;
    PRIM_SPARSE_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool offsets_are_built(const prim_spmv_args *args)
{
#define BUILT(type_enum, type_c)               \
    if (args->matrix.offset_type == type_enum) \
        return true;
    PRIM_SPARSE_OFFSETS(BUILT)
#undef BUILT
    return false;
}

static bool is(const prim_spmv_args *args, prim_sparse_format format)
{
    return args->matrix.format == format && type_is_built(args);
}

static bool csr_supports(const void *any)
{
    const prim_spmv_args *args = any;
    return is(args, PRIM_SPARSE_CSR) && offsets_are_built(args);
}

static bool ell_supports(const void *args)
{
    return is(args, PRIM_SPARSE_ELL);
}

static bool coo_scan_all_supports(const void *args)
{
    return is(args, PRIM_SPARSE_COO);
}

/* A block for so many entries; rows, which are below 2^31, always fit. */
static bool entries_fit(const prim_spmv_args *args)
{
    return prim_fits_a_grid(1, prim_divide_up(args->matrix.entries, PRIM_SPARSE_SEGMENT_ENTRIES));
}

static bool coo_segmented_supports(const void *args)
{
    return is(args, PRIM_SPARSE_COO) && entries_fit(args);
}

static bool hyb_supports(const void *args)
{
    return is(args, PRIM_SPARSE_HYB) && entries_fit(args);
}

static bool jds_supports(const void *args)
{
    return is(args, PRIM_SPARSE_JDS);
}

static size_t segments_workspace(const void *any)
{
    const prim_spmv_args *args = any;
    return prim_sparse_carries(args->matrix.entries) *
           (prim_element_bytes(args->y_type) + sizeof(int32_t));
}

const prim_rung prim_spmv_rungs[] = {
    {PRIM_SPMV_CSR_SCALAR, "csr_scalar", "CSR, a thread for each row", csr_supports,
     prim_no_workspace, prim_spmv_csr_scalar},
    {PRIM_SPMV_CSR_VECTOR, "csr_vector", "CSR, a warp for each row", csr_supports,
     prim_no_workspace, prim_spmv_csr_vector},
    {PRIM_SPMV_ELL, "ell", "ELL, a thread for each row, along columns of equal length",
     ell_supports, prim_no_workspace, prim_spmv_ell},
    {PRIM_SPMV_COO_SCAN_ALL, "coo_scan_all", "COO, each row's thread looks through all entries",
     coo_scan_all_supports, prim_no_workspace, prim_spmv_coo_scan_all},
    {PRIM_SPMV_COO_SEGMENTED, "coo_segmented",
     "COO, blocks of entries, summed by rows within the block", coo_segmented_supports,
     segments_workspace, prim_spmv_coo_segmented},
    {PRIM_SPMV_HYB, "hyb", "ELL for most of each row, segmented COO for the rest", hyb_supports,
     segments_workspace, prim_spmv_hyb},
    {PRIM_SPMV_JDS, "jds", "JDS, rows sorted by length, a launch for each group of equal ones",
     jds_supports, prim_no_workspace, prim_spmv_jds},
    {0},
};
