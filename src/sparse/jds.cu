/* JDS: rows sorted by length, in groups of equal ones.
 *
 *     rows       by length     groups                    like ELL within a group, without padding
 *     0  ■■      2  ■■■■       width 4: row 2
 *     1  ■■      0  ■■         width 2: rows 0, 1, 3     y[permutation[place]] takes the sum
 *     2  ■■■■    1  ■■
 *     3  ■■      3  ■■
 *
 * The threads of a warp have rows of one length: none waits, and all reads are coalesced. A launch
 * takes a group where there are up to 8, and 64 where there are more; from compute capability 9.0
 * on launches run concurrently. A long row of a group with few is shared by several threads:
 * strips.cu. What holds it back: writes of y are scattered by the permutation.
 *
 * Work: entries. Steps: those of a row or a part of it. Launches: up to 8, or groups / 64, and as
 * many again for those with long rows. Bytes: entries once, the permutation, y by sectors, x by
 * column.
 * Source: Y. Saad, Krylov subspace methods on supercomputers, SIAM J. Sci. Stat. Comput. 10
 * (1989). */
#include "sparse/ell/strips.h"
#include "sparse/problem.cuh"

PRIM_DEFINE_RUNG(spmv, jds) = {
    {PRIM_SPMV_JDS, "jds", "JDS, rows sorted by length, in groups of equal ones"},
    mixed_why_not<PRIM_SPARSE_JDS>,
    prim_strips_workspace_bytes,
    prim_strips_multiply};
