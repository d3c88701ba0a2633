/* Inside scan: the arguments that travel together. */
#ifndef PRIM_SCAN_ARGS_H
#define PRIM_SCAN_ARGS_H

#include <primitives/scan.h>

#include "common/host/element.h"
#include "common/host/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* The kinds of call in instances.h. */
typedef enum prim_scan_call_kind {
    PRIM_SCAN_VECTOR,
    PRIM_SCAN_ROWS,
    PRIM_SCAN_TABLE
} prim_scan_call_kind;

/* A vector is a matrix of one row. */
typedef struct prim_scan_args {
    prim_request call;
    prim_scan_kind kind;
    prim_op op;
    prim_transform transform;
    bool of_rows;        /* of a matrix, which have no total */
    bool summed_area;    /* the columns after the rows; then inclusive and without initial */
    bool of_aggregates;  /* inside: elements are aggregates, whose bits are turned already */
    const void *initial; /* host; NULL for the identity, or where d_initial is given */
    const void *d_initial;
    cudaDataType_t in_type, out_type;
    const void *in;
    size_t rows, columns, in_ld;
    void *out;
    size_t out_rows, out_columns, out_ld; /* the first two checked to be those of in, and then so */
    void *total;                          /* of a vector; NULL: not wanted */
} prim_scan_args;

static inline prim_scan_call_kind prim_scan_kind_of_call(const prim_scan_args *args)
{
    return args->summed_area ? PRIM_SCAN_TABLE : args->rows > 1 ? PRIM_SCAN_ROWS : PRIM_SCAN_VECTOR;
}

/* Sums and products of floats: all others have the same bits in any order. */
static inline bool prim_scan_depends_on_order(const prim_scan_args *args)
{
    const cudaDataType_t sum = prim_accumulator_type(args->out_type);
    return (sum == CUDA_R_32F || sum == CUDA_R_64F) &&
           (args->op == PRIM_OP_SUM || args->op == PRIM_OP_PRODUCT);
}

/* rungs.c: the table of rungs, and the one that AUTO takes. */
extern const prim_rung *const prim_scan_rungs[];
int prim_scan_choose_rung(const void *args);

/* The CPU's version, args pointing to host memory. One row: the threads share it; several: each
 * takes whole rows. */
prim_status prim_scan_on_host(const prim_scan_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
