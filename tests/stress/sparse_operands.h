/* Random sparse matrices, as operands. */
#ifndef TESTS_STRESS_SPARSE_OPERANDS_H
#define TESTS_STRESS_SPARSE_OPERANDS_H

#include <primitives/sparse.h>

#include "trial.h"

/* A CSR matrix; `m` is the one in host memory. */
typedef struct csr {
    prim_sparse m;
    operand *offsets, *indices, *values;
} csr;

cudaDataType_t pick_value_type(trial *t);
cudaDataType_t pick_offset_type(trial *t);
/* Rows of up to `longest` entries, and in some matrices one of many. */
csr add_csr(trial *t, cudaDataType_t type, size_t most_rows, size_t longest);
size_t offset_of(const csr *a, size_t row);
/* As the call is given it, whatever has been spoilt. */
prim_sparse on_device(const csr *a);

/* A matrix whose arrays all lie in one operand. */
typedef struct packed {
    prim_sparse m;
    operand *arrays;
} packed;

/* Room for so many bytes, aligned as such arrays are. */
operand *add_arrays(trial *t, size_t bytes);
/* The CSR matrix in another format. */
packed add_packed(trial *t, const csr *from, prim_sparse_format format, int64_t width);
prim_sparse packed_on_device(const packed *p);

#endif
