/* What a plain loop finds: whole numbers, far below where doubles end. */
#ifndef TESTS_STRESS_ORACLES_H
#define TESTS_STRESS_ORACLES_H

#include "trial.h"

typedef struct type_pair {
    cudaDataType_t in, out;
} type_pair;

/* Mostly types that go together: the same, or one of the wider ones. */
type_pair pick_pair(trial *t);

typedef struct matrix {
    size_t rows, columns, ld;
} matrix;

matrix pick_matrix(trial *t);

/* A product of whole floats stays exact if its factors are ±1. */
bool needs_signs(const trial *t, prim_op op, cudaDataType_t type);

/* What the twin held. */
double before(const operand *x, size_t i);

/* A combination of elements. */
typedef struct combination {
    prim_op op;
    prim_transform f;
    type_pair types;
} combination;

/* What combined() knows: where floats stay exact, and of no elements only the sum, which is 0. */
bool is_known(const combination *c, size_t count);
double combine(prim_op op, double a, double b);
/* Of `count` elements that lie so far apart. */
double combined(const combination *c, const operand *x, size_t first, size_t count, size_t apart);

double product_of(const operand *x, size_t x_first, size_t x_apart, const operand *y,
                  size_t y_first, size_t y_apart, size_t count);
/* alpha · sum + beta · what was there */
void expect_scaled(trial *t, const operand *z, size_t i, double alpha, double sum, double beta);
double pick_scalar(trial *t);

#endif
