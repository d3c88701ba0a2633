/* Inside reduce: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_REDUCE_VARIANTS_H
#define PRIM_REDUCE_VARIANTS_H

#include <primitives/reduce.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A vector is a matrix of one row. */
typedef struct prim_reduce_args {
    prim_op op;
    prim_transform transform;
    cudaDataType_t in_type, out_type;
    const void *in;
    size_t rows, columns, ld;
    void *out;
    void *workspace;
    cudaStream_t stream;
} prim_reduce_args;

/* One row is one rung. Queries look at types, operator, transform, rows and columns only. */
typedef struct prim_reduce_rung {
    prim_reduce_variant variant;
    const char *name;
    const char *idea;
    bool (*supports)(const prim_reduce_args *args);
    size_t (*workspace_bytes)(const prim_reduce_args *args);
    cudaError_t (*launch)(const prim_reduce_args *args);
} prim_reduce_rung;

/* Up the ladder. */
extern const prim_reduce_rung prim_reduce_rungs[];
extern const size_t prim_reduce_rung_count;

/* Elements that one block of a rung turns into one value. */
enum { PRIM_REDUCE_INTERLEAVED_ELEMENTS = 256, PRIM_REDUCE_SEQUENTIAL_ELEMENTS = 512 };

cudaError_t prim_reduce_interleaved(const prim_reduce_args *args);
cudaError_t prim_reduce_sequential(const prim_reduce_args *args);

/* The CPU's versions, args pointing to host memory: the threads share the one row, or each takes
 * whole rows. */
prim_status prim_reduce_on_host(const char *call, const prim_reduce_args *args, int threads);
prim_status prim_reduce_rows_on_host(const char *call, const prim_reduce_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
