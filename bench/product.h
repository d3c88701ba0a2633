/* How a product's operands lie, for gemm's bench and its peers: A first, and B after it. */
#ifndef BENCH_PRODUCT_H
#define BENCH_PRODUCT_H

#include "bench.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A matrix as stored, transposed or not. */
typedef struct product_operand {
    bool transposed;
    size_t lines, columns, ld, elements;
    size_t first; /* element of d_in */
} product_operand;

product_operand operand_a(const bench_case *c);
product_operand operand_b(const bench_case *c);
size_t batches_of(const bench_case *c);

#if defined(__cplusplus)
}
#endif

#endif
