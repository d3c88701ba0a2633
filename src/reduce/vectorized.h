/* VECTORIZED's routes, its calls with files of their own (columns.cu, arg.cu, dot.cu), and its
 * first pass. Segments have a header of their own, segments.h. */
#ifndef PRIM_REDUCE_VECTORIZED_H
#define PRIM_REDUCE_VECTORIZED_H

#include "reduce/reduce_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Each route is an algorithm. route_of() in vectorized.cu chooses, and README.md says which file
 * has it. */
typedef enum prim_reduce_route {
    PRIM_REDUCE_NO_ROUTE, /* there are no results */
    PRIM_REDUCE_TILES,
    /* short rows, through shared memory: how lanes share one */
    PRIM_REDUCE_STAGED_PARTS,
    PRIM_REDUCE_STAGED_VECTORS,
    /* columns: how the first pass reads them */
    PRIM_REDUCE_FEW_ROWS,
    PRIM_REDUCE_FEW_COLUMNS,
    PRIM_REDUCE_FOLDED,
    PRIM_REDUCE_WALK,
    /* segments: whether lanes or blocks divide them */
    PRIM_REDUCE_LANES,
    PRIM_REDUCE_WINDOWS,
    /* the other calls */
    PRIM_REDUCE_CANDIDATES,
    PRIM_REDUCE_PRODUCTS,
    PRIM_REDUCE_ROUTES
} prim_reduce_route;

/* How VECTORIZED takes a call, for prim_answer; NULL where there are no results. */
const char *prim_reduce_vectorized_route(const prim_reduce_args *args);

/* Types and operator have been checked before. */
const char *prim_reduce_columns_why_not(const prim_reduce_args *args);
size_t prim_reduce_columns_workspace(const prim_reduce_args *args);

/* The part of route_of() that is about columns. There are some columns, here and in the launch. */
prim_reduce_route prim_reduce_columns_route(const prim_reduce_args *args);
cudaError_t prim_reduce_launch_columns(const prim_reduce_args *args, prim_reduce_route route);

/* Writes the value of each tile of columns.h to `out`: a row of values for each tile of rows,
 * prim_reduce_values_ld() apart. The matrix is a band of a matrix of `whole_rows` rows; it begins
 * at one of that matrix's tiles, and has its tiles. No workspace is needed. out_type is one that
 * values are kept in. */
cudaError_t prim_reduce_column_tile_values(const prim_reduce_args *args, size_t whole_rows);

const char *prim_reduce_arg_why_not(const prim_reduce_args *args);
size_t prim_reduce_arg_workspace(const prim_reduce_args *args);
cudaError_t prim_reduce_launch_arg(const prim_reduce_args *args);
cudaError_t prim_reduce_launch_dot(const prim_reduce_args *args);

/* Writes the value of each tile of a vector, in the order of order.h, to `out`; for a dot product,
 * the sum of each tile's products. Where the vector is part of a longer one, and begins at one of
 * its tiles, these are the longer one's values. No workspace is needed. out_type is one that values
 * are kept in. */
cudaError_t prim_reduce_tile_values(const prim_reduce_args *args);

/* The same for dot products, in dot.cu. */
cudaError_t prim_reduce_dot_tile_values(const prim_reduce_args *args);

#if defined(__cplusplus)
}
#endif

#endif
