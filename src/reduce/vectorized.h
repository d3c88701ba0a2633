/* VECTORIZED's calls with files of their own (columns.cu, arg.cu, dot.cu), and its first pass. */
#ifndef PRIM_REDUCE_VECTORIZED_H
#define PRIM_REDUCE_VECTORIZED_H

#include "reduce/reduce_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Types and operator are judged before. */
const char *prim_reduce_columns_why_not(const prim_reduce_args *args);
size_t prim_reduce_columns_workspace(const prim_reduce_args *args);

cudaError_t prim_reduce_launch_columns(const prim_reduce_args *args);

/* The value of each tile of columns.h, a row of values for each tile of rows, goes to `out`, whose
 * rows are prim_reduce_values_ld() apart. The matrix is a band of one of `whole_rows` rows, and
 * begins at one of its tiles, whose tiles these are. No workspace is needed. out_type is one that
 * values are kept in. */
cudaError_t prim_reduce_column_tile_values(const prim_reduce_args *args, size_t whole_rows);

cudaError_t prim_reduce_launch_arg(const prim_reduce_args *args);
cudaError_t prim_reduce_launch_dot(const prim_reduce_args *args);

/* The value of each tile of a vector, in the order of order.h, goes to `out`, which has room for
 * them all; of a dot product, each tile's of products. Of vectors that are parts of longer ones,
 * and begin at one of their tiles, these are the longer ones'. No workspace is needed. out_type is
 * one that values are kept in. */
cudaError_t prim_reduce_tile_values(const prim_reduce_args *args);

/* dot.cu's share of that. */
cudaError_t prim_reduce_dot_tile_values(const prim_reduce_args *args);

#if defined(__cplusplus)
}
#endif

#endif
