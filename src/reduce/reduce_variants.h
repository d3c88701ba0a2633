/* Inside reduce: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_REDUCE_VARIANTS_H
#define PRIM_REDUCE_VARIANTS_H

#include <primitives/reduce.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A vector is a matrix of one row. */
typedef struct prim_reduce_args {
    prim_call call;
    prim_op op;
    prim_transform transform;
    cudaDataType_t in_type, out_type;
    const void *in;
    size_t rows, columns, ld;
    void *out;
} prim_reduce_args;

/* Up the ladder. */
extern const prim_rung prim_reduce_rungs[];

/* Elements that one block of a rung turns into one value. */
enum { PRIM_REDUCE_INTERLEAVED_ELEMENTS = 256, PRIM_REDUCE_SEQUENTIAL_ELEMENTS = 512 };

cudaError_t prim_reduce_interleaved(const void *args);
cudaError_t prim_reduce_sequential(const void *args);

/* The CPU's versions, args pointing to host memory: the threads share the one row, or each takes
 * whole rows. */
prim_status prim_reduce_on_host(const prim_reduce_args *args, int threads);
prim_status prim_reduce_rows_on_host(const prim_reduce_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
