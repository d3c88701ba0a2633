/* What the peers from cuBLAS have in common. */
#ifndef BENCH_PEERS_CUBLAS_H
#define BENCH_PEERS_CUBLAS_H

#include <cublas_v2.h>

#include "peers/peers.h"
#include "product.h"

/* Ends the program with a sentence where cuBLAS failed. */
void must_cublas(cublasStatus_t status, const char *what);

/* Types that cuBLAS multiplies: of A and B, of C, and of sums and factors. */
typedef struct cublas_types {
    cudaDataType_t element, result, factor;
    cublasComputeType_t sums;
    size_t bytes; /* of an element */
} cublas_types;

/* Those of the case; NULL: it has none. */
const cublas_types *cublas_types_of(const bench_case *c);

/* 1 or 0 to scale sums with, in their type. */
const void *cublas_factor(const cublas_types *types, bool is_one);

/* The one handle of the run, working on this stream in the operands' workspace. */
cublasHandle_t cublas_handle_on(cudaStream_t stream, const bench_operands *o);

static inline cublasOperation_t cublas_op_of(product_operand x)
{
    return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* As bench_peer has it: what cuBLAS advises for its largest devices. */
size_t cublas_workspace_bytes(const bench_case *c, const bench_operands *o);

#endif
