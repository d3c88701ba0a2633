/* What the tests of gemm, gemv and binary_gemm share: matrices with gaps between their rows, and
 * the oracle of a product. Nothing here uses the code under test. */
#ifndef TESTS_PRODUCTS_H
#define TESTS_PRODUCTS_H

#include "support.h"

/* A matrix in host memory. Where nothing of it lies (between its rows, and `slack` elements before
 * and after it) stand NaNs, or large integers, which no result may show. */
typedef struct matrix {
    cudaDataType_t type;
    size_t rows, columns, ld, slack;
    char *base;
} matrix;

matrix matrix_new(cudaDataType_t type, size_t rows, size_t columns, size_t ld, size_t slack);
/* INTEGERS are whole numbers from -8 to 8 here: sums of products are exact. */
void matrix_fill(matrix *x, distribution d, uint64_t seed);
void matrix_fill_nan(matrix *x);
/* The result's: everything that is no element holds the guards' pattern. */
matrix matrix_of_pattern(cudaDataType_t type, size_t rows, size_t columns, size_t ld);
void matrix_free(matrix *x);

void *matrix_data(const matrix *x);
/* Elements from the first to the last, gaps included; 0 for an empty matrix. */
size_t matrix_extent(const matrix *x);
size_t matrix_bytes(const matrix *x);

/* Device memory with the matrix and its slack in it; data_of() is where the matrix begins. */
guarded matrix_to_device(const matrix *x);
void *data_of(const guarded *g, const matrix *x);
/* Fails the test if the operand on the device is not what it was. */
void matrix_check_unchanged(const guarded *g, const matrix *x, const char *what);

/* Which operand holds a special value; of y = A · x, x is B and y is C. */
typedef enum victim { NONE, IN_A, IN_B, IN_C, EVERYWHERE_IN_A_AND_B } victim;

/* The operands of a product. */
typedef struct factors {
    matrix a, b, before, after; /* C before and after */
} factors;

/* What they hold. */
typedef struct contents {
    distribution d;
    uint64_t seed;
    victim special_in;
    double special;
    size_t place; /* of the special value: an element's number, and on from the first one again */
} contents;

/* A, B and C before; where beta is 0, floats of C are NaNs, since nobody may read them. */
void factors_fill(factors *x, const contents *c, double beta);
void factors_free(factors *x);
/* NULL in place of an empty operand where that is asked for. */
void *or_null(bool asked_for, const matrix *x, void *d_data);

/* C = alpha · op_a(A) · op_b(B) + beta · C, before and after. */
typedef struct product {
    cudaDataType_t type; /* C's; halves are summed in f32 */
    prim_transpose op_a, op_b;
    size_t m, n, k;
    double alpha, beta;
    const matrix *a, *b, *before;
    bool whole; /* all elements are whole numbers of few bits */
} product;

/* Fails the test where an element is wrong or something between the rows was written to; one
 * element in `every` is looked at. */
void product_check(const product *p, const matrix *after, size_t every, const char *text);

#endif
