/* Inside reduce: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_REDUCE_VARIANTS_H
#define PRIM_REDUCE_VARIANTS_H

#include <primitives/reduce.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum prim_reduce_kind {
    PRIM_REDUCE_VECTOR,
    PRIM_REDUCE_ROWS,    /* each row of a matrix */
    PRIM_REDUCE_COLUMNS, /* each column */
    PRIM_REDUCE_ARG,     /* the first extreme element of a vector */
    PRIM_REDUCE_DOT      /* two vectors */
} prim_reduce_kind;

/* A vector is a matrix of one row. */
typedef struct prim_reduce_args {
    prim_call call;
    prim_reduce_kind kind;
    prim_op op;
    prim_transform transform;
    cudaDataType_t in_type, out_type;
    const void *in, *in_y; /* in_y: the second vector of a dot product, otherwise NULL */
    size_t rows, columns, ld;
    void *out;
    uint64_t *out_index; /* of an arg_reduce, otherwise NULL */
} prim_reduce_args;

/* Up the ladder. */
extern const prim_rung prim_reduce_rungs[];

/* The rung for AUTO. */
int prim_reduce_choose(const void *args);

/* Elements that one block of a textbook rung turns into one value. */
enum {
    PRIM_REDUCE_INTERLEAVED_ELEMENTS = 256,
    PRIM_REDUCE_SEQUENTIAL_ELEMENTS = 512,
    PRIM_REDUCE_SHUFFLE_ELEMENTS = 1024
};

/* The order of the others: see order.cuh. */
enum {
    PRIM_REDUCE_VECTOR_BYTES = 16,
    PRIM_REDUCE_LANES = 256,
    PRIM_REDUCE_TILE_DEPTH = 4,
    PRIM_REDUCE_ROW_BYTES = PRIM_REDUCE_VECTOR_BYTES * PRIM_REDUCE_LANES, /* that warps take */
    PRIM_REDUCE_TILE_BYTES = PRIM_REDUCE_ROW_BYTES * PRIM_REDUCE_TILE_DEPTH,
    PRIM_REDUCE_SINGLE_PASS_TILES = 16
};

cudaError_t prim_reduce_interleaved(const void *args);
cudaError_t prim_reduce_sequential(const void *args);
cudaError_t prim_reduce_shuffle(const void *args);
cudaError_t prim_reduce_single_pass(const void *args);
/* VECTORIZED for each kind. */
cudaError_t prim_reduce_vectorized(const prim_reduce_args *args);
cudaError_t prim_reduce_column_walk(const prim_reduce_args *args);
cudaError_t prim_reduce_arg(const prim_reduce_args *args);
cudaError_t prim_reduce_dot(const prim_reduce_args *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_reduce_on_host(const prim_reduce_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
