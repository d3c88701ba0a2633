/* The sparse product's rungs, and which of them AUTO takes for a format. */
#include "sparse/sparse_args.h"

#define RUNGS(X)           \
    X(spmv, csr_scalar)    \
    X(spmv, csr_vector)    \
    X(spmv, csr_merge)     \
    X(spmv, ell)           \
    X(spmv, sell)          \
    X(spmv, coo_scan_all)  \
    X(spmv, coo_segmented) \
    X(spmv, coo_tiled)     \
    X(spmv, hyb)           \
    X(spmv, jds)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_spmv_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

int prim_spmv_choose_rung(const void *any)
{
    const prim_spmv_args *args = any;
    switch (args->matrix.format) {
    case PRIM_SPARSE_CSR:
        return prim_preferred_rung(prim_spmv_rungs, &prim_spmv_csr_merge_rung, args);
    case PRIM_SPARSE_COO: /* COO_SCAN_ALL takes more entries than a grid has blocks for */
        return prim_preferred_rung(prim_spmv_rungs, &prim_spmv_coo_tiled_rung, args);
    case PRIM_SPARSE_ELL:
        return PRIM_SPMV_ELL;
    case PRIM_SPARSE_HYB:
        return PRIM_SPMV_HYB;
    case PRIM_SPARSE_SELL:
        return PRIM_SPMV_SELL;
    default:
        return PRIM_SPMV_JDS;
    }
}
