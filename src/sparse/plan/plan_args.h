/* Inside sparse: the arguments of the calls with a plan. */
#ifndef PRIM_SPARSE_PLAN_ARGS_H
#define PRIM_SPARSE_PLAN_ARGS_H

#include "sparse/sparse_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_spmv_plan_args {
    prim_request call;
    prim_sparse matrix;
    void *plan;
    size_t plan_bytes;
} prim_spmv_plan_args;

typedef struct prim_spmv_planned_args {
    prim_spmv_args product;
    const void *plan;
    size_t plan_bytes;
} prim_spmv_planned_args;

/* The bytes of a plan for CSR of this size; 0 where a product takes none. */
size_t prim_spmv_pages_bytes(const prim_sparse *matrix);

#if defined(__cplusplus)
}
#endif

#endif
