/* ELL: every row has room for as many entries as the others, and the first entries of all rows lie
 * side by side, then the second ones. A thread for each row:
 *
 *     rows       ell_columns, ell_values       thread r of a warp reads entry s of row r:
 *     a b c      a d f g                       neighbours, in every step
 *     d e        b e · h
 *     f          c · · ·                       · padding: the row has ended
 *     g h
 *
 * Reads are coalesced although a thread has a row to itself; where there are few rows and they are
 * long, several threads take turns in each: strips.cu. What holds it back: memory and time depend
 * on the longest row, so one long row ruins both.
 *
 * Work: entries. Steps: the longest row. Bytes: rows · width of value and column at most, y, and x
 * as the columns ask for it.
 * Source: N. Bell and M. Garland, NVIDIA 2008. */
#include "sparse/ell/strips.h"
#include "sparse/problem.cuh"

PRIM_DEFINE_RUNG(spmv, ell) = {
    {PRIM_SPMV_ELL, "ell", "ELL, a thread for each row, along columns of equal length"},
    mixed_why_not<PRIM_SPARSE_ELL>,
    prim_strips_workspace_bytes,
    prim_strips_multiply};
