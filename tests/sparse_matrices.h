/* Sparse matrices for the tests: by the lengths of their rows, in every format. */
#ifndef TESTS_SPARSE_MATRICES_H
#define TESTS_SPARSE_MATRICES_H

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

#include <primitives/sparse.h>

#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

extern const char *const format_names[6]; /* "csr", … */

/* Never NULL. */
void *allocate(size_t bytes);

/* ---- matrices in host memory ---- */

/* A matrix whose arrays all lie in one piece of memory. */
typedef struct kept {
    prim_sparse m;
    char *memory;
    size_t bytes;
} kept;

void forget(kept *k);
/* The same without arrays, for asking; of JDS the groups stay. */
prim_sparse without_arrays(prim_sparse m);
void set_offset(prim_sparse *m, size_t i, size_t offset);
size_t offset_of(const prim_sparse *m, size_t i);
/* CSR with room for so many entries; all numbers are 0. */
kept new_csr(size_t rows, size_t columns, size_t entries, cudaDataType_t type,
             cudaDataType_t offset_type);

/* A matrix by the lengths of its rows. */
typedef struct shape {
    const char *name;
    size_t rows, columns;
    size_t (*length)(const struct shape *s, size_t row);
    size_t n;
    bool diagonal; /* column i in row i; otherwise columns as they come, twice too */
} shape;

size_t all_n(const shape *s, size_t row);
/* n in the middle row, few in the others. */
size_t middle_n(const shape *s, size_t row);
/* Rows without entries at the beginning, in the middle and at the end. */
size_t gaps(const shape *s, size_t row);
/* Most rows short, a few of up to n. */
size_t skewed(const shape *s, size_t row);

extern const shape shapes[], large_shapes[], huge_shapes[];
extern const size_t shape_count, large_shape_count, huge_shape_count;

/* WHOLE: small whole numbers, zeros among them, so that every order gives the same sum. */
typedef enum numbers { WHOLE, REAL, NUMBERS_COUNT } numbers;
double number(numbers n, uint64_t bits);

kept make(const shape *s, cudaDataType_t type, cudaDataType_t offset_type, numbers n);

/* 4 × 4, its rows of 2, 0, 3 and 2 entries. */
kept classic(cudaDataType_t type, cudaDataType_t offset_type);
/* In f32: HYB with one column, ELL with three, whatever AUTO would choose. */
kept classic_as(prim_sparse_format format);

/* ---- formats ---- */

/* A format, and how many columns ELL has: `width`, or that many more than the longest row has. */
typedef struct form {
    prim_sparse_format format;
    int64_t width;
    bool behind_longest;
} form;

enum { FORMS = 12 };
extern const form forms[FORMS];

/* In exactly the bytes that are asked for, and not one more. */
kept convert(const prim_sparse *from, prim_sparse_format format, cudaDataType_t offset_type,
             int64_t width);
/* A CSR matrix in that form. Values of padding, which are not read, are NaN. */
kept in_form(const prim_sparse *csr, const form *f);

/* ---- on the device ---- */

/* A matrix of host memory with each of its arrays in device memory of its own, to the byte. */
typedef struct sent {
    prim_sparse m;
    guarded arrays[8];
    size_t count;
} sent;

sent send_matrix(const prim_sparse *m);
void forget_sent(sent *s); /* fails the test if something beside the arrays was written to */

/* Every form and type, by value: a test runs in a process of its own. */
typedef struct combination {
    form f;
    cudaDataType_t type;
} combination;

struct criterion_test_params combinations(void);

#endif
