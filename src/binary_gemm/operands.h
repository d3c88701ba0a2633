/* A and B as tensor copies and wgmma need them, and what their ones add to the counts. One pass
 * makes both in the workspace, for WGMMA.
 *
 *     A    m lines of words along k: where it is stored, or copied where copies do not reach it
 *     B    n lines of words along k: transposed, since its words lie across k
 *
 * The columns of B change places within each 16, so that a lane's sums of an instruction are those
 * of columns that lie side by side in C:
 *
 *     line       0  1 | 2  3 | 4  5 | 6  7 | 8  9 | 10 11 | 12 13 | 14 15
 *     column     0  1 | 4  5 | 8  9 | 12 13 | 2  3 | 6  7 | 10 11 | 14 15
 *     lane       0      1      2      3       0      1      2       3
 *
 * A value of C is factor · popc(a & b) + the term of its row + the term of its column, modulo 2^32:
 *
 *     popc(a ^ b) = popc(a) + popc(b) - 2 · popc(a & b),    the sum of ±1 = k - 2 · popc(a ^ b) */
#ifndef PRIM_BINARY_GEMM_OPERANDS_H
#define PRIM_BINARY_GEMM_OPERANDS_H

#include "binary_gemm/binary_gemm_args.h"
#include "common/host/tensor_map.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { PRIM_BINARY_COLUMN_GROUP = 16 };

typedef struct prim_binary_operands {
    prim_tensor a, b; /* of halves of words; their boxes are left to the caller */
    const uint32_t *row_terms, *column_terms; /* m and n */
    uint32_t factor;
} prim_binary_operands;

/* Of the workspace. It has room for a copy of A, whose address and leading dimension may be unknown
 * where a call is only asked. */
size_t prim_binary_operands_bytes(const prim_binary_gemm_args *args);

/* Submits the pass. */
cudaError_t prim_binary_make_operands(const prim_binary_gemm_args *args,
                                      prim_binary_operands *made);

#if defined(__cplusplus)
}
#endif

#endif
