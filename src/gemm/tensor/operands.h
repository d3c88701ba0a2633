/* A and B of a call as tensor copies see them. */
#ifndef PRIM_GEMM_OPERANDS_H
#define PRIM_GEMM_OPERANDS_H

#include "common/host/tensor_map.h"
#include "gemm/gemm_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Whether all products share the matrix that has this stride. */
static inline bool prim_gemm_is_shared(const prim_gemm_args *args, size_t stride)
{
    return args->batches < 2 || stride == 0;
}

/* Boxes of 64 × 64 elements of either, as it is stored. A shared matrix stands in them once. */
typedef struct prim_gemm_operands {
    prim_tensor a, b;
} prim_gemm_operands;

prim_gemm_operands prim_gemm_operands_of(const prim_gemm_args *args);

/* Whether copies reach both; where nothing is multiplied, they need not. C's sides are no longer
 * than copies could reach. */
bool prim_gemm_are_mapped(const prim_gemm_args *args);

#if defined(__cplusplus)
}
#endif

#endif
