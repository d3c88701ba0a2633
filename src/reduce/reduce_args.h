/* Inside reduce: the arguments that travel together. */
#ifndef PRIM_REDUCE_ARGS_H
#define PRIM_REDUCE_ARGS_H

#include <primitives/reduce.h>

#include "common/host/element.h"
#include "common/host/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum prim_reduce_kind {
    PRIM_REDUCE_VECTOR,
    PRIM_REDUCE_ROWS,     /* each row of a matrix */
    PRIM_REDUCE_COLUMNS,  /* each column */
    PRIM_REDUCE_SEGMENTS, /* each part of a vector */
    PRIM_REDUCE_ARG,      /* the first extreme element of a vector */
    PRIM_REDUCE_DOT       /* two vectors */
} prim_reduce_kind;

/* A vector is a matrix of one row; segments are `rows` segments of a vector of `columns`. */
typedef struct prim_reduce_args {
    prim_request call;
    prim_reduce_kind kind;
    prim_op op;
    prim_transform transform;
    cudaDataType_t in_type, out_type;
    const void *in, *in_y; /* in_y: the second vector of a dot product, otherwise NULL */
    size_t rows, columns, ld;
    cudaDataType_t offsets_type; /* for segments, as offsets is; otherwise not used */
    const void *offsets;
    void *out;
    uint64_t *out_index; /* for arg_reduce, otherwise NULL */
} prim_reduce_args;

/* The type of combined values, before they become results: the C type is dispatch.cuh's reduced_t,
 * or what narrow integers are combined in. */
static inline cudaDataType_t prim_reduce_value_type(const prim_reduce_args *args)
{
    const bool widened = args->in_type == CUDA_R_8U && args->out_type == CUDA_R_32U;
    return widened ? CUDA_R_64U : prim_accumulator_type(args->out_type);
}

/* rungs.c: the table of rungs, and the one that AUTO takes. */
extern const prim_rung *const prim_reduce_rungs[];
int prim_reduce_choose_rung(const void *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_reduce_on_host(const prim_reduce_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
